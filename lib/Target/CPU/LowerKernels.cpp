// cpu-lower-kernels: see CpuPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LowerKernels.h"
#include "mlc/Target/CPU/CpuPasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlc {
#define GEN_PASS_DEF_LOWERKERNELS
#include "lib/Target/CPU/CpuPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

namespace {
struct LowerKernels : public mlc::impl::LowerKernelsBase<LowerKernels> {
  using LowerKernelsBase::LowerKernelsBase;

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

  void runOnOperation() override {
    rewriteCopies();
    IRRewriter rewriter(&getContext());
    SmallVector<Operation *> kernels;
    getOperation()->walk([&](Operation *op) {
      if (isa<linalg::LinalgOp, kern::ContractOp, kern::TakeRowsOp, kern::UpdateRowsOp, kern::GroupSumOp,
              kern::SegmentSumOp, kern::SegmentRepeatOp, kern::ScanOp>(op))
        kernels.push_back(op);
    });
    for (Operation *op : kernels) {
      rewriter.setInsertionPoint(op);
      if (auto named = dyn_cast<linalg::LinalgOp>(op); named && !isa<linalg::GenericOp>(op)) {
        // fill takes a scalar operand: its generic form reads it from outside.
        if (auto fill = dyn_cast<linalg::FillOp>(op)) {
          auto type = cast<MemRefType>(fill.getOutputs()[0].getType());
          SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
          op = linalg::GenericOp::create(
              rewriter, fill.getLoc(), ValueRange(), fill.getOutputs(),
              {rewriter.getMultiDimIdentityMap(type.getRank())}, iterators,
              [&](OpBuilder &b, Location loc, ValueRange) { linalg::YieldOp::create(b, loc, fill.getInputs()[0]); });
          rewriter.eraseOp(fill);
        } else {
          FailureOr<linalg::GenericOp> generic = linalg::generalizeNamedOp(rewriter, named);
          if (failed(generic)) {
            op->emitOpError("has no code");
            return signalPassFailure();
          }
          op = *generic;
        }
        rewriter.setInsertionPoint(op);
      }
      LogicalResult result = success();
      if (auto generic = dyn_cast<linalg::GenericOp>(op))
        result = lowerGeneric(rewriter, generic, lanes);
      else if (auto contract = dyn_cast<kern::ContractOp>(op))
        result = lowerContract(rewriter, contract, lanes);
      else if (auto take = dyn_cast<kern::TakeRowsOp>(op))
        result = lowerTakeRows(rewriter, take, lanes);
      else if (auto update = dyn_cast<kern::UpdateRowsOp>(op))
        result = lowerUpdateRows(rewriter, update, lanes);
      else if (auto sum = dyn_cast<kern::SegmentSumOp>(op))
        result = lowerSegmentSum(rewriter, sum, lanes);
      else if (auto repeat = dyn_cast<kern::SegmentRepeatOp>(op))
        result = lowerSegmentRepeat(rewriter, repeat, lanes);
      else if (auto scan = dyn_cast<kern::ScanOp>(op))
        result = lowerScan(rewriter, scan, lanes);
      else
        result = lowerGroupSum(rewriter, cast<kern::GroupSumOp>(op), lanes);
      if (failed(result))
        return signalPassFailure();
      rewriter.eraseOp(op);
    }
  }
};
} // namespace
