// Registration, verifiers and effects of the kern dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kern/IR/Kern.h"
#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlc::kern;

#include "dialects/Kern/IR/KernOpsDialect.cpp.inc"
#define GET_OP_CLASSES
#include "dialects/Kern/IR/KernOps.cpp.inc"

void KernDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "dialects/Kern/IR/KernOps.cpp.inc"
      >();
}

LogicalResult KernDialect::verifyOperationAttribute(Operation *op, NamedAttribute attr) {
  if (attr.getName() == kInterleavedAttr) {
    StringRef name = op->getName().getStringRef();
    if (!isa<UnitAttr>(attr.getValue()))
      return op->emitOpError("has '") << kInterleavedAttr << "' = " << attr.getValue() << "; expected a unit attribute";
    if (name != "arith.addf" && name != "arith.mulf")
      return op->emitOpError("has '") << kInterleavedAttr << "', which only arith.addf and arith.mulf have";
    return success();
  }
  return op->emitOpError("has the attribute '")
         << attr.getName().getValue() << "', which the kern dialect does not have";
}

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
void TakeRowsOp::getEffects(Effects &effects) { addEffects(*this, false, effects); }
void UpdateRowsOp::getEffects(Effects &effects) { addEffects(*this, true, effects); }
void GroupSumOp::getEffects(Effects &effects) { addEffects(*this, false, effects); }
void SegmentSumOp::getEffects(Effects &effects) { addEffects(*this, false, effects); }
void SegmentRepeatOp::getEffects(Effects &effects) { addEffects(*this, false, effects); }
void ScanOp::getEffects(Effects &effects) { addEffects(*this, false, effects); }

void ServiceOp::getEffects(Effects &effects) {
  addEffects(*this, getSignature().contains('u'), effects);
  // A service without a result checks: it must run.
  if (getOuts().empty() || getSignature().contains('!'))
    effects.emplace_back(MemoryEffects::Write::get());
}

static Type elementOf(Value value) { return cast<ShapedType>(value.getType()).getElementType(); }

/// Checks that `region` takes elements of `arguments` and yields elements of `outs`.
static LogicalResult verifyBody(Operation *op, Region &region, SmallVector<Type> arguments, ValueRange outs,
                                StringRef constraint) {
  Block &block = region.front();
  if (TypeRange(block.getArgumentTypes()) != TypeRange(arguments))
    return op->emitOpError() << constraint << ": the region must take (" << arguments << "); found ("
                             << block.getArgumentTypes() << ")";
  SmallVector<Type> results;
  for (Value out : outs)
    results.push_back(elementOf(out));
  auto yielded = block.getTerminator()->getOperandTypes();
  if (TypeRange(yielded) != TypeRange(results))
    return op->emitOpError() << constraint << ": the region must yield (" << results << "); found (" << yielded << ")";
  return success();
}

SmallVector<AffineMap, 3> ContractOp::getLoopMaps() {
  if (auto maps = getMaps())
    return llvm::to_vector<3>(maps->getAsValueRange<AffineMapAttr>());
  Builder b(getContext());
  AffineExpr m = b.getAffineDimExpr(0), n = b.getAffineDimExpr(1), k = b.getAffineDimExpr(2);
  auto map = [&](AffineExpr x, AffineExpr y) { return AffineMap::get(3, 0, {x, y}, getContext()); };
  return {getTransposeA() ? map(k, m) : map(m, k), getTransposeB() ? map(n, k) : map(k, n), map(m, n)};
}

/// Whether an expression is made of loops, sums, and products with constants.
static bool isLinear(AffineExpr e) {
  if (isa<AffineDimExpr, AffineConstantExpr>(e))
    return true;
  auto pair = dyn_cast<AffineBinaryOpExpr>(e);
  if (!pair || !isLinear(pair.getLHS()))
    return false;
  if (e.getKind() == AffineExprKind::Add)
    return isLinear(pair.getRHS());
  return e.getKind() == AffineExprKind::Mul && isa<AffineConstantExpr>(pair.getRHS());
}

/// (C4)
static LogicalResult verifyMaps(ContractOp op) {
  if (!op.getMaps())
    return success();
  SmallVector<AffineMap, 3> maps = op.getLoopMaps();
  auto fail = [&](StringRef what) { return op.emitOpError("(C4) ") << what << "; found " << op.getMapsAttr(); };
  if (maps.size() != 3 || op.getTransposeA() || op.getTransposeB())
    return fail("maps must be three, without transposition");
  SmallVector<Value> operands = {op.getLhs(), op.getRhs()};
  llvm::append_range(operands, op.getOuts());
  for (auto [i, operand] : llvm::enumerate(operands)) {
    AffineMap map = maps[std::min<size_t>(i, 2)];
    if (map.getNumDims() != maps[0].getNumDims() || map.getNumSymbols() ||
        map.getNumResults() != cast<ShapedType>(operand.getType()).getRank())
      return fail("maps must go from the loops to the operands' dimensions");
  }
  AffineMap lhs = maps[0], rhs = maps[1], out = maps[2];
  if (!out.isProjectedPermutation() || !out.getNumResults())
    return fail("the outs' map must be a permutation of its loops");
  unsigned columns = 0;
  for (unsigned d = 0; d < out.getNumDims(); ++d) {
    bool inLhs = lhs.isFunctionOfDim(d), inRhs = rhs.isFunctionOfDim(d), inOut = out.isFunctionOfDim(d);
    if (inLhs + inRhs + inOut < 2)
      return fail("a loop must be of two operands at least");
    if (inRhs && !inLhs && (++columns > 1 || !out.getResults().back().isFunctionOfDim(d)))
      return fail("there must be one column loop, the outs' last dimension");
    // Its size is a dimension of rhs, or of the out for rows and batches.
    bool sized = inOut || llvm::any_of(rhs.getResults(),
                                       [&](AffineExpr e) { return e == getAffineDimExpr(d, op.getContext()); });
    if (!sized)
      return fail("an inner loop must be a dimension of rhs");
  }
  if (columns != 1)
    return fail("there must be one column loop, the outs' last dimension");
  for (AffineMap map : {lhs, rhs})
    for (AffineExpr e : map.getResults())
      if (!isLinear(e))
        return fail("dimensions must be linear in the loops");
  return success();
}

LogicalResult ContractOp::verify() {
  Type element = elementOf(getLhs());
  if (getOuts().empty())
    return emitOpError("(C1) needs an out");
  SmallVector<Value> operands = {getLhs(), getRhs()};
  llvm::append_range(operands, getOuts());
  if (!getMaps())
    for (Value matrix : operands)
      if (cast<ShapedType>(matrix.getType()).getRank() != 2)
        return emitOpError("(C1) operands must be matrices; found ") << matrix.getType();
  if (elementOf(getRhs()) != element)
    return emitOpError("(C1) element types must agree; found ") << element << " and " << elementOf(getRhs());
  if (getExtraMaps().size() != getExtras().size())
    return emitOpError("(C2) needs one map for each extra; found ")
           << getExtraMaps().size() << " for " << getExtras().size();
  if (failed(verifyMaps(*this)))
    return failure();
  auto outRank = static_cast<unsigned>(cast<ShapedType>(getOuts()[0].getType()).getRank());
  SmallVector<Type> arguments = {element};
  for (auto [extra, map] : llvm::zip(getExtras(), getExtraMaps().getAsValueRange<AffineMapAttr>())) {
    if (map.getNumDims() != outRank || map.getNumResults() != cast<ShapedType>(extra.getType()).getRank())
      return emitOpError("(C2) a map must go from the outs' dimensions to the extra's; found ")
             << AffineMapAttr::get(map) << " for " << extra.getType();
    arguments.push_back(elementOf(extra));
  }
  return verifyBody(*this, getBody(), arguments, getOuts(), "(C3)");
}

LogicalResult TakeRowsOp::verify() {
  auto table = cast<ShapedType>(getTable().getType()), ids = cast<ShapedType>(getIds().getType());
  if (getOuts().size() != 1)
    return emitOpError("(C1) needs one out");
  auto out = cast<ShapedType>(getOuts()[0].getType());
  if (ids.getRank() != 1 || !table.getRank() || out.getRank() != table.getRank() ||
      table.getShape().drop_front() != out.getShape().drop_front())
    return emitOpError("(C1) ids must be [n] and the out like the table behind the first dimension; found ")
           << table << " and " << out;
  return success();
}

/// (C1) of the segment ops: `counted` has a row for each end, both have one row shape.
static LogicalResult verifySegments(Operation *op, Value ends, Value counted, Value other) {
  auto endsType = cast<ShapedType>(ends.getType()), rows = cast<ShapedType>(counted.getType());
  auto values = cast<ShapedType>(other.getType());
  if (endsType.getRank() != 1 || !rows.getRank() || rows.getRank() != values.getRank() ||
      rows.getShape().drop_front() != values.getShape().drop_front() ||
      rows.getElementType() != values.getElementType())
    return op->emitOpError("(C1) ends must be [m] and both sides alike behind the first dimension; found ")
           << rows << " and " << values;
  return success();
}

LogicalResult SegmentSumOp::verify() {
  return getOuts().size() == 1 ? verifySegments(*this, getEnds(), getOuts()[0], getValues())
                               : emitOpError("(C1) needs one out");
}

LogicalResult SegmentRepeatOp::verify() {
  return getOuts().size() == 1 ? verifySegments(*this, getEnds(), getRows(), getOuts()[0])
                               : emitOpError("(C1) needs one out");
}

LogicalResult UpdateRowsOp::verify() {
  if (getOuts().empty() || llvm::any_of(getOuts(), [&](Value v) { return elementOf(v) != elementOf(getOuts()[0]); }))
    return emitOpError("(C1) needs outs of one type");
  if (!getGrouping().empty() && getGrouping().size() != 2)
    return emitOpError("(C1) grouping is (ends, order); found ") << getGrouping().size() << " values";
  SmallVector<Type> arguments(getOuts().size() + 1, elementOf(getOuts()[0]));
  if (getEveryRow())
    arguments.push_back(IntegerType::get(getContext(), 1));
  for (Value scalar : getScalars())
    arguments.push_back(elementOf(scalar));
  return verifyBody(*this, getBody(), arguments, getOuts(), "(C2)");
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

LogicalResult ServiceOp::verify() {
  size_t buffers = llvm::count_if(getSignature(), [](char c) { return c == 'b' || c == 'u' || c == 'v'; });
  size_t constants = llvm::count_if(getSignature(), [](char c) { return c == 'i' || c == 'l'; });
  size_t texts = getSignature().count('s');
  if (buffers != getIns().size() + getOuts().size() || constants != getConstants().size() || texts != getTexts().size())
    return emitOpError("(C1) signature '")
           << getSignature() << "' does not match " << getIns().size() + getOuts().size() << " buffers, "
           << getConstants().size() << " constants, " << getTexts().size() << " texts";
  return success();
}

LogicalResult LaunchOp::verify() {
  if (getBody().getNumArguments() != 1 || !getBody().getArgument(0).getType().isIndex() ||
      getBody().front().getTerminator()->getNumOperands())
    return emitOpError("(C1) the region must take an index and yield nothing");
  return success();
}

LogicalResult GroupOp::verify() {
  for (Operation &op : getBody().front())
    if (!isa<LaunchOp>(op))
      return emitOpError("(C1) the region must hold kern.launch only; found ") << op.getName();
  return success();
}
