// Ops that statistics over the rows of many batches are made of: collected values, histograms, ranks.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_STATISTICS_OPS_TD
#define DF_STATISTICS_OPS_TD

include "dialects/Df/IR/DfBase.td"

def Df_PutValuesOp : Df_PlainOp<"put_values", [Df_Work<"GatherScatter">, Df_MapsDimensions, Df_JoinsTypesOf<["store"]>]> {
  let summary = "replaces a run of a vector's elements";
  let description = [{
    The store with values[i] at position at + i; values beyond its end are dropped. `at` >= 0. Constraints: (C1) the store is [N], static, and values are [n], of
    one element type.

    Example: `%s = df.put_values %store, %x, %at : (tensor<64xf32>, tensor<?xf32>, tensor<i64>) -> tensor<64xf32>`
  }];
  let arguments = (ins RankedTensorOf<[F16, BF16, F32, F64, I64]>:$store, RankedTensorOf<[F16, BF16, F32, F64, I64]>:$values, Df_ScalarId:$at);
  let results = (outs RankedTensorOf<[F16, BF16, F32, F64, I64]>:$result);
  let hasVerifier = 1;
  let extraClassDefinition = Df_DimensionsOf<"Store">.definition;
}

def Df_AddToBinsOp : Df_PlainOp<"add_to_bins", [Df_Work<"GatherScatter">, Df_MapsDimensions, Df_JoinsTypesOf<["bins"]>]> {
  let summary = "adds weights to a histogram over all f32 numbers";
  let description = [{
    The bins with weights[i] added, in order, to the bin of keys[i]: of 2^b bins, the number that the b upper bits of the key's ordered bits make. Ordered bits
    grow as the numbers do: the bits of the key (of -0: those of +0), inverted if it is negative, else with the sign bit set. A bin so holds keys that agree in
    sign, exponent and, for b > 9, the first b - 9 bits of the fraction.
    Constraints: (C1) bins are [2^b] of f64 for a b from 1 to 31; (C2) keys and weights are [n].

    Example: `%h = df.add_to_bins %bins, %x, %w : (tensor<65536xf64>, tensor<?xf32>, tensor<?xf64>) -> tensor<65536xf64>`
  }];
  let arguments = (ins RankedTensorOf<[F64]>:$bins, RankedTensorOf<[F32]>:$keys, RankedTensorOf<[F64]>:$weights);
  let results = (outs RankedTensorOf<[F64]>:$result);
  let hasVerifier = 1;
  let extraClassDefinition = Df_Dimensions<[{
    map.all(getBins(), getResult());
    map.rows(getKeys(), getWeights());
  }]>.definition;
}

def Df_BincountOp : Df_PlainOp<"bincount", [Df_Work<"GatherScatter">, Df_MapsDimensions, Df_FreeResultType<"it says how many bins there are">]> {
  let summary = "how often each id occurs, or the sum of its weights";
  let description = [{
    result[b] is the number of ids that are b, or the sum of weights[i] over all i with ids[i] = b in order of i; integers wrap. A negative id counts nowhere, one that is not below the number of bins
    fails the step. Gradient for the weights: that of their id's bin, 0 where it counts nowhere. Composite of `df.segment_reduce`.
    Constraints: (C1) ids are [n], and so are weights; (C2) the result is [bins], static, of the weights' element type; of i64 without weights.

    Example: `%h = df.bincount %ids, %w : (tensor<?xi64>, tensor<?xf32>) -> tensor<10xf32>`
  }];
  let arguments = (ins Df_IdTensor:$ids, Optional<Df_NumberTensor>:$weights);
  let results = (outs Df_NumberTensor:$result);
  let hasVerifier = 1;
  let extraClassDefinition = Df_Dimensions<"map.rows(getIds(), getWeights());">.definition;
}

def Df_HistogramOp : Df_PlainOp<"histogram", [Df_Work<"GatherScatter">, Df_FreeResultType<"it says how many bins there are">]> {
  let summary = "how many elements are in each of some intervals of one width";
  let description = [{
    result[i] is the number of elements in interval i of the `bins` into which [low, high) is cut: floor(bins (x - low) /
    (high - low)), elements below `low` in the first and those from `high` on in the last one; NaN counts nowhere. That is
    tf.histogram_fixed_width. A `low` that is not below `high` fails the step, if there are elements. f16 and bf16 are
    computed in f32, integers in f64. Integers: no gradient. Composite of `df.bincount`.
    Constraints: (C1) `low` and `high` are scalars of the operand's element type; (C2) the result is [bins], static, of
    i64, bins > 0.

    Example: `%h = df.histogram %x, %low, %high : (tensor<?x4xf32>, tensor<f32>, tensor<f32>) -> tensor<10xi64>`
  }];
  let arguments = (ins Df_NumberTensor:$operand, Df_NumberTensor:$low, Df_NumberTensor:$high);
  let results = (outs Df_IdTensor:$result);
  let hasVerifier = 1;
}

def Df_EditDistanceOp : Df_PlainOp<"edit_distance", [Df_Work<"Composite">, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "Levenshtein distances of sequences";
  let description = [{
    The least number of insertions, deletions and substitutions that make the first hypothesis_lengths[i] elements of
    hypothesis[i] the first truth_lengths[i] of truth[i]. Lengths count as the size where they are above it, and as 0
    below that. With `normalize` it is divided by the truth's length: of an empty truth infinity, 0 if the hypothesis is
    empty, too. That is tf.edit_distance. No gradient. Composite: a `df.scan` over the positions of the hypotheses.
    Constraints: (C1) hypothesis is [n, u] and truth [n, v] of one element type; (C2) lengths are [n]; (C3) the result is
    [n] of f32.

    Example: `%d = df.edit_distance %x, %y, %m, %n {normalize} : (tensor<?x5xi64>, tensor<?x4xi64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xf32>`
  }];
  let arguments = (ins Df_IntTensor:$hypothesis, Df_IntTensor:$truth, Df_IdTensor:$hypothesis_lengths,
                       Df_IdTensor:$truth_lengths, UnitAttr:$normalize);
  let results = (outs RankedTensorOf<[F32]>:$result);
  let extraClassDefinition = Df_Dimensions<[{
    for (::mlir::Value other : {getTruth(), getHypothesisLengths(), getTruthLengths(), getResult()})
      map.rows(getHypothesis(), other);
  }]>.definition;
}

def Df_MidRanksOp : Df_PlainOp<"mid_ranks", [Df_Work<"Sort">, Df_MapsDimensions, AttrSizedOperandSegments, Df_InfersTypes]> {
  let summary = "weighted ranks; equal keys share the middle of theirs";
  let description = [{
    For i < count (of all n rows, if that is less): result[i] = sum of weights[j] over keys[j] < keys[i] + half the sum over keys[j] = keys[i], for j < count and, with
    `groups`, groups[j] = groups[i]. Behind that 0. Keys are ordered as by their ordered bits (see `df.add_to_bins`); without keys, rows are in order and no two are equal.
    Sums are taken in ascending order of the keys, rows of equal keys in their order. Constraints: (C1) all operands but `count` are [n], groups are >= 0; (C2) the
    result has the weights' type.

    Example: `%r = df.mid_ranks %w, %n keys %x : (tensor<64xf64>, tensor<i64>, tensor<64xf32>) -> tensor<64xf64>`
  }];
  let arguments = (ins RankedTensorOf<[F64]>:$weights, Df_ScalarId:$count, Optional<RankedTensorOf<[F32]>>:$keys,
                       Optional<Df_IdTensor>:$groups);
  let results = (outs RankedTensorOf<[F64]>:$result);
  let assemblyFormat = "$weights `,` $count (`keys` $keys^)? (`groups` $groups^)? attr-dict `:` functional-type(operands, results)";
  let extraClassDefinition = Df_Dimensions<[{
    map.all(getWeights(), getResult());
    map.rows(getWeights(), getKeys());
    map.rows(getWeights(), getGroups());
  }]>.definition;
}

#endif // DF_STATISTICS_OPS_TD
