//===- ThreadPoolTest.cpp - parallel_for: coverage, errors, nesting, callers, cost -------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/ThreadPool.h"
#include "gtest/gtest.h"

#include <atomic>
#include <chrono>
#include <memory>
#include <set>
#include <thread>
#include <vector>

using namespace mlcrt;

namespace {
struct Counts {
  std::vector<std::atomic<int>> runs;
  std::vector<std::atomic<int>> inWorker;
  std::atomic<bool> clash{false};
  Counts(int64_t tasks, int threads) : runs(tasks), inWorker(threads) {}
};
} // namespace

static int32_t countTask(void *raw, int64_t first, int64_t last, int64_t worker) {
  Counts &counts = *static_cast<Counts *>(raw);
  if (worker < 0 || worker >= static_cast<int64_t>(counts.inWorker.size()) || counts.inWorker[worker]++ != 0) {
    counts.clash = true;
    return MLCRT_INTERNAL;
  }
  for (int64_t i = first; i < last; ++i)
    ++counts.runs[i];
  --counts.inWorker[worker];
  return MLCRT_OK;
}

class ThreadPoolSizes : public testing::TestWithParam<int> {};

TEST_P(ThreadPoolSizes, RunsEachTaskOnce) {
  ThreadPool pool(GetParam());
  EXPECT_EQ(pool.threads(), std::max(GetParam(), 1));
  for (int64_t tasks : {0, 1, 2, 3, 7, 64, 1000, 10007}) {
    Counts counts(tasks, pool.threads());
    ASSERT_EQ(pool.parallelFor(countTask, &counts, tasks), MLCRT_OK);
    ASSERT_FALSE(counts.clash);
    for (int64_t i = 0; i < tasks; ++i)
      ASSERT_EQ(counts.runs[i], 1) << i << " of " << tasks;
  }
}

// 0 threads is taken as one; 9 are more than there are processors.
INSTANTIATE_TEST_SUITE_P(Threads, ThreadPoolSizes, testing::Values(0, 1, 2, 3, 9));

TEST(ThreadPool, SecondThreadTakesPart) {
  ThreadPool pool(2);
  struct Args {
    std::atomic<int> arrived{0};
  } args;
  // Both tasks wait for each other: a pool that runs them one after the other would not end.
  auto meet = [](void *raw, int64_t first, int64_t last, int64_t) -> int32_t {
    Args &args = *static_cast<Args *>(raw);
    ++args.arrived;
    while (args.arrived < 2)
      std::this_thread::yield();
    return last - first == 1 ? MLCRT_OK : MLCRT_INTERNAL;
  };
  EXPECT_EQ(pool.parallelFor(meet, &args, 2), MLCRT_OK);
  // The other thread is asleep by now and must be woken.
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  args.arrived = 0;
  EXPECT_EQ(pool.parallelFor(meet, &args, 2), MLCRT_OK);
}

TEST(ThreadPool, LowestErrorWins) {
  ThreadPool pool(4);
  // Tasks 300 and above fail with different codes.
  auto fail = [](void *, int64_t first, int64_t last, int64_t) -> int32_t {
    for (int64_t i = first; i < last; ++i)
      if (i >= 300)
        return static_cast<int32_t>(i);
    return MLCRT_OK;
  };
  for (int repeat = 0; repeat < 500; ++repeat)
    ASSERT_EQ(pool.parallelFor(fail, nullptr, 1000), 300);
  Counts counts(100, 4);
  EXPECT_EQ(pool.parallelFor(countTask, &counts, 100), MLCRT_OK) << "an old error must not stay";
}

TEST(ThreadPool, NestedLoopRunsSeriallyUnderTheSameWorker) {
  ThreadPool pool(3);
  struct Args {
    ThreadPool *pool;
    std::atomic<int> inner{0};
    std::atomic<bool> wrong{false};
  } args = {&pool, {}, {}};
  struct Inner {
    Args *args;
    int64_t worker;
  };
  auto outer = [](void *raw, int64_t first, int64_t last, int64_t worker) -> int32_t {
    Args &args = *static_cast<Args *>(raw);
    Inner inner = {&args, worker};
    for (int64_t i = first; i < last; ++i) {
      int32_t code = args.pool->parallelFor(
          [](void *raw, int64_t first, int64_t last, int64_t worker) -> int32_t {
            Inner &inner = *static_cast<Inner *>(raw);
            inner.args->inner += static_cast<int>(last - first);
            if (worker != inner.worker || first != 0 || last != 10)
              inner.args->wrong = true;
            return MLCRT_OK;
          },
          &inner, 10);
      if (code)
        return code;
    }
    return MLCRT_OK;
  };
  EXPECT_EQ(pool.parallelFor(outer, &args, 50), MLCRT_OK);
  EXPECT_EQ(args.inner, 500);
  EXPECT_FALSE(args.wrong);
}

TEST(ThreadPool, SeveralCallers) {
  ThreadPool pool(3);
  std::atomic<int> failures{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c)
    callers.emplace_back([&] {
      for (int repeat = 0; repeat < 300; ++repeat) {
        Counts counts(97, 3);
        if (pool.parallelFor(countTask, &counts, 97) != MLCRT_OK)
          ++failures;
        for (auto &runs : counts.runs)
          if (runs != 1)
            ++failures;
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(failures, 0);
}

TEST(ThreadPool, StartsAndStopsOften) {
  for (int repeat = 0; repeat < 200; ++repeat) {
    ThreadPool pool(4, /*spinNanoseconds=*/repeat % 2 ? 0 : ThreadPool::kDefaultSpinNanoseconds);
    if (repeat % 3 == 0)
      continue; // never used
    Counts counts(10, 4);
    ASSERT_EQ(pool.parallelFor(countTask, &counts, 10), MLCRT_OK);
  }
}

TEST(ThreadPool, SleepingThreadsAreWokenEveryTime) {
  ThreadPool pool(2, /*spinNanoseconds=*/0);
  for (int repeat = 0; repeat < 2000; ++repeat) {
    Counts counts(4, 2);
    ASSERT_EQ(pool.parallelFor(countTask, &counts, 4), MLCRT_OK);
    for (auto &runs : counts.runs)
      ASSERT_EQ(runs, 1);
  }
}

TEST(ThreadPool, EmptyRegionIsCheap) {
  ThreadPool pool(2);
  auto nothing = [](void *, int64_t, int64_t, int64_t) -> int32_t { return MLCRT_OK; };
  // The least of many short runs: other processes may use the processors.
  double best = 1e9;
  for (int repeat = 0; repeat < 200; ++repeat) {
    constexpr int kRegions = 50;
    auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < kRegions; ++i)
      pool.parallelFor(nothing, nullptr, 2);
    best = std::min(best, std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count() /
                              kRegions);
  }
  RecordProperty("microseconds", std::to_string(best));
  EXPECT_LT(best, 2.0) << "microseconds for a region of two threads";
}
