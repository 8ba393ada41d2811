// Optimizers as df ops: one formula per rule, for whole variables and for rows alike. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_ESTTODF_UPDATERULES_H
#define LIB_CONVERSION_ESTTODF_UPDATERULES_H

#include "lib/Conversion/EstToDf/Columns.h"

namespace mlc::est2df {

/// The learning rate of this step, a scalar of f32. `step`: the global step before its increment, a scalar of i64.
mlir::Value buildLearningRate(GraphBuilder &builder, est::OptimizerAttr optimizer, mlir::Value step);

/// The value in force of a setting, as a scalar of f32.
mlir::Value readSetting(GraphBuilder &builder, est::SettingAttr setting);

/// One slot of a rule.
struct Slot {
  llvm::StringRef suffix; ///< of its variable's name
  llvm::StringRef name;
  double start;
};

/// Updates `variables` and their slots, which `declareSlot` declares, one after the other for each variable. What a
/// rule keeps once for all variables `declareScalar` declares, by a name and a first value: a scalar of f32.
/// `gradients` has one value per variable: a tensor, or rows. `rate`: a scalar of f32 in the place of the optimizer's
/// learning rate, or null.
void buildUpdates(GraphBuilder &builder, est::OptimizerAttr optimizer, llvm::ArrayRef<TrainedVariable> variables,
                  mlir::ValueRange gradients, mlir::Value step, mlir::Value rate,
                  llvm::function_ref<df::VariableOp(df::VariableOp, const Slot &)> declareSlot,
                  llvm::function_ref<df::VariableOp(llvm::StringRef, double)> declareScalar);

} // namespace mlc::est2df

#endif // LIB_CONVERSION_ESTTODF_UPDATERULES_H
