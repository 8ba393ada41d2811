// Code generation: segments on tensors to LLVM functions over frames.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef MLC_CODEGEN_CODEGEN_H
#define MLC_CODEGEN_CODEGEN_H

#include "dialects/Mlc/IR/Mlc.h"
#include "mlc/Target/KernelTarget.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

namespace mlc {

/// On a segment with a workspace in a memory space: the formula of its size (codegen-plan-workspace).
std::string workspaceAttr(int64_t space);
/// The type of a workspace, an argument after those of the operands: one for each space, by number.
mlir::MemRefType workspaceType(mlir::MLIRContext *context, int64_t space);

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "lib/Codegen/CodegenPasses.h.inc"

/// The canonicalizer, in one round: what code generation simplifies by between its passes.
std::unique_ptr<mlir::Pass> createSimplification();

/// Fusion on tensors: epilogues into contractions, chains of element-wise ops, sums of groups into row updates.
void buildFusionPipeline(mlir::OpPassManager &pm);
/// Tensors to buffers: segments take memrefs, state is updated in place.
/// `device`: what kernels run on; none: there is one memory.
void buildBufferizationPipeline(mlir::OpPassManager &pm, const std::optional<KernelDevice> &device = std::nullopt);
/// Kernels to launches of the target's loops, temporaries to one planned workspace, segments to functions of a frame.
void buildKernelPipeline(mlir::OpPassManager &pm, const KernelTarget &target);
/// All that is left to the LLVM dialect.
void buildLLVMPipeline(mlir::OpPassManager &pm, const KernelTarget &target);

/// The four above: a module after convert-df-to-linalg becomes one in the LLVM dialect (df.variable and df.vocabulary
/// ops stay: the artifact's table is made from them).
void buildCodegenPipeline(mlir::OpPassManager &pm, const KernelTarget &target);

/// Registers the pipelines that need no target, mlc-fuse and mlc-bufferize; a target registers the others.
void registerCodegenPipelines();

} // namespace mlc

#endif // MLC_CODEGEN_CODEGEN_H
