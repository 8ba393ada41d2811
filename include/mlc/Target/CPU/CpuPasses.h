// The CPU's part of code generation: kernels to loops over vectors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TARGET_CPU_CPUPASSES_H
#define MLC_TARGET_CPU_CPUPASSES_H

#include "mlc/Target/KernelTarget.h"
#include "mlir/Pass/Pass.h"

namespace mlc {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lib/Target/CPU/CpuPasses.h.inc"

/// The CPU as a target of kernels. What they are shaped for is a function of the target CPU alone, so that one
/// artifact's bits are the same everywhere.
class CpuKernelTarget : public KernelTarget {
public:
  /// `lanes`: f32 lanes of a vector register, 8 (AVX2) or 16 (AVX-512).
  explicit CpuKernelTarget(int64_t lanes) : lanes(lanes) {}
  void addKernelLowering(mlir::OpPassManager &pm) const override;
  void addLLVMLegalization(mlir::OpPassManager &pm) const override;

private:
  int64_t lanes;
};

/// Registers the pipelines that lower kernels, for the CPU: mlc-kernels, mlc-llvm and mlc-codegen.
void registerCpuPipelines();

} // namespace mlc

#endif // MLC_TARGET_CPU_CPUPASSES_H
