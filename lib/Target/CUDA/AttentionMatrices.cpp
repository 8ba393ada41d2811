// Tiles of attention's scores by tensor cores: tiles through shared memory, factors in registers, products.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AttentionMatrices.h"
#include "lib/Conversion/DfToLinalg/ArithEmitter.h"
#include "mlc/Support/MathExpansion.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::cuda;

/// Lines of a tile of halves that goes through shared memory, and bytes of one, of keys and of values, above which
/// there are half as many, as there are of scores with a mask in memory.
static constexpr int64_t kTileLines = 64, kMostLineBytes = 256;

/// Numbers of tf32 of a key and a value together up to which a tile is read ahead where scores have a mask in memory.
static constexpr int64_t kMostEarlyNumbers = 192;

/// What tensor cores gain over FMAs, at least.
static constexpr double kMatrixGain = 8;

/// Threads that have a row of a product.
static constexpr int64_t kRowThreads = 4;

void AttentionMatrices::launch(Index numLines, double cost, llvm::function_ref<void()> enter,
                               llvm::function_ref<void(Index)> body) {
  launchBlocks(
      numLines, kBlockLines, cost,
      [&](Value number, Index first) {
        thread = number;
        lane = math.value(remainder(thread, kWarp));
        ownRow = math.add(math.mul(quotient(thread, kWarp), math.constant(kMatrixRows)), quotient(lane, kRowThreads));
        ownColumn = math.mul(remainder(lane, kRowThreads), math.constant(2));
        body(first);
      },
      enter);
}

double AttentionMatrices::costOf(Index others, int64_t numbers) {
  return kAttentionProductCost / kMatrixGain *
         static_cast<double>(kBlockLines * known(others).value_or(kUsualRows) * numbers) / kThreads;
}

int64_t AttentionMatrices::linesOfTiles(bool isGradient) const {
  // Numbers of tf32 are twice as many words. For gradients there are twice as many products, and sums of both together
  // are most of the registers where lines are long: there what says which scores count has no room beside 32 lines.
  const int64_t lines = fragments.isWide() ? kTileLines / 2 : kTileLines;
  const int64_t bytes = (columnsOf(depth) + columnsOf(width)) * fragments.elementBytes();
  const bool isHalved = isGradient || bytes > kMostLineBytes || mask.flat;
  const bool hasLongest = isGradient && !fragments.isWide() && bytes > kMostLineBytes * 3 / 2;
  if (hasLongest && (mask.flat || !known(numQueries) || !known(numKeys)))
    return lines / 4;
  return isHalved ? lines / 2 : lines;
}

//===-- shared memory ---------------------------------------------------------------===//

/// Pieces of a row are in an order of their own, for which their number is a power of 2.
AttentionMatrices::Tile AttentionMatrices::allocateTile(int64_t lines, int64_t numbers) {
  const auto row = static_cast<int64_t>(llvm::PowerOf2Ceil(static_cast<uint64_t>(columnsOf(numbers))));
  return {{allocate(lines * row, fragments.element), row, /*isAlongInner=*/true}, lines, numbers, {}};
}

/// How many vectors of neighbours a thread brings of a tile: lines have numbers up to the next matrix of 16.
static int64_t piecesOf(const AttentionMatrices::Tile &tile) {
  return llvm::divideCeil(tile.lines * AttentionMatrices::columnsOf(tile.numbers) / tile.from.width, kThreads);
}

/// Calls `each` with the place of what the thread brings of a tile. Threads that bring nothing get one, too, and that
/// it is not there.
void AttentionMatrices::forEachPiece(const Tile &tile, llvm::function_ref<void(Index, Index, Value)> each) {
  const int64_t perLine = columnsOf(tile.numbers) / tile.from.width, all = tile.lines * perLine;
  for (int64_t i = 0; i < piecesOf(tile); ++i) {
    Index number = math.add(thread, math.constant(i * kThreads));
    Value isThere = (i + 1) * kThreads <= all ? Value() : isBelow(number, math.constant(all));
    if (isThere)
      number = Value(arith::SelectOp::create(b, loc, isThere, math.value(number), math.value(math.constant(0))));
    Value value = math.value(number);
    each(quotient(value, perLine), math.mul(remainder(value, perLine), math.constant(tile.from.width)), isThere);
  }
}

/// What the thread brings of the tiles that begin at `first`. Where all of `size` lines are in whole tiles there is no
/// other tile to read: nobody multiplies one that would begin later, and the last one is read in its place.
SmallVector<Value> AttentionMatrices::fetch(ArrayRef<const Tile *> tiles, Index first, Index size) {
  const int64_t lines = tiles.front()->lines;
  if (known(size) && *known(size) % lines == 0)
    first = math.min(first, math.constant(*known(size) - lines));
  SmallVector<Value> elements;
  for (const Tile *tile : tiles)
    forEachPiece(*tile, [&](Index line, Index number, Value) {
      elements.push_back(loadNeighbours(tile->from, math.add(first, line), number, lines, columnsOf(tile->numbers)));
    });
  return elements;
}

void AttentionMatrices::put(ArrayRef<const Tile *> tiles, ValueRange elements) {
  for (const Tile *tile : tiles)
    forEachPiece(*tile, [&](Index line, Index number, Value isThere) {
      OpBuilder::InsertionGuard guard(b);
      if (isThere)
        b.setInsertionPointToStart(
            &scf::IfOp::create(b, loc, isThere, /*withElseRegion=*/false).getThenRegion().front());
      Value at = math.value(fragments.elementAt(tile->shared, line, number));
      vector::StoreOp::create(b, loc, elements.front(), tile->shared.memory, ValueRange(at), /*nontemporal=*/false,
                              llvm::MaybeAlign(tile->from.width * fragments.elementBytes()));
      elements = elements.drop_front();
    });
}

/// A number of at most 31 bits that LLVM takes for another one each time. Where tiles lie in shared memory, and what a
/// thread brings of them, is the same for each: LLVM would keep all these addresses, up to 60, in registers.
Value AttentionMatrices::hidden(Value number) {
  Value bits = arith::IndexCastUIOp::create(b, loc, b.getI32Type(), number);
  auto copy = LLVM::InlineAsmOp::create(
      b, loc, b.getI32Type(), bits, "mov.b32 $0, $1;", "=r,r", /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None, LLVM::AsmDialectAttr::get(b.getContext(), LLVM::AsmDialect::AD_ATT), ArrayAttr());
  return arith::IndexCastUIOp::create(b, loc, number.getType(), copy.getRes());
}

SmallVector<Value> AttentionMatrices::forEachTile(ArrayRef<const Tile *> tiles, Index begin, Index end, Index size,
                                                  ValueRange init,
                                                  llvm::function_ref<SmallVector<Value>(Index, ValueRange)> body) {
  SmallVector<Value> carried(init);
  if (known(size)) {
    llvm::append_range(carried, fetch(tiles, begin, size));
  } else {
    // Of no lines there are none to read.
    SmallVector<Type> types;
    for (const Tile *tile : tiles)
      types.append(piecesOf(*tile), VectorType::get({tile->from.width}, tile->from.element));
    auto branch = scf::IfOp::create(b, loc, types, isBelow(math.constant(0), size), /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&branch.getThenRegion().front());
    scf::YieldOp::create(b, loc, fetch(tiles, begin, size));
    b.setInsertionPointToStart(&branch.getElseRegion().front());
    SmallVector<Value> none;
    for (Type type : types)
      none.push_back(arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type))));
    scf::YieldOp::create(b, loc, none);
    llvm::append_range(carried, branch.getResults());
  }
  const int64_t lines = tiles.front()->lines;
  const size_t count = init.size();
  SmallVector<Value> last =
      makeReduction(b, loc, begin, end, lines, carried, [&](OpBuilder &, Index first, ValueRange now) {
        const Value outerThread = std::exchange(thread, hidden(thread)), outerLane = lane;
        lane = math.value(remainder(thread, kWarp));
        // The tile before has been multiplied by all.
        NVVM::Barrier0Op::create(b, loc)->setAttr(kOwnOrderAttr, b.getUnitAttr());
        put(tiles, now.drop_front(count));
        waitForBlock(b, loc);
        // The next tile is on its way while this one is multiplied, where there are registers for it.
        const bool isEarly = !fragments.isWide() || !mask.flat || depth + width <= kMostEarlyNumbers;
        auto bring = [&] { return fetch(tiles, math.add(first, math.constant(lines)), size); };
        SmallVector<Value> fetched = isEarly ? bring() : SmallVector<Value>();
        SmallVector<Value> next = body(first, now.take_front(count));
        llvm::append_range(next, isEarly ? fetched : bring());
        thread = outerThread;
        lane = outerLane;
        return next;
      });
  last.truncate(count);
  return last;
}

//===-- factors ---------------------------------------------------------------------===//

AttentionMatrices::Rows AttentionMatrices::rowsOf(const AttentionMatrix &from, Index first, int64_t numbers) {
  // A word has neighbours, where there may be only one: what a thread reads at once is a word or an element.
  AttentionMatrix narrow = from;
  const int64_t perWord = fragments.isWide() ? 1 : 2, step = 2 * fragments.perPiece();
  narrow.width = std::min(from.width, perWord);
  Rows rows;
  for (int64_t number = 0; number < numbers; number += step) {
    SmallVector<Value> &words = rows.emplace_back();
    for (int64_t i = 0; i < 4; ++i) {
      Index line = math.add(math.add(first, ownRow), math.constant(i % 2 * kMatrix));
      Index own = math.mul(remainder(lane, kRowThreads), math.constant(perWord));
      own = math.add(own, math.constant(number + i / 2 * fragments.perPiece()));
      SmallVector<Value> elements;
      for (int64_t j = 0; j < perWord; j += narrow.width) {
        // Steps before the last one have all of their numbers.
        const int64_t most = number + step <= numbers ? numbers : paddedTo(numbers, step);
        Value part = loadNeighbours(narrow, line, math.add(own, math.constant(j)), kBlockLines, most);
        for (int64_t k = 0; k < narrow.width; ++k)
          elements.push_back(vector::ExtractOp::create(b, loc, part, k));
      }
      Value word = elements[0];
      if (perWord > 1)
        word = vector::FromElementsOp::create(b, loc, VectorType::get({perWord}, fragments.element), elements);
      words.push_back(LLVM::BitcastOp::create(b, loc, b.getI32Type(), word));
    }
  }
  return rows;
}

/// The nearest number of tf32, ties to even. What is not finite stays.
Value AttentionMatrices::roundedToTf32(Value x) {
  ArithEmitter<false> e{b, loc};
  constexpr int64_t kExponent = 0x7f800000, kDropped = 13, kRest = (1 << kDropped) - 1;
  Value bits = e.bits(x), last = e.andi(e.shrui(bits, e.constantInt(kDropped)), e.constantInt(1));
  Value rounded = e.andi(e.addi(e.addi(bits, e.constantInt(kRest >> 1)), last), e.constantInt(~kRest));
  Value isSpecial = e.eqi(e.andi(bits, e.constantInt(kExponent)), e.constantInt(kExponent));
  return e.selecti(isSpecial, bits, rounded);
}

/// Two neighbours as a word of halves.
Value AttentionMatrices::rounded(Value low, Value high) {
  auto pair = vector::FromElementsOp::create(b, loc, VectorType::get({2}, b.getF32Type()), ValueRange{low, high});
  Value halves = arith::TruncFOp::create(b, loc, VectorType::get({2}, fragments.element), pair);
  return LLVM::BitcastOp::create(b, loc, b.getI32Type(), halves);
}

//===-- products --------------------------------------------------------------------===//

SmallVector<Value> AttentionMatrices::products(const Rows &rows, const Tile &tile) {
  SmallVector<Value> sums = zeros(sumsOf(tile.lines));
  for (auto [step, row] : llvm::enumerate(rows))
    for (int64_t line = 0; line < tile.lines; line += 2 * kMatrixColumns) {
      SmallVector<Value> words =
          fragments.load(tile.shared, lane, math.constant(line), static_cast<int64_t>(step) * 2 * fragments.perPiece(),
                         /*linesFirst=*/false, 4);
      for (int64_t k = 0; k < 2; ++k)
        fragments.multiply(row, ArrayRef(words).slice(2 * k, 2),
                           MutableArrayRef(sums).slice(sumsOf(line + k * kMatrixColumns), 4));
    }
  return sums;
}

void AttentionMatrices::addProducts(ArrayRef<Value> scores, const Tile &tile, MutableArrayRef<Value> sums,
                                    int64_t firstNumber) {
  const int64_t step = 2 * fragments.perPiece();
  SharedMatrix across = tile.shared;
  across.isAlongInner = false;
  for (int64_t line = 0; line < tile.lines; line += step) {
    // Sums of eight columns each are factors over as many lines. Of tf32 a thread has two neighbours, and as a factor
    // would need those of columns 4 apart: the lines of a matrix are taken in the order that it has.
    SmallVector<Value> row;
    auto own = [&](int64_t columns) { return scores.slice(sumsOf(line + columns), 4); };
    if (fragments.isWide()) {
      for (int64_t i : {0, 2, 1, 3})
        row.push_back(roundedToTf32(own(0)[i]));
    } else {
      for (int64_t columns : {0, 8})
        for (int64_t i : {0, 2})
          row.push_back(rounded(own(columns)[i], own(columns)[i + 1]));
    }
    MutableArrayRef<Value> left = sums;
    for (int64_t column = firstNumber; !left.empty(); column += 2 * kMatrixColumns) {
      SmallVector<Value> words;
      if (fragments.isWide()) {
        for (int64_t i = 0; i < 4; ++i) {
          Index own = math.mul(remainder(lane, kRowThreads), math.constant(2));
          Value at =
              math.value(fragments.elementAt(tile.shared, math.add(own, math.constant(i % 2)),
                                             quotient(lane, kRowThreads), {line, column + i / 2 * kMatrixColumns}));
          Value loaded = memref::LoadOp::create(b, loc, tile.shared.memory, ValueRange(at));
          words.push_back(LLVM::BitcastOp::create(b, loc, b.getI32Type(), loaded));
        }
      } else {
        words = fragments.load(across, lane, math.constant(column), line, /*linesFirst=*/false, 4);
      }
      for (int64_t k = 0; k < 2; ++k)
        fragments.multiply(row, ArrayRef(words).slice(2 * k, 2), left.slice(sumsOf(k * kMatrixColumns), 4));
      left = left.drop_front(sumsOf(2 * kMatrixColumns));
    }
  }
}

//===-- rows ------------------------------------------------------------------------===//

Value AttentionMatrices::isFirstOfRow() {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, math.value(ownColumn), math.value(math.constant(0)));
}

Value AttentionMatrices::expOfShare(Value x) {
  ArithEmitter<false> e{b, loc};
  auto reduced = reduceExp(e, arith::MaximumFOp::create(b, loc, x, e.constant(-88)));
  return e.mul(e.add(expm1Polynomial(e, reduced.r), e.constant(1.0)), powerOfTwo(e, reduced.shifted, 0));
}

void AttentionMatrices::store(const AttentionMatrix &out, Index first, ValueRange sums,
                              llvm::function_ref<Value(Value, int64_t)> element, int64_t firstNumber) {
  const int64_t numbers = *known(out.columns), together = std::min<int64_t>(2, out.width);
  for (int64_t half = 0; half < 2; ++half) {
    Index line = rowAt(first, 2 * half), begin = math.add(out.base, math.mul(line, out.rowStride));
    OpBuilder::InsertionGuard guard(b);
    auto onlyIf = [&](Value isThere) {
      if (isThere)
        b.setInsertionPointToStart(
            &scf::IfOp::create(b, loc, isThere, /*withElseRegion=*/false).getThenRegion().front());
    };
    onlyIf(isInside(line, out.rows, kBlockLines));
    for (int64_t at = 2 * half; at < static_cast<int64_t>(sums.size()); at += 4)
      for (int64_t i = 0; i < 2; i += together) {
        OpBuilder::InsertionGuard inner(b);
        Index column = columnAt(math.constant(firstNumber), at + i);
        SmallVector<Value> elements;
        for (int64_t j = 0; j < together; ++j)
          elements.push_back(element(sums[at + i + j], half));
        if (firstNumber + at / 4 * kMatrixColumns + kMatrixColumns > numbers)
          onlyIf(isBelow(column, out.columns));
        auto pair = vector::FromElementsOp::create(b, loc, VectorType::get({together}, b.getF32Type()), elements);
        Value place = math.value(math.add(begin, math.mul(column, out.columnStride)));
        vector::StoreOp::create(b, loc, pair, out.flat, ValueRange(place), /*nontemporal=*/false,
                                llvm::MaybeAlign(4 * together));
      }
  }
}
