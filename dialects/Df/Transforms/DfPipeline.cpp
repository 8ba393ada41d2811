// The pipeline of the df dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Transforms/DfPipeline.h"
#include "dialects/Df/IR/DfFunctionOps.h"
#include "dialects/Df/Transforms/DfPasses.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

void mlc::df::buildGradientPipeline(OpPassManager &passes, bool keepAttention) {
  passes.addPass(createDfRefineTypesPass());
  passes.addPass(createDfNumberSymbolsPass());
  passes.addPass(createDfBatchLossesPass());
  DfDecomposePassOptions beforeGradients;
  beforeGradients.keepDifferentiable = true;
  beforeGradients.keepAttention = keepAttention;
  passes.addPass(createDfDecomposePass(beforeGradients));
  passes.addPass(createDfScaleLossPass());
  passes.addPass(createDfExpandGradientsPass());
  DfDecomposePassOptions afterGradients;
  afterGradients.keepAttention = keepAttention;
  passes.addPass(createDfDecomposePass(afterGradients));
  passes.addPass(createDfRoundProductsPass());
  passes.addPass(createDfMaterializeInitializersPass());
}

void mlc::df::buildSegmentPipeline(OpPassManager &passes, bool splitUpdate) {
  passes.addPass(createDfSplitStepPass());
  passes.addPass(createDfOutlineCalledPass());
  passes.addPass(createDfCutAtQueuesPass());
  passes.addPass(createDfStateToValuesPass());
  // Equal ids and equal casts become one before features are cut off, so that each crosses once.
  passes.addPass(createDfSimplifyPass());
  passes.addPass(createCSEPass());
  passes.addPass(createDfOutlineFeaturesPass());
  passes.addPass(createDfSimplifyPass());
  passes.addPass(createCSEPass());
  passes.addPass(createDfFindPullsPass());
  passes.addPass(createCSEPass());
  if (splitUpdate) {
    passes.addPass(createDfSplitUpdatePass());
    passes.addPass(createCSEPass());
  }
  // When no pass looks any more at which variable is which.
  passes.addNestedPass<FunctionOp>(createDfFuseHorizontallyPass());
  passes.addNestedPass<FunctionOp>(createDfRequireSizesPass());
}

void mlc::df::buildDfPipeline(OpPassManager &passes, bool splitUpdate, bool keepAttention) {
  buildGradientPipeline(passes, keepAttention);
  buildSegmentPipeline(passes, splitUpdate);
}

void mlc::df::registerDfPipelines() {
  PassPipelineRegistration<>("mlc-df-pipeline", "df as built to segments of tensors",
                             [](OpPassManager &passes) { buildDfPipeline(passes); });
}
