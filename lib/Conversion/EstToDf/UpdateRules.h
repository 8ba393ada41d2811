// Optimizers as df ops: one formula per rule, for whole variables and for rows alike. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_ESTTODF_UPDATERULES_H
#define LIB_CONVERSION_ESTTODF_UPDATERULES_H

#include "lib/Conversion/EstToDf/Bodies.h"

namespace mlc::est2df {

/// The learning rate of this step, a scalar of f32. `step`: the global step before its increment, a scalar of i64.
mlir::Value buildLearningRate(GraphBuilder &builder, est::OptimizerAttr optimizer, mlir::Value step);

/// The value in force of a setting, as a scalar of f32.
mlir::Value readSetting(GraphBuilder &builder, est::SettingAttr setting);

/// Updates the variables of `part` and their slots, which are declared. `gradients` has one value per variable: a
/// tensor, or rows.
void buildUpdates(Entry &entry, const Part &part, mlir::ValueRange gradients, mlir::Value step);

} // namespace mlc::est2df

#endif // LIB_CONVERSION_ESTTODF_UPDATERULES_H
