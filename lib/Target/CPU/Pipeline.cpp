// The CPU's part of the pipelines of code generation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Codegen/Codegen.h"
#include "mlc/Target/CPU/CpuPasses.h"
#include "mlcrt/abi.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace mlc;

void CpuKernelTarget::addDescription(OpPassManager &pm) const {
  AttachTargetOptions options;
  options.cpu = machine.name;
  options.vectorBits = machine.vectorBits;
  options.vectorRegisters = machine.vectorRegisters;
  pm.addPass(createAttachTarget(options));
}

void CpuKernelTarget::addTensorPreparation(OpPassManager &pm) const {
  pm.addNestedPass<func::FuncOp>(createWidenOperands());
}

void CpuKernelTarget::addKernelLowering(OpPassManager &pm) const {
  OpPassManager &functions = pm.nest<func::FuncOp>();
  functions.addPass(createPlanContracts());
  functions.addPass(createPackContracts());
  functions.addPass(createLowerKernels());
}

std::optional<KernelDevice> CpuTwoSpacesTarget::getDevice() const {
  return KernelDevice{"/device:TEST:0", "test", "memory of the test's device", MLCRT_ALIGNMENT, {"variable"}};
}

void CpuKernelTarget::addLLVMLegalization(OpPassManager &pm) const { pm.addPass(createMoveBrainFloats()); }

void mlc::registerCpuPipelines() {
  struct Options : public PassPipelineOptions<Options> {
    Option<std::string> cpu{*this, "cpu", llvm::cl::desc("LLVM's name of the CPU"), llvm::cl::init(CpuMachine().name)};
    Option<int64_t> vectorBits{*this, "vector-bits", llvm::cl::desc("Bits of a vector register: 256 or 512"),
                               llvm::cl::init(CpuMachine().vectorBits)};
    Option<int64_t> vectorRegisters{*this, "vector-registers", llvm::cl::desc("Vector registers"),
                                    llvm::cl::init(CpuMachine().vectorRegisters)};
  };
  auto add = [](StringRef name, StringRef description, void (*build)(OpPassManager &, const KernelTarget &)) {
    PassPipelineRegistration<Options>(name, description, [build](OpPassManager &pm, const Options &options) {
      build(pm, CpuKernelTarget({options.cpu, options.vectorBits, options.vectorRegisters}));
    });
  };
  add("mlc-kernels", "Kernels to parallel loops of vectors in one planned workspace", buildKernelPipeline);
  add("mlc-llvm", "What is left to the LLVM dialect", buildLLVMPipeline);
  add("mlc-codegen", "Everything from linalg and kern on tensors to the LLVM dialect", buildCodegenPipeline);
}
