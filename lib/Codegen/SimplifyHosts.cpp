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
/// The size of a dimension that is taken apart is one that the expansion is given. It lives on without this, and
/// upstream's expansion of metadata fails for dimensions that are taken apart by several sizes that the call knows.
struct SizeOfExpanded : public OpRewritePattern<memref::DimOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(memref::DimOp op, PatternRewriter &rewriter) const override {
    auto expand = op.getSource().getDefiningOp<memref::ExpandShapeOp>();
    std::optional<int64_t> d = op.getConstantIndex();
    if (!expand || !d || *d >= expand.getResultType().getRank())
      return failure();
    rewriter.replaceOp(op, getValueOrCreateConstantIndexOp(rewriter, op.getLoc(), expand.getMixedOutputShape()[*d]));
    return success();
  }
};

struct SimplifyHosts : public mlc::impl::SimplifyHostsBase<SimplifyHosts> {
  FrozenRewritePatternSet patterns;

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet all(context);
    for (Dialect *dialect : context->getLoadedDialects())
      dialect->getCanonicalizationPatterns(all);
    for (RegisteredOperationName op : context->getRegisteredOperations())
      op.getCanonicalizationPatterns(all, context);
    all.add<SizeOfExpanded>(context);
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
