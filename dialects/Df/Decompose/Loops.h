// Loops of which decompositions are made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_DECOMPOSE_LOOPS_H
#define DIALECTS_DF_DECOMPOSE_LOOPS_H

#include "dialects/Df/Utils/ExpressionBuilder.h"

namespace mlc::df {

using Values = llvm::SmallVector<mlir::Value>;

/// A df.scan over the rows of `sequences` that carries values, which start as `inits`. `body`, given the carried values
/// and a row of each sequence, makes the next ones and then rows that are stacked. The results: the last carried
/// values, then the stacked ones.
Values scanOver(ExpressionBuilder &b, mlir::ValueRange inits, mlir::ValueRange sequences, bool reverse,
                llvm::function_ref<Values(mlir::ValueRange carried, mlir::ValueRange rows)> body);

/// A df.while of at most `maxIterations` iterations, which carries values that start as `inits`; with `mustEnd` it is
/// an error of the step if the condition still holds then. The results are the last values.
Values loopWhile(ExpressionBuilder &b, mlir::ValueRange inits, int64_t maxIterations, bool mustEnd,
                 llvm::function_ref<mlir::Value(mlir::ValueRange)> condition,
                 llvm::function_ref<Values(mlir::ValueRange)> body);

} // namespace mlc::df

#endif // DIALECTS_DF_DECOMPOSE_LOOPS_H
