// kern.scan to tasks of loops: lanes are neighbours along another dimension than the one that is scanned.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LowerKernels.h"
#include "ScanLowering.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlc;

void ScanLowering::emitPoint(OpBuilder &nested, SmallVector<Index> position, const Lanes &lanes) {
  Index size = sizeOf(axis);
  Block &body = op.getBody().front();
  Value initial = lanes.constant(nested, loc, op.getInitial());
  makeReduction(nested, loc, math.constant(0), size, 1, initial, [&](OpBuilder &inner, Index i, ValueRange carried) {
    position[axis] = op.getReverse() ? math.sub(math.sub(size, math.constant(1)), i) : i;
    IRMapping mapping;
    mapping.map(body.getArgument(0), carried[0]);
    for (auto [argument, buffer] : llvm::zip(body.getArguments().drop_front(), buffers))
      if (!argument.use_empty())
        mapping.map(argument, lanes.load(inner, loc, buffer.flat, buffer.at(math, position)));
    SmallVector<Value> yielded = cloneBody(inner, body, mapping, lanes);
    lanes.store(inner, loc, yielded[1], buffers.back().flat, buffers.back().at(math, position));
    return SmallVector<Value>{yielded[0]};
  });
}

void ScanLowering::emitLoops(OpBuilder &nested, int64_t loop, SmallVector<Index> position, Index begin, Index end) {
  while (loop < static_cast<int64_t>(position.size()) && (loop == axis || loop == vectorLoop))
    ++loop;
  if (loop < static_cast<int64_t>(position.size())) {
    bool isTask = loop == taskLoop;
    makeLoop(nested, loc, isTask ? begin : math.constant(0), isTask ? end : sizeOf(loop), 1, [&](OpBuilder &, Index i) {
      SmallVector<Index> next(position);
      next[loop] = i;
      emitLoops(nested, loop + 1, next, begin, end);
    });
    return;
  }
  if (vectorLoop < 0)
    return emitPoint(nested, position, Lanes());
  bool isTask = vectorLoop == taskLoop;
  forEachLanes(nested, loc, isTask ? begin : math.constant(0), isTask ? end : sizeOf(vectorLoop), maxLanes,
               [&](Index i, const Lanes &lanes) {
                 SmallVector<Index> next(position);
                 next[vectorLoop] = i;
                 emitPoint(nested, next, lanes);
               });
}

void ScanLowering::emit() {
  auto rank = static_cast<int64_t>(buffers.back().sizes.size());
  int64_t last = rank - 1;
  bool unit = last != axis && known(sizeOf(last)).value_or(maxLanes) >= maxLanes / 2;
  for (FlatBuffer &buffer : buffers)
    unit &= known(buffer.strides[last]) == 1;
  if (unit)
    vectorLoop = last;
  for (int64_t d = 0; d < rank && taskLoop < 0; ++d)
    if (d != axis && d != vectorLoop && known(sizeOf(d)) != 1)
      taskLoop = d;
  if (taskLoop < 0)
    taskLoop = vectorLoop;
  double perStep = elementCost(op.getBody().front(), vectorLoop < 0 ? 1 : maxLanes);
  for (int64_t d = 0; d < rank; ++d)
    if (d != taskLoop)
      perStep *= static_cast<double>(known(sizeOf(d)).value_or(128));
  SmallVector<Index> origin(rank, math.constant(0));
  if (taskLoop < 0) {
    makeTasks(b, loc, math.constant(1), perStep,
              [&](OpBuilder &, Index) { emitLoops(b, 0, origin, Index(), Index()); });
    return;
  }
  constexpr double grain = 4000;
  int64_t chunk = std::max<int64_t>(1, static_cast<int64_t>(grain / std::max(perStep, 0.01)));
  if (taskLoop == vectorLoop)
    chunk = (chunk + maxLanes - 1) / maxLanes * maxLanes;
  Index size = sizeOf(taskLoop);
  if (auto whole = known(size))
    chunk = std::max<int64_t>(1, std::min(chunk, *whole));
  makeTasks(b, loc, math.ceilDiv(size, math.constant(chunk)), perStep * static_cast<double>(chunk),
            [&](OpBuilder &, Index task) {
              Index begin = math.mul(task, math.constant(chunk));
              emitLoops(b, 0, origin, begin, math.min(math.add(begin, math.constant(chunk)), size));
            });
}

LogicalResult mlc::lowerScan(OpBuilder &b, kern::ScanOp op, int64_t lanes) {
  ScanLowering(b, op, lanes).emit();
  return success();
}
