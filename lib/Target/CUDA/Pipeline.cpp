// The part of CUDA in the pipelines of code generation.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Codegen/Codegen.h"
#include "mlc/Target/CUDA/Chips.h"
#include "mlc/Target/CUDA/CudaPasses.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;
using namespace mlc;

/// Bytes that pieces of the device's memory are aligned to: what cudaMalloc gives, and whole sectors.
static constexpr int64_t kAlignment = 256;

/// Bytes of temporaries that an update reads which runs last, with the others: a launch costs what reading so many
/// does.
static constexpr int64_t kLastBytes = 256 << 10;

std::optional<KernelDevice> CudaKernelTarget::getDevice() const {
  return KernelDevice{"/device:CUDA:0",   "cuda",    "memory of the GPU", kAlignment, {"variable"},
                      /*hasCounts=*/true, kLastBytes};
}

void CudaKernelTarget::addTensorPreparation(OpPassManager &pm) const {
  pm.addNestedPass<func::FuncOp>(createWidenOperands({/*onHost=*/true}));
  pm.addNestedPass<func::FuncOp>(createCudaFillConstants());
  pm.addNestedPass<func::FuncOp>(createCudaExpandGroups());
  pm.addNestedPass<func::FuncOp>(createCudaExpandSorts());
  pm.addPass(createCudaCheckOnDevice());
}

void CudaKernelTarget::addKernelLowering(OpPassManager &pm) const {
  pm.addNestedPass<func::FuncOp>(createCudaDecideOnDevice());
  CudaLowerKernelsOptions options;
  options.warpgroups = haveWarpgroups(chipsOrDefault(chips));
  pm.addNestedPass<func::FuncOp>(createCudaLowerKernels(options));
  pm.addNestedPass<func::FuncOp>(createCudaReadSizes());
  pm.addNestedPass<func::FuncOp>(createCudaEmbedConstants());
  CpuKernelTarget::addKernelLowering(pm);
}

void CudaKernelTarget::addGroupLowering(OpPassManager &pm) const {
  pm.addNestedPass<func::FuncOp>(createCudaJoinLaunches());
}

void CudaKernelTarget::addImages(OpPassManager &pm) const {
  CudaEmitKernelsOptions options;
  options.chips = SmallVector<std::string>(chips.begin(), chips.end());
  options.lineInfo = lineInfo;
  options.form = form;
  pm.addPass(createCudaEmitKernels(options));
}

void mlc::registerCudaPipelines() {
  struct Options : public PassPipelineOptions<Options> {
    Option<std::string> cpu{*this, "cpu", llvm::cl::desc("LLVM's name of the CPU"), llvm::cl::init(CpuMachine().name)};
    ListOption<std::string> chips{*this, "chips", llvm::cl::desc("LLVM's names of chips")};
  };
  PassPipelineRegistration<Options>(
      "mlc-cuda-codegen", "Everything from linalg and kern on tensors to the LLVM dialect and PTX",
      [](OpPassManager &pm, const Options &options) {
        CpuMachine host;
        host.name = options.cpu;
        buildCodegenPipeline(pm, CudaKernelTarget(host, {options.chips.begin(), options.chips.end()}));
      });
}
