// What a step needs of a variable.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFPULLS_H
#define DIALECTS_DF_IR_DFPULLS_H

#include "dialects/Df/IR/Df.h"

namespace mlc::df {

/// On an argument of a step segment bound to a variable: the names of the intermediates of the entry's features segment
/// (i64 tensors) that hold all rows which the segment reads of it, an array of strings. Without it all rows are read.
inline constexpr llvm::StringLiteral kPulledByAttr = "df.pulled_by";

/// On an argument of a step segment bound to one of those intermediates, a unit attribute: the segment uses it as
/// numbers of rows of such variables alone. It computes the same if rows have other numbers, there and in the
/// variables.
inline constexpr llvm::StringLiteral kNamesRowsAttr = "df.names_rows";

/// On an argument or a result bound to a variable, a unit attribute: where the program has a device, the variable lies
/// in the host's memory all the same. On a function that is a segment: the host runs it all the same.
inline constexpr llvm::StringLiteral kOnHostAttr = "df.on_host";

/// Whether the host runs `function`, a segment of any kind of function op, where the program has a device: it says so,
/// or prepares features, which are made of text ahead of the step.
inline bool runsOnHost(mlir::Operation *function) {
  auto segment = function->getAttrOfType<SegmentKindAttr>(DfDialect::kSegmentAttr);
  return function->hasAttr(kOnHostAttr) || (segment && segment.getValue() == SegmentKind::Features);
}

} // namespace mlc::df

#endif // DIALECTS_DF_IR_DFPULLS_H
