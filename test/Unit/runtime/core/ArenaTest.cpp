//===- ArenaTest.cpp ---------------------------------------------------------------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/Arena.h"

#include "gtest/gtest.h"

#include <cstring>
#include <limits>

using mlcrt::Arena;

/// Fills a piece so that an overlap with another one shows.
static char *filled(Arena &arena, int64_t bytes, char with) {
  char *piece = static_cast<char *>(arena.allocate(bytes));
  EXPECT_NE(piece, nullptr);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(piece) % MLCRT_ALIGNMENT, 0u);
  std::memset(piece, with, bytes);
  return piece;
}

static bool holds(const char *piece, int64_t bytes, char what) {
  for (int64_t i = 0; i < bytes; ++i)
    if (piece[i] != what)
      return false;
  return true;
}

TEST(Arena, PiecesAreApart) {
  Arena arena;
  char *a = filled(arena, 1, 'a'), *b = filled(arena, 100, 'b'), *c = filled(arena, 1 << 20, 'c'),
       *d = filled(arena, 1 << 17, 'd');
  EXPECT_NE(arena.allocate(0), nullptr);
  EXPECT_TRUE(holds(a, 1, 'a') && holds(b, 100, 'b') && holds(c, 1 << 20, 'c') && holds(d, 1 << 17, 'd'));
}

TEST(Arena, ACallOfTheSameSizeAllocatesNothing) {
  Arena arena;
  for (int64_t size : {1000, 70000, 200000, 900000})
    filled(arena, size, 'x');
  arena.reset();
  const int64_t capacity = arena.capacity();
  for (int call = 0; call < 3; ++call, arena.reset())
    for (int64_t size : {1000, 70000, 200000, 900000})
      filled(arena, size, 'y');
  EXPECT_EQ(arena.capacity(), capacity);
}

TEST(Arena, ReleaseGoesBackToTheMark) {
  Arena arena;
  char *kept = filled(arena, 1000, 'k');
  const int64_t mark = arena.mark();
  char *first = filled(arena, 500, '1');
  int64_t most = 0;
  for (int round = 0; round < 100; ++round) {
    arena.release(mark);
    EXPECT_EQ(arena.mark(), mark);
    EXPECT_EQ(filled(arena, 500, '2'), first);
    filled(arena, 300000, '3'); // in a chunk of its own
    most = std::max(most, arena.capacity());
  }
  EXPECT_LT(most, 2000000);
  EXPECT_TRUE(holds(kept, 1000, 'k'));
}

TEST(Arena, MarkAtTheEndOfAChunk) {
  Arena arena;
  filled(arena, 1 << 16, 'a'); // the whole first chunk
  const int64_t mark = arena.mark();
  char *b = filled(arena, 64, 'b');
  arena.release(mark);
  EXPECT_EQ(filled(arena, 64, 'c'), b);
  arena.release(0);
  filled(arena, 1 << 16, 'd');
}

TEST(Arena, WhatCannotBe) {
  Arena arena;
  EXPECT_EQ(arena.allocate(-1), nullptr);
  EXPECT_EQ(arena.allocate(std::numeric_limits<int64_t>::max()), nullptr);
  EXPECT_NE(arena.allocate(8), nullptr);
}
