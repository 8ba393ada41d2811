// What the kernels of the CPU are shaped for, as attributes of the module tell.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_TARGET_CPU_CPUMACHINE_H
#define MLC_TARGET_CPU_CPUMACHINE_H

#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Support/LLVM.h"

namespace mlc {

/// Facts about a CPU. They stand on the module, as the device "CPU" of `dlti.target_system_spec`, and come from the CPU
/// that code is made for, never from the one that makes it. No order of a sum follows from them.
struct CpuMachine {
  std::string name = "x86-64-v3"; ///< LLVM's name
  int64_t vectorBits = 256;       ///< of a register
  int64_t vectorRegisters = 16;

  /// f32 lanes of a register.
  int64_t getLanes() const { return vectorBits / 32; }

  /// The attribute that says so.
  mlir::TargetSystemSpecInterface describe(mlir::MLIRContext *context) const;
  /// What the module around `op` says; an error at `op` if it says nothing of a CPU, or of one without code.
  static mlir::FailureOr<CpuMachine> of(mlir::Operation *op);
};

} // namespace mlc

#endif // MLC_TARGET_CPU_CPUMACHINE_H
