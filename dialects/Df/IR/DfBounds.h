// What is known of ids.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFBOUNDS_H
#define DIALECTS_DF_IR_DFBOUNDS_H

#include "mlir/IR/Value.h"
#include "llvm/ADT/StringRef.h"

namespace mlc::df {

/// On an op that takes ids of rows, labels, groups of rows or ends of values (those of `BoundedIdsOpInterface`,
/// `df.update_rows`, `df.merge_rows`, `df.group_sum`, `df.ragged_reduce`, `df.ragged_repeat`), a unit attribute that
/// `df-outline-features` sets: they are in range whatever the data, so code need not check them. Who does not know of
/// it may drop it.
inline constexpr llvm::StringLiteral kInBoundsAttr = "df.in_bounds";

/// Ids that an op takes: from 0, or less where `mayBeNone`, to below the size of dimension `axis` of `of`.
struct BoundedIds {
  mlir::OpOperand *ids;
  mlir::Value of;
  int64_t axis;
  bool mayBeNone;       ///< a negative id means none
  llvm::StringRef what; ///< what an id is, for a message: "label"
};

} // namespace mlc::df

#endif // DIALECTS_DF_IR_DFBOUNDS_H
