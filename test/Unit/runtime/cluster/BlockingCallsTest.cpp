// Calls that block: the process ends after them, and they end for it.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/cluster/BlockingCalls.h"

#include "gtest/gtest.h"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <thread>

using namespace mlcrt;

TEST(BlockingCalls, TheProcessEndsAfterThem) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      {
        BlockingCalls::start([] {
          while (!BlockingCalls::isEnding())
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
          std::this_thread::sleep_for(std::chrono::milliseconds(20));
          std::fputs("it gave up", stderr);
        });
        std::exit(3);
      },
      testing::ExitedWithCode(3), "it gave up");
}

TEST(BlockingCalls, GetNoSignals) {
  std::promise<bool> isBlocked;
  BlockingCalls::start([&] {
    sigset_t mask;
    ::pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    isBlocked.set_value(sigismember(&mask, SIGTERM) == 1 && sigismember(&mask, SIGPIPE) == 1);
  });
  EXPECT_TRUE(isBlocked.get_future().get());
  EXPECT_FALSE(BlockingCalls::isEnding());
}
