// Reductions, products and fused losses of the df dialect.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_REDUCTION_OPS_TD
#define DF_REDUCTION_OPS_TD

include "dialects/Df/IR/DfBase.td"

class Df_ReduceOp<string opMnemonic, Type tensor, string what, string formula, string element = "f32", list<Trait> extra = []> : Df_PlainOp<opMnemonic, !listconcat([Df_Work<"Reduction">, Df_NeverFails, Df_MapsDimensions, Df_InfersTypesBy<"return ::mlc::df::inferReduced(infer, op.getOperand(), op.getAxes());">], extra)> {
  let summary = what;
  let description = formula # [{
    Dimensions `axes` are dropped. The order of the additions is a function of the shape alone.
    Constraints: (C1) `axes` strictly ascending, within the rank; (C2) the result has the remaining dimensions and the element type.

    Example: `%s = df.}] # opMnemonic # [{ %x {axes = array<i64: 0>} : (tensor<?x4x}] # element # [{>) -> tensor<4x}] # element # [{>`
  }];
  let arguments = (ins tensor:$operand, DenseI64ArrayAttr:$axes);
  let results = (outs tensor:$result);
  let extraClassDefinition = Df_DimensionsOfReduced<"Operand", "getAxes()">.definition;
}

def Df_ReduceSumOp : Df_ReduceOp<"reduce_sum", Df_NumberTensor, "sum over axes", "The sum; 0 of nothing.", extra = [Df_ExactOfIntegers]>;
def Df_ReduceMaxOp : Df_ReduceOp<"reduce_max", Df_NumberTensor, "maximum over axes",
  "The maximum as of `df.maximum`; of nothing -inf or the smallest integer. The gradient is shared equally by the elements that reach it.", extra = [Df_Exact]>;
def Df_ReduceMinOp : Df_ReduceOp<"reduce_min", Df_NumberTensor, "minimum over axes",
  "The minimum as of `df.minimum`; of nothing +inf or the largest integer. The gradient is shared equally by the elements that reach it.", extra = [Df_Exact]>;

def Df_ReduceProdOp : Df_ReduceOp<"reduce_prod", Df_NumberTensor, "product over axes",
  "The product; 1 of nothing; integers wrap. Gradient: the product of the other elements, zeros among them or not.", extra = [Df_ExactOfIntegers]>;
def Df_ReduceAllOp : Df_ReduceOp<"reduce_all", Df_BoolTensor, "whether all are true, over axes", "The conjunction; true of nothing.", "i1", extra = [Df_Exact]>;
def Df_ReduceAnyOp : Df_ReduceOp<"reduce_any", Df_BoolTensor, "whether any is true, over axes", "The disjunction; false of nothing.", "i1", extra = [Df_Exact]>;

def Df_ReduceLogsumexpOp : Df_ReduceOp<"reduce_logsumexp", Df_FloatTensor, "logarithm of the sum of exponentials over axes",
  "ln(sum exp(x - max)) + max, which overflows only where the result does; -inf of nothing and of -inf alone, inf if inf is among them. Gradient: exp(x - result).">;

def Df_ReduceMeanOp : Df_ReduceOp<"reduce_mean", Df_FloatTensor, "mean over axes",
  "The sum divided by the number of elements; NaN of nothing. A composition; gradient: 1 / number.">;
def Df_ReduceL1Op : Df_ReduceOp<"reduce_l1", Df_FloatTensor, "L1 norm over axes",
  "The sum of |x|; 0 of nothing. A composition; gradient: sign(x).">;
def Df_ReduceL2Op : Df_ReduceOp<"reduce_l2", Df_FloatTensor, "L2 norm over axes",
  "The square root of the sum of squares, which must not overflow; 0 of nothing. A composition; gradient: x / norm, 0 where the norm is 0.">;

def Df_ReduceVarianceOp : Df_PlainOp<"reduce_variance", [Df_Work<"Reduction">, Df_NeverFails, Df_MapsDimensions, Df_InfersTypesBy<"return ::mlc::df::inferReduced(infer, op.getOperand(), op.getAxes());">]> {
  let summary = "variance over axes";
  let description = [{
    sum (x - mean)^2 / (n - correction) of the n elements, in two passes; `correction` is 0 for the variance of a population, 1 for the unbiased estimate. NaN of nothing. A composition;
    gradient: 2 (x - mean) / (n - correction).
    Constraints: (C1) `axes` strictly ascending, within the rank; (C2) the result has the remaining dimensions and the element type; (C3) `correction` >= 0.

    Example: `%v = df.reduce_variance %x {axes = array<i64: 0>, correction = 1 : i64} : (tensor<?x4xf32>) -> tensor<4xf32>`
  }];
  let arguments = (ins Df_FloatTensor:$operand, DenseI64ArrayAttr:$axes, DefaultValuedAttr<I64Attr, "0">:$correction);
  let results = (outs Df_FloatTensor:$result);
  let hasVerifier = 1;
  let extraClassDefinition = Df_DimensionsOfReduced<"Operand", "getAxes()">.definition;
}

class Df_ArgOp<string opMnemonic, string what> : Df_PlainOp<opMnemonic, [Df_Exact, Df_Work<"Reduction">, Df_InfersIntegers, Df_NeverFails, Df_MapsDimensions, Df_InfersTypesBy<"return ::mlc::df::inferWithoutAxis(infer, op.getOperand().getType(), op.getAxis(), infer.i64());">]> {
  let summary = "position of the " # what # " along an axis";
  let description = [{
    The first position that reaches it, zeros being equal; if there is a NaN, the position of the first one; 0 where the axis has no elements. `axis` is the last one where it is not given.
    Constraints: (C1) `axis` is a dimension of the operand; (C2) the result drops it.

    Example: `%i = df.}] # opMnemonic # [{ %x {axis = 0 : i64} : (tensor<?x3xf32>) -> tensor<3xi64>`
  }];
  let arguments = (ins Df_NumberTensor:$operand, OptionalAttr<I64Attr>:$axis);
  let results = (outs Df_IdTensor:$result);
  let extraClassDefinition = Df_DimensionsOfReduced<"Operand", "{axisOf(*this)}">.definition;
}
def Df_ArgmaxOp : Df_ArgOp<"argmax", "maximum">;
def Df_ArgminOp : Df_ArgOp<"argmin", "minimum">;

def Df_MatmulOp : Df_PlainOp<"matmul", [Df_Work<"Contraction">, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "product of two matrices";
  let description = [{
    op(lhs) * op(rhs), op = transposition if asked for. Each product is added by one FMA in order of the inner dimension, starting with 0; where the result is a
    column and lhs is not transposed, products are FMAs of 32 interleaved partials that a fixed tree adds. Constraints: (C1) ranks are 2; (C2) inner dimensions agree; (C3) the result is [rows of op(lhs), columns of op(rhs)]; (C4) element types agree.

    Example: `%c = df.matmul %a, %b {transpose_b} : (tensor<?x4xf32>, tensor<3x4xf32>) -> tensor<?x3xf32>`
  }];
  let arguments = (ins Df_FloatTensor:$lhs, Df_FloatTensor:$rhs, UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let results = (outs Df_FloatTensor:$result);
}

class Df_SoftmaxLikeOp<string opMnemonic, string what, string formula> : Df_PlainOp<opMnemonic, [Df_Work<"Composite">, Df_NeverFails, Df_MapsDimensions, Df_JoinsTypesOf<["operand"]>]> {
  let summary = what # " over an axis";
  let description = formula # [{
    `axis` is the last one where it is not given. A NaN makes NaN of its row. Constraints: (C1) `axis` is a dimension of the operand.

    Example: `%p = df.}] # opMnemonic # [{ %x {axis = 1 : i64} : (tensor<?x3xf32>) -> tensor<?x3xf32>`
  }];
  let arguments = (ins Df_FloatTensor:$operand, OptionalAttr<I64Attr>:$axis);
  let results = (outs Df_FloatTensor:$result);
  let hasVerifier = 1;
  let extraClassDefinition = Df_DimensionsOfAlong<"Operand", "{axisOf(*this)}">.definition;
}
def Df_SoftmaxOp : Df_SoftmaxLikeOp<"softmax", "softmax", "exp(x - max) / sum exp(x - max). Gradient: y (g - sum g y).">;
def Df_LogSoftmaxOp : Df_SoftmaxLikeOp<"log_softmax", "logarithm of softmax",
  "(x - max) - ln(sum exp(x - max)), finite where softmax is 0. Gradient: g - softmax(x) sum g.">;

def Df_SoftmaxCrossEntropyOp : Df_PlainOp<"softmax_cross_entropy", [Df_Work<"Composite">, Df_BoundsIds, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "cross entropy of class ids against logits, per example";
  let description = [{
    ln(sum exp(x - max)) + max - x[label] over the last axis, whose elements are the classes; a label that is none of them fails the step. Gradient: softmax(x) - one_hot(label). Constraints: (C1) logits have a last dimension, which is not 0;
    (C2) labels have the others; (C3) the result has the labels' shape and the logits' element type.

    Example: `%l = df.softmax_cross_entropy %x, %y : (tensor<?x3xf32>, tensor<?xi64>) -> tensor<?xf32>`
  }];
  let arguments = (ins Df_FloatTensor:$logits, Df_IdTensor:$labels);
  let results = (outs Df_FloatTensor:$result);
  let extraClassDefinition = Df_Dimensions<[{
    map.rows(getLabels(), getResult());
    map.rows(getLogits(), getLabels());
  }]>.definition;
}

def Df_SigmoidCrossEntropyOp : Df_Op<"sigmoid_cross_entropy", [Df_Work<"Composite">, Df_EffectFree, Df_NeverFails, Df_JoinsTypes, Df_Elementwise]> {
  let summary = "cross entropy of probabilities against logits, per element";
  let description = [{
    max(x, 0) - x*y + ln(1 + e^-|x|) for logit x and label y in [0, 1]. Gradient for x: sigmoid(x) - y; for y: -x.

    Example: `%l = df.sigmoid_cross_entropy %x, %y : tensor<?x1xf32>`
  }];
  let arguments = (ins Df_FloatTensor:$logits, Df_FloatTensor:$labels);
  let results = (outs Df_FloatTensor:$result);
  let assemblyFormat = "$logits `,` $labels attr-dict `:` custom<JoinedTypes>(type($logits), type($labels), type($result))";
}

#endif // DF_REDUCTION_OPS_TD
