// df-simplify: branches with known outcomes, loops of known length, values that no one needs.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfVerify.h"
#include "dialects/Df/Transforms/Simplification.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace mlc::df;

/// The value of a scalar constant of integers or truth values.
static std::optional<int64_t> constantOf(Value value) {
  APInt number;
  if (!value || !matchPattern(value, m_ConstantInt(&number)))
    return std::nullopt;
  return number.getBitWidth() == 1 ? number.getZExtValue() : number.getSExtValue();
}

/// Replaces `op` by the block of `region`, given `arguments`.
static void inlineRegion(Operation *op, Region &region, ValueRange arguments, PatternRewriter &rewriter) {
  Operation *yield = region.front().getTerminator();
  rewriter.inlineBlockBefore(&region.front(), op, arguments);
  rewriter.replaceOp(op, yield->getOperands());
  rewriter.eraseOp(yield);
}

/// The results that have no uses and, if they are carried, are not needed for others in any of `blocks`: arguments of
/// which reach nothing but what the blocks yield for such results. Takes time linear in the blocks.
static llvm::BitVector deadResults(Operation *op, unsigned numCarried, ArrayRef<Block *> blocks) {
  llvm::BitVector dead(op->getNumResults());
  for (OpResult result : op->getResults())
    if (result.use_empty())
      dead.set(result.getResultNumber());
  if (blocks.empty() || dead.none())
    return dead;
  SmallVector<Value> needed;
  llvm::DenseSet<Operation *> seen;
  auto needOperands = [&](Operation *user) {
    if (seen.insert(user).second)
      user->walk([&](Operation *inner) { llvm::append_range(needed, inner->getOperands()); });
  };
  for (Block *block : blocks) {
    for (Operation &inner : block->without_terminator())
      if (!isMemoryEffectFree(&inner))
        needOperands(&inner);
    auto yield = dyn_cast<YieldOp>(block->getTerminator());
    if (!yield)
      llvm::append_range(needed, block->getTerminator()->getOperands());
    else
      for (auto [i, value] : llvm::enumerate(yield->getOperands()))
        if (!dead[i])
          needed.push_back(value);
  }
  while (!needed.empty()) {
    Value value = needed.pop_back_val();
    if (Operation *maker = value.getDefiningOp())
      for (Block *block : blocks)
        if (Operation *inBlock = block->findAncestorOpInBlock(*maker))
          needOperands(inBlock);
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || !llvm::is_contained(blocks, argument.getOwner()) || argument.getArgNumber() >= numCarried ||
        !dead[argument.getArgNumber()])
      continue;
    dead.reset(argument.getArgNumber());
    for (Block *block : blocks)
      if (auto yield = dyn_cast<YieldOp>(block->getTerminator()))
        needed.push_back(yield->getOperand(argument.getArgNumber()));
  }
  return dead;
}

template <typename Range> static auto keep(Range &&range, const llvm::BitVector &dead) {
  SmallVector<std::decay_t<decltype(*range.begin())>> kept;
  for (auto [i, element] : llvm::enumerate(range))
    if (!dead[i])
      kept.push_back(element);
  return kept;
}

/// Replaces `op` by `reduced`, which lacks the results `dead`.
static void replaceKept(Operation *op, Operation *reduced, const llvm::BitVector &dead, PatternRewriter &rewriter) {
  unsigned next = 0;
  for (OpResult result : op->getResults())
    if (!dead[result.getResultNumber()])
      rewriter.replaceAllUsesWith(result, reduced->getResult(next++));
  rewriter.eraseOp(op);
}

static void eraseYielded(Block &block, const llvm::BitVector &dead, PatternRewriter &rewriter) {
  Operation *yield = block.getTerminator();
  rewriter.modifyOpInPlace(yield, [&] { yield->eraseOperands(dead); });
}

//===-- df.if -----------------------------------------------------------------------===//

static LogicalResult knownBranch(IfOp op, PatternRewriter &rewriter) {
  std::optional<int64_t> condition = constantOf(op.getCondition());
  if (!condition)
    return failure();
  inlineRegion(op, *condition ? op.getThenRegion() : op.getElseRegion(), {}, rewriter);
  return success();
}

/// Within a branch the condition is known.
static LogicalResult conditionWithin(IfOp op, PatternRewriter &rewriter) {
  bool changed = false;
  for (bool outcome : {true, false}) {
    Region &region = outcome ? op.getThenRegion() : op.getElseRegion();
    auto isWithin = [&](OpOperand &use) { return region.isAncestor(use.getOwner()->getParentRegion()); };
    if (llvm::none_of(op.getCondition().getUses(), isWithin))
      continue;
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(&region.front());
    auto type = cast<RankedTensorType>(op.getCondition().getType());
    Value known = ConstantOp::create(rewriter, op.getLoc(), DenseElementsAttr::get(type, outcome));
    rewriter.replaceUsesWithIf(op.getCondition(), known, isWithin);
    changed = true;
  }
  return success(changed);
}

/// What both branches yield alike from outside, and the condition itself.
static LogicalResult equalOutcomes(IfOp op, PatternRewriter &rewriter) {
  Operation *thenYield = op.getThenRegion().front().getTerminator(),
            *elseYield = op.getElseRegion().front().getTerminator();
  bool changed = false;
  for (auto [result, a, b] : llvm::zip(op.getResults(), thenYield->getOperands(), elseYield->getOperands())) {
    if (result.use_empty())
      continue;
    Value same;
    if (a == b)
      same = a;
    else if (result.getType() == op.getCondition().getType() && constantOf(a) == 1 && constantOf(b) == 0)
      same = op.getCondition();
    if (!same)
      continue;
    rewriter.replaceAllUsesWith(result, same);
    changed = true;
  }
  return success(changed);
}

static LogicalResult unusedOutcomes(IfOp op, PatternRewriter &rewriter) {
  llvm::BitVector dead = deadResults(op, 0, {});
  if (dead.none())
    return failure();
  auto reduced = IfOp::create(rewriter, op.getLoc(), keep(op.getResultTypes(), dead), op.getCondition());
  reduced->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  for (auto [from, to] : {std::pair(&op.getThenRegion(), &reduced.getThenRegion()),
                          std::pair(&op.getElseRegion(), &reduced.getElseRegion())}) {
    eraseYielded(from->front(), dead, rewriter);
    rewriter.inlineRegionBefore(*from, *to, to->end());
  }
  replaceKept(op, reduced, dead, rewriter);
  return success();
}

//===-- carried values that stay ------------------------------------------------------===//

/// A carried value that each iteration yields as it got it, or as it began, is its initial value.
template <typename Loop> static LogicalResult staysAsItBegan(Loop op, PatternRewriter &rewriter) {
  Block &body = op->getRegion(op->getNumRegions() - 1).front();
  bool changed = false;
  for (auto [i, init] : llvm::enumerate(op.getInits())) {
    Value yielded = body.getTerminator()->getOperand(i);
    if (yielded != body.getArgument(i) && yielded != init)
      continue;
    SmallVector<Value> same = {op->getResult(i)};
    for (Region &region : op->getRegions())
      same.push_back(region.getArgument(i));
    for (Value value : same)
      if (!value.use_empty()) {
        rewriter.replaceAllUsesWith(value, init);
        changed = true;
      }
  }
  return success(changed);
}

/// Carried values that begin alike and go on alike are one.
template <typename Loop> static LogicalResult equalCarried(Loop op, PatternRewriter &rewriter) {
  Block &body = op->getRegion(op->getNumRegions() - 1).front();
  Operation *yield = body.getTerminator();
  bool changed = false;
  llvm::SmallDenseMap<std::pair<Value, Value>, unsigned> first; // of those that begin and go on so
  for (unsigned j = 0, e = op.getInits().size(); j < e; ++j) {
    const auto [it, isNew] = first.try_emplace({op.getInits()[j], yield->getOperand(j)}, j);
    if (isNew)
      continue;
    const unsigned i = it->second;
    SmallVector<std::pair<Value, Value>> pairs = {{op->getResult(j), op->getResult(i)}};
    for (Region &region : op->getRegions())
      pairs.emplace_back(region.getArgument(j), region.getArgument(i));
    for (auto [value, same] : pairs)
      if (!value.use_empty()) {
        rewriter.replaceAllUsesWith(value, same);
        changed = true;
      }
  }
  return success(changed);
}

//===-- df.while ----------------------------------------------------------------------===//

static LogicalResult unneededInWhile(WhileOp op, PatternRewriter &rewriter) {
  // What is stacked goes with the scan that df-decompose makes of it.
  if (op.hasStacked())
    return failure();
  Block *condition = &op.getConditionRegion().front(), *body = &op.getBodyRegion().front();
  llvm::BitVector dead = deadResults(op, op.getNumResults(), {condition, body});
  if (dead.none())
    return failure();
  for (unsigned i : dead.set_bits())
    for (Block *block : {condition, body})
      rewriter.replaceAllUsesWith(block->getArgument(i), op.getInits()[i]);
  auto reduced = WhileOp::create(rewriter, op.getLoc(), keep(op.getResultTypes(), dead), keep(op.getInits(), dead),
                                 op.getMaxIterationsAttr(), op.getMustEndAttr());
  reduced->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  eraseYielded(*body, dead, rewriter);
  condition->eraseArguments(dead);
  body->eraseArguments(dead);
  rewriter.inlineRegionBefore(op.getConditionRegion(), reduced.getConditionRegion(),
                              reduced.getConditionRegion().end());
  rewriter.inlineRegionBefore(op.getBodyRegion(), reduced.getBodyRegion(), reduced.getBodyRegion().end());
  replaceKept(op, reduced, dead, rewriter);
  return success();
}

static LogicalResult neverEntered(WhileOp op, PatternRewriter &rewriter) {
  if (op.hasStacked())
    return failure();
  Block &condition = op.getConditionRegion().front();
  bool hasNone = op.getMaxIterations() && *op.getMaxIterations() == 0 && !op.getMustEnd();
  if (!hasNone && (constantOf(cast<ConditionOp>(condition.getTerminator()).getCondition()) != 0 ||
                   !llvm::all_of(condition.without_terminator(), [](Operation &o) { return isMemoryEffectFree(&o); })))
    return failure();
  rewriter.replaceOp(op, op.getInits());
  return success();
}

//===-- df.scan -----------------------------------------------------------------------===//

/// One row for each of what is stacked twice, one argument for each sequence.
static LogicalResult equalRows(ScanOp op, PatternRewriter &rewriter) {
  unsigned numCarried = op.getNumCarried();
  bool changed = false;
  auto merge = [&](Value value, Value same) {
    if (value.use_empty() || value.getType() != same.getType())
      return;
    rewriter.replaceAllUsesWith(value, same);
    changed = true;
  };
  llvm::SmallDenseMap<Value, Value> argumentOf; // of a sequence
  for (auto [sequence, argument] : llvm::zip(op.getSequences(), op.getRowArguments()))
    if (auto [first, isNew] = argumentOf.try_emplace(sequence, argument); !isNew)
      merge(argument, first->second);
  llvm::SmallDenseMap<std::pair<Value, Type>, Value> resultOf; // of what is stacked
  for (unsigned i = numCarried, e = op.getNumResults(); i < e; ++i)
    if (auto [first, isNew] =
            resultOf.try_emplace({op.getYield().getOperand(i), op->getResult(i).getType()}, op->getResult(i));
        !isNew)
      merge(op.getResult(i), first->second);
  return success(changed);
}

static LogicalResult unneededInScan(ScanOp op, PatternRewriter &rewriter) {
  Block &body = op.getBody().front();
  unsigned numCarried = op.getNumCarried();
  llvm::BitVector dead = deadResults(op, numCarried, {&body});
  llvm::BitVector deadArguments(body.getNumArguments()), deadSequences(op.getSequences().size());
  for (unsigned i : dead.set_bits())
    if (i < numCarried)
      deadArguments.set(i);
  for (BlockArgument row : op.getRowArguments())
    if (row.use_empty())
      deadSequences.set(row.getArgNumber() - numCarried);
  // One tells the number of rows.
  if (deadSequences.any() && deadSequences.all())
    deadSequences.reset(0);
  if (dead.none() && deadSequences.none())
    return failure();
  for (unsigned i : deadSequences.set_bits())
    deadArguments.set(numCarried + i);
  for (unsigned i : deadArguments.set_bits())
    if (i < numCarried)
      rewriter.replaceAllUsesWith(body.getArgument(i), op.getInits()[i]);
  auto reduced = ScanOp::create(rewriter, op.getLoc(), keep(op.getResultTypes(), dead), keep(op.getInits(), dead),
                                keep(op.getSequences(), deadSequences), op.getCount(), op.getReverse(),
                                op.getParallelIterationsAttr());
  reduced->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  eraseYielded(body, dead, rewriter);
  body.eraseArguments(deadArguments);
  rewriter.inlineRegionBefore(op.getBody(), reduced.getBody(), reduced.getBody().end());
  replaceKept(op, reduced, dead, rewriter);
  return success();
}

/// The number of iterations, if the op says it.
static std::optional<int64_t> iterationsOf(ScanOp op) {
  if (op.getCount())
    return constantOf(op.getCount());
  if (ShapedType::isDynamic(op.getNumRows()))
    return std::nullopt;
  return op.getNumRows();
}

static LogicalResult noIteration(ScanOp op, PatternRewriter &rewriter) {
  if (iterationsOf(op) != 0)
    return failure();
  SmallVector<Value> results(op.getInits());
  SmallVector<TypedAttr> zeros;
  for (Value stacked : op.getStacked()) {
    auto type = cast<RankedTensorType>(stacked.getType());
    TypedAttr zero = type.hasStaticShape() ? rewriter.getZeroAttr(type) : TypedAttr();
    if (!zero)
      return failure();
    zeros.push_back(zero);
  }
  for (TypedAttr zero : zeros)
    results.push_back(ConstantOp::create(rewriter, op.getLoc(), cast<ElementsAttr>(zero)));
  rewriter.replaceOp(op, results);
  return success();
}

static LogicalResult oneIteration(ScanOp op, PatternRewriter &rewriter) {
  bool hasOneRow = op.getSequences().empty() ? op.getStacked().empty() : op.getNumRows() == 1;
  if (iterationsOf(op) != 1 || !hasOneRow)
    return failure();
  Location loc = op.getLoc();
  SmallVector<Value> arguments(op.getInits());
  for (auto [sequence, row] : llvm::zip(op.getSequences(), op.getRowArguments()))
    arguments.push_back(ReshapeOp::create(rewriter, loc, row.getType(), sequence));
  YieldOp yield = op.getYield();
  rewriter.inlineBlockBefore(&op.getBody().front(), op, arguments);
  SmallVector<Value> results(yield.getOperands().take_front(op.getNumCarried()));
  for (auto [row, stacked] : llvm::zip(yield.getOperands().drop_front(op.getNumCarried()), op.getStacked()))
    results.push_back(ReshapeOp::create(rewriter, loc, stacked.getType(), row));
  rewriter.replaceOp(op, results);
  rewriter.eraseOp(yield);
  return success();
}

void mlc::df::populateSimplifyControlFlow(RewritePatternSet &patterns) {
  patterns.add(knownBranch).add(conditionWithin).add(equalOutcomes).add(unusedOutcomes);
  patterns.add(staysAsItBegan<WhileOp>).add(staysAsItBegan<ScanOp>);
  patterns.add(equalCarried<WhileOp>).add(equalCarried<ScanOp>);
  patterns.add(unneededInWhile).add(neverEntered);
  patterns.add(equalRows).add(unneededInScan).add(noIteration).add(oneIteration);
}
