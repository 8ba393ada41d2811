// kern.contract on the device's memory to launches of threads: by elements, where tiles do not pay.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Grid.h"
#include "lib/Target/CPU/ContractLowering.h"
#include "mlc/Target/CUDA/TileTable.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace mlc;

namespace {
/// An element is computed by a thread, or by a warp where its sum is of interleaved partials.
struct PointContract : ContractLowering {
  explicit PointContract(OpBuilder &b, kern::ContractOp op) : ContractLowering(b, op, /*lanes=*/1) {}

  using Step = llvm::function_ref<SmallVector<Value>(Index lhs, Index rhs, ValueRange)>;

  /// Calls `step` for each element of the inner loops from `loop` on, row-major, with its places in lhs and rhs.
  SmallVector<Value> forInner(size_t loop, Index lhs, Index rhs, ValueRange init, Step step) {
    if (loop == innerLoops.size())
      return step(lhs, rhs, init);
    const Loop &inner = innerLoops[loop];
    return makeReduction(b, loc, math.constant(0), inner.size, 1, init, [&](OpBuilder &, Index k, ValueRange carried) {
      return forInner(loop + 1, math.add(lhs, math.mul(k, inner.strides[0])),
                      math.add(rhs, math.mul(k, inner.strides[1])), carried, step);
    });
  }

  SmallVector<Value> product(Index lhs, Index rhs, Value sum) {
    return {addProduct(loadLhs(Lanes(), lhs), loadRhs(Lanes(), rhs), sum)};
  }

  Value sumAscending(Index lhs, Index rhs, Value zero) {
    return forInner(0, lhs, rhs, zero,
                    [&](Index l, Index r, ValueRange carried) { return product(l, r, carried[0]); })[0];
  }

  /// For the first thread of a warp, of which each has a partial.
  Value sumInWarp(Index lhs, Index rhs, Value zero, Value lane) {
    Value partial =
        makeReduction(b, loc, Index(lane), inner, cuda::kWarp, zero, [&](OpBuilder &, Index k, ValueRange carried) {
          SmallVector<Index> at = ContractLoops::indicesOf(innerLoops, k);
          return product(math.add(lhs, distance(innerLoops, at, 0)), math.add(rhs, distance(innerLoops, at, 1)),
                         carried[0]);
        })[0];
    return cuda::combineWarp(b, loc, vector::CombiningKind::ADD, partial);
  }

  void emit() {
    collect();
    const bool isInterleaved = form() == kern::ContractForm::Dots;
    const int64_t threads = isInterleaved ? cuda::kWarp : 1;
    const double cost = kFmaCost * known(inner).value_or(128) / static_cast<double>(threads);
    cuda::forEachTask(b, loc, math.mul(math.mul(batches, rows), columns), threads, cost, [&](Index number, Value lane) {
      SmallVector<Index> at = mlc::indicesOf(b, loc, {batches, rows, columns}, number);
      withBatch(at[0], [&] { emitElement(at[1], at[2], isInterleaved ? lane : Value()); });
    });
  }

  /// `lane`: that of a warp; null for a thread alone.
  void emitElement(Index row, Index column, Value lane) {
    SmallVector<Index> at = ContractLoops::indicesOf(rowLoops, row);
    Index lhs = math.add(origins[0], distance(rowLoops, at, 0));
    Index rhs = math.add(origins[1], math.mul(column, columnLoop.strides[1]));
    Value zero = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(element())));
    Value sum = lane ? sumInWarp(lhs, rhs, zero, lane) : sumAscending(lhs, rhs, zero);
    auto finish = [&] {
      SmallVector<Value> results = epilogue(at, column, Lanes(), sum);
      for (auto [i, result] : llvm::enumerate(results))
        Lanes().store(b, loc, result, outs[i].flat, outElement(i, at, column));
    };
    if (lane)
      return cuda::inFirstThread(b, loc, lane, finish);
    finish();
  }
};
} // namespace

LogicalResult cuda::lowerContract(OpBuilder &b, kern::ContractOp op, bool warpgroups) {
  if (op.getPanelWidth())
    return op.emitOpError("reads panels, which no pass of the CUDA target makes");
  FailureOr<common::KernelTable> table = tilesFor(op);
  if (failed(table))
    return failure();
  if (!lowerContractToMatrices(b, op, *table, warpgroups) && !lowerContractToTiles(b, op, *table))
    PointContract(b, op).emit();
  return success();
}
