// Type rules and verifiers of cumulative ops and order statistics.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfOrderOps.h"
#include "dialects/Df/IR/DfVerify.h"

using namespace mlir;
using namespace mlc::df;

LogicalResult CumsumOp::verify() { return verifyAxis(*this, getType(), getAxis()); }
LogicalResult CumprodOp::verify() { return verifyAxis(*this, getType(), getAxis()); }
LogicalResult CummaxOp::verify() { return verifyAxis(*this, getType(), getAxis()); }
LogicalResult CumminOp::verify() { return verifyAxis(*this, getType(), getAxis()); }
LogicalResult CumlogsumexpOp::verify() { return verifyAxis(*this, getType(), getAxis()); }
LogicalResult LinearScanOp::verify() { return verifyAxis(*this, getType(), getAxis()); }

LogicalResult SortOp::inferTypes(TypeInference &infer, Adaptor op) {
  if (op.getOperands().empty())
    return infer.error("(C1) needs at least one operand");
  Type keys = op.getOperands().front().getType();
  if (!elementType(keys).isIntOrFloat() || elementType(keys).isInteger(1))
    return infer.error("(C1) the keys must be numbers; found ") << keys;
  for (Value operand : op.getOperands()) {
    if (!agreeInShape(operand.getType(), keys))
      return infer.require(false, "(C2) operands must have the keys' shape", operand.getType(), keys);
    (void)infer.result(operand.getType(), "(C2) results must have their operands' types");
  }
  return infer.requireAxis(keys, op.getAxis(), "(C3)");
}

LogicalResult ArgsortOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto from = cast<RankedTensorType>(op.getOperand().getType());
  if (failed(infer.requireAxis(from, op.getAxis())))
    return failure();
  return infer.result(from.clone(infer.i64()), "(C2) the result must have the operand's shape");
}

LogicalResult TopKOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto from = cast<RankedTensorType>(op.getOperand().getType());
  if (failed(infer.requireAxis(from, op.getAxis())))
    return failure();
  if (op.getK().has_value() == static_cast<bool>(op.getCount()))
    return infer.error("(C2) needs either 'k' or a count");
  int64_t axis = axisOf(from, op.getAxis()), k = op.getK() ? static_cast<int64_t>(*op.getK()) : ShapedType::kDynamic;
  SmallVector<int64_t> shape(from.getShape());
  if (op.getK() && (k < 0 || (!ShapedType::isDynamic(shape[axis]) && k > shape[axis])))
    return infer.error("(C2) 'k' must be at least 0 and at most the size of axis ")
           << axis << " of " << from << "; found " << k;
  shape[axis] = k;
  constexpr StringLiteral constraint =
      "(C3) results must have k at the axis and the operand's other dimensions, values its element type";
  (void)infer.result(from.clone(shape), constraint);
  return infer.result(RankedTensorType::get(shape, infer.i64()), constraint);
}

LogicalResult SearchsortedOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto sequence = cast<RankedTensorType>(op.getSequence().getType()),
       values = cast<RankedTensorType>(op.getValues().getType());
  ArrayRef<int64_t> of = sequence.getShape();
  SmallVector<int64_t> shape(values.getShape());
  if (of.empty() || of.size() > shape.size() + 1 ||
      !agree(of.drop_back(), ArrayRef<int64_t>(shape).take_front(of.size() - 1)))
    return infer.require(false, "(C1) the sequence must be [batch.., n] and values [batch.., s..]", sequence, values);
  if (sequence.getElementType() != values.getElementType())
    return infer.require(false, "(C2) values must have the sequence's element type", sequence, values);
  for (auto [size, other] : llvm::zip(shape, of.drop_back()))
    size = joinSizes(size, other);
  return infer.result(RankedTensorType::get(shape, infer.i64()), "(C3) the result must have the values' shape");
}

LogicalResult QuantileOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto from = cast<RankedTensorType>(op.getOperand().getType()), q = cast<RankedTensorType>(op.getQ().getType());
  if (failed(infer.requireAxis(from, op.getAxis())))
    return failure();
  if (q.getRank() > 1 || q.getElementType() != from.getElementType())
    return infer.require(false, "(C2) quantiles must be a scalar or [k] of the operand's element type", q, from);
  SmallVector<int64_t> shape(q.getShape());
  llvm::append_range(shape, withoutAxes(from, axisOf(from, op.getAxis())).getShape());
  return infer.result(from.clone(shape),
                      "(C3) the result must be the quantiles' dimension, then those of the operand but the axis");
}
