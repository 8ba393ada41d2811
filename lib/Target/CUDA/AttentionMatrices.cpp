// Tiles of attention's scores by tensor cores: tiles through shared memory, factors in registers, products.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AttentionMatrices.h"
#include "lib/Conversion/DfToLinalg/ArithEmitter.h"
#include "mlc/Support/MathExpansion.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::cuda;

/// Words between rows that are loaded word by word: a thread reads two neighbouring rows, and four threads the next
/// ones, so that no bank is met twice. Stores of rows that do not fill all banks meet some.
static constexpr int64_t kPadding = 4;

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

//===-- shared memory ---------------------------------------------------------------===//

/// Elements between the rows of a tile. Pieces of a row are in an order of their own, for which their number is a power
/// of 2, but where rows are loaded word by word.
static int64_t rowOf(const MatrixFragments &fragments, int64_t numbers, bool along) {
  if (fragments.isLoadedByWords(along))
    return AttentionMatrices::columnsOf(numbers) + kPadding;
  return static_cast<int64_t>(llvm::PowerOf2Ceil(static_cast<uint64_t>(AttentionMatrices::columnsOf(numbers))));
}

AttentionMatrices::Tile AttentionMatrices::allocateTile(int64_t lines, int64_t numbers, bool along) {
  const int64_t row = rowOf(fragments, numbers, along);
  return {{allocate(lines * row, fragments.element), row, along}, lines, numbers};
}

/// Calls `each` with the lines and numbers of a tile where the thread brings `width` neighbours each. Lines of a tile
/// have numbers up to the next matrix of 16.
static void forEachPiece(AttentionMatrices &of, Value thread, const AttentionMatrices::Tile &tile, int64_t width,
                         llvm::function_ref<void(Index, Index, Value)> each) {
  IndexMath &math = of.math;
  const int64_t perLine = AttentionMatrices::columnsOf(tile.numbers) / width, all = tile.lines * perLine;
  for (int64_t i = 0; i < all; i += kThreads) {
    Value number = math.value(math.add(thread, math.constant(i)));
    Value isThere = i + kThreads <= all ? Value() : of.isBelow(Index(number), math.constant(all));
    each(of.quotient(number, perLine), math.mul(of.remainder(number, perLine), math.constant(width)), isThere);
  }
}

int64_t AttentionMatrices::piecesOf(const Tile &tile, const AttentionMatrix &from) {
  return (tile.lines * columnsOf(tile.numbers) / from.width + kThreads - 1) / kThreads;
}

SmallVector<Value> AttentionMatrices::fetch(const Tile &tile, const AttentionMatrix &from, Index first) {
  SmallVector<Value> elements;
  forEachPiece(*this, thread, tile, from.width, [&](Index line, Index number, Value isThere) {
    // Threads that bring nothing read what the first one does.
    if (isThere)
      line = Value(arith::SelectOp::create(b, loc, isThere, math.value(line), math.value(math.constant(0))));
    elements.push_back(loadNeighbours(from, math.add(first, line), number, tile.lines, columnsOf(tile.numbers)));
  });
  return elements;
}

void AttentionMatrices::put(const Tile &tile, const AttentionMatrix &from, ValueRange elements) {
  size_t count = 0;
  forEachPiece(*this, thread, tile, from.width, [&](Index line, Index number, Value isThere) {
    OpBuilder::InsertionGuard guard(b);
    if (isThere)
      b.setInsertionPointToStart(&scf::IfOp::create(b, loc, isThere, /*withElseRegion=*/false).getThenRegion().front());
    // Of products over a tile's lines these are the inner dimension.
    const bool along = tile.shared.isAlongInner;
    Value at = math.value(fragments.elementAt(tile.shared, along ? line : number, along ? number : line));
    vector::StoreOp::create(b, loc, elements[count++], tile.shared.memory, ValueRange(at), /*nontemporal=*/false,
                            llvm::MaybeAlign(from.width * fragments.elementBytes()));
  });
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
        Value part =
            loadNeighbours(narrow, line, math.add(own, math.constant(j)), kBlockLines, paddedTo(numbers, step));
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

/// The nearest number of tf32 of a finite one, ties to even.
Value AttentionMatrices::roundedToTf32(Value x) {
  auto number = [&](int32_t value) { return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value)); };
  constexpr int32_t kDropped = 13, kRest = (1 << kDropped) - 1;
  Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), x);
  Value last = arith::AndIOp::create(b, loc, arith::ShRUIOp::create(b, loc, bits, number(kDropped)), number(1));
  Value sum = arith::AddIOp::create(b, loc, arith::AddIOp::create(b, loc, bits, number(kRest >> 1)), last);
  return arith::AndIOp::create(b, loc, sum, number(~kRest));
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

void AttentionMatrices::addProducts(ArrayRef<Value> scores, const Tile &tile, MutableArrayRef<Value> sums) {
  const int64_t step = 2 * fragments.perPiece();
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
    for (int64_t column = 0; column < columnsOf(tile.numbers); column += 2 * kMatrixColumns) {
      SmallVector<Value> words;
      if (fragments.isWide()) {
        for (int64_t i = 0; i < 4; ++i) {
          Index number = math.add(ownColumn, math.constant(line + i % 2));
          Index along = math.add(quotient(lane, kRowThreads), math.constant(column + i / 2 * kMatrixColumns));
          Value at = math.value(fragments.elementAt(tile.shared, along, number));
          Value loaded = memref::LoadOp::create(b, loc, tile.shared.memory, ValueRange(at));
          words.push_back(LLVM::BitcastOp::create(b, loc, b.getI32Type(), loaded));
        }
      } else {
        words = fragments.load(tile.shared, lane, math.constant(column), line, /*linesFirst=*/false, 4);
      }
      for (int64_t k = 0; k < 2; ++k)
        fragments.multiply(row, ArrayRef(words).slice(2 * k, 2), sums.slice(sumsOf(column + k * kMatrixColumns), 4));
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
                              llvm::function_ref<Value(Value, int64_t)> element) {
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
        Index column = columnAt(math.constant(0), at + i);
        SmallVector<Value> elements;
        for (int64_t j = 0; j < together; ++j)
          elements.push_back(element(sums[at + i + j], half));
        if (at / 4 * kMatrixColumns + kMatrixColumns > numbers)
          onlyIf(isBelow(column, out.columns));
        auto pair = vector::FromElementsOp::create(b, loc, VectorType::get({together}, b.getF32Type()), elements);
        Value place = math.value(math.add(begin, math.mul(column, out.columnStride)));
        vector::StoreOp::create(b, loc, pair, out.flat, ValueRange(place), /*nontemporal=*/false,
                                llvm::MaybeAlign(4 * together));
      }
  }
}
