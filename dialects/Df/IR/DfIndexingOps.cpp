// Type rules and verifiers of gathers, scatters and what is made of them.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfIndexingOps.h"
#include "dialects/Df/IR/DfIndexing.h"
#include "dialects/Df/IR/DfVerify.h"

using namespace mlir;
using namespace mlc::df;

int64_t mlc::df::numPlaces(int64_t rank, ArrayRef<int64_t> axes, ArrayRef<int64_t> batch) {
  return rank - static_cast<int64_t>(batch.size()) - (axes.size() == 1 ? 0 : 1);
}

SmallVector<int64_t> mlc::df::gatheredShape(ArrayRef<int64_t> operand, ArrayRef<int64_t> indices,
                                            ArrayRef<int64_t> axes, ArrayRef<int64_t> batch) {
  SmallVector<int64_t> shape;
  for (auto [d, size] : llvm::enumerate(operand)) {
    if (static_cast<int64_t>(d) == axes.front())
      llvm::append_range(shape, indices.slice(batch.size(), numPlaces(indices.size(), axes, batch)));
    else if (!llvm::is_contained(axes, d))
      shape.push_back(size);
  }
  return shape;
}

/// Whether `dims` are strictly ascending dimensions of a tensor of `rank`.
static bool areDimensions(ArrayRef<int64_t> dims, int64_t rank) {
  int64_t last = -1;
  for (int64_t d : dims) {
    if (d <= last || d >= rank)
      return false;
    last = d;
  }
  return true;
}

/// Constraints (C1) and (C2) of gathers and scatters.
template <typename Adaptor> static LogicalResult requireIndices(const TypeInference &infer, Adaptor op) {
  Type operandType = op.getOperand().getType(), indicesType = op.getIndices().getType();
  ArrayRef<int64_t> operand = shapeOf(operandType), indices = shapeOf(indicesType), axes = op.getAxes(),
                    batch = op.getBatch();
  auto rank = static_cast<int64_t>(operand.size());
  if (axes.empty() || !areDimensions(axes, rank) || !areDimensions(batch, rank) ||
      llvm::any_of(axes, [&](int64_t d) { return llvm::is_contained(batch, d); }))
    return infer.error(
               "(C1) axes and batch must be strictly ascending dimensions of the operand, none in both; found axes [")
           << axes << "] and batch [" << batch << "] for " << operandType;
  bool ok = numPlaces(indices.size(), axes, batch) >= 0 &&
            (axes.size() == 1 || indices.back() == static_cast<int64_t>(axes.size()));
  for (size_t i = 0; ok && i < batch.size(); ++i)
    ok = agree(indices[i], operand[batch[i]]);
  return infer.require(ok, "(C2) indices must be [batch.., s.., number of axes], of one axis [batch.., s..]",
                       operandType, indicesType);
}

/// The type of what is gathered, by constraints that hold. Of a dimension that operand and indices share it knows what
/// either does.
template <typename Adaptor> static RankedTensorType gatheredType(Adaptor op) {
  auto operand = cast<RankedTensorType>(op.getOperand().getType());
  SmallVector<int64_t> from(operand.getShape());
  ArrayRef<int64_t> indices = shapeOf(op.getIndices().getType()), batch = op.getBatch();
  for (auto [i, d] : llvm::enumerate(batch))
    from[d] = joinSizes(from[d], indices[i]);
  return operand.clone(gatheredShape(from, indices, op.getAxes(), batch));
}

int64_t GatherOp::getNumPlaces() { return numPlaces(shapeOf(getIndices().getType()).size(), getAxes(), getBatch()); }
int64_t ScatterOp::getNumPlaces() { return numPlaces(shapeOf(getIndices().getType()).size(), getAxes(), getBatch()); }

bool GatherOp::takesRows() {
  return getSkipNegative() && getAxes() == ArrayRef<int64_t>{0} && getBatch().empty() && getNumPlaces() == 1;
}

void GatherOp::build(OpBuilder &builder, OperationState &state, Value operand, Value indices, ArrayRef<int64_t> axes,
                     ArrayRef<int64_t> batch, bool skipNegative) {
  auto from = cast<RankedTensorType>(operand.getType());
  SmallVector<int64_t> shape = gatheredShape(from.getShape(), shapeOf(indices.getType()), axes, batch);
  build(builder, state, from.clone(shape), operand, indices, axes, batch, skipNegative);
}

void GatherOp::build(OpBuilder &builder, OperationState &state, Value table, Value ids) {
  build(builder, state, table, ids, ArrayRef<int64_t>{0}, ArrayRef<int64_t>(), /*skipNegative=*/true);
}

LogicalResult GatherOp::inferTypes(TypeInference &infer, Adaptor op) {
  if (failed(requireIndices(infer, op)))
    return failure();
  return infer.result(gatheredType(op), "(C3) the result must have the operand's dimensions with those of the indices "
                                        "in the place of the axes");
}

/// Whether a kind of update is one of a type of elements.
static LogicalResult requireKind(const TypeInference &infer, ScatterKind kind, Type type) {
  Type element = elementType(type);
  return infer.require(kind == ScatterKind::Set || (!element.isInteger(1) && element.isIntOrFloat()),
                       "(C5) only set takes booleans and strings", type, type);
}

LogicalResult ScatterOp::inferTypes(TypeInference &infer, Adaptor op) {
  if (failed(requireIndices(infer, op)))
    return failure();
  Type operand = op.getOperand().getType(), updates = op.getUpdates().getType();
  if (RankedTensorType gathered = gatheredType(op); !infer.fits(op.getUpdates(), gathered))
    return infer.require(false, "(C3) updates must have the shape of what is gathered", gathered, updates);
  if (failed(requireKind(infer, op.getKind(), operand)))
    return failure();
  return infer.result(operand, "(C4) the result must have the operand's type");
}

LogicalResult NonzeroOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto rank = static_cast<int64_t>(shapeOf(op.getOperand().getType()).size());
  constexpr StringLiteral constraint = "(C1) the operand must have rank >= 1 and the result be [?, rank]";
  if (rank < 1)
    return infer.error() << constraint << "; found " << op.getOperand().getType();
  return infer.result(RankedTensorType::get({ShapedType::kDynamic, rank}, infer.i64()), constraint);
}

LogicalResult UniqueOp::inferTypes(TypeInference &infer, Adaptor op) {
  Type type = op.getOperand().getType();
  constexpr StringLiteral constraint = "(C1) operand and inverse must be [n], values and counts [?]";
  if (shapeOf(type).size() != 1)
    return infer.error() << constraint << "; found " << type;
  auto distinct = RankedTensorType::get({ShapedType::kDynamic}, infer.i64());
  for (Type each : {Type(distinct), type, Type(distinct)})
    (void)infer.result(each, constraint);
  return success();
}

LogicalResult RequireSameSizeOp::verify() {
  auto sizeOf = [](Value value, uint64_t d) -> std::optional<int64_t> {
    ArrayRef<int64_t> shape = shapeOf(value.getType());
    return d < shape.size() ? std::optional(shape[d]) : std::nullopt;
  };
  auto lhs = sizeOf(getLhs(), getLhsDimension()), rhs = sizeOf(getRhs(), getRhsDimension());
  if (!lhs || !rhs)
    return emitOpError("(C1) dimensions ")
           << static_cast<int64_t>(getLhsDimension()) << " and " << static_cast<int64_t>(getRhsDimension())
           << " must be some of " << getLhs().getType() << " and " << getRhs().getType();
  return verifyTypes(*this, agree(*lhs, *rhs), "(C2) static sizes must be equal", getLhs().getType(),
                     getRhs().getType());
}

/// Constraints (C1) and (C2) of ops with one index for each position.
template <typename Adaptor> static LogicalResult requireAlongAxis(const TypeInference &infer, Adaptor op) {
  auto operand = cast<RankedTensorType>(op.getOperand().getType());
  ArrayRef<int64_t> indices = shapeOf(op.getIndices().getType());
  auto axis = static_cast<int64_t>(op.getAxis());
  if (axis < 0 || axis >= operand.getRank())
    return infer.error("(C1) axis ") << axis << " must be a dimension of " << operand;
  bool ok = static_cast<int64_t>(indices.size()) == operand.getRank();
  for (int64_t d = 0; ok && d < operand.getRank(); ++d)
    ok = d == axis || agree(indices[d], operand.getDimSize(d));
  return infer.require(ok, "(C2) operand and indices must agree in all dimensions but 'axis'", operand,
                       op.getIndices().getType());
}

LogicalResult TakeAlongAxisOp::inferTypes(TypeInference &infer, Adaptor op) {
  if (failed(requireAlongAxis(infer, op)))
    return failure();
  auto operand = cast<RankedTensorType>(op.getOperand().getType());
  SmallVector<int64_t> shape(shapeOf(op.getIndices().getType()));
  for (auto [d, size] : llvm::enumerate(shape))
    if (d != op.getAxis())
      size = joinSizes(size, operand.getDimSize(d));
  return infer.result(operand.clone(shape),
                      "(C3) the result must have the indices' shape and the operand's element type");
}

LogicalResult ScatterAlongAxisOp::inferTypes(TypeInference &infer, Adaptor op) {
  if (failed(requireAlongAxis(infer, op)))
    return failure();
  Type operand = op.getOperand().getType(), updates = op.getUpdates().getType(), indices = op.getIndices().getType();
  if (!agreeInShape(updates, indices) || elementType(updates) != elementType(operand))
    return infer.require(false, "(C3) updates must have the indices' shape and the operand's element type", indices,
                         updates);
  if (failed(requireKind(infer, op.getKind(), operand)))
    return failure();
  return infer.result(operand, "(C4) the result must have the operand's type");
}

LogicalResult SegmentReduceOp::verify() {
  auto values = cast<RankedTensorType>(getValues().getType()), ids = cast<RankedTensorType>(getIds().getType());
  auto to = getType();
  bool ok = values.getRank() >= 1 && ids.getRank() == 1 && agree(ids.getDimSize(0), values.getDimSize(0)) &&
            to.getRank() == values.getRank() && to.getElementType() == values.getElementType() &&
            agree(to.getShape().drop_front(), values.getShape().drop_front());
  if (!ok)
    return verifyTypes(*this, false, "(C1) values must be [n, ..], ids [n] and the result [segments, ..]", values, to);
  if (to.isDynamicDim(0))
    return emitOpError("(C2) the number of segments must be static; found ") << to;
  return verifyTypes(*this, getKind() != RowReduction::Mean || isa<FloatType>(to.getElementType()),
                     "(C3) mean must be of floats", values, to);
}

LogicalResult BooleanMaskOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto operand = cast<RankedTensorType>(op.getOperand().getType());
  ArrayRef<int64_t> mask = shapeOf(op.getMask().getType());
  if (mask.empty() || mask.size() > operand.getShape().size() ||
      !agree(mask, operand.getShape().take_front(mask.size())))
    return infer.require(false, "(C1) the mask must have rank >= 1 and the operand's leading dimensions", operand,
                         op.getMask().getType());
  SmallVector<int64_t> shape = {ShapedType::kDynamic};
  llvm::append_range(shape, operand.getShape().drop_front(mask.size()));
  return infer.result(operand.clone(shape), "(C2) the result must be [?, the operand's other dimensions]");
}

LogicalResult DynamicPartitionOp::verify() {
  auto operand = cast<RankedTensorType>(getOperand().getType());
  ArrayRef<int64_t> parts = shapeOf(getParts().getType());
  if (operand.getRank() < 1 || parts.size() != 1 || !agree(parts[0], operand.getDimSize(0)))
    return verifyTypes(*this, false, "(C1) parts must be [n] for an operand [n, ..]", operand, getParts().getType());
  SmallVector<int64_t> shape(operand.getShape());
  shape[0] = ShapedType::kDynamic;
  for (Value part : getResults())
    if (Type type = part.getType(); !fits(*this, part, operand.clone(shape)))
      return verifyTypes(*this, false, "(C2) each result must be [?, the rest of the operand's shape]",
                         operand.clone(shape), type);
  return success();
}

LogicalResult ReverseSequenceOp::inferTypes(TypeInference &infer, Adaptor op) {
  auto operand = cast<RankedTensorType>(op.getOperand().getType());
  auto seq = static_cast<int64_t>(op.getSeqAxis()), batch = static_cast<int64_t>(op.getBatchAxis());
  auto isDimension = [&](int64_t d) { return d >= 0 && d < operand.getRank(); };
  if (!isDimension(seq) || !isDimension(batch) || seq == batch)
    return infer.error("(C1) seq_axis and batch_axis must be two dimensions of the operand; found ")
           << seq << " and " << batch << " for " << operand;
  if (!infer.fits(op.getLengths(), RankedTensorType::get({operand.getDimSize(batch)}, infer.i64())))
    return infer.require(false, "(C2) lengths must be [size of batch_axis]", operand, op.getLengths().getType());
  return infer.result(operand, "(C3) the result must have the operand's type");
}

LogicalResult DynamicStitchOp::inferTypes(TypeInference &infer, Adaptor op) {
  if (op.getData().empty() || op.getData().size() != op.getIndices().size())
    return infer.error("(C1) needs at least one pair of indices and data");
  Type rows;
  for (auto [indices, data] : llvm::zip_equal(op.getIndices(), op.getData())) {
    auto type = cast<RankedTensorType>(data.getType());
    if (type.getRank() < 1 || !agree(shapeOf(indices.getType()), type.getShape().take_front(1)))
      return infer.require(false, "(C1) indices must be [n] for data [n, ..]", indices.getType(), type);
    SmallVector<int64_t> shape(type.getShape());
    shape[0] = ShapedType::kDynamic;
    Type both = rows ? joinTypes(rows, type.clone(shape)) : Type(type.clone(shape));
    if (!both)
      return infer.require(false, "(C2) all data must have the same shape but for their rows", rows, type);
    rows = both;
  }
  return infer.result(rows, "(C2) the result must be [?, ..] with the rest of the shape of all data");
}

//===-- dimensions ------------------------------------------------------------------------===//

/// Those of the operand and the indices with those of `gathered`, which has the shape of what is gathered.
static void mapPlaces(Value operand, Value indices, ArrayRef<int64_t> axes, ArrayRef<int64_t> batch, Value gathered,
                      DimensionMapping &map) {
  auto numBatch = static_cast<int64_t>(batch.size()), places = numPlaces(rankOf(indices), axes, batch);
  map.at(operand, batch, indices);
  int64_t next = 0;
  for (int64_t d = 0, e = rankOf(operand); d < e; ++d) {
    if (d == axes.front())
      for (int64_t s = 0; s < places; ++s)
        map.same(indices, numBatch + s, gathered, next++);
    else if (!llvm::is_contained(axes, d))
      map.same(operand, d, gathered, next++);
  }
}
void GatherOp::mapDimensions(DimensionMapping &map) {
  mapPlaces(getOperand(), getIndices(), getAxes(), getBatch(), getResult(), map);
}
void ScatterOp::mapDimensions(DimensionMapping &map) {
  map.all(getOperand(), getResult());
  mapPlaces(getOperand(), getIndices(), getAxes(), getBatch(), getUpdates(), map);
}

void BooleanMaskOp::mapDimensions(DimensionMapping &map) {
  int64_t masked = rankOf(getMask());
  map.all(getOperand(), getMask());
  for (int64_t d = masked, e = rankOf(getOperand()); d < e; ++d)
    map.same(getOperand(), d, getResult(), d - masked + 1);
}

//===-- what moves ------------------------------------------------------------------------===//

SmallVector<Value> GatherOp::getMovedOperands() { return {getOperand()}; }
bool GatherOp::mayAddZeros() { return getSkipNegative(); }

//===-- ids -------------------------------------------------------------------------------===//

template <typename Op> static std::optional<BoundedIds> boundedIdsOf(Op op) {
  if (op.getAxes().size() != 1)
    return std::nullopt;
  const int64_t axis = op.getAxes().front();
  return BoundedIds{&op.getIndicesMutable(), op.getOperand(), axis, op.getSkipNegative(), axis == 0 ? "row" : "index"};
}
std::optional<BoundedIds> GatherOp::getBoundedIds() { return boundedIdsOf(*this); }
std::optional<BoundedIds> ScatterOp::getBoundedIds() { return boundedIdsOf(*this); }
