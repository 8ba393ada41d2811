// Lines of a model in the code of its kernels.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_LIB_TARGET_CUDA_LINEINFO_H
#define MLC_LIB_TARGET_CUDA_LINEINFO_H

#include "mlir/IR/BuiltinOps.h"

namespace mlc::cuda {

/// Has the PTX of kernels, functions of the LLVM dialect in `kernels`, say which line of which file each part of it is
/// from (`.file`, `.loc`), as far as locations say: of ops that have several, the first. Debuggers and profilers find
/// the lines; the code is the same without.
void addLineInfo(mlir::ModuleOp kernels);

} // namespace mlc::cuda

#endif // MLC_LIB_TARGET_CUDA_LINEINFO_H
