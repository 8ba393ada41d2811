// Messages inside statuses and exit codes.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/StatusMessage.h"

#include <cerrno>
#include <gtest/gtest.h>

using namespace mlcrt;
using mlc::common::ExitCode;

TEST(StatusMessage, RoundTrip) {
  mlc::common::Message message = mlc::common::makeError("E0402", "of another model", "--fresh");
  message.place.file = "m";
  absl::Status status = messageStatus(absl::StatusCode::kFailedPrecondition, message);
  EXPECT_EQ(status.message(), "m: of another model; --fresh");
  EXPECT_EQ(messageToJson(messageOf(status)), messageToJson(message));
}

TEST(StatusMessage, PlainStatus) {
  mlc::common::Message message = messageOf(absl::DataLossError("bad"));
  EXPECT_EQ(message.what, "bad");
  EXPECT_EQ(message.code, "E0300");
  EXPECT_NE(messageOf(absl::InternalError("x")).help, "");
}

TEST(StatusMessage, ExitCodes) {
  EXPECT_EQ(exitCodeOf(absl::OkStatus()), ExitCode::Success);
  EXPECT_EQ(exitCodeOf(absl::NotFoundError("")), ExitCode::Usage);
  EXPECT_EQ(exitCodeOf(absl::OutOfRangeError("")), ExitCode::NanLoss);
  EXPECT_EQ(exitCodeOf(absl::InternalError("")), ExitCode::Internal);
  EXPECT_EQ(exitCodeOf(writeError("f", "cannot write", ENOSPC)), ExitCode::DiskFull);
  EXPECT_EQ(exitCodeOf(writeError("f", "cannot write", EACCES)), ExitCode::OutputNotWritable);
}
