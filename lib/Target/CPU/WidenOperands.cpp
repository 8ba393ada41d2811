// cpu-widen-operands: see CpuPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/IR/DfPulls.h"
#include "dialects/Kern/IR/Kern.h"
#include "dialects/Kern/Utils/Widen.h"
#include "mlc/Target/CPU/CpuPasses.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

namespace mlc {
#define GEN_PASS_DEF_WIDENOPERANDS
#include "lib/Target/CPU/CpuPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

/// Whether the tensor is computed element by element, so that what widens it becomes part of that.
static bool isComputed(Value tensor) {
  auto generic = tensor.getDefiningOp<linalg::GenericOp>();
  return generic && generic.getNumParallelLoops() == generic.getNumLoops();
}

/// The tensor with elements of `to`.
static Value widened(OpBuilder &b, Location loc, Value tensor, Type to, bool isUnsigned) {
  int64_t rank = cast<RankedTensorType>(tensor.getType()).getRank();
  Value empty = tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, tensor), to);
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(static_cast<unsigned>(rank)));
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  auto body = [&](OpBuilder &n, Location l, ValueRange elements) {
    linalg::YieldOp::create(n, l, kern::widen(n, l, elements[0], to, isUnsigned));
  };
  return linalg::GenericOp::create(b, loc, empty.getType(), tensor, empty, maps, iterators, body).getResult(0);
}

namespace {
struct WidenOperands : public mlc::impl::WidenOperandsBase<WidenOperands> {
  using WidenOperandsBase::WidenOperandsBase;

  void runOnOperation() override {
    if (onHost && !df::runsOnHost(getOperation()))
      return;
    getOperation()->walk([](kern::ContractOp op) {
      if (!isa<RankedTensorType>(op.getLhs().getType()))
        return;
      OpBuilder b(op);
      Type to = op.getAccumulatorType();
      auto isNarrow = [&](Value x) { return getElementTypeOrSelf(x.getType()) != to; };
      bool isColumn = cast<RankedTensorType>(op.getOuts()[0].getType()).getShape().back() == 1;
      if (isNarrow(op.getLhs()) && (!isColumn || isComputed(op.getLhs()))) {
        op.getLhsMutable().assign(widened(b, op.getLoc(), op.getLhs(), to, op.getUnsignedLhs()));
        op.removeUnsignedLhsAttr();
      }
      if (isNarrow(op.getRhs()) && isComputed(op.getRhs())) {
        op.getRhsMutable().assign(widened(b, op.getLoc(), op.getRhs(), to, op.getUnsignedRhs()));
        op.removeUnsignedRhsAttr();
      }
    });
  }
};
} // namespace
