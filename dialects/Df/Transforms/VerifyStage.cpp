// df-verify-stage: checks what holds after a stage of the lowering.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Transforms/DfPasses.h"

namespace mlc::df {
#define GEN_PASS_DEF_DFVERIFYSTAGEPASS
#include "dialects/Df/Transforms/DfPasses.h.inc"
} // namespace mlc::df

namespace {
struct DfVerifyStagePass : mlc::df::impl::DfVerifyStagePassBase<DfVerifyStagePass> {
  using DfVerifyStagePassBase::DfVerifyStagePassBase;
  void runOnOperation() override {
    if (failed(mlc::df::verifyStage(getOperation(), stage)))
      signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace
