// Reductions, products and fused losses of the df dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_REDUCTION_OPS_TD
#define DF_REDUCTION_OPS_TD

include "dialects/Df/IR/DfBase.td"

class Df_ReduceOp<string opMnemonic, Type tensor, string what, string formula> : Df_PlainOp<opMnemonic> {
  let summary = what;
  let description = formula # [{
    Dimensions `axes` are dropped. The order of the additions is a function of the shape alone.
    Constraints: (C1) `axes` strictly ascending, within the rank; (C2) the result has the remaining dimensions and the element type.

    Example: `%s = df.}] # opMnemonic # [{ %x {axes = array<i64: 0>} : (tensor<?x4xf32>) -> tensor<4xf32>`
  }];
  let arguments = (ins tensor:$operand, DenseI64ArrayAttr:$axes);
  let results = (outs tensor:$result);
  let hasVerifier = 1;
}

def Df_ReduceSumOp : Df_ReduceOp<"reduce_sum", Df_NumberTensor, "sum over axes", "The sum; 0 of nothing.">;
def Df_ReduceMaxOp : Df_ReduceOp<"reduce_max", Df_NumberTensor, "maximum over axes",
  "The maximum as of `df.maximum`; of nothing -inf or the smallest integer. The gradient is shared equally by the elements that reach it.">;
def Df_ReduceMinOp : Df_ReduceOp<"reduce_min", Df_NumberTensor, "minimum over axes",
  "The minimum as of `df.minimum`; of nothing +inf or the largest integer. The gradient is shared equally by the elements that reach it.">;

def Df_ArgmaxOp : Df_PlainOp<"argmax"> {
  let summary = "position of the maximum along the last axis";
  let description = [{
    The first position that reaches it, zeros being equal; if there is a NaN, the position of the first one. Constraints: (C1) the last dimension is static and not 0; (C2) the result drops it.

    Example: `%i = df.argmax %x : (tensor<?x3xf32>) -> tensor<?xi64>`
  }];
  let arguments = (ins Df_NumberTensor:$operand);
  let results = (outs Df_IdTensor:$result);
  let hasVerifier = 1;
}

def Df_MatmulOp : Df_PlainOp<"matmul"> {
  let summary = "product of two matrices";
  let description = [{
    op(lhs) * op(rhs), op = transposition if asked for. Each product is added by one FMA in order of the inner dimension, starting with 0; where the result is a
    column and lhs is not transposed, compiled code adds the products of each vector lane apart (n * eps). Constraints: (C1) ranks are 2; (C2) inner dimensions agree; (C3) the result is [rows of op(lhs), columns of op(rhs)]; (C4) element types agree.

    Example: `%c = df.matmul %a, %b {transpose_b} : (tensor<?x4xf32>, tensor<3x4xf32>) -> tensor<?x3xf32>`
  }];
  let arguments = (ins Df_FloatTensor:$lhs, Df_FloatTensor:$rhs, UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let results = (outs Df_FloatTensor:$result);
  let hasVerifier = 1;
}

def Df_SoftmaxOp : Df_PlainOp<"softmax", [AllTypesMatch<["operand", "result"]>]> {
  let summary = "softmax over the last axis";
  let description = [{
    exp(x - max) / sum. Constraints: (C1) the last dimension is static and not 0.

    Example: `%p = df.softmax %x : (tensor<?x3xf32>) -> tensor<?x3xf32>`
  }];
  let arguments = (ins Df_FloatTensor:$operand);
  let results = (outs Df_FloatTensor:$result);
  let hasVerifier = 1;
}

def Df_SoftmaxCrossEntropyOp : Df_PlainOp<"softmax_cross_entropy"> {
  let summary = "cross entropy of class ids against logits, per example";
  let description = [{
    ln(sum exp(x - max)) + max - x[label]. Gradient: softmax(x) - one_hot(label). Constraints: (C1) logits are [rows, classes], classes static;
    (C2) labels are [rows]; (C3) the result is [rows] of the logits' element type.

    Example: `%l = df.softmax_cross_entropy %x, %y : (tensor<?x3xf32>, tensor<?xi64>) -> tensor<?xf32>`
  }];
  let arguments = (ins Df_FloatTensor:$logits, Df_IdTensor:$labels);
  let results = (outs Df_FloatTensor:$result);
  let hasVerifier = 1;
}

def Df_SigmoidCrossEntropyOp : Df_Op<"sigmoid_cross_entropy", [Pure, SameOperandsAndResultType, Elementwise]> {
  let summary = "cross entropy of probabilities against logits, per element";
  let description = [{
    max(x, 0) - x*y + ln(1 + e^-|x|) for logit x and label y in [0, 1]. Gradient for x: sigmoid(x) - y; for y: -x.

    Example: `%l = df.sigmoid_cross_entropy %x, %y : tensor<?x1xf32>`
  }];
  let arguments = (ins Df_FloatTensor:$logits, Df_FloatTensor:$labels);
  let results = (outs Df_FloatTensor:$result);
  let assemblyFormat = "$logits `,` $labels attr-dict `:` type($result)";
}

#endif // DF_REDUCTION_OPS_TD
