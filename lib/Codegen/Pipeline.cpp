// The pipelines of code generation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Codegen/Codegen.h"
#include "mlir/Conversion/AffineToStandard/AffineToStandard.h"
#include "mlir/Conversion/ArithToLLVM/ArithToLLVM.h"
#include "mlir/Conversion/ControlFlowToLLVM/ControlFlowToLLVM.h"
#include "mlir/Conversion/FuncToLLVM/ConvertFuncToLLVMPass.h"
#include "mlir/Conversion/IndexToLLVM/IndexToLLVM.h"
#include "mlir/Conversion/MathToLLVM/MathToLLVM.h"
#include "mlir/Conversion/MemRefToLLVM/MemRefToLLVM.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Conversion/VectorToLLVM/ConvertVectorToLLVMPass.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Bufferization/Transforms/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlc;

void mlc::buildFusionPipeline(OpPassManager &pm, const CodegenOptions &) {
  pm.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  pm.addNestedPass<func::FuncOp>(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createFuseKernels());
  // No CSE from here to bufferization: it would make computations share destinations again.
  pm.addNestedPass<func::FuncOp>(createCanonicalizerPass());
}

void mlc::buildBufferizationPipeline(OpPassManager &pm, const CodegenOptions &) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  // Concatenations get their parts computed in place. Before segments are bound: behind it this pass would read a state
  // buffer as a second tensor.
  functions.addPass(bufferization::createEmptyTensorEliminationPass());
  functions.addPass(createBindSegments());
  pm.addPass(createBufferize());
  OpPassManager &bufferized = pm.nest<func::FuncOp>();
  bufferized.addPass(createCanonicalizerPass());
  bufferized.addPass(createCSEPass());
  bufferized.addPass(createVerifyNoTensors());
}

void mlc::buildKernelPipeline(OpPassManager &pm, const CodegenOptions &options) {
  LowerKernelsOptions lowering;
  lowering.lanes = options.lanes;
  pm.addNestedPass<func::FuncOp>(createLowerKernels(lowering));
  pm.addNestedPass<func::FuncOp>(createGroupLaunches());
  pm.addNestedPass<func::FuncOp>(createCanonicalizerPass());
  pm.addNestedPass<func::FuncOp>(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createPlanWorkspace());
  pm.addNestedPass<func::FuncOp>(createSignalOperands());
  pm.addPass(createOutlineSegments());
}

void mlc::buildLLVMPipeline(OpPassManager &pm, const CodegenOptions &) {
  // Function by function, and so in parallel, as far as that goes.
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(memref::createExpandStridedMetadataPass());
  functions.addPass(createLowerAffinePass());
  functions.addPass(createSCFToControlFlowPass());
  pm.addPass(createLowerServices());
  OpPassManager &bodies = pm.nest<func::FuncOp>();
  bodies.addPass(createConvertVectorToLLVMPass());
  bodies.addPass(createConvertMathToLLVMPass());
  bodies.addPass(createArithToLLVMConversionPass());
  bodies.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createMoveBrainFloats());
  pm.addPass(createVerifyLLVM());
}

void mlc::buildCodegenPipeline(OpPassManager &pm, const CodegenOptions &options) {
  buildFusionPipeline(pm, options);
  buildBufferizationPipeline(pm, options);
  buildKernelPipeline(pm, options);
  buildLLVMPipeline(pm, options);
}

void mlc::registerCodegenPipelines() {
  struct Options : public PassPipelineOptions<Options> {
    Option<int64_t> lanes{*this, "lanes", llvm::cl::desc("f32 lanes of a vector register"), llvm::cl::init(8)};
  };
  auto add = [](StringRef name, StringRef description, void (*build)(OpPassManager &, const CodegenOptions &)) {
    PassPipelineRegistration<Options>(name, description, [build](OpPassManager &pm, const Options &options) {
      CodegenOptions codegen;
      codegen.lanes = options.lanes;
      build(pm, codegen);
    });
  };
  add("mlc-fuse", "Fusion on tensors", buildFusionPipeline);
  add("mlc-bufferize", "Tensors to buffers, state updated in place", buildBufferizationPipeline);
  add("mlc-kernels", "Kernels to parallel loops of vectors in one planned workspace", buildKernelPipeline);
  add("mlc-llvm", "What is left to the LLVM dialect", buildLLVMPipeline);
  add("mlc-codegen", "Everything from linalg and kern on tensors to the LLVM dialect", buildCodegenPipeline);
}
