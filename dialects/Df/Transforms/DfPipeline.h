// The pipeline of the df dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_TRANSFORMS_DFPIPELINE_H
#define DIALECTS_DF_TRANSFORMS_DFPIPELINE_H

#include "mlir/Pass/PassManager.h"

namespace mlc::df {

/// Adds the passes from a module as built (stage 1 of the dialect's invariants) to segments of tensors (stage 5), with
/// clean-up in between. With `splitUpdate` the update is also cut into functions over ranges of rows.
void buildDfPipeline(mlir::OpPassManager &passes, bool splitUpdate = false);

/// Registers `--mlc-df-pipeline`.
void registerDfPipelines();

} // namespace mlc::df

#endif // DIALECTS_DF_TRANSFORMS_DFPIPELINE_H
