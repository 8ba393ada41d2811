// Verifiers of cumulative ops and order statistics.
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

LogicalResult SortOp::verify() {
  if (getOperands().empty())
    return emitOpError("(C1) needs at least one operand");
  Type keys = getOperands().front().getType();
  if (!elementType(keys).isIntOrFloat() || elementType(keys).isInteger(1))
    return emitOpError("(C1) the keys must be numbers; found ") << keys;
  if (getNumResults() != getNumOperands())
    return emitOpError("(C2) needs one result for each of ")
           << getNumOperands() << " operands; found " << getNumResults();
  for (auto [operand, result] : llvm::zip(getOperands(), getResults())) {
    if (!agreeInShape(operand.getType(), keys))
      return verifyTypes(*this, false, "(C2) operands must have the keys' shape", operand.getType(), keys);
    if (!fits(*this, result, operand.getType()))
      return verifyTypes(*this, false, "(C2) results must have their operands' types", operand.getType(),
                         result.getType());
  }
  return verifyAxis(*this, keys, getAxis(), "(C3)");
}

LogicalResult ArgsortOp::verify() {
  if (failed(verifyAxis(*this, getOperand().getType(), getAxis())))
    return failure();
  return verifyTypes(*this, agreeInShape(getOperand().getType(), getType()),
                     "(C2) the result must have the operand's shape", getOperand().getType(), getType());
}

LogicalResult TopKOp::verify() {
  Type from = getOperand().getType();
  if (failed(verifyAxis(*this, from, getAxis())))
    return failure();
  if (getK().has_value() == static_cast<bool>(getCount()))
    return emitOpError("(C2) needs either 'k' or a count");
  int64_t axis = axisOf(*this), k = getK() ? static_cast<int64_t>(*getK()) : ShapedType::kDynamic;
  SmallVector<int64_t> shape(shapeOf(from));
  if (getK() && (k < 0 || (!ShapedType::isDynamic(shape[axis]) && k > shape[axis])))
    return emitOpError("(C2) 'k' must be at least 0 and at most the size of axis ")
           << axis << " of " << from << "; found " << k;
  shape[axis] = k;
  for (Value result : getResults())
    if (!fits(*this, result, ArrayRef<int64_t>(shape)))
      return verifyTypes(*this, false, "(C3) results must have k at the axis and the operand's other dimensions", from,
                         result.getType());
  return verifyTypes(*this, elementType(getValues().getType()) == elementType(from),
                     "(C3) values must have the operand's element type", from, getValues().getType());
}

LogicalResult SearchsortedOp::verify() {
  Type sequence = getSequence().getType(), values = getValues().getType();
  ArrayRef<int64_t> of = shapeOf(sequence), shape = shapeOf(values);
  if (of.empty() || of.size() > shape.size() + 1 || !agree(of.drop_back(), shape.take_front(of.size() - 1)))
    return verifyTypes(*this, false, "(C1) the sequence must be [batch.., n] and values [batch.., s..]", sequence,
                       values);
  if (elementType(sequence) != elementType(values))
    return verifyTypes(*this, false, "(C2) values must have the sequence's element type", sequence, values);
  return verifyTypes(*this, agreeInShape(values, getType()), "(C3) the result must have the values' shape", values,
                     getType());
}
