// The pipeline of the df dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_TRANSFORMS_DFPIPELINE_H
#define DIALECTS_DF_TRANSFORMS_DFPIPELINE_H

#include "mlir/Pass/PassManager.h"

namespace mlc::df {

/// Adds the passes from a module as built (stage 1 of the dialect's invariants) to functions whose gradients and first
/// values are ops like others, while state still goes by symbol (stage 2): what can be placed on devices. With
/// `keepAttention` attention that has kernels of its own stays one op, as its gradients do.
void buildGradientPipeline(mlir::OpPassManager &passes, bool keepAttention = false);

/// Adds the passes from there to segments of tensors (stage 5), with clean-up in between. With `splitUpdate` the update
/// is also cut into functions over ranges of rows.
void buildSegmentPipeline(mlir::OpPassManager &passes, bool splitUpdate = false);

/// Both, one after the other.
void buildDfPipeline(mlir::OpPassManager &passes, bool splitUpdate = false, bool keepAttention = false);

/// Registers `--mlc-df-pipeline`.
void registerDfPipelines();

} // namespace mlc::df

#endif // DIALECTS_DF_TRANSFORMS_DFPIPELINE_H
