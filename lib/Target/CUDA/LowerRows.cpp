// Gathers, sums and updates of rows on the device's memory to launches of threads: one has an element of a row, or
// neighbours.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Grid.h"
#include "lib/Target/CPU/RowLowering.h"
#include "mlc/Support/SumOrder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlc;

/// Threads that have to be left where one has several elements of a row: eight blocks, so that rows of 16 numbers of a
/// batch of 512 are read 16 bytes at a time. As many bytes are on their way then as with a thread for each element, for
/// fewer instructions: what a row's thread looks up (its id, the bounds of its group) is looked up once.
static constexpr int64_t kLeastThreads = 8 * cuda::kThreads;

/// Neighbours of a row of `elements` numbers that a thread has, in accesses of up to 16 bytes: rows are whole numbers
/// of them in all of `buffers`, and begin at multiples of their bytes. Buffers begin at multiples of more.
static Lanes chooseLanes(Index rows, int64_t elements, ArrayRef<FlatBuffer> buffers) {
  int64_t width = cuda::kMostAccessBytes;
  while (width > 1 && elements % width != 0)
    width /= 2;
  for (const FlatBuffer &buffer : buffers) {
    if (!buffer.element.isIntOrFloat() || buffer.element.getIntOrFloatBitWidth() < 8)
      return Lanes();
    width = std::min<int64_t>(width, cuda::kMostAccessBytes * 8 / buffer.element.getIntOrFloatBitWidth());
    width = cuda::wholeWidth(cuda::wholeWidth(width, buffer.offset), buffer.strides[0]);
  }
  while (width > 1 && known(rows).value_or(cuda::kUsualRows) * elements < width * kLeastThreads)
    width /= 2;
  return Lanes{width, Value(), /*aligned=*/true};
}

/// Calls `body` with each of `rows` rows and each column of its `elements` that lanes begin at.
static void forEachElement(OpBuilder &b, Location loc, Index rows, int64_t elements, const Lanes &lanes, double cost,
                           llvm::function_ref<void(Index, Index)> body, llvm::function_ref<void()> enter = nullptr) {
  IndexMath math{b, loc};
  Index width = math.constant(elements / lanes.lanes);
  cuda::forEachPoint(
      b, loc, math.mul(rows, width), cost * static_cast<double>(lanes.lanes),
      [&](Index number) {
        SmallVector<Index> at = indicesOf(b, loc, {rows, width}, number);
        body(at[0], math.mul(at[1], math.constant(lanes.lanes)));
      },
      enter);
}

/// Runs `body` where k is one of the rows that there are, elsewhere `otherwise`, if there is one.
static void inCount(OpBuilder &b, Location loc, Index k, Index count, llvm::function_ref<void()> body,
                    llvm::function_ref<void()> otherwise = nullptr) {
  IndexMath math{b, loc};
  Value isThere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, math.value(k), math.value(count));
  auto guarded = scf::IfOp::create(b, loc, isThere, /*withElseRegion=*/static_cast<bool>(otherwise));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(&guarded.getThenRegion().front());
  body();
  if (!otherwise)
    return;
  b.setInsertionPointToStart(&guarded.getElseRegion().front());
  otherwise();
}

static Attribute spaceAttributeOf(Value buffer) { return cast<MemRefType>(buffer.getType()).getMemorySpace(); }

static Value zeroOf(OpBuilder &b, Location loc, Type type, const Lanes &lanes) {
  return lanes.constant(b, loc, cast<TypedAttr>(b.getZeroAttr(type)));
}

namespace {
/// Groups of rows to be summed, as `kern.group_sum` has them.
struct RowGroups {
  FlatBuffer values, ends, order, count;
  Index number;     ///< of the groups; null where the count is on the device
  int64_t elements; ///< of a row
  Attribute space;  ///< of the buffers
  Lanes lanes;      ///< of a thread
};
} // namespace

/// The number of the groups, read by a thread where the host does not know it.
static Index loadNumber(OpBuilder &b, Location loc, const RowGroups &groups) {
  return groups.number ? groups.number : loadIndex(b, loc, groups.count, groups.count.offset);
}

/// A launch that sums each block of the groups that have several: a group as large as the batch is then as much work as
/// many that are one block each, for as many threads. Nothing where no group can have several.
static std::optional<FlatBuffer> sumBlocks(OpBuilder &b, Location loc, const RowGroups &groups) {
  IndexMath math{b, loc};
  const FlatBuffer &ends = groups.ends;
  if (known(ends.sizes[0]).value_or(kSumBlock + 1) <= kSumBlock)
    return std::nullopt;
  Index blockSize = math.constant(kSumBlock), one = math.constant(1);
  Index slots = math.mul(math.ceilDiv(ends.sizes[0], blockSize), math.constant(2));
  auto isKnown = known(slots);
  auto type = MemRefType::get({isKnown.value_or(ShapedType::kDynamic), groups.elements}, groups.values.element,
                              MemRefLayoutAttrInterface(), groups.space);
  Value memory =
      memref::AllocOp::create(b, loc, type, isKnown ? ValueRange() : ValueRange(math.value(slots))).getResult();
  FlatBuffer sums = flatten(b, loc, memory);
  auto compare = [&](arith::CmpIPredicate predicate, Index x, Index y) -> Value {
    return arith::CmpIOp::create(b, loc, predicate, math.value(x), math.value(y));
  };
  auto inside = [&](Value condition, llvm::function_ref<void()> body) {
    auto guarded = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&guarded.getThenRegion().front());
    body();
  };
  Index number;
  auto sumBlock = [&](Index slot, Index c) {
    // Places of the order that slot's block may begin at: from `first` on as many as a block has.
    Index chunk = Index(Value(arith::DivUIOp::create(b, loc, math.value(slot), math.value(math.constant(2)))));
    Index first = math.mul(chunk, blockSize);
    Index places = loadIndex(b, loc, ends, math.add(ends.offset, math.sub(number, one)));
    inside(compare(arith::CmpIPredicate::ult, first, places), [&] {
      Value isOdd = arith::RemUIOp::create(b, loc, math.value(slot), math.value(math.constant(2)));
      Value isOfFirst = compare(arith::CmpIPredicate::eq, Index(isOdd), one);
      // A group of several blocks that begins here has the last of these places, one that began before the first.
      Index last = math.min(math.sub(math.add(first, blockSize), one), math.sub(places, one));
      Index probe = Index(Value(arith::SelectOp::create(b, loc, isOfFirst, math.value(last), math.value(first))));
      Index k = Index(lowerBound(b, loc, ends, math.constant(0), number, math.add(probe, one)));
      const auto bounds = groupBounds(b, loc, ends, k);
      const Index begin = bounds.first, end = bounds.second;
      Value beginsHere = compare(arith::CmpIPredicate::uge, begin, first);
      Index blocksBefore = math.ceilDiv(math.sub(first, begin), blockSize);
      Index next = math.add(begin, math.mul(blocksBefore, blockSize));
      Index at = Index(Value(arith::SelectOp::create(b, loc, isOfFirst, math.value(begin), math.value(next))));
      Value isBlock = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, beginsHere, isOfFirst);
      isBlock = arith::AndIOp::create(b, loc, isBlock, compare(arith::CmpIPredicate::ult, at, end));
      isBlock =
          arith::AndIOp::create(b, loc, isBlock, compare(arith::CmpIPredicate::ugt, math.sub(end, begin), blockSize));
      inside(isBlock, [&] {
        Value sum = GroupSum{b, loc, groups.values, groups.order, c, groups.lanes}.block(
            at, math.min(math.add(at, blockSize), end));
        groups.lanes.store(b, loc, sum, sums.flat, math.add(sums.at(math, {slot}), c));
      });
    });
  };
  forEachElement(
      b, loc, slots, groups.elements, groups.lanes, 10 * kSumBlock,
      [&](Index slot, Index c) {
        inside(compare(arith::CmpIPredicate::ugt, number, math.constant(0)), [&] { sumBlock(slot, c); });
      },
      [&] { number = loadNumber(b, loc, groups); });
  return sums;
}

LogicalResult cuda::lowerTakeRows(OpBuilder &b, kern::TakeRowsOp op) {
  Location loc = op.getLoc();
  IndexMath math{b, loc};
  FlatBuffer table = flatten(b, loc, op.getTable()), ids = flatten(b, loc, op.getIds()),
             out = flatten(b, loc, op.getOuts()[0]);
  auto elements = rowElements(op, table);
  if (failed(elements) || failed(rowElements(op, out)))
    return failure();
  const Lanes l = chooseLanes(ids.sizes[0], *elements, {table, out});
  forEachElement(b, loc, ids.sizes[0], *elements, l, 1, [&](Index i, Index c) {
    Value zero = math.value(math.constant(0));
    Value id = loadIndex(b, loc, ids, ids.at(math, {i}));
    Value isThere = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, id, zero);
    auto either = scf::IfOp::create(b, loc, TypeRange(l.typeOf(table.element)), isThere, true);
    {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(&either.getThenRegion().front());
      scf::YieldOp::create(b, loc, l.load(b, loc, table.flat, math.add(table.at(math, {Index(id)}), c)));
      b.setInsertionPointToStart(&either.getElseRegion().front());
      scf::YieldOp::create(b, loc, zeroOf(b, loc, table.element, l));
    }
    l.store(b, loc, either.getResult(0), out.flat, math.add(out.at(math, {i}), c));
  });
  return success();
}

LogicalResult cuda::lowerGroupSum(OpBuilder &b, kern::GroupSumOp op) {
  Location loc = op.getLoc();
  IndexMath math{b, loc};
  FlatBuffer values = flatten(b, loc, op.getValues()), ends = flatten(b, loc, op.getEnds()),
             order = flatten(b, loc, op.getOrder());
  FlatBuffer count = flatten(b, loc, op.getCount()), out = flatten(b, loc, op.getOuts()[0]);
  auto elements = rowElements(op, values);
  if (failed(elements) || failed(rowElements(op, out)))
    return failure();
  const Lanes l = chooseLanes(out.sizes[0], *elements, {values, out});
  // Rows without a group are zeros: what works on all rows reads them, too, and no memory that nothing wrote.
  auto clear = [&](Index k, Index c) {
    l.store(b, loc, zeroOf(b, loc, out.element, l), out.flat, math.add(out.at(math, {k}), c));
  };
  // Where the count is on the device the host does not know how many groups there are, but how many there can be.
  RowGroups groups{values, ends, order, count, Index(), *elements, spaceAttributeOf(op.getValues()), l};
  if (kern::spaceOf(op.getCount().getType()) == 0)
    groups.number = loadIndex(b, loc, count, count.offset);
  const std::optional<FlatBuffer> blockSums = sumBlocks(b, loc, groups);
  auto sumGroup = [&](Index k, Index c) {
    auto [begin, end] = groupBounds(b, loc, ends, k);
    Value sum = GroupSum{b, loc, values, order, c, l, blockSums ? &*blockSums : nullptr}.sum(begin, end);
    l.store(b, loc, sum, out.flat, math.add(out.at(math, {k}), c));
  };
  Index numGroups;
  forEachElement(
      b, loc, out.sizes[0], *elements, l, 10,
      [&](Index k, Index c) { inCount(b, loc, k, numGroups, [&] { sumGroup(k, c); }, [&] { clear(k, c); }); },
      [&] { numGroups = loadNumber(b, loc, groups); });
  return success();
}

LogicalResult cuda::lowerRaggedSum(OpBuilder &b, kern::RaggedSumOp op) {
  Location loc = op.getLoc();
  IndexMath math{b, loc};
  FlatBuffer values = flatten(b, loc, op.getValues()), ends = flatten(b, loc, op.getEnds()),
             out = flatten(b, loc, op.getOuts()[0]);
  auto elements = rowElements(op, values);
  if (failed(elements) || failed(rowElements(op, out)))
    return failure();
  const Lanes l = chooseLanes(ends.sizes[0], *elements, {values, out});
  forEachElement(b, loc, ends.sizes[0], *elements, l, 10, [&](Index row, Index c) {
    auto [begin, end] = groupBounds(b, loc, ends, row);
    Value sum = makeReduction(b, loc, begin, end, 1, zeroOf(b, loc, values.element, l),
                              [&](OpBuilder &, Index j, ValueRange carried) {
                                Value x = l.load(b, loc, values.flat, math.add(values.at(math, {j}), c));
                                return SmallVector<Value>{arith::AddFOp::create(b, loc, carried[0], x)};
                              })[0];
    l.store(b, loc, sum, out.flat, math.add(out.at(math, {row}), c));
  });
  return success();
}

LogicalResult cuda::lowerRaggedRepeat(OpBuilder &b, kern::RaggedRepeatOp op) {
  Location loc = op.getLoc();
  IndexMath math{b, loc};
  FlatBuffer rows = flatten(b, loc, op.getRows()), ends = flatten(b, loc, op.getEnds()),
             out = flatten(b, loc, op.getOuts()[0]);
  auto elements = rowElements(op, rows);
  if (failed(elements) || failed(rowElements(op, out)))
    return failure();
  const Lanes l = chooseLanes(ends.sizes[0], *elements, {rows, out});
  forEachElement(b, loc, ends.sizes[0], *elements, l, 10, [&](Index row, Index c) {
    auto bounds = groupBounds(b, loc, ends, row);
    Value x = l.load(b, loc, rows.flat, math.add(rows.at(math, {row}), c));
    makeLoop(b, loc, bounds.first, bounds.second, 1,
             [&](OpBuilder &, Index j) { l.store(b, loc, x, out.flat, math.add(out.at(math, {j}), c)); });
  });
  return success();
}

/// As chooseLanes, of an update of as many entries as there are `rows` at most.
static Lanes chooseLanes(RowUpdate &update, Index rows) {
  Block &body = update.op.getBody().front();
  if (hasLoop(body) || range_size(body.without_terminator()) > cuda::kMostWideOps)
    return Lanes();
  SmallVector<FlatBuffer> buffers(update.tables);
  buffers.push_back(update.values);
  return chooseLanes(rows, update.elements, buffers);
}

LogicalResult cuda::lowerUpdateRows(OpBuilder &b, kern::UpdateRowsOp op) {
  RowUpdate update(b, op, /*lanes=*/1);
  if (failed(update.collect()))
    return failure();
  Location loc = op.getLoc();
  IndexMath &math = update.math;
  double cost = 10 + elementCost(op.getBody().front(), 1);
  // Where the host does not know how many ids there are, it knows how many there can be.
  const bool isCountThere = !update.numIds;
  Index rows = op.getEveryRow() ? update.tables[0].sizes[0] : isCountThere ? update.ids.sizes[0] : update.numIds;
  const Lanes l = chooseLanes(update, rows);
  std::optional<FlatBuffer> blockSums;
  if (!update.grouping.empty())
    blockSums = sumBlocks(b, loc,
                          {update.values, update.grouping[0], update.grouping[1], update.count, update.numIds,
                           update.elements, spaceAttributeOf(op.getValues()), l});
  update.blockSums = blockSums ? &*blockSums : nullptr;
  auto updateEntry = [&](Index k, Index row, Index c) {
    Index begin, end;
    if (!update.grouping.empty())
      std::tie(begin, end) = groupBounds(b, loc, update.grouping[0], k);
    update.apply(row, c, update.gradientOf(k, begin, end, c, l), /*isPresent=*/true, l);
  };
  auto idOf = [&](Index k) { return loadIndex(b, loc, update.ids, math.add(update.ids.offset, k)); };
  auto enter = [&] {
    update.loadScalars();
    if (isCountThere)
      update.numIds = loadIndex(b, loc, update.count, update.count.offset);
  };
  if (!op.getEveryRow()) {
    forEachElement(
        b, loc, rows, update.elements, l, cost,
        [&](Index k, Index c) {
          if (isCountThere)
            inCount(b, loc, k, update.numIds, [&] { updateEntry(k, Index(idOf(k)), c); });
          else
            updateEntry(k, Index(idOf(k)), c);
        },
        enter);
    return success();
  }
  forEachElement(
      b, loc, rows, update.elements, l, cost,
      [&](Index row, Index c) {
        Value count = math.value(update.numIds);
        Value k = lowerBound(b, loc, update.ids, math.constant(0), update.numIds, row);
        Value isInside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, k, count);
        auto found = scf::IfOp::create(b, loc, TypeRange(b.getI1Type()), isInside, true);
        {
          OpBuilder::InsertionGuard guard(b);
          b.setInsertionPointToStart(&found.getThenRegion().front());
          scf::YieldOp::create(
              b, loc,
              arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, idOf(Index(k)), math.value(row)).getResult());
          b.setInsertionPointToStart(&found.getElseRegion().front());
          scf::YieldOp::create(b, loc, zeroOf(b, loc, b.getI1Type(), Lanes()));
        }
        auto either = scf::IfOp::create(b, loc, found.getResult(0), true);
        OpBuilder::InsertionGuard guard(b);
        b.setInsertionPointToStart(&either.getThenRegion().front());
        updateEntry(Index(k), row, c);
        b.setInsertionPointToStart(&either.getElseRegion().front());
        update.apply(row, c, zeroOf(b, loc, update.values.element, l), /*isPresent=*/false, l);
      },
      enter);
  return success();
}
