// Type rules and verifiers of convolutions and pooling.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfConvolutionOps.h"
#include "dialects/Df/IR/DfVerify.h"
#include "dialects/Df/IR/DfWindow.h"

#include <algorithm>

using namespace mlir;
using namespace mlc::df;

/// (C2): the attributes that move a window of `rank` dimensions.
template <typename Op> static LogicalResult requireMotion(const TypeInference &infer, Op op, size_t rank) {
  auto isList = [&](ArrayRef<int64_t> list, size_t count, int64_t least) {
    return list.empty() || (list.size() == count && llvm::all_of(list, [&](int64_t v) { return v >= least; }));
  };
  if (!isList(op.getStrides(), rank, 1))
    return infer.error("(C2) strides must be ") << rank << " numbers >= 1; found [" << op.getStrides() << "]";
  if (!isList(op.getDilations(), rank, 1))
    return infer.error("(C2) dilations must be ") << rank << " numbers >= 1; found [" << op.getDilations() << "]";
  if (!isList(op.getPadding(), 2 * rank, 0))
    return infer.error("(C2) padding must be ") << 2 * rank << " numbers >= 0; found [" << op.getPadding() << "]";
  return success();
}

/// The positions of a window on an image [n, s.., c], for each of its rows and channels.
static RankedTensorType positionsOf(const Window &window, Type image) {
  SmallVector<int64_t> shape(shapeOf(image));
  for (int64_t d = 0; d < window.rank(); ++d)
    if (!ShapedType::isDynamic(shape[d + 1]))
      shape[d + 1] = window.outputSize(d, shape[d + 1]);
  return cast<RankedTensorType>(image).clone(shape);
}

/// The form of an image, for messages.
template <typename Op> static StringRef imageForm(Op op) {
  return op.getChannelsFirst() ? "[n, c, s..]" : "[n, s.., c]";
}

/// The output of a convolution: the one rule of the ops that are a convolution's image, filter or output.
template <typename Op>
static FailureOr<RankedTensorType> outputOf(const TypeInference &infer, Op op, Type image, Type filter) {
  RankedTensorType last = toChannelsLast(op, image);
  ArrayRef<int64_t> x = last.getShape(), w = shapeOf(filter);
  bool c1 = x.size() >= 3 && x.size() <= 5 && w.size() == x.size() && !ShapedType::isDynamicShape(w) &&
            !ShapedType::isDynamic(x.back()) && elementType(image) == elementType(filter);
  c1 = c1 && llvm::all_of(w.drop_back(2), [](int64_t k) { return k >= 1; });
  if (!c1)
    return infer.error("(C1) needs an image ")
           << imageForm(op)
           << " and a static filter [k.., c / groups, o] with windows, of 1 to 3 spatial dimensions, static channels "
              "and one element type; found "
           << image << " and " << filter;
  if (failed(requireMotion(infer, op, w.size() - 2)))
    return failure();
  auto groups = static_cast<int64_t>(op.getGroups());
  if (groups < 1 || w[w.size() - 2] * groups != x.back() || w.back() % groups != 0)
    return infer.error("(C3) ") << groups << " groups do not cut the channels of " << image << " and " << filter;
  RankedTensorType positions = positionsOf(windowOf(op, w.drop_back(2)), last);
  SmallVector<int64_t> shape(positions.getShape());
  shape.back() = w.back();
  return fromChannelsLast(op, positions.clone(shape));
}

/// What the pooling ops compute of an image: the one rule of the ops that are an image or an output of pooling.
template <typename Op> static FailureOr<RankedTensorType> pooled(const TypeInference &infer, Op op, Type image) {
  ArrayRef<int64_t> x = shapeOf(image), window = op.getWindow();
  if (x.size() < 3 || x.size() > 5)
    return infer.error("(C1) needs ") << imageForm(op) << " of 1 to 3 spatial dimensions; found " << image;
  if (window.size() != x.size() - 2 || llvm::any_of(window, [](int64_t v) { return v < 1; }))
    return infer.error("(C2) window must be ") << x.size() - 2 << " numbers >= 1; found [" << window << "]";
  if (failed(requireMotion(infer, op, window.size())))
    return failure();
  return fromChannelsLast(op, positionsOf(poolWindowOf(op), toChannelsLast(op, image)));
}

/// Of an op that computes the image or the filter: whether `output`, an operand, is what belongs to them. How many
/// positions a window has follows from the image, or nobody knows it; channels that are mixed follow from the filter.
template <typename Op>
static LogicalResult verifyOutput(Op op, FailureOr<RankedTensorType> expected, Type output, StringRef constraint,
                                  bool isMixed) {
  if (failed(expected))
    return failure();
  if (agree(*expected, output)) {
    RankedTensorType found = toChannelsLast(op, output), wanted = toChannelsLast(op, *expected);
    if (spatialShape(wanted) == spatialShape(found) &&
        (!isMixed || wanted.getShape().back() == found.getShape().back()))
      return success();
  }
  return op.emitOpError() << constraint << " the output must have a position for each place of the window; expected "
                          << *expected << ", found " << output;
}

/// (C5): what tells the sizes of a result that the formula cannot.
template <typename Op> static LogicalResult verifyLike(Op op) {
  if (op.getLike())
    return verifyTypes(op, fits(op, op.getLike(), op.getType()), "(C5) 'like' must have the result's type",
                       op.getLike().getType(), op.getType());
  if (ShapedType::isDynamicShape(spatialShape(toChannelsLast(op, op.getType()))))
    return op.emitOpError("(C5) a dynamic spatial dimension needs 'like'; found ") << op.getType();
  return success();
}

LogicalResult ConvTransposeOp::verify() {
  auto expected = outputOf(TypeInference(*this), *this, getType(), getFilter().getType());
  if (failed(verifyOutput(*this, expected, getOutput().getType(), "(C4)", /*isMixed=*/true)))
    return failure();
  return verifyLike(*this);
}
LogicalResult ConvFilterGradientOp::verify() {
  auto expected = outputOf(TypeInference(*this), *this, getImage().getType(), getType());
  return verifyOutput(*this, expected, getOutput().getType(), "(C4)", /*isMixed=*/true);
}

/// (C4) of the ops that are told positions, one for each window.
template <typename Op>
static LogicalResult requirePositions(const TypeInference &infer, Op op, Type positions, Type windows) {
  bool ok = agreeInShape(positions, windows) &&
            spatialShape(toChannelsLast(op, positions)) == spatialShape(toChannelsLast(op, windows));
  return infer.require(ok, "(C4) positions must have one number for each window", positions, windows);
}
LogicalResult PoolScatterOp::verify() {
  TypeInference infer(*this);
  if (failed(verifyOutput(*this, pooled(infer, *this, getType()), getOutput().getType(), "(C3)", /*isMixed=*/false)) ||
      failed(requirePositions(infer, *this, getPositions().getType(), getOutput().getType())))
    return failure();
  return verifyLike(*this);
}

static constexpr StringLiteral kConvResult = "(C4) the result must have a position for each place of the window";
static constexpr StringLiteral kPoolResult = "(C3) the result must have a position for each place of the window";

LogicalResult ConvOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto output = outputOf(infer, op, op.getImage().getType(), op.getFilter().getType());
  return failed(output) ? failure() : infer.result(*output, kConvResult);
}
LogicalResult MaxPoolOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto output = pooled(infer, op, op.getOperand().getType());
  return failed(output) ? failure() : infer.result(*output, kPoolResult);
}
LogicalResult MaxPoolPositionsOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto output = pooled(infer, op, op.getOperand().getType());
  if (failed(output))
    return failure();
  return infer.result(output->clone(IntegerType::get(infer.getContext(), 32)), kPoolResult);
}
LogicalResult PoolSelectOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto output = pooled(infer, op, op.getOperand().getType());
  Type positions = op.getPositions().getType();
  if (failed(output) || failed(requirePositions(infer, op, positions, *output)))
    return failure();
  return infer.result(joinTypes(*output, cast<RankedTensorType>(positions).clone(output->getElementType())),
                      kPoolResult);
}

/// The constraints of means: how many numbers a window has channels must tell.
template <typename Op> static FailureOr<RankedTensorType> meanPooled(const TypeInference &infer, Op op, Type image) {
  auto output = pooled(infer, op, image);
  if (succeeded(output) && output->isDynamicDim(channelDimension(op, output->getRank())))
    return infer.error("(C4) channels must be static; found ") << image;
  return output;
}
LogicalResult AvgPoolOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto output = meanPooled(infer, op, op.getOperand().getType());
  return failed(output) ? failure() : infer.result(*output, kPoolResult);
}
LogicalResult LpPoolOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto output = meanPooled(infer, op, op.getOperand().getType());
  return failed(output) ? failure() : infer.result(*output, kPoolResult);
}
LogicalResult LpPoolOp::verify() {
  if (!(getP().convertToDouble() >= 1))
    return emitOpError("(C5) p must be at least 1; found ") << getP().convertToDouble();
  return success();
}

//===-- forms -----------------------------------------------------------------------------===//

bool ConvOp::isCompositeForm() { return getChannelsFirst(); }
bool ConvTransposeOp::isCompositeForm() { return getChannelsFirst(); }
bool ConvFilterGradientOp::isCompositeForm() { return getChannelsFirst(); }
bool MaxPoolOp::isCompositeForm() { return getChannelsFirst(); }
bool MaxPoolPositionsOp::isCompositeForm() { return getChannelsFirst(); }
bool PoolSelectOp::isCompositeForm() { return getChannelsFirst(); }
bool PoolScatterOp::isCompositeForm() { return getChannelsFirst(); }

//===-- dimensions ------------------------------------------------------------------------===//

/// Of an image and the positions of a window on it: spatial sizes stay where it moves by one and its padding makes up
/// for what it spans. Channels are those of the image, with `channels`.
template <typename Op>
static void mapWindows(Op op, Value image, const Window &window, Value positions, bool channels,
                       DimensionMapping &map) {
  map.rows(image, positions);
  for (int64_t s = 0; s < window.rank(); ++s)
    if (window.strides[s] == 1 && window.low[s] + window.high[s] == window.extent(s) - 1)
      map.same(image, spatialDimension(op, s), positions, spatialDimension(op, s));
  int64_t last = channelDimension(op, rankOf(image));
  if (channels)
    map.same(image, last, positions, last);
}

void ConvOp::mapDimensions(DimensionMapping &map) {
  mapWindows(*this, getImage(), windowOf(*this), getResult(), /*channels=*/false, map);
}
template <typename Op> static void mapPool(Op op, DimensionMapping &map) {
  mapWindows(op, op.getOperand(), poolWindowOf(op), op.getResult(), /*channels=*/true, map);
}
void MaxPoolOp::mapDimensions(DimensionMapping &map) { mapPool(*this, map); }
void MaxPoolPositionsOp::mapDimensions(DimensionMapping &map) { mapPool(*this, map); }
void AvgPoolOp::mapDimensions(DimensionMapping &map) { mapPool(*this, map); }
void LpPoolOp::mapDimensions(DimensionMapping &map) { mapPool(*this, map); }

void PoolSelectOp::mapDimensions(DimensionMapping &map) {
  int64_t rank = rankOf(getOperand()), channels = channelDimension(*this, rank);
  map.rows(getPositions(), getResult());
  // How many windows there are follows from the operand, or nobody knows it: one of both does not know it alone.
  for (int64_t s = 0; s < rank - 2; ++s) {
    int64_t d = spatialDimension(*this, s);
    if (Dimension{getPositions(), d}.isStatic() == Dimension{getResult(), d}.isStatic())
      map.same(getPositions(), d, getResult(), d);
  }
  map.same(getPositions(), channels, getResult(), channels);
  map.rows(getPositions(), getOperand());
  map.same(getPositions(), channels, getOperand(), channels);
}
void PoolScatterOp::mapDimensions(DimensionMapping &map) {
  int64_t channels = channelDimension(*this, rankOf(getOutput()));
  map.all(getLike(), getResult());
  map.rows(getResult(), getOutput());
  map.same(getResult(), channels, getOutput(), channels);
  map.all(getOutput(), getPositions());
}
void ConvTransposeOp::mapDimensions(DimensionMapping &map) {
  map.all(getLike(), getResult());
  map.rows(getResult(), getOutput());
}

//===-- work ---------------------------------------------------------------------===//

/// Of the three forms of one trilinear form: each element of the output has as many terms as the filter has elements
/// for one of its channels.
static double convolutionOperations(Value output, Value filter, double channels, const DynamicSizes &sizes) {
  return 2 * sizes.elementsOf(output) * sizes.elementsOf(filter) / std::max(1.0, channels);
}

// Filters are [k.., c / groups, o].
std::optional<double> ConvOp::countOperations(const DynamicSizes &sizes) {
  return convolutionOperations(getResult(), getFilter(), sizes.sizeOf(shapeOf(getFilter().getType()).back()), sizes);
}
std::optional<double> ConvTransposeOp::countOperations(const DynamicSizes &sizes) {
  return convolutionOperations(getOutput(), getFilter(), sizes.sizeOf(shapeOf(getFilter().getType()).back()), sizes);
}
std::optional<double> ConvFilterGradientOp::countOperations(const DynamicSizes &sizes) {
  return convolutionOperations(getOutput(), getResult(), sizes.sizeOf(shapeOf(getType()).back()), sizes);
}
