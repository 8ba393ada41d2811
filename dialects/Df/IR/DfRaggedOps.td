// Ops of multi-valued features: rows of different lengths after one another.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_RAGGED_OPS_TD
#define DF_RAGGED_OPS_TD

include "dialects/Df/IR/DfBase.td"
include "dialects/Df/IR/DfForms.td"

def Df_RaggedReduceOp : Df_PlainOp<"ragged_reduce", [Df_CompositeForms, Df_Work<"Reduction">, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "reduces the values of each row";
  let description = [{
    `ends` ascend, the last one is n; row r has the values ends[r-1] (0 for r = 0) to ends[r]. result[r] combines them in that order: `sum` (0 + values[ends[r-1]] + ..; 0 for a row without values), `prod` (1), `max`, `min`
    (the least, the largest value of the type), `mean` (the sum divided by the number of values, 0 of nothing). Other ends fail the step. (`df.segment_reduce` has an id for each row instead.)
    Gradient of a sum of floats: `df.ragged_repeat`. All but sums of floats are composites of `df.ragged_repeat` and `df.scatter`.
    Constraints: (C1) values are [n, ...], ends [m] and the result [m, ...] of the values' element type; (C2) `mean` is of floats.

    Example: `%s = df.ragged_reduce sum %v, %ends : (tensor<?x8xf32>, tensor<?xi64>) -> tensor<?x8xf32>`
  }];
  let arguments = (ins Df_RowReductionAttr:$kind, Df_NumberTensor:$values, Df_IdTensor:$ends);
  let results = (outs Df_NumberTensor:$result);
  let assemblyFormat = "`` $kind $values `,` $ends attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = Df_Dimensions<[{
    map.rows(getEnds(), getResult());
    map.all(getValues(), getResult(), {0});
  }]>.definition;
}

def Df_RaggedRepeatOp : Df_PlainOp<"ragged_repeat", [Df_Work<"Movement">, Df_MovesSome, Df_Measures<2>, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "repeats each row for each of its values";
  let description = [{
    result[j] = rows[r] for ends[r-1] <= j < ends[r], ends as of `df.ragged_reduce`. `like` gives the number of values, which the last end equals. Ends that do not ascend to it fail the step. Gradient: the sums of `df.ragged_reduce`.
    Constraints: (C1) rows are [m, ...], ends [m], like [n, ...] and the result [n, ...] with the rows' row shape and element type.

    Example: `%g = df.ragged_repeat %r, %ends like %v : (tensor<?x8xf32>, tensor<?xi64>, tensor<?xi64>) -> tensor<?x8xf32>`
  }];
  let arguments = (ins Df_NumberTensor:$rows, Df_IdTensor:$ends, AnyRankedTensor:$like);
  let results = (outs Df_NumberTensor:$result);
  let assemblyFormat = "$rows `,` $ends `like` $like attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = Df_Dimensions<[{
    map.rows(getLike(), getResult());
    map.rows(getRows(), getEnds());
    map.all(getRows(), getResult(), {0});
  }]>.definition;
}

def Df_RaggedProductOp : Df_Op<"ragged_product", [Df_PreparesFeatures, Df_Work<"Contraction">, Df_MapsDimensions, Df_EffectFree, AttrSizedOperandSegments, Df_InfersTypes]> {
  let summary = "pairs each value of a row with each value of the same row of another feature";
  let description = [{
    Each side has values of m rows: `lhs_ends` is where each row's end, without ends every row has `lhs_per_row`. So the other side. The pairs of a row are (i, j), j counting
    fastest: `lhs_positions` are the i, `rhs_positions` the j, both [p] over all rows; `ends` is where each row's pairs end. p is the value of the dimension `symbol`, which
    `df-state-to-values` gives as `count`.
    Constraints: (C1) at least one side has ends, which have the type of the resulting ones, [m]; (C2) positions are [p]; (C3) `symbol` >= 1, and numbers per row >= 1 where there are no ends.

    Example: `%i, %j, %e = df.ragged_product lhs_ends(%a) rhs_ends(%b) {symbol = 3 : i64} : (tensor<?xi64>, tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>)`
  }];
  let arguments = (ins Optional<Df_IdTensor>:$lhs_ends, Optional<Df_IdTensor>:$rhs_ends, Optional<Df_ScalarId>:$count,
                       DefaultValuedAttr<I64Attr, "0">:$lhs_per_row, DefaultValuedAttr<I64Attr, "0">:$rhs_per_row, I64Attr:$symbol);
  let results = (outs Df_IdTensor:$lhs_positions, Df_IdTensor:$rhs_positions, Df_IdTensor:$ends);
  let assemblyFormat = [{
    (`lhs_ends` `(` $lhs_ends^ `)`)? (`rhs_ends` `(` $rhs_ends^ `)`)? (`count` `(` $count^ `)`)? attr-dict
    `:` functional-type(operands, results)
  }];
  let extraClassDefinition = Df_Dimensions<[{
    map.rows(getLhsEnds(), getEnds());
    map.rows(getRhsEnds(), getEnds());
    map.rows(getLhsPositions(), getRhsPositions());
    for (::mlir::Value positions : {getLhsPositions(), getRhsPositions()}) map.symbol(static_cast<int64_t>(getSymbol()), positions, 0);
  }]>.definition;
}

def Df_RaggedToDenseOp : Df_Op<"ragged_to_dense", [Df_Work<"Movement">, Df_MapsDimensions, Df_EffectFree, Df_InfersTypes]> {
  let summary = "rows of different lengths as one padded tensor";
  let description = [{
    `ends` ascend, the last one is n; row r has the values ends[r-1] (0 for r = 0) to ends[r], lengths[r] in number. padded[r, t, ..] = values[ends[r-1] + t, ..] for t < lengths[r], `filler` after
    them. T is the greatest length of the call, 0 without rows: what runs over T does no work beyond it. Ends that name values which are not there fail the step. The gradient of the values
    is the cotangent where they stand, that of the filler the sum of the rest. Composite of `df.gather` and `df.select`.
    Constraints: (C1) values are [n, ...], ends [m] and padded [m, T, ...] of the values' element type, T dynamic; (C2) the filler is a scalar of that type; (C3) lengths have the type of the ends.

    Example: `%x, %n = df.ragged_to_dense %v, %ends, %zero : (tensor<?x8xf32>, tensor<?xi64>, tensor<f32>) -> (tensor<?x?x8xf32>, tensor<?xi64>)`
  }];
  let arguments = (ins Df_NumberOrBoolTensor:$values, Df_IdTensor:$ends, Df_NumberOrBoolTensor:$filler);
  let results = (outs Df_NumberOrBoolTensor:$padded, Df_IdTensor:$lengths);
  let assemblyFormat = "operands attr-dict `:` functional-type(operands, results)";
}

#endif // DF_RAGGED_OPS_TD
