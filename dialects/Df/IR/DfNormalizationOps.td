// Normalizations of the df dialect: compositions of reductions and element-wise ops.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_NORMALIZATION_OPS_TD
#define DF_NORMALIZATION_OPS_TD

include "dialects/Df/IR/DfBase.td"

class Df_Epsilon<string value> : DefaultValuedAttr<F64Attr, value>;

def Df_MomentsOp : Df_PlainOp<"moments", [Df_Work<"Composite">, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "mean and variance over axes";
  let description = [{
    mean = sum x / n, variance = sum (x - mean)^2 / n over the n elements: two passes, so that a large mean costs the variance no digits. With no elements both are 0. A composition.
    Constraints: (C1) `axes` strictly ascending, within the rank; (C2) the results have the remaining dimensions and the element type.

    Example: `%m, %v = df.moments %x {axes = array<i64: 0>} : (tensor<?x4xf32>) -> (tensor<4xf32>, tensor<4xf32>)`
  }];
  let arguments = (ins Df_FloatTensor:$operand, DenseI64ArrayAttr:$axes);
  let results = (outs Df_FloatTensor:$mean, Df_FloatTensor:$variance);
  let extraClassDefinition = Df_Dimensions<[{
    map.without(getOperand(), getAxes(), getMean());
    map.without(getOperand(), getAxes(), getVariance());
  }]>.definition;
}

def Df_BatchNormInferenceOp : Df_Op<"batch_norm_inference", [Df_Work<"Composite">, Df_MapsDimensions, Df_EffectFree, Df_NeverFails, AttrSizedOperandSegments, Df_JoinsTypesOf<["operand"]>]> {
  let summary = "normalization by given statistics";
  let description = [{
    (x - mean) * (scale / sqrt(variance + epsilon)) + offset; scale 1 and offset 0 where they are not given. A composition, differentiable by all operands.
    Constraints: (C1) `axes` strictly ascending, within the rank; (C2) all operands but x have the dimensions that are not in `axes`, and the element type.

    Example: `%y = df.batch_norm_inference %x, %m, %v scale %s offset %o {axes = array<i64: 0>} : (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x4xf32>`
  }];
  let arguments = (ins Df_FloatTensor:$operand, Df_FloatTensor:$mean, Df_FloatTensor:$variance, Optional<Df_FloatTensor>:$scale,
                       Optional<Df_FloatTensor>:$offset, DenseI64ArrayAttr:$axes, Df_Epsilon<"1e-3">:$epsilon);
  let results = (outs Df_FloatTensor:$result);
  let assemblyFormat = [{ $operand `,` $mean `,` $variance (`scale` $scale^)? (`offset` $offset^)? attr-dict `:` functional-type(operands, results) }];
  let hasVerifier = 1;
}

def Df_BatchNormTrainingOp : Df_Op<"batch_norm_training", [Df_Work<"Composite">, Df_MapsDimensions, Df_EffectFree, Df_NeverFails, AttrSizedOperandSegments, Df_InfersTypes]> {
  let summary = "normalization by the statistics of the batch";
  let description = [{
    `df.batch_norm_inference` with the `df.moments` of the operand over `axes`, which are the other results: what a moving average takes. A composition.
    Constraints: (C1) `axes` strictly ascending, within the rank; (C2) scale, offset, mean and variance have the dimensions that are not in `axes`, and the element type.

    Example: `%y, %m, %v = df.batch_norm_training %x scale %s offset %o {axes = array<i64: 0>} : (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>)`
  }];
  let arguments = (ins Df_FloatTensor:$operand, Optional<Df_FloatTensor>:$scale, Optional<Df_FloatTensor>:$offset,
                       DenseI64ArrayAttr:$axes, Df_Epsilon<"1e-3">:$epsilon);
  let results = (outs Df_FloatTensor:$result, Df_FloatTensor:$mean, Df_FloatTensor:$variance);
  let assemblyFormat = [{ $operand (`scale` $scale^)? (`offset` $offset^)? attr-dict `:` functional-type(operands, results) }];
}

class Df_RowNormOp<string opMnemonic, string what, string formula, string example, list<Trait> traits, dag args> : Df_Op<opMnemonic,
    !listconcat([Df_Work<"Composite">, Df_MapsDimensions, Df_EffectFree, Df_NeverFails, Df_JoinsTypesOf<["operand"]>], traits)> {
  let summary = what;
  let description = formula # "\n\n" # example;
  let arguments = args;
  let results = (outs Df_FloatTensor:$result);
  let hasVerifier = 1;
}

def Df_LayerNormOp : Df_RowNormOp<"layer_norm", "normalization of each example over some axes", [{
    (x - mean) / sqrt(variance + epsilon) * scale + offset with the `df.moments` over `axes`; scale 1 and offset 0 where they are not given. A composition.
    Constraints: (C1) `axes` strictly ascending, within the rank; (C2) scale and offset have the dimensions in `axes` and the element type.}], [{
    Example: `%y = df.layer_norm %x scale %s offset %o {axes = array<i64: 1>} : (tensor<?x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x4xf32>`}],
    [AttrSizedOperandSegments],
    (ins Df_FloatTensor:$operand, Optional<Df_FloatTensor>:$scale, Optional<Df_FloatTensor>:$offset, DenseI64ArrayAttr:$axes, Df_Epsilon<"1e-5">:$epsilon)> {
  let assemblyFormat = [{ $operand (`scale` $scale^)? (`offset` $offset^)? attr-dict `:` functional-type(operands, results) }];
}

def Df_RmsNormOp : Df_RowNormOp<"rms_norm", "division by the root of the mean square over some axes", [{
    x / sqrt(sum x^2 / n + epsilon) * scale over the n elements of `axes`; scale 1 where it is not given. A composition.
    Constraints: (C1) `axes` strictly ascending, within the rank; (C2) scale has the dimensions in `axes` and the element type.}], [{
    Example: `%y = df.rms_norm %x scale %s {axes = array<i64: 1>} : (tensor<?x4xf32>, tensor<4xf32>) -> tensor<?x4xf32>`}], [],
    (ins Df_FloatTensor:$operand, Optional<Df_FloatTensor>:$scale, DenseI64ArrayAttr:$axes, Df_Epsilon<"1e-5">:$epsilon)> {
  let assemblyFormat = [{ $operand (`scale` $scale^)? attr-dict `:` functional-type(operands, results) }];
}

def Df_GroupNormOp : Df_RowNormOp<"group_norm", "normalization of each example over groups of channels", [{
    Dimension 0 holds examples, `axis` (the last one where it is not given) channels, cut into `groups` of neighbours; each group is normalized over its channels and all other dimensions as `df.layer_norm` does,
    then scaled and moved by channel. `groups` = 1 is layer norm, as many as there are channels is `df.instance_norm`. A composition.
    Constraints: (C1) `axis` is a dimension after the first and static; (C2) `groups` >= 1 divides it; (C3) scale and offset are [channels] of the element type.}], [{
    Example: `%y = df.group_norm %x scale %s offset %o {groups = 2 : i64} : (tensor<?x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x8x8x4xf32>`}],
    [AttrSizedOperandSegments],
    (ins Df_FloatTensor:$operand, Optional<Df_FloatTensor>:$scale, Optional<Df_FloatTensor>:$offset, I64Attr:$groups, OptionalAttr<I64Attr>:$axis, Df_Epsilon<"1e-5">:$epsilon)> {
  let assemblyFormat = [{ $operand (`scale` $scale^)? (`offset` $offset^)? attr-dict `:` functional-type(operands, results) }];
}

def Df_InstanceNormOp : Df_RowNormOp<"instance_norm", "normalization of each channel of each example", [{
    Dimension 0 holds examples, `axis` (the last one where it is not given) channels; each channel of an example is normalized over all other dimensions as `df.layer_norm` does, then scaled and moved by channel. A composition.
    Constraints: (C1) `axis` is a dimension after the first; (C2) scale and offset are [channels] of the element type.}], [{
    Example: `%y = df.instance_norm %x scale %s offset %o : (tensor<?x8x8x4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<?x8x8x4xf32>`}],
    [AttrSizedOperandSegments],
    (ins Df_FloatTensor:$operand, Optional<Df_FloatTensor>:$scale, Optional<Df_FloatTensor>:$offset, OptionalAttr<I64Attr>:$axis, Df_Epsilon<"1e-5">:$epsilon)> {
  let assemblyFormat = [{ $operand (`scale` $scale^)? (`offset` $offset^)? attr-dict `:` functional-type(operands, results) }];
}

def Df_L2NormalizeOp : Df_PlainOp<"l2_normalize", [Df_Work<"Composite">, Df_NeverFails, Df_MapsDimensions, Df_JoinsTypesOf<["operand"]>]> {
  let summary = "division by the L2 norm over axes";
  let description = [{
    x / sqrt(max(sum x^2, epsilon)). A composition. Constraints: (C1) `axes` strictly ascending, within the rank.

    Example: `%y = df.l2_normalize %x {axes = array<i64: 1>} : (tensor<?x4xf32>) -> tensor<?x4xf32>`
  }];
  let arguments = (ins Df_FloatTensor:$operand, DenseI64ArrayAttr:$axes, Df_Epsilon<"1e-12">:$epsilon);
  let results = (outs Df_FloatTensor:$result);
  let hasVerifier = 1;
  let extraClassDefinition = Df_DimensionsOf<"Operand">.definition;
}

def Df_LocalResponseNormOp : Df_PlainOp<"local_response_norm", [Df_Work<"Composite">, Df_NeverFails, Df_MapsDimensions, Df_JoinsTypesOf<["operand"]>]> {
  let summary = "division by the energy of neighbouring channels";
  let description = [{
    x[c] / (bias + alpha * sum of x[j]^2 for c - low <= j <= c + high)^beta along `axis` (the last one where it is not given); what lies outside counts as 0. A composition.
    Constraints: (C1) `axis` is a dimension of the operand and static; (C2) `low`, `high` >= 0.

    Example: `%y = df.local_response_norm %x {low = 2 : i64, high = 2 : i64, alpha = 1.0e-4 : f64, beta = 0.75 : f64, bias = 1.0 : f64} : (tensor<?x8xf32>) -> tensor<?x8xf32>`
  }];
  let arguments = (ins Df_FloatTensor:$operand, OptionalAttr<I64Attr>:$axis, I64Attr:$low, I64Attr:$high, F64Attr:$alpha, F64Attr:$beta,
                       F64Attr:$bias);
  let results = (outs Df_FloatTensor:$result);
  let hasVerifier = 1;
  let extraClassDefinition = Df_DimensionsOf<"Operand">.definition;
}

#endif // DF_NORMALIZATION_OPS_TD
