// Tiles of attention's scores: chunks through shared memory, products.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AttentionTiles.h"
#include "lib/Conversion/DfToLinalg/ArithEmitter.h"
#include "mlc/Support/MathExpansion.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::cuda;

/// Numbers of all lines, or lines of all numbers, that are in shared memory at a time.
static constexpr int64_t kChunk = 16;

/// Elements between lines there, so that few banks are met twice.
static constexpr int64_t kPadding = 4, kLine = kScores + kPadding;

/// Neighbours that an access moves at most: 16 bytes.
static constexpr int64_t kNeighbours = 4;

static_assert(kScoresGrid * kScoresGrid == kThreads && kScoresGrid * kScoresOfThread == kScores);

Value AttentionTiles::exp(Value x) {
  ArithEmitter<false> e{b, loc};
  return expandExp(e, x);
}

void AttentionTiles::launch(Index numLines, double cost, llvm::function_ref<void(Index)> body) {
  launchBlocks(
      numLines, kScores, cost,
      [&](Value number, Index first) {
        thread = number;
        row = math.value(quotient(thread, kScoresGrid));
        column = math.value(remainder(thread, kScoresGrid));
        body(first);
      },
      [&] {
        Type f32 = b.getF32Type();
        left = allocate(kChunk * kLine, f32);
        right = allocate(kChunk * kLine, f32);
        tile = allocate(kScores * kLine, f32);
        lines = allocate(kChunk * (kScoresGrid * std::max(sumsOf(depth), sumsOf(width)) + kPadding), f32);
      });
}

//===-- shared memory ---------------------------------------------------------------===//

/// Neighbours of a line from `number` on, of `numbers` that all lines have, with zeros where there are none.
SmallVector<Value> AttentionTiles::read(const AttentionMatrix &from, Index line, Index number, int64_t numbers) {
  Value vector = loadNeighbours(from, line, number, kScores, numbers);
  SmallVector<Value> elements;
  for (int64_t i = 0; i < from.width; ++i)
    elements.push_back(vector::ExtractOp::create(b, loc, vector, i));
  return elements;
}

/// A chunk of 64 lines, of which those of one number become neighbours.
void AttentionTiles::bringAcross(const AttentionMatrix &from, Index first, Index number, Value to) {
  const int64_t perLine = kChunk / from.width, step = kThreads / perLine;
  Index along = math.mul(remainder(thread, perLine), math.constant(from.width)), line = quotient(thread, perLine);
  for (int64_t i = 0; i < kScores; i += step) {
    Index own = math.add(line, math.constant(i));
    SmallVector<Value> elements = read(from, math.add(first, own), math.add(number, along), kChunk);
    for (auto [j, element] : llvm::enumerate(elements)) {
      Index at = math.add(math.mul(math.add(along, math.constant(static_cast<int64_t>(j))), math.constant(kLine)), own);
      memref::StoreOp::create(b, loc, element, to, ValueRange(math.value(at)));
    }
  }
}

/// 16 lines as they lie, with zeros after their numbers.
void AttentionTiles::bringLines(const AttentionMatrix &from, Index first, int64_t numbers, Value to) {
  const int64_t all = kScoresGrid * sumsOf(numbers), perLine = all / from.width;
  for (int64_t i = 0; i < kChunk * perLine; i += kThreads) {
    Value number = math.value(math.add(thread, math.constant(i)));
    Index line = quotient(number, perLine), along = math.mul(remainder(number, perLine), math.constant(from.width));
    auto bring = [&] {
      SmallVector<Value> elements = read(from, math.add(first, line), along, all);
      Index at = math.add(math.mul(line, math.constant(all + kPadding)), along);
      for (auto [j, element] : llvm::enumerate(elements)) {
        Index each = math.add(at, math.constant(static_cast<int64_t>(j)));
        memref::StoreOp::create(b, loc, element, to, ValueRange(math.value(each)));
      }
    };
    if (i + kThreads <= kChunk * perLine) {
      bring();
      continue;
    }
    auto guarded = scf::IfOp::create(b, loc, isBelow(Index(number), math.constant(kChunk * perLine)), false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&guarded.getThenRegion().front());
    bring();
  }
}

SmallVector<Value> AttentionTiles::neighbours(Value shared, Index at, int64_t count) {
  SmallVector<Value> elements;
  for (int64_t first = 0; first < count; first += kNeighbours) {
    const int64_t width = std::min(count - first, kNeighbours);
    Value index = math.value(math.add(at, math.constant(first)));
    auto vector = vector::LoadOp::create(b, loc, VectorType::get({width}, b.getF32Type()), shared, ValueRange(index),
                                         /*nontemporal=*/false, llvm::MaybeAlign(width * 4));
    for (int64_t i = 0; i < width; ++i)
      elements.push_back(vector::ExtractOp::create(b, loc, vector, i));
  }
  return elements;
}

//===-- products --------------------------------------------------------------------===//

SmallVector<Value> AttentionTiles::products(const AttentionMatrix &lhs, Index firstLeft, const AttentionMatrix &rhs,
                                            Index firstRight, int64_t numbers) {
  constexpr int64_t kSums = kScoresOfThread * kScoresOfThread;
  return makeReduction(b, loc, math.constant(0), math.constant(numbers), kChunk, zeros(kSums),
                       [&](OpBuilder &, Index number, ValueRange carried) {
                         SmallVector<Value> sums(carried);
                         NVVM::Barrier0Op::create(b, loc)->setAttr(kOwnOrderAttr, b.getUnitAttr());
                         bringAcross(lhs, firstLeft, number, left);
                         bringAcross(rhs, firstRight, number, right);
                         waitForBlock(b, loc);
                         for (int64_t k = 0; k < kChunk; ++k) {
                           auto of = [&](Value shared, Value place) {
                             Index at =
                                 math.add(math.constant(k * kLine), math.mul(place, math.constant(kScoresOfThread)));
                             return neighbours(shared, at, kScoresOfThread);
                           };
                           SmallVector<Value> xs = of(left, row), ys = of(right, column);
                           for (auto [i, x] : llvm::enumerate(xs))
                             for (auto [j, y] : llvm::enumerate(ys)) {
                               Value &sum = sums[i * kScoresOfThread + j];
                               sum = math::FmaOp::create(b, loc, x, y, sum);
                             }
                         }
                         return sums;
                       });
}

void AttentionTiles::share(ArrayRef<Value> scores) {
  for (int64_t j = 0; j < kScoresOfThread; ++j) {
    Index line = math.add(math.mul(column, math.constant(kScoresOfThread)), math.constant(j));
    Index at = math.add(math.mul(line, math.constant(kLine)), math.mul(row, math.constant(kScoresOfThread)));
    SmallVector<Value> elements;
    for (int64_t i = 0; i < kScoresOfThread; ++i)
      elements.push_back(scores[i * kScoresOfThread + j]);
    Value vector = vector::FromElementsOp::create(b, loc, VectorType::get({kScoresOfThread}, b.getF32Type()), elements);
    vector::StoreOp::create(b, loc, vector, tile, ValueRange(math.value(at)), /*nontemporal=*/false,
                            llvm::MaybeAlign(kScoresOfThread * 4));
  }
}

int64_t AttentionTiles::sumsOf(int64_t numbers) {
  int64_t count = 1;
  while (count * kScoresGrid < numbers)
    count *= 2;
  return count;
}

Index AttentionTiles::columnOf(int64_t numbers, int64_t j) {
  const int64_t together = std::min(sumsOf(numbers), kNeighbours);
  return math.add(math.mul(column, math.constant(together)),
                  math.constant(j / together * together * kScoresGrid + j % together));
}

SmallVector<Value> AttentionTiles::addProducts(const AttentionMatrix &from, Index first, int64_t numbers,
                                               ValueRange before) {
  const int64_t count = sumsOf(numbers), together = std::min(count, kNeighbours);
  const int64_t stride = count * kScoresGrid + kPadding;
  return makeReduction(
      b, loc, math.constant(0), math.constant(kScores), kChunk, before,
      [&](OpBuilder &, Index chunk, ValueRange carried) {
        SmallVector<Value> sums(carried);
        waitForBlock(b, loc);
        bringLines(from, math.add(first, chunk), numbers, lines);
        waitForBlock(b, loc);
        for (int64_t k = 0; k < kChunk; ++k) {
          Index line = math.add(chunk, math.constant(k));
          Index at = math.add(math.mul(line, math.constant(kLine)), math.mul(row, math.constant(kScoresOfThread)));
          SmallVector<Value> xs = neighbours(tile, at, kScoresOfThread), ys;
          for (int64_t j = 0; j < count; j += together)
            llvm::append_range(ys,
                               neighbours(lines, math.add(math.constant(k * stride), columnOf(numbers, j)), together));
          for (auto [i, x] : llvm::enumerate(xs))
            for (auto [j, y] : llvm::enumerate(ys)) {
              Value &sum = sums[i * count + j];
              sum = math::FmaOp::create(b, loc, x, y, sum);
            }
        }
        return sums;
      });
}

void AttentionTiles::store(const AttentionMatrix &out, Index first, int64_t numbers, ValueRange sums,
                           llvm::function_ref<Value(Value, int64_t)> element) {
  const int64_t count = sumsOf(numbers);
  for (int64_t i = 0; i < kScoresOfThread; ++i) {
    Index line = lineOf(first, row, i), begin = math.add(out.base, math.mul(line, out.rowStride));
    auto isLine = scf::IfOp::create(b, loc, isBelow(line, out.rows), /*withElseRegion=*/false);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&isLine.getThenRegion().front());
    for (int64_t j = 0; j < count; ++j) {
      Index at = columnOf(numbers, j);
      Value x = element(sums[i * count + j], i);
      OpBuilder::InsertionGuard inner(b);
      if (numbers != count * kScoresGrid) {
        auto isColumn = scf::IfOp::create(b, loc, isBelow(at, math.constant(numbers)), /*withElseRegion=*/false);
        b.setInsertionPointToStart(&isColumn.getThenRegion().front());
      }
      Lanes().store(b, loc, x, out.flat, math.add(begin, math.mul(at, out.columnStride)));
    }
  }
}
