// Rules of slices, pads and shapes of run time.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "IndexSpace.h"
#include "Rules.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::interp;

/// starts[d] + index[d] * strides[d] for each dimension.
static SmallVector<int64_t> placeOf(ArrayRef<int64_t> index, ArrayRef<int64_t> starts, ArrayRef<int64_t> strides) {
  SmallVector<int64_t> place;
  for (auto [i, start, stride] : llvm::zip(index, starts, strides))
    place.push_back(start + i * stride);
  return place;
}

/// Fails with an error at `op` unless `part` elements from the starts on, with strides, are within `whole`.
static LogicalResult checkRange(Operation *op, ArrayRef<int64_t> whole, ArrayRef<int64_t> part,
                                ArrayRef<int64_t> starts, ArrayRef<int64_t> strides) {
  for (auto [d, n, size, start, stride] : llvm::enumerate(whole, part, starts, strides))
    if (start < 0 || size < 0 || start > n || (size > 0 && start + (size - 1) * stride >= n))
      return op->emitOpError("component ") << d << " of the start is " << start << ": " << size
                                           << " elements from there are not within the " << n << " of the dimension";
  return success();
}

/// The elements of `from` in a range, and the result with elements of `update` there.
static Tensor readRange(const Tensor &from, ArrayRef<int64_t> shape, ArrayRef<int64_t> starts,
                        ArrayRef<int64_t> strides) {
  Tensor result(from.getKind(), shape);
  forEachIndex(shape, [&](ArrayRef<int64_t> at, int64_t i) {
    result.copyElements(i, from, positionOf(placeOf(at, starts, strides), from.getShape()), 1);
  });
  return result;
}
static Tensor writeRange(Tensor to, const Tensor &update, ArrayRef<int64_t> starts, ArrayRef<int64_t> strides) {
  SmallVector<int64_t> shape(to.getShape());
  forEachIndex(update.getShape(), [&](ArrayRef<int64_t> at, int64_t i) {
    to.copyElements(positionOf(placeOf(at, starts, strides), shape), update, i, 1);
  });
  return to;
}

static LogicalResult evaluateSlice(df::SliceOp op, Frame &frame) {
  const Tensor &from = frame.tensor(op.getOperand());
  // All up to the end is nothing after the end.
  SmallVector<int64_t> shape, starts(op.getStarts()), strides;
  for (auto [d, n, size] : llvm::enumerate(from.getShape(), op.getSizes())) {
    strides.push_back(op.getStride(d));
    shape.push_back(size >= 0 ? size : std::max<int64_t>(0, (n - starts[d] + strides[d] - 1) / strides[d]));
    starts[d] = size < 0 ? std::min<int64_t>(n, starts[d]) : starts[d];
  }
  if (failed(checkRange(op, from.getShape(), shape, starts, strides)))
    return failure();
  return frame.set(op.getResult(), readRange(from, shape, starts, strides));
}

static LogicalResult evaluateUpdateSlice(df::UpdateSliceOp op, Frame &frame) {
  const Tensor &to = frame.tensor(op.getOperand()), &update = frame.tensor(op.getUpdate());
  SmallVector<int64_t> starts(op.getStarts());
  for (auto [n, start, size] : llvm::zip(to.getShape(), starts, update.getShape()))
    start = size == 0 ? std::min<int64_t>(n, start) : start;
  if (failed(checkRange(op, to.getShape(), update.getShape(), starts, op.getStrides())))
    return failure();
  return frame.set(op.getResult(), writeRange(to, update, starts, op.getStrides()));
}

static LogicalResult evaluateDynamicSlice(df::DynamicSliceOp op, Frame &frame) {
  const Tensor &from = frame.tensor(op.getOperand());
  SmallVector<int64_t> shape(op.getLike() ? frame.tensor(op.getLike()).getShape() : op.getType().getShape()),
      starts = llvm::to_vector(frame.tensor(op.getStarts()).to<int64_t>()), strides(shape.size(), 1);
  if (failed(checkRange(op, from.getShape(), shape, starts, strides)))
    return failure();
  return frame.set(op.getResult(), readRange(from, shape, starts, strides));
}

static LogicalResult evaluateDynamicUpdateSlice(df::DynamicUpdateSliceOp op, Frame &frame) {
  const Tensor &to = frame.tensor(op.getOperand()), &update = frame.tensor(op.getUpdate());
  SmallVector<int64_t> starts = llvm::to_vector(frame.tensor(op.getStarts()).to<int64_t>()), strides(starts.size(), 1);
  if (failed(checkRange(op, to.getShape(), update.getShape(), starts, strides)))
    return failure();
  return frame.set(op.getResult(), writeRange(to, update, starts, strides));
}

/// A tensor of `shape` with element 0 of `value` everywhere.
static Tensor filledWith(const Tensor &value, ArrayRef<int64_t> shape) {
  Tensor result(value.getKind(), shape);
  for (int64_t i = 0, n = result.getNumElements(); i < n; ++i)
    result.copyElements(i, value, 0, 1);
  return result;
}

static LogicalResult evaluatePad(df::PadOp op, Frame &frame) {
  const Tensor &from = frame.tensor(op.getOperand());
  SmallVector<int64_t> shape, strides;
  for (auto [d, n, low, high] : llvm::enumerate(from.getShape(), op.getLow(), op.getHigh())) {
    shape.push_back(low + n + std::max<int64_t>(n - 1, 0) * op.getGap(d) + high);
    strides.push_back(op.getGap(d) + 1);
  }
  Tensor padded = op.getValue() ? filledWith(frame.tensor(op.getValue()), shape) : Tensor(from.getKind(), shape);
  return frame.set(op.getResult(), writeRange(std::move(padded), from, op.getLow(), strides));
}

static LogicalResult evaluateReverse(df::ReverseOp op, Frame &frame) {
  const Tensor &from = frame.tensor(op.getOperand());
  Tensor result(from.getKind(), from.getShape());
  forEachIndex(from.getShape(), [&](ArrayRef<int64_t> at, int64_t i) {
    SmallVector<int64_t> place(at);
    for (int64_t d : op.getAxes())
      place[d] = from.getDimSize(d) - 1 - at[d];
    result.copyElements(i, from, positionOf(place, from.getShape()), 1);
  });
  return frame.set(op.getResult(), std::move(result));
}

static LogicalResult evaluateIota(df::IotaOp op, Frame &frame) {
  auto type = op.getType();
  Tensor result(*elementKindOf(type.getElementType()),
                op.getLike() ? frame.tensor(op.getLike()).getShape() : type.getShape());
  forEachIndex(result.getShape(), [&](ArrayRef<int64_t> at, int64_t i) {
    int64_t value = at[op.getAxis()];
    if (isFloatKind(result.getKind()))
      result.setFloat(i, static_cast<double>(value));
    else
      result.setInteger(i, value);
  });
  return frame.set(op.getResult(), std::move(result));
}

static LogicalResult evaluateDynamicBroadcast(df::DynamicBroadcastOp op, Frame &frame) {
  const Tensor &from = frame.tensor(op.getOperand());
  SmallVector<int64_t> shape = llvm::to_vector(frame.tensor(op.getShape()).to<int64_t>());
  for (auto [d, size, expected] : llvm::enumerate(shape, op.getType().getShape()))
    if (size < 0 || (!ShapedType::isDynamic(expected) && size != expected))
      return op.emitOpError("size ") << size << " of dimension " << d << " is not one of " << op.getType();
  for (auto [i, d] : llvm::enumerate(op.getDimensions()))
    if (from.getDimSize(i) != 1 && from.getDimSize(i) != shape[d])
      return op.emitOpError("dimension ")
             << i << " of the operand is " << from.getDimSize(i) << ", the result's " << shape[d];
  // More than an interpreter should ever hold.
  constexpr int64_t kMostElements = int64_t(1) << 32;
  int64_t elements = 1;
  for (int64_t size : shape)
    if (llvm::MulOverflow(elements, size, elements))
      elements = std::numeric_limits<int64_t>::max();
  if (elements > kMostElements && !llvm::is_contained(shape, 0))
    return op.emitOpError("the shape [") << ArrayRef(shape) << "] has more elements than memory could hold";
  Tensor result(from.getKind(), shape);
  forEachIndex(shape, [&](ArrayRef<int64_t> at, int64_t i) {
    SmallVector<int64_t> place;
    for (auto [f, d] : llvm::enumerate(op.getDimensions()))
      place.push_back(from.getDimSize(f) == 1 ? 0 : at[d]);
    result.copyElements(i, from, positionOf(place, from.getShape()), 1);
  });
  return frame.set(op.getResult(), std::move(result));
}

static LogicalResult evaluateDynamicReshape(df::DynamicReshapeOp op, Frame &frame) {
  const Tensor &from = frame.tensor(op.getOperand());
  SmallVector<int64_t> shape = llvm::to_vector(frame.tensor(op.getShape()).to<int64_t>());
  int64_t known = 1, open = -1;
  bool isBeyond = false;
  for (auto [d, size] : llvm::enumerate(shape)) {
    if (size < -1 || (size == -1 && open >= 0))
      return op.emitOpError("size ") << size << " of dimension " << d << " must be >= 0, or -1 once";
    if (size == -1)
      open = static_cast<int64_t>(d);
    else
      isBeyond |= llvm::MulOverflow(known, size, known) != 0;
  }
  isBeyond &= !llvm::is_contained(shape, 0);
  if (llvm::is_contained(shape, 0))
    known = 0;
  int64_t elements = from.getNumElements();
  if (open >= 0)
    shape[open] = known ? elements / known : 0;
  if (isBeyond || (open >= 0 ? known == 0 || elements % known != 0 : elements != known))
    return op.emitOpError("the shape does not hold the ") << elements << " elements of the operand";
  for (auto [d, size, expected] : llvm::enumerate(shape, op.getType().getShape()))
    if (!ShapedType::isDynamic(expected) && size != expected)
      return op.emitOpError("size ") << size << " of dimension " << d << " is not one of " << op.getType();
  return frame.set(op.getResult(), from.reshaped(shape));
}

void mlc::interp::addLayoutRules(RuleTable &table) {
  table.add<df::SliceOp>(evaluateSlice);
  table.add<df::UpdateSliceOp>(evaluateUpdateSlice);
  table.add<df::DynamicSliceOp>(evaluateDynamicSlice);
  table.add<df::DynamicUpdateSliceOp>(evaluateDynamicUpdateSlice);
  table.add<df::PadOp>(evaluatePad);
  table.add<df::ReverseOp>(evaluateReverse);
  table.add<df::IotaOp>(evaluateIota);
  table.add<df::ShapeOp>([](df::ShapeOp op, Frame &frame) {
    ArrayRef<int64_t> shape = frame.tensor(op.getOperand()).getShape();
    return frame.set(op.getResult(), Tensor::ofIntegers(ElementKind::I64, {static_cast<int64_t>(shape.size())}, shape));
  });
  table.add<df::DynamicBroadcastOp>(evaluateDynamicBroadcast);
  table.add<df::DynamicReshapeOp>(evaluateDynamicReshape);
}
