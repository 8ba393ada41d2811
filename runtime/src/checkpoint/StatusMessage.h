// Messages to the user inside an absl::Status, and the exit code of a status. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLCRT_CHECKPOINT_STATUSMESSAGE_H
#define MLCRT_CHECKPOINT_STATUSMESSAGE_H

#include "absl/status/status.h"
#include "common/cli/ExitCode.h"
#include "common/cli/Message.h"

#include <string>

namespace mlcrt {

/// A status whose payload (input's kMessagePayload) is the message; its text is "place: what; help".
absl::Status messageStatus(absl::StatusCode code, const mlc::common::Message &message);

/// A status about a file or directory: an error `number` ("E0403") with the path as its place.
absl::Status fileError(absl::StatusCode code, const char *number, const std::string &path, std::string what,
                       std::string help = {});

/// The message of a status: its payload, or its text under the code of its kind (E0500 for an error of ours).
mlc::common::Message messageOf(const absl::Status &status);

/// What a command that ends in `status` exits with: kInvalidArgument, kNotFound: Usage; kDataLoss: Corrupt;
/// kFailedPrecondition: Mismatch; kOutOfRange: NanLoss; kPermissionDenied, kAlreadyExists: OutputNotWritable;
/// kResourceExhausted: DiskFull, or Usage of a device's memory (E0502); others: DeviceLost (E0503) of isDeviceLost,
/// else Internal.
mlc::common::ExitCode exitCodeOf(const absl::Status &status);

/// A code of which exitCodeOf makes this exit code; kUnavailable for those that are no error's.
absl::StatusCode statusCodeOf(mlc::common::ExitCode exit);

/// The status of a failed write to `path`: kResourceExhausted if the disk is full, a limit (a quota, RLIMIT_FSIZE) is
/// reached, or the disk or the way to it fails, so that trying again may help; else kPermissionDenied (E0405).
absl::Status writeError(const std::string &path, const std::string &what, int errorNumber);
/// Whether that was for want of room.
bool needsRoom(const absl::Status &status);

} // namespace mlcrt

#endif // MLCRT_CHECKPOINT_STATUSMESSAGE_H
