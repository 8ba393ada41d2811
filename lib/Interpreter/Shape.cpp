// Rules of constants, broadcasts and shape ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Rules.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfVerify.h"
#include "mlc/Interpreter/Constants.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

/// Distance in elements between neighbours along each dimension, row-major.
static SmallVector<int64_t> stridesOf(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t d = shape.size(); d-- > 1;)
    strides[d - 1] = strides[d] * shape[d];
  return strides;
}

/// A tensor of `shape` whose element at (i, j, ...) is element i * strides[0] + j * strides[1] + ... of `from`.
static Tensor readStrided(const Tensor &from, ArrayRef<int64_t> shape, ArrayRef<int64_t> strides) {
  Tensor result(from.getKind(), shape);
  SmallVector<int64_t> index(shape.size(), 0);
  for (int64_t i = 0, n = result.getNumElements(), source = 0; i < n; ++i) {
    result.copyElements(i, from, source, 1);
    for (size_t d = shape.size(); d-- > 0;) {
      source += strides[d];
      if (++index[d] < shape[d])
        break;
      source -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
  return result;
}

static LogicalResult evaluateBroadcast(df::BroadcastOp op, Frame &frame) {
  const Tensor &from = frame.tensor(op.getOperand());
  ArrayRef<int64_t> shape =
      op.getLike() ? frame.tensor(op.getLike()).getShape() : cast<RankedTensorType>(op.getType()).getShape();
  SmallVector<int64_t> own = stridesOf(from.getShape()), strides(shape.size(), 0);
  for (auto [i, dimension] : llvm::enumerate(op.getDimensions())) {
    if (from.getDimSize(i) == 1)
      continue;
    if (from.getDimSize(i) != shape[dimension])
      return op.emitOpError("dimension ")
             << i << " of the operand is " << from.getDimSize(i) << ", the result's " << shape[dimension];
    strides[dimension] = own[i];
  }
  return frame.set(op.getResult(), readStrided(from, shape, strides));
}

static LogicalResult evaluateReshape(df::ReshapeOp op, Frame &frame) {
  const Tensor &from = frame.tensor(op.getOperand());
  auto fromType = cast<RankedTensorType>(op.getOperand().getType()), type = cast<RankedTensorType>(op.getType());
  SmallVector<int64_t> shape(type.getShape());
  if (df::differInUnits(fromType.getShape(), type.getShape())) {
    int64_t next = 0;
    for (int64_t &size : shape) {
      if (size == 1)
        continue;
      while (fromType.getDimSize(next) == 1)
        ++next;
      size = from.getDimSize(next++);
    }
    return frame.set(op.getResult(), from.reshaped(shape));
  }
  int64_t known = 1, knownOfOperand = 1;
  for (int64_t size : shape)
    known *= ShapedType::isDynamic(size) ? 1 : size;
  for (auto [d, size] : llvm::enumerate(fromType.getShape()))
    knownOfOperand *= ShapedType::isDynamic(size) ? 1 : size;
  for (int64_t &size : shape) {
    if (!ShapedType::isDynamic(size))
      continue;
    for (auto [d, operandSize] : llvm::enumerate(fromType.getShape()))
      if (ShapedType::isDynamic(operandSize))
        size = from.getDimSize(d);
    // Equal products, 0 among them, leave the dynamic dimension as it is.
    if (known == knownOfOperand)
      continue;
    if (from.getNumElements() % known != 0)
      return op.emitOpError("the operand has ")
             << from.getNumElements() << " elements, which rows of " << known << " cannot hold";
    size = from.getNumElements() / known;
  }
  return frame.set(op.getResult(), from.reshaped(shape));
}

static LogicalResult evaluateTranspose(df::TransposeOp op, Frame &frame) {
  const Tensor &from = frame.tensor(op.getOperand());
  SmallVector<int64_t> own = stridesOf(from.getShape()), shape, strides;
  for (int64_t dimension : op.getPermutation()) {
    shape.push_back(from.getDimSize(dimension));
    strides.push_back(own[dimension]);
  }
  return frame.set(op.getResult(), readStrided(from, shape, strides));
}

/// Copies all slices of `axis` of `from` to `start` on; the other dimensions agree.
static void copyRange(Tensor &to, int64_t start, const Tensor &from, int64_t axis) {
  int64_t outer = 1, inner = 1;
  for (int64_t d = 0; d < axis; ++d)
    outer *= to.getDimSize(d);
  for (int64_t d = axis + 1; d < to.getRank(); ++d)
    inner *= to.getDimSize(d);
  for (int64_t i = 0; i < outer; ++i)
    to.copyElements((i * to.getDimSize(axis) + start) * inner, from, i * from.getDimSize(axis) * inner,
                    from.getDimSize(axis) * inner);
}

static LogicalResult evaluateConcat(df::ConcatOp op, Frame &frame) {
  int64_t axis = op.getAxis();
  const Tensor &first = frame.tensor(op.getOperands().front());
  SmallVector<int64_t> shape(first.getShape());
  shape[axis] = 0;
  for (auto [i, operand] : llvm::enumerate(op.getOperands())) {
    const Tensor &part = frame.tensor(operand);
    for (int64_t d = 0; d < part.getRank(); ++d)
      if (d != axis && part.getDimSize(d) != shape[d])
        return op.emitOpError("dimension ")
               << d << " of operand " << i << " is " << part.getDimSize(d) << ", the first operand's " << shape[d];
    shape[axis] += part.getDimSize(axis);
  }
  Tensor result(first.getKind(), shape);
  int64_t start = 0;
  for (Value operand : op.getOperands()) {
    const Tensor &part = frame.tensor(operand);
    copyRange(result, start, part, axis);
    start += part.getDimSize(axis);
  }
  return frame.set(op.getResult(), std::move(result));
}

void mlc::interp::addShapeRules(RuleTable &table) {
  table.add<df::ConstantOp>([](df::ConstantOp op, Frame &frame) -> LogicalResult {
    FailureOr<Tensor> value = tensorOf(op.getValue());
    if (failed(value))
      return op.emitOpError("cannot be evaluated: elements are neither dense nor a splat");
    return frame.set(op.getResult(), std::move(*value));
  });
  table.add<df::BroadcastOp>(evaluateBroadcast);
  table.add<df::ReshapeOp>(evaluateReshape);
  // That the value has the result's type is checked when it is set.
  table.add<df::CastShapeOp>(
      [](df::CastShapeOp op, Frame &frame) { return frame.set(op.getResult(), frame.get(op.getOperand())); });
  table.add<df::TransposeOp>(evaluateTranspose);
  table.add<df::ConcatOp>(evaluateConcat);
  table.add<df::SizeOp>([](df::SizeOp op, Frame &frame) {
    int64_t size = 1;
    for (int64_t d : op.getDimensions())
      size *= frame.tensor(op.getOperand()).getDimSize(d);
    return frame.set(op.getResult(), Tensor::scalar(size));
  });
}
