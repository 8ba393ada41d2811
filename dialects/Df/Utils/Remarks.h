// Remarks about what passes on df leave as it is.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_UTILS_REMARKS_H
#define DIALECTS_DF_UTILS_REMARKS_H

#include "mlir/IR/Operation.h"
#include "mlir/IR/Remarks.h"

namespace mlc::df {

/// Tells the remark engine that a transformation of `category` was not made because of `op`. Returns whether anybody
/// wants to know.
inline bool remarkMissed(mlir::Operation *op, llvm::StringRef category, const llvm::Twine &text) {
  auto remark = mlir::remark::missed(op->getLoc(), mlir::remark::RemarkOpts::name(category).category(category));
  if (remark)
    remark << text.str();
  return static_cast<bool>(remark);
}

/// The same of what users of a cluster have to know: where the engine does not take it, it is a plain remark.
inline void remarkKept(mlir::Operation *op, const llvm::Twine &text) {
  if (!remarkMissed(op, "kept", text))
    op->emitRemark() << text;
}

} // namespace mlc::df

#endif // DIALECTS_DF_UTILS_REMARKS_H
