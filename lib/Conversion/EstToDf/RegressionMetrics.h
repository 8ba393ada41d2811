// Metrics of numbers that are predicted. -*- C++ -*-
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CONVERSION_ESTTODF_REGRESSIONMETRICS_H
#define LIB_CONVERSION_ESTTODF_REGRESSIONMETRICS_H

#include "lib/Conversion/EstToDf/MetricSums.h"

namespace mlc::est2df {

/// `values` ([n, dimension]) with the shape of a regression's label: [n] if it is one number, else as they are.
mlir::Value asLabels(GraphBuilder &builder, mlir::Value values);

/// Adds labels and predictions, f32 of one shape, in the label's own units.
void updateRegression(MetricSums &sums, mlir::Value labels, mlir::Value predictions);

/// label/mean, prediction/mean, rmse, mae: means over all numbers of all rows, by the rows' weights.
void regressionMetrics(MetricSums &sums, llvm::SmallVectorImpl<Output> &outputs);
/// baseline/rmse: of always predicting label/mean.
void regressionDiagnostics(MetricSums &sums, llvm::SmallVectorImpl<Output> &outputs);

/// Adds labels on the scale of a squared loss that is no linear one of their units: what is best for the one may be
/// worse for the other than the mean is.
void updateLossScale(MetricSums &sums, mlir::Value labels);
/// baseline/average_loss: of always predicting the mean on that scale.
void lossScaleDiagnostics(MetricSums &sums, llvm::SmallVectorImpl<Output> &outputs);

} // namespace mlc::est2df

#endif // LIB_CONVERSION_ESTTODF_REGRESSIONMETRICS_H
