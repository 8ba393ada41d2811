// Decompositions of what is made of slices, pads, transpositions and positions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Decompose/Decomposition.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfIndexingOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfShapeOps.h"

#include <cmath>

using namespace mlir;

namespace mlc::df {

static RankedTensorType typeOf(Value x) { return cast<RankedTensorType>(x.getType()); }

static Value reshape(ExpressionBuilder &b, Value x, ArrayRef<int64_t> shape) {
  return ReshapeOp::create(b.builder, b.loc, typeOf(x).clone(shape), x);
}

static Value sliceOf(ExpressionBuilder &b, Value x, int64_t axis, int64_t start, int64_t size) {
  return SliceOp::create(b.builder, b.loc, x, axis, start, size);
}

static Value concat(ExpressionBuilder &b, ValueRange parts, int64_t axis) { return b.infer<ConcatOp>(parts, axis); }

/// The elements at `places` of `axis`.
static Value take(ExpressionBuilder &b, Value x, int64_t axis, ArrayRef<int64_t> places) {
  auto size = static_cast<int64_t>(places.size());
  auto type = RankedTensorType::get({size}, b.builder.getI64Type());
  Value indices = ConstantOp::create(b.builder, b.loc, DenseIntElementsAttr::get(type, places));
  return GatherOp::create(b.builder, b.loc, x, indices, ArrayRef<int64_t>{axis}, ArrayRef<int64_t>(),
                          /*skipNegative=*/false);
}

/// Positions along `axis` in the shape of `like`.
static Value positions(ExpressionBuilder &b, Value like, int64_t axis, Type element) {
  RankedTensorType type = typeOf(like).clone(element);
  return IotaOp::create(b.builder, b.loc, type, type.hasStaticShape() ? Value() : like, axis);
}

static LogicalResult decompositionOf(SplitOp op, ExpressionBuilder &b, SmallVectorImpl<Value> &results) {
  auto axis = static_cast<int64_t>(op.getAxis());
  int64_t start = 0;
  for (Type type : op.getResultTypes()) {
    int64_t size = cast<RankedTensorType>(type).getDimSize(axis);
    results.push_back(sliceOf(b, op.getOperand(), axis, start, size));
    start += size;
  }
  return success();
}

static LogicalResult decompositionOf(MeshgridOp op, ExpressionBuilder &b, SmallVectorImpl<Value> &results) {
  // All grids have one type: what each of them knows.
  Type grid = op.getResultTypes()[0];
  for (Type other : op.getResultTypes())
    grid = joinTypes(grid, other);
  auto type = cast<RankedTensorType>(grid);
  auto element = RankedTensorType::get({1}, b.builder.getI64Type());
  Value shape;
  auto dimensionOf = [&](int64_t vector) {
    return op.getIndexing() == GridIndexing::XY && vector < 2 && type.getRank() > 1 ? 1 - vector : vector;
  };
  if (!type.hasStaticShape()) {
    SmallVector<Value> sizes(type.getRank());
    for (auto [j, vector] : llvm::enumerate(op.getOperands()))
      sizes[dimensionOf(static_cast<int64_t>(j))] = ShapeOp::create(b.builder, b.loc, element, vector);
    shape = concat(b, sizes, 0);
  }
  for (auto [j, vector] : llvm::enumerate(op.getOperands())) {
    int64_t dimension = dimensionOf(static_cast<int64_t>(j));
    if (shape)
      results.push_back(
          DynamicBroadcastOp::create(b.builder, b.loc, type, vector, shape, ArrayRef<int64_t>{dimension}));
    else
      results.push_back(BroadcastOp::create(b.builder, b.loc, type, vector, Value(), ArrayRef<int64_t>{dimension}));
  }
  return success();
}

static LogicalResult decompositionOf(UnstackOp op, ExpressionBuilder &b, SmallVectorImpl<Value> &results) {
  RankedTensorType part = withoutAxes(op.getOperand().getType(), static_cast<int64_t>(op.getAxis()));
  for (unsigned k = 0; k < op.getNumResults(); ++k)
    results.push_back(reshape(b, sliceOf(b, op.getOperand(), op.getAxis(), k, 1), part.getShape()));
  return success();
}

static Value decompositionOf(StackOp op, ExpressionBuilder &b) {
  auto axis = static_cast<int64_t>(op.getAxis());
  Type part = withoutAxes(op.getType(), axis);
  for (Value operand : op.getOperands())
    part = joinTypes(part, operand.getType());
  SmallVector<int64_t> shape(cast<RankedTensorType>(part).getShape());
  shape.insert(shape.begin() + axis, 1);
  SmallVector<Value> parts;
  for (Value operand : op.getOperands())
    parts.push_back(reshape(b, b.castShape(operand, part), shape));
  return concat(b, parts, axis);
}

static Value decompositionOf(TileOp op, ExpressionBuilder &b) {
  Value x = op.getOperand();
  for (auto [axis, multiple] : llvm::enumerate(op.getMultiples())) {
    if (multiple == 1)
      continue;
    SmallVector<Value> copies(multiple, x);
    x = concat(b, copies, axis);
  }
  return x;
}

static Value decompositionOf(RollOp op, ExpressionBuilder &b) {
  Value x = op.getOperand();
  auto axis = static_cast<int64_t>(op.getAxis());
  int64_t size = op.getType().getDimSize(axis); // which the operand need not know
  if (size == 0)
    return x;
  int64_t shift = (static_cast<int64_t>(op.getShift()) % size + size) % size;
  if (shift == 0)
    return x;
  return concat(b, {sliceOf(b, x, axis, size - shift, shift), sliceOf(b, x, axis, 0, size - shift)}, axis);
}

Value elementBefore(ExpressionBuilder &b, Value x, int64_t axis) {
  RankedTensorType type = typeOf(x);
  if (!type.isDynamicDim(axis))
    return RollOp::create(b.builder, b.loc, type, x, axis, 1);
  Value place = IotaOp::create(b.builder, b.loc, type.clone(b.builder.getI64Type()), x, axis);
  Value before = b.binary<MaximumOp>(b.sub(place, b.splatLike(place, 1)), b.splatLike(place, 0));
  return b.infer<TakeAlongAxisOp>(x, before, axis);
}

static Value decompositionOf(MirrorPadOp op, ExpressionBuilder &b) {
  auto axis = static_cast<int64_t>(op.getAxis()), low = static_cast<int64_t>(op.getLow());
  int64_t size = typeOf(op.getOperand()).getDimSize(axis), skipped = op.getMode() == PadMode::Reflect ? 0 : 1;
  SmallVector<int64_t> places;
  for (int64_t i = -low; i < size + static_cast<int64_t>(op.getHigh()); ++i) {
    if (op.getMode() == PadMode::Edge)
      places.push_back(std::clamp<int64_t>(i, 0, size - 1));
    else
      places.push_back(i < 0 ? -i - skipped : i < size ? i : 2 * (size - 1) - i + skipped);
  }
  return take(b, op.getOperand(), axis, places);
}

static Value decompositionOf(EyeOp op, ExpressionBuilder &b) {
  RankedTensorType type = op.getType().clone(b.builder.getI64Type());
  auto along = [&](int64_t axis) { return IotaOp::create(b.builder, b.loc, type, Value(), axis).getResult(); };
  int64_t last = type.getRank() - 1;
  Value column = b.sub(along(last), b.splat(type, static_cast<double>(static_cast<int64_t>(op.getOffset()))));
  return b.cast(b.compare(Comparison::EQ, along(last - 1), column), op.getType().getElementType());
}

static Value decompositionOf(BandPartOp op, ExpressionBuilder &b) {
  Value x = op.getOperand(), keeps;
  int64_t last = typeOf(x).getRank() - 1;
  Type i64 = b.builder.getI64Type();
  auto limit = [&](int64_t from, int64_t to, uint64_t distance) {
    if (static_cast<int64_t>(distance) < 0)
      return;
    Value between = b.sub(positions(b, x, to, i64), positions(b, x, from, i64));
    Value within = b.compare(Comparison::LE, between, b.splatLike(between, static_cast<double>(distance)));
    keeps = keeps ? b.binary<LogicalAndOp>(keeps, within) : within;
  };
  limit(last, last - 1, op.getLower());
  limit(last - 1, last, op.getUpper());
  return keeps ? b.select(keeps, x, b.splatLike(x, 0)) : x;
}

/// n zeros between neighbours put element i of n at i * (n + 1), the place of (i, i) in a matrix.
static Value decompositionOf(DiagOp op, ExpressionBuilder &b) {
  Value x = op.getOperand();
  RankedTensorType type = typeOf(x);
  int64_t last = type.getRank() - 1, size = type.getDimSize(last);
  if (size > 1) {
    SmallVector<int64_t> none(type.getRank(), 0), interior = none;
    interior[last] = size;
    x = b.infer<PadOp>(x, Value(), none, none, interior);
  }
  return reshape(b, x, op.getType().getShape());
}

/// Element (i, i) of n * n lies at i * (n + 1).
static Value decompositionOf(DiagPartOp op, ExpressionBuilder &b) {
  SmallVector<int64_t> shape(typeOf(op.getOperand()).getShape().drop_back());
  int64_t last = op.getType().getRank() - 1, size = shape[last];
  shape[last] = size * size;
  Value flat = reshape(b, op.getOperand(), shape);
  SmallVector<int64_t> starts(last + 1, 0), sizes(last + 1, -1), strides(last + 1, 1);
  sizes[last] = size;
  strides[last] = size + 1;
  return b.infer<SliceOp>(flat, starts, sizes, strides);
}

static Value decompositionOf(LinspaceOp op, ExpressionBuilder &b) {
  RankedTensorType type = op.getType();
  int64_t size = type.getDimSize(0);
  auto everywhere = [&](Value x) {
    return BroadcastOp::create(b.builder, b.loc, type, x, Value(), ArrayRef<int64_t>()).getResult();
  };
  Value start = op.getStart(), stop = op.getStop();
  if (size <= 1)
    return everywhere(start);
  Value place = IotaOp::create(b.builder, b.loc, type, Value(), 0);
  Value step = b.div(b.sub(stop, start), b.splatLike(start, static_cast<double>(size - 1)));
  Value isLast = b.compare(Comparison::EQ, place, b.splat(type, static_cast<double>(size - 1)));
  return b.select(isLast, everywhere(stop), b.add(everywhere(start), b.mul(place, everywhere(step))));
}

static Value decompositionOf(RangeOp op, ExpressionBuilder &b) {
  RankedTensorType type = op.getType();
  Type i64 = b.builder.getI64Type();
  auto wide = [&](Value x) { return b.cast(x, b.builder.getF64Type()); };
  Value delta = wide(op.getDelta());
  Value isNone = b.compare(Comparison::EQ, delta, b.splatLike(delta, 0));
  Value distance = b.sub(wide(op.getLimit()), wide(op.getStart()));
  Value steps = b.div(distance, b.select(isNone, b.splatLike(delta, 1), delta));
  Value count = b.binary<MaximumOp>(b.neg(b.unary<FloorOp>(b.neg(steps))), b.splatLike(delta, 0));
  // A shape of -1 fails.
  Value rows = b.cast(b.select(isNone, b.splatLike(delta, -1), count), i64);
  auto vector = [&](int64_t n) { return RankedTensorType::get({n}, i64); };
  Value shape = reshape(b, rows, {1});
  Value like =
      DynamicBroadcastOp::create(b.builder, b.loc, vector(ShapedType::kDynamic), rows, shape, ArrayRef<int64_t>());
  Value place = IotaOp::create(b.builder, b.loc, type, like, 0);
  return b.add(b.broadcast(op.getStart(), place, {}), b.mul(place, b.broadcast(op.getDelta(), place, {})));
}

static Value transpose(ExpressionBuilder &b, Value x, ArrayRef<int64_t> permutation) {
  SmallVector<int64_t> shape;
  for (int64_t d : permutation)
    shape.push_back(typeOf(x).getDimSize(d));
  return b.infer<TransposeOp>(x, permutation);
}

static Value decompositionOf(SpaceToDepthOp op, ExpressionBuilder &b) {
  ArrayRef<int64_t> to = op.getType().getShape();
  auto block = static_cast<int64_t>(op.getBlock());
  int64_t channels = typeOf(op.getOperand()).getDimSize(3);
  Value x = reshape(b, op.getOperand(), {to[0], to[1], block, to[2], block, channels});
  return reshape(b, transpose(b, x, {0, 1, 3, 2, 4, 5}), to);
}

static Value decompositionOf(DepthToSpaceOp op, ExpressionBuilder &b) {
  ArrayRef<int64_t> from = typeOf(op.getOperand()).getShape(), to = op.getType().getShape();
  auto block = static_cast<int64_t>(op.getBlock());
  Value x = reshape(b, op.getOperand(), {from[0], from[1], from[2], block, block, to[3]});
  return reshape(b, transpose(b, x, {0, 1, 3, 2, 4, 5}), to);
}

/// Where position `i` of `to` is among `from`.
static double sourceOf(ResizeOp op, int64_t i, int64_t from, int64_t to) {
  auto position = static_cast<double>(i), ratio = static_cast<double>(from) / static_cast<double>(to);
  if (op.getAlignCorners())
    return to == 1 ? 0 : position * static_cast<double>(from - 1) / static_cast<double>(to - 1);
  return op.getHalfPixel() ? (position + 0.5) * ratio - 0.5 : position * ratio;
}

/// Weights of the elements at floor(x) - 1 to floor(x) + 2 for the fraction f of x.
static std::array<double, 4> cubicWeights(double f) {
  constexpr double a = -0.75;
  auto inner = [](double t) { return ((a + 2) * t - (a + 3)) * t * t + 1; };
  auto outer = [](double t) { return ((a * t - 5 * a) * t + 8 * a) * t - 4 * a; };
  return {outer(f + 1), inner(f), inner(1 - f), outer(2 - f)};
}

/// `x` with `axis` resized to `to`.
static Value resizeAxis(ResizeOp op, ExpressionBuilder &b, Value x, int64_t axis, int64_t to) {
  int64_t from = typeOf(x).getDimSize(axis);
  auto within = [&](double place) {
    return static_cast<int64_t>(std::clamp<double>(place, 0, static_cast<double>(from - 1)));
  };
  SmallVector<double> sources;
  for (int64_t i = 0; i < to; ++i)
    sources.push_back(sourceOf(op, i, from, to));
  if (op.getMode() == Interpolation::Nearest) {
    SmallVector<int64_t> places;
    // Half a pixel further is where the pixel's middle lies, or what rounds to the nearest corner.
    double further = op.getHalfPixel() || op.getAlignCorners() ? 0.5 : 0;
    for (double source : sources)
      places.push_back(within(std::floor(source + further)));
    return take(b, x, axis, places);
  }
  bool isCubic = op.getMode() == Interpolation::Cubic;
  Value sum;
  for (int64_t tap = isCubic ? -1 : 0; tap <= (isCubic ? 2 : 1); ++tap) {
    SmallVector<int64_t> places;
    SmallVector<double> weights;
    for (double source : sources) {
      double fraction = source - std::floor(source);
      places.push_back(within(std::floor(source) + static_cast<double>(tap)));
      weights.push_back(isCubic ? cubicWeights(fraction)[tap + 1] : tap == 0 ? 1 - fraction : fraction);
    }
    Value part = take(b, x, axis, places);
    auto type = RankedTensorType::get({to}, typeOf(x).getElementType());
    SmallVector<Attribute> numbers;
    for (double weight : weights)
      numbers.push_back(b.builder.getFloatAttr(type.getElementType(), weight));
    Value weight = ConstantOp::create(b.builder, b.loc, DenseElementsAttr::get(type, numbers));
    Value weighed = b.mul(part, b.broadcast(weight, part, {axis}));
    sum = sum ? b.add(sum, weighed) : weighed;
  }
  return sum;
}

static Value decompositionOf(ResizeOp op, ExpressionBuilder &b) {
  Value x = op.getOperand();
  for (int64_t axis = 1; axis + 1 < op.getType().getRank(); ++axis)
    if (int64_t to = op.getType().getDimSize(axis); to != typeOf(x).getDimSize(axis))
      x = resizeAxis(op, b, x, axis, to);
  return x;
}

static Value decompositionOf(SequenceMaskOp op, ExpressionBuilder &b) {
  Value lengths = op.getLengths();
  RankedTensorType type = op.getType().clone(b.builder.getI64Type());
  int64_t last = type.getRank() - 1, size = type.getDimSize(last);
  Value like;
  if (!type.hasStaticShape()) {
    // Padded or cut to the result's width the lengths have its shape, whatever they are.
    SmallVector<int64_t> shape(typeOf(lengths).getShape());
    shape.push_back(1);
    like = PadOp::create(b.builder, b.loc, reshape(b, lengths, shape), last, 0, std::max<int64_t>(size - 1, 0));
    if (size == 0)
      like = sliceOf(b, like, last, 0, 0);
  }
  SmallVector<int64_t> dimensions = keptDimensions(last + 1, {last});
  Value position = IotaOp::create(b.builder, b.loc, type, like, last);
  Value length = BroadcastOp::create(b.builder, b.loc, type, lengths, like, dimensions);
  return b.compare(Comparison::LT, position, length);
}

void attachLayoutDecompositions(MLIRContext *context) {
  attachDecompositions<SplitOp, MeshgridOp, UnstackOp, StackOp, TileOp, RollOp, MirrorPadOp, EyeOp, BandPartOp, DiagOp,
                       DiagPartOp, LinspaceOp, RangeOp, SpaceToDepthOp, DepthToSpaceOp, ResizeOp, SequenceMaskOp>(
      context);
}

} // namespace mlc::df
