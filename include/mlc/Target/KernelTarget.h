// What a target adds to code generation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TARGET_KERNELTARGET_H
#define MLC_TARGET_KERNELTARGET_H

#include "mlir/Pass/PassManager.h"

namespace mlc {

/// A target, as the neutral pipelines of mlc/Codegen/Codegen.h see it: they name no target's passes themselves.
class KernelTarget {
public:
  virtual ~KernelTarget() = default;

  /// What diagnostics call it.
  virtual llvm::StringRef getName() const = 0;

  /// Adds what puts facts about the machine on the module, as `dlti.target_system_spec`: limits that tiles and launches
  /// are chosen by. Lowerings ask the module, so that a text of any stage compiles alike everywhere. `pm` is of the
  /// module.
  virtual void addDescription(mlir::OpPassManager &pm) const = 0;

  /// Kinds of df.binding whose buffers lie in memory of the device, where kernels of a step then work; what the host
  /// needs of it is copied. None: the target has one memory.
  virtual llvm::SmallVector<std::string> getDeviceOperands() const { return {}; }

  /// Adds what the target wants of kernels on tensors, before these are fused. `pm` is of the module.
  virtual void addTensorPreparation(mlir::OpPassManager &pm) const {}

  /// Adds what makes kernels on memrefs (linalg and kern ops) launches: on return no linalg and no kern op but
  /// `kern.launch` and calls of services; a kernel that the target has no code for is an error at its place. `pm` is of
  /// the module.
  virtual void addKernelLowering(mlir::OpPassManager &pm) const = 0;

  /// Adds what the target's code needs that is in the LLVM dialect already. `pm` is of the module.
  virtual void addLLVMLegalization(mlir::OpPassManager &pm) const = 0;
};

} // namespace mlc

#endif // MLC_TARGET_KERNELTARGET_H
