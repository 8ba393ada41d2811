// Kern's control flow by what a device has computed (KernFlow.td). Include this where it is made or lowered.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_KERN_IR_KERNFLOW_H
#define DIALECTS_KERN_IR_KERNFLOW_H

#include "dialects/Kern/IR/Kern.h"
#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#define GET_OP_CLASSES
#include "dialects/Kern/IR/KernFlow.h.inc"

#endif // DIALECTS_KERN_IR_KERNFLOW_H
