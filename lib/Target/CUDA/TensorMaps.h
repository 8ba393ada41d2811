// What the code of kernels for a chip needs beside what a launch has (mlcrt/kernel_needs.h).
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef LIB_TARGET_CUDA_TENSORMAPS_H
#define LIB_TARGET_CUDA_TENSORMAPS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/ADT/StringMap.h"

namespace llvm {
class Module;
} // namespace llvm

namespace mlc::cuda {

/// Of a `memref.alloca` of a block's memory: only code that has tensor maps has it, so that the kernel needs it of the
/// launch. A kernel has one of them.
inline constexpr llvm::StringLiteral kOfLaunchAttr = "of_launch";

/// What kernels need where the chip has tensor maps, by their names.
class KernelNeeds {
public:
  /// Binds the tensor maps of a kernel, whose first `numParameters` arguments are those of its launch, to parameters
  /// that it gets after all others. If something that one of them is made of is computed by the kernel, none exists.
  void bind(mlir::func::FuncOp kernel, unsigned numParameters);
  bool empty() const { return words.empty(); }

  /// Has the parameters of the kernels, which are in the LLVM dialect, be descriptors.
  void describeParameters(mlir::ModuleOp kernels) const;
  /// Takes them out of code for a chip without tensor maps.
  void dropParameters(mlir::ModuleOp kernels) const;
  /// Adds the variables that tell of the needs to code for a chip with them.
  void addTo(llvm::Module &code) const;

private:
  /// A mlcrt_kernel_needs and the mlcrt_tensor_map after it.
  llvm::StringMap<llvm::SmallVector<int64_t>> words;

  unsigned numMaps(llvm::StringRef kernel) const;
};

} // namespace mlc::cuda

#endif // LIB_TARGET_CUDA_TENSORMAPS_H
