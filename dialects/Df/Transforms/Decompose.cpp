// df-decompose: see DfPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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

namespace {
struct DfDecomposePass : mlc::df::impl::DfDecomposePassBase<DfDecomposePass> {
  using DfDecomposePassBase::DfDecomposePassBase;

  /// The composite ops in `root` that the pass replaces, `root` included.
  void collect(Operation *root, SmallVectorImpl<DecomposableOpInterface> &composites) {
    root->walk([&](DecomposableOpInterface op) {
      // A rule is of the forms that are no composites.
      bool isKept = keepDifferentiable && isa<DifferentiableOpInterface>(op.getOperation()) && !isCompositeForm(op);
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
