// What stops runs.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/core/StopToken.h"

#include <csignal>
#include <gtest/gtest.h>

using namespace mlcrt;
using mlc::common::ExitCode;

TEST(StopToken, GoesOnUntilItIsRaised) {
  StopToken token;
  EXPECT_FALSE(token.isStopped());
  EXPECT_EQ(token.age().count(), 0);
  token.raise(SIGINT);
  EXPECT_TRUE(token.isStopped());
  EXPECT_GE(token.age().count(), 0);
  EXPECT_STREQ(token.reason(), "interrupted");
  EXPECT_EQ(token.exitCode(), ExitCode::Interrupted);
}

TEST(StopToken, SignalOfTheRunTakesThePlaceOfARequest) {
  StopToken token;
  token.request(SIGTERM);
  EXPECT_STREQ(token.reason(), "terminated");
  token.raise(SIGINT);
  EXPECT_EQ(token.signal(), SIGINT);
  token.request(SIGTERM);
  EXPECT_EQ(token.signal(), SIGINT);
}

TEST(StopToken, RunsHaveTheirOwn) {
  StopToken first, second;
  first.raise(SIGTERM);
  EXPECT_FALSE(second.isStopped());
  first.reset();
  EXPECT_FALSE(first.isStopped());
}
