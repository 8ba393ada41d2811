// An output that would replace what is read. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_OUTPUTOVERINPUT_H
#define MLC_COMMON_OUTPUTOVERINPUT_H

#include "common/cli/Message.h"

#include <optional>
#include <string>
#include <vector>

namespace mlc::common {

/// The error (E0602) for a file `output` that is one of `inputs`, also by another path or by a symbolic or hard link;
/// none if it is none of them or no regular file.
std::optional<Message> outputOverInput(const std::string &output, const std::vector<std::string> &inputs);

} // namespace mlc::common

#endif // MLC_COMMON_OUTPUTOVERINPUT_H
