// Values that go from one segment to another. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_UTILS_CROSSINGVALUES_H
#define DIALECTS_DF_UTILS_CROSSINGVALUES_H

#include "dialects/Df/Utils/SymbolicSizes.h"
#include "mlir/IR/Builders.h"

#include <optional>

namespace mlc::df {

/// The types of the buffers in which `value` crosses: one of its own shape or, of sparse rows, those of ids (i64[k]),
/// rows (k of the table's) and count (i64). Nothing where sizes are no multiples of what the call knows before, so that
/// no buffer can be planned.
std::optional<llvm::SmallVector<mlir::Type>> crossingTypes(mlir::Value value, SymbolicSizes &counts);

/// The symbols of the dynamic dimensions of the buffer of type `part`, which is one of those of `value`.
llvm::SmallVector<int64_t> crossingSymbols(mlir::Value value, mlir::Type part, SymbolicSizes &counts);

/// `value` as buffers of the types `parts`.
llvm::SmallVector<mlir::Value> takeApart(mlir::Value value, mlir::TypeRange parts, mlir::OpBuilder &at);

/// `parts` as a value of type `type` again.
mlir::Value putTogether(mlir::Location loc, mlir::Type type, mlir::ValueRange parts, mlir::OpBuilder &at);

} // namespace mlc::df

#endif // DIALECTS_DF_UTILS_CROSSINGVALUES_H
