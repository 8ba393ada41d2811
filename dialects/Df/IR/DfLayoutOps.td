// Slices, pads, shapes of run time and what is made of them: ops that move elements to places that the op names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_LAYOUT_OPS_TD
#define DF_LAYOUT_OPS_TD

include "dialects/Df/IR/DfBase.td"

//===-- primitives --------------------------------------------------------------===//

def Df_SliceOp : Df_PlainOp<"slice", [Df_Work<"Movement">, Df_MovesSome, Df_Exact, Df_TellsIfItFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "a range of each axis, with strides";
  let description = [{
    result[i, ..] = operand[starts[0] + i * strides[0], ..]. A size of -1 takes all up to the end: ceil((n - start) / stride) of n, 0 if start > n. Without `strides` all are 1.
    The gradient is `df.pad` with zeros. Where a dimension is dynamic, a range beyond its end fails the step.
    Constraints: (C1) `starts`, `sizes` and `strides` have one entry for each dimension, starts >= 0, sizes >= -1, strides >= 1; (C2) ranges are within static dimensions; (C3) the result has the sizes and the
    operand's element type.

    Example: `%y = df.slice %x {starts = array<i64: 0, 1>, sizes = array<i64: -1, 2>, strides = array<i64: 1, 2>} : (tensor<?x5xf32>) -> tensor<?x2xf32>`
  }];
  let arguments = (ins Df_Tensor:$operand, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$sizes,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$strides);
  let results = (outs Df_Tensor:$result);
  let hasFolder = 1;
  // `size` elements of `axis`, which is static, from `start` on.
  let builders = [OpBuilder<(ins "::mlir::Value":$operand, "int64_t":$axis, "int64_t":$start, "int64_t":$size)>];
  let extraClassDeclaration = [{
    int64_t getStride(int64_t d) { return getStrides().empty() ? 1 : getStrides()[d]; }
    /// Whether the result has all of dimension `d` of the operand.
    bool isWhole(int64_t d);
    /// The one dimension of which the result may have a part, which is static and has a stride of 1; none if there is no such one.
    std::optional<int64_t> getAxis();
    /// The number of elements along dimension `d`, or dynamic.
    int64_t getSize(int64_t d) { return getType().getDimSize(d); }
  }];
  let extraClassDefinition = Df_Dimensions<[{
    for (int64_t d = 0, e = rankOf(getOperand()); d < e; ++d) if (isWhole(d)) map.same(getOperand(), d, getResult(), d);
  }]>.definition;
}

def Df_UpdateSliceOp : Df_PlainOp<"update_slice", [Df_Work<"Movement">, Df_MovesOperands, Df_Exact, Df_TellsIfItFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "a tensor with a range of each axis replaced";
  let description = [{
    result is the operand with result[starts[0] + i * strides[0], ..] = update[i, ..]. Gradient: of the update the slice of the cotangent, of the operand the cotangent with zeros there.
    Where a dimension is dynamic, a range beyond its end fails the step.
    Constraints: (C1) `starts` and `strides` have one entry for each dimension, starts >= 0, strides >= 1; (C2) the ranges of static dimensions are within them; (C3) the update has the operand's rank
    and element type; (C4) the result has the operand's type.

    Example: `%y = df.update_slice %x, %u {starts = array<i64: 0, 1>, strides = array<i64: 1, 2>} : (tensor<?x5xf32>, tensor<?x2xf32>) -> tensor<?x5xf32>`
  }];
  let arguments = (ins Df_Tensor:$operand, Df_Tensor:$update, DenseI64ArrayAttr:$starts, DenseI64ArrayAttr:$strides);
  let results = (outs Df_Tensor:$result);
  let extraClassDefinition = Df_DimensionsOf<"Operand">.definition;
}

def Df_DynamicSliceOp : Df_PlainOp<"dynamic_slice", [Df_Work<"Movement">, Df_MovesSome, Df_Measures<2>, Df_Exact, Df_MapsDimensions, Df_FreeResultType<"without `like` it says the sizes">]> {
  let summary = "a range of each axis from places known at run time";
  let description = [{
    result[i, ..] = operand[starts[0] + i, ..]. A range that is not within the operand fails the step. Sizes are the result's, where it is dynamic those of `like`.
    The gradient is `df.dynamic_update_slice` of zeros. Constraints: (C1) starts are [rank]; (C2) the result has the operand's rank and element type, and its static dimensions are
    within the operand's; (C3) a dynamic result needs `like` of its shape.

    Example: `%y = df.dynamic_slice %x, %s : (tensor<?x5xf32>, tensor<2xi64>) -> tensor<1x2xf32>`
  }];
  let arguments = (ins Df_Tensor:$operand, Df_IdTensor:$starts, Optional<Df_Tensor>:$like);
  let results = (outs Df_Tensor:$result);
  let hasVerifier = 1;
  let extraClassDefinition = Df_DimensionsOf<"Like">.definition;
}

def Df_DynamicUpdateSliceOp : Df_PlainOp<"dynamic_update_slice", [Df_Work<"Movement">, Df_Moves, Df_Exact, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "a tensor with a range of each axis replaced, from places known at run time";
  let description = [{
    The result is the operand with result[starts[0] + i, ..] = update[i, ..]. A range that is not within the operand fails the step before anything is written. Gradient: of the update
    the slice of the cotangent, of the operand the cotangent with zeros there. Constraints: (C1) starts are [rank]; (C2) the update has the operand's rank and element type, and its static dimensions are within the
    operand's; (C3) the result has the operand's type.

    Example: `%y = df.dynamic_update_slice %x, %u, %s : (tensor<?x5xf32>, tensor<1x2xf32>, tensor<2xi64>) -> tensor<?x5xf32>`
  }];
  let arguments = (ins Df_Tensor:$operand, Df_Tensor:$update, Df_IdTensor:$starts);
  let results = (outs Df_Tensor:$result);
  let extraClassDefinition = Df_DimensionsOf<"Operand">.definition;
}

def Df_PadOp : Df_PlainOp<"pad", [Df_Work<"Movement">, Df_Moves, Df_Exact, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "a value around and between the elements of each axis";
  let description = [{
    result[low[0] + i * (interior[0] + 1), ..] = operand[i, ..], all others are `value`, or 0 without it. Without `interior` there is nothing between.
    Gradient: of the operand the slice of the cotangent, of the value the sum of the rest. Constraints: (C1) `low`, `high` and `interior` have one entry >= 0 for each dimension; (C2) a dimension of n
    becomes low + n + max(n - 1, 0) * interior + high; (C3) the value is a scalar of the element type, and there is one unless that is a number.

    Example: `%y = df.pad %x, %v {low = array<i64: 0, 1>, high = array<i64: 0, 2>} : (tensor<?x5xf32>, tensor<f32>) -> tensor<?x8xf32>`
  }];
  let arguments = (ins Df_Tensor:$operand, Optional<Df_Tensor>:$value, DenseI64ArrayAttr:$low, DenseI64ArrayAttr:$high,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$interior);
  let results = (outs Df_Tensor:$result);
  // `low` zeros before and `high` after the elements of `axis`, which is static.
  let builders = [OpBuilder<(ins "::mlir::Value":$operand, "int64_t":$axis, "int64_t":$low, "int64_t":$high)>];
  let extraClassDeclaration = [{
    int64_t getGap(int64_t d) { return getInterior().empty() ? 0 : getInterior()[d]; }
  }];
  let extraClassDefinition = Df_Dimensions<[{
    for (int64_t d = 0, e = rankOf(getOperand()); d < e; ++d) if (getLow()[d] == 0 && getHigh()[d] == 0 && getGap(d) == 0) map.same(getOperand(), d, getResult(), d);
  }]>.definition;
}

def Df_ReverseOp : Df_Op<"reverse", [Df_Work<"Movement">, Df_MovesAll, Df_Exact, Df_MapsDimensions, Df_EffectFree, Df_NeverFails, Df_JoinsTypes]> {
  let summary = "elements in reverse order along axes";
  let description = [{
    Its own gradient. Constraints: (C1) `axes` are strictly ascending dimensions.

    Example: `%y = df.reverse %x {axes = array<i64: 0>} : tensor<?x4xf32>`
  }];
  let arguments = (ins Df_Tensor:$operand, DenseI64ArrayAttr:$axes);
  let results = (outs Df_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<JoinedTypes>(type($operand), type($result))";
  let hasVerifier = 1;
  let hasFolder = 1;
  let extraClassDefinition = Df_DimensionsOf<"Operand">.definition;
}

def Df_IotaOp : Df_PlainOp<"iota", [Df_Work<"Movement">, Df_InfersIntegers, Df_Measures<0>, Df_MadeWhereUsed, Df_Exact, Df_NeverFails, Df_MapsDimensions, Df_FreeResultType<"it says the shape and the element type">]> {
  let summary = "positions along an axis";
  let description = [{
    result[.., i, ..] = i along `axis`. The shape is the type's, where that is dynamic that of `like`. Constraints: (C1) `axis` is within the rank; (C2) a dynamic result needs `like` of its shape.

    Example: `%i = df.iota {axis = 1 : i64} : () -> tensor<2x5xi64>`
  }];
  let arguments = (ins Optional<Df_Tensor>:$like, I64Attr:$axis);
  let results = (outs Df_NumberTensor:$result);
  let hasVerifier = 1;
  let extraClassDefinition = Df_DimensionsOf<"Like">.definition;
}

def Df_ShapeOp : Df_PlainOp<"shape", [Df_Work<"Free">, Df_Measures<0>, Df_MadeWhereUsed, Df_NeverFails, Df_InfersTypes]> {
  let summary = "sizes of a tensor's dimensions";
  let description = [{
    Constraints: (C1) the result is [rank of the operand].

    Example: `%s = df.shape %x : (tensor<?x4xf32>) -> tensor<2xi64>`
  }];
  let arguments = (ins Df_Tensor:$operand);
  let results = (outs Df_IdTensor:$result);
  let hasFolder = 1;
}

def Df_DynamicBroadcastOp : Df_PlainOp<"dynamic_broadcast", [Df_Work<"Movement">, Df_MovesAll, Df_Exact, Df_MapsDimensions, Df_FreeResultType<"it says what is known of the shape">]> {
  let summary = "repeats a tensor to a shape known at run time";
  let description = [{
    As `df.broadcast` where the result's shape is the operand `shape`. Dimensions of the operand that its type says are 1 repeat. A size that is negative, contradicts the type or differs from that of another dimension of the operand fails the step. The
    gradient sums over what repeats. Constraints: (C1) `dimensions` has one entry for each dimension of the operand, strictly ascending, within the result's rank; (C2) each static dimension of the operand is 1 or
    that of the result, if that is static; (C3) shape is [rank of the result]; (C4) element types of operand and result agree.

    Example: `%y = df.dynamic_broadcast %b, %s {dimensions = array<i64: 1>} : (tensor<4xf32>, tensor<2xi64>) -> tensor<?x4xf32>`
  }];
  let arguments = (ins Df_Tensor:$operand, Df_IdTensor:$shape, DenseI64ArrayAttr:$dimensions);
  let results = (outs Df_Tensor:$result);
  let hasVerifier = 1;
}

def Df_DynamicReshapeOp : Df_PlainOp<"dynamic_reshape", [Df_Work<"Free">, Df_MovesAll, Df_Exact, Df_FreeResultType<"it says what is known of the shape">]> {
  let summary = "the same elements in row-major order under a shape known at run time";
  let description = [{
    One size may be -1: it is what the others leave of the elements. Another negative size, two of -1, or a shape that does not hold the elements or contradicts the type fails the step.
    Constraints: (C1) shape is [rank of the result]; (C2) element types agree.

    Example: `%y = df.dynamic_reshape %x, %s : (tensor<?x4xf32>, tensor<2xi64>) -> tensor<?x?xf32>`
  }];
  let arguments = (ins Df_Tensor:$operand, Df_IdTensor:$shape);
  let results = (outs Df_Tensor:$result);
  let hasVerifier = 1;
}

//===-- composites --------------------------------------------------------------===//

def Df_SplitOp : Df_PlainOp<"split", [Df_Work<"Movement">, Df_MovesSome, Df_NeverFails, Df_MapsDimensions, Df_FreeResultType<"its results say where it is cut">]> {
  let summary = "parts of a tensor along an axis";
  let description = [{
    The parts follow each other along `axis`. Composite of `df.slice`. Constraints: (C1) `axis` is a static dimension of the operand; (C2) the parts have the operand's other dimensions and element type; (C3) their
    sizes along `axis` are static and add up to the operand's.

    Example: `%a, %b = df.split %x {axis = 1 : i64} : (tensor<?x5xf32>) -> (tensor<?x2xf32>, tensor<?x3xf32>)`
  }];
  let arguments = (ins Df_Tensor:$operand, I64Attr:$axis);
  let results = (outs Variadic<Df_Tensor>:$results);
  let hasVerifier = 1;
  let extraClassDefinition = Df_Dimensions<[{
    for (::mlir::Value part : getResults()) map.all(getOperand(), part, {static_cast<int64_t>(getAxis())});
  }]>.definition;
}

def Df_UnstackOp : Df_PlainOp<"unstack", [Df_Work<"Movement">, Df_MovesSome, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "the slices of an axis";
  let description = [{
    Result k is operand[.., k, ..]. Composite of `df.slice` and `df.reshape`. Constraints: (C1) `axis` is a static dimension of the operand, of 65,536 elements at most, there is one result for each of them; (C2) the results have
    the operand's other dimensions and element type.

    Example: `%a, %b = df.unstack %x {axis = 1 : i64} : (tensor<?x2x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)`
  }];
  let arguments = (ins Df_Tensor:$operand, I64Attr:$axis);
  let results = (outs Variadic<Df_Tensor>:$results);
  let extraClassDefinition = Df_Dimensions<[{
    for (::mlir::Value part : getResults()) map.without(getOperand(), {static_cast<int64_t>(getAxis())}, part);
  }]>.definition;
}

def Df_StackOp : Df_PlainOp<"stack", [Df_Work<"Movement">, Df_MovesOperands, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "tensors one after another along a new axis";
  let description = [{
    result[.., k, ..] = operand k. Composite of `df.reshape` and `df.concat`. Constraints: (C1) at least one operand, all of one type; (C2) the result has the operands' shape with their number in
    a new dimension `axis`.

    Example: `%y = df.stack %a, %b {axis = 1 : i64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?x2x4xf32>`
  }];
  let arguments = (ins Variadic<Df_Tensor>:$operands, I64Attr:$axis);
  let results = (outs Df_Tensor:$result);
  let extraClassDefinition = Df_Dimensions<[{
    for (::mlir::Value part : getOperands()) map.without(getResult(), {static_cast<int64_t>(getAxis())}, part);
  }]>.definition;
}

def Df_TileOp : Df_PlainOp<"tile", [Df_Work<"Movement">, Df_MovesAll, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "a tensor repeated along each axis";
  let description = [{
    Dimension d of the result is multiples[d] times that of the operand, whose elements repeat as a whole. Composite of `df.concat`. Constraints: (C1) `multiples` has one entry >= 1 for each
    dimension; (C2) the result has the multiplied sizes and the element type.

    Example: `%y = df.tile %x {multiples = array<i64: 1, 2>} : (tensor<?x3xf32>) -> tensor<?x6xf32>`
  }];
  let arguments = (ins Df_Tensor:$operand, DenseI64ArrayAttr:$multiples);
  let results = (outs Df_Tensor:$result);
  let extraClassDefinition = Df_Dimensions<[{
    for (int64_t d = 0, e = rankOf(getOperand()); d < e; ++d) if (getMultiples()[d] == 1) map.same(getOperand(), d, getResult(), d);
  }]>.definition;
}

def Df_RollOp : Df_Op<"roll", [Df_Work<"Movement">, Df_MovesAll, Df_MapsDimensions, Df_EffectFree, Df_NeverFails, Df_JoinsTypes]> {
  let summary = "elements shifted along an axis, those that leave come in on the other side";
  let description = [{
    result[.., (i + shift) mod n, ..] = operand[.., i, ..]. Composite of `df.slice` and `df.concat`. Constraints: (C1) `axis` is a static dimension.

    Example: `%y = df.roll %x {axis = 1 : i64, shift = 2 : i64} : tensor<?x5xf32>`
  }];
  let arguments = (ins Df_Tensor:$operand, I64Attr:$axis, I64Attr:$shift);
  let results = (outs Df_Tensor:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<JoinedTypes>(type($operand), type($result))";
  let hasVerifier = 1;
  let extraClassDefinition = Df_DimensionsOf<"Operand">.definition;
}

def Df_MirrorPadOp : Df_PlainOp<"mirror_pad", [Df_Work<"Movement">, Df_MovesAll, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "an axis continued beyond its ends by its own elements";
  let description = [{
    `low` elements before and `high` after: `reflect` mirrors at the first and the last element without repeating it, `symmetric` repeats it, `edge` repeats nothing else. Composite of `df.gather`.
    Constraints: (C1) `axis` is a static dimension of n >= 1 and low, high >= 0; (C2) low and high are at most n (symmetric) or n - 1 (reflect); (C3) the result has low + n + high there and
    the operand's dimensions elsewhere.

    Example: `%y = df.mirror_pad reflect %x {axis = 1 : i64, low = 2 : i64, high = 1 : i64} : (tensor<?x5xf32>) -> tensor<?x8xf32>`
  }];
  let arguments = (ins Df_PadModeAttr:$mode, Df_Tensor:$operand, I64Attr:$axis, I64Attr:$low, I64Attr:$high);
  let results = (outs Df_Tensor:$result);
  let assemblyFormat = "`` $mode $operand attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = Df_Dimensions<[{
    map.all(getOperand(), getResult(), {static_cast<int64_t>(getAxis())});
  }]>.definition;
}

def Df_EyeOp : Df_PlainOp<"eye", [Df_Work<"Elementwise">, Df_MadeWhereUsed, Df_Exact, Df_NeverFails, Df_FreeResultType<"it says the shape and the element type">]> {
  let summary = "a matrix with ones on a diagonal";
  let description = [{
    result[.., i, j] = 1 where j - i = `offset`, else 0. Composite of `df.iota`. Constraints: (C1) the result is static of rank >= 2.

    Example: `%y = df.eye {offset = 0 : i64} : () -> tensor<3x4xf32>`
  }];
  let arguments = (ins DefaultValuedAttr<I64Attr, "0">:$offset);
  let results = (outs Df_NumberTensor:$result);
  let hasVerifier = 1;
}

def Df_BandPartOp : Df_Op<"band_part", [Df_Work<"Elementwise">, Df_Exact, Df_MapsDimensions, Df_EffectFree, Df_NeverFails, Df_JoinsTypes]> {
  let summary = "a matrix with zeros outside of a band";
  let description = [{
    Keeps [.., i, j] where i - j <= `lower` and j - i <= `upper`; -1 keeps all on that side (lower = -1, upper = 0 is the lower triangle). Composite of `df.iota` and `df.select`.
    Constraints: (C1) the rank is >= 2; (C2) `lower`, `upper` >= -1.

    Example: `%y = df.band_part %x {lower = -1 : i64, upper = 0 : i64} : tensor<?x4x4xf32>`
  }];
  let arguments = (ins Df_NumberTensor:$operand, I64Attr:$lower, I64Attr:$upper);
  let results = (outs Df_NumberTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` custom<JoinedTypes>(type($operand), type($result))";
  let hasVerifier = 1;
  let extraClassDefinition = Df_DimensionsOf<"Operand">.definition;
}

def Df_DiagOp : Df_PlainOp<"diag", [Df_Work<"Movement">, Df_Moves, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "square matrices of their diagonals";
  let description = [{
    result[.., i, j] = operand[.., i] where i = j, else 0. Composite of `df.pad` and `df.reshape`. Constraints: (C1) the operand has rank >= 1, the result its shape with
    the last dimension, which is static, twice, and its element type.

    Example: `%y = df.diag %x : (tensor<?x4xf32>) -> tensor<?x4x4xf32>`
  }];
  let arguments = (ins Df_NumberTensor:$operand);
  let results = (outs Df_NumberTensor:$result);
  let extraClassDefinition = Df_DimensionsOf<"Operand">.definition;
}

def Df_DiagPartOp : Df_PlainOp<"diag_part", [Df_Work<"Movement">, Df_MovesSome, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "the diagonals of square matrices";
  let description = [{
    result[.., i] = operand[.., i, i]. Composite of `df.reshape` and `df.slice`. Constraints: (C1) the operand has rank >= 2, its last two dimensions are static and equal, the result is
    without the last one and has the element type.

    Example: `%y = df.diag_part %x : (tensor<?x4x4xf32>) -> tensor<?x4xf32>`
  }];
  let arguments = (ins Df_NumberTensor:$operand);
  let results = (outs Df_NumberTensor:$result);
  let extraClassDefinition = Df_DimensionsOf<"Operand">.definition;
}

def Df_LinspaceOp : Df_PlainOp<"linspace", [Df_Work<"Elementwise">, Df_NeverFails, Df_FreeResultType<"it says how many numbers there are">]> {
  let summary = "numbers at equal distances";
  let description = [{
    n numbers: start + i * ((stop - start) / (n - 1)), of which the last one is `stop` itself; one number alone is `start`. Composite of `df.iota`. Constraints: (C1) start and stop are scalars of the result's element type,
    which is [n], static.

    Example: `%y = df.linspace %a, %b : (tensor<f32>, tensor<f32>) -> tensor<5xf32>`
  }];
  let arguments = (ins Df_ScalarFloat:$start, Df_ScalarFloat:$stop);
  let results = (outs Df_FloatTensor:$result);
  let hasVerifier = 1;
}

def Df_RangeOp : Df_PlainOp<"range", [Df_Work<"Elementwise">, Df_InfersTypes]> {
  let summary = "numbers from a start to a limit";
  let description = [{
    start + i * delta for 0 <= i < ceil((limit - start) / delta), which is computed in f64; none if that is negative. A delta of 0 fails the step. Integers must be less than 2^53. No gradient. Composite of `df.iota` and
    `df.dynamic_broadcast`. Constraints: (C1) the operands are scalars of the result's element type, the result is [?].

    Example: `%y = df.range %a, %b, %d : (tensor<i64>, tensor<i64>, tensor<i64>) -> tensor<?xi64>`
  }];
  let arguments = (ins Df_NumberTensor:$start, Df_NumberTensor:$limit, Df_NumberTensor:$delta);
  let results = (outs Df_NumberTensor:$result);
}

def Df_MeshgridOp : Df_PlainOp<"meshgrid", [Df_Work<"Movement">, Df_MovesOperands, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "coordinates of the points of a grid";
  let description = [{
    For k vectors of n1, n2, .., nk elements, k tensors of one shape: [n1, n2, .., nk] with indexing `ij`, and with `xy` the first two of these sizes exchanged, [n2, n1, n3, ..]. Result j repeats vector j along all
    dimensions but its own. The gradient sums over what repeats. Composite of `df.broadcast` or, where a size is dynamic, `df.dynamic_broadcast`.
    Constraints: (C1) the operands are at least one vector, all of one element type; (C2) there is a result for each, of that element type and the sizes above.

    Example: `%x, %y = df.meshgrid xy %a, %b : (tensor<4xf32>, tensor<?xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>)`
  }];
  let arguments = (ins Df_GridIndexingAttr:$indexing, Variadic<Df_Tensor>:$operands);
  let results = (outs Variadic<Df_Tensor>:$results);
  let assemblyFormat = "`` $indexing $operands attr-dict `:` functional-type(operands, results)";
}

class Df_BlockOp<string opMnemonic, string what, string formula> : Df_PlainOp<opMnemonic, [Df_Work<"Movement">, Df_MovesAll, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = what;
  let description = formula # [{
    Composite of `df.reshape` and `df.transpose`. Constraints: (C1) operand and result are [n, h, w, c] of one element type, all but n static; (C2) `block` >= 1 and sizes are as above.
  }];
  let arguments = (ins Df_Tensor:$operand, I64Attr:$block);
  let results = (outs Df_Tensor:$result);
  let extraClassDefinition = Df_Dimensions<"map.rows(getOperand(), getResult());">.definition;
}
def Df_SpaceToDepthOp : Df_BlockOp<"space_to_depth", "blocks of pixels to channels",
  [{[n, h, w, c] to [n, h / b, w / b, b * b * c]: channel (dy * b + dx) * c + k of the result is channel k of pixel (dy, dx) of the block.

    Example: `%y = df.space_to_depth %x {block = 2 : i64} : (tensor<?x4x6x3xf32>) -> tensor<?x2x3x12xf32>`
  }]>;
def Df_DepthToSpaceOp : Df_BlockOp<"depth_to_space", "channels to blocks of pixels",
  [{[n, h, w, b * b * c] to [n, h * b, w * b, c]: the inverse of `df.space_to_depth`.

    Example: `%y = df.depth_to_space %x {block = 2 : i64} : (tensor<?x2x3x12xf32>) -> tensor<?x4x6x3xf32>`
  }]>;

def Df_ResizeOp : Df_PlainOp<"resize", [Df_Work<"Composite">, Df_NeverFails, Df_MapsDimensions, Df_FreeResultType<"it says the sizes">]> {
  let summary = "an image at another size";
  let description = [{
    Dimensions 1 to rank - 2 get the result's sizes, one after another. With n and m the sizes before and after, position i of the result is at x = i * n / m of the operand, with `half_pixel`
    (i + 0.5) * n / m - 0.5, with `align_corners` i * (n - 1) / (m - 1) (0 if m = 1). `nearest` takes the element at floor(x) (`half_pixel`: floor((i + 0.5) * n / m); `align_corners`: floor(x + 0.5)); `linear`
    weighs those at floor(x) and floor(x) + 1 by 1 - f and f, the fraction of x; `cubic` the four around by the cubic convolution kernel with a = -0.75. Positions beyond the ends are those at the ends. Composite of `df.gather`.
    Constraints: (C1) operand and result have one rank >= 3 and equal first and last dimensions and element types; (C2) the dimensions between are static and >= 1;
    (C3) not both `half_pixel` and `align_corners`.

    Example: `%y = df.resize linear %x {half_pixel} : (tensor<?x4x4x3xf32>) -> tensor<?x8x8x3xf32>`
  }];
  let arguments = (ins Df_InterpolationAttr:$mode, Df_FloatTensor:$operand, UnitAttr:$half_pixel, UnitAttr:$align_corners);
  let results = (outs Df_FloatTensor:$result);
  let assemblyFormat = "`` $mode $operand attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let extraClassDefinition = Df_Dimensions<[{
    map.rows(getOperand(), getResult());
    map.same(getOperand(), rankOf(getOperand()) - 1, getResult(), rankOf(getOperand()) - 1);
  }]>.definition;
}

def Df_SequenceMaskOp : Df_PlainOp<"sequence_mask", [Df_Work<"Elementwise">, Df_NeverFails, Df_MapsDimensions, Df_FreeResultType<"it says the greatest length">]> {
  let summary = "which positions are within a length";
  let description = [{
    result[.., i] = i < lengths[..]. Composite of `df.iota` and `df.compare`. Constraints: (C1) the result has the lengths' shape and one more, static dimension.

    Example: `%m = df.sequence_mask %n : (tensor<?xi64>) -> tensor<?x5xi1>`
  }];
  let arguments = (ins Df_IdTensor:$lengths);
  let results = (outs Df_BoolTensor:$result);
  let hasVerifier = 1;
  let extraClassDefinition = Df_DimensionsOf<"Lengths">.definition;
}

#endif // DF_LAYOUT_OPS_TD
