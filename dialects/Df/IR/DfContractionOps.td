// Contractions of tensors: the general product and its named forms.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_CONTRACTION_OPS_TD
#define DF_CONTRACTION_OPS_TD

include "dialects/Df/IR/DfBase.td"

def Df_DotGeneralOp : Df_PlainOp<"dot_general", [Df_Work<"Contraction">, Df_CountsOperations, Df_NeverFails, Df_MapsDimensions,
    Df_FreeResultType<"its element type is what products are added in">]> {
  let summary = "product of two tensors over pairs of dimensions";
  let description = [{
    The result has the batch dimensions, in the order of `lhs_batch`, then the dimensions of lhs that are neither batch nor contracting, then those of rhs:
    result[b.., i.., j..] = sum over k.. of lhs[b.., i.., k..] * rhs[b.., j.., k..]. Floats add each product by one FMA in row-major order of the contracting dimensions,
    as listed, starting with 0; f16 and bf16 add in f32 and round once. Where rhs has no dimension of its own, compiled code may add the products of each vector lane apart
    (n * eps). Integers wrap. A sum of nothing is 0.

    The result's element type is what elements of lhs and rhs are converted to, exactly, before they are multiplied: bf16 by bf16 in f32, u8 by i8 in i32.

    Constraints: (C1) the lists of a side name different dimensions of it, and those of both sides are equally long; (C2) dimensions of a pair agree; (C3) the result is
    [batch, free of lhs, free of rhs]; (C4) the result's element type holds all values of lhs's and rhs's, and is a float if these are, else an integer. Gradient: each operand's is a `df.dot_general` of the
    result's and the other operand over that one's free dimensions, in the result's element type, rounded once to the operand's.

    Example:
    ```mlir
    %s = df.dot_general %q, %k {lhs_batch = array<i64: 0>, rhs_batch = array<i64: 0>, lhs_contracting = array<i64: 2>, rhs_contracting = array<i64: 2>}
       : (tensor<?x5x4xf32>, tensor<?x7x4xf32>) -> tensor<?x5x7xf32>
    %t = df.dot_general %image, %filter {lhs_contracting = array<i64: 1>, rhs_contracting = array<i64: 0>} : (tensor<?x9xui8>, tensor<9x4xi8>) -> tensor<?x4xi32>
    ```
  }];
  let arguments = (ins Df_NumberTensor:$lhs, Df_NumberTensor:$rhs, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$lhs_batch,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$rhs_batch, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$lhs_contracting,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$rhs_contracting);
  let results = (outs Df_SignedTensor:$result);
  // The element type is that of lhs.
  let builders = [OpBuilder<(ins "::mlir::Value":$lhs, "::mlir::Value":$rhs, "::llvm::ArrayRef<int64_t>":$lhs_batch,
    "::llvm::ArrayRef<int64_t>":$rhs_batch, "::llvm::ArrayRef<int64_t>":$lhs_contracting,
    "::llvm::ArrayRef<int64_t>":$rhs_contracting)>];
  let hasCanonicalizer = 1;
  let hasVerifier = 1;
}

def Df_BatchMatmulOp : Df_PlainOp<"batch_matmul", [Df_Work<"Contraction">, Df_CountsOperations, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "products of matrices";
  let description = [{
    op(lhs) * op(rhs) of the last two dimensions, op = transposition if asked for, for each position of the leading ones; an operand of rank 2 is the same for all of them. Composite:
    a `df.dot_general`. Constraints: (C1) ranks are at least 2, and equal or one of them 2; (C2) leading dimensions agree; (C3) inner dimensions agree; (C4) the result is
    [leading dimensions, rows of op(lhs), columns of op(rhs)] of the operands' element type.

    Example: `%c = df.batch_matmul %a, %b {transpose_b} : (tensor<?x5x4xf32>, tensor<?x3x4xf32>) -> tensor<?x5x3xf32>`
  }];
  let arguments = (ins Df_SignedTensor:$lhs, Df_SignedTensor:$rhs, UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let results = (outs Df_SignedTensor:$result);
}

def Df_EinsumOp : Df_PlainOp<"einsum", [Df_Work<"Contraction">, Df_CountsOperations, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "Einstein summation";
  let description = [{
    `equation` is `terms -> result`: a term of letters for each operand, one letter for each dimension. The result is the sum, over all letters that it does not name, of the products of the
    operands' elements. `...` stands for all dimensions that a term has no letter for, aligned at the right. Composite, operands from left to right: sums of the letters that only one operand
    has, then a `df.dot_general` with the product so far, at the end a `df.transpose`.
    Constraints: (C1) the equation has that form, with one term for each operand; (C2) a term has as many letters as its operand dimensions, each at most once; (C3) dimensions of a letter
    agree; (C4) the result's term names letters of the operands, each once, and `...` if one of them has it; (C5) the result has the dimensions of its letters and the operands' element type.

    Example: `%c = df.einsum %a, %b {equation = "bij,bjk->bik"} : (tensor<?x5x4xf32>, tensor<?x4x3xf32>) -> tensor<?x5x3xf32>`
  }];
  let arguments = (ins Variadic<Df_SignedTensor>:$operands, StrAttr:$equation);
  let results = (outs Df_SignedTensor:$result);
}

def Df_AttentionOp : Df_PlainOp<"attention", [Df_Work<"Contraction">, Df_CountsOperations, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "scaled dot-product attention";
  let description = [{
    softmax(scale * query key^T + mask) value over the last two dimensions, softmax along the keys, for each position of the leading ones. `scale` is 1 / sqrt(d) if not given. A mask of floats is
    added; of a mask of i1 false gives the score -1e9 (f16: -1e4). `causal` lets query i see keys j <= i only, in the same way. Composite.
    Constraints: (C1) query is [b.., t, d], key [b.., s, d], value [b.., s, e], the result [b.., t, e], of one element type; (C2) the mask is [t, s] or [b.., t, s] of i1 or that element
    type; (C3) with `causal` t and s are static; (C4) without `scale` d is.

    Example: `%y = df.attention %q, %k, %v {causal} : (tensor<?x5x4xf32>, tensor<?x5x4xf32>, tensor<?x5x3xf32>) -> tensor<?x5x3xf32>`
  }];
  let arguments = (ins Df_FloatTensor:$query, Df_FloatTensor:$key, Df_FloatTensor:$value,
                       Optional<RankedTensorOf<[F16, BF16, F32, F64, I1]>>:$mask, UnitAttr:$causal, OptionalAttr<F64Attr>:$scale);
  let results = (outs Df_FloatTensor:$result);
}

def Df_AttentionGradOp : Df_PlainOp<"attention_grad", [Df_Work<"Contraction">, Df_CountsOperations, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "gradients of attention";
  let description = [{
    The gradients of query, key and value of a `df.attention` of the same operands and attributes by `cotangent`, that of its result: with shares p = softmax(scores) and g = cotangent value^T, scores have p (g - sum p g), and 0 where a mask hides them; query has `scale` times
    their product with key, key with query, and value p^T cotangent. df-expand-gradients makes it of a `df.attention` that df-decompose kept for a target which computes scores again by tiles instead of storing them. Composite.
    Constraints: (C1) query, key, value, mask and attributes are those of a `df.attention`, the results have the types of query, key and value; (C2) the cotangent is [b.., t, e] of their element type.

    Example: `%dq, %dk, %dv = df.attention_grad %q, %k, %v, %g {causal} : (tensor<?x5x4xf32>, tensor<?x5x4xf32>, tensor<?x5x3xf32>, tensor<?x5x3xf32>) -> (tensor<?x5x4xf32>, tensor<?x5x4xf32>, tensor<?x5x3xf32>)`
  }];
  let arguments = (ins Df_FloatTensor:$query, Df_FloatTensor:$key, Df_FloatTensor:$value, Df_FloatTensor:$cotangent,
                       Optional<RankedTensorOf<[F16, BF16, F32, F64, I1]>>:$mask, UnitAttr:$causal, OptionalAttr<F64Attr>:$scale);
  let results = (outs Df_FloatTensor:$query_gradient, Df_FloatTensor:$key_gradient, Df_FloatTensor:$value_gradient);
}

#endif // DF_CONTRACTION_OPS_TD
