// Regular expressions that choose names. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_NAMEEXPRESSION_H
#define MLC_COMMON_NAMEEXPRESSION_H

#include <cstddef>
#include <string>
#include <vector>

namespace mlc::common {

/// What an expression chose of names.
struct ChosenNames {
  std::vector<size_t> indices; ///< of the names that match, ascending
  std::string problem;         ///< why it is no expression, or empty
};

/// The names that the POSIX extended regular expression matches from their beginning.
ChosenNames chooseNames(const std::string &expression, const std::vector<std::string> &names);

/// At most four names of a list, for messages: "a, b, c, d, and 2 more".
std::string someOf(const std::vector<std::string> &names);

} // namespace mlc::common

#endif // MLC_COMMON_NAMEEXPRESSION_H
