// codegen-lower-to-blocks: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Codegen/Codegen.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"

namespace mlc {
#define GEN_PASS_DEF_LOWERTOBLOCKS
#include "lib/Codegen/CodegenPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

namespace {
struct LowerToBlocks : public mlc::impl::LowerToBlocksBase<LowerToBlocks> {
  using LowerToBlocksBase::LowerToBlocksBase;
  LowerToBlocks(const LowerToBlocks &other)
      : LowerToBlocksBase(other), patterns(other.patterns), target(other.target) {}

  void getDependentDialects(DialectRegistry &registry) const override {
    LowerToBlocksBase::getDependentDialects(registry);
    expansion().getDependentDialects(registry);
  }

  LogicalResult initialize(MLIRContext *context) override {
    RewritePatternSet set(context);
    populateAffineToStdConversionPatterns(set);
    populateAffineToVectorConversionPatterns(set);
    populateSCFToControlFlowConversionPatterns(set);
    patterns = FrozenRewritePatternSet(std::move(set));
    auto made = std::make_shared<ConversionTarget>(*context);
    made->addIllegalDialect<affine::AffineDialect, scf::SCFDialect>();
    made->markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target = std::move(made);
    return success();
  }

  void runOnOperation() override {
    bool hasViews = false, hasLoops = false;
    getOperation()->walk([&](Operation *op) {
      hasViews |=
          isa<ViewLikeOpInterface, memref::ExtractStridedMetadataOp, memref::ExtractAlignedPointerAsIndexOp>(op);
      hasLoops |= isa_and_present<affine::AffineDialect, scf::SCFDialect>(op->getDialect());
    });
    OpPassManager views = expansion();
    if (hasViews && failed(runPipeline(views, getOperation())))
      return signalPassFailure();
    // What is made of views are ops of affine, too.
    if ((hasViews || hasLoops) && failed(applyPartialConversion(getOperation(), *target, patterns)))
      signalPassFailure();
  }

private:
  FrozenRewritePatternSet patterns;
  std::shared_ptr<const ConversionTarget> target;

  static OpPassManager expansion() {
    OpPassManager passes(func::FuncOp::getOperationName());
    passes.addPass(memref::createExpandStridedMetadataPass());
    return passes;
  }
};
} // namespace
