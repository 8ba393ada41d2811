// codegen-bufferize: see CodegenPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

namespace mlc {
#define GEN_PASS_DEF_BUFFERIZE
#include "lib/Codegen/CodegenPasses.h.inc"
} // namespace mlc

using namespace mlir;

namespace {
struct Bufferize : public mlc::impl::BufferizeBase<Bufferize> {
  void runOnOperation() override {
    bufferization::OneShotBufferizationOptions options;
    options.copyBeforeWrite = false;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      bufferization::BufferizationState state;
      if (failed(bufferization::runOneShotBufferize(function, options, state)))
        return signalPassFailure();
    }
  }
};
} // namespace
