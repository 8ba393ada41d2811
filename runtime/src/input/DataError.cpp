// Errors found in data files.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "runtime/src/input/DataError.h"

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"

namespace mlcrt {

std::string toText(const Origin &origin) {
  mlc::common::Place place;
  place.file = std::string(origin.file);
  place.line = origin.line;
  place.column = origin.field;
  std::string text = mlc::common::placeText(place);
  if (origin.record > 0)
    absl::StrAppend(&text, text.empty() ? "" : ": ", "record ", origin.record);
  return text;
}

static absl::Status makeStatus(absl::StatusCode status, const Origin &origin, std::string_view code,
                               std::string_view what, std::string_view expected, std::string_view help) {
  mlc::common::Message message;
  message.code = std::string(code);
  message.place.file = std::string(origin.file);
  message.place.line = origin.line;
  message.place.column = origin.field;
  message.what = origin.record > 0 ? absl::StrCat("record ", origin.record, ": ") : std::string();
  message.what.append(what);
  message.expected = std::string(expected);
  message.help = std::string(help);
  std::string text = toText(origin);
  absl::StrAppend(&text, text.empty() ? "" : ": ", absl::string_view(what.data(), what.size()));
  if (!expected.empty())
    absl::StrAppend(&text, ", expected ", absl::string_view(expected.data(), expected.size()));
  if (!help.empty())
    absl::StrAppend(&text, "; ", absl::string_view(help.data(), help.size()));
  absl::Status result(status, text);
  // As a view: clang and the compiler that built abseil name the constructor from std::string differently.
  const std::string json = mlc::common::messageToJson(message);
  result.SetPayload(absl::string_view(kMessagePayload.data(), kMessagePayload.size()),
                    absl::Cord(absl::string_view(json)));
  return result;
}

absl::Status dataError(const Origin &origin, std::string_view code, std::string_view what, std::string_view expected,
                       std::string_view help) {
  return makeStatus(absl::StatusCode::kDataLoss, origin, code, what, expected, help);
}

absl::Status usageError(std::string_view file, std::string_view code, std::string_view what, std::string_view expected,
                        std::string_view help) {
  return makeStatus(absl::StatusCode::kInvalidArgument, Origin{file}, code, what, expected, help);
}

} // namespace mlcrt
