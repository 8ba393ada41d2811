// Convolutions and pooling: ops on windows of images.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_CONVOLUTION_OPS_TD
#define DF_CONVOLUTION_OPS_TD

include "dialects/Df/IR/DfBase.td"
include "dialects/Df/IR/DfForms.td"

// What moves a window over 1 to 3 spatial dimensions. An empty list stands for ones (`padding`: zeros).
defvar Df_WindowAttrs = (ins DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$strides, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$padding,
                             DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$dilations);
// Images, and what has the form of one, are [n, s.., c], with `channels_first` [n, c, s..] (TensorFlow's data_format
// NCHW); filters are [k.., c / groups, o] in both. Rules and code are of channels last: with `channels_first` each of these
// ops is a composite of `df.transpose` and itself, and between two of them df-simplify takes out the transposes.
defvar Df_LayoutAttr = (ins UnitAttr:$channels_first);

def Df_ConvOp : Df_PlainOp<"conv", [Df_CompositeForms, Df_Work<"Convolution">, Df_CountsOperations, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "convolution";
  let description = [{
    With an image [n, s.., c], channels last, and a filter [k.., c / groups, o]:
    result[n, p.., o] = sum over k.., c of image[n, p * strides + k * dilations - low.., c] * filter[k.., c, o], where positions outside of the image count as zeros and c is of the group of o:
    groups cut c and o into equal ranges. `padding` is low and high of each spatial dimension in turn. The result has (s + low + high - (k - 1) * dilation - 1) / stride + 1 positions, rounded down,
    or none. Each product is added by one FMA, in row-major order of [k.., c], starting with 0 (zeros of the padding too); f16 and bf16 add in f32 and round once.
    With `channels_first` the image is [n, c, s..] and the result [n, o, p..]; the filter stays as it is. So in all ops on windows: what is an image or has the form of one has its channels before its spatial dimensions.
    Constraints: (C1) image [n, s.., c], filter [k.., c / groups, o] and result [n, p.., o] have 1 to 3 spatial dimensions, channels and filter are static, element types agree; (C2) `strides` and
    `dilations` have an entry >= 1 for each, `padding` two entries >= 0; (C3) `groups` divides c and o, and filter and image agree; (C4) rows agree, and so do the result's sizes with the formula.
    Gradients: `df.conv_transpose` and `df.conv_filter_gradient` of the same attributes.

    Example:
    ```mlir
    %y = df.conv %x, %w {strides = array<i64: 2, 2>, padding = array<i64: 1, 1, 1, 1>} : (tensor<?x28x28x3xf32>, tensor<3x3x3x8xf32>) -> tensor<?x14x14x8xf32>
    %z = df.conv %t, %w {channels_first, padding = array<i64: 1, 1, 1, 1>} : (tensor<?x3x28x28xf32>, tensor<3x3x3x8xf32>) -> tensor<?x8x28x28xf32>
    ```
  }];
  let arguments = !con((ins Df_FloatTensor:$image, Df_FloatTensor:$filter), Df_WindowAttrs, (ins DefaultValuedAttr<I64Attr, "1">:$groups), Df_LayoutAttr);
  let results = (outs Df_FloatTensor:$result);
}

def Df_ConvTransposeOp : Df_PlainOp<"conv_transpose", [Df_CompositeForms, Df_Work<"Convolution">, Df_Measures<2>, Df_CountsOperations, Df_MapsDimensions, Df_FreeResultType<"where the window tells no size it does">]> {
  let summary = "transposed convolution";
  let description = [{
    The transpose of `df.conv` as a linear map of the image: result[n, i.., c] = sum over k.., o of output[n, p.., o] * filter[k.., c, o], where i = p * strides + k * dilations - low. It is the gradient of
    `df.conv` for its image. What the formula of `df.conv` cannot tell, the size of a spatial dimension, comes from the result's type or, where that is dynamic, from `like`.
    Each product is added by one FMA in row-major order of [k.., o], starting with 0; the filter is finite: where no position p fits its product may be one with zero or be left out. f16 and bf16 as in `df.conv`.
    Constraints: (C1) .. (C4) those of `df.conv` of the result as image, the filter, and the output as result; (C5) `like` has the result's type; it is there where a spatial dimension is dynamic.
    Gradients: `df.conv` and `df.conv_filter_gradient` of the same attributes.

    Example:
    ```mlir
    %x = df.conv_transpose %y, %w {strides = array<i64: 2>} : (tensor<?x4x8xf32>, tensor<2x3x8xf32>) -> tensor<?x8x3xf32>
    ```
  }];
  let arguments = !con((ins Df_FloatTensor:$output, Df_FloatTensor:$filter, Optional<Df_FloatTensor>:$like), Df_WindowAttrs,
                       (ins DefaultValuedAttr<I64Attr, "1">:$groups), Df_LayoutAttr);
  let results = (outs Df_FloatTensor:$result);
  let hasVerifier = 1;
}

def Df_ConvFilterGradientOp : Df_PlainOp<"conv_filter_gradient", [Df_CompositeForms, Df_Work<"Convolution">, Df_CountsOperations, Df_MapsDimensions, Df_FreeResultType<"it says the size of the filter">]> {
  let summary = "gradient of a convolution for its filter";
  let description = [{
    result[k.., c, o] = sum over n, p.. of image[n, p * strides + k * dilations - low.., c] * output[n, p.., o], with the padding and groups of `df.conv`. Each product is added by one FMA in
    row-major order of [n, p..], starting with 0; f16 and bf16 as in `df.conv`.
    Constraints: (C1) .. (C4) those of `df.conv` of the image, the result as filter, and the output as result.
    Gradients: `df.conv_transpose` and `df.conv` of the same attributes.

    Example:
    ```mlir
    %dw = df.conv_filter_gradient %x, %dy {padding = array<i64: 1, 1>} : (tensor<?x8x3xf32>, tensor<?x8x4xf32>) -> tensor<3x3x4xf32>
    ```
  }];
  let arguments = !con((ins Df_FloatTensor:$image, Df_FloatTensor:$output), Df_WindowAttrs, (ins DefaultValuedAttr<I64Attr, "1">:$groups), Df_LayoutAttr);
  let results = (outs Df_FloatTensor:$result);
  let hasVerifier = 1;
  let extraClassDefinition = Df_Dimensions<"map.rows(getImage(), getOutput());">.definition;
}

def Df_PositionTensor : RankedTensorOf<[I32]>;

def Df_MaxPoolOp : Df_PlainOp<"max_pool", [Df_CompositeForms, Df_Work<"Reduction">, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "maximum of each window";
  let description = [{
    result[n, p.., c] = the maximum, as of `df.maximum`, of operand[n, p * strides + k * dilations - low.., c] over the positions k of the window that lie inside of the operand; -inf or the
    smallest integer if none does. Sizes and padding as in `df.conv`.
    Constraints: (C1) the operand [n, s.., c] and the result [n, p.., c] have 1 to 3 spatial dimensions, one element type, and agree in n and c; (C2) `window`, `strides` and `dilations` have an entry >= 1
    for each, `padding` two entries >= 0; (C3) the result's sizes are those of the formula of `df.conv`. Gradient: to the position that `df.max_pool_positions` gives.

    Example: `%y = df.max_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<?x8x8x3xf32>) -> tensor<?x4x4x3xf32>`
  }];
  let arguments = !con((ins Df_SignedTensor:$operand, DenseI64ArrayAttr:$window), Df_WindowAttrs, Df_LayoutAttr);
  let results = (outs Df_SignedTensor:$result);
}

def Df_MaxPoolPositionsOp : Df_PlainOp<"max_pool_positions", [Df_CompositeForms, Df_Work<"Reduction">, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "where each window has its maximum";
  let description = [{
    The row-major number, within the window, of the first position that reaches the maximum, zeros being equal; of the first NaN if there is one; 0 if nothing exceeds -inf or the smallest integer.
    Constraints: (C1) .. (C3) those of `df.max_pool`, but that the result's elements are i32.

    Example: `%i = df.max_pool_positions %x {window = array<i64: 2>, strides = array<i64: 2>} : (tensor<?x8x3xf32>) -> tensor<?x4x3xi32>`
  }];
  let arguments = !con((ins Df_SignedTensor:$operand, DenseI64ArrayAttr:$window), Df_WindowAttrs, Df_LayoutAttr);
  let results = (outs Df_PositionTensor:$result);
}

def Df_PoolSelectOp : Df_PlainOp<"pool_select", [Df_CompositeForms, Df_Work<"Reduction">, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "one element of each window";
  let description = [{
    result[n, p.., c] = operand[n, p * strides + k * dilations - low.., c] at position k = positions[n, p.., c] of the window; 0 where that lies outside of the operand or `positions` is no position.
    Constraints: (C1) .. (C3) those of `df.max_pool`; (C4) `positions` has the result's shape. Gradient: `df.pool_scatter`.

    Example:
    ```mlir
    %y = df.pool_select %x, %i {window = array<i64: 2>, strides = array<i64: 2>} : (tensor<?x8x3xf32>, tensor<?x4x3xi32>) -> tensor<?x4x3xf32>
    ```
  }];
  let arguments = !con((ins Df_SignedTensor:$operand, Df_PositionTensor:$positions, DenseI64ArrayAttr:$window), Df_WindowAttrs, Df_LayoutAttr);
  let results = (outs Df_SignedTensor:$result);
}

def Df_PoolScatterOp : Df_PlainOp<"pool_scatter", [Df_CompositeForms, Df_Work<"Reduction">, Df_Measures<2>, Df_MapsDimensions, Df_FreeResultType<"where the window tells no size it does">]> {
  let summary = "adds to one element of each window";
  let description = [{
    The transpose of `df.pool_select`: result[n, i.., c] = the sum of output[n, p.., c] over the windows whose position positions[n, p.., c] is i, in row-major order of that position, starting with 0. The spatial sizes
    of the result are its type's or, where that is dynamic, those of `like`. f16 and bf16 add in f32 and round once.
    Constraints: (C1) .. (C3) those of `df.max_pool` of the result as operand and the output as result; (C4) `positions` has the output's shape; (C5) `like` has the result's type; it is there
    where a spatial dimension is dynamic. Gradient: `df.pool_select`.

    Example:
    ```mlir
    %x = df.pool_scatter %y, %i {window = array<i64: 2>, strides = array<i64: 2>} : (tensor<?x4x3xf32>, tensor<?x4x3xi32>) -> tensor<?x8x3xf32>
    ```
  }];
  let arguments = !con((ins Df_SignedTensor:$output, Df_PositionTensor:$positions, Optional<Df_SignedTensor>:$like, DenseI64ArrayAttr:$window), Df_WindowAttrs, Df_LayoutAttr);
  let results = (outs Df_SignedTensor:$result);
  let hasVerifier = 1;
}

def Df_AvgPoolOp : Df_PlainOp<"avg_pool", [Df_Work<"Reduction">, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "mean of each window";
  let description = [{
    The sum of a window divided by the number of its positions: of those inside of the operand or, with `count_include_pad`, of all of them. A window that has none gives NaN.
    Sizes and padding as in `df.conv`. Composite: a `df.conv` with a filter of ones that keeps channels apart, and a division.
    Constraints: (C1) .. (C3) those of `df.max_pool`; (C4) channels are static.

    Example: `%y = df.avg_pool %x {window = array<i64: 2, 2>, strides = array<i64: 2, 2>} : (tensor<?x8x8x3xf32>) -> tensor<?x4x4x3xf32>`
  }];
  let arguments = !con((ins Df_FloatTensor:$operand, DenseI64ArrayAttr:$window), Df_WindowAttrs, (ins UnitAttr:$count_include_pad), Df_LayoutAttr);
  let results = (outs Df_FloatTensor:$result);
}

def Df_LpPoolOp : Df_PlainOp<"lp_pool", [Df_Work<"Reduction">, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "p-norm of each window";
  let description = [{
    (sum of |x|^p over the window)^(1/p). For p > 1 it has no gradient (NaN) where a window is all zero. Sizes and padding as in `df.conv`. Composite: a `df.conv` with a filter of ones that keeps channels apart.
    Constraints: (C1) .. (C3) those of `df.max_pool`; (C4) channels are static; (C5) p >= 1.

    Example: `%y = df.lp_pool %x {window = array<i64: 2>, p = 2.0 : f64} : (tensor<?x8x3xf32>) -> tensor<?x7x3xf32>`
  }];
  let arguments = !con((ins Df_FloatTensor:$operand, DenseI64ArrayAttr:$window), Df_WindowAttrs, (ins F64Attr:$p), Df_LayoutAttr);
  let results = (outs Df_FloatTensor:$result);
  let hasVerifier = 1;
}

#endif // DF_CONVOLUTION_OPS_TD
