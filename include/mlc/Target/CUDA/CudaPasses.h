// The CUDA target of code generation: kernels to launches of threads, and these to PTX.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TARGET_CUDA_CUDAPASSES_H
#define MLC_TARGET_CUDA_CUDAPASSES_H

#include "mlc/Target/CPU/CpuPasses.h"

#include <string>
#include <vector>

namespace mlc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lib/Target/CUDA/CudaPasses.h.inc"

/// A GPU of NVIDIA beside a CPU: the state lies in its memory, where kernels of a step work; features, and what reads
/// single elements, stay with the CPU.
class CudaKernelTarget : public CpuKernelTarget {
public:
  /// `chips`: checkChip finds nothing wrong with them; none: those of chipsOrDefault. `lineInfo` and `form` as options
  /// of cuda-emit-kernels.
  CudaKernelTarget(CpuMachine host, std::vector<std::string> chips, bool lineInfo = false, std::string form = "ptx")
      : CpuKernelTarget(std::move(host)), chips(std::move(chips)), lineInfo(lineInfo), form(std::move(form)) {}
  llvm::StringRef getName() const override { return "cuda"; }
  std::optional<KernelDevice> getDevice() const override;
  void addTensorPreparation(mlir::OpPassManager &pm) const override;
  void addKernelLowering(mlir::OpPassManager &pm) const override;
  void addGroupLowering(mlir::OpPassManager &pm) const override;
  void addImages(mlir::OpPassManager &pm) const override;

private:
  std::vector<std::string> chips;
  bool lineInfo;
  std::string form;
};

/// Registers mlc-cuda-codegen: mlc-codegen for a GPU.
void registerCudaPipelines();

} // namespace mlc

#endif // MLC_TARGET_CUDA_CUDAPASSES_H
