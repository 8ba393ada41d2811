// The CPU's part of the pipelines of code generation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Codegen/Codegen.h"
#include "mlc/Target/CPU/CpuPasses.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace mlc;

void CpuKernelTarget::addKernelLowering(OpPassManager &pm) const {
  LowerKernelsOptions options;
  options.lanes = lanes;
  pm.addNestedPass<func::FuncOp>(createLowerKernels(options));
}

void CpuKernelTarget::addLLVMLegalization(OpPassManager &pm) const { pm.addPass(createMoveBrainFloats()); }

void mlc::registerCpuPipelines() {
  struct Options : public PassPipelineOptions<Options> {
    Option<int64_t> lanes{*this, "lanes", llvm::cl::desc("f32 lanes of a vector register"), llvm::cl::init(8)};
  };
  auto add = [](StringRef name, StringRef description, void (*build)(OpPassManager &, const KernelTarget &)) {
    PassPipelineRegistration<Options>(name, description, [build](OpPassManager &pm, const Options &options) {
      build(pm, CpuKernelTarget(options.lanes));
    });
  };
  add("mlc-kernels", "Kernels to parallel loops of vectors in one planned workspace", buildKernelPipeline);
  add("mlc-llvm", "What is left to the LLVM dialect", buildLLVMPipeline);
  add("mlc-codegen", "Everything from linalg and kern on tensors to the LLVM dialect", buildCodegenPipeline);
}
