// Feature ops of the df dialect: strings, hashes, vocabularies, buckets, ids.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFFEATUREOPS_H
#define DIALECTS_DF_IR_DFFEATUREOPS_H

#include "dialects/Df/IR/Df.h"

#define GET_OP_CLASSES
#include "dialects/Df/IR/DfFeatureOps.h.inc"

#endif // DIALECTS_DF_IR_DFFEATUREOPS_H
