// Tiles of attention's scores: chunks through shared memory, products, masks.
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

/// The score of what a mask hides, as df.attention has it.
static constexpr float kHidden = -1e9F;

static_assert(kScoresGrid * kScoresGrid == kThreads && kScoresGrid * kScoresOfThread == kScores);

Value AttentionTiles::constant(float x) { return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(x)); }

Value AttentionTiles::isBelow(Index x, Index size) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, math.value(x), math.value(size));
}

Value AttentionTiles::both(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return arith::AndIOp::create(b, loc, x, y);
}

Index AttentionTiles::quotient(Value x, int64_t y) {
  return Value(arith::DivUIOp::create(b, loc, x, math.value(math.constant(y))));
}

Index AttentionTiles::remainder(Value x, int64_t y) {
  return Value(arith::RemUIOp::create(b, loc, x, math.value(math.constant(y))));
}

Value AttentionTiles::exp(Value x) {
  ArithEmitter<false> e{b, loc};
  return expandExp(e, x);
}

Value AttentionTiles::combineRow(vector::CombiningKind kind, Value x) {
  auto number = [&](int32_t value) { return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value)); };
  for (int32_t distance = kScoresGrid / 2; distance > 0; distance /= 2) {
    Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), x);
    Value other = NVVM::ShflOp::create(b, loc, b.getI32Type(), number(-1), bits, number(distance), number(31),
                                       NVVM::ShflKind::bfly, UnitAttr());
    x = vector::makeArithReduction(b, loc, kind, x, arith::BitcastOp::create(b, loc, x.getType(), other));
  }
  return x;
}

//===-- matrices --------------------------------------------------------------------===//

void AttentionTiles::collect(Value ofQuery, Value ofKey, Value ofValue, Value ofMask, bool isCausal, float factor) {
  queries = flatten(b, loc, ofQuery);
  keys = flatten(b, loc, ofKey);
  values = flatten(b, loc, ofValue);
  if (ofMask)
    mask = flatten(b, loc, ofMask);
  causal = isCausal;
  scale = factor;
  batches = SmallVector<Index>(ArrayRef<Index>(queries.sizes).drop_back(2));
  numQueries = queries.sizes[queries.sizes.size() - 2];
  numKeys = keys.sizes[keys.sizes.size() - 2];
  depth = *known(queries.sizes.back());
  width = *known(values.sizes.back());
}

AttentionMatrix AttentionTiles::matrixOf(const FlatBuffer &buffer) {
  const size_t rank = buffer.sizes.size();
  AttentionMatrix matrix{
      buffer.flat,           buffer.offset, buffer.strides[rank - 2], buffer.strides[rank - 1], buffer.sizes[rank - 2],
      buffer.sizes[rank - 1]};
  // Neighbours are read at once where they begin at multiples of their bytes, and all or none of them are there.
  matrix.width = kNeighbours;
  auto require = [&](Index number) {
    while (matrix.width > 1 && !(known(number) && *known(number) % matrix.width == 0))
      matrix.width /= 2;
  };
  if (known(matrix.columnStride) != 1)
    matrix.width = 1;
  require(matrix.base);
  require(matrix.rowStride);
  require(matrix.columns);
  // Masks may be the same for all positions.
  const size_t missing = position.size() - (rank - 2);
  for (size_t d = 0; d + 2 < rank; ++d) {
    require(buffer.strides[d]);
    matrix.base = math.add(matrix.base, math.mul(position[missing + d], buffer.strides[d]));
  }
  return matrix;
}

Index AttentionTiles::rowsOf(const FlatBuffer &buffer) {
  Index base = buffer.offset;
  for (auto [at, stride] : llvm::zip(position, buffer.strides))
    base = math.add(base, math.mul(at, stride));
  return base;
}

Value AttentionTiles::allocate(int64_t elements) {
  auto type =
      MemRefType::get({elements}, b.getF32Type(), MemRefLayoutAttrInterface(), b.getI64IntegerAttr(kSharedSpace));
  return memref::AllocaOp::create(b, loc, type, b.getI64IntegerAttr(kNeighbours * 4));
}

void AttentionTiles::launch(Index numLines, double cost, llvm::function_ref<void(Index)> body) {
  SmallVector<Index> sizes(batches);
  sizes.push_back(math.ceilDiv(numLines, math.constant(kScores)));
  forEachTask(
      b, loc, mlc::product(math, sizes), kThreads, cost,
      [&](Index task, Value number) {
        position = mlc::indicesOf(b, loc, sizes, task);
        Index first = math.mul(position.pop_back_val(), math.constant(kScores));
        thread = number;
        row = math.value(quotient(thread, kScoresGrid));
        column = math.value(remainder(thread, kScoresGrid));
        query = matrixOf(queries);
        key = matrixOf(keys);
        value = matrixOf(values);
        body(first);
      },
      [&] {
        left = allocate(kChunk * kLine);
        right = allocate(kChunk * kLine);
        tile = allocate(kScores * kLine);
        lines = allocate(kChunk * (kScoresGrid * std::max(sumsOf(depth), sumsOf(width)) + kPadding));
      });
}

//===-- shared memory ---------------------------------------------------------------===//

Value AttentionTiles::load(Value flat, Index at, Index other, Value isThere) {
  if (!isThere)
    return Lanes().load(b, loc, flat, at);
  Index safe = Value(arith::SelectOp::create(b, loc, isThere, math.value(at), math.value(other)));
  return arith::SelectOp::create(b, loc, isThere, Lanes().load(b, loc, flat, safe), constant(0));
}

/// Neighbours of a line from `number` on, of `numbers` that all lines have, with zeros where there are none; what is
/// not there is read where the matrix begins.
SmallVector<Value> AttentionTiles::read(const AttentionMatrix &from, Index line, Index number, int64_t numbers) {
  auto isInside = [&](Index x, Index size, int64_t extent) {
    return known(size) && *known(size) % extent == 0 ? Value() : isBelow(x, size);
  };
  Value isLine = isInside(line, from.rows, kScores);
  Index at = math.add(math.add(from.base, math.mul(line, from.rowStride)), math.mul(number, from.columnStride));
  Value isThere = both(isLine, isInside(number, from.columns, numbers));
  const int64_t count = from.width;
  if (count == 1)
    return {load(from.flat, at, from.base, isThere)};
  SmallVector<Value> elements;
  if (isThere)
    at = Value(arith::SelectOp::create(b, loc, isThere, math.value(at), math.value(from.base)));
  auto vector = vector::LoadOp::create(b, loc, VectorType::get({count}, b.getF32Type()), from.flat,
                                       ValueRange(math.value(at)), /*nontemporal=*/false, llvm::MaybeAlign(count * 4));
  for (int64_t i = 0; i < count; ++i) {
    Value element = vector::ExtractOp::create(b, loc, vector, i);
    elements.push_back(isThere ? arith::SelectOp::create(b, loc, isThere, element, constant(0)) : element);
  }
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

Value AttentionTiles::scoreOf(Value product, Index q, Index k, Value &hidden) {
  hidden = {};
  Value score = arith::MulFOp::create(b, loc, product, constant(scale));
  auto hide = [&](Value isHidden) {
    score = arith::SelectOp::create(b, loc, isHidden, constant(kHidden), score);
    hidden = hidden ? Value(arith::OrIOp::create(b, loc, hidden, isHidden)) : isHidden;
  };
  if (mask.flat) {
    AttentionMatrix matrix = matrixOf(mask);
    Value isThere = both(isBelow(q, numQueries), isBelow(k, numKeys));
    Index at = math.add(math.add(matrix.base, math.mul(q, matrix.rowStride)), math.mul(k, matrix.columnStride));
    at = Value(arith::SelectOp::create(b, loc, isThere, math.value(at), math.value(matrix.base)));
    Value element = Lanes().load(b, loc, mask.flat, at);
    if (mask.element.isF32()) {
      score = arith::AddFOp::create(b, loc, score, element);
    } else {
      Value none = arith::ConstantOp::create(b, loc, b.getZeroAttr(mask.element));
      hide(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, element, none));
    }
  }
  if (causal)
    hide(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ugt, math.value(k), math.value(q)));
  return score;
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
