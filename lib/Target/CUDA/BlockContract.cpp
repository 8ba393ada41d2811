// kern.contract on the device's memory by tiles: from memory to shared memory, and from sums to the epilogue.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "BlockContract.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::cuda;

/// Fewer columns, or products of an element, are not worth a tile.
static constexpr int64_t kFewestColumns = 12, kFewestInner = 8;

/// Bytes that a copy moves at least.
static constexpr int64_t kLeastCopied = 4;

/// Chunks in shared memory at most, and bytes of these: what a kernel has without asking for more, of which two blocks
/// fit a multiprocessor of every chip.
static constexpr int64_t kMostStages = 4, kMostShared = 48 << 10;

bool BlockContract::chooseTile(const common::KernelTable &table, StringRef kind) {
  auto few = [](Index size, int64_t least) { return known(size) && *known(size) < least; };
  if (form() != kern::ContractForm::Panels || !known(columns) || few(columns, kFewestColumns) ||
      few(rows, kFewestColumns) || few(inner, kFewestInner))
    return false;
  common::ProductShape shape = {known(rows).value_or(kUsualRows), *known(columns), known(inner).value_or(kUsualRows),
                                known(batches).value_or(1)};
  // Of kProductForms: rows of the left factor, and columns of the right one, are along the inner dimension or across.
  shape.form = 2 * !isAlongInner(0) + isAlongInner(1);
  const auto line = llvm::find_if(table.lines, [&](const common::TileLine &candidate) {
    return candidate.kind == std::string_view(kind) && candidate.has(shape);
  });
  assert(line != table.lines.end() && "each shape has a line");
  tile = line->tile;
  splits = line->splits;
  if (known(inner))
    splits = partsOf(tile, splits, *known(inner));
  return true;
}

Value BlockContract::isBelow(Index x, Index size) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, math.value(x), math.value(size));
}

Index BlockContract::quotient(Value x, int64_t y) {
  return Value(arith::DivUIOp::create(b, loc, x, math.value(math.constant(y))));
}

Index BlockContract::remainder(Value x, int64_t y) {
  return Value(arith::RemUIOp::create(b, loc, x, math.value(math.constant(y))));
}

int64_t BlockContract::sharedAlignment() { return kMostAccessBytes; }

Index BlockContract::choose(Value condition, Index x, Index y) {
  return Value(arith::SelectOp::create(b, loc, condition, math.value(x), math.value(y)));
}

/// How many neighbours may be read at once: all of them are there or none, and they begin where a multiple of their
/// bytes does. Buffers begin at multiples of more than that.
int64_t BlockContract::widthOf(const Factor &factor) {
  if (!hasNeighbours(factor))
    return 1;
  const unsigned operand = factor.operand;
  const FlatBuffer &buffer = operand == 0 ? lhs : rhs;
  const unsigned bits = std::max(buffer.element.getIntOrFloatBitWidth(), sharedType().getIntOrFloatBitWidth());
  int64_t width = std::min<int64_t>(kMostAccessBytes * 8 / bits, factor.extent * tile.depth / kThreads);
  auto require = [&](Index number) { width = wholeWidth(width, number); };
  require(origins[operand]);
  for (const Loop &loop : batchLoops)
    require(loop.strides[operand]);
  const Loop &along = factor.isAlongInner ? innerLoops.back() : operand == 0 ? rowLoops.back() : columnLoop;
  if (known(along.strides[operand]) != 1)
    return 1;
  require(along.size);
  for (const SmallVector<Loop> *loops : {&innerLoops, operand == 0 ? &rowLoops : nullptr})
    for (const Loop &loop : loops ? ArrayRef<Loop>(*loops) : ArrayRef<Loop>())
      if (&loop != &along)
        require(loop.strides[operand]);
  if (operand == 1 && factor.isAlongInner)
    require(columnLoop.strides[1]);
  return width;
}

BlockContract::Factor BlockContract::makeFactor(unsigned operand) {
  Factor factor;
  factor.operand = operand;
  factor.extent = operand == 0 ? tile.rows : tile.columns;
  factor.size = operand == 0 ? rows : columns;
  factor.isAlongInner = isAlongInner(operand);
  factor.width = widthOf(factor);
  return factor;
}

/// Whether memory has what is multiplied, in pieces of a size that copies have.
bool BlockContract::canCopy(const Factor &factor) {
  const FlatBuffer &buffer = factor.operand == 0 ? lhs : rhs;
  return kern::spaceOf(buffer.flat.getType()) != 0 && buffer.element == sharedType() &&
         factor.width * sharedType().getIntOrFloatBitWidth() / 8 >= kLeastCopied;
}

/// Chunks in shared memory at once; one: they go through registers.
int64_t BlockContract::stagesOf(const Factor &left, const Factor &right) {
  if (!canCopy(left) || !canCopy(right))
    return 1;
  const int64_t bytes = chunkSize(left, right) * sharedType().getIntOrFloatBitWidth() / 8;
  const int64_t most = std::min(kMostStages, kMostShared / bytes);
  return known(partLength) ? std::min(most, (*known(partLength) + tile.depth - 1) / tile.depth + 1) : most;
}

/// What stands in shared memory for the elements that a thread brings at once and that are not there.
Value BlockContract::absentOf(const Factor &factor) {
  TypedAttr nothing = absent(factor.operand);
  if (factor.width > 1)
    nothing = DenseElementsAttr::get(VectorType::get({factor.width}, sharedType()), Attribute(nothing));
  return arith::ConstantOp::create(b, loc, nothing);
}

int64_t BlockContract::rowOf(const Factor &factor) { return factor.isAlongInner ? tile.depth : factor.extent; }

/// Which elements the thread brings. Neighbouring threads take neighbours in memory, a row of shared memory after the
/// other.
void BlockContract::share(Factor &factor, Value thread, bool isCopied) {
  const int64_t loads = factor.extent * tile.depth / kThreads / factor.width;
  const int64_t row = rowOf(factor), across = row / factor.width, step = kThreads / across;
  Index along = math.mul(remainder(thread, across), math.constant(factor.width)), first = quotient(thread, across);
  const bool isWhole = known(factor.size) && *known(factor.size) % factor.extent == 0;
  for (int64_t i = 0; i < loads; ++i) {
    const int64_t passed = i * step;
    Index begin = math.add(first, math.constant(passed)), number = along;
    if (!factor.isAlongInner) {
      // Rows are numbers, and those of the next lines follow.
      const bool isSeveral = step > tile.depth;
      number = isSeveral ? remainder(math.value(first), tile.depth) : first;
      number = math.add(number, math.constant(passed % tile.depth));
      begin = isSeveral ? quotient(math.value(first), tile.depth) : math.constant(0);
      begin = math.add(begin, math.constant(passed / tile.depth));
      begin = math.add(math.mul(begin, math.constant(row)), along);
    }
    factor.lines.push_back(begin);
    factor.numbers.push_back(number);
    if (!factor.isAlongInner && i > 0 && passed / tile.depth == (passed - step) / tile.depth) {
      factor.starts.push_back(factor.starts.back());
      if (!factor.present.empty())
        factor.present.push_back(factor.present.back());
      continue;
    }
    Index line = math.add(factor.begin, factor.lines.back());
    Index distanceOfLine =
        factor.operand == 0 ? distance(rowLoops, indicesOf(rowLoops, line), 0) : math.mul(line, columnLoop.strides[1]);
    Index origin = origins[factor.operand], start = math.add(origin, distanceOfLine);
    if (!isWhole && isCopied)
      factor.present.push_back(isBelow(line, factor.size));
    else if (!isWhole)
      start = choose(isBelow(line, factor.size), start, origin);
    factor.starts.push_back(start);
  }
}

/// The elements that the thread brings of the chunk at `first`, as they go to shared memory.
SmallVector<Value> BlockContract::load(const Factor &factor, Index first) {
  const FlatBuffer &buffer = factor.operand == 0 ? lhs : rhs;
  auto read = [&](Index at) -> Value {
    if (factor.width == 1)
      return convert(factor, Lanes().load(b, loc, buffer.flat, at));
    const int64_t bytes = factor.width * buffer.element.getIntOrFloatBitWidth() / 8;
    auto elements = vector::LoadOp::create(b, loc, VectorType::get({factor.width}, buffer.element), buffer.flat,
                                           ValueRange(math.value(at)), /*nontemporal=*/false, llvm::MaybeAlign(bytes));
    return convert(factor, elements);
  };
  SmallVector<Value> elements;
  for (auto [number, start] : llvm::zip_equal(factor.numbers, factor.starts)) {
    Index k = math.add(first, number);
    Index at = math.add(start, distance(innerLoops, indicesOf(innerLoops, k), factor.operand));
    if (hasWholeChunks()) {
      elements.push_back(read(at));
      continue;
    }
    // What is not there is read where something is. Its product must not be added.
    Value isInner = isBelow(k, inner);
    Value there = read(choose(isInner, at, start));
    elements.push_back(arith::SelectOp::create(b, loc, isInner, there, absentOf(factor)));
  }
  return elements;
}

/// The chunk after the one at `first`; the last one, which nobody multiplies again, after itself.
Index BlockContract::chunkAfter(Index first) {
  Index next = math.add(first, math.constant(tile.depth));
  return hasWholeChunks() ? math.min(next, math.constant(*known(inner) - tile.depth)) : next;
}

/// One element or several neighbours to shared memory.
void BlockContract::storeShared(const Factor &factor, Value at, Value elements) {
  if (factor.width == 1) {
    memref::StoreOp::create(b, loc, elements, factor.shared, ValueRange(at));
    return;
  }
  const int64_t bytes = factor.width * sharedType().getIntOrFloatBitWidth() / 8;
  vector::StoreOp::create(b, loc, elements, factor.shared, ValueRange(at), /*nontemporal=*/false,
                          llvm::MaybeAlign(bytes));
}

void BlockContract::store(const Factor &factor, ValueRange elements) {
  for (auto [line, number, brought] : llvm::zip_equal(factor.lines, factor.numbers, elements))
    storeShared(factor, math.value(math.add(factor.place, sharedAt(factor, line, number))), brought);
}

/// Multiplies chunks of which the next one is on its way to registers.
SmallVector<Value> BlockContract::multiplyLoads(Factor left, Factor right, Value thread) {
  SmallVector<Value> carried = beginSums();
  const size_t numSums = carried.size(), numLeft = left.lines.size();
  left.place = math.constant(0);
  right.place = math.constant(sharedSize(left));
  auto bring = [&](Index first) {
    SmallVector<Value> elements = load(left, first);
    llvm::append_range(elements, load(right, first));
    return elements;
  };
  // Of an inner dimension of nothing there is no element to read. A part may have nothing, too.
  if (known(inner)) {
    Index first = innerBegin;
    if (hasWholeChunks())
      first = math.min(first, math.constant(*known(inner) - tile.depth));
    llvm::append_range(carried, bring(first));
  } else {
    SmallVector<Type> types;
    for (const Factor *factor : {&left, &right})
      types.append(factor->lines.size(),
                   factor->width == 1 ? sharedType() : Type(VectorType::get({factor->width}, sharedType())));
    auto branch = scf::IfOp::create(b, loc, types, isBelow(innerBegin, inner), /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    scf::YieldOp::create(b, loc, bring(innerBegin));
    b.setInsertionPointToStart(&branch.getElseRegion().front());
    SmallVector<Value> zeros;
    for (Type type : types)
      zeros.push_back(arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type))));
    scf::YieldOp::create(b, loc, zeros);
    llvm::append_range(carried, branch.getResults());
  }
  SmallVector<Value> sums = makeReduction(
      b, loc, innerBegin, innerEnd, tile.depth, carried, [&](OpBuilder &, Index first, ValueRange values) {
        // The chunk before has been multiplied by all.
        waitForBlock(b, loc);
        store(left, values.slice(numSums, numLeft));
        store(right, values.drop_front(numSums + numLeft));
        publish();
        waitForBlock(b, loc);
        SmallVector<Value> brought = bring(chunkAfter(first));
        SmallVector<Value> next = multiply(left, right, thread, values.take_front(numSums));
        llvm::append_range(next, brought);
        return next;
      });
  sums.resize(numSums);
  return sums;
}

/// The tile that begins where its factors do.
void BlockContract::emitTile(Factor left, Factor right, int64_t stages, Value thread) {
  share(left, thread, /*isCopied=*/stages > 1);
  share(right, thread, /*isCopied=*/stages > 1);
  SmallVector<Value> sums =
      stages > 1 ? multiplyCopies(left, right, stages, thread) : multiplyLoads(left, right, thread);
  finish(left, right, thread, sums);
}

void BlockContract::finishElement(Index row, ArrayRef<Index> at, Index column, Value sum) {
  OpBuilder::InsertionGuard guard(b);
  Value isThere;
  auto require = [&](Index x, Index size, int64_t extent) {
    if (known(size) && *known(size) % extent == 0)
      return;
    Value isBelowSize = isBelow(x, size);
    isThere = isThere ? Value(arith::AndIOp::create(b, loc, isThere, isBelowSize)) : isBelowSize;
  };
  require(row, rows, tile.rows);
  require(column, columns, tile.columns);
  if (isThere)
    b.setInsertionPointToStart(&scf::IfOp::create(b, loc, isThere, /*withElseRegion=*/false).getThenRegion().front());
  if (partial)
    return Lanes().store(b, loc, sum, partial, partialAt(part, row, column));
  storeElement(at, column, sum);
}

void BlockContract::storeElement(ArrayRef<Index> at, Index column, Value sum) {
  SmallVector<Value> results = epilogue(at, column, Lanes(), sum);
  for (auto [i, result] : llvm::enumerate(results))
    Lanes().store(b, loc, result, outs[i].flat, outElement(i, at, column));
}

Index BlockContract::partialAt(Index ofPart, Index row, Index column) {
  Index matrix = math.add(math.mul(ofPart, batches), batch);
  return math.add(math.mul(math.add(math.mul(matrix, rows), row), columns), column);
}

/// Memory for the sums of all parts.
void BlockContract::allocateParts() {
  Index count = product(math, {math.constant(splits), batches, rows, columns});
  std::optional<int64_t> isKnown = known(count);
  auto type = MemRefType::get({isKnown.value_or(ShapedType::kDynamic)}, element(), MemRefLayoutAttrInterface(),
                              cast<MemRefType>(op.getOuts()[0].getType()).getMemorySpace());
  Value memory = memref::AllocOp::create(b, loc, type, isKnown ? ValueRange() : ValueRange(math.value(count)));
  partial = flatten(b, loc, memory).flat;
}

/// A launch that adds the sums of all parts of each element, the first one first, and has the epilogue.
void BlockContract::addParts() {
  const Value parts = std::exchange(partial, Value());
  forEachPoint(b, loc, product(math, {batches, rows, columns}), static_cast<double>(splits), [&](Index number) {
    SmallVector<Index> at = mlc::indicesOf(b, loc, {batches, rows, columns}, number);
    batch = at[0];
    withBatch(batch, [&] {
      Value sum;
      for (int64_t i = 0; i < splits; ++i) {
        Value more = Lanes().load(b, loc, parts, partialAt(math.constant(i), at[1], at[2]));
        sum = sum ? Value(arith::AddFOp::create(b, loc, sum, more)) : more;
      }
      storeElement(ContractLoops::indicesOf(rowLoops, at[1]), at[2], sum);
    });
  });
}

void BlockContract::emit() {
  Factor left = makeFactor(0), right = makeFactor(1);
  Index height = math.constant(tile.rows), width = math.constant(tile.columns), depth = math.constant(tile.depth);
  partLength = inner;
  if (splits > 1) {
    partLength = math.mul(math.ceilDiv(math.ceilDiv(inner, depth), math.constant(splits)), depth);
    allocateParts();
  }
  SmallVector<Index> sizes = {math.constant(splits), batches, math.ceilDiv(rows, height), math.ceilDiv(columns, width)};
  const double cost = kFmaCost * tile.rows * tile.columns * known(partLength).value_or(128) / kThreads;
  const int64_t stages = stagesOf(left, right);
  forEachTask(
      b, loc, product(math, sizes), kThreads, cost,
      [&](Index number, Value thread) {
        SmallVector<Index> at = mlc::indicesOf(b, loc, sizes, number);
        part = at[0];
        batch = at[1];
        left.begin = math.mul(at[2], height);
        right.begin = math.mul(at[3], width);
        innerBegin = math.constant(0);
        innerEnd = inner;
        if (splits > 1) {
          innerBegin = math.mul(part, partLength);
          innerEnd = math.min(math.add(innerBegin, partLength), inner);
        }
        withBatch(batch, [&] { emitWays([&] { emitTile(left, right, stages, thread); }); });
      },
      [&] {
        auto type = MemRefType::get({stages * chunkSize(left, right)}, sharedType(), MemRefLayoutAttrInterface(),
                                    b.getI64IntegerAttr(kSharedSpace));
        left.shared = right.shared = memref::AllocaOp::create(b, loc, type, b.getI64IntegerAttr(sharedAlignment()));
      });
  if (splits > 1)
    addParts();
}
