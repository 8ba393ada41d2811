// Kern's descriptors of tensors (KernTensorMap.td). Include this where they are made or lowered.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_KERN_IR_KERNTENSORMAP_H
#define DIALECTS_KERN_IR_KERNTENSORMAP_H

#include "dialects/Kern/IR/Kern.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "dialects/Kern/IR/KernTensorMap.h.inc"

#endif // DIALECTS_KERN_IR_KERNTENSORMAP_H
