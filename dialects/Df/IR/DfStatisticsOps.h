// Ops that statistics over the rows of many batches are made of: collected values, histograms, ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFSTATISTICSOPS_H
#define DIALECTS_DF_IR_DFSTATISTICSOPS_H

#include "dialects/Df/IR/Df.h"

#define GET_OP_CLASSES
#include "dialects/Df/IR/DfStatisticsOps.h.inc"

#endif // DIALECTS_DF_IR_DFSTATISTICSOPS_H
