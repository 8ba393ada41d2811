// What a target adds to code generation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TARGET_KERNELTARGET_H
#define MLC_TARGET_KERNELTARGET_H

#include "mlir/Pass/PassManager.h"

#include <optional>
#include <string>

namespace mlc {

/// A device beside the host, and its memory: memory space 1 of the program.
struct KernelDevice {
  std::string name, kind; ///< as mlcrt_device
  std::string memory;     ///< what messages call its memory
  int64_t alignment;      ///< of buffers and workspaces in it
  /// Kinds of df.binding whose buffers lie in it, and what the host needs of them is copied. Those of other kinds lie
  /// there for a segment whose kernels alone touch them.
  llvm::SmallVector<std::string> operands;
  bool hasCounts = false; ///< its kernels read the number of their tasks there, where that is an operand
  /// Launches that nothing waits for run last, together, where the temporaries that they read have at most so many
  /// bytes. 0: they run when they can.
  int64_t lastBytes = 0;
};

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

  /// The device that kernels of a step work on. None: the target has one memory.
  virtual std::optional<KernelDevice> getDevice() const { return std::nullopt; }

  /// Adds what the target wants of kernels on tensors, before these are fused. `pm` is of the module.
  virtual void addTensorPreparation(mlir::OpPassManager &pm) const {}

  /// Adds what makes kernels on memrefs (linalg and kern ops) launches: on return no linalg and no kern op but
  /// `kern.launch` and calls of services; a kernel that the target has no code for is an error at its place. `pm` is of
  /// the module.
  virtual void addKernelLowering(mlir::OpPassManager &pm) const = 0;

  /// Adds what the target makes of launches that are grouped (`kern.group`), once buffers have their places: one
  /// launch of several, say. `pm` is of the module.
  virtual void addGroupLowering(mlir::OpPassManager &pm) const {}

  /// Adds what makes images (`mlc.images`) of the functions of the device's kernels (`kern.grid`), which no host code
  /// names any more but by name, and removes them. `pm` is of the module.
  virtual void addImages(mlir::OpPassManager &pm) const {}

  /// Adds what the target's code needs that is in the LLVM dialect already. `pm` is of the module.
  virtual void addLLVMLegalization(mlir::OpPassManager &pm) const = 0;
};

} // namespace mlc

#endif // MLC_TARGET_KERNELTARGET_H
