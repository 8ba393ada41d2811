// Parts of few large pieces.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/device/cuda/MemoryPool.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include <map>
#include <random>
#include <vector>

using namespace mlcrt;
using testing::ElementsAre;

namespace {

constexpr int64_t kMiB = int64_t{1} << 20, kGiB = int64_t{1} << 30;

/// Numbers that are no memory; pieces lie side by side, and one begins at an odd place if a test wants that.
class FakeSource : public MemorySource {
public:
  absl::StatusOr<uint64_t> take(int64_t bytes) override {
    if (!failure.ok())
      return failure;
    if (held + bytes > total)
      return 0;
    held += bytes;
    taken.push_back(bytes);
    pieces[next] = bytes;
    const uint64_t begin = next;
    next += static_cast<uint64_t>(bytes);
    return begin;
  }
  void give(uint64_t address) override {
    held -= pieces.at(address);
    pieces.erase(address);
  }
  std::pair<int64_t, int64_t> freeAndTotal() override { return {total - held, total}; }

  absl::Status failure;
  int64_t total = 8 * kGiB, held = 0;
  uint64_t next = uint64_t{1} << 40;
  std::vector<int64_t> taken;
  std::map<uint64_t, int64_t> pieces;
};

class MemoryPoolTest : public testing::Test {
protected:
  static uint64_t number(const absl::StatusOr<void *> &memory) {
    EXPECT_TRUE(memory.ok()) << memory.status();
    return memory.ok() ? reinterpret_cast<uint64_t>(*memory) : 0;
  }
  FakeSource source;
};

TEST_F(MemoryPoolTest, GrowsInFewLargePieces) {
  {
    MemoryPool pool(source, 8 * kGiB, "LIMIT");
    for (int i = 0; i < 1000; ++i)
      number(pool.allocate(kMiB, 256));
    EXPECT_THAT(source.taken, ElementsAre(64 * kMiB, 64 * kMiB, 128 * kMiB, 256 * kMiB, 512 * kMiB));
    EXPECT_EQ(pool.used(), 1000 * kMiB);
    number(pool.allocate(2 * kGiB, 256));
    EXPECT_EQ(source.taken.back(), 2 * kGiB + 2 * kMiB) << "what is larger has a piece of its own";
  }
  EXPECT_EQ(source.held, 0) << "all pieces are given back";
}

TEST_F(MemoryPoolTest, PartsThatWereGivenBackAreOneAgain) {
  MemoryPool pool(source, 8 * kGiB, "LIMIT");
  std::vector<absl::StatusOr<void *>> parts;
  for (int i = 0; i < 60; ++i)
    parts.push_back(pool.allocate(kMiB, 256));
  for (int odd : {0, 1})
    for (int i = odd; i < 60; i += 2)
      EXPECT_TRUE(pool.free(*parts[i]));
  EXPECT_EQ(pool.used(), 0);
  EXPECT_EQ(number(pool.allocate(63 * kMiB, 256)), number(parts[0]));
  EXPECT_EQ(pool.numPieces(), 1);
}

TEST_F(MemoryPoolTest, NeighboursOfAnotherPieceStayApart) {
  MemoryPool pool(source, 8 * kGiB, "LIMIT");
  const auto first = pool.allocate(64 * kMiB - 256, 256), second = pool.allocate(64 * kMiB - 256, 256);
  ASSERT_EQ(pool.numPieces(), 2);
  EXPECT_TRUE(pool.free(*second));
  EXPECT_TRUE(pool.free(*first));
  number(pool.allocate(100 * kMiB, 256));
  EXPECT_EQ(pool.numPieces(), 3);
}

TEST_F(MemoryPoolTest, TakesTheSmallestThatFits) {
  MemoryPool pool(source, 8 * kGiB, "LIMIT");
  const auto large = pool.allocate(4 * kMiB, 256);
  number(pool.allocate(256, 256));
  const auto small = pool.allocate(kMiB, 256);
  number(pool.allocate(256, 256));
  pool.free(*large);
  pool.free(*small);
  EXPECT_EQ(number(pool.allocate(kMiB, 256)), number(small));
}

TEST_F(MemoryPoolTest, Alignment) {
  source.next += 8;
  MemoryPool pool(source, 8 * kGiB, "LIMIT");
  for (int64_t alignment : {64, 256, 4096, 1 << 20, 1 << 21, 64, 1 << 12}) {
    EXPECT_EQ(number(pool.allocate(100, alignment)) % static_cast<uint64_t>(alignment), 0u) << alignment;
    EXPECT_EQ(number(pool.allocate(0, alignment)) % 256, 0u);
  }
  EXPECT_EQ(number(pool.allocate(100 * kMiB, 1 << 24)) % (1 << 24), 0u);
  EXPECT_EQ(pool.allocate(1, 3).status().message(), "asked for 1 bytes of memory aligned to 3");
  EXPECT_EQ(pool.allocate(-1, 64).status().message(), "asked for -1 bytes of memory aligned to 64");
}

TEST_F(MemoryPoolTest, WhatIsNoPartIsNotGivenBack) {
  MemoryPool pool(source, 8 * kGiB, "LIMIT");
  const auto part = pool.allocate(kMiB, 256);
  EXPECT_TRUE(pool.free(nullptr));
  EXPECT_FALSE(pool.free(reinterpret_cast<void *>(number(part) + 256)));
  EXPECT_TRUE(pool.free(*part));
  EXPECT_FALSE(pool.free(*part));
}

TEST_F(MemoryPoolTest, Limit) {
  MemoryPool pool(source, 100 * kMiB, "LIMIT");
  number(pool.allocate(60 * kMiB, 256));
  number(pool.allocate(30 * kMiB, 256));
  EXPECT_THAT(source.taken, ElementsAre(64 * kMiB, 36 * kMiB));
  const absl::Status status = pool.allocate(20 * kMiB, 256).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(), "memory ran out: asked for 21.0 MB; 104.9 MB are held, of which 94.4 MB are in "
                              "use; 8.5 GB of 8.6 GB are free; the limit is 104.9 MB (LIMIT)");
}

TEST_F(MemoryPoolTest, TheSourceRunsOut) {
  source.total = 70 * kMiB;
  MemoryPool pool(source, 8 * kGiB, "LIMIT");
  const auto first = pool.allocate(30 * kMiB, 256);

  const absl::Status status = pool.allocate(40 * kMiB, 256).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(status.message(), "memory ran out: asked for 41.9 MB; 67.1 MB are held, of which 31.5 MB are in "
                              "use; 6.3 MB of 73.4 MB are free; the limit is 8.6 GB (LIMIT)");
  number(pool.allocate(5 * kMiB, 256));
  // A smaller piece where a large one is not to be had, and pieces that nothing uses go back for it.
  pool.free(*first);
  MemoryPool other(source, 8 * kGiB, "LIMIT");
  EXPECT_FALSE(other.allocate(10 * kMiB, 256).ok());
  number(other.allocate(2 * kMiB, 256));
  EXPECT_EQ(source.taken.back(), 4 * kMiB);
}

TEST_F(MemoryPoolTest, UnusedPiecesGoBackForALargerOne) {
  source.total = 100 * kMiB;
  MemoryPool pool(source, 8 * kGiB, "LIMIT");
  const auto first = pool.allocate(10 * kMiB, 256);
  pool.free(*first);
  number(pool.allocate(90 * kMiB, 256));
  EXPECT_THAT(source.taken, ElementsAre(64 * kMiB, 92 * kMiB));
  EXPECT_EQ(pool.numPieces(), 1);
}

TEST_F(MemoryPoolTest, ErrorsOfTheSourceAreTold) {
  source.failure = absl::InternalError("lost");
  MemoryPool pool(source, 8 * kGiB, "LIMIT");
  EXPECT_EQ(pool.allocate(1, 256).status().message(), "lost");
}

TEST_F(MemoryPoolTest, RandomPartsDoNotOverlap) {
  MemoryPool pool(source, 8 * kGiB, "LIMIT");
  std::mt19937 random(1);
  std::map<uint64_t, int64_t> parts;
  int64_t bytes = 0;
  for (int i = 0; i < 20000; ++i) {
    if (parts.size() > 200 || (!parts.empty() && random() % 3 == 0)) {
      auto it = std::next(parts.begin(), random() % parts.size());
      bytes -= it->second;
      ASSERT_TRUE(pool.free(reinterpret_cast<void *>(it->first)));
      parts.erase(it);
      continue;
    }
    const int64_t size = 1 + random() % (random() % 8 ? 100000 : 10000000), alignment = int64_t{64} << random() % 8;
    const uint64_t begin = number(pool.allocate(size, alignment));
    ASSERT_EQ(begin % static_cast<uint64_t>(alignment), 0u);
    auto next = parts.lower_bound(begin);
    ASSERT_TRUE(next == parts.end() || begin + static_cast<uint64_t>(size) <= next->first);
    ASSERT_TRUE(next == parts.begin() || (--next, next->first + static_cast<uint64_t>(next->second) <= begin));
    parts[begin] = size;
    bytes += size;
  }
  EXPECT_LE(bytes, pool.used());
  EXPECT_LE(pool.used(), pool.held());
  for (const auto &[begin, size] : parts)
    pool.free(reinterpret_cast<void *>(begin));
  EXPECT_EQ(pool.used(), 0);
}

} // namespace
