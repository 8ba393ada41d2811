// The pipelines of code generation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;
using namespace mlc;

std::unique_ptr<Pass> mlc::createSimplification() {
  // A round applies patterns until none applies. Another one would find what simpler regions allow, which was nothing
  // in the kernels of whole models, and takes as long.
  return createCanonicalizerPass(GreedyRewriteConfig().setMaxIterations(1));
}

void mlc::buildFusionPipeline(OpPassManager &pm) {
  pm.addNestedPass<func::FuncOp>(createSimplification());
  pm.addNestedPass<func::FuncOp>(createCSEPass());
  pm.addNestedPass<func::FuncOp>(createFuseKernels());
  // No CSE from here to bufferization: it would make computations share destinations again.
  pm.addNestedPass<func::FuncOp>(createSimplification());
}

void mlc::buildBufferizationPipeline(OpPassManager &pm, const std::optional<KernelDevice> &device) {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  // Parts that are inserted get computed in place. Before segments are bound: after it this pass would read a state
  // buffer as a second tensor.
  functions.addPass(createEliminateEmptyTensors());
  functions.addPass(createSplitResults());
  if (device) {
    AssignSpacesOptions options;
    options.device = device->operands;
    options.counts = device->hasCounts;
    functions.addPass(createAssignSpaces(options));
  }
  functions.addPass(createBindSegments());
  pm.addPass(createBufferize());
  OpPassManager &bufferized = pm.nest<func::FuncOp>();
  bufferized.addPass(createPlaceParts());
  bufferized.addPass(createSimplification());
  bufferized.addPass(createCSEPass());
  bufferized.addPass(createBatchCopies());
  bufferized.addPass(createVerifyNoTensors());
  bufferized.addPass(createVerifySpaces());
}

void mlc::buildKernelPipeline(OpPassManager &pm, const KernelTarget &target) {
  target.addDescription(pm);
  target.addKernelLowering(pm);
  OpPassManager &segments = pm.nest<func::FuncOp>();
  segments.addPass(createVerifyLowered({target.getName().str()}));
  GroupLaunchesOptions grouping;
  if (std::optional<KernelDevice> device = target.getDevice())
    grouping.lastBytes = device->lastBytes;
  segments.addPass(createGroupLaunches(grouping));
  segments.addPass(createSimplifyHosts());
  segments.addPass(createCSEPass());
  segments.addPass(createPlanWorkspace());
  segments.addPass(createSignalOperands());
  // What a target makes of kernels keeps to their spaces.
  segments.addPass(createVerifySpaces());
  segments.addPass(createDescribeSegments());
  target.addGroupLowering(pm);
  pm.addPass(createOutlineKernels());
  pm.addPass(createBindFrames());
  target.addImages(pm);
  // Kernels that are equal are one from here on.
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createSimplification());
  functions.addPass(createCSEPass());
}

void mlc::buildLLVMPipeline(OpPassManager &pm, const KernelTarget &target) {
  pm.addNestedPass<func::FuncOp>(createLowerToBlocks());
  pm.addPass(createLowerServices());
  pm.addNestedPass<func::FuncOp>(createConvertBodies());
  pm.addPass(createConvertFunctions());
  target.addLLVMLegalization(pm);
  pm.addPass(createVerifyLLVM());
}

void mlc::buildCodegenPipeline(OpPassManager &pm, const KernelTarget &target) {
  target.addTensorPreparation(pm);
  buildFusionPipeline(pm);
  buildBufferizationPipeline(pm, target.getDevice());
  buildKernelPipeline(pm, target);
  buildLLVMPipeline(pm, target);
}

void mlc::registerCodegenPipelines() {
  PassPipelineRegistration<>("mlc-fuse", "Fusion on tensors", buildFusionPipeline);
  struct Options : public PassPipelineOptions<Options> {
    ListOption<std::string> device{*this, "device",
                                   llvm::cl::desc("Kinds of df.binding whose operands lie on the device")};
    Option<bool> counts{*this, "counts", llvm::cl::desc("Kernels read numbers of tasks on the device")};
  };
  PassPipelineRegistration<Options>("mlc-bufferize", "Tensors to buffers, state updated in place",
                                    [](OpPassManager &pm, const Options &options) {
                                      if (options.device.empty())
                                        return buildBufferizationPipeline(pm);
                                      KernelDevice device;
                                      device.operands.append(options.device.begin(), options.device.end());
                                      device.hasCounts = options.counts;
                                      buildBufferizationPipeline(pm, device);
                                    });
}
