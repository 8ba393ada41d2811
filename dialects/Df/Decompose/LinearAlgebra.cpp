// Decompositions of factorizations and systems of equations: loops over the columns or rows of all matrices at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Decompose/Parts.h"
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfLinearAlgebraOps.h"
#include "dialects/Df/IR/DfShapeOps.h"

using namespace mlir;

namespace mlc::df {

static RankedTensorType typeOf(Value x) { return cast<RankedTensorType>(x.getType()); }

static SmallVector<int64_t> firstDimensions(int64_t count) { return llvm::to_vector(llvm::seq<int64_t>(0, count)); }

/// `x` where the vector `mask`, along the dimension `axis`, is not 0; else 0.
static Value where(ExpressionBuilder &b, Value mask, Value x, int64_t axis) {
  Value zero = b.splatLike(x, 0), repeated = b.broadcast(mask, x, axis);
  return b.select(b.compare(Comparison::NE, repeated, zero), x, zero);
}

/// The slice of `x` along `axis` at which `mask` is 1, and 0 elsewhere.
static Value pick(ExpressionBuilder &b, Value x, Value mask, int64_t axis) {
  return b.sum(where(b, mask, x, axis), axis);
}

/// x[.., i, j] - y[.., i] z[.., j].
static Value withoutProduct(ExpressionBuilder &b, Value x, Value y, Value z) {
  int64_t rank = typeOf(x).getRank();
  SmallVector<int64_t> rows = firstDimensions(rank - 1), columns = firstDimensions(rank - 2);
  columns.push_back(rank - 1);
  return b.sub(x, b.mul(b.broadcast(y, x, rows), b.broadcast(z, x, columns)));
}

/// Ones of [n, n] within a band.
static Value band(ExpressionBuilder &b, RankedTensorType type, int64_t lower, int64_t upper) {
  return b.infer<BandPartOp>(b.splat(type, 1), lower, upper);
}

/// A loop over the n rows of the masks that carries `carried`, as `step` makes it of itself and a row of each, with
/// what `step` yields beside it, of type `row`, stacked.
static Value loop(ExpressionBuilder &b, Value carried, Value unit, Value triangle, RankedTensorType row, bool reverse,
                  llvm::function_ref<std::pair<Value, Value>(Value, Value, Value)> step) {
  int64_t n = typeOf(unit).getDimSize(0);
  SmallVector<int64_t> shape = {n};
  llvm::append_range(shape, row.getShape());
  auto scan = ScanOp::create(b.builder, b.loc, TypeRange{carried.getType(), row.clone(shape)}, carried,
                             ValueRange{unit, triangle}, Value(), reverse, IntegerAttr());
  RankedTensorType vector = RankedTensorType::get({n}, row.getElementType());
  OpBuilder::InsertionGuard guard(b.builder);
  Block *body =
      b.builder.createBlock(&scan.getBody(), {}, {carried.getType(), vector, vector}, SmallVector<Location>(3, b.loc));
  auto [next, stacked] = step(body->getArgument(0), body->getArgument(1), body->getArgument(2));
  YieldOp::create(b.builder, b.loc, ValueRange{next, stacked});
  return scan.getResult(1);
}

static Value decompositionOf(CholeskyOp op, ExpressionBuilder &b) {
  Value x = widen(b, op.getOperand());
  RankedTensorType type = typeOf(x);
  int64_t rank = type.getRank(), n = type.getShape().back();
  auto square = RankedTensorType::get({n, n}, type.getElementType());
  SmallVector<int64_t> batch = firstDimensions(rank - 2);
  // What is left of the matrix without the columns so far; rows from the diagonal on make the next one.
  auto step = [&](Value left, Value unit, Value triangle) {
    Value column = pick(b, left, unit, rank - 1);
    Value root = b.broadcast(b.unary<SqrtOp>(pick(b, column, unit, rank - 2)), column, batch);
    column = where(b, triangle, b.div(column, root), rank - 2);
    return std::pair(withoutProduct(b, left, column, column), column);
  };
  Value columns = loop(b, x, band(b, square, 0, 0), band(b, square, 0, -1), withoutAxes(type, rank - 1), false, step);
  SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(1, rank));
  permutation.push_back(0);
  return narrow(b, b.infer<TransposeOp>(columns, permutation), op.getType());
}

static Value decompositionOf(TriangularSolveOp op, ExpressionBuilder &b) {
  Value matrix = widen(b, op.getMatrix()), rhs = widen(b, op.getRhs());
  RankedTensorType type = typeOf(rhs);
  int64_t rank = type.getRank(), n = type.getDimSize(rank - 2);
  auto square = RankedTensorType::get({n, n}, type.getElementType());
  SmallVector<int64_t> batch = firstDimensions(rank - 2);
  bool isLower = op.getUpper() == op.getTranspose();
  // What is left of the right sides: the row of an unknown is solved, and taken off from those that it stands in.
  auto step = [&](Value left, Value unit, Value triangle) {
    Value column = pick(b, matrix, unit, op.getTranspose() ? rank - 2 : rank - 1);
    Value solved = pick(b, left, unit, rank - 2);
    if (!op.getUnitDiagonal())
      solved = b.div(solved, b.broadcast(pick(b, column, unit, rank - 2), solved, batch));
    return std::pair(withoutProduct(b, left, where(b, triangle, column, rank - 2), solved), solved);
  };
  Value others = isLower ? band(b, square, -1, 0) : band(b, square, 0, -1);
  others = b.sub(b.splat(square, 1), others);
  Value rows = loop(b, rhs, band(b, square, 0, 0), others, withoutAxes(type, rank - 2), !isLower, step);
  SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(1, rank - 1));
  permutation.append({0, rank - 1});
  return narrow(b, b.infer<TransposeOp>(rows, permutation), op.getType());
}

void attachLinearAlgebraDecompositions(MLIRContext *context) {
  attachDecompositions<CholeskyOp, TriangularSolveOp>(context);
}

} // namespace mlc::df
