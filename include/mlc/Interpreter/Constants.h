// Conversion of constant attributes to the interpreter's tensors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_INTERPRETER_CONSTANTS_H
#define MLC_INTERPRETER_CONSTANTS_H

#include "mlc/Interpreter/Tensor.h"
#include "mlir/IR/BuiltinAttributes.h"

namespace mlc::interp {

/// The tensor of `dense<...>` elements of numbers or strings. Fails without
/// a diagnostic for other elements attributes.
mlir::FailureOr<Tensor> tensorOf(mlir::ElementsAttr elements);

} // namespace mlc::interp

#endif // MLC_INTERPRETER_CONSTANTS_H
