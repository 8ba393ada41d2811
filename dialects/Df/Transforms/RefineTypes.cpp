// df-refine-types: see DfPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfSizeOrigin.h"
#include "dialects/Df/IR/DfVerify.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Iterators.h"
#include "llvm/ADT/MapVector.h"

namespace mlc::df {
#define GEN_PASS_DEF_DFREFINETYPESPASS
#include "dialects/Df/Transforms/DfPasses.h.inc"
} // namespace mlc::df

using namespace mlir;
using namespace mlc::df;

static int64_t sizeOf(Dimension at) { return cast<RankedTensorType>(at.value.getType()).getDimSize(at.index); }

/// `type` with one size that it did not know.
static RankedTensorType withSize(RankedTensorType type, int64_t d, int64_t size) {
  SmallVector<int64_t> shape(type.getShape());
  shape[d] = size;
  return type.clone(shape);
}

//===-- values ----------------------------------------------------------------------===//

/// What is known of the sizes of a value that may have been given a type that knows fewer.
static Type knownType(Value value) {
  Type type = value.getType();
  while (auto cast = value.getDefiningOp<CastShapeOp>()) {
    value = cast.getOperand();
    Type both = joinTypes(type, value.getType());
    if (!both)
      break;
    type = both;
  }
  return type;
}

/// What two types both know, by a type that knows no more than either does.
static RankedTensorType meet(RankedTensorType declared, Type a, Type b) {
  SmallVector<int64_t> shape(declared.getShape());
  for (auto [size, x, y] : llvm::zip_equal(shape, shapeOf(a), shapeOf(b)))
    if (ShapedType::isDynamic(size) && x == y)
      size = x;
  return declared.clone(shape);
}

/// The value under `type`, for an operand of `user`.
static Value withType(Value value, Type type, Operation *user) {
  if (value.getType() == type)
    return value;
  // What was forgotten need not be checked.
  for (auto cast = value.getDefiningOp<CastShapeOp>(); cast && !cast.isRefining();
       cast = value.getDefiningOp<CastShapeOp>()) {
    value = cast.getOperand();
    if (value.getType() == type)
      return value;
  }
  OpBuilder builder(user);
  return CastShapeOp::create(builder, user->getLoc(), type, value);
}
static void castOperand(OpOperand &operand, Type type) {
  operand.set(withType(operand.get(), type, operand.getOwner()));
}

/// Whether the op that uses a value tells dimensions of it to be as large as other ones of its own.
static bool isMapped(OpOperand &use, ArrayRef<int64_t> dimensions) {
  DimensionMapping map = getDimensions(use.getOwner());
  return llvm::all_of(dimensions, [&](int64_t d) { return map.get({use.get(), d}).size() > 1; });
}

/// The types that an op infers for its results; fails, without a word if there is no location, where it does not.
static LogicalResult inferTypesOf(Operation *op, std::optional<Location> location, SmallVectorImpl<Type> &types) {
  auto inferring = dyn_cast<InferTypeOpInterface>(op);
  if (!inferring || op->getNumRegions() != 0)
    return failure();
  return inferring.inferReturnTypes(op->getContext(), location, op->getOperands(), op->getDiscardableAttrDictionary(),
                                    op->getPropertiesStorage(), op->getRegions(), types);
}

/// Whether the op can have its operands as they are now, and gets the types of its results from them when it is
/// visited.
static bool infersAgain(Operation *op) {
  SmallVector<Type> types;
  return succeeded(inferTypesOf(op, std::nullopt, types)) && agree(TypeRange(types), op->getResultTypes());
}

/// Gives a value a type that knows more; uses that cannot have it keep the old one.
static void refineValue(Value value, RankedTensorType type) {
  auto before = cast<RankedTensorType>(value.getType());
  if (type == before)
    return;
  SmallVector<int64_t> refined;
  for (int64_t d = 0; d < type.getRank(); ++d)
    if (before.isDynamicDim(d) && !type.isDynamicDim(d))
      refined.push_back(d);
  value.setType(type);
  SmallVector<OpOperand *> others;
  for (OpOperand &use : value.getUses())
    if (!isMapped(use, refined) && !infersAgain(use.getOwner()))
      others.push_back(&use);
  if (others.empty())
    return;
  OpBuilder builder(value.getContext());
  builder.setInsertionPointAfterValue(value);
  Value relaxed = CastShapeOp::create(builder, value.getLoc(), before, value);
  for (OpOperand *use : others)
    use->set(relaxed);
}

//===-- ops without regions -----------------------------------------------------------===//

/// All types say of a dimension what one of them knows.
static LogicalResult refineDimensions(DimensionsOpInterface op) {
  DimensionMapping map = getDimensions(op);
  llvm::SmallMapVector<Value, RankedTensorType, 4> types;
  for (ArrayRef<Dimension> set : map.getSets()) {
    const Dimension *known = llvm::find_if(set, [](const Dimension &each) { return each.isStatic(); });
    if (known == set.end())
      continue;
    for (const Dimension &each : set) {
      auto type = dyn_cast<RankedTensorType>(each.value.getType());
      if (!type)
        continue;
      if (!agree(sizeOf(each), sizeOf(*known)))
        return op->emitOpError("needs equal sizes of dimension ")
               << each.index << " of " << type << " and dimension " << known->index << " of " << known->value.getType();
      if (type.isDynamicDim(each.index)) {
        RankedTensorType &better = types.try_emplace(each.value, type).first->second;
        better = withSize(better, each.index, sizeOf(*known));
      }
    }
  }
  for (auto &[value, type] : types)
    if (value.getDefiningOp() == op.getOperation())
      refineValue(value, type);
    else
      op->replaceUsesOfWith(value, withType(value, type, op));
  return success();
}

/// Sizes that the op makes are those that it computes of what is known now.
static LogicalResult refineInferred(Operation *op) {
  if (!isa<InferTypeOpInterface>(op) || op->getNumRegions() != 0)
    return success();
  SmallVector<Type> types;
  if (failed(inferTypesOf(op, op->getLoc(), types)))
    return failure();
  for (auto [result, type] : llvm::zip_equal(op->getResults(), types))
    if (auto better = dyn_cast_or_null<RankedTensorType>(joinTypes(result.getType(), type)))
      refineValue(result, better);
  return success();
}

//===-- control flow ------------------------------------------------------------------===//

static LogicalResult refineRegion(Region &region);

/// The results are what each of the regions yields.
static LogicalResult refineBranches(Operation *op) {
  for (Region &region : op->getRegions())
    if (failed(refineRegion(region)))
      return failure();
  for (OpResult result : op->getResults()) {
    auto declared = dyn_cast<RankedTensorType>(result.getType());
    if (!declared)
      continue;
    SmallVector<OpOperand *, 2> yielded;
    for (Region &region : op->getRegions())
      yielded.push_back(&region.front().getTerminator()->getOpOperand(result.getResultNumber()));
    RankedTensorType type = meet(declared, knownType(yielded.front()->get()), knownType(yielded.back()->get()));
    if (type == declared)
      continue;
    for (OpOperand *operand : yielded)
      castOperand(*operand, type);
    refineValue(result, type);
  }
  return success();
}

namespace {
/// What a loop carries: initial values, arguments of its regions, what it yields, results, all of one type each.
struct Carried {
  Operation *loop;
  MutableArrayRef<OpOperand> inits;
  SmallVector<Block *, 2> blocks;
  Block *body;

  /// Gives them types that know more; whether it did.
  bool refine();

private:
  bool isKept(Dimension yielded, int64_t size, ArrayRef<RankedTensorType> types) const;
};
} // namespace

/// Whether what the body yields has `size` if its arguments have `types`: its type says so, or it is as large as one.
bool Carried::isKept(Dimension yielded, int64_t size, ArrayRef<RankedTensorType> types) const {
  Region *region = body->getParent();
  std::optional<Dimension> at = yielded;
  while (at) {
    auto type = dyn_cast<RankedTensorType>(knownType(at->value));
    if (type && !type.isDynamicDim(at->index))
      return type.getDimSize(at->index) == size;
    auto argument = dyn_cast<BlockArgument>(at->value);
    if (argument && argument.getOwner() == body)
      return argument.getArgNumber() < types.size() && types[argument.getArgNumber()] &&
             types[argument.getArgNumber()].getDimSize(at->index) == size;
    if (!region->isAncestor(at->value.getParentRegion()))
      return false;
    at = sizeOriginOf(at->value, at->index);
  }
  return false;
}

bool Carried::refine() {
  // What the initial values know, less what an iteration would not keep.
  SmallVector<RankedTensorType> types;
  for (OpOperand &init : inits)
    types.push_back(dyn_cast<RankedTensorType>(knownType(init.get())));
  Operation *yield = body->getTerminator();
  for (bool isStable = false; !isStable;) {
    isStable = true;
    for (auto [k, init] : llvm::enumerate(inits)) {
      auto declared = dyn_cast<RankedTensorType>(init.get().getType());
      for (int64_t d = 0, e = declared ? declared.getRank() : 0; d < e; ++d) {
        int64_t size = types[k].getDimSize(d);
        if (!declared.isDynamicDim(d) || ShapedType::isDynamic(size) || isKept({yield->getOperand(k), d}, size, types))
          continue;
        types[k] = withSize(types[k], d, ShapedType::kDynamic);
        isStable = false;
      }
    }
  }
  bool changed = false;
  for (auto [k, init] : llvm::enumerate(inits)) {
    RankedTensorType type = types[k];
    if (!type || type == init.get().getType())
      continue;
    changed = true;
    castOperand(init, type);
    for (Block *block : blocks)
      refineValue(block->getArgument(k), type);
    castOperand(yield->getOpOperand(k), type);
    refineValue(loop->getResult(k), type);
  }
  return changed;
}

/// Stacked results are the rows that the body yields, `count` of each.
static void refineStacked(ResultRange results, YieldOp yield, int64_t count) {
  for (OpResult stacked : results) {
    OpOperand &yielded = yield->getOpOperand(stacked.getResultNumber());
    auto row = cast<RankedTensorType>(knownType(yielded.get()));
    castOperand(yielded, row);
    SmallVector<int64_t> shape{count};
    llvm::append_range(shape, row.getShape());
    if (auto type = dyn_cast_or_null<RankedTensorType>(joinTypes(stacked.getType(), row.clone(shape))))
      refineValue(stacked, type);
  }
}

static LogicalResult refineWhile(WhileOp loop) {
  Block *condition = &loop.getConditionRegion().front(), *body = &loop.getBodyRegion().front();
  Carried carried{loop, loop->getOpOperands(), {condition, body}, body};
  do {
    carried.refine();
    for (Region &region : loop->getRegions())
      if (failed(refineRegion(region)))
        return failure();
    // What the body knows now may keep more.
  } while (carried.refine());
  refineStacked(loop.getStacked(), loop.getYield(), static_cast<int64_t>(loop.getMaxIterations().value_or(0)));
  return success();
}

/// Sequences have one number of rows; the body's arguments are their rows.
static void refineSequences(ScanOp scan) {
  int64_t rows = scan.getNumRows();
  for (Value sequence : scan.getSequences())
    rows = joinSizes(rows, shapeOf(knownType(sequence)).front());
  for (auto [operand, argument] : llvm::zip_equal(scan.getSequencesMutable(), scan.getRowArguments())) {
    auto known = cast<RankedTensorType>(knownType(operand.get()));
    auto type = ShapedType::isDynamic(rows) || !agree(known.getDimSize(0), rows) ? known : withSize(known, 0, rows);
    castOperand(operand, type);
    refineValue(argument, rowType(type));
  }
}

static LogicalResult refineScan(ScanOp scan) {
  Block *body = &scan.getBody().front();
  Carried carried{scan, scan->getOpOperands().take_front(scan.getNumCarried()), {body}, body};
  refineSequences(scan);
  do {
    carried.refine();
    if (failed(refineRegion(scan.getBody())))
      return failure();
  } while (carried.refine());
  refineStacked(scan.getStacked(), scan.getYield(), scan.getNumRows());
  return success();
}

static LogicalResult refine(Operation *op) {
  if (isa<IfOp, RematOp>(op))
    return refineBranches(op);
  if (auto loop = dyn_cast<WhileOp>(op))
    return refineWhile(loop);
  if (auto scan = dyn_cast<ScanOp>(op))
    return refineScan(scan);
  // A cast is where two types of one value meet.
  if (isa<CastShapeOp>(op))
    return success();
  if (auto mapped = dyn_cast<DimensionsOpInterface>(op); mapped && failed(refineDimensions(mapped)))
    return failure();
  for (Region &region : op->getRegions())
    if (failed(refineRegion(region)))
      return failure();
  return refineInferred(op);
}

/// In the order of the program: what an op finds of its operands stays.
static LogicalResult refineRegion(Region &region) {
  for (Block &block : region)
    for (Operation &op : llvm::make_early_inc_range(block))
      if (failed(refine(&op)))
        return failure();
  return success();
}

//===-- calls -------------------------------------------------------------------------===//

/// Numbers of the arguments or results that are bound as intermediates: those that a call names, in its order.
static SmallVector<unsigned> intermediates(unsigned count, llvm::function_ref<BindingAttr(unsigned)> bindingOf) {
  SmallVector<unsigned> numbers;
  for (unsigned i = 0; i < count; ++i)
    if (BindingAttr binding = bindingOf(i); binding && binding.getKind() == BindingKind::Intermediate)
      numbers.push_back(i);
  return numbers;
}

/// The attributes of an argument or a result whose type knows more: symbols of the dimensions that stay dynamic.
static DictionaryAttr withoutKnown(DictionaryAttr attributes, Type before, RankedTensorType type) {
  SmallVector<int64_t> symbols;
  for (auto [d, symbol] : llvm::enumerate(FunctionOp::symbolsOf(attributes, before)))
    if (symbol && type.isDynamicDim(d))
      symbols.push_back(*symbol);
  NamedAttrList list(attributes);
  FunctionOp::setSymbols(list, type, symbols);
  return list.getDictionary(type.getContext());
}

/// Arguments know what all callers know, and the results of calls what the function does. Whether something changed.
static bool refineCalls(FunctionOp callee, ArrayRef<CallOp> calls) {
  SmallVector<Type> arguments(callee.getArgumentTypes()), results(callee.getResultTypes());
  bool changed = false;
  auto taken = intermediates(arguments.size(), [&](unsigned i) { return callee.getArgBinding(i); });
  for (auto [k, i] : llvm::enumerate(taken)) {
    auto declared = dyn_cast<RankedTensorType>(arguments[i]);
    if (!declared)
      continue;
    auto unknown = declared.clone(SmallVector<int64_t>(declared.getRank(), ShapedType::kDynamic));
    RankedTensorType passed;
    for (CallOp call : calls) {
      auto known = cast<RankedTensorType>(knownType(call.getOperands()[k]));
      passed = passed ? meet(unknown, passed, known) : known;
    }
    auto type = dyn_cast_or_null<RankedTensorType>(joinTypes(declared, passed));
    if (!type || type == declared)
      continue;
    changed = true;
    callee.setArgAttrs(i, withoutKnown(callee.getArgAttrDict(i), declared, type));
    arguments[i] = type;
    refineValue(callee.getBody().getArgument(i), type);
    for (CallOp call : calls)
      castOperand(call->getOpOperand(k), type);
  }
  auto given = intermediates(results.size(), [&](unsigned i) { return callee.getResultBinding(i); });
  Operation *end = callee.getBody().front().getTerminator();
  for (auto [k, i] : llvm::enumerate(given)) {
    auto declared = dyn_cast<RankedTensorType>(results[i]);
    auto type = dyn_cast_or_null<RankedTensorType>(joinTypes(results[i], knownType(end->getOperand(i))));
    if (!declared || !type || type == declared)
      continue;
    changed = true;
    callee.setResultAttrs(i, withoutKnown(callee.getResultAttrDict(i), declared, type));
    results[i] = type;
    castOperand(end->getOpOperand(i), type);
    for (CallOp call : calls)
      refineValue(call->getResult(k), type);
  }
  callee.setFunctionType(FunctionType::get(callee.getContext(), arguments, results));
  return changed;
}

/// Casts between equal types, and those that nothing uses any more.
static void eraseCasts(ModuleOp module) {
  module.walk([](CastShapeOp cast) {
    if (cast.getOperand().getType() == cast.getType())
      cast.replaceAllUsesWith(cast.getOperand());
  });
  // Users come after what they use.
  module.walk<WalkOrder::PostOrder, ReverseIterator>([](CastShapeOp cast) {
    if (cast.use_empty() && !cast.isRefining())
      cast.erase();
  });
}

namespace {
struct DfRefineTypesPass : mlc::df::impl::DfRefineTypesPassBase<DfRefineTypesPass> {
  using DfRefineTypesPassBase::DfRefineTypesPassBase;

  void runOnOperation() override {
    llvm::MapVector<Attribute, SmallVector<CallOp>> calls;
    getOperation().walk([&](CallOp call) { calls[call.getCalleeAttr()].push_back(call); });
    bool changed = true;
    while (changed) {
      changed = false;
      for (auto function : getOperation().getOps<FunctionOp>())
        if (failed(refineRegion(function.getBody())))
          return signalPassFailure();
      for (auto &[symbol, callers] : calls)
        if (auto callee = getOperation().lookupSymbol<FunctionOp>(cast<FlatSymbolRefAttr>(symbol)))
          changed |= refineCalls(callee, callers);
    }
    eraseCasts(getOperation());
  }
};
} // namespace
