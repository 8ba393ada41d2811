// Gradients of factorizations and systems of equations.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "dialects/Df/Autodiff/GradientRule.h"
#include "dialects/Df/IR/DfContractionOps.h"
#include "dialects/Df/IR/DfLayoutOps.h"
#include "dialects/Df/IR/DfLinearAlgebraOps.h"
#include "dialects/Df/IR/DfShapeOps.h"

using namespace mlir;

namespace mlc::df {

using Gradients = MutableArrayRef<Value>;

namespace {
/// Matrices [.., n, n].
struct Matrices {
  ExpressionBuilder &b;

  Value band(Value x, int64_t lower, int64_t upper) { return b.infer<BandPartOp>(x, lower, upper); }
  Value lower(Value x) { return band(x, -1, 0); }
  Value diagonal(Value x) { return band(x, 0, 0); }
  Value transpose(Value x) {
    auto type = cast<RankedTensorType>(x.getType());
    SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()));
    std::swap(permutation.back(), permutation[permutation.size() - 2]);
    return b.infer<TransposeOp>(x, permutation);
  }
  Value solve(Value matrix, Value rhs, bool upper, bool transpose, bool unitDiagonal) {
    return b.infer<TriangularSolveOp>(matrix, rhs, upper, transpose, unitDiagonal);
  }
  /// The sum over dimension `inner` of both, of `type`.
  Value product(Type type, Value x, Value y, int64_t inner) {
    SmallVector<int64_t> batch = llvm::to_vector(llvm::seq<int64_t>(0, static_cast<int64_t>(shapeOf(type).size()) - 2));
    return DotGeneralOp::create(b.builder, b.loc, x, y, batch, batch, inner, inner);
  }
};
} // namespace

/// f32 for f16 and bf16.
static Value widen(ExpressionBuilder &b, Value x) {
  return elementType(x.getType()).isF64() ? x : b.cast(x, b.builder.getF32Type());
}

static LogicalResult gradientOf(CholeskyOp op, ExpressionBuilder &b, Value g, Gradients out) {
  Matrices m{b};
  Value factor = widen(b, op.getResult()), cotangent = m.lower(widen(b, g));
  Type type = factor.getType();
  auto rank = static_cast<int64_t>(shapeOf(type).size());
  // P = L^-T phi(L^T G) L^-1, where phi is the lower triangle with half of the diagonal, of a matrix whose triangles
  // both move with the lower one.
  Value inner = m.product(type, factor, cotangent, rank - 2);
  inner = b.sub(m.lower(inner), b.mul(m.diagonal(inner), b.splatLike(inner, 0.5)));
  Value half = m.solve(factor, inner, /*upper=*/false, /*transpose=*/true, /*unitDiagonal=*/false);
  Value whole = m.solve(factor, m.transpose(half), /*upper=*/false, /*transpose=*/true, /*unitDiagonal=*/false);
  Value sum = b.sub(m.lower(b.add(whole, m.transpose(whole))), m.diagonal(whole));
  out[0] = b.cast(sum, elementType(op.getType()));
  return success();
}

static LogicalResult gradientOf(TriangularSolveOp op, ExpressionBuilder &b, Value g, Gradients out) {
  Matrices m{b};
  Value matrix = widen(b, op.getMatrix()), x = widen(b, op.getResult());
  Value y = m.solve(matrix, widen(b, g), op.getUpper(), !op.getTranspose(), op.getUnitDiagonal());
  auto rank = static_cast<int64_t>(shapeOf(x.getType()).size());
  Value slope = b.neg(op.getTranspose() ? m.product(matrix.getType(), x, y, rank - 1)
                                        : m.product(matrix.getType(), y, x, rank - 1));
  Value triangle = op.getUpper() ? m.band(slope, 0, -1) : m.lower(slope);
  if (op.getUnitDiagonal())
    triangle = b.sub(triangle, m.diagonal(slope));
  Type element = elementType(op.getType());
  out[0] = b.cast(triangle, element);
  out[1] = b.cast(y, element);
  return success();
}

void attachLinearAlgebraGradients(MLIRContext *context) { attachRules<CholeskyOp, TriangularSolveOp>(context); }

} // namespace mlc::df
