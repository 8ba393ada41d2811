// df-simplify: rewrites that keep every bit of the results.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Transforms/DfPasses.h"
#include "dialects/Df/Transforms/Simplification.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlc::df {
#define GEN_PASS_DEF_DFSIMPLIFYPASS
#include "dialects/Df/Transforms/DfPasses.h.inc"
} // namespace mlc::df

using namespace mlir;
using namespace mlc::df;

namespace {
struct DfSimplifyPass : mlc::df::impl::DfSimplifyPassBase<DfSimplifyPass> {
  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet all(context);
    populateSimplifyArithmetic(all);
    populateSimplifyLayout(all);
    populateSimplifyShapes(all);
    populateSimplifyControlFlow(all);
    // Those of the ops themselves.
    context->getLoadedDialect<DfDialect>()->getCanonicalizationPatterns(all);
    for (RegisteredOperationName name : context->getRegisteredOperationsByDialect("df"))
      name.getCanonicalizationPatterns(all, context);
    patterns = std::move(all);
    return success();
  }

  void runOnOperation() override {
    // Each step makes work for the others. Every one shortens the program or moves an op out of a loop, or towards the
    // results, so that they end; the bound is for what nobody has thought of.
    constexpr int kMaxRounds = 32;
    bool changed = true;
    for (int round = 0; changed && round < kMaxRounds; ++round) {
      changed = false;
      measureSources(getOperation());
      if (failed(applyPatternsGreedily(getOperation(), patterns, GreedyRewriteConfig(), &changed)))
        return signalPassFailure();
      changed |= forwardState(getOperation());
      changed |= hoistInvariants(getOperation());
      bool merged = false;
      IRRewriter rewriter(&getContext());
      DominanceInfo dominance(getOperation());
      eliminateCommonSubExpressions(rewriter, dominance, getOperation(), &merged);
      changed |= merged;
    }
  }

  FrozenRewritePatternSet patterns;
};
} // namespace
