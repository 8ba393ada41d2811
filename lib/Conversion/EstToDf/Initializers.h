// The first values of variables. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_ESTTODF_INITIALIZERS_H
#define LIB_CONVERSION_ESTTODF_INITIALIZERS_H

#include "dialects/Df/IR/DfStateOps.h"
#include "lib/Conversion/EstToDf/ModuleState.h"

namespace mlc::est2df {

/// The df initializer of a matrix [fan in, fan out] of f32 that starts as `initializer`, an attribute of est, says;
/// null where only operations make its first values.
mlir::Attribute convertInitializer(mlir::Attribute initializer, int64_t fanIn, int64_t fanOut);

/// Declares the variable `name`, a matrix [fan in, fan out] of f32 that starts as `initializer`, an attribute of est,
/// says. What no attribute of df says is left to buildInit.
df::VariableOp declareWeights(ModuleState &state, llvm::StringRef name, mlir::RankedTensorType type,
                              mlir::Attribute initializer, bool trainable, mlir::Location loc);

/// Builds the function `init`, which makes the first values of variables with #est.identity or #est.orthogonal, and of
/// those that start as elements; nothing where there are none.
void buildInit(ModuleState &state, mlir::Location loc);

} // namespace mlc::est2df

#endif // LIB_CONVERSION_ESTTODF_INITIALIZERS_H
