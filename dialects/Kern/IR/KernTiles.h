// Which tiles products of a program have.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DIALECTS_KERN_IR_KERNTILES_H
#define DIALECTS_KERN_IR_KERNTILES_H

#include "llvm/ADT/StringRef.h"

namespace mlc::kern {
/// On a module: the table of tiles that its products have on a GPU (common/kernels/KernelTable.h), as text without
/// figures, of one class of chips. None: the target's own.
inline constexpr llvm::StringLiteral kKernelTableAttr = "kern.kernel_table";
} // namespace mlc::kern

#endif // DIALECTS_KERN_IR_KERNTILES_H
