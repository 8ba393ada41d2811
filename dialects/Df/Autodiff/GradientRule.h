// How a gradient rule is written: one overload of `gradientOf` for each op, attached by `attachRules`.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_AUTODIFF_GRADIENTRULE_H
#define DIALECTS_DF_AUTODIFF_GRADIENTRULE_H

#include "dialects/Df/Utils/ExpressionBuilder.h"

namespace mlc::df {

/// External model that calls `gradientOf(op, builder, cotangent of the op's one result, gradients of its operands)`.
/// What is known of sizes otherwise than the operands say goes through a `df.cast_shape`.
template <typename Op> struct GradientRule : DifferentiableOpInterface::ExternalModel<GradientRule<Op>, Op> {
  llvm::LogicalResult buildGradient(mlir::Operation *op, mlir::OpBuilder &builder, mlir::ValueRange cotangents,
                                    llvm::MutableArrayRef<mlir::Value> gradients) const {
    if (!cotangents[0])
      return llvm::success();
    ExpressionBuilder rule(builder, op->getLoc());
    if (failed(gradientOf(llvm::cast<Op>(op), rule, cotangents[0], gradients)))
      return llvm::failure();
    for (auto [gradient, operand] : llvm::zip_equal(gradients, op->getOperands()))
      if (gradient)
        gradient = rule.castShape(gradient, operand.getType());
    return llvm::success(rule.ok());
  }
};

template <typename... Ops> void attachRules(mlir::MLIRContext *context) {
  (Ops::template attachInterface<GradientRule<Ops>>(*context), ...);
}

/// The families, each in its own file.
void attachElementwiseGradients(mlir::MLIRContext *context);
void attachMathGradients(mlir::MLIRContext *context);
void attachShapeGradients(mlir::MLIRContext *context);
void attachIndexingGradients(mlir::MLIRContext *context);
void attachLayoutGradients(mlir::MLIRContext *context);
void attachReductionGradients(mlir::MLIRContext *context);
void attachOrderGradients(mlir::MLIRContext *context);
void attachRaggedGradients(mlir::MLIRContext *context);
void attachLinearAlgebraGradients(mlir::MLIRContext *context);
void attachContractionGradients(mlir::MLIRContext *context);

} // namespace mlc::df

#endif // DIALECTS_DF_AUTODIFF_GRADIENTRULE_H
