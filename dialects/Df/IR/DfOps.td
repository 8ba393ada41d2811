// Umbrella of the df ops, by theme.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_OPS_TD
#define DF_OPS_TD

include "dialects/Df/IR/DfFunctionOps.td"
include "dialects/Df/IR/DfStateOps.td"
include "dialects/Df/IR/DfControlFlowOps.td"
include "dialects/Df/IR/DfElementwiseOps.td"
include "dialects/Df/IR/DfMathOps.td"
include "dialects/Df/IR/DfIntegerOps.td"
include "dialects/Df/IR/DfActivationOps.td"
include "dialects/Df/IR/DfShapeOps.td"
include "dialects/Df/IR/DfIndexingOps.td"
include "dialects/Df/IR/DfLayoutOps.td"
include "dialects/Df/IR/DfReductionOps.td"
include "dialects/Df/IR/DfOrderOps.td"
include "dialects/Df/IR/DfNormalizationOps.td"
include "dialects/Df/IR/DfLossOps.td"
include "dialects/Df/IR/DfContractionOps.td"
include "dialects/Df/IR/DfLinearAlgebraOps.td"
include "dialects/Df/IR/DfConvolutionOps.td"
include "dialects/Df/IR/DfCellOps.td"
include "dialects/Df/IR/DfFeatureOps.td"
include "dialects/Df/IR/DfRaggedOps.td"
include "dialects/Df/IR/DfRandomOps.td"
include "dialects/Df/IR/DfStatisticsOps.td"
include "dialects/Df/IR/DfTrainingOps.td"
include "dialects/Df/IR/DfQueueOps.td"
include "dialects/Df/IR/DfSaveOps.td"
include "dialects/Df/IR/DfStringOps.td"

#endif // DF_OPS_TD
