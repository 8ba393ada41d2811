// Words as a shell reads them. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_SHELLTEXT_H
#define MLC_COMMON_SHELLTEXT_H

#include <string>
#include <string_view>

namespace mlc::common {

/// `word` as it can be typed: in single quotes if it holds anything but letters, digits and _@%+=:,./-.
std::string shellWord(std::string_view word);

} // namespace mlc::common

#endif // MLC_COMMON_SHELLTEXT_H
