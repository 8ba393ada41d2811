// Which buffers kernels only read.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CUDA_READBUFFERS_H
#define LIB_TARGET_CUDA_READBUFFERS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/BitVector.h"

namespace mlc::cuda {

/// The arguments of a kernel's function, but block and thread, by number, that are buffers which nothing writes while a
/// launch runs: the kernel does not, and no buffer that it writes may be the same memory (`may_alias`). None where that
/// is not known.
llvm::BitVector findReadBuffers(mlir::func::FuncOp kernel);

/// Says of the kernel's pointers, its first arguments, what LLVM may count on: that buffers begin at multiples of 16
/// bytes, and that nothing writes those of `read`.
void describeBuffers(mlir::LLVM::LLVMFuncOp kernel, const llvm::BitVector &read);

} // namespace mlc::cuda

#endif // LIB_TARGET_CUDA_READBUFFERS_H
