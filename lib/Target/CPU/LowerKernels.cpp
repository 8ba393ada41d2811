// cpu-lower-kernels: see CpuPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LowerKernels.h"
#include "VectorBody.h"
#include "mlc/Target/CPU/CpuMachine.h"
#include "mlc/Target/CPU/CpuPasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlc {
#define GEN_PASS_DEF_LOWERKERNELS
#include "lib/Target/CPU/CpuPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

/// Whether a launch is of another target: it works in the memory of a device.
static bool touchesDevice(kern::LaunchOp launch) {
  return launch
      .walk([](Operation *op) {
        bool lies = llvm::any_of(op->getOperands(), [](Value v) { return kern::spaceOf(v.getType()) != 0; });
        return lies ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

FailureOr<Operation *> mlc::asGeneric(RewriterBase &rewriter, Operation *op) {
  auto named = dyn_cast<linalg::LinalgOp>(op);
  if (!named || isa<linalg::GenericOp>(op))
    return op;
  // fill takes a scalar operand: its generic form reads it from outside.
  if (auto fill = dyn_cast<linalg::FillOp>(op)) {
    const auto rank = cast<MemRefType>(fill.getOutputs()[0].getType()).getRank();
    SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
    Value value = fill.getInputs()[0];
    auto generic = linalg::GenericOp::create(
        rewriter, fill.getLoc(), ValueRange(), fill.getOutputs(), {rewriter.getMultiDimIdentityMap(rank)}, iterators,
        [&](OpBuilder &b, Location loc, ValueRange) { linalg::YieldOp::create(b, loc, value); });
    rewriter.eraseOp(fill);
    return generic.getOperation();
  }
  FailureOr<linalg::GenericOp> generic = linalg::generalizeNamedOp(rewriter, named);
  if (failed(generic))
    return op->emitOpError("has no code: it is no linalg.generic, and cannot be made one");
  return generic->getOperation();
}

namespace {
struct LowerKernels : public mlc::impl::LowerKernelsBase<LowerKernels> {
  /// memref.copy as a generic: what bufferization could not avoid goes through the same loops.
  void rewriteCopies() {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](memref::CopyOp copy) {
      rewriter.setInsertionPoint(copy);
      if (copy.getSource() != copy.getTarget())
        linalg::makeMemRefCopyOp(rewriter, copy.getLoc(), copy.getSource(), copy.getTarget());
      rewriter.eraseOp(copy);
    });
  }

  /// Emits the op's loops in front of it.
  static LogicalResult lower(OpBuilder &b, Operation *op, int64_t lanes) {
    return llvm::TypeSwitch<Operation *, LogicalResult>(op)
        .Case([&](linalg::GenericOp generic) { return lowerGeneric(b, generic, lanes); })
        .Case([&](kern::ContractOp contract) { return lowerContract(b, contract, lanes); })
        .Case([&](kern::PackOp pack) {
          lowerPack(b, pack, lanes);
          return success();
        })
        .Case([&](kern::TakeRowsOp take) { return lowerTakeRows(b, take, lanes); })
        .Case([&](kern::UpdateRowsOp update) { return lowerUpdateRows(b, update, lanes); })
        .Case([&](kern::GroupSumOp sum) { return lowerGroupSum(b, sum, lanes); })
        .Case([&](kern::RaggedSumOp sum) { return lowerRaggedSum(b, sum, lanes); })
        .Case([&](kern::RaggedRepeatOp repeat) { return lowerRaggedRepeat(b, repeat, lanes); })
        .Case([&](kern::ScanOp scan) { return lowerScan(b, scan, lanes); })
        .Default([](Operation *other) { return other->emitOpError("has no code for the CPU"); });
  }

  void runOnOperation() override {
    FailureOr<CpuMachine> machine = CpuMachine::of(getOperation());
    if (failed(machine))
      return signalPassFailure();
    WalkResult grids = getOperation()->walk([](kern::LaunchOp launch) -> WalkResult {
      if (launch.getGrid() && !touchesDevice(launch))
        return launch.emitOpError("has a grid, which the CPU has no threads for; found ") << launch.getGridAttr();
      return WalkResult::advance();
    });
    if (grids.wasInterrupted())
      return signalPassFailure();
    rewriteCopies();
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> kernels;
    getOperation()->walk([&](Operation *op) {
      if (isa<linalg::LinalgOp, kern::KernelOpInterface>(op))
        kernels.push_back(op);
    });
    for (Operation *op : kernels) {
      rewriter.setInsertionPoint(op);
      FailureOr<Operation *> kernel = asGeneric(rewriter, op);
      if (failed(kernel))
        return signalPassFailure();
      op = *kernel;
      rewriter.setInsertionPoint(op);
      LogicalResult result = lower(rewriter, op, machine->getLanes());
      if (failed(result))
        return signalPassFailure();
      rewriter.eraseOp(op);
    }
    auto runPoints = [](OpBuilder &b, Location loc, OpFoldResult count, auto body) {
      makeTasks(b, loc, count, kElementLoopCost, [&](OpBuilder &, Index point) { body(point); });
    };
    if (failed(lowerElementLoops(getOperation(), runPoints)))
      signalPassFailure();
  }
};
} // namespace
