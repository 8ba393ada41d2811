// Integers that the elements of a tensor can be.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFINTEGERRANGE_H
#define DIALECTS_DF_IR_DFINTEGERRANGE_H

#include <algorithm>
#include <cstdint>

namespace mlc::df {

/// All integers from `least` to `most`.
struct IntegerRange {
  int64_t least, most;

  /// The least range that holds both.
  IntegerRange with(IntegerRange other) const { return {std::min(least, other.least), std::max(most, other.most)}; }
};

} // namespace mlc::df

#endif // DIALECTS_DF_IR_DFINTEGERRANGE_H
