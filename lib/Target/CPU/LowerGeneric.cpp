// linalg.generic on memrefs to tasks of loops over vectors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GenericLowering.h"
#include "LowerKernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include <functional>

using namespace mlir;
using namespace mlc;
using utils::IteratorType;

/// Rows that a reduction over columns takes at a time (few: their lines may all belong to one set of the cache), and
/// the columns of a task at least.
static constexpr int64_t kBlockedRows = 4, kLeastColumns = 512;
/// Blocks of rows between those that are read and those that are fetched meanwhile: what the hardware finds by itself
/// ends with each short line. Data below a size lie in a near cache anyway.
static constexpr int64_t kFetchedBlocks = 2, kFetchedBytes = int64_t(1) << 20;
/// Ops of a body that is so short that it does not hide what surrounds it.
static constexpr int64_t kShortBody = 8;

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
    loops.push_back({size, iterator == IteratorType::reduction});
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

/// The values that an op and its regions read of what stands around it.
static SetVector<Value> readBy(Operation *op) {
  SetVector<Value> values(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), values);
  return values;
}

/// Whether a value of the body may differ between neighbours along a loop.
bool GenericLowering::varies(Value value, int64_t loop) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    if (argument.getOwner() != op.getBody())
      return false;
    return argument.getArgNumber() >= numInputs() || known(strides[argument.getArgNumber()][loop]) != 0;
  }
  Operation *maker = value.getDefiningOp();
  if (maker->getBlock() != op.getBody())
    return false;
  if (auto index = dyn_cast<linalg::IndexOp>(maker))
    return static_cast<int64_t>(index.getDim()) == loop;
  auto found = varying.find({value, loop});
  if (found != varying.end())
    return found->second;
  bool result = llvm::any_of(readBy(maker), [&](Value operand) { return varies(operand, loop); });
  varying[{value, loop}] = result;
  return result;
}

/// Whether an index of the body grows by 1 from neighbour to neighbour along a loop.
bool GenericLowering::isCounted(Value value, int64_t loop) {
  Operation *maker = value.getDefiningOp();
  if (!maker || maker->getBlock() != op.getBody())
    return false;
  if (auto index = dyn_cast<linalg::IndexOp>(maker))
    return static_cast<int64_t>(index.getDim()) == loop;
  if (!isa<arith::AddIOp, arith::SubIOp>(maker))
    return false;
  Value x = maker->getOperand(0), y = maker->getOperand(1);
  return (isCounted(x, loop) && !varies(y, loop)) ||
         (isa<arith::AddIOp>(maker) && isCounted(y, loop) && !varies(x, loop));
}

/// Whether what the body reads at indices of its own lies side by side, or is one element, for neighbours along a loop.
bool GenericLowering::readsNeighbours(int64_t loop) {
  return llvm::all_of(op.getBody()->getOps<memref::LoadOp>(), [&](memref::LoadOp load) {
    ValueRange indices = load.getIndices();
    if (!llvm::any_of(indices, [&](Value index) { return varies(index, loop); }))
      return true;
    return known(read[load.getMemRef()].strides.back()) == 1 && isCounted(indices.back(), loop) &&
           !llvm::any_of(indices.drop_back(), [&](Value index) { return varies(index, loop); });
  });
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

/// Once for a task: stores to the results might change them, for all that LLVM knows.
void GenericLowering::loadScalars() {
  scalars.assign(numInputs(), Value());
  for (unsigned i = 0; i < numInputs(); ++i)
    if (buffers[i].sizes.empty() && !op.getBody()->getArgument(i).use_empty())
      scalars[i] = Lanes().load(b, loc, buffers[i].flat, buffers[i].offset);
}

Index GenericLowering::address(unsigned operand, ArrayRef<Index> position) {
  Index sum = buffers[operand].offset;
  for (auto [p, stride] : llvm::zip(position, strides[operand]))
    sum = math.add(sum, math.mul(p, stride));
  return sum;
}

/// One evaluation of the body at `position` (whose vector loop holds the first of the lanes). Returns what it yields.
SmallVector<Value> GenericLowering::body(OpBuilder &nested, ArrayRef<Index> position, const Lanes &lanes,
                                         ValueRange accumulators) {
  if (!read.empty())
    return bodyWithReads(nested, position, lanes, accumulators);
  Block *block = op.getBody();
  IRMapping mapping;
  for (unsigned i = 0; i < numInputs(); ++i) {
    if (block->getArgument(i).use_empty())
      continue;
    if (scalars[i]) {
      mapping.map(block->getArgument(i), lanes.splat(nested, loc, scalars[i]));
      continue;
    }
    Index at = address(i, position);
    bool vector = lanes.lanes > 1 && known(strides[i][vectorLoop]) == 1;
    Value element = vector ? lanes.load(nested, loc, buffers[i].flat, at)
                           : lanes.splat(nested, loc, Lanes().load(nested, loc, buffers[i].flat, at));
    mapping.map(block->getArgument(i), element);
  }
  for (auto [argument, accumulator] : llvm::zip(block->getArguments().drop_front(numInputs()), accumulators))
    mapping.map(argument, accumulator);
  return cloneBody(nested, *block, mapping, lanes, [&](int64_t d) {
    return d == vectorLoop ? lanes.count(nested, loc, position[d]) : lanes.splat(nested, loc, math.value(position[d]));
  });
}

/// The same for a body that reads at indices of its own: what is one for all lanes is computed once, so that an index
/// that data says is a scalar.
SmallVector<Value> GenericLowering::bodyWithReads(OpBuilder &nested, ArrayRef<Index> position, const Lanes &lanes,
                                                  ValueRange accumulators) {
  Block *block = op.getBody();
  IRMapping uniform, vectors;
  auto differs = [&](Value value) { return lanes.lanes > 1 && varies(value, vectorLoop); };
  auto vectorOf = [&](Value value) {
    if (lanes.lanes == 1 || differs(value))
      return lanes.lanes == 1 ? uniform.lookupOrDefault(value) : vectors.lookup(value);
    if (!vectors.contains(value))
      vectors.map(value, lanes.splat(nested, loc, uniform.lookupOrDefault(value)));
    return vectors.lookup(value);
  };
  // What a loop of the body reads.
  auto loadFlat = [&](memref::LoadOp load) {
    OpBuilder before(load);
    IndexMath inLoop{before, loc};
    FlatBuffer &buffer = read[load.getMemRef()];
    Index at = buffer.at(inLoop, llvm::map_to_vector(load.getIndices(), [](Value i) { return Index(i); }));
    load.replaceAllUsesWith(Lanes().load(before, loc, buffer.flat, at));
    load.erase();
  };
  // An index that counts the lanes at the first of them.
  std::function<Value(Value)> firstOf = [&](Value value) -> Value {
    if (!differs(value))
      return uniform.lookupOrDefault(value);
    Operation *maker = value.getDefiningOp();
    if (auto index = dyn_cast<linalg::IndexOp>(maker))
      return math.value(position[index.getDim()]);
    Value x = firstOf(maker->getOperand(0)), y = firstOf(maker->getOperand(1));
    if (isa<arith::AddIOp>(maker))
      return arith::AddIOp::create(nested, loc, x, y);
    return arith::SubIOp::create(nested, loc, x, y);
  };
  for (auto [i, argument] : llvm::enumerate(block->getArguments())) {
    bool isVector = differs(argument);
    if (i >= numInputs())
      (lanes.lanes > 1 ? vectors : uniform).map(argument, accumulators[i - numInputs()]);
    else if (scalars[i])
      uniform.map(argument, scalars[i]);
    else if (!argument.use_empty())
      (isVector ? vectors : uniform)
          .map(argument, (isVector ? lanes : Lanes()).load(nested, loc, buffers[i].flat, address(i, position)));
  }
  for (Operation &inner : block->without_terminator()) {
    bool isVector = differs(inner.getResult(0));
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      Index at = position[index.getDim()];
      (isVector ? vectors : uniform).map(index.getResult(), isVector ? lanes.count(nested, loc, at) : math.value(at));
      continue;
    }
    if (auto load = dyn_cast<memref::LoadOp>(inner)) {
      FlatBuffer &buffer = read[load.getMemRef()];
      SmallVector<Index> indices;
      for (Value i : load.getIndices())
        indices.push_back(firstOf(i));
      Index at = buffer.at(math, indices);
      (isVector ? vectors : uniform)
          .map(load.getResult(), (isVector ? lanes : Lanes()).load(nested, loc, buffer.flat, at));
      continue;
    }
    if (!isVector) {
      nested.clone(inner, uniform)->walk([&](memref::LoadOp load) { loadFlat(load); });
      continue;
    }
    for (Value used : readBy(&inner))
      vectorOf(used);
    cloneOp(nested, inner, vectors, lanes);
  }
  SmallVector<Value> results;
  for (Value value : block->getTerminator()->getOperands())
    results.push_back(vectorOf(value));
  return results;
}

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
