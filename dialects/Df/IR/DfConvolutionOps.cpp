// Verifiers of convolutions and pooling.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfConvolutionOps.h"
#include "dialects/Df/IR/DfWindow.h"

using namespace mlir;
using namespace mlc::df;

/// (C2): the attributes that move a window of `rank` dimensions.
template <typename Op> static LogicalResult verifyMotion(Op op, size_t rank) {
  auto fits = [&](ArrayRef<int64_t> list, size_t count, int64_t least) {
    return list.empty() || (list.size() == count && llvm::all_of(list, [&](int64_t v) { return v >= least; }));
  };
  if (!fits(op.getStrides(), rank, 1))
    return op.emitOpError("(C2) strides must be ") << rank << " numbers >= 1; found [" << op.getStrides() << "]";
  if (!fits(op.getDilations(), rank, 1))
    return op.emitOpError("(C2) dilations must be ") << rank << " numbers >= 1; found [" << op.getDilations() << "]";
  if (!fits(op.getPadding(), 2 * rank, 0))
    return op.emitOpError("(C2) padding must be ") << 2 * rank << " numbers >= 0; found [" << op.getPadding() << "]";
  return success();
}

/// The result's sizes: `constraint` where they are not those of the window over the image.
static LogicalResult verifySizes(Operation *op, const Window &window, Type image, Type output, StringRef constraint) {
  ArrayRef<int64_t> from = spatialShape(image), to = spatialShape(output);
  for (int64_t d = 0; d < window.rank(); ++d) {
    if (ShapedType::isDynamic(from[d])) {
      if (!ShapedType::isDynamic(to[d]))
        return op->emitOpError() << constraint << " spatial dimension " << d << " must be dynamic in " << output
                                 << " as in " << image;
      continue;
    }
    int64_t expected = window.outputSize(d, from[d]);
    if (to[d] != expected)
      return op->emitOpError() << constraint << " the window has " << expected << " positions along spatial dimension "
                               << d << "; found " << image << " and " << output;
  }
  return success();
}

/// The constraints that the three convolutions share.
template <typename Op> static LogicalResult verifyConvolution(Op op, Type image, Type filter, Type output) {
  ArrayRef<int64_t> x = shapeOf(image), w = shapeOf(filter), y = shapeOf(output);
  bool c1 = x.size() >= 3 && x.size() <= 5 && w.size() == x.size() && y.size() == x.size() &&
            !ShapedType::isDynamicShape(w) && !ShapedType::isDynamic(x.back()) && !ShapedType::isDynamic(y.back());
  c1 = c1 && llvm::all_of(w.drop_back(2), [](int64_t k) { return k >= 1; });
  Type element = elementType(image);
  c1 = c1 && element == elementType(filter) && element == elementType(output);
  if (!c1)
    return op.emitOpError(
               "(C1) needs an image [n, s.., c], a static filter [k.., c / groups, o] with windows and an "
               "output [n, p.., o] of 1 to 3 spatial dimensions, static channels and one element type; found ")
           << image << ", " << filter << " and " << output;
  if (failed(verifyMotion(op, w.size() - 2)))
    return failure();
  int64_t groups = op.getGroups(), in = w[w.size() - 2], out = w.back();
  if (groups < 1 || in * groups != x.back() || out % groups != 0 || out != y.back())
    return op.emitOpError("(C3) ") << groups << " groups do not cut the channels of " << image << ", " << filter
                                   << " and " << output;
  if (!agree(x[0], y[0]))
    return verifyTypes(op, false, "(C4) rows must agree", image, output);
  return verifySizes(op, windowOf(op), image, output, "(C4)");
}

/// (C5): what tells the sizes of a result that the formula cannot.
template <typename Op> static LogicalResult verifyLike(Op op) {
  if (op.getLike())
    return verifyTypes(op, fits(op, op.getLike(), op.getType()), "(C5) 'like' must have the result's type",
                       op.getLike().getType(), op.getType());
  if (ShapedType::isDynamicShape(spatialShape(op.getResult())))
    return op.emitOpError("(C5) a dynamic spatial dimension needs 'like'; found ") << op.getType();
  return success();
}

LogicalResult ConvOp::verify() {
  return verifyConvolution(*this, getImage().getType(), getFilter().getType(), getResult().getType());
}
LogicalResult ConvTransposeOp::verify() {
  if (failed(verifyConvolution(*this, getResult().getType(), getFilter().getType(), getOutput().getType())))
    return failure();
  return verifyLike(*this);
}
LogicalResult ConvFilterGradientOp::verify() {
  return verifyConvolution(*this, getImage().getType(), getResult().getType(), getOutput().getType());
}

/// The constraints that the pooling ops share. `sameElement`: whether elements of both sides are alike.
template <typename Op> static LogicalResult verifyPool(Op op, Type image, Type output, bool sameElement = true) {
  ArrayRef<int64_t> x = shapeOf(image), y = shapeOf(output);
  bool c1 = x.size() >= 3 && x.size() <= 5 && y.size() == x.size() && agree(x[0], y[0]) && agree(x.back(), y.back());
  c1 = c1 && (!sameElement || elementType(image) == elementType(output));
  if (!c1)
    return op.emitOpError("(C1) needs [n, s.., c] and [n, p.., c] of 1 to 3 spatial dimensions that agree in n, c and "
                          "the element type; found ")
           << image << " and " << output;
  ArrayRef<int64_t> window = op.getWindow();
  if (window.size() != x.size() - 2 || llvm::any_of(window, [](int64_t v) { return v < 1; }))
    return op.emitOpError("(C2) window must be ") << x.size() - 2 << " numbers >= 1; found [" << window << "]";
  if (failed(verifyMotion(op, window.size())))
    return failure();
  return verifySizes(op, poolWindowOf(op), image, output, "(C3)");
}

/// (C4) of the ops that are told positions. How many windows there are follows from the image, or nobody knows it.
template <typename Op> static LogicalResult verifyPositions(Op op, Value output) {
  Type positions = op.getPositions().getType(), windows = output.getType();
  bool ok = agreeInShape(positions, windows) && spatialShape(positions) == spatialShape(windows);
  return verifyTypes(op, ok, "(C4) positions must have one number for each window", positions, windows);
}

LogicalResult MaxPoolOp::verify() { return verifyPool(*this, getOperand().getType(), getResult().getType()); }
LogicalResult MaxPoolPositionsOp::verify() {
  return verifyPool(*this, getOperand().getType(), getResult().getType(), false);
}
LogicalResult PoolSelectOp::verify() {
  if (failed(verifyPool(*this, getOperand().getType(), getResult().getType())))
    return failure();
  return verifyPositions(*this, getResult());
}
LogicalResult PoolScatterOp::verify() {
  if (failed(verifyPool(*this, getResult().getType(), getOutput().getType())) ||
      failed(verifyPositions(*this, getOutput())))
    return failure();
  return verifyLike(*this);
}

template <typename Op> static LogicalResult verifyMeanPool(Op op, Type image, Type output) {
  if (failed(verifyPool(op, image, output)))
    return failure();
  if (ShapedType::isDynamic(shapeOf(output).back()))
    return op.emitOpError("(C4) channels must be static; found ") << output;
  return success();
}
LogicalResult AvgPoolOp::verify() { return verifyMeanPool(*this, getOperand().getType(), getType()); }
LogicalResult LpPoolOp::verify() {
  if (failed(verifyMeanPool(*this, getOperand().getType(), getType())))
    return failure();
  if (!(getP().convertToDouble() >= 1))
    return emitOpError("(C5) p must be at least 1; found ") << getP().convertToDouble();
  return success();
}

/// `type` with channels last, where it has them; else as it is, for the verifier to refuse.
static Type toChannelsLast(Type type) {
  auto rank = static_cast<int64_t>(shapeOf(type).size());
  return rank < 2 ? type : Type(permuted(type, channelsLast(rank)));
}

LogicalResult ConvChannelsFirstOp::verify() {
  return verifyConvolution(*this, toChannelsLast(getImage().getType()), getFilter().getType(),
                           toChannelsLast(getType()));
}
LogicalResult MaxPoolChannelsFirstOp::verify() {
  return verifyPool(*this, toChannelsLast(getOperand().getType()), toChannelsLast(getType()));
}
LogicalResult AvgPoolChannelsFirstOp::verify() {
  return verifyMeanPool(*this, toChannelsLast(getOperand().getType()), toChannelsLast(getType()));
}

//===-- dimensions ------------------------------------------------------------------------===//

/// Of an image, channels last, and the positions of a window on it: spatial sizes stay where it moves by one and its
/// padding makes up for what it spans. Channels are those of the image, with `channels`.
static void mapWindows(Value image, const Window &window, Value positions, bool channels, DimensionMapping &map) {
  map.rows(image, positions);
  for (int64_t s = 0; s < window.rank(); ++s)
    if (window.strides[s] == 1 && window.low[s] + window.high[s] == window.extent(s) - 1)
      map.same(image, s + 1, positions, s + 1);
  if (channels)
    map.same(image, window.rank() + 1, positions, window.rank() + 1);
}

void ConvOp::mapDimensions(DimensionMapping &map) {
  mapWindows(getImage(), windowOf(*this), getResult(), /*channels=*/false, map);
}
template <typename Op> static void mapPool(Op op, DimensionMapping &map) {
  mapWindows(op.getOperand(), poolWindowOf(op), op.getResult(), /*channels=*/true, map);
}
void MaxPoolOp::mapDimensions(DimensionMapping &map) { mapPool(*this, map); }
void MaxPoolPositionsOp::mapDimensions(DimensionMapping &map) { mapPool(*this, map); }
void AvgPoolOp::mapDimensions(DimensionMapping &map) { mapPool(*this, map); }
void LpPoolOp::mapDimensions(DimensionMapping &map) { mapPool(*this, map); }

void PoolSelectOp::mapDimensions(DimensionMapping &map) {
  int64_t channels = rankOf(getOperand()) - 1;
  map.all(getPositions(), getResult());
  map.rows(getPositions(), getOperand());
  map.same(getPositions(), channels, getOperand(), channels);
}
void PoolScatterOp::mapDimensions(DimensionMapping &map) {
  int64_t channels = rankOf(getOutput()) - 1;
  map.all(getLike(), getResult());
  map.rows(getResult(), getOutput());
  map.same(getResult(), channels, getOutput(), channels);
  map.all(getOutput(), getPositions());
}
void ConvTransposeOp::mapDimensions(DimensionMapping &map) {
  map.all(getLike(), getResult());
  map.rows(getResult(), getOutput());
}

// Images with channels first: [n, c, s..].
template <typename Op> static void mapPoolChannelsFirst(Op op, DimensionMapping &map) {
  map.rows(op.getOperand(), op.getResult());
  map.same(op.getOperand(), 1, op.getResult(), 1);
}
void ConvChannelsFirstOp::mapDimensions(DimensionMapping &map) { map.rows(getImage(), getResult()); }
void MaxPoolChannelsFirstOp::mapDimensions(DimensionMapping &map) { mapPoolChannelsFirst(*this, map); }
void AvgPoolChannelsFirstOp::mapDimensions(DimensionMapping &map) { mapPoolChannelsFirst(*this, map); }
