// Factorizations of matrices and systems of equations of the df dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_LINEAR_ALGEBRA_OPS_TD
#define DF_LINEAR_ALGEBRA_OPS_TD

include "dialects/Df/IR/DfBase.td"

def Df_CholeskyOp : Df_PlainOp<"cholesky", [Df_Work<"Composite">, Df_NeverFails, Df_MapsDimensions, Df_JoinsTypesOf<["operand"]>]> {
  let summary = "Cholesky factors of matrices";
  let description = [{
    For each position of the leading dimensions the lower triangular L with L L^T = the symmetric matrix whose
    lower triangle is the operand's; what is above the diagonal is not read, and 0 in the result. NaN from the
    column on at which a matrix is found not to be positive definite. f16 and bf16 are computed in f32. The
    gradient is that for the lower triangle. Composite: a `df.scan` over the columns.
    Constraints: (C1) the operand is [.., n, n] for a static n.

    Example: `%l = df.cholesky %a : (tensor<?x3x3xf32>) -> tensor<?x3x3xf32>`
  }];
  let arguments = (ins Df_FloatTensor:$operand);
  let results = (outs Df_FloatTensor:$result);
  let hasVerifier = 1;
  let extraClassDefinition = Df_DimensionsOf<"Operand">.definition;
}

def Df_TriangularSolveOp : Df_PlainOp<"triangular_solve", [Df_Work<"Composite">, Df_NeverFails, Df_MapsDimensions, Df_JoinsTypesOf<["rhs"]>]> {
  let summary = "systems of equations of triangular matrices";
  let description = [{
    For each position of the leading dimensions the x with op(a) x = b for a matrix a and right sides b, the columns
    of `rhs`: a is the lower triangle of the matrix, with `upper` the upper one, and op(a) its transpose with
    `transpose`. With `unit_diagonal` the diagonal counts as ones. What is not of the triangle is not used. f16 and
    bf16 are computed in f32. Gradient for the right sides: the solution for op(a)^T, y; for a: -y x^T, transposed
    as a is, in the triangle. Composite: a `df.scan` over the rows.
    Constraints: (C1) matrices are [.., n, n] for a static n; (C2) right sides are [.., n, m] of the same rank,
    leading dimensions and element type.

    Example: `%x = df.triangular_solve %a, %b {transpose} : (tensor<?x3x3xf32>, tensor<?x3x2xf32>) -> tensor<?x3x2xf32>`
  }];
  let arguments = (ins Df_FloatTensor:$matrix, Df_FloatTensor:$rhs, UnitAttr:$upper, UnitAttr:$transpose,
                       UnitAttr:$unit_diagonal);
  let results = (outs Df_FloatTensor:$result);
  let hasVerifier = 1;
  let extraClassDefinition = Df_Dimensions<[{
    map.all(getRhs(), getResult());
    for (int64_t d = 0, batch = rankOf(getRhs()) - 2; d < batch; ++d)
      map.same(getRhs(), d, getMatrix(), d);
  }]>.definition;
}

def Df_DeterminantOp : Df_PlainOp<"determinant", [Df_Work<"Composite">, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "determinants of matrices";
  let description = [{
    The product of the pivots of Gaussian elimination that takes the largest element of each column, with the sign of
    their order; 1 of a matrix of no rows. f16 and bf16 are computed in f32. Gradient: that of the elimination, det(A)
    A^-T; NaN where a matrix is singular. Composite: a `df.scan` over the columns.
    Constraints: (C1) the operand is [.., n, n] for a static n; (C2) the result is [..].

    Example: `%d = df.determinant %a : (tensor<?x3x3xf32>) -> tensor<?xf32>`
  }];
  let arguments = (ins Df_FloatTensor:$operand);
  let results = (outs Df_FloatTensor:$result);
  let extraClassDefinition = Df_Dimensions<[{
    for (int64_t d = 0, batch = rankOf(getResult()); d < batch; ++d)
      map.same(getOperand(), d, getResult(), d);
  }]>.definition;
}

def Df_SlogdetOp : Df_PlainOp<"slogdet", [Df_Work<"Composite">, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "signs of determinants and logarithms of their magnitudes";
  let description = [{
    Of the determinant of `df.determinant` the sign and ln |det|, which neither overflows nor underflows: 0 and -infinity
    of a singular matrix. Gradient: A^-T for the logarithm, NaN where a matrix is singular; none for the sign.
    Composite: a `df.scan` over the columns.
    Constraints: (C1) the operand is [.., n, n] for a static n; (C2) the results are [..].

    Example: `%s, %l = df.slogdet %a : (tensor<?x3x3xf32>) -> (tensor<?xf32>, tensor<?xf32>)`
  }];
  let arguments = (ins Df_FloatTensor:$operand);
  let results = (outs Df_FloatTensor:$sign, Df_FloatTensor:$logarithm);
  let extraClassDefinition = Df_Dimensions<[{
    for (int64_t d = 0, batch = rankOf(getSign()); d < batch; ++d) {
      map.same(getOperand(), d, getSign(), d);
      map.same(getOperand(), d, getLogarithm(), d);
    }
  }]>.definition;
}

#endif // DF_LINEAR_ALGEBRA_OPS_TD
