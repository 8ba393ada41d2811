// kern.contract on the device's memory to launches of threads: one computes an element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Grid.h"
#include "lib/Target/CPU/ContractLowering.h"
#include "mlc/Support/SumOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlc;

namespace {
struct ThreadContract : ContractLowering {
  /// Whether products are added as interleaved partials.
  bool isInterleaved = false;

  explicit ThreadContract(OpBuilder &b, kern::ContractOp op) : ContractLowering(b, op, /*lanes=*/1) {}

  using Step = llvm::function_ref<SmallVector<Value>(Index lhs, Index rhs, Index number, ValueRange)>;

  /// Calls `step` for each element of the inner loops from `loop` on, row-major, with its places in lhs and rhs.
  SmallVector<Value> forInner(size_t loop, Index lhs, Index rhs, Index number, ValueRange init, Step step) {
    if (loop == innerLoops.size())
      return step(lhs, rhs, number, init);
    const Loop &inner = innerLoops[loop];
    auto iterate = [&](Index k, ValueRange carried) {
      return forInner(loop + 1, math.add(lhs, math.mul(k, inner.strides[0])),
                      math.add(rhs, math.mul(k, inner.strides[1])), math.add(math.mul(number, inner.size), k), carried,
                      step);
    };
    if (!init.empty())
      return makeReduction(b, loc, math.constant(0), inner.size, 1, init,
                           [&](OpBuilder &, Index k, ValueRange carried) { return iterate(k, carried); });
    makeLoop(b, loc, math.constant(0), inner.size, 1, [&](OpBuilder &, Index k) { iterate(k, {}); });
    return {};
  }

  Value product(Index lhs, Index rhs, Value sum) {
    return addProduct(loadLhs(Lanes(), lhs), loadRhs(Lanes(), rhs), sum);
  }

  Value sumAscending(Index lhs, Index rhs, Value zero) {
    return forInner(0, lhs, rhs, math.constant(0), zero, [&](Index l, Index r, Index, ValueRange carried) {
      return SmallVector<Value>{product(l, r, carried[0])};
    })[0];
  }

  Value sumInterleaved(Index lhs, Index rhs, Value zero, Value slots) {
    makeLoop(b, loc, math.constant(0), math.constant(kSumPartials), 1,
             [&](OpBuilder &, Index i) { Lanes().store(b, loc, zero, slots, i); });
    forInner(0, lhs, rhs, math.constant(0), {}, [&](Index l, Index r, Index number, ValueRange) {
      Index partial =
          Value(arith::AndIOp::create(b, loc, math.value(number), math.value(math.constant(kSumPartials - 1))));
      Lanes().store(b, loc, product(l, r, Lanes().load(b, loc, slots, partial)), slots, partial);
      return SmallVector<Value>();
    });
    SmallVector<Value> partials;
    for (int64_t i = 0; i < kSumPartials; ++i)
      partials.push_back(Lanes().load(b, loc, slots, math.constant(i)));
    return combineLanes(b, loc, vector::CombiningKind::ADD, partials, kSumPartials);
  }

  void emit() {
    collect();
    isInterleaved = form() == kern::ContractForm::Dots;
    double cost = kFmaCost * known(inner).value_or(128);
    Value slots;
    cuda::forEachPoint(
        b, loc, math.mul(math.mul(batches, rows), columns), cost,
        [&](Index number) {
          SmallVector<Index> at = cuda::indicesOf(b, loc, {batches, rows, columns}, number);
          withBatch(at[0], [&] { emitElement(at[1], at[2], slots); });
        },
        [&] {
          if (isInterleaved)
            slots = memref::AllocaOp::create(b, loc, MemRefType::get({kSumPartials}, element()));
        });
  }

  void emitElement(Index row, Index column, Value slots) {
    SmallVector<Index> at = ContractLoops::indicesOf(rowLoops, row);
    Index lhs = math.add(origins[0], distance(rowLoops, at, 0));
    Index rhs = math.add(origins[1], math.mul(column, columnLoop.strides[1]));
    Value zero = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(element())));
    Value sum = isInterleaved ? sumInterleaved(lhs, rhs, zero, slots) : sumAscending(lhs, rhs, zero);
    SmallVector<Value> results = epilogue(at, column, Lanes(), sum);
    for (auto [i, result] : llvm::enumerate(results))
      Lanes().store(b, loc, result, outs[i].flat, outElement(i, at, column));
  }
};
} // namespace

LogicalResult cuda::lowerContract(OpBuilder &b, kern::ContractOp op) {
  if (op.getPanelWidth())
    return op.emitOpError("reads panels, which no pass of the CUDA target makes");
  ThreadContract(b, op).emit();
  return success();
}
