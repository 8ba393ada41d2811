// Where sizes come from: dimensions of values that are as large as others, and those that must be.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfSizeOrigin.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfVerify.h"

using namespace mlir;
using namespace mlc::df;

using Origin = std::optional<Dimension>;

//===-- one step back ----------------------------------------------------------------------===//

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

Origin mlc::df::sizeOriginOf(Value value, int64_t d) {
  auto argument = dyn_cast<BlockArgument>(value);
  Operation *op = argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
  if (auto region = dyn_cast_or_null<RegionSizesOpInterface>(op))
    return region.getSizeOrigin(value, d);
  return argument ? std::nullopt : originInMapping(cast<OpResult>(value), d);
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

bool mlc::df::areMadeInOnePlace(Dimension a, Dimension b) {
  Dimension rootOfA, rootOfB;
  return isMadeInOnePlace(a, b, rootOfA, rootOfB);
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
  auto isInside = [&](Value v) { return region.isAncestor(v.getParentRegion()); };
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
  if (auto loop = dyn_cast_or_null<RegionSizesOpInterface>(op->getParentOp());
      loop && op->hasTrait<OpTrait::IsTerminator>()) {
    loop.forEachCarried(op, [&](Value argument, Value next) {
      for (int64_t d = 0, e = isa<RankedTensorType>(next.getType()) ? rankOf(next) : 0; d < e; ++d)
        require({argument, d}, {next, d});
    });
    return;
  }
  if (auto region = dyn_cast<RegionSizesOpInterface>(op))
    return region.forEachSameSize(require);
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
