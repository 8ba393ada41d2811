// df-simplify: ops of loops that give the same in each iteration move before the loop.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/Transforms/Simplification.h"
#include "dialects/Df/Utils/Remarks.h"
#include "dialects/Df/Utils/StateAccess.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"

using namespace mlir;
using namespace mlc::df;

/// Whether the op stays where it is used.
static bool isCheap(Operation *op) { return op->hasTrait<MadeWhereUsed>(); }

namespace {
/// Upstream's code motion, with reads of variables that the loop does not write, and without moving what is cheap.
class LoopHoister {
public:
  explicit LoopHoister(LoopLikeOpInterface loop) : loop(loop), writes(getStateAccess(loop).writes) {}

  bool run() {
    size_t numMoved = moveLoopInvariantCode(
        loop.getLoopRegions(), [&](Value value, Region *) { return isInvariant(value); },
        [&](Operation *op, Region *) { return isMovable(op); }, [&](Operation *op, Region *) { moveBefore(op); });
    for (Region *region : loop.getLoopRegions())
      for (Operation &op : region->front().without_terminator())
        if (!isCheap(&op) && op.getNumOperands() != 0 && op.getNumRegions() == 0 && isMemoryEffectFree(&op) &&
            dependsOnNothing(&op))
          remarkMissed(&op, "hoisted",
                       "'" + op.getName().getStringRef() +
                           "' depends on nothing in the loop, but may fail, which a loop that does not run must not");
    return numMoved != 0;
  }

private:
  bool isOutside(Value value) { return loop.isDefinedOutsideOfLoop(value); }
  bool dependsOnNothing(Operation *op) {
    return llvm::all_of(op->getOperands(), [&](Value value) { return isOutside(value); });
  }

  /// Whether a value is the same in each iteration: made outside, or again and again of such.
  bool isInvariant(Value value) {
    if (isOutside(value))
      return true;
    Operation *maker = value.getDefiningOp();
    return maker && isCheap(maker) && canBeBefore(maker);
  }
  bool canBeBefore(Operation *op) {
    // Whether it may fail is asked last, of an op with regions of all in them: the origins of sizes may be far.
    WalkResult uses = op->walk([&](Operation *inner) {
      auto isKnownBefore = [&](Value value) {
        return op->isAncestor(value.getParentBlock()->getParentOp()) || isInvariant(value);
      };
      return llvm::all_of(inner->getOperands(), isKnownBefore) ? WalkResult::advance() : WalkResult::interrupt();
    });
    return !uses.wasInterrupted() && isMemoryEffectFree(op) && isSpeculatable(op);
  }
  bool isMovable(Operation *op) {
    if (auto read = dyn_cast<ReadOp>(op))
      return !writes.contains(read.getVariableAttr().getAttr());
    return !isCheap(op) && canBeBefore(op);
  }

  /// What is cheap stays in the loop for its other users and goes along as a copy.
  void moveBefore(Operation *op) {
    op->walk([&](Operation *inner) {
      for (OpOperand &operand : inner->getOpOperands())
        if (!isOutside(operand.get()) && !op->isAncestor(operand.get().getParentBlock()->getParentOp())) {
          auto result = cast<OpResult>(operand.get());
          Operation *copy = result.getOwner()->clone();
          OpBuilder(op).insert(copy);
          operand.set(copy->getResult(result.getResultNumber()));
          moveBefore(copy);
        }
    });
    loop.moveOutOfLoop(op);
  }

  LoopLikeOpInterface loop;
  SymbolSet writes;
};
} // namespace

bool mlc::df::hoistInvariants(Operation *root) {
  bool changed = false;
  // Inner loops first: what leaves them may leave the outer ones.
  root->walk([&](LoopLikeOpInterface loop) { changed |= LoopHoister(loop).run(); });
  return changed;
}
