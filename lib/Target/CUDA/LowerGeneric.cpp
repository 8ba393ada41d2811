// linalg.generic and kern.scan on the device's memory to launches of threads: one computes an element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Grid.h"
#include "lib/Target/CPU/GenericLowering.h"
#include "lib/Target/CPU/ScanLowering.h"

using namespace mlir;
using namespace mlc;

LogicalResult cuda::lowerGeneric(OpBuilder &b, linalg::GenericOp op) {
  Location loc = op.getLoc();
  GenericLowering lowering(b, op, /*lanes=*/1);
  if (failed(lowering.collect()))
    return failure();
  lowering.mergeLoops();
  lowering.streamed.assign(op.getNumDpsInits(), false);
  lowering.runTasks = [&](Index tasks, double cost, llvm::function_ref<void(Index)> body) {
    forEachPoint(b, loc, tasks, cost, body);
  };
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
  forEachPoint(
      b, loc, product(math, sizes), cost,
      [&](Index number) {
        SmallVector<Index> position(lowering.loops.size(), math.constant(0));
        for (auto [d, index] : llvm::zip_equal(parallel, indicesOf(b, loc, sizes, number)))
          position[d] = index;
        lowering.emitPoint(b, position, Lanes());
      },
      [&] {
        lowering.loadScalars();
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
