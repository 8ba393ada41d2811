// The loops of a linalg.generic: how far they move in each operand, which are one, which runs over vectors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GenericLowering.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

using namespace mlir;
using namespace mlc;
using utils::IteratorType;

LogicalResult GenericLowering::collect() {
  int64_t numLoops = op.getNumLoops();
  SmallVector<Index> sizes(numLoops);
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    SmallVector<Index> perLoop(numLoops, math.constant(0));
    if (!isa<MemRefType>(operand.get().getType()))
      return op.emitOpError("has a scalar operand, which no conversion makes");
    FlatBuffer buffer = flatten(b, loc, operand.get());
    for (auto [d, expr] : llvm::enumerate(map.getResults())) {
      LinearExpr linear(expr, numLoops);
      if (!linear.isLinear)
        return op.emitOpError("reads through a map that is not linear: ") << AffineMapAttr::get(map);
      // A window moves by several loops at once.
      buffer.offset = math.add(buffer.offset, math.mul(buffer.strides[d], math.constant(linear.constant)));
      for (auto [stride, factor] : llvm::zip(perLoop, linear.factors))
        if (factor)
          stride = math.add(stride, math.mul(buffer.strides[d], math.constant(factor)));
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (dim && (!sizes[dim.getPosition()] || known(buffer.sizes[d])))
        sizes[dim.getPosition()] = buffer.sizes[d];
    }
    buffers.push_back(buffer);
    strides.push_back(perLoop);
  }
  for (auto [size, iterator] : llvm::zip(sizes, op.getIteratorTypesArray())) {
    if (!size)
      return op.emitOpError("has a loop that no operand bounds");
    loops.push_back({size, iterator == IteratorType::reduction, known(size).value_or(1)});
  }
  firstSize = innerSize = firstFactor = math.constant(1);
  if (llvm::all_of(loops, [](const Loop &l) { return l.reduction; }))
    for (auto [d, loop] : llvm::enumerate(loops))
      (d == 0 ? firstSize : innerSize) = d == 0 ? loop.size : math.mul(innerSize, loop.size);
  usesIndex = !op.getBody()->getOps<linalg::IndexOp>().empty();
  op.getBody()->walk([&](memref::LoadOp load) {
    if (!read.contains(load.getMemRef()))
      read[load.getMemRef()] = flatten(b, loc, load.getMemRef());
  });
  return findOrder();
}

void GenericLowering::mergeLoops() {
  if (usesIndex)
    return;
  for (int64_t d = static_cast<int64_t>(loops.size()) - 2; d >= 0; --d) {
    auto inner = known(loops[d + 1].size);
    bool merges = inner && loops[d].reduction == loops[d + 1].reduction;
    for (auto &perLoop : strides) {
      auto outerStride = known(perLoop[d]), innerStride = known(perLoop[d + 1]);
      merges &= outerStride && innerStride && inner && *outerStride == *inner * *innerStride;
    }
    if (!merges)
      continue;
    if (d == 0)
      firstFactor = loops[1].size;
    loops[d].size = math.mul(loops[d].size, loops[d + 1].size);
    loops[d].multiple *= loops[d + 1].multiple;
    loops.erase(loops.begin() + d + 1);
    for (auto &perLoop : strides)
      perLoop.erase(perLoop.begin() + d);
  }
}

void GenericLowering::chooseVectorLoop() {
  if (hasLoop(*op.getBody()))
    return;
  int64_t best = 0;
  for (int64_t d = static_cast<int64_t>(loops.size()) - 1; d >= 0; --d) {
    bool unit = true, moves = false;
    for (auto [i, perLoop] : llvm::enumerate(strides)) {
      auto stride = known(perLoop[d]);
      unit &= stride && (*stride == 0 || *stride == 1);
      if (i >= numInputs())
        unit &= stride && *stride == (loops[d].reduction ? 0 : 1);
      moves |= stride && *stride == 1;
    }
    if (!unit || !moves || (loops[d].reduction && !isOneVector(d)) || !readsNeighbours(d))
      continue;
    // A dynamic extent counts as long; parallel lanes need no final combination.
    int64_t size = known(loops[d].size).value_or(1 << 20);
    int64_t score = size < maxLanes / 2 ? 0 : std::min<int64_t>(size, 64) * (loops[d].reduction ? 1 : 4);
    if (score > best) {
      best = score;
      vectorLoop = d;
    }
  }
}

/// The buffer that a view is of.
static Value rootOf(Value memref) {
  while (auto view = memref.getDefiningOp<ViewLikeOpInterface>())
    memref = view.getViewSource();
  return memref;
}

/// Whether result `out` is so large that no cache would hold it for its readers, and is not read here itself: then its
/// lines need not be fetched before they are written. Buffers and what the workspace is made of are aligned.
bool GenericLowering::isStreamed(unsigned out) {
  constexpr int64_t kManyBytes = int64_t(32) << 20;
  unsigned operand = numInputs() + out;
  const FlatBuffer &buffer = buffers[operand];
  int64_t bytes = (buffer.element.getIntOrFloatBitWidth() + 7) / 8, vector = bytes * maxLanes;
  if (vectorLoop < 0 || isReduction() || vector < 16 || known(strides[operand][vectorLoop]) != 1 ||
      !op.getBody()->getArgument(operand).use_empty())
    return false;
  for (auto [d, loop] : llvm::enumerate(loops)) {
    auto size = known(loop.size), stride = known(strides[operand][d]);
    if (!size || !stride || (static_cast<int64_t>(d) != vectorLoop && *stride % maxLanes != 0))
      return false;
    bytes *= *size;
  }
  auto offset = known(buffer.offset);
  Value root = rootOf(op->getOperand(operand));
  if (bytes < kManyBytes || !offset || *offset % maxLanes != 0 ||
      !(isa<BlockArgument>(root) || root.getDefiningOp<memref::AllocOp>()))
    return false;
  return llvm::none_of(op.getInputs(), [&](Value input) { return rootOf(input) == root; });
}
