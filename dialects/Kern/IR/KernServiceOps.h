// Kern's calls of services, an op for each (KernServices.td). Include this where they are made.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_KERN_IR_KERNSERVICEOPS_H
#define DIALECTS_KERN_IR_KERNSERVICEOPS_H

#include "dialects/Kern/IR/Kern.h"
#include "dialects/Kern/IR/KernInterfaces.h"

#define GET_OP_CLASSES
#include "dialects/Kern/IR/KernServiceOps.h.inc"

#endif // DIALECTS_KERN_IR_KERNSERVICEOPS_H
