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
  void addTensorPreparation(mlir::OpPassManager &pm) const override;
  void addKernelLowering(mlir::OpPassManager &pm) const override;
  void addLLVMLegalization(mlir::OpPassManager &pm) const override;

private:
  CpuMachine machine;
};

/// The CPU with a memory for kernels beside the host's, for tests of what a device needs: variables lie there, where
/// kernels of a step work, and what goes between the two is copied. The device is what runs the service parallel_for.
class CpuTwoSpacesTarget : public CpuKernelTarget {
public:
  using CpuKernelTarget::CpuKernelTarget;
  llvm::StringRef getName() const override { return "cpu-two-spaces"; }
  std::optional<KernelDevice> getDevice() const override;
};

/// Registers the pipelines that lower kernels, for the CPU: mlc-kernels, mlc-llvm and mlc-codegen.
void registerCpuPipelines();

} // namespace mlc

#endif // MLC_TARGET_CPU_CPUPASSES_H
