// Where sizes come from: dimensions of values that are as large as others, and those that must be.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfSizeOrigin.h"
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfVerify.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlc::df;

using Origin = std::optional<Dimension>;

static bool isMadeInOnePlace(Dimension a, Dimension b, Dimension &rootOfA, Dimension &rootOfB);

//===-- one step back ----------------------------------------------------------------------===//

static Origin originOf(BlockArgument argument, int64_t d) {
  Operation *parent = argument.getOwner()->getParentOp();
  if (auto loop = dyn_cast<WhileOp>(parent))
    return Dimension{loop.getInits()[argument.getArgNumber()], d};
  if (auto scan = dyn_cast<ScanOp>(parent)) {
    unsigned k = argument.getArgNumber(), numCarried = scan.getNumCarried();
    if (k < numCarried)
      return Dimension{scan.getInits()[k], d};
    return Dimension{scan.getSequences()[k - numCarried], d + 1};
  }
  return std::nullopt;
}

/// What a value that either branch may yield is as large as, outside of both.
static Origin originOfIf(IfOp branch, unsigned k, int64_t d) {
  auto of = [&](Region &region) { return traceSize(region.front().getTerminator()->getOperand(k), d, region); };
  Origin a = of(branch.getThenRegion()), b = of(branch.getElseRegion());
  if (!a || !b)
    return std::nullopt;
  Dimension rootOfA, rootOfB;
  return isMadeInOnePlace(*a, *b, rootOfA, rootOfB) ? a : std::nullopt;
}

static Origin originOfScan(ScanOp scan, unsigned k, int64_t d) {
  if (k < scan.getNumCarried())
    return Dimension{scan.getInits()[k], d};
  if (d > 0)
    return Dimension{scan.getYield().getOperand(k), d - 1};
  if (scan.getSequences().empty())
    return std::nullopt;
  return Dimension{scan.getSequences().front(), 0};
}

/// What the op says: the first operand's dimension in the set of the result's, or, of a size that the op makes, that of
/// the first result that has it.
static Origin originInMapping(OpResult result, int64_t d) {
  DimensionMapping map = getDimensions(result.getOwner());
  ArrayRef<Dimension> set = map.get({result, d});
  for (const Dimension &each : set)
    if (each.value.getDefiningOp() != result.getOwner())
      return each;
  if (!set.empty() && !(set.front() == Dimension{result, d}))
    return set.front();
  return std::nullopt;
}

/// An operand of the op, or a value in one of its regions.
static Origin originOf(OpResult result, int64_t d) {
  unsigned k = result.getResultNumber();
  return llvm::TypeSwitch<Operation *, Origin>(result.getOwner())
      .Case([&](IfOp branch) { return originOfIf(branch, k, d); })
      .Case([&](RematOp region) -> Origin {
        return Dimension{region.getBody().front().getTerminator()->getOperand(k), d};
      })
      .Case([&](WhileOp loop) -> Origin {
        if (k < loop.getNumCarried())
          return Dimension{loop.getInits()[k], d};
        return Dimension{loop.getYield().getOperand(k), d - 1};
      })
      .Case([&](ScanOp scan) { return originOfScan(scan, k, d); })
      .Default([&](Operation *) { return originInMapping(result, d); });
}

Origin mlc::df::sizeOriginOf(Value value, int64_t d) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return originOf(argument, d);
  return originOf(cast<OpResult>(value), d);
}

//===-- all the way ------------------------------------------------------------------------===//

static Origin stepBack(Dimension at) { return at.isStatic() ? std::nullopt : sizeOriginOf(at.value, at.index); }

Dimension SizeRoots::get(Dimension at) {
  SmallVector<Dimension> path;
  auto root = roots.find({at.value, at.index});
  while (root == roots.end()) {
    path.push_back(at);
    Origin before = stepBack(at);
    if (!before)
      break;
    at = *before;
    root = roots.find({at.value, at.index});
  }
  if (root != roots.end())
    at = root->second;
  for (const Dimension &each : path)
    roots.try_emplace({each.value, each.index}, at);
  return at;
}

/// Both go back by turns until one comes to where the other has been: sizes that are made in one place mostly meet
/// after few steps, however far that place is. If they do not meet, the roots are told.
static bool isMadeInOnePlace(Dimension a, Dimension b, Dimension &rootOfA, Dimension &rootOfB) {
  llvm::SmallDenseSet<std::pair<Value, int64_t>, 8> seen;
  Origin next[2] = {a, b};
  Dimension *last[2] = {&rootOfA, &rootOfB};
  while (next[0] || next[1])
    for (unsigned side : {0, 1}) {
      if (!next[side])
        continue;
      // Neither comes to a place twice by itself.
      if (!seen.insert({next[side]->value, next[side]->index}).second)
        return true;
      *last[side] = *next[side];
      next[side] = stepBack(*next[side]);
    }
  return false;
}

/// The symbol that an argument of a function says.
static std::optional<int64_t> symbolOf(Dimension at) {
  auto argument = dyn_cast<BlockArgument>(at.value);
  auto function = argument ? dyn_cast_or_null<FunctionOp>(argument.getOwner()->getParentOp()) : FunctionOp();
  if (!function)
    return std::nullopt;
  return function.getArgSymbols(argument.getArgNumber())[at.index];
}

bool mlc::df::areKnownEqual(Dimension a, Dimension b) {
  Dimension first, second;
  if (isMadeInOnePlace(a, b, first, second))
    return true;
  if (first.isStatic() || second.isStatic())
    return first.isStatic() && second.isStatic() &&
           shapeOf(first.value.getType())[first.index] == shapeOf(second.value.getType())[second.index];
  std::optional<int64_t> symbol = symbolOf(first);
  return symbol && symbol == symbolOf(second);
}

bool mlc::df::areKnownEqual(Value a, Value b) {
  return llvm::all_of(llvm::seq<int64_t>(0, rankOf(a)),
                      [&](int64_t d) { return areKnownEqual(Dimension{a, d}, Dimension{b, d}); });
}

Origin mlc::df::traceSize(Value value, int64_t d, Region &region) {
  // The arguments of a block that a conversion has replaced have no region.
  auto isInside = [&](Value v) { return v.getParentRegion() && region.isAncestor(v.getParentRegion()); };
  Origin at = Dimension{value, d};
  while (at && isInside(at->value)) {
    at = sizeOriginOf(at->value, at->index);
    // A static size needs no origin; a type that says more than another one is one.
    if (at && at->isStatic() && isInside(at->value))
      return std::nullopt;
  }
  return at;
}

//===-- sizes that must agree --------------------------------------------------------------===//

void mlc::df::forEachSameSize(Operation *op, llvm::function_ref<void(Dimension, Dimension)> visit) {
  auto require = [&](Dimension a, Dimension b) {
    if (!a.isStatic() || !b.isStatic())
      visit(a, b);
  };
  // What a loop carries must keep its shape.
  if (auto yield = dyn_cast<YieldOp>(op)) {
    ValueRange carried;
    if (auto loop = dyn_cast<WhileOp>(yield->getParentOp()))
      carried = loop.getBodyRegion().getArguments();
    else if (auto scan = dyn_cast<ScanOp>(yield->getParentOp()))
      carried = scan.getCarriedArguments();
    for (auto [argument, next] : llvm::zip_first(carried, yield.getOperands()))
      for (int64_t d = 0, e = isa<RankedTensorType>(next.getType()) ? rankOf(next) : 0; d < e; ++d)
        require({argument, d}, {next, d});
    return;
  }
  if (auto scan = dyn_cast<ScanOp>(op)) {
    for (Value sequence : scan.getSequences().drop_front(!scan.getSequences().empty()))
      require({scan.getSequences().front(), 0}, {sequence, 0});
    return;
  }
  DimensionMapping map = getDimensions(op);
  for (ArrayRef<Dimension> set : map.getSets()) {
    const Dimension *first = nullptr, *known = nullptr;
    bool isKnownOfOperand = false;
    for (const Dimension &each : set) {
      if (each.value.getDefiningOp() == op) {
        known = each.isStatic() ? &each : known;
        continue;
      }
      isKnownOfOperand |= each.isStatic();
      if (!first)
        first = &each;
      else
        require(*first, each);
    }
    if (first && known && !isKnownOfOperand)
      require(*first, *known);
  }
}
