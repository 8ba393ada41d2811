// Gathers, scatters and what is made of them: ops that move elements to and from places that data names.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_INDEXING_OPS_TD
#define DF_INDEXING_OPS_TD

include "dialects/Df/IR/DfBase.td"

//===-- primitives --------------------------------------------------------------===//

def Df_GatherOp : Df_PlainOp<"gather", [Df_Work<"GatherScatter">, Df_Moves, Df_BoundsIds, Df_Exact, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "elements or slices of a tensor at indices";
  let description = [{
    `axes` are the k dimensions of the operand that the components of an index name, `batch` those that the operand and the indices have in common. Indices are
    [batch.., s.., k], or [batch.., s..] where k is 1. The result has the operand's dimensions in order with s.. in the place of the first of `axes` and without the other ones:
    result[.., s.., ..] = operand[.., indices[batch.., s.., 0], .., indices[batch.., s.., k-1], ..].
    An index outside of its dimension fails the step before anything is read; with `skip_negative` an index with a negative component gives zeros.
    The gradient is `df.scatter` add of the cotangent into zeros; of rows by id (`axes` 0, no `batch`, one id for each row, `skip_negative`) the sums by id, as of `df.read_rows`.
    Constraints: (C1) `axes` and `batch` are strictly ascending dimensions of the operand that have none in common, `axes` at least one; (C2) indices have the form above with k the number of
    `axes`; (C3) the result has the shape above and the operand's element type.

    Example: `%y = df.gather %x, %i {axes = array<i64: 0>} : (tensor<5x?xf32>, tensor<3xi64>) -> tensor<3x?xf32>`
  }];
  let arguments = (ins Df_Tensor:$operand, Df_IdTensor:$indices, DenseI64ArrayAttr:$axes, DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$batch,
                       UnitAttr:$skip_negative);
  let results = (outs Df_Tensor:$result);
  let builders = [
    // The result's type is inferred.
    OpBuilder<(ins "::mlir::Value":$operand, "::mlir::Value":$indices, "::llvm::ArrayRef<int64_t>":$axes, "::llvm::ArrayRef<int64_t>":$batch,
                   "bool":$skipNegative)>,
    // Rows by id; an id < 0 gives zeros.
    OpBuilder<(ins "::mlir::Value":$table, "::mlir::Value":$ids)>];
  let extraClassDeclaration = [{
    /// Whether it takes rows by id: those of the first dimension, one id for each, zeros for negative ones.
    bool takesRows();
    /// The number of dimensions s..
    int64_t getNumPlaces();
  }];
}

def Df_ScatterOp : Df_PlainOp<"scatter", [Df_Work<"GatherScatter">, Df_BoundsIds, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "a tensor with elements or slices at indices updated";
  let description = [{
    `axes`, `batch` and the indices are as of `df.gather`, the updates have the shape of its result. The result is the operand in which each place that an index names is combined with its
    update, in the order of the indices: `set` puts the update there (the last one stays), `add`, `mul`, `min` and `max` combine as `df.add`, `df.mul`, `df.minimum` and `df.maximum` do.
    An index outside of its dimension fails the step before anything is written; with `skip_negative` an index with a negative component is skipped.
    Gradient: of the updates of `add` the gathered cotangent; of `set` that for the update that stays, and of the operand the cotangent with zeros at the indices; of `min` and `max`
    shared equally by operand and updates that reach the result; of `mul` the cotangent times the product of the other factors.
    Constraints: (C1) and (C2) as of `df.gather`; (C3) the updates have the shape of its result; (C4) the result has the operand's type; (C5) only `set` takes booleans and strings.

    Example: `%y = df.scatter add %x, %i, %u {axes = array<i64: 0>} : (tensor<5x?xf32>, tensor<3xi64>, tensor<3x?xf32>) -> tensor<5x?xf32>`
  }];
  let arguments = (ins Df_ScatterKindAttr:$kind, Df_Tensor:$operand, Df_IdTensor:$indices, Df_Tensor:$updates, DenseI64ArrayAttr:$axes,
                       DefaultValuedAttr<DenseI64ArrayAttr, "{}">:$batch, UnitAttr:$skip_negative);
  let results = (outs Df_Tensor:$result);
  let assemblyFormat = "`` $kind $operand `,` $indices `,` $updates attr-dict `:` functional-type(operands, results)";
  let extraClassDeclaration = [{
    /// The number of dimensions s.. of the indices.
    int64_t getNumPlaces();
  }];
}

def Df_NonzeroOp : Df_PlainOp<"nonzero", [Df_Work<"Movement">, Df_NeverFails, Df_InfersTypes]> {
  let summary = "coordinates of the true elements";
  let description = [{
    One row of coordinates for each true element, in row-major order: [number of true elements, rank]. Integers: no gradient.
    Constraints: (C1) the operand has rank >= 1 and the result is [?, rank].

    Example: `%i = df.nonzero %m : (tensor<?x4xi1>) -> tensor<?x2xi64>`
  }];
  let arguments = (ins Df_BoolTensor:$operand);
  let results = (outs Df_IdTensor:$result);
}

def Df_UniqueOp : Df_PlainOp<"unique", [Df_Work<"Sort">, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "the distinct values of a vector";
  let description = [{
    `values` are the u distinct values in the order of their first occurrence, with `sorted` ascending; element i of the operand is values[inverse[i]]; `counts` says how often each value occurs.
    (`df.group_ids` groups ids for sparse gradients and has room for as many as there are.) Constraints: (C1) the operand and `inverse` are [n], `values` and `counts` [?].

    Example: `%v, %i, %c = df.unique %x : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)`
  }];
  let arguments = (ins Df_IdTensor:$operand, UnitAttr:$sorted);
  let results = (outs Df_IdTensor:$values, Df_IdTensor:$inverse, Df_IdTensor:$counts);
  let extraClassDefinition = Df_Dimensions<[{
    map.all(getOperand(), getInverse());
    map.all(getValues(), getCounts());
  }]>.definition;
}

def Df_RequireOp : Df_Op<"require", [Df_Work<"Free">, MemoryEffects<[MemWrite<Df_State>]>]> {
  let summary = "fails the step unless a condition holds";
  let description = [{
    The error says `message` and the place of the op. Keeps its place among the ops on state.

    Example: `df.require %ok, "the batch must not be empty" : tensor<i1>`
  }];
  let arguments = (ins Df_ScalarBool:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
}

def Df_RequireSameSizeOp : Df_Op<"require_same_size", [Df_Work<"Free">, MemoryEffects<[MemWrite<Df_State>]>]> {
  let summary = "fails the step unless two dimensions are equally large";
  let description = [{
    What the verifier cannot know of dynamic dimensions; `df-require-sizes` puts it before the op that needs it, which is named `user` in the error beside the place and `message`.
    Constraints: (C1) dimensions are within the operands' ranks; (C2) of static ones the sizes are equal.

    Example: `df.require_same_size %x[0], %y[1] for "df.add", "operands must have one shape" : tensor<?xf32>, tensor<2x?xf32>`
  }];
  let arguments = (ins AnyRankedTensor:$lhs, I64Attr:$lhs_dimension, AnyRankedTensor:$rhs, I64Attr:$rhs_dimension, StrAttr:$user, StrAttr:$message);
  let assemblyFormat = "$lhs `[` $lhs_dimension `]` `,` $rhs `[` $rhs_dimension `]` `for` $user `,` $message attr-dict `:` type($lhs) `,` type($rhs)";
  let hasVerifier = 1;
}

//===-- composites --------------------------------------------------------------===//

def Df_TakeAlongAxisOp : Df_PlainOp<"take_along_axis", [Df_Work<"GatherScatter">, Df_MovesSome, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "elements along an axis, each position with its own index";
  let description = [{
    result[.., i, ..] = operand[.., indices[.., i, ..], ..] along `axis`. Composite of `df.gather`. Constraints: (C1) `axis` is within the rank; (C2) operand and indices
    agree in all dimensions but `axis`; (C3) the result has the indices' shape and the operand's element type.

    Example: `%y = df.take_along_axis %x, %i {axis = 1 : i64} : (tensor<?x5xf32>, tensor<?x2xi64>) -> tensor<?x2xf32>`
  }];
  let arguments = (ins Df_Tensor:$operand, Df_IdTensor:$indices, I64Attr:$axis);
  let results = (outs Df_Tensor:$result);
  let extraClassDefinition = Df_Dimensions<[{
    map.all(getIndices(), getResult());
    map.all(getOperand(), getIndices(), {static_cast<int64_t>(getAxis())});
  }]>.definition;
}

def Df_ScatterAlongAxisOp : Df_PlainOp<"scatter_along_axis", [Df_Work<"GatherScatter">, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "a tensor with elements along an axis updated, each position with its own index";
  let description = [{
    For each position, in order: result[.., indices[.., i, ..], ..] is combined with updates[.., i, ..] as `df.scatter` does. Composite of it. Constraints: (C1) `axis` is within the rank; (C2)
    operand and indices agree in all dimensions but `axis`; (C3) the updates have the indices' shape and the operand's element type; (C4) the result has the operand's type.

    Example: `%y = df.scatter_along_axis add %x, %i, %u {axis = 1 : i64} : (tensor<?x5xf32>, tensor<?x2xi64>, tensor<?x2xf32>) -> tensor<?x5xf32>`
  }];
  let arguments = (ins Df_ScatterKindAttr:$kind, Df_Tensor:$operand, Df_IdTensor:$indices, Df_Tensor:$updates, I64Attr:$axis);
  let results = (outs Df_Tensor:$result);
  let assemblyFormat = "`` $kind $operand `,` $indices `,` $updates attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = Df_Dimensions<[{
    map.all(getOperand(), getResult());
    map.all(getOperand(), getIndices(), {static_cast<int64_t>(getAxis())});
    map.all(getIndices(), getUpdates());
  }]>.definition;
}

def Df_SegmentReduceOp : Df_PlainOp<"segment_reduce", [Df_Work<"Reduction">, Df_MapsDimensions, Df_FreeResultType<"it says how many segments there are">]> {
  let summary = "reduces the rows of each segment";
  let description = [{
    result[s, ..] combines values[i, ..] over all i with ids[i] = s, in order of i: `sum` (0 of nothing), `prod` (1), `max`, `min` (the least, the largest value of the type), `mean` (the sum divided by
    the number of rows, 0 of nothing). Ids need not be sorted; rows with a negative id are dropped, an id >= the number of segments fails the step. Composite of `df.scatter`.
    Constraints: (C1) values are [n, ..], ids [n], the result [segments, ..] of the values' element type; (C2) the number of segments is static; (C3) `mean` is of floats.

    Example: `%y = df.segment_reduce sum %v, %ids : (tensor<?x8xf32>, tensor<?xi64>) -> tensor<10x8xf32>`
  }];
  let arguments = (ins Df_RowReductionAttr:$kind, Df_NumberTensor:$values, Df_IdTensor:$ids);
  let results = (outs Df_NumberTensor:$result);
  let assemblyFormat = "`` $kind $values `,` $ids attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let extraClassDefinition = Df_Dimensions<[{
    map.all(getValues(), getResult(), {0});
    map.rows(getValues(), getIds());
  }]>.definition;
}

def Df_BooleanMaskOp : Df_PlainOp<"boolean_mask", [Df_Work<"GatherScatter">, Df_MovesSome, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "the elements or slices where a mask is true";
  let description = [{
    result[j, ..] = operand[place j, ..] for the places where the mask is true, in row-major order. Composite of `df.nonzero` and `df.gather`.
    Constraints: (C1) the mask has rank >= 1 and the operand's leading dimensions; (C2) the result is [?, the operand's other dimensions] of its element type.

    Example: `%y = df.boolean_mask %x, %m : (tensor<?x4xf32>, tensor<?xi1>) -> tensor<?x4xf32>`
  }];
  let arguments = (ins Df_Tensor:$operand, Df_BoolTensor:$mask);
  let results = (outs Df_Tensor:$result);
}

def Df_DynamicPartitionOp : Df_PlainOp<"dynamic_partition", [Df_Work<"GatherScatter">, Df_NeverFails, Df_MapsDimensions, Df_FreeResultType<"there are as many parts as results">]> {
  let summary = "rows by the number of their part";
  let description = [{
    Result k has the rows i with parts[i] = k, in order of i; rows with other numbers are in none. Composite of `df.boolean_mask`. Constraints: (C1) parts are [n] for an operand [n, ..];
    (C2) each result is [?, the rest of the operand's shape] of its element type.

    Example: `%a, %b = df.dynamic_partition %x, %p : (tensor<?x4xf32>, tensor<?xi64>) -> (tensor<?x4xf32>, tensor<?x4xf32>)`
  }];
  let arguments = (ins Df_Tensor:$operand, Df_IdTensor:$parts);
  let results = (outs Variadic<Df_Tensor>:$results);
  let hasVerifier = 1;
  let extraClassDefinition = Df_Dimensions<[{
    map.rows(getOperand(), getParts());
    for (::mlir::Value part : getResults()) map.all(getOperand(), part, {0});
  }]>.definition;
}

def Df_DynamicStitchOp : Df_Op<"dynamic_stitch", [Df_Work<"GatherScatter">, Df_MapsDimensions, Df_EffectFree, SameVariadicOperandSize, Df_InfersTypes]> {
  let summary = "rows of several tensors by their places";
  let description = [{
    result[indices_k[i], ..] = data_k[i, ..]; of several rows of one place the last one stays, rows that no index names are zeros. There are as many rows as the largest index says. A negative index
    fails the step. Composite of `df.scatter`. Constraints: (C1) at least one pair, indices are [n], data [n, ..]; (C2) the result is [?, ..] with the rest of the shape of all data and their element type.

    Example: `%y = df.dynamic_stitch %i, %j data %a, %b : (tensor<?xi64>, tensor<3xi64>, tensor<?x4xf32>, tensor<3x4xf32>) -> tensor<?x4xf32>`
  }];
  let arguments = (ins Variadic<Df_IdTensor>:$indices, Variadic<Df_NumberTensor>:$data);
  let results = (outs Df_NumberTensor:$result);
  let assemblyFormat = "$indices `data` $data attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = Df_Dimensions<[{
    for (auto [indices, data] : ::llvm::zip(getIndices(), getData())) { map.rows(indices, data);
    map.all(data, getResult(), {0}); }
  }]>.definition;
}

def Df_ReverseSequenceOp : Df_PlainOp<"reverse_sequence", [Df_Work<"Movement">, Df_MovesAll, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "the first elements of each sequence in reverse";
  let description = [{
    For each b along `batch_axis` the first lengths[b] elements along `seq_axis` are reversed, the others stay. Composite of `df.gather`. Constraints: (C1) the axes are two dimensions of the operand;
    (C2) lengths are [size of batch_axis]; (C3) the result has the operand's type.

    Example: `%y = df.reverse_sequence %x, %n {seq_axis = 1 : i64, batch_axis = 0 : i64} : (tensor<?x5xf32>, tensor<?xi64>) -> tensor<?x5xf32>`
  }];
  let arguments = (ins Df_Tensor:$operand, Df_IdTensor:$lengths, I64Attr:$seq_axis, I64Attr:$batch_axis);
  let results = (outs Df_Tensor:$result);
  let extraClassDefinition = Df_Dimensions<[{
    map.all(getOperand(), getResult());
    map.same(getOperand(), getBatchAxis(), getLengths(), 0);
  }]>.definition;
}

#endif // DF_INDEXING_OPS_TD
