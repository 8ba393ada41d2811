// At which stage of compilation a module is, told by what is in it.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_LIB_DRIVER_INPUTSTAGE_H
#define MLC_LIB_DRIVER_INPUTSTAGE_H

#include "mlc/Driver/Compile.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace mlc {

/// Where compilation goes on with a module.
enum class InputStage {
  Nothing,   ///< holds nothing that could run
  Est,       ///< an est.estimator
  Graph,     ///< df as built, or with its gradients expanded
  Placed,    ///< a dist.program for each device
  Tensors,   ///< segments in linalg and kern on tensors
  Buffers,   ///< after bufferization: what functions are bound to is no longer told
  Llvm,      ///< the LLVM dialect
  LlvmAlone, ///< the LLVM dialect without what addSegmentTable adds
};

InputStage inputStageOf(mlir::ModuleOp module);

/// The first phase that `--emit` can name for a module of this stage.
Phase firstPhaseOf(InputStage stage);

/// How messages call a module of this stage: "df", "the LLVM dialect".
llvm::StringRef nameOf(InputStage stage);

/// Declarations of the segments of a module on tensors, with what the artifact's table needs of them and code does not
/// tell. Its lowered form gets them by addSegmentTable.
mlir::OwningOpRef<mlir::ModuleOp> makeSegmentTable(mlir::ModuleOp module);
void addSegmentTable(mlir::ModuleOp module, mlir::OwningOpRef<mlir::ModuleOp> table);
void removeSegmentTable(mlir::ModuleOp module);

/// The declarations that addSegmentTable added to a module, with the state and the attributes of that: what
/// collectArtifactInfo reads.
mlir::OwningOpRef<mlir::ModuleOp> declaredSegments(mlir::ModuleOp module);

/// Fingerprint of a program, of all that its plan fingerprint covers but the CPU: not of values that may change at each
/// start, nor of what is only printed.
std::string planFingerprint(mlir::ModuleOp module);

} // namespace mlc

#endif // MLC_LIB_DRIVER_INPUTSTAGE_H
