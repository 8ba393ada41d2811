// Registration of the decompositions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Decompose/Decompositions.h"
#include "dialects/Df/Decompose/Decomposition.h"

void mlc::df::registerDfDecompositions(mlir::DialectRegistry &registry) {
  registry.addExtension(+[](mlir::MLIRContext *context, DfDialect *) {
    attachElementwiseDecompositions(context);
    attachIncompleteGammaDecompositions(context);
    attachLinearAlgebraDecompositions(context);
    attachLossDecompositions(context);
    attachNormalizationDecompositions(context);
    attachReductionDecompositions(context);
    attachRandomDecompositions(context);
    attachActivationDecompositions(context);
    attachMathDecompositions(context);
    attachIndexingDecompositions(context);
    attachLayoutDecompositions(context);
    attachContractionDecompositions(context);
    attachChannelsFirstDecompositions(context);
    attachPoolingDecompositions(context);
    attachCellDecompositions(context);
    attachRaggedDecompositions(context);
    attachSequenceLossDecompositions(context);
    attachStatisticsDecompositions(context);
    attachStringDecompositions(context);
  });
}
