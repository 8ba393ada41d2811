// df-decompose: see DfPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfContractionOps.h"
#include "dialects/Df/IR/DfForms.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "dialects/Df/Utils/NumberIterations.h"
#include "dialects/Df/Utils/StackedLoops.h"

namespace mlc::df {
#define GEN_PASS_DEF_DFDECOMPOSEPASS
#include "dialects/Df/Transforms/DfPasses.h.inc"
} // namespace mlc::df

using namespace mlir;
using namespace mlc::df;

/// Numbers that a query, a key or a value has at most where attention is a kernel: sums of a tile stay in registers.
static constexpr int64_t kMostNumbers = 128;

/// Numbers of tf32 that are read at once.
static constexpr int64_t kNeighbours = 4;

/// What factors of the op's products are rounded to: by `df-round-products`, which comes later, or already.
static Precision precisionOf(Operation *op) {
  for (auto precision : {op->getAttrOfType<PrecisionAttr>(DfDialect::kFactorsAttr),
                         op->getParentOfType<ModuleOp>()->getAttrOfType<PrecisionAttr>(DfDialect::kPrecisionAttr)})
    if (precision && precision.getValue() != Precision::F32)
      return precision.getValue();
  return Precision::F32;
}

/// Whether targets that ask for it have a kernel of the attention: one of f32 by tiles, where factors are rounded by
/// products of matrices.
template <typename Op> static bool hasKernel(Op op) {
  const std::array<Value, 3> factors = {op.getQuery(), op.getKey(), op.getValue()};
  auto shapeOf = [](Value x) { return cast<RankedTensorType>(x.getType()).getShape(); };
  const Precision precision = precisionOf(op);
  // Where a factor of a product is used once some of them are rounded, and others are not.
  if (precision != Precision::F32 &&
      llvm::any_of(factors, [&](Value x) { return llvm::is_contained(shapeOf(x).take_back(2), 1); }))
    return false;
  // Gradients have factors of two products in registers, and sums of a third one. Words of tf32 are twice as many:
  // where they are read one by one there is no room for the addresses of so many.
  const int64_t depth = shapeOf(op.getKey()).back(), width = shapeOf(op.getValue()).back();
  if (isa<AttentionGradOp>(op) && precision == Precision::TF32 && depth + width > kMostNumbers &&
      (depth % kNeighbours != 0 || width % kNeighbours != 0))
    return false;
  return llvm::all_of(factors, [](Value x) {
    auto type = cast<RankedTensorType>(x.getType());
    return type.getElementType().isF32() && !llvm::is_contained(type.getShape(), 0) &&
           type.getShape().back() <= kMostNumbers && !type.isDynamicDim(type.getRank() - 1);
  });
}

namespace {
struct DfDecomposePass : mlc::df::impl::DfDecomposePassBase<DfDecomposePass> {
  using DfDecomposePassBase::DfDecomposePassBase;

  /// The composite ops in `root` that the pass replaces, `root` included.
  void collect(Operation *root, SmallVectorImpl<DecomposableOpInterface> &composites) {
    root->walk([&](DecomposableOpInterface op) {
      // A rule is of the forms that are no composites.
      bool isKept = keepDifferentiable && isa<DifferentiableOpInterface>(op.getOperation()) && !isCompositeForm(op);
      if (auto attention = dyn_cast<AttentionOp>(op.getOperation()))
        isKept = keepAttention && hasKernel(attention);
      else if (auto gradient = dyn_cast<AttentionGradOp>(op.getOperation()))
        isKept = keepAttention && hasKernel(gradient);
      if (isComposite(op) && !isKept)
        composites.push_back(op);
    });
  }

  void runOnOperation() override {
    // Inner loops first.
    SmallVector<WhileOp> stacked;
    getOperation().walk([&](WhileOp loop) {
      if (loop.hasStacked())
        stacked.push_back(loop);
    });
    for (WhileOp loop : stacked)
      if (failed(replaceStackedLoop(loop)))
        return signalPassFailure();
    SmallVector<DecomposableOpInterface> composites;
    collect(getOperation(), composites);
    // Parts may be composite, too: those of the last one come next.
    while (!composites.empty()) {
      DecomposableOpInterface op = composites.pop_back_val();
      OpBuilder builder(op);
      Operation *before = op->getPrevNode();
      SmallVector<Value> results;
      if (failed(op.decompose(builder, results)))
        return signalPassFailure();
      Operation *part = before ? before->getNextNode() : &op->getBlock()->front();
      for (; part != op; part = part->getNextNode())
        collect(part, composites);
      op->replaceAllUsesWith(results);
      op->erase();
    }
    numberIterations(getOperation());
  }
};
} // namespace
