// Kern's attention (KernAttention.td). Include this where it is made or lowered.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_KERN_IR_KERNATTENTION_H
#define DIALECTS_KERN_IR_KERNATTENTION_H

#include "dialects/Kern/IR/Kern.h"
#include "dialects/Kern/IR/KernInterfaces.h"
#include "mlir/IR/Builders.h"

#define GET_OP_CLASSES
#include "dialects/Kern/IR/KernAttention.h.inc"

#endif // DIALECTS_KERN_IR_KERNATTENTION_H
