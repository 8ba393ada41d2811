// Type rules and verifiers of control flow, and the interfaces that tell upstream of it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfSizeOrigin.h"
#include "dialects/Df/IR/DfVerify.h"

using namespace mlir;
using namespace mlc::df;

/// The op at the end of a region, which is verified later, if it is one of this kind.
template <typename Op> static Op terminatorOf(Region &region) {
  bool isEmpty = region.empty() || region.front().empty();
  return isEmpty ? Op() : dyn_cast<Op>(region.front().back());
}

/// Whether a value was taken from the yield, as reducers do before they verify; the verifier of the yield tells of it.
static bool lacksValues(YieldOp yield) { return llvm::is_contained(yield.getOperands(), Value()); }

/// Whether the region's block ends in a yield of `types`.
static LogicalResult verifyYields(Operation *op, Region &region, TypeRange types, StringRef constraint) {
  auto yield = terminatorOf<YieldOp>(region);
  if (!yield)
    return op->emitOpError() << constraint << ": the region must end in df.yield";
  if (lacksValues(yield))
    return success();
  if (TypeRange(yield.getOperands()) != types) {
    InFlightDiagnostic diag = op->emitOpError() << constraint << ": expected (" << types << ")";
    diag.attachNote(yield.getLoc()) << "yields (" << TypeRange(yield.getOperands()) << ")";
    return diag;
  }
  return success();
}

/// The results are what the regions yield, all of them the same types.
static LogicalResult inferYields(TypeInference &infer, RegionRange regions, StringRef constraint) {
  YieldOp first;
  for (Region *region : regions) {
    auto yield = terminatorOf<YieldOp>(*region);
    if (!yield)
      return infer.error() << constraint << ": the region must end in df.yield";
    if (lacksValues(yield))
      return infer.unknown();
    if (first && TypeRange(first.getOperands()) != TypeRange(yield.getOperands())) {
      InFlightDiagnostic diag = infer.error() << constraint << ": expected (" << TypeRange(first.getOperands()) << ")";
      diag.attachNote(yield.getLoc()) << "yields (" << TypeRange(yield.getOperands()) << ")";
      return diag;
    }
    first = yield;
  }
  for (Type type : first.getOperandTypes())
    (void)infer.result(type, constraint);
  return success();
}

LogicalResult IfOp::inferTypes(TypeInference &infer, Adaptor op) {
  return inferYields(infer, op.getRegions(), "(C1) both regions must yield the result types");
}

/// The types of what is stacked of `rows`, `count` of each. `yields` is the number of the constraint that rows break.
static LogicalResult inferStacked(TypeInference &infer, ValueRange rows, int64_t count, StringRef yields,
                                  StringRef constraint) {
  for (Value row : rows) {
    auto type = dyn_cast<RankedTensorType>(row.getType());
    if (!type)
      return infer.error(yields + " the body must yield tensors; found ") << row.getType();
    SmallVector<int64_t> shape{count};
    llvm::append_range(shape, type.getShape());
    (void)infer.result(type.clone(shape), constraint);
  }
  return success();
}

LogicalResult WhileOp::inferTypes(TypeInference &infer, Adaptor op) {
  for (Value init : op.getInits())
    (void)infer.result(init.getType(), "(C1) results must have the types of the initial values");
  auto yield = terminatorOf<YieldOp>(op.getBodyRegion());
  if (!yield)
    return infer.error("(C2) the body must yield the carried types: the region must end in df.yield");
  if (lacksValues(yield))
    return infer.unknown();
  if (yield.getNumOperands() <= op.getInits().size())
    return success();
  std::optional<uint64_t> bound = op.getMaxIterations();
  if (!bound)
    return infer.error("(C4) rows after the carried values need max_iterations: yields (")
           << TypeRange(yield.getOperands()) << ")";
  if (failed(inferStacked(infer, yield.getOperands().drop_front(op.getInits().size()), static_cast<int64_t>(*bound),
                          "(C2)",
                          "(C4) stacked results must be [max_iterations, ..] of the rows that the body yields")))
    return failure();
  return infer.result(RankedTensorType::get({}, infer.i64()), "(C4) the last result must be the number of iterations");
}

LogicalResult WhileOp::verify() {
  TypeRange types(getInits());
  for (Region *region : {&getConditionRegion(), &getBodyRegion()})
    if (TypeRange(region->getArgumentTypes()) != types)
      return emitOpError("(C1) regions must take the initial values' types (")
             << types << "); found (" << region->getArgumentTypes() << ")";
  if (!terminatorOf<ConditionOp>(getConditionRegion()))
    return emitOpError("(C2) the condition region must end in df.condition");
  SmallVector<Type> yields(types);
  for (Type stacked : getStacked().getTypes())
    yields.push_back(rowType(cast<RankedTensorType>(stacked)));
  if (failed(verifyYields(*this, getBodyRegion(), yields, "(C2) the body must yield the carried types, then rows")))
    return failure();
  if (getMaxIterations() && static_cast<int64_t>(*getMaxIterations()) < 0)
    return emitOpError("(C3) max_iterations must be >= 0; found ") << static_cast<int64_t>(*getMaxIterations());
  if (getMustEnd() && !getMaxIterations())
    return emitOpError("(C3) must_end needs max_iterations");
  return success();
}

YieldOp WhileOp::getYield() { return cast<YieldOp>(getBodyRegion().front().getTerminator()); }

YieldOp ScanOp::getYield() { return cast<YieldOp>(getBody().front().getTerminator()); }

int64_t ScanOp::getNumRows() {
  return getSequences().empty() ? ShapedType::kDynamic : shapeOf(getSequences().front().getType()).front();
}

LogicalResult ScanOp::inferTypes(TypeInference &infer, Adaptor op) {
  if (op.getSequences().empty() && !op.getCount())
    return infer.error("(C1) needs a sequence or a count");
  int64_t rows = ShapedType::kDynamic;
  Type first;
  for (Value value : op.getSequences()) {
    auto sequence = cast<RankedTensorType>(value.getType());
    if (sequence.getRank() == 0)
      return infer.error("(C1) sequences must have rank >= 1; found ") << sequence;
    rows = first ? rows : sequence.getDimSize(0);
    first = first ? first : sequence;
    if (sequence.getDimSize(0) != rows)
      return infer.error("(C1) sequences must have one leading dimension; found ") << first << " and " << sequence;
  }
  for (Value init : op.getInits())
    (void)infer.result(init.getType(), "(C4) the first results must have the types of the initial values");
  auto yield = terminatorOf<YieldOp>(op.getBody());
  if (!yield)
    return infer.error("(C3) the body must yield the carried types, then rows of the results: the region must end in "
                       "df.yield");
  if (lacksValues(yield))
    return infer.unknown();
  if (yield.getNumOperands() < op.getInits().size())
    return infer.error("(C3) the body must yield the carried types, then rows of the results: yields (")
           << TypeRange(yield.getOperands()) << ")";
  return inferStacked(infer, yield.getOperands().drop_front(op.getInits().size()), rows, "(C3)",
                      "(C4) stacked results must have the leading dimension of the first sequence, a dynamic one "
                      "without sequences, and the rows that the body yields");
}

/// Code holds so many copies of the body.
static constexpr int64_t kMostParallelIterations = 1024;

LogicalResult ScanOp::verify() {
  SmallVector<Type> arguments(getInits().getTypes());
  for (Type sequence : getSequences().getTypes())
    arguments.push_back(rowType(cast<RankedTensorType>(sequence)));
  if (TypeRange(getBody().getArgumentTypes()) != TypeRange(arguments))
    return emitOpError("(C2) the body must take (") << arguments << "); found (" << getBody().getArgumentTypes() << ")";
  if (auto factor = getParallelIterationsAttr();
      factor && (factor.getInt() < 1 || factor.getInt() > kMostParallelIterations))
    return emitOpError("(C5) parallel_iterations must be in [1, ")
           << kMostParallelIterations << "]; found " << factor.getInt();
  SmallVector<Type> yields(getInits().getTypes());
  for (Type stacked : getStacked().getTypes())
    yields.push_back(rowType(cast<RankedTensorType>(stacked)));
  return verifyYields(*this, getBody(), yields, "(C3) the body must yield the carried types, then rows of the results");
}

LogicalResult RematOp::inferTypes(TypeInference &infer, Adaptor op) {
  return inferYields(infer, op.getRegions(), "(C1) the region must yield the result types");
}

LogicalResult CustomGradientOp::inferTypes(TypeInference &infer, Adaptor op) {
  return inferYields(infer, op.getRegions().take_front(1), "(C2) the first region must yield the result types");
}

static bool isOfFloats(Type type) { return isa<FloatType>(elementType(type)); }

LogicalResult CustomGradientOp::verify() {
  if (TypeRange(getForward().getArgumentTypes()) != TypeRange(getOperands()))
    return emitOpError("(C1) the first region must take the operands' types (")
           << TypeRange(getOperands()) << "); found (" << getForward().getArgumentTypes() << ")";
  if (auto kept = static_cast<int64_t>(getResiduals()); kept < 0 || kept > getNumResults())
    return emitOpError("(C3) residuals must be >= 0 and at most the number of results, ")
           << getNumResults() << "; found " << kept;
  SmallVector<Type> takes(getKept().getTypes()), gives;
  llvm::copy_if(getOutputs().getTypes(), std::back_inserter(takes), isOfFloats);
  llvm::copy_if(getOperands().getTypes(), std::back_inserter(gives), isOfFloats);
  if (TypeRange(getBackward().getArgumentTypes()) != TypeRange(takes))
    return emitOpError("(C4) the backward region must take the residuals, then the cotangents of the outputs of floats "
                       "(")
           << takes << "); found (" << getBackward().getArgumentTypes() << ")";
  return verifyYields(*this, getBackward(), gives,
                      "(C5) the backward region must yield the gradients of the operands of floats");
}

//===-- control flow, as upstream's analyses and passes see it --------------------------===//

/// Nothing that is forwarded.
static MutableOperandRange noOperands(Operation *op) { return MutableOperandRange(op, 0, 0); }

/// The truth that a constant operand tells, if it is one.
static std::optional<bool> truthOf(Attribute constant) {
  auto elements = dyn_cast_or_null<DenseElementsAttr>(constant);
  return elements ? std::optional(elements.getSplatValue<bool>()) : std::nullopt;
}

MutableOperandRange YieldOp::getMutableSuccessorOperands(RegionSuccessor) {
  if (isa<WhileOp>((*this)->getParentOp()))
    return noOperands(*this);
  // Rows are stacked: what a scan forwards is what it carries.
  if (auto scan = dyn_cast<ScanOp>((*this)->getParentOp()))
    return MutableOperandRange(*this, 0, scan.getNumCarried());
  return getOperandsMutable();
}

MutableOperandRange ConditionOp::getMutableSuccessorOperands(RegionSuccessor) { return noOperands(*this); }

void IfOp::getSuccessorRegions(RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &regions) {
  if (!point.isParent()) {
    regions.emplace_back(getOperation(), getResults());
    return;
  }
  regions.emplace_back(&getThenRegion());
  regions.emplace_back(&getElseRegion());
}

void IfOp::getEntrySuccessorRegions(ArrayRef<Attribute> operands, SmallVectorImpl<RegionSuccessor> &regions) {
  std::optional<bool> condition = truthOf(operands.front());
  if (!condition || *condition)
    regions.emplace_back(&getThenRegion());
  if (!condition || !*condition)
    regions.emplace_back(&getElseRegion());
}

void IfOp::getRegionInvocationBounds(ArrayRef<Attribute> operands, SmallVectorImpl<InvocationBounds> &bounds) {
  std::optional<bool> condition = truthOf(operands.front());
  for (bool taken : {true, false})
    bounds.emplace_back(condition && *condition == taken ? 1 : 0, condition && *condition != taken ? 0 : 1);
}

void RematOp::getSuccessorRegions(RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &regions) {
  if (point.isParent())
    regions.emplace_back(&getBody());
  else
    regions.emplace_back(getOperation(), getResults());
}

void RematOp::getRegionInvocationBounds(ArrayRef<Attribute>, SmallVectorImpl<InvocationBounds> &bounds) {
  bounds.emplace_back(1, 1);
}

void WhileOp::getSuccessorRegions(RegionBranchPoint point, SmallVectorImpl<RegionSuccessor> &regions) {
  Operation *terminator = point.getTerminatorPredecessorOrNull();
  if (!terminator || terminator->getParentRegion() == &getBodyRegion()) {
    regions.emplace_back(&getConditionRegion());
    return;
  }
  regions.emplace_back(&getBodyRegion());
  regions.emplace_back(getOperation(), getResults().take_front(0));
}

void ScanOp::getSuccessorRegions(RegionBranchPoint, SmallVectorImpl<RegionSuccessor> &regions) {
  regions.emplace_back(&getBody(), getCarriedArguments());
  regions.emplace_back(getOperation(), getResults().take_front(getNumCarried()));
}

OperandRange ScanOp::getEntrySuccessorOperands(RegionSuccessor) { return getInits(); }

//===-- loops -------------------------------------------------------------------------------===//

static MutableArrayRef<OpOperand> carriedOperands(Region &body, unsigned numCarried) {
  return body.front().getTerminator()->getOpOperands().take_front(numCarried);
}

SmallVector<Region *> WhileOp::getLoopRegions() { return {&getConditionRegion(), &getBodyRegion()}; }
Block::BlockArgListType WhileOp::getRegionIterArgs() { return getConditionRegion().getArguments(); }
std::optional<MutableArrayRef<OpOperand>> WhileOp::getYieldedValuesMutable() {
  return carriedOperands(getBodyRegion(), getInits().size());
}
std::optional<ResultRange> WhileOp::getLoopResults() { return getResults().take_front(getNumCarried()); }

SmallVector<Region *> ScanOp::getLoopRegions() { return {&getBody()}; }
Block::BlockArgListType ScanOp::getRegionIterArgs() { return getCarriedArguments(); }
std::optional<MutableArrayRef<OpOperand>> ScanOp::getYieldedValuesMutable() {
  return carriedOperands(getBody(), getNumCarried());
}
std::optional<ResultRange> ScanOp::getLoopResults() { return getResults().take_front(getNumCarried()); }
std::optional<APInt> ScanOp::getStaticTripCount() {
  if (getCount() || ShapedType::isDynamic(getNumRows()))
    return std::nullopt;
  return APInt(64, getNumRows());
}

//===-- where sizes come from -------------------------------------------------------------===//

using Origin = std::optional<Dimension>;

/// What a value that either branch may yield is as large as, outside of both.
Origin IfOp::getSizeOrigin(Value result, int64_t d) {
  unsigned k = cast<OpResult>(result).getResultNumber();
  auto of = [&](Region &region) { return traceSize(region.front().getTerminator()->getOperand(k), d, region); };
  Origin a = of(getThenRegion()), b = of(getElseRegion());
  return a && b && areMadeInOnePlace(*a, *b) ? a : std::nullopt;
}

Origin RematOp::getSizeOrigin(Value result, int64_t d) {
  return Dimension{getBody().front().getTerminator()->getOperand(cast<OpResult>(result).getResultNumber()), d};
}

Origin WhileOp::getSizeOrigin(Value value, int64_t d) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return Dimension{getInits()[argument.getArgNumber()], d};
  unsigned k = cast<OpResult>(value).getResultNumber();
  return k < getNumCarried() ? Dimension{getInits()[k], d} : Dimension{getYield().getOperand(k), d - 1};
}

void WhileOp::forEachCarried(Operation *terminator, llvm::function_ref<void(Value, Value)> visit) {
  if (isa<YieldOp>(terminator))
    for (auto [argument, next] : llvm::zip_first(getBodyRegion().getArguments(), terminator->getOperands()))
      visit(argument, next);
}

Origin ScanOp::getSizeOrigin(Value value, int64_t d) {
  unsigned numCarried = getNumCarried();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    unsigned k = argument.getArgNumber();
    return k < numCarried ? Dimension{getInits()[k], d} : Dimension{getSequences()[k - numCarried], d + 1};
  }
  unsigned k = cast<OpResult>(value).getResultNumber();
  if (k < numCarried)
    return Dimension{getInits()[k], d};
  if (d > 0)
    return Dimension{getYield().getOperand(k), d - 1};
  if (getSequences().empty())
    return std::nullopt;
  return Dimension{getSequences().front(), 0};
}

void ScanOp::forEachCarried(Operation *terminator, llvm::function_ref<void(Value, Value)> visit) {
  for (auto [argument, next] : llvm::zip_first(getCarriedArguments(), terminator->getOperands()))
    visit(argument, next);
}

void ScanOp::forEachSameSize(llvm::function_ref<void(Dimension, Dimension)> visit) {
  for (Value sequence : getSequences().drop_front(!getSequences().empty()))
    visit({getSequences().front(), 0}, {sequence, 0});
}
