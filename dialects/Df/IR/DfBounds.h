// What is known of ids.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFBOUNDS_H
#define DIALECTS_DF_IR_DFBOUNDS_H

#include "llvm/ADT/StringRef.h"

namespace mlc::df {

/// On an op that takes ids of rows, labels, groups of rows or ends of values (`df.gather` of rows,
/// `df.softmax_cross_entropy`, `df.update_rows`, `df.merge_rows`, `df.group_sum`, `df.ragged_reduce`,
/// `df.ragged_repeat`), a unit attribute that `df-outline-features` sets: they are in range whatever the data, so code
/// need not check them. Who does not know of it may drop it.
inline constexpr llvm::StringLiteral kInBoundsAttr = "df.in_bounds";

} // namespace mlc::df

#endif // DIALECTS_DF_IR_DFBOUNDS_H
