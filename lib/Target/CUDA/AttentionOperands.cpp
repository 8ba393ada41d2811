// Attention's operands on the device's memory: matrices, scores, masks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "AttentionOperands.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlc;
using namespace mlc::cuda;

/// The score of what a mask hides, as df.attention has it.
static constexpr float kHidden = -1e9F;

Value AttentionOperands::constant(float x) { return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(x)); }

Value AttentionOperands::isBelow(Index x, Index size) {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, math.value(x), math.value(size));
}

Value AttentionOperands::isInside(Index x, Index size, int64_t extent) {
  return known(size) && *known(size) % extent == 0 ? Value() : isBelow(x, size);
}

Value AttentionOperands::both(Value x, Value y) {
  if (!x || !y)
    return x ? x : y;
  return arith::AndIOp::create(b, loc, x, y);
}

Index AttentionOperands::quotient(Value x, int64_t y) {
  return Value(arith::DivUIOp::create(b, loc, x, math.value(math.constant(y))));
}

Index AttentionOperands::remainder(Value x, int64_t y) {
  return Value(arith::RemUIOp::create(b, loc, x, math.value(math.constant(y))));
}

Value AttentionOperands::combineThreads(vector::CombiningKind kind, Value x, int32_t count) {
  auto number = [&](int32_t value) { return arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(value)); };
  for (int32_t distance = count / 2; distance > 0; distance /= 2) {
    Value bits = arith::BitcastOp::create(b, loc, b.getI32Type(), x);
    Value other = NVVM::ShflOp::create(b, loc, b.getI32Type(), number(-1), bits, number(distance), number(31),
                                       NVVM::ShflKind::bfly, UnitAttr());
    x = vector::makeArithReduction(b, loc, kind, x, arith::BitcastOp::create(b, loc, x.getType(), other));
  }
  return x;
}

//===-- matrices --------------------------------------------------------------------===//

void AttentionOperands::collect(Value ofQuery, Value ofKey, Value ofValue, Value ofMask, bool isCausal, float factor) {
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

AttentionMatrix AttentionOperands::matrixOf(const FlatBuffer &buffer) {
  const size_t rank = buffer.sizes.size();
  AttentionMatrix matrix{buffer.flat,
                         buffer.element,
                         buffer.offset,
                         buffer.strides[rank - 2],
                         buffer.strides[rank - 1],
                         buffer.sizes[rank - 2],
                         buffer.sizes[rank - 1]};
  // Neighbours are read at once where they begin at multiples of their bytes, and all or none of them are there.
  matrix.width = kMostAccessBytes * 8 / buffer.element.getIntOrFloatBitWidth();
  auto require = [&](Index number) { matrix.width = wholeWidth(matrix.width, number); };
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

Index AttentionOperands::rowsOf(const FlatBuffer &buffer) {
  Index base = buffer.offset;
  for (auto [at, stride] : llvm::zip(position, buffer.strides))
    base = math.add(base, math.mul(at, stride));
  return base;
}

Index AttentionOperands::endOfKeys(Index firstQuery, int64_t count) {
  if (!causal || mask.flat)
    return numKeys;
  return math.min(numKeys, math.add(firstQuery, math.constant(count)));
}

Index AttentionOperands::beginOfQueries(Index firstKey) { return causal && !mask.flat ? firstKey : math.constant(0); }

Value AttentionOperands::allocate(int64_t elements, Type element) {
  auto type = MemRefType::get({elements}, element, MemRefLayoutAttrInterface(), b.getI64IntegerAttr(kSharedSpace));
  return memref::AllocaOp::create(b, loc, type, b.getI64IntegerAttr(kMostAccessBytes));
}

void AttentionOperands::launchBlocks(Index lines, int64_t extent, double cost,
                                     llvm::function_ref<void(Value, Index)> body, llvm::function_ref<void()> enter) {
  SmallVector<Index> sizes(batches);
  sizes.push_back(math.ceilDiv(lines, math.constant(extent)));
  forEachTask(
      b, loc, mlc::product(math, sizes), kThreads, cost,
      [&](Index task, Value thread) {
        position = mlc::indicesOf(b, loc, sizes, task);
        Index first = math.mul(position.pop_back_val(), math.constant(extent));
        query = matrixOf(queries);
        key = matrixOf(keys);
        value = matrixOf(values);
        body(thread, first);
      },
      enter);
}

//===-- elements --------------------------------------------------------------------===//

Value AttentionOperands::load(Value flat, Index at, Index other, Value isThere) {
  if (!isThere)
    return Lanes().load(b, loc, flat, at);
  Index safe = Value(arith::SelectOp::create(b, loc, isThere, math.value(at), math.value(other)));
  return arith::SelectOp::create(b, loc, isThere, Lanes().load(b, loc, flat, safe), constant(0));
}

Index AttentionOperands::orFirst(Index x, Value isThere) {
  if (!isThere)
    return x;
  return Value(arith::SelectOp::create(b, loc, isThere, math.value(x), math.value(math.constant(0))));
}

Value AttentionOperands::loadNeighbours(const AttentionMatrix &from, Index line, Index number, int64_t lines,
                                        int64_t numbers) {
  Value isLine = isInside(line, from.rows, lines), isNumber = isInside(number, from.columns, numbers);
  // What is not there is read of the first line, or the first number: reads of a line share its address, from which
  // each is a constant distance, where one address would be chosen for each.
  Index at = math.add(from.base, math.mul(orFirst(line, isLine), from.rowStride));
  at = math.add(at, math.mul(orFirst(number, isNumber), from.columnStride));
  Value isThere = both(isLine, isNumber);
  auto type = VectorType::get({from.width}, from.element);
  const int64_t bytes = from.width * from.element.getIntOrFloatBitWidth() / 8;
  Value elements = vector::LoadOp::create(b, loc, type, from.flat, ValueRange(math.value(at)), /*nontemporal=*/false,
                                          llvm::MaybeAlign(bytes));
  if (!isThere)
    return elements;
  Value none = arith::ConstantOp::create(b, loc, cast<TypedAttr>(b.getZeroAttr(type)));
  return arith::SelectOp::create(b, loc, isThere, elements, none);
}

Value AttentionOperands::scoreOf(Value product, Index q, Index k, Value &hidden) {
  hidden = {};
  Value score = arith::MulFOp::create(b, loc, product, constant(scale));
  auto hide = [&](Value isHidden) {
    score = arith::SelectOp::create(b, loc, isHidden, constant(kHidden), score);
    hidden = hidden ? Value(arith::OrIOp::create(b, loc, hidden, isHidden)) : isHidden;
  };
  if (mask.flat) {
    AttentionMatrix matrix = matrixOf(mask);
    Index line = orFirst(q, isBelow(q, numQueries)), number = orFirst(k, isBelow(k, numKeys));
    Index at = math.add(math.add(matrix.base, math.mul(line, matrix.rowStride)), math.mul(number, matrix.columnStride));
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
