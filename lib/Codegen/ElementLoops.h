// Loops over single elements.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_CODEGEN_ELEMENTLOOPS_H
#define LIB_CODEGEN_ELEMENTLOOPS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlc {

/// Whether a loop does nothing but compute with numbers, and read and write single elements of tensors or buffers, and
/// writes some: no number that it carries is needed after it. It is work for where its tensors are, as a kernel is.
bool isElementLoop(mlir::scf::ForOp loop);

/// Whether `op` is such a loop over buffers, of which one is in the memory of a device, and code of the host.
bool isDeviceLoop(mlir::Operation *op);

} // namespace mlc

#endif // LIB_CODEGEN_ELEMENTLOOPS_H
