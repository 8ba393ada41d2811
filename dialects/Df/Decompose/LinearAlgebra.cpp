// Decompositions of factorizations and systems of equations: loops over the columns or rows of all matrices at once.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Decompose/Loops.h"
#include "dialects/Df/Decompose/Parts.h"
#include "dialects/Df/IR/DfControlFlowOps.h"
#include "dialects/Df/IR/DfElementwiseOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfLinearAlgebraOps.h"
#include "dialects/Df/IR/DfMathOps.h"
#include "dialects/Df/IR/DfOrderOps.h"
#include "dialects/Df/IR/DfReductionOps.h"
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

/// The rows that `step` yields beside the next `carried` value, of itself and a row of each of the masks, stacked.
static Value loop(ExpressionBuilder &b, Value carried, Value unit, Value triangle, bool reverse,
                  llvm::function_ref<std::pair<Value, Value>(Value, Value, Value)> step) {
  return scanOver(b, carried, {unit, triangle}, reverse,
                  [&](ValueRange in, ValueRange rows) -> Values {
                    auto [next, stacked] = step(in[0], rows[0], rows[1]);
                    return {next, stacked};
                  })
      .back();
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
  Value columns = loop(b, x, band(b, square, 0, 0), band(b, square, 0, -1), false, step);
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
  Value rows = loop(b, rhs, band(b, square, 0, 0), others, !isLower, step);
  SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(1, rank - 1));
  permutation.append({0, rank - 1});
  return narrow(b, b.infer<TransposeOp>(rows, permutation), op.getType());
}

/// The pivots of matrices x [.., n, n], [n, ..], each with the sign that its row's place gives the determinant.
static Value signedPivots(ExpressionBuilder &b, Value x) {
  RankedTensorType type = typeOf(x);
  int64_t rank = type.getRank(), n = type.getShape().back();
  auto square = RankedTensorType::get({n, n}, type.getElementType());
  SmallVector<int64_t> batch = firstDimensions(rank - 2);
  // What is left of the matrix, and which of its rows.
  Value open = b.splatLike(b.sum(x, rank - 1), 1);
  auto step = [&](ValueRange in, ValueRange rows) -> Values {
    Value left = in[0], isOpen = in[1];
    Value column = pick(b, left, rows[0], rank - 1), zero = b.splatLike(column, 0), one = b.splatLike(column, 1);
    Value opens = b.compare(Comparison::NE, isOpen, zero);
    Value size = b.select(opens, b.unary<AbsOp>(column), b.splatLike(column, -1));
    Value place = b.infer<ArgmaxOp>(size, b.builder.getI64IntegerAttr(rank - 2));
    Value positions = IotaOp::create(b.builder, b.loc, typeOf(column).clone(b.builder.getI64Type()),
                                     typeOf(column).hasStaticShape() ? Value() : column, rank - 2);
    Value places = b.broadcast(place, column, batch);
    Value isPivot = b.compare(Comparison::EQ, positions, places);
    Value pivot = b.sum(b.select(isPivot, column, zero), rank - 2);
    // The pivot's row goes before the open ones above it.
    Value isAbove = b.binary<LogicalAndOp>(opens, b.compare(Comparison::LT, positions, places));
    Value crossed = b.sum(b.select(isAbove, one, zero), rank - 2);
    Value isOdd = b.compare(Comparison::NE, b.binary<RemOp>(crossed, b.splatLike(crossed, 2)), b.splatLike(crossed, 0));
    Value sign = b.select(isOdd, b.splatLike(pivot, -1), b.splatLike(pivot, 1));
    Value stays = b.select(isPivot, zero, isOpen);
    Value pivots = b.broadcast(pivot, column, batch);
    // A pivot of 0 is that of a column of zeros: nothing is to be taken off, and there is no gradient.
    Value isTaken =
        b.binary<LogicalAndOp>(b.compare(Comparison::NE, stays, zero), b.compare(Comparison::NE, pivots, zero));
    Value factor = b.select(isTaken, b.div(column, pivots), zero);
    Value isPivotRow = b.broadcast(isPivot, left, firstDimensions(rank - 1));
    Value row = b.sum(b.select(isPivotRow, left, b.splatLike(left, 0)), rank - 2);
    return {withoutProduct(b, left, factor, row), stays, b.mul(sign, pivot)};
  };
  return scanOver(b, {x, open}, band(b, square, 0, 0), /*reverse=*/false, step).back();
}

static Value decompositionOf(DeterminantOp op, ExpressionBuilder &b) {
  Value pivots = signedPivots(b, widen(b, op.getOperand()));
  return narrow(b, b.infer<ReduceProdOp>(pivots, ArrayRef<int64_t>{0}), op.getType());
}

static LogicalResult decompositionOf(SlogdetOp op, ExpressionBuilder &b, SmallVectorImpl<Value> &results) {
  Value pivots = signedPivots(b, widen(b, op.getOperand()));
  results.push_back(
      narrow(b, b.infer<ReduceProdOp>(b.unary<SignOp>(pivots), ArrayRef<int64_t>{0}), op.getSign().getType()));
  Value logarithms = b.unary<LogOp>(b.unary<AbsOp>(pivots));
  results.push_back(narrow(b, b.sum(logarithms, 0), op.getLogarithm().getType()));
  return success();
}

void attachLinearAlgebraDecompositions(MLIRContext *context) {
  attachDecompositions<CholeskyOp, TriangularSolveOp, DeterminantOp, SlogdetOp>(context);
}

} // namespace mlc::df
