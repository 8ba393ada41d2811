// What each error code means. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_ERRORCODES_H
#define MLC_COMMON_ERRORCODES_H

#include <string_view>
#include <vector>

namespace mlc::common {

/// One code of the messages, for good.
struct ErrorCode {
  /// "E0101".
  std::string_view code;
  /// What is wrong, in a few words.
  std::string_view title;
  /// Why it is an error and what to do.
  std::string_view text;
};

/// All codes, ascending.
const std::vector<ErrorCode> &errorCodes();

} // namespace mlc::common

#endif // MLC_COMMON_ERRORCODES_H
