// Convolutions and pooling: ops on windows of images.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFCONVOLUTIONOPS_H
#define DIALECTS_DF_IR_DFCONVOLUTIONOPS_H

#include "dialects/Df/IR/DfForms.h"

#define GET_OP_CLASSES
#include "dialects/Df/IR/DfConvolutionOps.h.inc"

#endif // DIALECTS_DF_IR_DFCONVOLUTIONOPS_H
