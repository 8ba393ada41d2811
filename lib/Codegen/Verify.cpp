// The postconditions of code generation's phases.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ElementLoops.h"
#include "dialects/Df/IR/DfQueueOps.h"
#include "dialects/Df/IR/DfStateOps.h"
#include "dialects/Kern/IR/Kern.h"
#include "mlc/Codegen/Codegen.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Verifier.h"

namespace mlc {
#define GEN_PASS_DEF_VERIFYNOTENSORS
#define GEN_PASS_DEF_VERIFYLOWERED
#define GEN_PASS_DEF_VERIFYLLVM
#include "lib/Codegen/CodegenPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

namespace {
struct VerifyNoTensors : public mlc::impl::VerifyNoTensorsBase<VerifyNoTensors> {
  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      auto isTensor = [](Type t) { return isa<TensorType>(t); };
      if (llvm::any_of(op->getOperandTypes(), isTensor) || llvm::any_of(op->getResultTypes(), isTensor)) {
        op->emitOpError("still works on tensors after bufferization");
        signalPassFailure();
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    markAllAnalysesPreserved();
  }
};

struct VerifyLowered : public mlc::impl::VerifyLoweredBase<VerifyLowered> {
  using VerifyLoweredBase::VerifyLoweredBase;

  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      if (!isa<linalg::LinalgOp, memref::CopyOp, kern::KernelOpInterface>(op) && !isDeviceLoop(op))
        return WalkResult::advance();
      op->emitOpError("is a kernel that target '") << target << "' has no code for";
      signalPassFailure();
      return WalkResult::interrupt();
    });
    markAllAnalysesPreserved();
  }
};

struct VerifyLLVM : public mlc::impl::VerifyLLVMBase<VerifyLLVM> {
  void runOnOperation() override {
    // Whoever compiles many programs does not verify between passes.
    if (failed(verify(getOperation())))
      return signalPassFailure();
    getOperation()->walk([&](Operation *op) {
      if (op == getOperation() ||
          isa<df::VariableOp, df::VocabularyOp, df::QueueOp, df::DimensionOp, kern::ExternalFunctionOp>(op) ||
          isa_and_nonnull<LLVM::LLVMDialect>(op->getDialect()))
        return WalkResult::advance();
      op->emitOpError("is left after code generation");
      signalPassFailure();
      return WalkResult::interrupt();
    });
    markAllAnalysesPreserved();
  }
};
} // namespace
