// Ops that C functions compute.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFEXTERNALCALL_H
#define DIALECTS_DF_IR_DFEXTERNALCALL_H

#include "dialects/Df/IR/Df.h"
#include "mlir/IR/BuiltinAttributes.h"

/// A tensor as C code sees it: mlcrt/abi.h.
struct mlcrt_buffer;

namespace mlc::df {

/// What computes an op: operands and parameters, results.
using HostFunction = int32_t (*)(const mlcrt_buffer *, const mlcrt_buffer *);

/// The dimension of an operand that dimension `d` of a result of `op` is as large as, by `map`; none if none is.
std::optional<Dimension> operandDimensionOf(mlir::Operation *op, const DimensionMapping &map, mlir::Value result,
                                            int64_t d);

/// A parameter (`ExternalCallOpInterface`) as the tensor that its function gets; null if it is none: neither a number,
/// a boolean, nor an array of numbers.
mlir::DenseElementsAttr tensorOfParameter(mlir::Attribute parameter);

namespace detail {
llvm::LogicalResult verifyExternalCall(mlir::Operation *op);
} // namespace detail

} // namespace mlc::df

#include "dialects/Df/IR/DfExternalCall.h.inc"

#endif // DIALECTS_DF_IR_DFEXTERNALCALL_H
