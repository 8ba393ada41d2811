// What the conversions of convolutions and pooling share.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Windows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <numeric>

using namespace mlir;
using namespace mlc;

OpFoldResult mlc::dimOf(OpBuilder &b, Location loc, Value tensor, int64_t d) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(d))
    return b.getIndexAttr(type.getDimSize(d));
  return Value(tensor::DimOp::create(b, loc, tensor, d));
}

/// x + c.
static OpFoldResult plus(OpBuilder &b, Location loc, OpFoldResult x, int64_t c) {
  if (auto k = getConstantIntValue(x))
    return b.getIndexAttr(*k + c);
  if (c == 0)
    return x;
  return Value(arith::AddIOp::create(b, loc, cast<Value>(x), arith::ConstantIndexOp::create(b, loc, c)));
}

Value mlc::emptyOf(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> sizes, Type element) {
  return tensor::EmptyOp::create(b, loc, sizes, element);
}

Value mlc::zerosOf(OpBuilder &b, Location loc, ArrayRef<OpFoldResult> sizes, Type element) {
  return filled(b, loc, emptyOf(b, loc, sizes, element), cast<TypedAttr>(b.getZeroAttr(element)));
}

/// Positions of the window along dimension `d` over `in` elements: df::Window::outputSize.
static OpFoldResult outputSize(OpBuilder &b, Location loc, const df::Window &window, int64_t d, OpFoldResult in) {
  if (auto k = getConstantIntValue(in))
    return b.getIndexAttr(window.outputSize(d, *k));
  int64_t more = window.low[d] + window.high[d] - window.extent(d) + window.strides[d];
  auto room = cast<Value>(plus(b, loc, in, more));
  if (more < 0)
    room = arith::MaxSIOp::create(b, loc, room, arith::ConstantIndexOp::create(b, loc, 0));
  if (window.strides[d] == 1)
    return room;
  return Value(arith::DivUIOp::create(b, loc, room, arith::ConstantIndexOp::create(b, loc, window.strides[d])));
}

SmallVector<OpFoldResult> mlc::outputSizes(OpBuilder &b, Location loc, const df::Window &window, Value image,
                                           int64_t channels) {
  SmallVector<OpFoldResult> sizes = {dimOf(b, loc, image, 0)};
  for (int64_t d = 0; d < window.rank(); ++d)
    sizes.push_back(outputSize(b, loc, window, d, dimOf(b, loc, image, d + 1)));
  sizes.push_back(ShapedType::isDynamic(channels) ? dimOf(b, loc, image, window.rank() + 1)
                                                  : OpFoldResult(b.getIndexAttr(channels)));
  return sizes;
}

/// `x` [n, s.., c] at `offsets` and `strides` of its spatial dimensions in a tensor of `sizes` that holds `value`.
static Value placed(OpBuilder &b, Location loc, Value x, ArrayRef<OpFoldResult> sizes, ArrayRef<int64_t> offsets,
                    ArrayRef<int64_t> strides, TypedAttr value) {
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<OpFoldResult> at(type.getRank(), b.getIndexAttr(0)), steps(type.getRank(), b.getIndexAttr(1)), extents;
  for (int64_t d = 0; d < type.getRank(); ++d)
    extents.push_back(dimOf(b, loc, x, d));
  for (size_t d = 0; d < offsets.size(); ++d) {
    at[d + 1] = b.getIndexAttr(offsets[d]);
    steps[d + 1] = b.getIndexAttr(strides[d]);
  }
  Value around = filled(b, loc, emptyOf(b, loc, sizes, type.getElementType()), value);
  return insertPart(b, loc, x, around, at, extents, steps);
}

Value mlc::paddedImage(OpBuilder &b, Location loc, const df::Window &window, Value image, TypedAttr value) {
  auto isZero = [](int64_t p) { return p == 0; };
  if (llvm::all_of(window.low, isZero) && llvm::all_of(window.high, isZero))
    return image;
  SmallVector<OpFoldResult> sizes = {dimOf(b, loc, image, 0)};
  for (int64_t d = 0; d < window.rank(); ++d)
    sizes.push_back(plus(b, loc, dimOf(b, loc, image, d + 1), window.low[d] + window.high[d]));
  sizes.push_back(dimOf(b, loc, image, window.rank() + 1));
  return placed(b, loc, image, sizes, window.low, SmallVector<int64_t>(window.rank(), 1), value);
}

SpreadOutput mlc::spreadOutput(OpBuilder &b, Location loc, const df::Window &window, Value output,
                               ArrayRef<OpFoldResult> imageSizes, TypedAttr value) {
  SpreadOutput result;
  SmallVector<int64_t> before;
  SmallVector<OpFoldResult> sizes = {dimOf(b, loc, output, 0)};
  bool same = true;
  for (int64_t d = 0; d < window.rank(); ++d) {
    // Position i - k * dilation + low of the output's grid is at least -before, and below image + low. The last output
    // stands at most `high` less what its window reaches after it.
    int64_t reach = window.extent(d) - 1;
    before.push_back(std::max<int64_t>(0, reach - window.low[d]));
    result.offsets.push_back(before.back() + window.low[d]);
    sizes.push_back(
        plus(b, loc, imageSizes[d + 1], before.back() + window.low[d] + std::max<int64_t>(0, window.high[d] - reach)));
    same &= reach == 0 && window.strides[d] == 1;
  }
  sizes.push_back(dimOf(b, loc, output, window.rank() + 1));
  result.value = same ? output : placed(b, loc, output, sizes, before, window.strides, value);
  return result;
}

/// x / d rounded up, x >= 0.
static OpFoldResult dividedUp(OpBuilder &b, Location loc, OpFoldResult x, int64_t d) {
  OpFoldResult sum = plus(b, loc, x, d - 1);
  if (auto k = getConstantIntValue(sum))
    return b.getIndexAttr(*k / d);
  if (d == 1)
    return sum;
  return Value(arith::DivUIOp::create(b, loc, cast<Value>(sum), arith::ConstantIndexOp::create(b, loc, d)));
}

Phases mlc::phasesOf(OpBuilder &b, Location loc, const df::Window &window, Value output,
                     ArrayRef<OpFoldResult> imageSizes, TypedAttr zero) {
  Phases result;
  int64_t rank = window.rank(), total = 1, numReached = 0;
  SmallVector<int64_t> before, ones(rank, 1);
  SmallVector<OpFoldResult> sizes = {dimOf(b, loc, output, 0)};
  for (int64_t d = 0; d < rank; ++d) {
    // Image position i and window position k meet output position (i + low - k * dilation) / stride where that is
    // whole.
    int64_t reach = window.extent(d) - 1, stride = window.strides[d];
    before.push_back(std::max<int64_t>(0, reach - window.low[d]) / stride);
    int64_t behind = window.low[d] + std::max<int64_t>(0, window.high[d] - reach);
    sizes.push_back(plus(b, loc, dividedUp(b, loc, plus(b, loc, imageSizes[d + 1], behind), stride), before.back()));
    total *= stride;
  }
  sizes.push_back(dimOf(b, loc, output, rank + 1));
  result.output = placed(b, loc, output, sizes, before, ones, zero);
  for (int64_t number = 0; number < total; ++number) {
    Phase phase;
    phase.window.low.assign(rank, 0);
    phase.window.high.assign(rank, 0);
    phase.window.strides.assign(rank, 1);
    phase.first.assign(rank, 0);
    for (int64_t d = rank, rest = number; d-- > 0; rest /= window.strides[d])
      phase.first[d] = rest % window.strides[d];
    bool isReached = true;
    for (int64_t d = 0; d < rank && isReached; ++d) {
      int64_t stride = window.strides[d], dilation = window.dilations[d], at = phase.first[d] + window.low[d];
      int64_t step = stride / std::gcd(stride, dilation), first = 0;
      while (first < window.size[d] && (at - first * dilation) % stride != 0)
        ++first;
      isReached = first < window.size[d];
      if (!isReached)
        break;
      phase.filterFirst.push_back(first);
      phase.filterSteps.push_back(step);
      phase.window.size.push_back((window.size[d] - first + step - 1) / step);
      phase.window.dilations.push_back(step * dilation / stride);
      phase.offsets.push_back((at - first * dilation) / stride + before[d]);
      phase.sizes.push_back(dividedUp(b, loc, plus(b, loc, imageSizes[d + 1], -phase.first[d]), stride));
    }
    // A phase of an image that is smaller than the stride may have no position.
    bool isEmpty = llvm::any_of(phase.sizes, [](OpFoldResult size) { return isConstantIntValue(size, 0); });
    numReached += isReached;
    if (isReached && !isEmpty)
      result.phases.push_back(std::move(phase));
  }
  result.areAll = numReached == total;
  return result;
}

void mlc::requireOutputSizes(OpBuilder &b, Operation *op, const df::Window &window, Value image, Value output) {
  Location loc = op->getLoc();
  auto isDynamic = [](Value value, int64_t d) { return cast<RankedTensorType>(value.getType()).isDynamicDim(d); };
  Value fits;
  for (int64_t d = 0; d < window.rank(); ++d) {
    if (!isDynamic(image, d + 1) && !isDynamic(output, d + 1))
      continue;
    OpFoldResult expected = outputSize(b, loc, window, d, dimOf(b, loc, image, d + 1));
    Value same =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, getValueOrCreateConstantIndexOp(b, loc, expected),
                              getValueOrCreateConstantIndexOp(b, loc, dimOf(b, loc, output, d + 1)));
    fits = fits ? Value(arith::AndIOp::create(b, loc, fits, same)) : same;
  }
  if (fits)
    emitRequire(b, op, fits, "the output does not have the sizes of the windows over the image");
}

SmallVector<OpFoldResult> mlc::imageSizes(OpBuilder &b, Operation *op, const df::Window &window, RankedTensorType type,
                                          Value output, Value like) {
  Location loc = op->getLoc();
  if (like)
    requireOutputSizes(b, op, window, like, output);
  SmallVector<OpFoldResult> sizes = {dimOf(b, loc, output, 0)};
  for (int64_t d = 1; d <= window.rank(); ++d)
    sizes.push_back(type.isDynamicDim(d) ? dimOf(b, loc, like, d) : OpFoldResult(b.getIndexAttr(type.getDimSize(d))));
  sizes.push_back(ShapedType::isDynamic(type.getShape().back()) ? dimOf(b, loc, output, window.rank() + 1)
                                                                : OpFoldResult(b.getIndexAttr(type.getShape().back())));
  return sizes;
}

SmallVector<AffineExpr> mlc::imageExprs(MLIRContext *context, const df::Window &window, unsigned position,
                                        unsigned windowLoop) {
  SmallVector<AffineExpr> exprs;
  for (unsigned d = 0; d < static_cast<unsigned>(window.rank()); ++d)
    exprs.push_back(getAffineDimExpr(position + d, context) * window.strides[d] +
                    getAffineDimExpr(windowLoop + d, context) * window.dilations[d]);
  return exprs;
}

SmallVector<AffineExpr> mlc::spreadExprs(MLIRContext *context, const df::Window &window, ArrayRef<int64_t> offsets,
                                         unsigned position, unsigned windowLoop) {
  SmallVector<AffineExpr> exprs;
  for (unsigned d = 0; d < static_cast<unsigned>(window.rank()); ++d)
    exprs.push_back(getAffineDimExpr(position + d, context) -
                    getAffineDimExpr(windowLoop + d, context) * window.dilations[d] + offsets[d]);
  return exprs;
}

SmallVector<AffineExpr> mlc::loops(MLIRContext *context, unsigned first, unsigned count) {
  SmallVector<AffineExpr> exprs;
  for (unsigned i = 0; i < count; ++i)
    exprs.push_back(getAffineDimExpr(first + i, context));
  return exprs;
}
