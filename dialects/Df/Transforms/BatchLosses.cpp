// df-batch-losses: see DfPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfTrainingOps.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "dialects/Df/Utils/SymbolicSizes.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/SetVector.h"

namespace mlc::df {
#define GEN_PASS_DEF_DFBATCHLOSSESPASS
#include "dialects/Df/Transforms/DfPasses.h.inc"
} // namespace mlc::df

using namespace mlir;
using namespace mlc::df;

static bool isScalar(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() == 0;
}

/// The reductions at the top level of `function` that its gradients' losses are made of by ops on scalars.
static llvm::SetVector<Operation *> findReductions(FunctionOp function) {
  Block *body = &function.getBody().front();
  llvm::SetVector<Operation *> reductions;
  SmallVector<Value> worklist;
  llvm::DenseSet<Operation *> seen;
  function.walk([&](GradientsOp gradients) { worklist.push_back(gradients.getLoss()); });
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (!op || op->getBlock() != body || op->getNumRegions() != 0 || !seen.insert(op).second)
      continue;
    if (isa<ReduceMeanOp, ReduceSumOp>(op))
      reductions.insert(op);
    else if (llvm::all_of(op->getOperands(), isScalar))
      llvm::append_range(worklist, op->getOperands());
  }
  return reductions;
}

/// Whether scalars alone are made of the value: no row needs what other rows have to do with it.
static bool makesScalars(Value value) {
  SmallVector<Value> worklist{value};
  llvm::DenseSet<Operation *> seen;
  while (!worklist.empty())
    for (Operation *user : worklist.pop_back_val().getUsers()) {
      if (isa<GradientsOp, ReturnOp>(user) || !seen.insert(user).second)
        continue;
      if (user->getNumRegions() != 0 || user->getBlock() != value.getParentBlock() ||
          !llvm::all_of(user->getResults(), isScalar))
        return false;
      llvm::append_range(worklist, user->getResults());
    }
  return true;
}

/// Replaces the reduction where it goes over all elements of a tensor of the batch's rows.
template <typename Op> static bool replace(Op op, BatchReduction reduction, SymbolicSizes &counts) {
  Value operand = op.getOperand();
  auto type = cast<RankedTensorType>(operand.getType());
  // Nothing has a mean of 0 there.
  const bool isAll = static_cast<int64_t>(op.getAxes().size()) == type.getRank() && type.getRank() > 0;
  if (!isAll || !isa<FloatType>(type.getElementType()) || llvm::is_contained(type.getShape(), 0) ||
      !type.isDynamicDim(0) || !counts.get(operand, 0).isRows() || !makesScalars(op.getResult()))
    return false;
  OpBuilder b(op);
  auto mean = BatchMeanOp::create(b, op.getLoc(), op.getType(), operand, /*weights=*/Value(), reduction);
  mean->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  op.getResult().replaceAllUsesWith(mean.getResult());
  op.erase();
  return true;
}

namespace {
struct DfBatchLossesPass : mlc::df::impl::DfBatchLossesPassBase<DfBatchLossesPass> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOp>()) {
      if (function.getRole() != Role::Train)
        continue;
      llvm::SetVector<Operation *> reductions = findReductions(function);
      if (reductions.empty())
        continue;
      const bool askedForParts =
          function
              .walk([](Operation *op) {
                return isa<BatchMeanOp, AllReduceOp>(op) ? WalkResult::interrupt() : WalkResult::advance();
              })
              .wasInterrupted();
      SymbolicSizes counts(function);
      bool isReplaced = false;
      for (Operation *op : reductions) {
        const bool done = isa<ReduceMeanOp>(op)
                              ? replace(cast<ReduceMeanOp>(op), BatchReduction::SumOverBatchSize, counts)
                              : replace(cast<ReduceSumOp>(op), BatchReduction::Sum, counts);
        isReplaced |= done;
        numReplaced += done;
      }
      // Nobody said that the step can be cut: where it cannot, it is whole, as it was.
      if (isReplaced && !askedForParts)
        getOperation()->setAttr(DfDialect::kOptionalPartsAttr, UnitAttr::get(&getContext()));
    }
  }
};
} // namespace
