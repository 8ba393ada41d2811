// cuda-unroll-loops: see CudaPasses.td.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Grid.h"
#include "mlc/Target/CUDA/CudaPasses.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlc {
#define GEN_PASS_DEF_CUDAUNROLLLOOPS
#include "lib/Target/CUDA/CudaPasses.h.inc"
} // namespace mlc

using namespace mlir;
using namespace mlc;

/// Loads of a thread that are on their way at once at most, and ops that a loop grows to: threads of a reduction are
/// few, and what each waits for is most of its time.
static constexpr int64_t kMostLoads = 8, kMostOps = 96;

/// How often the body of a loop is to stand in it. 1: it reads nothing of the device's memory to wait for, or does more
/// than that and computing.
static int64_t factorOf(scf::ForOp loop) {
  if (loop.getInitArgs().empty() || loop.getUnsignedCmp())
    return 1;
  int64_t loads = 0, ops = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    ++ops;
    if (op.getNumRegions() > 0)
      return 1;
    if (isa<memref::LoadOp, vector::LoadOp>(op))
      loads += kern::spaceOf(op.getOperand(0).getType()) == 1;
    else if (!isMemoryEffectFree(&op))
      return 1;
  }
  if (loads == 0)
    return 1;
  int64_t factor = 1;
  while (2 * factor * loads <= kMostLoads && 2 * factor * ops <= kMostOps)
    factor *= 2;
  auto begin = getConstantIntValue(loop.getLowerBound()), end = getConstantIntValue(loop.getUpperBound()),
       step = getConstantIntValue(loop.getStep());
  // Where a thread begins at its own number, others go round as often.
  while (end && step && factor > 1 && (*end - begin.value_or(0)) / *step < factor)
    factor /= 2;
  return factor;
}

/// Makes a loop one of `factor` iterations at a time, and one of the rest. Values are computed one after another as
/// before.
static void unroll(scf::ForOp loop, int64_t factor) {
  OpBuilder b(loop);
  Location loc = loop.getLoc();
  Value step = loop.getStep(), end = loop.getUpperBound();
  auto constant = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(step.getType(), value));
  };
  // Past `last` there are fewer left; it may be negative.
  Value ahead = arith::MulIOp::create(b, loc, step, constant(factor - 1));
  Value last = arith::SubIOp::create(b, loc, end, ahead);
  Value stride = arith::MulIOp::create(b, loc, step, constant(factor));
  SmallVector<Value> init = {loop.getLowerBound()};
  llvm::append_range(init, loop.getInitArgs());
  auto wide = scf::ForOp::create(b, loc, loop.getLowerBound(), last, stride, init,
                                 [&](OpBuilder &nested, Location, Value begin, ValueRange carried) {
                                   SmallVector<Value> values(carried.drop_front());
                                   Value number = begin;
                                   for (int64_t i = 0; i < factor; ++i) {
                                     IRMapping mapping;
                                     mapping.map(loop.getInductionVar(), number);
                                     mapping.map(loop.getRegionIterArgs(), values);
                                     for (Operation &op : loop.getBody()->without_terminator())
                                       nested.clone(op, mapping);
                                     values = llvm::map_to_vector(loop.getYieldedValues(),
                                                                  [&](Value v) { return mapping.lookupOrDefault(v); });
                                     number = arith::AddIOp::create(nested, loc, number, step);
                                   }
                                   values.insert(values.begin(), number);
                                   scf::YieldOp::create(nested, loc, values);
                                 });
  loop.setLowerBound(wide.getResult(0));
  loop.getInitArgsMutable().assign(wide.getResults().drop_front());
}

namespace {
struct CudaUnrollLoops : public mlc::impl::CudaUnrollLoopsBase<CudaUnrollLoops> {
  using CudaUnrollLoopsBase::CudaUnrollLoopsBase;

  void runOnOperation() override {
    // Threads with memory of their own have partials there, and addresses of these: ptxas then spilled.
    auto isOwn = [](memref::AllocaOp cells) { return kern::spaceOf(cells.getType()) != cuda::kSharedSpace; };
    if (llvm::any_of(getOperation().getOps<memref::AllocaOp>(), isOwn))
      return;
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](scf::ForOp loop) { loops.push_back(loop); });
    for (scf::ForOp loop : loops)
      if (const int64_t factor = factorOf(loop); factor > 1)
        unroll(loop, factor);
  }
};
} // namespace
