// df-simplify: ops of loops that give the same in each iteration move before the loop.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfContractionOps.h"
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfFeatureOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfMathOps.h"
#include "dialects/Df/IR/DfOrderOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
#include "dialects/Df/IR/DfShapeOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Df/IR/DfStringOps.h"
#include "dialects/Df/IR/DfVerify.h"
#include "dialects/Df/Transforms/Simplification.h"
#include "dialects/Df/Utils/Remarks.h"
#include "dialects/Df/Utils/SizeOrigin.h"
#include "dialects/Df/Utils/StateAccess.h"

using namespace mlir;
using namespace mlc::df;

bool mlc::df::neverFails(Operation *op) {
  if (op->getNumRegions() || !isMemoryEffectFree(op))
    return false;
  // An integer divisor may be 0.
  if (isa<DivOp, RemOp, FloorModOp, FloorDivOp>(op))
    return isa<FloatType>(elementType(op->getResult(0).getType()));
  if (auto reshape = dyn_cast<ReshapeOp>(op)) {
    ArrayRef<int64_t> from = shapeOf(reshape.getOperand().getType()), to = shapeOf(reshape.getType());
    if (!ShapedType::isDynamicShape(from) || differInUnits(from, to))
      return true;
    // Each row of the operand must be whole rows of the result.
    auto staticProduct = [](ArrayRef<int64_t> sizes) {
      int64_t product = 1;
      for (int64_t size : sizes)
        product *= ShapedType::isDynamic(size) ? 1 : size;
      return product;
    };
    int64_t elements = staticProduct(from), ofRow = staticProduct(to);
    return elements == ofRow || (ofRow != 0 && elements % ofRow == 0);
  }
  // A range of a dimension that only run time knows may be beyond its end.
  if (auto slice = dyn_cast<SliceOp>(op))
    return llvm::all_of(llvm::zip_equal(shapeOf(slice.getOperand().getType()), slice.getSizes()), [](auto sizes) {
      auto [n, size] = sizes;
      return !ShapedType::isDynamic(n) || size == -1;
    });
  // It is made of a df.dot_general, whose sizes `sizesAgree` knows.
  if (isa<BatchMatmulOp>(op))
    return llvm::all_of(op->getOperandTypes(), [](Type type) { return !ShapedType::isDynamicShape(shapeOf(type)); });
  // The text may be none of a number.
  if (isa<StringToNumberOp>(op))
    return false;
  return op->hasTrait<OpTrait::Elementwise>() ||
         isa<ConstantOp, BroadcastOp, TransposeOp, PadOp, ReverseOp, IotaOp, SizeOp, ShapeOp, EyeOp, MatmulOp,
             DotGeneralOp, ReduceSumOp, ReduceMaxOp, ReduceMinOp, ReduceProdOp, ReduceMeanOp, ReduceAllOp, ReduceAnyOp,
             ReduceLogsumexpOp, ArgmaxOp, ArgminOp, SoftmaxOp, LogSoftmaxOp, CumsumOp, OneHotOp>(op);
}

bool mlc::df::sizesAgree(Operation *op) {
  bool agree = true;
  forEachSameSize(op, [&](Dimension a, Dimension b) { agree = agree && areKnownEqual(a, b); });
  return agree;
}

/// Whether computing the op again costs less than keeping its result from one iteration to the next: code makes these
/// where they are used.
static bool isCheap(Operation *op) {
  return isa<ConstantOp, BroadcastOp, IotaOp, EyeOp, SizeOp, ShapeOp, ReshapeOp>(op);
}

namespace {
class LoopHoister {
public:
  explicit LoopHoister(Operation *loop) : loop(loop), writes(getStateAccess(loop).writes) {}

  bool run() {
    for (Region &region : loop->getRegions())
      for (Operation &op : llvm::make_early_inc_range(region.front().without_terminator()))
        if (!isCheap(&op) && isInvariant(&op)) {
          moveBefore(&op);
          changed = true;
        } else if (!isCheap(&op) && op.getNumOperands() != 0 && isMemoryEffectFree(&op) &&
                   llvm::all_of(op.getOperands(), [&](Value v) { return isOutside(v); })) {
          remarkMissed(&op, "hoisted",
                       "'" + op.getName().getStringRef() +
                           "' depends on nothing in the loop, but may fail, which a loop that does not run must not");
        }
    return changed;
  }

private:
  bool isOutside(Value value) { return !loop->isAncestor(value.getParentBlock()->getParentOp()); }

  bool isInvariant(Operation *op) {
    if (auto read = dyn_cast<ReadOp>(op))
      return !writes.contains(read.getVariableAttr().getAttr());
    // A loop that does not run fails nothing.
    auto isOperandInvariant = [&](Value operand) {
      if (isOutside(operand))
        return true;
      Operation *maker = operand.getDefiningOp();
      return maker && isCheap(maker) && isInvariant(maker);
    };
    return neverFails(op) && llvm::all_of(op->getOperands(), isOperandInvariant) && sizesAgree(op);
  }

  /// What is cheap stays in the loop for its other users and goes along as a copy.
  void moveBefore(Operation *op) {
    for (OpOperand &operand : op->getOpOperands())
      if (!isOutside(operand.get())) {
        auto result = cast<OpResult>(operand.get());
        Operation *copy = result.getOwner()->clone();
        OpBuilder(op).insert(copy);
        operand.set(copy->getResult(result.getResultNumber()));
        moveBefore(copy);
      }
    op->moveBefore(loop);
  }

  Operation *loop;
  SymbolSet writes;
  bool changed = false;
};
} // namespace

bool mlc::df::hoistInvariants(Operation *root) {
  bool changed = false;
  // Inner loops first: what leaves them may leave the outer ones.
  root->walk([&](Operation *op) {
    if (isa<WhileOp, ScanOp>(op))
      changed |= LoopHoister(op).run();
  });
  return changed;
}
