// Contractions of tensors: the general product and its named forms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFCONTRACTIONOPS_H
#define DIALECTS_DF_IR_DFCONTRACTIONOPS_H

#include "dialects/Df/IR/Df.h"

#define GET_OP_CLASSES
#include "dialects/Df/IR/DfContractionOps.h.inc"

#endif // DIALECTS_DF_IR_DFCONTRACTIONOPS_H
