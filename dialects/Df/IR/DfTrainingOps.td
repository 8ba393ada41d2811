// Losses over the batch, gradients and sparse rows.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_TRAINING_OPS_TD
#define DF_TRAINING_OPS_TD

include "dialects/Df/IR/DfBase.td"

def Df_BatchMeanOp : Df_PlainOp<"batch_mean", [Df_Work<"Reduction">, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "reduces per-example losses of the global batch to a scalar";
  let description = [{
    With loss l and weight w (1 if absent) of each element: sum_over_batch_size: sum(w*l) / number of elements; mean: sum(w*l) / sum(w); sum: sum(w*l).
    A mean over nothing is 0. This is the one op that virtual shards split into sums and a division after they are combined.
    Constraints: (C1) `weights` has the losses' type; (C2) the result is a scalar of their element type.

    Example: `%loss = df.batch_mean %each {reduction = #df.batch_reduction<mean>} : (tensor<?xf32>) -> tensor<f32>`
  }];
  let arguments = (ins Df_FloatTensor:$losses, Optional<Df_FloatTensor>:$weights,
                       DefaultValuedAttr<Df_BatchReductionAttr, "::mlc::df::BatchReduction::SumOverBatchSize">:$reduction);
  let results = (outs Df_ScalarFloat:$result);
  let extraClassDefinition = Df_Dimensions<"map.all(getLosses(), getWeights());">.definition;
}

def Df_GradientsOp : Df_Op<"gradients", [Df_Work<"Free">, DeclareOpInterfaceMethods<SymbolUserOpInterface>, Df_FreeResultType<"a gradient is dense or rows, as it says">]> {
  let summary = "gradients of a scalar with respect to variables and values";
  let description = [{
    One result for each symbol, then for each value. A symbol's gradient sums over all its reads and gathers before this op; it is `!df.rows` if the symbol is only
    gathered. No path gives zeros, with a warning. Expanded by `df-expand-gradients`. Constraints: (C1) result types are those of the variables (dense or `!df.rows` of it) and values.

    Example: `%dw, %dt = df.gradients %loss wrt [@w, @table] : (tensor<f32>) -> (tensor<4x2xf32>, !df.rows<tensor<100x8xf32>>)`
  }];
  let arguments = (ins Df_ScalarFloat:$loss, FlatSymbolRefArrayAttr:$variables, Variadic<Df_FloatTensor>:$values);
  let results = (outs Variadic<AnyType>:$results);
  let assemblyFormat = "$loss `wrt` $variables ($values^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
}

def Df_GroupIdsOp : Df_PlainOp<"group_ids", [Df_PreparesFeatures, Df_Work<"Sort">, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "groups equal ids";
  let description = [{
    Drops ids < 0. The u distinct ids, ascending, in unique[0..u); the positions of unique[k], ascending, in order[ends[k-1] .. ends[k]); count = u. The rest of the
    results is undefined. Constraints: (C1) ids are [n] and so are `unique` and `order`; group k ends at ends[k] and begins at ends[k-1] (0 for k = 0).

    Example: `%u, %s, %o, %n = df.group_ids %ids : (tensor<?xi64>) -> (tensor<?xi64>, tensor<?xi64>, tensor<?xi64>, tensor<i64>)`
  }];
  let arguments = (ins Df_IdTensor:$ids);
  let results = (outs Df_IdTensor:$unique, Df_IdTensor:$ends, Df_IdTensor:$order, Df_ScalarId:$count);
  let extraClassDefinition = Df_Dimensions<[{
    for (::mlir::Value each : {getUnique(), getEnds(), getOrder()}) map.all(getIds(), each);
  }]>.definition;
}

def Df_GroupSumOp : Df_PlainOp<"group_sum", [Df_Work<"Reduction">, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "sums rows by group, in row order";
  let description = [{
    Row k of the result is the sum of values[order[j]] for j in group k of `df.group_ids`, added in that order starting with the first (in blocks of 64 where there are more, whose sums are added as those of `df.reduce_sum`); rows from count on are undefined. Groups that `df.group_ids` could not have made (ends that do not ascend, places that are no rows) fail the step.
    Constraints: (C1) values are [n, ...], ends and order [n], and the result has the values' type.

    Example: `%g = df.group_sum %v, %s, %o, %n : (tensor<?x8xf32>, tensor<?xi64>, tensor<?xi64>, tensor<i64>) -> tensor<?x8xf32>`
  }];
  let arguments = (ins Df_FloatTensor:$values, Df_IdTensor:$ends, Df_IdTensor:$order, Df_ScalarId:$count);
  let results = (outs Df_FloatTensor:$result);
  let extraClassDefinition = Df_Dimensions<[{
    map.all(getValues(), getResult());
    map.rows(getValues(), getEnds());
    map.rows(getValues(), getOrder());
  }]>.definition;
}

def Df_PackRowsOp : Df_PlainOp<"pack_rows", [Df_Work<"Free">, Df_NeverFails, Df_MapsDimensions, Df_FreeResultType<"it says the type of the table">]> {
  let summary = "makes a sparse gradient of its parts";
  let description = [{
    Constraints: (C1) ids are [n], rows [n, row shape of the result].

    Example: `%r = df.pack_rows %u, %g, %n : (tensor<?xi64>, tensor<?x8xf32>, tensor<i64>) -> !df.rows<tensor<100x8xf32>>`
  }];
  let arguments = (ins Df_IdTensor:$ids, Df_FloatTensor:$rows, Df_ScalarId:$count);
  let results = (outs Df_RowsType:$result);
  let hasVerifier = 1;
  let extraClassDefinition = Df_Dimensions<[{
    map.rows(getIds(), getResult());
    map.rows(getIds(), getRows());
  }]>.definition;
}

def Df_UnpackRowsOp : Df_PlainOp<"unpack_rows", [Df_Work<"Free">, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "the parts of a sparse gradient";
  let description = [{
    Constraints: (C1) as `df.pack_rows`.

    Example: `%u, %g, %n = df.unpack_rows %r : (!df.rows<tensor<100x8xf32>>) -> (tensor<?xi64>, tensor<?x8xf32>, tensor<i64>)`
  }];
  let arguments = (ins Df_RowsType:$operand);
  let results = (outs Df_IdTensor:$ids, Df_FloatTensor:$rows, Df_ScalarId:$count);
  let hasFolder = 1;
  let extraClassDefinition = Df_Dimensions<[{
    map.rows(getOperand(), getIds());
    map.rows(getOperand(), getRows());
  }]>.definition;
}

def Df_MergeRowsOp : Df_PlainOp<"merge_rows", [Df_Work<"Reduction">, Df_Measures<6>, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "the sum of two sparse gradients";
  let description = [{
    The union of the ids, ascending; a row in both is the left plus the right. Dimension 0 of the results is that of `like`, which must bound the union (else the step fails), or
    without it the sum of both sides'; rows from count on are undefined. Constraints: (C1) parts as of `df.pack_rows`; element type f32; (C2) `like` has the
    type of the resulting ids, without it a static dimension 0 is the sum.

    Example: `%u, %g, %n = df.merge_rows %u0, %g0, %n0, %u1, %g1, %n1 : (tensor<?xi64>, tensor<?x8xf32>, tensor<i64>, tensor<?xi64>, tensor<?x8xf32>, tensor<i64>) -> (tensor<?xi64>, tensor<?x8xf32>, tensor<i64>)`
  }];
  let arguments = (ins Df_IdTensor:$lhsIds, Df_FloatTensor:$lhsRows, Df_ScalarId:$lhsCount,
                       Df_IdTensor:$rhsIds, Df_FloatTensor:$rhsRows, Df_ScalarId:$rhsCount, Optional<Df_IdTensor>:$like);
  let results = (outs Df_IdTensor:$ids, Df_FloatTensor:$rows, Df_ScalarId:$count);
  let extraClassDefinition = Df_Dimensions<[{
    map.rows(getLike(), getIds());
    if (!getLike())
      for (::mlir::Value result : {getIds(), getRows()}) map.sum({{getLhsIds(), 0}, {getRhsIds(), 0}}, result, 0);
    map.rows(getIds(), getRows());
    map.rows(getLhsIds(), getLhsRows());
    map.rows(getRhsIds(), getRhsRows());
  }]>.definition;
}

def Df_ScaleRowsOp : Df_PlainOp<"scale_rows", [Df_Work<"Elementwise">, Df_NeverFails, Df_MapsDimensions, Df_JoinsTypesOf<["operand"]>]> {
  let summary = "multiplies a sparse gradient by a scalar";
  let description = [{
    Constraints: (C1) the factor has the rows' element type.

    Example: `%s = df.scale_rows %r, %f : (!df.rows<tensor<100x8xf32>>, tensor<f32>) -> !df.rows<tensor<100x8xf32>>`
  }];
  let arguments = (ins Df_RowsType:$operand, Df_ScalarFloat:$factor);
  let results = (outs Df_RowsType:$result);
  let hasVerifier = 1;
  let extraClassDefinition = Df_DimensionsOf<"Operand">.definition;
}

def Df_DensifyRowsOp : Df_Op<"densify_rows", [Df_Work<"GatherScatter">, Df_EffectFree, Df_InfersTypes]> {
  let summary = "a sparse gradient as a dense tensor";
  let description = [{
    Zeros, with the rows put at their ids: for a symbol that is both gathered and read. Constraints: (C1) the result has the rows' tensor type.

    Example: `%d = df.densify_rows %r : (!df.rows<tensor<100x8xf32>>) -> tensor<100x8xf32>`
  }];
  let arguments = (ins Df_RowsType:$operand);
  let results = (outs Df_FloatTensor:$result);
  let assemblyFormat = "$operand attr-dict `:` functional-type(operands, results)";
}

def Df_AllReduceOp : Df_PlainOp<"all_reduce", [Df_Work<"Free">, Df_MapsDimensions, Df_JoinsTypesOf<["operand"]>]> {
  let summary = "the sum of a value over the virtual shards of the batch";
  let description = [{
    The cut between `train_grad` and `train_apply`: `df-split-step` makes it the identity in a train function and a sum of the three parts elsewhere. `name` names
    the sum. Constraints: (C1) the operand is a tensor of static shape or `!df.rows`; (C2) names are unique in a function.

    Example: `%t = df.all_reduce %g {name = "dnn/logits/kernel"} : (tensor<4x2xf32>) -> tensor<4x2xf32>`
  }];
  let arguments = (ins AnyTypeOf<[Df_NumberTensor, Df_RowsType]>:$operand, StrAttr:$name);
  let results = (outs AnyTypeOf<[Df_NumberTensor, Df_RowsType]>:$result);
  let hasVerifier = 1;
  let extraClassDefinition = Df_DimensionsOf<"Operand">.definition;
}

#endif // DF_TRAINING_OPS_TD
