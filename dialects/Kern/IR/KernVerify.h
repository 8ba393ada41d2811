// What verifiers of kern ops share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_KERN_IR_KERNVERIFY_H
#define DIALECTS_KERN_IR_KERNVERIFY_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace mlc::kern::detail {

inline mlir::ShapedType shapedOf(mlir::Value value) { return llvm::cast<mlir::ShapedType>(value.getType()); }
inline mlir::Type elementOf(mlir::Value value) { return shapedOf(value).getElementType(); }

/// Whether two sizes can be one: what is unknown agrees with everything.
inline bool agree(int64_t x, int64_t y) {
  return mlir::ShapedType::isDynamic(x) || mlir::ShapedType::isDynamic(y) || x == y;
}

/// Checks that `region` takes elements of `arguments` and yields elements of `outs`.
llvm::LogicalResult verifyBody(mlir::Operation *op, mlir::Region &region, llvm::SmallVector<mlir::Type> arguments,
                               mlir::ValueRange outs, llvm::StringRef constraint);

} // namespace mlc::kern::detail

#endif // DIALECTS_KERN_IR_KERNVERIFY_H
