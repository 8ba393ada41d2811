// Constant folding of df ops by the interpreter's rules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_INTERPRETER_CONSTANTFOLDING_H
#define MLC_INTERPRETER_CONSTANTFOLDING_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/DialectRegistry.h"

namespace mlc::interp {

class Tensor;

/// Ops of constants fold, in whatever pass folds, where their results are the bits that compiled code gives:
/// element-wise ops, ops that move elements, and reductions whose order does not matter. Operands and results have at
/// most 1024 elements or one value everywhere. An op that would fail stays.
void registerConstantFolding(mlir::DialectRegistry &registry);

/// `tensor`, which holds numbers or truth values, as an attribute of `type`, of its shape and element type.
mlir::DenseElementsAttr attributeOf(const Tensor &tensor, mlir::RankedTensorType type);

} // namespace mlc::interp

#endif // MLC_INTERPRETER_CONSTANTFOLDING_H
