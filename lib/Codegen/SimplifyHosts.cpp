// codegen-simplify-hosts: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Kern/IR/Kern.h"
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Rewrite/FrozenRewritePatternSet.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace mlc {
#define GEN_PASS_DEF_SIMPLIFYHOSTS
#include "lib/Codegen/CodegenPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

namespace {
struct SimplifyHosts : public mlc::impl::SimplifyHostsBase<SimplifyHosts> {
  FrozenRewritePatternSet patterns;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet all(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(all);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(all, context);
    patterns = FrozenRewritePatternSet(std::move(all));
    return success();
  }

  void runOnOperation() override {
    SmallVector<Operation *> hosts;
    getOperation().getBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (isa<kern::LaunchOp>(op))
        return WalkResult::skip();
      hosts.push_back(op);
      return WalkResult::advance();
    });
    // Like the canonicalizer, it may stop before all is done.
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    (void)applyOpPatternsGreedily(hosts, patterns, config);
  }
};
} // namespace
