// An output that would replace what is read.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "common/cli/OutputOverInput.h"

#include <filesystem>

namespace mlc::common {

std::optional<Message> outputOverInput(const std::string &output, const std::vector<std::string> &inputs) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(output, error))
    return std::nullopt;
  for (const std::string &input : inputs) {
    if (!std::filesystem::equivalent(output, input, error) || error)
      continue;
    Message message = makeError("E0602", "the output is an input" + (input == output ? "" : ", '" + input + "'"));
    message.place.file = output;
    message.expected = "another file";
    return message;
  }
  return std::nullopt;
}

} // namespace mlc::common
