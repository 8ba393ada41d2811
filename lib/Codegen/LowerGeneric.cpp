// linalg.generic on memrefs to tasks of loops over vectors.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LowerKernels.h"
#include "VectorBody.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using namespace mlc;
using utils::IteratorType;

namespace {

/// A dimension of the iteration space, after dimensions that lie behind one another in every buffer were merged.
struct Loop {
  Index size;
  bool reduction;
};

/// How a reduction's result combines with its accumulator along the vector dimension.
struct Combiner {
  Operation *op = nullptr;
  vector::CombiningKind kind;
};

struct GenericLowering {
  OpBuilder &b;
  linalg::GenericOp op;
  int64_t maxLanes;
  Location loc;
  IndexMath math;
  SmallVector<FlatBuffer> buffers;
  /// strides[operand][loop]
  SmallVector<SmallVector<Index>> strides;
  SmallVector<Loop> loops;
  SmallVector<Combiner> combiners;
  bool usesIndex = false;
  int64_t vectorLoop = -1;

  GenericLowering(OpBuilder &b, linalg::GenericOp op, int64_t lanes)
      : b(b), op(op), maxLanes(lanes), loc(op.getLoc()), math{b, loc} {}

  unsigned numInputs() { return op.getNumDpsInputs(); }
  bool isReduction() {
    return llvm::any_of(loops, [](const Loop &l) { return l.reduction; });
  }

  LogicalResult collect();
  void mergeLoops();
  bool findCombiners();
  void chooseVectorLoop();
  Index address(unsigned operand, ArrayRef<Index> position);
  SmallVector<Value> body(OpBuilder &nested, ArrayRef<Index> position, const Lanes &lanes, ValueRange accumulators);
  void reduceInto(OpBuilder &nested, SmallVector<Index> position, const Lanes &lanes, unsigned loop,
                  SmallVector<Value> &accumulators);
  void emitPoint(OpBuilder &nested, SmallVector<Index> position, const Lanes &lanes);
  void emitVectorReduction(OpBuilder &nested, SmallVector<Index> position);
  void emitLoops(OpBuilder &nested, unsigned loop, SmallVector<Index> position, int64_t taskLoop, Index begin,
                 Index end);
  void emit();
};

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
      auto dim = dyn_cast<AffineDimExpr>(expr);
      if (!dim)
        return op.emitOpError("reads through a map that is no projection: ") << AffineMapAttr::get(map);
      Index &stride = perLoop[dim.getPosition()];
      stride = math.add(stride, buffer.strides[d]);
      if (!sizes[dim.getPosition()] || known(buffer.sizes[d]))
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
  usesIndex = !op.getBody()->getOps<linalg::IndexOp>().empty();
  return success();
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
    loops[d].size = math.mul(loops[d].size, loops[d + 1].size);
    loops.erase(loops.begin() + d + 1);
    for (auto &perLoop : strides)
      perLoop.erase(perLoop.begin() + d);
  }
}

/// Finds, for each result of a reduction, the op that combines it with its accumulator, if the accumulator has no other
/// use.
bool GenericLowering::findCombiners() {
  Block *block = op.getBody();
  for (auto [i, value] : llvm::enumerate(block->getTerminator()->getOperands())) {
    BlockArgument accumulator = block->getArgument(numInputs() + i);
    Operation *combiner = value.getDefiningOp();
    if (!combiner || combiner->getBlock() != block || !accumulator.hasOneUse() ||
        *accumulator.user_begin() != combiner || !value.hasOneUse())
      return false;
    Combiner c{combiner, vector::CombiningKind::ADD};
    if (isa<arith::AddFOp, arith::AddIOp>(combiner))
      c.kind = vector::CombiningKind::ADD;
    else if (isa<arith::MaximumFOp>(combiner))
      c.kind = vector::CombiningKind::MAXIMUMF;
    else if (isa<arith::MinimumFOp>(combiner))
      c.kind = vector::CombiningKind::MINIMUMF;
    else if (isa<arith::MaxSIOp>(combiner))
      c.kind = vector::CombiningKind::MAXSI;
    else if (isa<arith::MinSIOp>(combiner))
      c.kind = vector::CombiningKind::MINSI;
    else
      return false;
    combiners.push_back(c);
  }
  return true;
}

void GenericLowering::chooseVectorLoop() {
  bool canCombine = isReduction() && findCombiners();
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
    if (!unit || !moves || (loops[d].reduction && !canCombine))
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

Index GenericLowering::address(unsigned operand, ArrayRef<Index> position) {
  Index sum = buffers[operand].offset;
  for (auto [p, stride] : llvm::zip(position, strides[operand]))
    sum = math.add(sum, math.mul(p, stride));
  return sum;
}

/// One evaluation of the body at `position` (whose vector loop holds the first of the lanes). Returns what it yields.
SmallVector<Value> GenericLowering::body(OpBuilder &nested, ArrayRef<Index> position, const Lanes &lanes,
                                         ValueRange accumulators) {
  Block *block = op.getBody();
  IRMapping mapping;
  for (unsigned i = 0; i < numInputs(); ++i) {
    if (block->getArgument(i).use_empty())
      continue;
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

/// Runs the reduction loops from `loop` on at a fixed parallel position.
void GenericLowering::reduceInto(OpBuilder &nested, SmallVector<Index> position, const Lanes &lanes, unsigned loop,
                                 SmallVector<Value> &accumulators) {
  while (loop < loops.size() && !(loops[loop].reduction && static_cast<int64_t>(loop) != vectorLoop))
    ++loop;
  if (loop == loops.size()) {
    accumulators = body(nested, position, lanes, accumulators);
    return;
  }
  accumulators = makeReduction(nested, loc, math.constant(0), loops[loop].size, 1, accumulators,
                               [&](OpBuilder &, Index i, ValueRange carried) {
                                 SmallVector<Index> next(position);
                                 next[loop] = i;
                                 SmallVector<Value> values(carried);
                                 reduceInto(nested, next, lanes, loop + 1, values);
                                 return values;
                               });
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
  reduceInto(nested, position, lanes, 0, values);
  for (unsigned i = 0; i < numOuts; ++i)
    lanes.store(nested, loc, values[i], buffers[numInputs() + i].flat, address(numInputs() + i, position));
}

/// The vector loop is a reduction: lanes accumulate apart and are combined at the end, in the order of lanes.
void GenericLowering::emitVectorReduction(OpBuilder &nested, SmallVector<Index> position) {
  Lanes full{maxLanes, Value()};
  unsigned numOuts = op.getNumDpsInits();
  SmallVector<Value> accumulators;
  for (unsigned i = 0; i < numOuts; ++i) {
    Type element = buffers[numInputs() + i].element;
    TypedAttr neutral = cast<TypedAttr>(nested.getZeroAttr(element));
    auto floatType = dyn_cast<FloatType>(element);
    bool isMax =
        combiners[i].kind == vector::CombiningKind::MAXIMUMF || combiners[i].kind == vector::CombiningKind::MAXSI;
    if (combiners[i].kind != vector::CombiningKind::ADD)
      neutral = floatType
                    ? TypedAttr(nested.getFloatAttr(element, APFloat::getInf(floatType.getFloatSemantics(), isMax)))
                    : TypedAttr(nested.getIntegerAttr(
                          element, isMax ? APInt::getSignedMinValue(element.getIntOrFloatBitWidth())
                                         : APInt::getSignedMaxValue(element.getIntOrFloatBitWidth())));
    accumulators.push_back(full.constant(nested, loc, neutral));
  }
  Index size = loops[vectorLoop].size;
  Index whole =
      known(size)
          ? math.constant(*known(size) / maxLanes * maxLanes)
          : Index(Value(arith::MulIOp::create(
                nested, loc, arith::DivUIOp::create(nested, loc, math.value(size), math.value(math.constant(maxLanes))),
                math.value(math.constant(maxLanes)))));
  auto accumulate = [&](Index i, const Lanes &lanes, ValueRange carried) {
    SmallVector<Index> next(position);
    next[vectorLoop] = i;
    SmallVector<Value> values(carried);
    reduceInto(nested, next, lanes, 0, values);
    if (lanes.mask)
      for (auto [value, old] : llvm::zip(values, carried))
        value = arith::SelectOp::create(nested, loc, lanes.mask, value, old);
    return values;
  };
  accumulators = makeReduction(nested, loc, math.constant(0), whole, maxLanes, accumulators,
                               [&](OpBuilder &, Index i, ValueRange carried) { return accumulate(i, full, carried); });
  if (!(known(size) && *known(size) % maxLanes == 0)) {
    Index rest = math.sub(size, whole);
    Value mask =
        vector::CreateMaskOp::create(nested, loc, VectorType::get({maxLanes}, nested.getI1Type()), math.value(rest));
    accumulators = accumulate(whole, Lanes{maxLanes, mask}, accumulators);
  }
  for (unsigned i = 0; i < numOuts; ++i) {
    Value lanesCombined = vector::ReductionOp::create(nested, loc, combiners[i].kind, accumulators[i]);
    Index at = address(numInputs() + i, position);
    Value old = Lanes().load(nested, loc, buffers[numInputs() + i].flat, at);
    Value result = vector::makeArithReduction(nested, loc, combiners[i].kind, old, lanesCombined);
    Lanes().store(nested, loc, result, buffers[numInputs() + i].flat, at);
  }
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
  if (loops[vectorLoop].reduction)
    return emitVectorReduction(nested, position);
  bool isTask = vectorLoop == taskLoop;
  Index low = isTask ? begin : math.constant(0), high = isTask ? end : loops[vectorLoop].size;
  Index extent = math.sub(high, low);
  auto point = [&](Index i, const Lanes &lanes) {
    SmallVector<Index> next(position);
    next[vectorLoop] = i;
    emitPoint(nested, next, lanes);
  };
  // Full vectors, then the rest under a mask: the same expansion, so a value does not depend on where it stands.
  Index whole = known(extent)
                    ? math.constant(*known(extent) / maxLanes * maxLanes)
                    : Index(Value(arith::MulIOp::create(
                          nested, loc,
                          arith::DivUIOp::create(nested, loc, math.value(extent), math.value(math.constant(maxLanes))),
                          math.value(math.constant(maxLanes)))));
  Index middle = math.add(low, whole);
  makeLoop(nested, loc, low, middle, maxLanes, [&](OpBuilder &, Index i) { point(i, Lanes{maxLanes, Value()}); });
  if (known(extent) && *known(extent) % maxLanes == 0)
    return;
  Index rest = math.sub(extent, whole);
  auto tail = [&] {
    Value mask =
        vector::CreateMaskOp::create(nested, loc, VectorType::get({maxLanes}, nested.getI1Type()), math.value(rest));
    point(middle, Lanes{maxLanes, mask});
  };
  if (known(rest))
    return tail();
  Value any =
      arith::CmpIOp::create(nested, loc, arith::CmpIPredicate::ne, math.value(rest), math.value(math.constant(0)));
  auto guard = scf::IfOp::create(nested, loc, any, false);
  OpBuilder::InsertionGuard insertion(nested);
  nested.setInsertionPointToStart(&guard.getThenRegion().front());
  tail();
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
    makeTasks(b, loc, math.constant(1), perStep,
              [&](OpBuilder &, Index) { emitLoops(b, 0, origin, -1, Index(), Index()); });
    return;
  }
  constexpr double grain = 4000;
  int64_t chunk = std::max<int64_t>(1, static_cast<int64_t>(grain / perStep));
  if (taskLoop == vectorLoop)
    chunk = (chunk + maxLanes - 1) / maxLanes * maxLanes;
  if (auto size = known(loops[taskLoop].size))
    chunk = std::min(chunk, *size);
  chunk = std::max<int64_t>(chunk, 1);
  Index size = loops[taskLoop].size;
  makeTasks(b, loc, math.ceilDiv(size, math.constant(chunk)), perStep * chunk, [&](OpBuilder &, Index task) {
    Index begin = math.mul(task, math.constant(chunk));
    emitLoops(b, 0, origin, taskLoop, begin, math.min(math.add(begin, math.constant(chunk)), size));
  });
}

} // namespace

LogicalResult mlc::lowerGeneric(OpBuilder &b, linalg::GenericOp op, int64_t lanes) {
  GenericLowering lowering(b, op, lanes);
  if (failed(lowering.collect()))
    return failure();
  lowering.mergeLoops();
  lowering.chooseVectorLoop();
  lowering.emit();
  return success();
}
