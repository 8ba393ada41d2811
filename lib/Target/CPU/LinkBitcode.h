// Functions that a model brings as bitcode.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CPU_LINKBITCODE_H
#define LIB_TARGET_CPU_LINKBITCODE_H

#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"

namespace mlc {

/// Whether artifacts may import a symbol: the C library's memcpy, memmove and memset.
bool isAllowedImport(llvm::StringRef symbol);

/// Adds the function `name` of `bitcode` to `module`, as `symbol`, which that may declare, with what it needs. Fails,
/// naming the function, if the bitcode cannot be read or does not define it as mlc calls it, or if it imports what
/// artifacts may not.
llvm::Error linkFunction(llvm::Module &module, llvm::StringRef name, llvm::StringRef symbol, llvm::StringRef bitcode);

} // namespace mlc

#endif // LIB_TARGET_CPU_LINKBITCODE_H
