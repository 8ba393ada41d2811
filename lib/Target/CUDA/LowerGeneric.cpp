// linalg.generic and kern.scan on the device's memory to launches of threads: one computes an element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Grid.h"
#include "lib/Target/CPU/GenericLowering.h"
#include "lib/Target/CPU/ScanLowering.h"

using namespace mlir;
using namespace mlc;

/// What the threads of a warp combine of `part` of a point's reduction, each its partial.
static SmallVector<Value> reduceInWarp(GenericLowering &lowering, ArrayRef<Index> position, const SumPart &part,
                                       Value lane) {
  OpBuilder &b = lowering.b;
  Location loc = lowering.loc;
  IndexMath &math = lowering.math;
  SmallVector<Index> sizes;
  SmallVector<size_t> reduced;
  for (auto [d, loop] : llvm::enumerate(lowering.loops)) {
    if (!loop.reduction)
      continue;
    reduced.push_back(d);
    sizes.push_back(d == 0 && !part.isAll() ? math.sub(part.end, part.begin) : loop.size);
  }
  SmallVector<Value> partials =
      makeReduction(b, loc, Index(lane), product(math, sizes), cuda::kWarp, lowering.neutralElements(b, Lanes()),
                    [&](OpBuilder &, Index element, ValueRange carried) {
                      SmallVector<Index> at(position);
                      for (auto [d, index] : llvm::zip_equal(reduced, indicesOf(b, loc, sizes, element)))
                        at[d] = d == 0 && !part.isAll() ? math.add(part.begin, index) : index;
                      return lowering.body(b, at, Lanes(), carried);
                    });
  for (auto [kind, partial] : llvm::zip_equal(lowering.combiners, partials))
    partial = cuda::combineWarp(b, loc, kind, partial);
  return partials;
}

/// Whether a warp reduces each point: along neighbours, so that its threads read them together, and more than one
/// thread has at hand at once.
static bool isForWarps(GenericLowering &lowering) {
  if (!lowering.isReduction() || lowering.combiners.empty() || lowering.isUnrolled())
    return false;
  if (lowering.order != SumOrder::Any)
    return lowering.order == SumOrder::Interleaved;
  for (const Loop &loop : llvm::reverse(lowering.loops))
    if (known(loop.size) != 1)
      return loop.reduction;
  return false;
}

LogicalResult cuda::lowerGeneric(OpBuilder &b, linalg::GenericOp op) {
  Location loc = op.getLoc();
  GenericLowering lowering(b, op, /*lanes=*/1);
  if (failed(lowering.collect()))
    return failure();
  lowering.mergeLoops();
  lowering.streamed.assign(op.getNumDpsInits(), false);
  const bool usesWarps = isForWarps(lowering);
  const int64_t threads = usesWarps ? kWarp : 1;
  Value lane;
  lowering.runTasks = [&](Index tasks, double cost, llvm::function_ref<void(Index)> body) {
    forEachTask(b, loc, tasks, threads, cost, [&](Index task, Value thread) {
      lane = thread;
      body(task);
    });
  };
  if (usesWarps) {
    lowering.reduceTogether = [&](ArrayRef<Index> position, const SumPart &part) {
      return reduceInWarp(lowering, position, part, lane);
    };
    lowering.once = [&](llvm::function_ref<void()> body) { inFirstThread(b, loc, lane, body); };
  }
  if (lowering.emitInParts())
    return success();
  IndexMath math{b, loc};
  SmallVector<Index> sizes;
  SmallVector<size_t> parallel;
  double cost = elementCost(*op.getBody(), 1);
  for (auto [d, loop] : llvm::enumerate(lowering.loops)) {
    if (loop.reduction) {
      cost *= known(loop.size).value_or(128);
      continue;
    }
    parallel.push_back(d);
    sizes.push_back(loop.size);
  }
  forEachTask(
      b, loc, product(math, sizes), threads, cost / static_cast<double>(threads),
      [&](Index number, Value thread) {
        SmallVector<Index> position(lowering.loops.size(), math.constant(0));
        for (auto [d, index] : llvm::zip_equal(parallel, indicesOf(b, loc, sizes, number)))
          position[d] = index;
        if (!usesWarps)
          return lowering.emitPoint(b, position, Lanes());
        SmallVector<Value> sums = reduceInWarp(lowering, position, SumPart(), thread);
        inFirstThread(b, loc, thread, [&] {
          lowering.storeResults(b, position, lowering.combined(b, lowering.loadResults(b, position), sums));
        });
      },
      [&] {
        lowering.loadScalars();
        if (!usesWarps)
          lowering.allocateSlots();
      });
  return success();
}

LogicalResult cuda::lowerScan(OpBuilder &b, kern::ScanOp op) {
  Location loc = op.getLoc();
  ScanLowering scan(b, op, /*lanes=*/1);
  IndexMath math{b, loc};
  SmallVector<Index> sizes;
  double cost = elementCost(op.getBody().front(), 1) * known(scan.sizeOf(scan.axis)).value_or(128);
  const auto rank = static_cast<int64_t>(scan.buffers.back().sizes.size());
  for (int64_t d = 0; d < rank; ++d)
    sizes.push_back(d == scan.axis ? math.constant(1) : scan.sizeOf(d));
  forEachPoint(b, loc, product(math, sizes), cost,
               [&](Index number) { scan.emitPoint(b, indicesOf(b, loc, sizes, number), Lanes()); });
  return success();
}
