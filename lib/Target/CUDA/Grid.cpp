// Launches of threads.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Grid.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlc;

void cuda::forEachPoint(OpBuilder &b, Location loc, Index count, double cost, llvm::function_ref<void(Index)> body,
                        llvm::function_ref<void()> enter) {
  IndexMath math{b, loc};
  Index blocks =
      math.max(math.min(math.ceilDiv(count, math.constant(kThreads)), math.constant(kMostBlocks)), math.constant(1));
  // What the body reads of constants may stand in front of the launch; the number is captured.
  Value end = math.value(count);
  auto launch = kern::LaunchOp::create(b, loc, math.value(blocks),
                                       b.getI64IntegerAttr(std::max<int64_t>(1, static_cast<int64_t>(cost * kThreads))),
                                       kern::GridAttr::get(b.getContext(), kThreads, /*shared_bytes=*/0));
  OpBuilder::InsertionGuard guard(b);
  Block *block = b.createBlock(&launch.getBody(), {}, {b.getIndexType(), b.getIndexType()}, {loc, loc});
  Index first = math.add(math.mul(block->getArgument(0), math.constant(kThreads)), block->getArgument(1));
  Value grid = NVVM::GridDimXOp::create(b, loc, b.getI32Type());
  Value step = math.value(
      math.mul(Value(arith::IndexCastUIOp::create(b, loc, b.getIndexType(), grid)), math.constant(kThreads)));
  // A thread without a number reads nothing: another one may be changing it in place.
  Value start = math.value(first);
  Value isNeeded = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, start, end);
  auto guarded = scf::IfOp::create(b, loc, isNeeded, /*withElseRegion=*/false);
  kern::YieldOp::create(b, loc);
  b.setInsertionPointToStart(&guarded.getThenRegion().front());
  if (enter)
    enter();
  auto loop = scf::ForOp::create(b, loc, start, end, step);
  b.setInsertionPoint(loop.getBody()->getTerminator());
  body(Index(loop.getInductionVar()));
}

SmallVector<Index> cuda::indicesOf(OpBuilder &b, Location loc, ArrayRef<Index> sizes, Index number) {
  IndexMath math{b, loc};
  SmallVector<Index> indices(sizes.size());
  for (size_t i = sizes.size(); i-- > 0;) {
    if (known(sizes[i]) == 1) {
      indices[i] = math.constant(0);
      continue;
    }
    // The first one of more than one element has what is left.
    bool isFirst = llvm::all_of(sizes.take_front(i), [](Index size) { return known(size) == 1; });
    if (isFirst) {
      indices[i] = number;
      number = math.constant(0);
      continue;
    }
    Value size = math.value(sizes[i]), at = math.value(number);
    indices[i] = Value(arith::RemUIOp::create(b, loc, at, size));
    number = Value(arith::DivUIOp::create(b, loc, at, size));
  }
  return indices;
}

Index cuda::product(IndexMath &math, ArrayRef<Index> sizes) {
  Index all = math.constant(1);
  for (Index size : sizes)
    all = math.mul(all, size);
  return all;
}
