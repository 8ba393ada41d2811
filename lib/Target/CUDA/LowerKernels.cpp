// cuda-lower-kernels: see CudaPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "lib/Target/CPU/LowerKernels.h"
#include "AttentionOperands.h"
#include "Grid.h"
#include "mlc/Target/CUDA/CudaPasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlc {
#define GEN_PASS_DEF_CUDALOWERKERNELS
#include "lib/Target/CUDA/CudaPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

/// Whether the op works on buffers in the device's memory; those that the host reads to launch it aside.
static bool isOnDevice(Operation *op) {
  auto kernel = dyn_cast<kern::KernelOpInterface>(op);
  return llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
    return kern::spaceOf(operand.get().getType()) != 0 && !(kernel && kernel.isHostOperand(operand));
  });
}

/// Threads that share out what a loop over elements writes, where data says which these are. Each element is written by
/// one thread, in the order of the loop, so that their number changes no result.
static constexpr int64_t kElementLoopPoints = 32768;

namespace {
struct CudaLowerKernels : public mlc::impl::CudaLowerKernelsBase<CudaLowerKernels> {
  using CudaLowerKernelsBase::CudaLowerKernelsBase;

  /// Copies of buffers as generics: they go through the same launches.
  void rewriteCopies() {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](memref::CopyOp copy) {
      if (!isOnDevice(copy))
        return;
      rewriter.setInsertionPoint(copy);
      if (copy.getSource() != copy.getTarget())
        linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(), copy.getTarget());
      rewriter.eraseOp(copy);
    });
    getOperation()->walk([&](kern::CopiesOp copies) {
      if (!isOnDevice(copies))
        return;
      rewriter.setInsertionPoint(copies);
      for (auto [source, target] : llvm::zip_equal(copies.getSources(), copies.getTargets()))
        linalg::makeMemRefCopyOp(rewriter, copies.getLoc(), source, target);
      rewriter.eraseOp(copies);
    });
  }

  LogicalResult lower(OpBuilder &b, Operation *op) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](linalg::GenericOp generic) { return cuda::lowerGeneric(b, generic); })
        .Case([&](kern::ContractOp contract) { return cuda::lowerContract(b, contract, warpgroups); })
        .Case([&](kern::AttentionOp attention) { return cuda::lowerAttention(b, attention); })
        .Case([&](kern::AttentionGradOp gradient) { return cuda::lowerAttentionGrad(b, gradient); })
        .Case([&](kern::TakeRowsOp take) { return cuda::lowerTakeRows(b, take); })
        .Case([&](kern::UpdateRowsOp update) { return cuda::lowerUpdateRows(b, update); })
        .Case([&](kern::GroupSumOp sum) { return cuda::lowerGroupSum(b, sum); })
        .Case([&](kern::RaggedSumOp sum) { return cuda::lowerRaggedSum(b, sum); })
        .Case([&](kern::RaggedRepeatOp repeat) { return cuda::lowerRaggedRepeat(b, repeat); })
        .Case([&](kern::ScanOp scan) { return cuda::lowerScan(b, scan); })
        .Default([](Operation *other) { return other->emitOpError("has no code for CUDA"); });
  }

  void runOnOperation() override {
    rewriteCopies();
    SmallVector<Operation *> kernels;
    getOperation()->walk([&](Operation *op) {
      if (isa<linalg::LinalgOp, kern::KernelOpInterface>(op) && isOnDevice(op))
        kernels.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (Operation *op : kernels) {
      rewriter.setInsertionPoint(op);
      FailureOr<Operation *> kernel = asGeneric(rewriter, op);
      if (failed(kernel))
        return signalPassFailure();
      rewriter.setInsertionPoint(*kernel);
      if (failed(lower(rewriter, *kernel)))
        return signalPassFailure();
      rewriter.eraseOp(*kernel);
    }
    auto runPoints = [](OpBuilder &b, Location loc, OpFoldResult count, auto body) {
      cuda::forEachPoint(b, loc, count, kElementLoopCost, body);
    };
    if (failed(lowerElementLoops(getOperation(), runPoints, kElementLoopPoints)))
      signalPassFailure();
  }
};
} // namespace
