// Helpers of the df verifiers.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFVERIFY_H
#define DIALECTS_DF_IR_DFVERIFY_H

#include "dialects/Df/IR/Df.h"

namespace mlc::df {

/// Whether two ranked tensors have the same dimensions (dynamic ones equal dynamic ones).
inline bool sameShape(mlir::Type a, mlir::Type b) {
  return llvm::cast<mlir::RankedTensorType>(a).getShape() == llvm::cast<mlir::RankedTensorType>(b).getShape();
}

inline mlir::Type elementType(mlir::Type t) { return llvm::cast<mlir::RankedTensorType>(t).getElementType(); }
inline llvm::ArrayRef<int64_t> shapeOf(mlir::Type t) { return llvm::cast<mlir::RankedTensorType>(t).getShape(); }

/// Fails with `(C<n>) <what>: found A and B`.
llvm::LogicalResult verifyTypes(mlir::Operation *op, bool ok, llvm::StringRef constraint, mlir::Type found,
                                mlir::Type other);

/// The variable that `symbol` names, or null after an error at `op`.
VariableOp lookupVariable(mlir::Operation *op, mlir::FlatSymbolRefAttr symbol, mlir::SymbolTableCollection &tables);
/// The table that `symbol` names, or null after an error at `op`.
TableOp lookupTable(mlir::Operation *op, mlir::FlatSymbolRefAttr symbol, mlir::SymbolTableCollection &tables);

/// The shape of a table's row: its shape without the leading dimension.
inline mlir::RankedTensorType rowType(mlir::RankedTensorType table) {
  return mlir::RankedTensorType::get(table.getShape().drop_front(), table.getElementType());
}

} // namespace mlc::df

#endif // DIALECTS_DF_IR_DFVERIFY_H
