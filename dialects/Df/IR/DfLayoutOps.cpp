// Type rules, verifiers and folders of slices, pads, shapes of run time and what is made of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfVerify.h"
#include "llvm/Support/MathExtras.h"

#include <limits>

using namespace mlir;
using namespace mlc::df;

/// `type` with dimension `axis` of another size.
static RankedTensorType resized(RankedTensorType type, int64_t axis, int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape[axis] = size;
  return type.clone(shape);
}

static bool isDimension(int64_t d, RankedTensorType type) { return d >= 0 && d < type.getRank(); }

/// Whether there is one entry >= `least` for each dimension.
static bool areEntries(ArrayRef<int64_t> entries, RankedTensorType type, int64_t least) {
  return static_cast<int64_t>(entries.size()) == type.getRank() &&
         llvm::all_of(entries, [&](int64_t e) { return e >= least; });
}

/// A range of one axis as ranges of all.
void SliceOp::build(OpBuilder &builder, OperationState &state, Value operand, int64_t axis, int64_t start,
                    int64_t size) {
  auto from = cast<RankedTensorType>(operand.getType());
  SmallVector<int64_t> starts(from.getRank(), 0), sizes(from.getShape());
  for (int64_t &n : sizes)
    n = ShapedType::isDynamic(n) ? -1 : n;
  starts[axis] = start;
  sizes[axis] = size;
  build(builder, state, resized(from, axis, size), operand, starts, sizes);
}

bool SliceOp::isWhole(int64_t d) {
  int64_t size = getSizes()[d];
  return getStarts()[d] == 0 && getStride(d) == 1 &&
         (size == -1 || size == cast<RankedTensorType>(getOperand().getType()).getDimSize(d));
}

std::optional<int64_t> SliceOp::getAxis() {
  auto from = cast<RankedTensorType>(getOperand().getType());
  std::optional<int64_t> axis;
  for (int64_t d = 0; d < from.getRank(); ++d) {
    if (isWhole(d))
      continue;
    if (axis || from.isDynamicDim(d) || getStride(d) != 1)
      return std::nullopt;
    axis = d;
  }
  return axis;
}

LogicalResult SliceOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto from = cast<RankedTensorType>(op.getOperand().getType());
  ArrayRef<int64_t> starts = op.getStarts(), sizes = op.getSizes(), strides = op.getStrides();
  if (!areEntries(starts, from, 0) || !areEntries(sizes, from, -1) ||
      (!strides.empty() && !areEntries(strides, from, 1)))
    return infer.error("(C1) starts >= 0, sizes >= -1 and strides >= 1 must have one entry for each dimension; found [")
           << starts << "], [" << sizes << "] and [" << strides << "] for " << from;
  SmallVector<int64_t> shape;
  for (auto [d, n, start, size] : llvm::enumerate(from.getShape(), starts, sizes)) {
    bool isKnown = !ShapedType::isDynamic(n);
    int64_t stride = strides.empty() ? 1 : strides[d];
    if (isKnown && (start > n || (size > 0 && start + (size - 1) * stride >= n)))
      return infer.error("(C2) ranges must be within the operand's dimensions; found start ")
             << start << ", size " << size << ", stride " << stride << " for " << n << " of " << from;
    shape.push_back(size >= 0 ? size : isKnown ? (n - start + stride - 1) / stride : ShapedType::kDynamic);
  }
  return infer.result(from.clone(shape), "(C3) the result must have the sizes");
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  bool isAll = getOperand().getType() == getType() &&
               llvm::all_of(llvm::seq<int64_t>(0, getType().getRank()), [&](int64_t d) { return isWhole(d); });
  return isAll ? getOperand() : OpFoldResult();
}

LogicalResult UpdateSliceOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto from = cast<RankedTensorType>(op.getOperand().getType()),
       update = cast<RankedTensorType>(op.getUpdate().getType());
  ArrayRef<int64_t> starts = op.getStarts(), strides = op.getStrides();
  if (!areEntries(starts, from, 0) || !areEntries(strides, from, 1))
    return infer.error("(C1) starts >= 0 and strides >= 1 must have one entry for each dimension; found [")
           << starts << "] and [" << strides << "] for " << from;
  if (update.getRank() != from.getRank() || update.getElementType() != from.getElementType())
    return infer.require(false, "(C3) the update must have the operand's rank and element type", from, update);
  for (auto [n, size, start, stride] : llvm::zip(from.getShape(), update.getShape(), starts, strides))
    if (!ShapedType::isDynamic(n) &&
        (start > n || (!ShapedType::isDynamic(size) && size > 0 && start + (size - 1) * stride >= n)))
      return infer.error("(C2) ranges must be within the operand's dimensions; found start ")
             << start << ", size " << size << ", stride " << stride << " for " << n << " of " << from;
  return infer.result(from, "(C4) the result must have the operand's type");
}

/// Whether `part` has the rank and element type of `from` and its static dimensions are within those of `from`.
static bool isPart(RankedTensorType part, RankedTensorType from) {
  if (part.getRank() != from.getRank() || part.getElementType() != from.getElementType())
    return false;
  for (auto [size, n] : llvm::zip(part.getShape(), from.getShape()))
    if (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(n) && size > n)
      return false;
  return true;
}

static bool isVectorOf(Value value, int64_t size) { return shapeOf(value.getType()) == ArrayRef<int64_t>{size}; }

LogicalResult DynamicSliceOp::verify() {
  auto from = cast<RankedTensorType>(getOperand().getType());
  if (!isVectorOf(getStarts(), from.getRank()))
    return verifyTypes(*this, false, "(C1) starts must be [rank]", from, getStarts().getType());
  if (!isPart(getType(), from))
    return verifyTypes(*this, false,
                       "(C2) the result must have the operand's rank and element type and be within its dimensions",
                       from, getType());
  bool ok = getLike() ? agreeInShape(getLike().getType(), getType()) : getType().hasStaticShape();
  return verifyTypes(*this, ok, "(C3) a dynamic result needs 'like' of its shape", from, getType());
}

LogicalResult DynamicUpdateSliceOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto from = cast<RankedTensorType>(op.getOperand().getType()),
       update = cast<RankedTensorType>(op.getUpdate().getType());
  if (!isVectorOf(op.getStarts(), from.getRank()))
    return infer.require(false, "(C1) starts must be [rank]", from, op.getStarts().getType());
  if (!isPart(update, from))
    return infer.require(false,
                         "(C2) the update must have the operand's rank and element type and be within its dimensions",
                         from, update);
  return infer.result(from, "(C3) the result must have the operand's type");
}

void PadOp::build(OpBuilder &builder, OperationState &state, Value operand, int64_t axis, int64_t low, int64_t high) {
  auto from = cast<RankedTensorType>(operand.getType());
  SmallVector<int64_t> before(from.getRank(), 0), after(from.getRank(), 0);
  before[axis] = low;
  after[axis] = high;
  build(builder, state, resized(from, axis, low + from.getDimSize(axis) + high), operand, Value(), before, after);
}

LogicalResult PadOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto from = cast<RankedTensorType>(op.getOperand().getType());
  ArrayRef<int64_t> before = op.getLow(), after = op.getHigh(), interior = op.getInterior();
  if (!areEntries(before, from, 0) || !areEntries(after, from, 0) ||
      (!interior.empty() && !areEntries(interior, from, 0)))
    return infer.error("(C1) low, high and interior must have one entry >= 0 for each dimension; found [")
           << before << "], [" << after << "] and [" << interior << "] for " << from;
  SmallVector<int64_t> shape;
  for (auto [d, n, low, high] : llvm::enumerate(from.getShape(), before, after)) {
    int64_t gap = interior.empty() ? 0 : interior[d];
    if (ShapedType::isDynamic(n)) {
      shape.push_back(n);
      continue;
    }
    const __int128 made = __int128(low) + n + __int128(std::max<int64_t>(n - 1, 0)) * gap + high;
    if (made > std::numeric_limits<int64_t>::max())
      return infer.error("(C2) dimension ") << d << " of " << from << " becomes larger than 64 bits hold";
    shape.push_back(static_cast<int64_t>(made));
  }
  Type element = from.getElementType();
  LogicalResult filled = op.getValue() ? infer.require(op.getValue().getType() == RankedTensorType::get({}, element),
                                                       "(C3) the value must be a scalar of the element type", from,
                                                       op.getValue().getType())
                                       : infer.require(element.isIntOrFloat() && !element.isInteger(1),
                                                       "(C3) only numbers are padded without a value", from, from);
  if (failed(filled))
    return failure();
  return infer.result(from.clone(shape), "(C2) the result must have low + n + interior + high");
}

LogicalResult ReverseOp::verify() {
  int64_t last = -1;
  for (int64_t d : getAxes()) {
    if (d <= last || !isDimension(d, cast<RankedTensorType>(getType())))
      return emitOpError("(C1) axes must be strictly ascending dimensions; found [")
             << getAxes() << "] for " << getType();
    last = d;
  }
  return success();
}

OpFoldResult ReverseOp::fold(FoldAdaptor) {
  ArrayRef<int64_t> shape = shapeOf(getType());
  if (getOperand().getType() == getType() && llvm::all_of(getAxes(), [&](int64_t d) { return shape[d] == 1; }))
    return getOperand();
  return {};
}

LogicalResult IotaOp::verify() {
  if (!isDimension(getAxis(), getType()))
    return emitOpError("(C1) axis ") << getAxis() << " must be a dimension of " << getType();
  bool ok = getLike() ? agreeInShape(getLike().getType(), getType()) : getType().hasStaticShape();
  return verifyTypes(*this, ok, "(C2) a dynamic result needs 'like' of its shape",
                     getLike() ? getLike().getType() : getType(), getType());
}

LogicalResult ShapeOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto rank = static_cast<int64_t>(shapeOf(op.getOperand().getType()).size());
  return infer.result(RankedTensorType::get({rank}, infer.i64()), "(C1) the result must be [rank of the operand]");
}

OpFoldResult ShapeOp::fold(FoldAdaptor) {
  auto from = cast<RankedTensorType>(getOperand().getType());
  if (!from.hasStaticShape())
    return {};
  return DenseIntElementsAttr::get(getType(), from.getShape());
}

LogicalResult DynamicBroadcastOp::verify() {
  ArrayRef<int64_t> from = shapeOf(getOperand().getType()), to = shapeOf(getType()), dims = getDimensions();
  int64_t last = -1;
  bool c1 = dims.size() == from.size();
  for (int64_t d : dims) {
    c1 &= d > last && d < static_cast<int64_t>(to.size());
    last = d;
  }
  if (!c1)
    return emitOpError("(C1) dimensions must be strictly ascending dimensions of the result, one for each of the "
                       "operand's; found [")
           << dims << "] for " << getOperand().getType() << " and " << getType();
  for (auto [f, d] : llvm::zip(from, dims))
    if (f != 1 && !agree(f, to[d]))
      return verifyTypes(*this, false, "(C2) each dimension of the operand must be 1 or the result's",
                         getOperand().getType(), getType());
  if (!isVectorOf(getShape(), static_cast<int64_t>(to.size())))
    return verifyTypes(*this, false, "(C3) shape must be [rank of the result]", getShape().getType(), getType());
  return verifyTypes(*this, elementType(getOperand().getType()) == elementType(getType()),
                     "(C4) element types must agree", getOperand().getType(), getType());
}

LogicalResult DynamicReshapeOp::verify() {
  if (!isVectorOf(getShape(), getType().getRank()))
    return verifyTypes(*this, false, "(C1) shape must be [rank of the result]", getShape().getType(), getType());
  return verifyTypes(*this, elementType(getOperand().getType()) == elementType(getType()),
                     "(C2) element types must agree", getOperand().getType(), getType());
}

//===-- composites --------------------------------------------------------------===//

LogicalResult SplitOp::verify() {
  auto from = cast<RankedTensorType>(getOperand().getType());
  auto axis = static_cast<int64_t>(getAxis());
  if (!isDimension(axis, from) || from.isDynamicDim(axis))
    return emitOpError("(C1) axis ") << axis << " must be a static dimension of " << from;
  int64_t total = 0;
  for (Value result : getResults()) {
    auto part = cast<RankedTensorType>(result.getType());
    if (part.getRank() != from.getRank() || !fits(*this, result, resized(from, axis, part.getDimSize(axis))))
      return verifyTypes(*this, false, "(C2) parts must have the operand's other dimensions and element type", from,
                         part);
    if (part.isDynamicDim(axis))
      return emitOpError("(C3) sizes of parts along 'axis' must be static; found ") << part;
    if (llvm::AddOverflow(total, part.getDimSize(axis), total))
      return emitOpError("(C3) sizes along 'axis' add up to more than 64 bits hold");
  }
  if (total != from.getDimSize(axis))
    return emitOpError("(C3) sizes of parts along 'axis' must add up to the operand's; found ")
           << total << " for " << from;
  return success();
}

LogicalResult MeshgridOp::inferTypes(TypeInference &infer, Adaptor op) {
  TypeRange types(op.getOperands());
  if (types.empty() || llvm::any_of(types, [&](Type type) {
        return shapeOf(type).size() != 1 || elementType(type) != elementType(types[0]);
      }))
    return infer.error("(C1) needs at least one vector, all of one element type; found ") << types;
  SmallVector<int64_t> shape;
  for (Type type : types)
    shape.push_back(shapeOf(type)[0]);
  if (op.getIndexing() == GridIndexing::XY && shape.size() > 1)
    std::swap(shape[0], shape[1]);
  for (size_t k = 0; k < types.size(); ++k)
    (void)infer.result(RankedTensorType::get(shape, elementType(types[0])),
                       "(C2) there must be a result of the grid's type for each operand");
  return success();
}

/// Results of an op at most. What loops over as many is better.
static constexpr int64_t kMostParts = 65536;

LogicalResult UnstackOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto from = cast<RankedTensorType>(op.getOperand().getType());
  auto axis = static_cast<int64_t>(op.getAxis());
  if (!isDimension(axis, from) || from.isDynamicDim(axis))
    return infer.error("(C1) axis ") << axis << " must be a static dimension of " << from;
  if (from.getDimSize(axis) > kMostParts)
    return infer.error("(C1) makes ") << from.getDimSize(axis) << " tensors; the most are " << kMostParts;
  RankedTensorType part = withoutAxes(from, axis);
  for (int64_t k = 0; k < from.getDimSize(axis); ++k)
    (void)infer.result(part, "(C2) results must have the operand's other dimensions");
  return success();
}

LogicalResult StackOp::inferTypes(TypeInference &infer, Adaptor op) {
  SmallVector<Value> parts(op.getOperands());
  auto from = dyn_cast_or_null<RankedTensorType>(infer.join(parts, "(C1) needs at least one operand, all of one type"));
  if (!from)
    return failure();
  SmallVector<int64_t> shape(from.getShape());
  auto axis = static_cast<int64_t>(op.getAxis());
  if (axis < 0 || axis > from.getRank())
    return infer.error("(C2) the new dimension must be in [0, ") << from.getRank() << "]; found " << axis;
  shape.insert(shape.begin() + axis, static_cast<int64_t>(parts.size()));
  return infer.result(from.clone(shape),
                      "(C2) the result must have the operands' shape with their number in a new dimension 'axis'");
}

LogicalResult TileOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto from = cast<RankedTensorType>(op.getOperand().getType());
  if (!areEntries(op.getMultiples(), from, 1))
    return infer.error("(C1) multiples must have one entry >= 1 for each dimension; found [")
           << op.getMultiples() << "] for " << from;
  SmallVector<int64_t> shape;
  for (auto [n, multiple] : llvm::zip(from.getShape(), op.getMultiples())) {
    int64_t &made = shape.emplace_back(n);
    if (!ShapedType::isDynamic(n) && llvm::MulOverflow(n, multiple, made))
      return infer.error("(C2) ") << multiple << " times " << n << " is more than 64 bits hold";
  }
  return infer.result(from.clone(shape), "(C2) the result must have the multiplied sizes");
}

LogicalResult RollOp::verify() {
  auto type = cast<RankedTensorType>(getType());
  if (!isDimension(getAxis(), type) || type.isDynamicDim(getAxis()))
    return emitOpError("(C1) axis ") << getAxis() << " must be a static dimension of " << type;
  return success();
}

LogicalResult MirrorPadOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto from = cast<RankedTensorType>(op.getOperand().getType());
  auto axis = static_cast<int64_t>(op.getAxis()), low = static_cast<int64_t>(op.getLow()),
       high = static_cast<int64_t>(op.getHigh());
  if (!isDimension(axis, from) || from.isDynamicDim(axis) || from.getDimSize(axis) < 1 || low < 0 || high < 0)
    return infer.error("(C1) axis must be a static dimension >= 1 and low, high >= 0; found axis ")
           << axis << ", low " << low << ", high " << high << " for " << from;
  int64_t n = from.getDimSize(axis), most = op.getMode() == PadMode::Reflect ? n - 1 : n;
  if (op.getMode() != PadMode::Edge && (low > most || high > most))
    return infer.error("(C2) low and high must be at most ") << most << "; found " << low << " and " << high;
  return infer.result(resized(from, axis, low + n + high), "(C3) the result must have low + n + high at 'axis'");
}

LogicalResult EyeOp::verify() {
  return verifyTypes(*this, getType().hasStaticShape() && getType().getRank() >= 2,
                     "(C1) the result must be static of rank >= 2", getType(), getType());
}

LogicalResult BandPartOp::verify() {
  if (shapeOf(getType()).size() < 2)
    return emitOpError("(C1) the rank must be >= 2; found ") << getType();
  auto lower = static_cast<int64_t>(getLower()), upper = static_cast<int64_t>(getUpper());
  if (lower < -1 || upper < -1)
    return emitOpError("(C2) lower and upper must be >= -1; found ") << lower << " and " << upper;
  return success();
}

LogicalResult DiagOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto from = cast<RankedTensorType>(op.getOperand().getType());
  constexpr StringLiteral constraint =
      "(C1) the result must have the operand's shape with the last, static dimension twice";
  if (from.getRank() < 1 || from.isDynamicDim(from.getRank() - 1))
    return infer.error() << constraint << "; found " << from;
  SmallVector<int64_t> shape(from.getShape());
  shape.push_back(from.getShape().back());
  return infer.result(from.clone(shape), constraint);
}

LogicalResult DiagPartOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto from = cast<RankedTensorType>(op.getOperand().getType());
  constexpr StringLiteral constraint =
      "(C1) the last two dimensions must be static and equal and the result without the last one";
  int64_t last = from.getRank() - 1;
  if (last < 1 || from.isDynamicDim(last) || from.getDimSize(last) != from.getDimSize(last - 1))
    return infer.error() << constraint << "; found " << from;
  return infer.result(from.clone(from.getShape().drop_back()), constraint);
}

/// Whether all operands are scalars of the element type of `to`, a vector.
static bool areScalarsOf(Operation *op, RankedTensorType to) {
  auto scalar = RankedTensorType::get({}, to.getElementType());
  return to.getRank() == 1 && llvm::all_of(op->getOperandTypes(), [=](Type type) { return type == scalar; });
}

LogicalResult LinspaceOp::verify() {
  return verifyTypes(*this, areScalarsOf(*this, getType()) && getType().hasStaticShape(),
                     "(C1) operands must be scalars of the element type of the result, [n]", getStart().getType(),
                     getType());
}

LogicalResult RangeOp::inferTypes(TypeInference &infer, Adaptor op) {
  Type scalar = op.getStart().getType();
  constexpr StringLiteral constraint = "(C1) operands must be scalars of the element type of the result, [?]";
  for (Value operand : op.getOperands())
    if (!shapeOf(scalar).empty() || operand.getType() != scalar)
      return infer.require(false, constraint, scalar, operand.getType());
  return infer.result(RankedTensorType::get({ShapedType::kDynamic}, elementType(scalar)), constraint);
}

/// Whether `image` is [n, h, w, c] with all but n static, and there are blocks.
static LogicalResult requireBlocks(const TypeInference &infer, RankedTensorType image, int64_t block) {
  if (image.getRank() != 4 || ShapedType::isDynamicShape(image.getShape().drop_front()))
    return infer.error("(C1) operand and result must be [n, h, w, c] of one element type, all but n static; found ")
           << image;
  if (block < 1)
    return infer.error("(C2) block must be at least 1; found ") << block;
  return success();
}

LogicalResult SpaceToDepthOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto from = cast<RankedTensorType>(op.getOperand().getType());
  auto block = static_cast<int64_t>(op.getBlock());
  if (failed(requireBlocks(infer, from, block)))
    return failure();
  ArrayRef<int64_t> n = from.getShape();
  if (n[1] % block != 0 || n[2] % block != 0)
    return infer.error("(C2) block ") << block << " does not divide height and width of " << from;
  SmallVector<int64_t> shape{n[0], n[1] / block, n[2] / block, n[3] * block * block};
  return infer.result(from.clone(shape), "(C2) the result must have the blocks as channels");
}

LogicalResult DepthToSpaceOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto from = cast<RankedTensorType>(op.getOperand().getType());
  auto block = static_cast<int64_t>(op.getBlock());
  if (failed(requireBlocks(infer, from, block)))
    return failure();
  ArrayRef<int64_t> n = from.getShape();
  if (n[3] % block != 0 || n[3] / block % block != 0)
    return infer.error("(C2) block ") << block << " squared does not divide the channels of " << from;
  SmallVector<int64_t> shape{n[0], n[1] * block, n[2] * block, n[3] / block / block};
  return infer.result(from.clone(shape), "(C2) the result must have the channels as blocks");
}

LogicalResult ResizeOp::verify() {
  auto from = cast<RankedTensorType>(getOperand().getType()), to = getType();
  int64_t last = from.getRank() - 1;
  bool ok = last >= 2 && to.getRank() == from.getRank() && to.getElementType() == from.getElementType() &&
            agree(to.getDimSize(0), from.getDimSize(0)) && agree(to.getDimSize(last), from.getDimSize(last));
  if (!ok)
    return verifyTypes(*this, false,
                       "(C1) operand and result must have one rank >= 3 and equal first and last dimensions", from, to);
  for (RankedTensorType type : {from, to})
    for (int64_t size : type.getShape().drop_front().drop_back())
      if (ShapedType::isDynamic(size) || size < 1)
        return verifyTypes(*this, false, "(C2) the dimensions between must be static and >= 1", from, to);
  if (getHalfPixel() && getAlignCorners())
    return emitOpError("(C3) takes half_pixel or align_corners, not both");
  return success();
}

LogicalResult SequenceMaskOp::verify() {
  ArrayRef<int64_t> from = shapeOf(getLengths().getType()), to = shapeOf(getType());
  return verifyTypes(*this, to.size() == from.size() + 1 && to.drop_back() == from && !ShapedType::isDynamic(to.back()),
                     "(C1) the result must have the lengths' shape and one more, static dimension",
                     getLengths().getType(), getType());
}

//===-- dimensions ------------------------------------------------------------------------===//

void DynamicBroadcastOp::mapDimensions(DimensionMapping &map) {
  // A static one may repeat.
  for (auto [d, to] : llvm::enumerate(getDimensions()))
    if (ShapedType::isDynamic(shapeOf(getOperand().getType())[d]))
      map.same(getOperand(), static_cast<int64_t>(d), getResult(), to);
}

void MeshgridOp::mapDimensions(DimensionMapping &map) {
  for (auto [k, vector] : llvm::enumerate(getOperands())) {
    auto d = static_cast<int64_t>(k);
    if (getIndexing() == GridIndexing::XY && d < 2 && getOperands().size() > 1)
      d = 1 - d;
    for (Value grid : getResults())
      map.same(vector, 0, grid, d);
  }
}

//===-- what moves ------------------------------------------------------------------------===//

SmallVector<Value> DynamicUpdateSliceOp::getMovedOperands() { return {getOperand(), getUpdate()}; }
bool DynamicUpdateSliceOp::mayAddZeros() { return false; }

SmallVector<Value> PadOp::getMovedOperands() {
  return getValue() ? SmallVector<Value>{getOperand(), getValue()} : SmallVector<Value>{getOperand()};
}
bool PadOp::mayAddZeros() { return !getValue(); }

SmallVector<Value> DiagOp::getMovedOperands() { return {getOperand()}; }
bool DiagOp::mayAddZeros() { return true; }
