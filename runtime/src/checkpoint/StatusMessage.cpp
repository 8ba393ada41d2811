// Messages as payloads of a status.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/checkpoint/StatusMessage.h"

#include "absl/strings/cord.h"
#include "absl/strings/match.h"
#include "runtime/src/core/Devices.h"
#include "runtime/src/input/DataError.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

namespace mlcrt {

using mlc::common::ExitCode;
using mlc::common::Message;

absl::Status messageStatus(absl::StatusCode code, const Message &message) {
  std::string text = placeText(message.place);
  text += (text.empty() ? "" : ": ") + message.what;
  if (!message.expected.empty())
    text += ", expected " + message.expected;
  if (!message.help.empty())
    text += "; " + message.help;
  absl::Status status(code, text);
  // From a view: the constructor from std::string&& is not exported under the name that clang gives it.
  std::string json = mlc::common::messageToJson(message);
  status.SetPayload(absl::string_view(kMessagePayload.data(), kMessagePayload.size()),
                    absl::Cord(absl::string_view(json)));
  return status;
}

absl::Status fileError(absl::StatusCode code, const char *number, const std::string &path, std::string what,
                       std::string help) {
  Message message = mlc::common::makeError(number, std::move(what), std::move(help));
  message.place.file = path;
  return messageStatus(code, message);
}

Message messageOf(const absl::Status &status) {
  Message message;
  auto payload = status.GetPayload(absl::string_view(kMessagePayload.data(), kMessagePayload.size()));
  if (payload && mlc::common::messageFromJson(std::string(*payload), message))
    return message;
  message = Message();
  message.what = std::string(status.message());
  if (isDeviceMemoryError(status)) {
    message.code = "E0502";
    message.help =
        "a smaller train.batch_size, more --gpu_memory if others do not need it, large tables in the host's memory "
        "(mlc compile --host_tables), or --device cpu";
    return message;
  }
  switch (exitCodeOf(status)) {
  case ExitCode::DeviceLost:
    message.code = "E0503";
    message.help = "the same command again goes on from the last checkpoint; --device cpu does so without the GPU";
    break;
  case ExitCode::Usage:
    message.code = "E0200";
    break;
  case ExitCode::Corrupt:
    message.code = "E0300";
    break;
  case ExitCode::Mismatch:
    message.code = "E0400";
    break;
  case ExitCode::PeerLost:
    message.code = "E0410";
    break;
  case ExitCode::OutputNotWritable:
  case ExitCode::DiskFull:
    message.code = "E0405";
    break;
  default:
    message.code = "E0500";
    message.help = "this is a bug of mlc; please report it with this line";
  }
  return message;
}

ExitCode exitCodeOf(const absl::Status &status) {
  if (isDeviceMemoryError(status))
    return ExitCode::Usage;
  if (isDeviceLost(status))
    return ExitCode::DeviceLost;
  switch (status.code()) {
  case absl::StatusCode::kOk:
    return ExitCode::Success;
  case absl::StatusCode::kInvalidArgument:
  case absl::StatusCode::kNotFound:
    return ExitCode::Usage;
  case absl::StatusCode::kDataLoss:
    return ExitCode::Corrupt;
  case absl::StatusCode::kFailedPrecondition:
    return ExitCode::Mismatch;
  case absl::StatusCode::kOutOfRange:
    return ExitCode::NanLoss;
  case absl::StatusCode::kPermissionDenied:
  case absl::StatusCode::kAlreadyExists:
    return ExitCode::OutputNotWritable;
  case absl::StatusCode::kResourceExhausted:
    return ExitCode::DiskFull;
  case absl::StatusCode::kUnavailable:
  case absl::StatusCode::kDeadlineExceeded:
    return ExitCode::PeerLost;
  default:
    return ExitCode::Internal;
  }
}

absl::StatusCode statusCodeOf(ExitCode exit) {
  switch (exit) {
  case ExitCode::Usage:
    return absl::StatusCode::kInvalidArgument;
  case ExitCode::Corrupt:
    return absl::StatusCode::kDataLoss;
  case ExitCode::Mismatch:
    return absl::StatusCode::kFailedPrecondition;
  case ExitCode::NanLoss:
    return absl::StatusCode::kOutOfRange;
  case ExitCode::OutputNotWritable:
    return absl::StatusCode::kPermissionDenied;
  case ExitCode::DiskFull:
    return absl::StatusCode::kResourceExhausted;
  default:
    return absl::StatusCode::kUnavailable;
  }
}

static constexpr int kFull[] = {ENOSPC, EDQUOT, EFBIG};
/// Of a disk, or of the way to it.
static constexpr int kFailing[] = {EIO, ENXIO, ENODEV, ESTALE, ETIMEDOUT, ENOTCONN, EREMOTEIO};

bool needsRoom(const absl::Status &status) {
  return absl::IsResourceExhausted(status) && std::any_of(std::begin(kFull), std::end(kFull), [&](int number) {
           return absl::StrContains(status.message(), std::strerror(number));
         });
}

absl::Status writeError(const std::string &path, const std::string &what, int errorNumber) {
  auto has = [&](const auto &numbers) {
    return std::find(std::begin(numbers), std::end(numbers), errorNumber) != std::end(numbers);
  };
  const bool mayMend = has(kFull) || has(kFailing);
  return fileError(mayMend ? absl::StatusCode::kResourceExhausted : absl::StatusCode::kPermissionDenied, "E0405", path,
                   what + ": " + std::strerror(errorNumber));
}

} // namespace mlcrt
