// The valid name nearest to a mistyped one. -*- C++ -*-
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_COMMON_NEARESTMATCH_H
#define MLC_COMMON_NEARESTMATCH_H

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace mlc::common {

/// Damerau-Levenshtein distance (insert, delete, replace, swap of neighbours; each piece of text edited once), in
/// bytes.
size_t editDistance(std::string_view a, std::string_view b);

/// The candidate nearest to `name`, at most a third of the longer length away (1 for names of two bytes or less), and
/// with something in common; case counts between equals only, of which the first is taken. Empty if none is near
/// enough.
std::string nearestMatch(std::string_view name, const std::vector<std::string> &candidates);

/// "did you mean 'X'?", or empty.
std::string didYouMean(std::string_view name, const std::vector<std::string> &candidates);

} // namespace mlc::common

#endif // MLC_COMMON_NEARESTMATCH_H
