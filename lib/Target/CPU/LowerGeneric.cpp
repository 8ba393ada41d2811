// linalg.generic on memrefs to tasks of loops over vectors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GenericLowering.h"
#include "LowerKernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace mlc;

/// Rows that a reduction over columns takes at a time (few: their lines may all belong to one set of the cache), and
/// the columns of a task at least.
static constexpr int64_t kBlockedRows = 4, kLeastColumns = 512;
/// Blocks of rows between those that are read and those that are fetched meanwhile: what the hardware finds by itself
/// ends with each short line. Data below a size lie in a near cache anyway.
static constexpr int64_t kFetchedBlocks = 2, kFetchedBytes = int64_t(1) << 20;
/// Ops of a body that is so short that it does not hide what surrounds it.
static constexpr int64_t kShortBody = 8;

/// Whether an input is so large, or of a size so unknown, that a near cache may not hold it.
bool GenericLowering::isLarge(unsigned input) {
  int64_t bytes = (buffers[input].element.getIntOrFloatBitWidth() + 7) / 8;
  for (auto [loop, stride] : llvm::zip(loops, strides[input])) {
    if (known(stride) == 0)
      continue;
    if (!known(loop.size))
      return true;
    bytes *= *known(loop.size);
  }
  return bytes >= kFetchedBytes;
}

/// Asks for the lines of the rows to come, at the columns of `position`.
void GenericLowering::fetchRows(OpBuilder &nested, SmallVector<Index> position) {
  for (unsigned i = 0; i < numInputs(); ++i) {
    if (op.getBody()->getArgument(i).use_empty() || known(strides[i][vectorLoop]) != 1 ||
        known(strides[i][blockedLoop]) == 0 || !isLarge(i))
      continue;
    for (int64_t row = 0; row < unrolledRows; ++row) {
      position[blockedLoop] = math.add(fetchedBegin, math.constant(row));
      memref::PrefetchOp::create(nested, loc, buffers[i].flat, math.value(address(i, position)), /*isWrite=*/false,
                                 /*localityHint=*/3, /*isDataCache=*/true);
    }
  }
}

/// All reductions of one parallel position (of `lanes` positions if the vector loop is parallel), and the stores.
void GenericLowering::emitPoint(OpBuilder &nested, SmallVector<Index> position, const Lanes &lanes) {
  unsigned numOuts = op.getNumDpsInits();
  SmallVector<Value> values;
  bool needsOut = isReduction();
  for (unsigned i = 0; i < numOuts; ++i) {
    BlockArgument argument = op.getBody()->getArgument(numInputs() + i);
    if (needsOut || !argument.use_empty())
      values.push_back(lanes.load(nested, loc, buffers[numInputs() + i].flat, address(numInputs() + i, position)));
    else
      values.push_back(lanes.constant(nested, loc, cast<TypedAttr>(nested.getZeroAttr(argument.getType()))));
  }
  if (order == SumOrder::Interleaved) {
    values = combined(nested, values, reduceInPartials(nested, position, lanes, SumPart()));
  } else {
    if (blockedLoop >= 0 && unrolledRows && !lanes.mask)
      fetchRows(nested, position);
    reduceInto(nested, position, lanes, 0, values);
  }
  for (unsigned i = 0; i < numOuts; ++i)
    lanes.store(nested, loc, values[i], buffers[numInputs() + i].flat, address(numInputs() + i, position), streamed[i]);
}

/// Parallel loops from `loop` on; [begin, end) is the task's part of `taskLoop`.
void GenericLowering::emitLoops(OpBuilder &nested, unsigned loop, SmallVector<Index> position, int64_t taskLoop,
                                Index begin, Index end) {
  // The vector loop comes last, so that its lanes are neighbours in time as in memory.
  while (loop < loops.size() && (loops[loop].reduction || static_cast<int64_t>(loop) == vectorLoop))
    ++loop;
  if (loop < loops.size()) {
    bool isTask = static_cast<int64_t>(loop) == taskLoop;
    makeLoop(nested, loc, isTask ? begin : math.constant(0), isTask ? end : loops[loop].size, 1,
             [&](OpBuilder &, Index i) {
               SmallVector<Index> next(position);
               next[loop] = i;
               emitLoops(nested, loop + 1, next, taskLoop, begin, end);
             });
    return;
  }
  if (vectorLoop < 0)
    return emitPoint(nested, position, Lanes());
  if (loops[vectorLoop].reduction) {
    SmallVector<Value> sums = reduceAlongVector(nested, position, SumPart());
    return storeResults(nested, position, combined(nested, loadResults(nested, position), sums));
  }
  bool isTask = vectorLoop == taskLoop;
  Index low = isTask ? begin : math.constant(0), high = isTask ? end : loops[vectorLoop].size;
  auto points = [&] {
    forEachLanes(nested, loc, low, high, maxLanes, [&](Index i, const Lanes &lanes) {
      SmallVector<Index> next(position);
      next[vectorLoop] = i;
      emitPoint(nested, next, lanes);
    });
  };
  int64_t columns = columnReduction();
  if (columns < 0)
    return points();
  // A few rows at a time, so that they are read along and not across; the outs hold what comes from those before.
  Index rows = loops[columns].size;
  auto block = [&](Index begin, Index end, int64_t unrolled) {
    blockedLoop = columns;
    blockBegin = begin;
    blockEnd = end;
    unrolledRows = unrolled;
    points();
    blockedLoop = -1;
  };
  Index step = math.constant(kBlockedRows);
  if (!hasShortBody()) {
    makeLoop(nested, loc, math.constant(0), rows, kBlockedRows,
             [&](OpBuilder &, Index row) { block(row, math.min(math.add(row, step), rows), 0); });
    return;
  }
  auto size = known(rows);
  Index whole =
      size ? math.constant(*size / kBlockedRows * kBlockedRows)
           : math.mul(Index(Value(arith::DivUIOp::create(nested, loc, math.value(rows), math.value(step)))), step);
  // The last block is fetched again and again by those before it: no address lies outside.
  Index last = math.sub(whole, step);
  makeLoop(nested, loc, math.constant(0), whole, kBlockedRows, [&](OpBuilder &, Index row) {
    fetchedBegin = math.min(math.add(row, math.constant(kFetchedBlocks * kBlockedRows)), last);
    block(row, Index(), kBlockedRows);
  });
  if (!size || *size % kBlockedRows != 0)
    block(whole, rows, 0);
}

bool GenericLowering::hasShortBody() { return llvm::range_size(op.getBody()->without_terminator()) <= kShortBody; }

/// The reduction loop over long columns beside each other, if that is what the op is; else -1.
int64_t GenericLowering::columnReduction() {
  if (vectorLoop < 0 || loops[vectorLoop].reduction || order == SumOrder::Interleaved ||
      llvm::count_if(loops, [](const Loop &l) { return l.reduction; }) != 1)
    return -1;
  int64_t rows = llvm::find_if(loops, [](const Loop &l) { return l.reduction; }) - loops.begin();
  bool isLarge = known(loops[rows].size).value_or(1 << 20) >= 8 * kBlockedRows &&
                 known(loops[vectorLoop].size).value_or(1 << 20) >= 4 * maxLanes;
  return isLarge ? rows : -1;
}

void GenericLowering::emit() {
  // Tasks cut the outermost parallel loop; how finely depends on what one step of it costs.
  int64_t taskLoop = -1;
  for (int64_t d = 0; d < static_cast<int64_t>(loops.size()) && taskLoop < 0; ++d)
    if (!loops[d].reduction && d != vectorLoop && known(loops[d].size).value_or(1 << 20) > 1)
      taskLoop = d;
  if (taskLoop < 0 && vectorLoop >= 0 && !loops[vectorLoop].reduction)
    taskLoop = vectorLoop;
  SmallVector<Index> origin(loops.size(), math.constant(0));
  double perStep = elementCost(*op.getBody(), vectorLoop < 0 ? 1 : maxLanes);
  for (auto [d, loop] : llvm::enumerate(loops))
    if (static_cast<int64_t>(d) != taskLoop)
      perStep *= known(loop.size).value_or(128);
  if (taskLoop < 0) {
    if (emitInParts())
      return;
    makeTasks(b, loc, math.constant(1), perStep, [&](OpBuilder &, Index) {
      loadScalars();
      allocateSlots();
      emitLoops(b, 0, origin, -1, Index(), Index());
    });
    return;
  }
  constexpr double grain = 4000;
  int64_t chunk = std::max<int64_t>(1, static_cast<int64_t>(grain / perStep));
  // Strips of a few columns would use parts of cache lines.
  if (taskLoop == vectorLoop && columnReduction() >= 0)
    chunk = std::max<int64_t>(chunk, kLeastColumns);
  if (taskLoop == vectorLoop)
    chunk = (chunk + maxLanes - 1) / maxLanes * maxLanes;
  if (auto size = known(loops[taskLoop].size))
    chunk = std::min(chunk, *size);
  chunk = std::max<int64_t>(chunk, 1);
  Index size = loops[taskLoop].size;
  makeTasks(b, loc, math.ceilDiv(size, math.constant(chunk)), perStep * chunk, [&](OpBuilder &, Index task) {
    Index begin = math.mul(task, math.constant(chunk));
    loadScalars();
    allocateSlots();
    emitLoops(b, 0, origin, taskLoop, begin, math.min(math.add(begin, math.constant(chunk)), size));
  });
}

LogicalResult mlc::lowerGeneric(OpBuilder &b, linalg::GenericOp op, int64_t lanes) {
  GenericLowering lowering(b, op, lanes);
  if (failed(lowering.collect()))
    return failure();
  lowering.mergeLoops();
  lowering.chooseVectorLoop();
  if (lowering.vectorLoop < 0 &&
      llvm::any_of(lowering.loops, [&](const auto &loop) { return known(loop.size).value_or(lanes) >= lanes; }))
    remark::missed(op.getLoc(), remark::RemarkOpts::name("scalar").category("vectorized"))
        << "computed element by element: along no loop are its elements neighbours in memory";
  for (unsigned i = 0; i < op.getNumDpsInits(); ++i)
    lowering.streamed.push_back(lowering.isStreamed(i));
  lowering.emit();
  return success();
}
