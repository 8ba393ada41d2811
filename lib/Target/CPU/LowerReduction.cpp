// Reductions of a linalg.generic: in the order that the op says, whatever its body and its strides are.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "GenericLowering.h"
#include "dialects/Kern/IR/Kern.h"
#include "mlc/Support/SumOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include <functional>

using namespace mlir;
using namespace mlc;

/// So many elements are reduced without a loop where no vector runs along them.
static constexpr int64_t kMostUnrolled = 8;

//===-- the order --------------------------------------------------------------------------===//

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
    vector::CombiningKind kind;
    if (isa<arith::AddFOp, arith::AddIOp>(combiner))
      kind = vector::CombiningKind::ADD;
    else if (isa<arith::MulFOp, arith::MulIOp>(combiner))
      kind = vector::CombiningKind::MUL;
    else if (isa<arith::AndIOp>(combiner))
      kind = vector::CombiningKind::AND;
    else if (isa<arith::OrIOp>(combiner))
      kind = vector::CombiningKind::OR;
    else if (isa<arith::MaximumFOp>(combiner))
      kind = vector::CombiningKind::MAXIMUMF;
    else if (isa<arith::MinimumFOp>(combiner))
      kind = vector::CombiningKind::MINIMUMF;
    else if (isa<arith::MaxSIOp>(combiner))
      kind = vector::CombiningKind::MAXSI;
    else if (isa<arith::MinSIOp>(combiner))
      kind = vector::CombiningKind::MINSI;
    else if (isa<arith::MaxUIOp>(combiner))
      kind = vector::CombiningKind::MAXUI;
    else if (isa<arith::MinUIOp>(combiner))
      kind = vector::CombiningKind::MINUI;
    else
      return false;
    combiners.push_back(kind);
  }
  return true;
}

/// The order of sums and products of floats is said by what adds and multiplies; all else has any.
LogicalResult GenericLowering::findOrder() {
  if (!isReduction())
    return success();
  if (!findCombiners()) {
    combiners.clear();
    order = SumOrder::Ascending;
    return success();
  }
  unsigned ordered = 0, interleaved = 0;
  for (Value value : op.getBody()->getTerminator()->getOperands()) {
    ordered += isa<arith::AddFOp, arith::MulFOp>(value.getDefiningOp());
    // What is cloned into loops is an addition like others.
    interleaved += static_cast<bool>(value.getDefiningOp()->removeAttr(kern::kInterleavedAttr));
  }
  if (interleaved && interleaved != combiners.size())
    return op.emitOpError("combines some results interleaved and others not");
  if (ordered)
    order = interleaved ? SumOrder::Interleaved : SumOrder::Ascending;
  return success();
}

/// Whether lanes may run along a reduction loop: partials interleave over all reduced elements, so that what lies
/// outside of the loop must leave them in their places.
bool GenericLowering::isOneVector(int64_t loop) {
  if (order != SumOrder::Interleaved)
    return order == SumOrder::Any;
  bool isAlone = true;
  for (auto [d, other] : llvm::enumerate(loops)) {
    bool isReduced = other.reduction && known(other.size) != 1 && static_cast<int64_t>(d) != loop;
    if (isReduced && static_cast<int64_t>(d) > loop)
      return false;
    isAlone &= !isReduced;
  }
  auto size = known(loops[loop].size);
  return isAlone || (size && *size % kSumPartials == 0);
}

//===-- pieces -----------------------------------------------------------------------------===//

/// Runs the reduction loops from `loop` on at a fixed parallel position.
void GenericLowering::reduceInto(OpBuilder &nested, SmallVector<Index> position, const Lanes &lanes, unsigned loop,
                                 SmallVector<Value> &accumulators) {
  while (loop < loops.size() && !(loops[loop].reduction && static_cast<int64_t>(loop) != vectorLoop))
    ++loop;
  if (loop == loops.size()) {
    accumulators = body(nested, position, lanes, accumulators);
    return;
  }
  bool isBlock = static_cast<int64_t>(loop) == blockedLoop;
  if (isBlock && unrolledRows) {
    for (int64_t row = 0; row < unrolledRows; ++row) {
      position[loop] = math.add(blockBegin, math.constant(row));
      reduceInto(nested, position, lanes, loop + 1, accumulators);
    }
    return;
  }
  accumulators =
      makeReduction(nested, loc, isBlock ? blockBegin : math.constant(0), isBlock ? blockEnd : loops[loop].size, 1,
                    accumulators, [&](OpBuilder &, Index i, ValueRange carried) {
                      SmallVector<Index> next(position);
                      next[loop] = i;
                      SmallVector<Value> values(carried);
                      reduceInto(nested, next, lanes, loop + 1, values);
                      return values;
                    });
}

/// What leaves a number as it is.
static TypedAttr neutralOf(OpBuilder &b, vector::CombiningKind kind, Type element) {
  unsigned bits = element.getIntOrFloatBitWidth();
  auto infinity = [&](bool negative) {
    return b.getFloatAttr(element, APFloat::getInf(cast<FloatType>(element).getFloatSemantics(), negative));
  };
  switch (kind) {
  case vector::CombiningKind::MUL:
    return b.getOneAttr(element);
  case vector::CombiningKind::AND:
  case vector::CombiningKind::MINUI:
    return b.getIntegerAttr(element, APInt::getAllOnes(bits));
  case vector::CombiningKind::MAXIMUMF:
    return infinity(/*negative=*/true);
  case vector::CombiningKind::MINIMUMF:
    return infinity(/*negative=*/false);
  case vector::CombiningKind::MAXSI:
    return b.getIntegerAttr(element, APInt::getSignedMinValue(bits));
  case vector::CombiningKind::MINSI:
    return b.getIntegerAttr(element, APInt::getSignedMaxValue(bits));
  default: // additions, disjunctions, unsigned maxima
    return cast<TypedAttr>(b.getZeroAttr(element));
  }
}

SmallVector<Value> GenericLowering::neutralElements(OpBuilder &nested, const Lanes &lanes) {
  SmallVector<Value> values;
  for (auto [i, kind] : llvm::enumerate(combiners))
    values.push_back(lanes.constant(nested, loc, neutralOf(nested, kind, buffers[numInputs() + i].element)));
  return values;
}

SmallVector<Value> GenericLowering::combined(OpBuilder &nested, ValueRange values, ValueRange others) {
  SmallVector<Value> results;
  for (auto [kind, value, other] : llvm::zip_equal(combiners, values, others))
    results.push_back(vector::makeArithReduction(nested, loc, kind, value, other));
  return results;
}

SmallVector<Value> GenericLowering::loadResults(OpBuilder &nested, ArrayRef<Index> position) {
  SmallVector<Value> values;
  for (unsigned i = 0; i < op.getNumDpsInits(); ++i)
    values.push_back(Lanes().load(nested, loc, buffers[numInputs() + i].flat, address(numInputs() + i, position)));
  return values;
}

void GenericLowering::storeResults(OpBuilder &nested, ArrayRef<Index> position, ValueRange values) {
  for (auto [i, value] : llvm::enumerate(values))
    Lanes().store(nested, loc, value, buffers[numInputs() + i].flat, address(numInputs() + i, position));
}

/// Elements that are reduced to one, if that is known.
std::optional<int64_t> GenericLowering::reducedElements() {
  int64_t elements = 1;
  for (const Loop &loop : loops)
    if (loop.reduction) {
      if (!known(loop.size))
        return std::nullopt;
      elements *= *known(loop.size);
    }
  return elements;
}

//===-- lanes along the reduction ------------------------------------------------------------===//

/// How many vectors hold the partials: all, or those of a few elements.
unsigned GenericLowering::numSets() {
  int64_t sets = std::max<int64_t>(1, kSumPartials / maxLanes);
  if (auto size = known(loops[vectorLoop].size))
    sets = std::clamp<int64_t>((*size + maxLanes - 1) / maxLanes, 1, sets);
  return static_cast<unsigned>(sets);
}

/// The vector loop is a reduction: its lanes and sets of lanes hold the partials. Outer reductions run outside of it,
/// so that memory is read in order. Returns what is combined of `part`, without what the results held.
SmallVector<Value> GenericLowering::reduceAlongVector(OpBuilder &nested, SmallVector<Index> position,
                                                      const SumPart &part) {
  Lanes full{maxLanes, Value()};
  unsigned numOuts = op.getNumDpsInits(), sets = numSets();
  int64_t round = maxLanes * sets;
  auto boundsOf = [&](int64_t loop) -> std::pair<Index, Index> {
    return loop == 0 && !part.isAll() ? std::pair(part.begin, part.end) : std::pair(math.constant(0), loops[loop].size);
  };
  SmallVector<Value> accumulators;
  for (unsigned set = 0; set < sets; ++set)
    llvm::append_range(accumulators, neutralElements(nested, full));

  auto accumulate = [&](SmallVector<Index> at, Index i, const Lanes &lanes, ValueRange carried) {
    at[vectorLoop] = i;
    SmallVector<Value> values = body(nested, at, lanes, carried);
    if (lanes.mask)
      for (auto [value, old] : llvm::zip(values, carried))
        value = arith::SelectOp::create(nested, loc, lanes.mask, value, old);
    return values;
  };
  auto firstLanes = [&](Index count) {
    auto type = VectorType::get({maxLanes}, nested.getI1Type());
    return Lanes{maxLanes, vector::CreateMaskOp::create(nested, loc, type, math.value(count))};
  };
  /// All sets from i on, `isWhole` or up to `high`. A short body is repeated for each set, so that the additions do not
  /// wait for each other; a long one runs in a loop whose sets change places: in a whole round each comes back to its
  /// own.
  auto rounds = [&](const SmallVector<Index> &at, Index low, Index end, Index high, bool isWhole,
                    SmallVector<Value> carried) -> SmallVector<Value> {
    auto lanesAt = [&](Index i) { return isWhole ? full : firstLanes(math.sub(high, i)); };
    if (!hasShortBody())
      return makeReduction(nested, loc, low, end, maxLanes, carried, [&](OpBuilder &, Index i, ValueRange values) {
        SmallVector<Value> results(values.drop_front(numOuts));
        llvm::append_range(results, accumulate(at, i, lanesAt(i), values.take_front(numOuts)));
        return results;
      });
    return makeReduction(nested, loc, low, end, round, carried, [&](OpBuilder &, Index i, ValueRange values) {
      SmallVector<Value> results;
      for (unsigned set = 0; set < sets; ++set) {
        Index begin = math.add(i, math.constant(set * maxLanes));
        llvm::append_range(results, accumulate(at, begin, lanesAt(begin), values.slice(set * numOuts, numOuts)));
      }
      return results;
    });
  };
  auto innermost = [&](const SmallVector<Index> &at, SmallVector<Value> carried) {
    auto [low, high] = boundsOf(vectorLoop);
    Index extent = math.sub(high, low);
    auto size = known(extent);
    if (!size) {
      Index count =
          Index(Value(arith::DivUIOp::create(nested, loc, math.value(extent), math.value(math.constant(round)))));
      Index whole = math.add(low, math.mul(count, math.constant(round)));
      Index end = math.add(low, math.mul(math.ceilDiv(extent, math.constant(round)), math.constant(round)));
      carried = rounds(at, low, whole, high, /*isWhole=*/true, carried);
      return rounds(at, whole, end, high, /*isWhole=*/false, carried);
    }
    Index whole = math.add(low, math.constant(*size / round * round));
    carried = rounds(at, low, whole, high, /*isWhole=*/true, carried);
    int64_t rest = *size % round;
    for (unsigned set = 0; static_cast<int64_t>(set) * maxLanes < rest; ++set) {
      int64_t count = rest - set * maxLanes;
      Lanes lanes = count >= maxLanes ? full : firstLanes(math.constant(count));
      SmallVector<Value> values = accumulate(at, math.add(whole, math.constant(set * maxLanes)), lanes,
                                             ArrayRef(carried).slice(set * numOuts, numOuts));
      llvm::copy(values, carried.begin() + set * numOuts);
    }
    return carried;
  };
  std::function<SmallVector<Value>(int64_t, SmallVector<Index>, SmallVector<Value>)> outer =
      [&](int64_t loop, SmallVector<Index> at, SmallVector<Value> carried) -> SmallVector<Value> {
    while (loop < static_cast<int64_t>(loops.size()) && (!loops[loop].reduction || loop == vectorLoop))
      ++loop;
    if (loop == static_cast<int64_t>(loops.size()))
      return innermost(at, std::move(carried));
    auto [begin, end] = boundsOf(loop);
    return makeReduction(nested, loc, begin, end, 1, carried, [&](OpBuilder &, Index i, ValueRange values) {
      SmallVector<Index> inner(at);
      inner[loop] = i;
      return outer(loop + 1, inner, SmallVector<Value>(values));
    });
  };
  accumulators = outer(0, position, accumulators);

  SmallVector<Value> results;
  int64_t used = known(loops[vectorLoop].size).value_or(kSumPartials);
  for (unsigned i = 0; i < numOuts; ++i) {
    SmallVector<Value> vectors;
    for (unsigned set = 0; set < sets; ++set)
      vectors.push_back(accumulators[set * numOuts + i]);
    results.push_back(combineLanes(nested, loc, combiners[i], vectors, used));
  }
  return results;
}

//===-- partials elsewhere -------------------------------------------------------------------===//

bool GenericLowering::isUnrolled() {
  auto elements = reducedElements();
  return elements && *elements <= kMostUnrolled;
}

/// Memory for the partials of a point of a task, where no vector register holds them.
void GenericLowering::allocateSlots() {
  slots.clear();
  bool isAlongVector = vectorLoop >= 0 && loops[vectorLoop].reduction;
  if (order != SumOrder::Interleaved || isAlongVector || isUnrolled())
    return;
  int64_t lanes = vectorLoop < 0 ? 1 : maxLanes;
  for (unsigned i = 0; i < op.getNumDpsInits(); ++i)
    slots.push_back(
        memref::AllocaOp::create(b, loc, MemRefType::get({kSumPartials * lanes}, buffers[numInputs() + i].element)));
}

/// Interleaved partials where no lanes run along the reduction: operands lie across it, rows are no whole rounds of the
/// partials, or there are few elements. Lanes, if any, are points beside each other. Returns what is combined of
/// `part`.
SmallVector<Value> GenericLowering::reduceInPartials(OpBuilder &nested, ArrayRef<Index> position, const Lanes &lanes,
                                                     const SumPart &part) {
  return slots.empty() ? reduceUnrolled(nested, position, lanes) : reduceInSlots(nested, position, lanes, part);
}

SmallVector<Value> GenericLowering::reduceUnrolled(OpBuilder &nested, ArrayRef<Index> position, const Lanes &lanes) {
  SmallVector<Value> neutral = neutralElements(nested, lanes);
  SmallVector<SmallVector<Value>> partials;
  for (int64_t element = 0, count = *reducedElements(); element < count; ++element) {
    SmallVector<Index> at(position);
    int64_t rest = element;
    for (size_t d = loops.size(); d-- > 0;)
      if (loops[d].reduction) {
        int64_t size = *known(loops[d].size);
        at[d] = math.constant(rest % size);
        rest /= size;
      }
    partials.push_back(body(nested, at, lanes, neutral));
  }
  if (partials.empty())
    return neutral;
  return combinePartials(MutableArrayRef(partials),
                         [&](const auto &x, const auto &y) { return combined(nested, x, y); });
}

SmallVector<Value> GenericLowering::reduceInSlots(OpBuilder &nested, ArrayRef<Index> position, const Lanes &lanes,
                                                  const SumPart &part) {
  unsigned numOuts = op.getNumDpsInits();
  Lanes full{maxLanes, Value()}, own{lanes.lanes, Value()};
  SmallVector<Value> neutral = neutralElements(nested, full);
  makeLoop(nested, loc, math.constant(0), math.constant(kSumPartials * lanes.lanes), maxLanes,
           [&](OpBuilder &, Index i) {
             for (auto [slot, value] : llvm::zip(slots, neutral))
               full.store(nested, loc, value, slot, i);
           });
  /// `before`: elements before those of the loops from `loop` on.
  std::function<void(unsigned, SmallVector<Index>, Index)> reduce = [&](unsigned loop, SmallVector<Index> at,
                                                                        Index before) {
    while (loop < loops.size() && !loops[loop].reduction)
      ++loop;
    if (loop == loops.size()) {
      auto partial =
          arith::AndIOp::create(nested, loc, math.value(before), math.value(math.constant(kSumPartials - 1)));
      Index address = math.mul(Index(Value(partial)), math.constant(lanes.lanes));
      SmallVector<Value> values;
      for (Value slot : slots)
        values.push_back(own.load(nested, loc, slot, address));
      values = body(nested, at, lanes, values);
      for (auto [slot, value] : llvm::zip(slots, values))
        own.store(nested, loc, value, slot, address);
      return;
    }
    bool isPart = loop == 0 && !part.isAll();
    makeLoop(nested, loc, isPart ? part.begin : math.constant(0), isPart ? part.end : loops[loop].size, 1,
             [&](OpBuilder &, Index i) {
               SmallVector<Index> next(at);
               next[loop] = i;
               Index element = isPart ? math.sub(i, part.begin) : i;
               reduce(loop + 1, next, math.add(math.mul(before, loops[loop].size), element));
             });
  };
  reduce(0, SmallVector<Index>(position), math.constant(0));

  SmallVector<Value> results;
  int64_t step = lanes.lanes == 1 ? maxLanes : lanes.lanes;
  for (unsigned i = 0; i < numOuts; ++i) {
    SmallVector<Value> partials;
    for (int64_t at = 0; at < kSumPartials * lanes.lanes; at += step)
      partials.push_back(full.load(nested, loc, slots[i], math.constant(at)));
    vector::CombiningKind kind = combiners[i];
    results.push_back(lanes.lanes == 1 ? combineLanes(nested, loc, kind, partials, kSumPartials)
                                       : combinePartials(MutableArrayRef(partials), [&](Value x, Value y) {
                                           return vector::makeArithReduction(nested, loc, kind, x, y);
                                         }));
  }
  return results;
}

//===-- parts --------------------------------------------------------------------------------===//

SmallVector<Value> GenericLowering::reducePart(OpBuilder &nested, ArrayRef<Index> position, const SumPart &part) {
  if (reduceTogether)
    return reduceTogether(position, part);
  return vectorLoop >= 0 ? reduceAlongVector(nested, SmallVector<Index>(position), part)
                         : reduceInPartials(nested, position, Lanes(), part);
}

/// A reduction to one element, of many: parts of its first loop are tasks, whose results are combined in order. How it
/// is cut is a function of its shape. Returns whether it was.
bool GenericLowering::emitInParts() {
  if (!llvm::all_of(loops, [](const Loop &l) { return l.reduction; }) || combiners.empty() ||
      order == SumOrder::Ascending || (vectorLoop < 0 && order == SumOrder::Any && !reduceTogether))
    return false;
  Index rows = rowsOfSumPart(math, innerSize);
  Index parts = math.ceilDiv(firstSize, rows);
  if (auto count = known(parts); count && *count <= 1)
    return false;
  Index numbers = math.min(parts, math.constant(kSumPartNumbers));
  SmallVector<FlatBuffer> partials;
  for (unsigned i = 0; i < op.getNumDpsInits(); ++i) {
    auto type = MemRefType::get({kSumPartNumbers}, buffers[numInputs() + i].element, MemRefLayoutAttrInterface(),
                                cast<MemRefType>(op.getDpsInits()[i].getType()).getMemorySpace());
    partials.push_back(flatten(b, loc, memref::AllocOp::create(b, loc, type)));
  }
  SmallVector<Index> origin(loops.size(), math.constant(0));
  double cost = elementCost(*op.getBody(), maxLanes) * kSumPart;
  runTasks(numbers, cost, [&](Index task) {
    Index size = math.mul(rows, firstFactor);
    loadScalars();
    if (!reduceTogether)
      allocateSlots();
    SmallVector<Value> sums = makeReduction(b, loc, task, parts, kSumPartNumbers, neutralElements(b, Lanes()),
                                            [&](OpBuilder &, Index number, ValueRange carried) {
                                              Index begin = math.mul(number, size);
                                              SumPart part{begin, math.min(math.add(begin, size), loops[0].size)};
                                              return combined(b, carried, reducePart(b, origin, part));
                                            });
    once([&] {
      for (auto [partial, sum] : llvm::zip(partials, sums))
        Lanes().store(b, loc, sum, partial.flat, math.add(partial.offset, task));
    });
  });
  auto combineParts = [&] {
    SmallVector<Value> values = makeReduction(
        b, loc, math.constant(0), numbers, 1, loadResults(b, origin), [&](OpBuilder &, Index i, ValueRange carried) {
          SmallVector<Value> next;
          for (const FlatBuffer &partial : partials)
            next.push_back(Lanes().load(b, loc, partial.flat, math.add(partial.offset, i)));
          return combined(b, carried, next);
        });
    storeResults(b, origin, values);
  };
  runTasks(math.constant(1), kSumPartNumbers, [&](Index) { once(combineParts); });
  return true;
}
