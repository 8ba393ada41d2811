// Registration of the gradient rules.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Autodiff/Gradients.h"
#include "dialects/Df/Autodiff/GradientRule.h"

void mlc::df::registerDfGradients(mlir::DialectRegistry &registry) {
  registry.addExtension(+[](mlir::MLIRContext *context, DfDialect *) {
    attachElementwiseGradients(context);
    attachMathGradients(context);
    attachShapeGradients(context);
    attachIndexingGradients(context);
    attachLayoutGradients(context);
    attachReductionGradients(context);
    attachOrderGradients(context);
    attachRaggedGradients(context);
    attachContractionGradients(context);
    attachLinearAlgebraGradients(context);
  });
}
