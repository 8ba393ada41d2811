// Ops on strings of the df dialect: bytes in, bytes out.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_DF_IR_DFSTRINGOPS_H
#define DIALECTS_DF_IR_DFSTRINGOPS_H

#include "dialects/Df/IR/Df.h"

#define GET_OP_CLASSES
#include "dialects/Df/IR/DfStringOps.h.inc"

#endif // DIALECTS_DF_IR_DFSTRINGOPS_H
