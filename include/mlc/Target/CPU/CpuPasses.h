// The CPU's part of code generation: kernels to loops over vectors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TARGET_CPU_CPUPASSES_H
#define MLC_TARGET_CPU_CPUPASSES_H

#include "mlc/Target/CPU/CpuMachine.h"
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
  explicit CpuKernelTarget(CpuMachine machine) : machine(std::move(machine)) {}
  llvm::StringRef getName() const override { return "cpu"; }
  void addDescription(mlir::OpPassManager &pm) const override;
  void addKernelLowering(mlir::OpPassManager &pm) const override;
  void addLLVMLegalization(mlir::OpPassManager &pm) const override;

private:
  CpuMachine machine;
};

/// Registers the pipelines that lower kernels, for the CPU: mlc-kernels, mlc-llvm and mlc-codegen.
void registerCpuPipelines();

} // namespace mlc

#endif // MLC_TARGET_CPU_CPUPASSES_H
