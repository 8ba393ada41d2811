// Verifiers and effects of kern ops; KernContract.cpp has those of products.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kern/IR/Kern.h"
#include "dialects/Kern/IR/KernInterfaces.h"
#include "dialects/Kern/IR/KernVerify.h"
#include "mlir/IR/Builders.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlc::kern;
using namespace mlc::kern::detail;

using Effects = SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>;

/// On memrefs: reads what it takes, writes its outs (and reads them if it updates them in place). On tensors: none.
static void addEffects(DestinationStyleOpInterface op, bool readsOuts, Effects &effects) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    bool isOut = op.isDpsInit(&operand);
    if (!isOut || readsOuts)
      effects.emplace_back(MemoryEffects::Read::get(), &operand);
    if (isOut)
      effects.emplace_back(MemoryEffects::Write::get(), &operand);
  }
}
void ContractOp::getEffects(Effects &effects) { addEffects(*this, false, effects); }
void PackOp::getEffects(Effects &effects) { addEffects(*this, false, effects); }
void TakeRowsOp::getEffects(Effects &effects) { addEffects(*this, false, effects); }
void UpdateRowsOp::getEffects(Effects &effects) { addEffects(*this, true, effects); }
void GroupSumOp::getEffects(Effects &effects) { addEffects(*this, false, effects); }
void RaggedSumOp::getEffects(Effects &effects) { addEffects(*this, false, effects); }
void RaggedRepeatOp::getEffects(Effects &effects) { addEffects(*this, false, effects); }
void ScanOp::getEffects(Effects &effects) { addEffects(*this, false, effects); }
void ConcatOp::getEffects(Effects &effects) { addEffects(*this, false, effects); }
void SplitOp::getEffects(Effects &effects) { addEffects(*this, false, effects); }

void mlc::kern::detail::getServiceEffects(Operation *op, Effects &effects) {
  auto service = cast<ServiceOpInterface>(op);
  addEffects(cast<DestinationStyleOpInterface>(op), service.readsOuts(), effects);
  if (service.mustRun())
    effects.emplace_back(MemoryEffects::Write::get());
}

void ExternalCallOp::getEffects(Effects &effects) {
  addEffects(*this, false, effects);
  if (!getDeterministic())
    effects.emplace_back(MemoryEffects::Write::get());
}

void TransferOp::getEffects(Effects &effects) { addEffects(*this, false, effects); }

void CopiesOp::getEffects(Effects &effects) {
  for (OpOperand &source : getSourcesMutable())
    effects.emplace_back(MemoryEffects::Read::get(), &source);
  for (OpOperand &target : getTargetsMutable())
    effects.emplace_back(MemoryEffects::Write::get(), &target);
}

/// It must run, and keeps its place among what has effects.
void PublishOp::getEffects(Effects &effects) {
  if (isa<MemRefType>(getValue().getType()))
    effects.emplace_back(MemoryEffects::Read::get(), &getValueMutable());
  effects.emplace_back(MemoryEffects::Write::get());
}

int64_t mlc::kern::elementBytes(MemRefType type) {
  Type element = type.getElementType();
  return element.isIndex() ? 8 : llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

int64_t mlc::kern::spaceOf(Type type) {
  Attribute space;
  if (auto memref = dyn_cast<BaseMemRefType>(type))
    space = memref.getMemorySpace();
  else if (auto tensor = dyn_cast<RankedTensorType>(type))
    space = tensor.getEncoding();
  auto number = dyn_cast_or_null<IntegerAttr>(space);
  return number ? number.getInt() : 0;
}

/// Whether rows of both, all but the first dimension, are of one type.
static bool haveRowsAlike(Value x, Value y) {
  ShapedType a = shapedOf(x), b = shapedOf(y);
  return a.getRank() && a.getRank() == b.getRank() && a.getElementType() == b.getElementType() &&
         succeeded(verifyCompatibleShape(a.getShape().drop_front(), b.getShape().drop_front()));
}
static bool haveOneType(Value x, Value y) {
  return haveRowsAlike(x, y) && agree(shapedOf(x).getDimSize(0), shapedOf(y).getDimSize(0));
}

/// Whether `value` is a vector of 64-bit integers with a number for each row of `rows`.
static bool isIndexOfRows(Value value, Value rows) {
  ShapedType type = shapedOf(value);
  return type.getRank() == 1 && type.getElementType().isInteger(64) &&
         agree(type.getDimSize(0), shapedOf(rows).getDimSize(0));
}
static bool isCount(Value value) { return !shapedOf(value).getRank() && elementOf(value).isInteger(64); }

LogicalResult TakeRowsOp::verify() {
  if (getOuts().size() != 1)
    return emitOpError("(C1) needs one out");
  Value out = getOuts()[0];
  if (!haveRowsAlike(getTable(), out) || !isIndexOfRows(getIds(), out))
    return emitOpError("(C1) ids must be [n] of i64 and the out [n, d...] with the table's rows; found ")
           << getTable().getType() << ", " << getIds().getType() << " and " << out.getType();
  return success();
}

LogicalResult GroupSumOp::verify() {
  if (getOuts().size() != 1)
    return emitOpError("(C1) needs one out");
  if (!haveOneType(getValues(), getOuts()[0]))
    return emitOpError("(C1) values and out must have one type, of rows; found ")
           << getValues().getType() << " and " << getOuts()[0].getType();
  if (!isIndexOfRows(getEnds(), getValues()) || !isIndexOfRows(getOrder(), getValues()))
    return emitOpError("(C1) ends and order must be [n] of i64 for n values; found ")
           << getEnds().getType() << " and " << getOrder().getType();
  if (!isCount(getCount()))
    return emitOpError("(C1) count must be a scalar of i64; found ") << getCount().getType();
  return success();
}

/// (C1) of the ragged ops: `counted` has a row for each end, both have one row shape.
static LogicalResult verifySegments(Operation *op, Value ends, Value counted, Value other) {
  if (!haveRowsAlike(counted, other) || !isIndexOfRows(ends, counted))
    return op->emitOpError("(C1) ends must be [m] of i64 and both sides alike after the first dimension; found ")
           << ends.getType() << " for " << counted.getType() << " and " << other.getType();
  return success();
}

LogicalResult RaggedSumOp::verify() {
  return getOuts().size() == 1 ? verifySegments(*this, getEnds(), getOuts()[0], getValues())
                               : emitOpError("(C1) needs one out");
}

LogicalResult RaggedRepeatOp::verify() {
  return getOuts().size() == 1 ? verifySegments(*this, getEnds(), getRows(), getOuts()[0])
                               : emitOpError("(C1) needs one out");
}

LogicalResult UpdateRowsOp::verify() {
  if (getOuts().empty() || llvm::any_of(getOuts(), [&](Value v) { return !haveOneType(v, getOuts()[0]); }))
    return emitOpError("(C1) needs outs of one type, of rows");
  if (!getGrouping().empty() && getGrouping().size() != 2)
    return emitOpError("(C1) grouping is (ends, order); found ") << getGrouping().size() << " values";
  if (!haveRowsAlike(getValues(), getOuts()[0]))
    return emitOpError("(C1) values must be rows as the outs have; found ")
           << getValues().getType() << " for " << getOuts()[0].getType();
  for (Value index : llvm::concat<Value>(SmallVector<Value>{getIds()}, SmallVector<Value>(getGrouping())))
    if (!isIndexOfRows(index, getValues()))
      return emitOpError("(C1) ids, ends and order must be [n] of i64 for n values; found ") << index.getType();
  if (!isCount(getCount()))
    return emitOpError("(C1) count must be a scalar of i64; found ") << getCount().getType();
  for (Value scalar : getScalars())
    if (!shapedOf(scalar).hasStaticShape() || shapedOf(scalar).getNumElements() != 1)
      return emitOpError("(C1) scalars must have one element; found ") << scalar.getType();
  SmallVector<Type> arguments(getOuts().size() + 1, elementOf(getOuts()[0]));
  if (getEveryRow())
    arguments.push_back(IntegerType::get(getContext(), 1));
  for (Value scalar : getScalars())
    arguments.push_back(elementOf(scalar));
  return verifyBody(*this, getBody(), arguments, getOuts(), "(C2)");
}

LogicalResult TransferOp::verify() {
  if (getOuts().size() != 1)
    return emitOpError("(C1) needs one out");
  Type from = getSource().getType(), to = getOuts()[0].getType();
  if (elementOf(getSource()) != elementOf(getOuts()[0]) || failed(verifyCompatibleShape(from, to)))
    return emitOpError("(C1) source and out must agree in element type and sizes; found ") << from << " and " << to;
  if (spaceOf(from) == spaceOf(to))
    return emitOpError("(C2) source and out must lie in different memory spaces; found ") << from << " and " << to;
  for (Type type : {from, to})
    if (auto memref = dyn_cast<MemRefType>(type); memref && !isContiguous(memref))
      return emitOpError("(C3) elements of a buffer must lie one after another; found ") << memref;
  return success();
}

LogicalResult ScanOp::verify() {
  if (getOuts().size() != 1)
    return emitOpError("(C1) needs one out");
  auto out = cast<ShapedType>(getOuts()[0].getType());
  auto axis = static_cast<int64_t>(getAxis());
  if (axis < 0 || axis >= out.getRank())
    return emitOpError("(C1) axis ") << axis << " is no dimension of " << out;
  Type carried = getInitial().getType();
  SmallVector<Type> arguments = {carried};
  for (Value in : getIns()) {
    if (failed(verifyCompatibleShape(in.getType(), out)))
      return emitOpError("(C1) ins must have the out's dimensions; found ") << in.getType() << " and " << out;
    arguments.push_back(elementOf(in));
  }
  Block &block = getBody().front();
  if (TypeRange(block.getArgumentTypes()) != TypeRange(arguments))
    return emitOpError("(C2): the region must take (") << arguments << "); found (" << block.getArgumentTypes() << ")";
  SmallVector<Type> results = {carried, out.getElementType()};
  auto yielded = block.getTerminator()->getOperandTypes();
  if (TypeRange(yielded) != TypeRange(results))
    return emitOpError("(C3): the region must yield (") << results << "); found (" << yielded << ")";
  return success();
}

/// Whether `part` is as `whole` but along `axis`.
static bool isPartOf(ShapedType part, ShapedType whole, int64_t axis) {
  if (part.getRank() != whole.getRank() || part.getElementType() != whole.getElementType())
    return false;
  return llvm::all_of(llvm::seq<int64_t>(0, whole.getRank()),
                      [&](int64_t d) { return d == axis || agree(part.getDimSize(d), whole.getDimSize(d)); });
}

LogicalResult ConcatOp::verify() {
  if (getOuts().size() != 1 || getIns().empty())
    return emitOpError("(C1) needs ins and one out");
  ShapedType out = shapedOf(getOuts()[0]);
  const auto axis = static_cast<int64_t>(getAxis());
  if (axis < 0 || axis >= out.getRank())
    return emitOpError("(C1) axis ") << axis << " is no dimension of " << out;
  int64_t sum = 0;
  for (Value in : getIns()) {
    ShapedType type = shapedOf(in);
    if (!isPartOf(type, out, axis))
      return emitOpError("(C1) ins must be as the out but for dimension ")
             << axis << "; found " << type << " and " << out;
    const int64_t size = type.getDimSize(axis);
    if (ShapedType::isDynamic(sum) || ShapedType::isDynamic(size))
      sum = ShapedType::kDynamic;
    else if (llvm::AddOverflow(sum, size, sum))
      return emitOpError("(C1) the ins have more in all along dimension ") << axis << " than a number holds";
  }
  if (!agree(sum, out.getDimSize(axis)))
    return emitOpError("(C1) the ins have ")
           << sum << " in all along dimension " << axis << ", the out " << out.getDimSize(axis);
  return success();
}

LogicalResult SplitOp::verify() {
  ShapedType value = shapedOf(getValue());
  const auto axis = static_cast<int64_t>(getAxis());
  if (axis < 0 || axis >= value.getRank())
    return emitOpError("(C1) axis ") << axis << " is no dimension of " << value;
  if (getOffsets().size() != getOuts().size())
    return emitOpError("(C2) needs an offset for each out; found ")
           << getOffsets().size() << " for " << getOuts().size();
  for (auto [out, offset] : llvm::zip(getOuts(), getOffsets())) {
    ShapedType type = shapedOf(out);
    if (!isPartOf(type, value, axis))
      return emitOpError("(C1) outs must be as the value but for dimension ")
             << axis << "; found " << type << " and " << value;
    const int64_t size = type.getDimSize(axis), all = value.getDimSize(axis);
    if (offset < 0 || (!ShapedType::isDynamic(size) && !ShapedType::isDynamic(all) && size > all - offset))
      return emitOpError("(C2) the part from ") << offset << " on, " << type << ", is not within " << value;
  }
  return success();
}

/// Trailing dimensions of static size whose elements lie side by side.
static int64_t countPackedDimensions(MemRefType type, ArrayRef<int64_t> strides) {
  int64_t count = 0, expected = 1;
  for (int64_t d = type.getRank(); d-- > 0 && !type.isDynamicDim(d); ++count) {
    if (type.getDimSize(d) != 1 && strides[d] != expected)
      break;
    expected = strideBefore(expected, type.getDimSize(d));
  }
  return count;
}

std::optional<CopiesOp::Pattern> CopiesOp::getPattern(MemRefType source, MemRefType target) {
  SmallVector<int64_t> sourceStrides, targetStrides;
  int64_t offset;
  if (source.getShape() != target.getShape() || source.getElementType() != target.getElementType() ||
      !source.getElementType().isIntOrFloat() || failed(source.getStridesAndOffset(sourceStrides, offset)) ||
      failed(target.getStridesAndOffset(targetStrides, offset)))
    return std::nullopt;
  const int64_t packed =
      std::min(countPackedDimensions(source, sourceStrides), countPackedDimensions(target, targetStrides));
  Pattern pattern{/*rows=*/1, /*width=*/1, /*sourceStride=*/0, /*targetStride=*/0, /*rowDimension=*/std::nullopt};
  for (int64_t d = source.getRank(); d-- > 0;) {
    const int64_t size = source.getDimSize(d);
    if (d >= source.getRank() - packed) {
      pattern.width = strideBefore(pattern.width, size);
      if (ShapedType::isDynamic(pattern.width))
        return std::nullopt;
    } else if (size != 1) {
      if (pattern.rowDimension || ShapedType::isDynamic(sourceStrides[d]) || ShapedType::isDynamic(targetStrides[d]))
        return std::nullopt;
      pattern.rowDimension = d;
      pattern.rows = size;
      pattern.sourceStride = sourceStrides[d];
      pattern.targetStride = targetStrides[d];
    }
  }
  return pattern;
}

CopiesOp::Pattern CopiesOp::getPattern() {
  return *getPattern(cast<MemRefType>(getSources()[0].getType()), cast<MemRefType>(getTargets()[0].getType()));
}

LogicalResult CopiesOp::verify() {
  if (getSources().empty() || getSources().size() != getTargets().size())
    return emitOpError("(C1) needs a target for each source; found ")
           << getTargets().size() << " for " << getSources().size();
  std::optional<Pattern> first;
  for (auto [source, target] : llvm::zip(getSources(), getTargets())) {
    auto pattern = getPattern(cast<MemRefType>(source.getType()), cast<MemRefType>(target.getType()));
    if (!pattern || (first && !(*first == *pattern)))
      return emitOpError("(C2) copies must be of one kind, with rows along one dimension; found ")
             << source.getType() << " to " << target.getType();
    first = first ? first : pattern;
  }
  return success();
}

LogicalResult PublishOp::verify() {
  if (static_cast<int64_t>(getNumber()) < 0)
    return emitOpError("(C1) the number of a buffer is at least 0; found ") << static_cast<int64_t>(getNumber());
  if (auto type = dyn_cast<MemRefType>(getValue().getType()); type && !isContiguous(type))
    return emitOpError("(C2) elements must lie one after another; found ") << type;
  return success();
}

LogicalResult LaunchOp::verify() {
  auto isIndex = [](Type type) { return type.isIndex(); };
  if (getBody().getNumArguments() != (getGrid() ? 2 : 1) || !llvm::all_of(getBody().getArgumentTypes(), isIndex) ||
      getBody().front().getTerminator()->getNumOperands())
    return emitOpError("(C1) the region must take ")
           << (getGrid() ? "the indices of a block and of a thread" : "an index") << " and yield nothing";
  return success();
}

LogicalResult GroupOp::verify() {
  for (Operation &op : getBody().front())
    if (!isa<LaunchOp>(op))
      return emitOpError("(C1) the region must hold kern.launch only; found ") << op.getName();
  return success();
}

LogicalResult ExternalFunctionOp::verify() {
  return getBitcode().empty() ? emitOpError("has no bitcode") : LogicalResult(success());
}

LogicalResult ExternalCallOp::verify() {
  ShapedType code = getOuts().empty() ? ShapedType() : shapedOf(getOuts().back());
  if (!code || code.getRank() || !code.getElementType().isInteger(32))
    return emitOpError("(C1) the last out must be one i32, which gets what the function returns");
  if (getDtypes().size() + 1 != getIns().size() + getOuts().size())
    return emitOpError("(C2) has ") << getDtypes().size() << " dtypes; expected "
                                    << getIns().size() + getOuts().size() - 1;
  for (auto [i, type] : llvm::enumerate(getOperandTypes()))
    if (auto memref = dyn_cast<MemRefType>(type); memref && !isContiguous(memref))
      return emitOpError("(C3) takes elements that lie one after another; operand ") << i << " is " << type;
  return success();
}

LogicalResult ExternalCallOp::verifySymbolUses(SymbolTableCollection &symbols) {
  if (symbols.lookupNearestSymbolFrom<ExternalFunctionOp>(*this, getCalleeAttr()))
    return success();
  return emitOpError("(C4) calls ") << getCalleeAttr() << ", which is no kern.external_function";
}
