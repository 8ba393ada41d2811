// Counts and distances: ops on the values of many rows that are compositions of others.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_STATISTICS_OPS_TD
#define DF_STATISTICS_OPS_TD

include "dialects/Df/IR/DfBase.td"

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

#endif // DF_STATISTICS_OPS_TD
