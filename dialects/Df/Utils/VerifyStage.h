// What holds of a df module after each stage of its lowering (DfDialect.td, Invariants).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_UTILS_VERIFYSTAGE_H
#define DIALECTS_DF_UTILS_VERIFYSTAGE_H

#include "dialects/Df/IR/Df.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlc::df {

/// Stages, each ended by one pass.
enum class Stage {
  Expanded, ///< after df-expand-gradients: no df.gradients, no df.batch_mean
  Split,    ///< after df-split-step: no df.all_reduce
  Values,   ///< after df-state-to-values: state, settings and rows are tensors bound at the border of functions
  Segments, ///< after df-outline-features: functions are segments; those of kind features read no state
};

/// Checks the postconditions of `stage` and of those before it; emits an error at the first op that breaks one.
llvm::LogicalResult verifyStage(mlir::ModuleOp module, Stage stage);

} // namespace mlc::df

#endif // DIALECTS_DF_UTILS_VERIFYSTAGE_H
