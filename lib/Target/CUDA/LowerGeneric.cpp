// linalg.generic and kern.scan on the device's memory to launches of threads: one computes an element.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ColumnSums.h"
#include "Grid.h"
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

/// Blocks that have to be left where a thread computes several elements: what is small takes as long as its launch, and
/// wants many threads.
static constexpr int64_t kLeastBlocks = 256;

/// Elements that the op has, roughly.
static int64_t estimateElements(GenericLowering &lowering) {
  int64_t elements = 1;
  for (const Loop &loop : lowering.loops)
    elements *= known(loop.size).value_or(cuda::kUsualRows * loop.multiple);
  return elements;
}

/// Neighbours along the innermost loop that a thread computes, in accesses of up to 16 bytes: all operands have them
/// side by side, or one element for all, and begin at multiples of their bytes. Buffers begin at multiples of more.
static int64_t chooseWidth(GenericLowering &lowering) {
  Block &body = *lowering.op.getBody();
  if (lowering.isReduction() || lowering.loops.empty() || range_size(body.without_terminator()) > cuda::kMostWideOps ||
      llvm::any_of(body, [](Operation &op) { return op.getNumRegions() > 0; }))
    return 1;
  const size_t along = lowering.loops.size() - 1;
  int64_t width = cuda::kMostAccessBytes;
  auto require = [&](Index number) { width = cuda::wholeWidth(width, number); };
  require(Index(lowering.math.constant(lowering.loops[along].multiple)));
  for (auto [i, buffer] : llvm::enumerate(lowering.buffers)) {
    auto stride = known(lowering.strides[i][along]);
    if (stride == 0 && i < lowering.numInputs())
      continue;
    if (stride != 1 || !buffer.element.isIntOrFloat() || buffer.element.getIntOrFloatBitWidth() < 8)
      return 1;
    width = std::min<int64_t>(width, cuda::kMostAccessBytes * 8 / buffer.element.getIntOrFloatBitWidth());
    require(buffer.offset);
    for (Index other : ArrayRef<Index>(lowering.strides[i]).drop_back())
      require(other);
  }
  return estimateElements(lowering) >= width * cuda::kThreads * kLeastBlocks ? width : 1;
}

/// A point and its width - 1 neighbours along the innermost loop.
static void emitNeighbours(GenericLowering &lowering, ArrayRef<Index> position, int64_t width) {
  OpBuilder &b = lowering.b;
  Location loc = lowering.loc;
  auto access = [&](unsigned i) {
    Type element = lowering.buffers[i].element;
    return std::make_pair(VectorType::get({width}, element),
                          llvm::MaybeAlign(width * element.getIntOrFloatBitWidth() / 8));
  };
  auto placeOf = [&](unsigned i) { return lowering.math.value(lowering.address(i, position)); };
  auto load = [&](unsigned i) -> Value {
    auto [type, alignment] = access(i);
    return vector::LoadOp::create(b, loc, type, lowering.buffers[i].flat, ValueRange{placeOf(i)},
                                  /*nontemporal=*/false, alignment);
  };
  // Everything is read before anything is written, to memory that may be the same.
  const unsigned numInputs = lowering.numInputs(), numOuts = lowering.op.getNumDpsInits();
  const SmallVector<Value> scalars = lowering.scalars;
  SmallVector<Value> read(numInputs + numOuts);
  for (unsigned i = 0; i < numInputs + numOuts; ++i) {
    if (lowering.op.getBody()->getArgument(i).use_empty() || (i < numInputs && scalars[i]))
      continue;
    if (known(lowering.strides[i].back()) == 0)
      lowering.scalars[i] = Lanes().load(b, loc, lowering.buffers[i].flat, lowering.address(i, position));
    else
      read[i] = load(i);
  }
  SmallVector<SmallVector<Value>> results(numOuts);
  SmallVector<Index> at(position);
  for (int64_t lane = 0; lane < width; ++lane) {
    auto elementOf = [&](unsigned i) -> Value { return vector::ExtractOp::create(b, loc, read[i], lane); };
    for (unsigned i = 0; i < numInputs; ++i)
      if (read[i])
        lowering.scalars[i] = elementOf(i);
    SmallVector<Value> old;
    for (unsigned i = numInputs; i < numInputs + numOuts; ++i)
      old.push_back(read[i] ? elementOf(i)
                            : Lanes().constant(b, loc, cast<TypedAttr>(b.getZeroAttr(lowering.buffers[i].element))));
    at.back() = lowering.math.add(position.back(), lowering.math.constant(lane));
    for (auto [all, result] : llvm::zip_equal(results, lowering.body(b, at, Lanes(), old)))
      all.push_back(result);
  }
  lowering.scalars = scalars;
  for (auto [i, all] : llvm::enumerate(results)) {
    const unsigned out = numInputs + i;
    auto [type, alignment] = access(out);
    Value elements = vector::FromElementsOp::create(b, loc, type, all);
    vector::StoreOp::create(b, loc, elements, lowering.buffers[out].flat, ValueRange{placeOf(out)},
                            /*nontemporal=*/false, alignment);
  }
}

LogicalResult cuda::lowerGeneric(OpBuilder &b, linalg::GenericOp op) {
  Location loc = op.getLoc();
  GenericLowering lowering(b, op, /*lanes=*/1);
  if (failed(lowering.collect()))
    return failure();
  lowering.mergeLoops();
  lowering.streamed.assign(op.getNumDpsInits(), false);
  const bool usesWarps = isForWarps(lowering);
  if (!usesWarps && lowerColumnSums(lowering))
    return success();
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
  const int64_t width = chooseWidth(lowering);
  if (width > 1) {
    sizes.back() = math.ceilDiv(sizes.back(), math.constant(width));
    cost *= static_cast<double>(width);
  }
  forEachTask(
      b, loc, product(math, sizes), threads, cost / static_cast<double>(threads),
      [&](Index number, Value thread) {
        SmallVector<Index> position(lowering.loops.size(), math.constant(0));
        for (auto [d, index] : llvm::zip_equal(parallel, indicesOf(b, loc, sizes, number)))
          position[d] = index;
        if (width > 1) {
          position.back() = math.mul(position.back(), math.constant(width));
          return emitNeighbours(lowering, position, width);
        }
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
