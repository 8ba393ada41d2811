// How a decomposition is written: one overload of `decompositionOf` for each op, attached by `attachDecompositions`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_DECOMPOSE_DECOMPOSITION_H
#define DIALECTS_DF_DECOMPOSE_DECOMPOSITION_H

#include "dialects/Df/Utils/ExpressionBuilder.h"

namespace mlc::df {

/// External model that calls `decompositionOf(op, builder)`, which returns the value of the op's one result, or
/// `decompositionOf(op, builder, results)`, which appends one for each result. A null value or a failure stands for an
/// error emitted at the op. What is known of sizes otherwise than the op's results say goes through a `df.cast_shape`.
template <typename Op> struct Decomposition : DecomposableOpInterface::ExternalModel<Decomposition<Op>, Op> {
  llvm::LogicalResult decompose(mlir::Operation *op, mlir::OpBuilder &builder,
                                llvm::SmallVectorImpl<mlir::Value> &results) const {
    ExpressionBuilder parts(builder, op->getLoc());
    if constexpr (Op::template hasTrait<mlir::OpTrait::OneResult>()) {
      results.push_back(decompositionOf(llvm::cast<Op>(op), parts));
      if (!results.back())
        return llvm::failure();
    } else if (failed(decompositionOf(llvm::cast<Op>(op), parts, results))) {
      return llvm::failure();
    }
    for (auto [value, result] : llvm::zip_equal(results, op->getResults()))
      value = parts.castShape(value, result.getType());
    return llvm::success(parts.ok());
  }
};

template <typename... Ops> void attachDecompositions(mlir::MLIRContext *context) {
  (Ops::template attachInterface<Decomposition<Ops>>(*context), ...);
}

/// The families, each in its own file.
void attachActivationDecompositions(mlir::MLIRContext *context);
void attachElementwiseDecompositions(mlir::MLIRContext *context);
void attachIncompleteGammaDecompositions(mlir::MLIRContext *context);
void attachLinearAlgebraDecompositions(mlir::MLIRContext *context);
void attachLossDecompositions(mlir::MLIRContext *context);
void attachNormalizationDecompositions(mlir::MLIRContext *context);
void attachReductionDecompositions(mlir::MLIRContext *context);
void attachRandomDecompositions(mlir::MLIRContext *context);
void attachMathDecompositions(mlir::MLIRContext *context);
void attachIndexingDecompositions(mlir::MLIRContext *context);
void attachLayoutDecompositions(mlir::MLIRContext *context);
void attachContractionDecompositions(mlir::MLIRContext *context);
void attachPoolingDecompositions(mlir::MLIRContext *context);
void attachChannelsFirstDecompositions(mlir::MLIRContext *context);
void attachCellDecompositions(mlir::MLIRContext *context);
void attachRaggedDecompositions(mlir::MLIRContext *context);
void attachSequenceLossDecompositions(mlir::MLIRContext *context);
void attachStatisticsDecompositions(mlir::MLIRContext *context);
void attachStringDecompositions(mlir::MLIRContext *context);

} // namespace mlc::df

#endif // DIALECTS_DF_DECOMPOSE_DECOMPOSITION_H
