// Losses of the df dialect: compositions of element-wise ops and reductions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_LOSS_OPS_TD
#define DF_LOSS_OPS_TD

include "dialects/Df/IR/DfBase.td"

class Df_ElementLossOp<string opMnemonic, string what, string formula, string attributes = "", dag more = (ins),
    list<Trait> extra = [Df_Work<"Elementwise">]> : Df_Op<opMnemonic,
    !listconcat([Df_MapsDimensions, Df_EffectFree, Df_NeverFails, Df_JoinsTypes], extra)> {
  let summary = what # ", per element";
  let description = formula # [{ A composition, differentiable by predictions and labels.

    Example: `%l = df.}] # opMnemonic # " %x, %y " # attributes # [{: tensor<?x4xf32>`
  }];
  let arguments = !con((ins Df_FloatTensor:$predictions, Df_FloatTensor:$labels), more);
  let results = (outs Df_FloatTensor:$result);
  let assemblyFormat = "$predictions `,` $labels attr-dict `:` custom<JoinedTypes>(type($predictions), type($labels), type($result))";
  let extraClassDefinition = Df_Dimensions<"map.elementwise(getOperation());">.definition;
}

// The squared error is df.squared_difference.
def Df_AbsoluteDifferenceOp : Df_ElementLossOp<"absolute_difference", "absolute error", "|x - y| for prediction x and label y.">;
def Df_LogCoshErrorOp : Df_ElementLossOp<"log_cosh_error", "logarithm of the hyperbolic cosine of the error",
  "ln cosh(x - y) = |x - y| + ln(1 + e^(-2 |x - y|)) - ln 2, without overflow, for prediction x and label y.">;
def Df_HingeLossOp : Df_ElementLossOp<"hinge_loss", "hinge loss", "max(1 - x y, 0) for prediction x and label y = -1 or 1.">;

def Df_HuberLossOp : Df_ElementLossOp<"huber_loss", "Huber loss",
  "e^2 / 2 where |e| <= delta, else delta (|e| - delta / 2), for e = x - y, prediction x and label y. Constraints: (C1) `delta` > 0.",
  "{delta = 2.0 : f64} ", (ins DefaultValuedAttr<F64Attr, "1.0">:$delta)> {
  let hasVerifier = 1;
}
def Df_PoissonLossOp : Df_ElementLossOp<"poisson_loss", "Poisson loss",
  "x - y ln(x + epsilon) for a predicted rate x and label y; with `log_input`, where x is the logarithm of the rate, e^x - x y. Constraints: (C1) `epsilon` >= 0, and 0 with `log_input`.",
  "{epsilon = 1.0e-7 : f64} ", (ins UnitAttr:$log_input, DefaultValuedAttr<F64Attr, "0.0">:$epsilon), extra = [Df_Work<"Composite">]> {
  let hasVerifier = 1;
}

class Df_AxisLossOp<string opMnemonic, string what, string formula> : Df_PlainOp<opMnemonic,
    [Df_Work<"Composite">, Df_NeverFails, Df_MapsDimensions,
     Df_InfersTypesBy<"return ::mlc::df::inferAxisLoss(infer, op.getPredictions(), op.getLabels(), op.getAxis());">]> {
  let summary = what # ", over an axis";
  let description = formula # [{ `axis` is the last one where it is not given. A composition, differentiable by predictions and labels.
    Constraints: (C1) `axis` is a dimension of the operands; (C2) the result drops it.

    Example: `%l = df.}] # opMnemonic # [{ %x, %y {axis = 1 : i64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?xf32>`
  }];
  let arguments = (ins Df_FloatTensor:$predictions, Df_FloatTensor:$labels, OptionalAttr<I64Attr>:$axis);
  let results = (outs Df_FloatTensor:$result);
  let extraClassDefinition = Df_Dimensions<[{
    map.all(getPredictions(), getLabels());
    map.without(getPredictions(), {axisOf(*this)}, getResult());
  }]>.definition;
}
def Df_KlDivergenceOp : Df_AxisLossOp<"kl_divergence", "Kullback-Leibler divergence",
  "sum y (ln y - ln x) for predicted probabilities x and those of the labels y; terms with y = 0 are 0, and so is their gradient for y.">;
def Df_CosineDistanceOp : Df_AxisLossOp<"cosine_distance", "cosine distance",
  "1 - sum x y / (|x| |y|) with norms that are at least 1e-6.">;

def Df_SoftLabelCrossEntropyOp : Df_PlainOp<"soft_label_cross_entropy", [Df_Work<"Composite">, Df_NeverFails, Df_MapsDimensions,
    Df_InfersTypesBy<"return ::mlc::df::inferAxisLoss(infer, op.getLogits(), op.getLabels(), op.getAxis());">]> {
  let summary = "cross entropy of distributions over classes against logits, per example";
  let description = [{
    - sum p log_softmax(x) over the classes along `axis` (the last one where it is not given) for logits x and p = (1 - label_smoothing) * labels + label_smoothing / classes. Labels are not checked to
    be distributions. Class ids have `df.softmax_cross_entropy`, or `df.one_hot` before this. A composition; gradient for x: softmax(x) sum p - p; for labels: -(1 - label_smoothing) log_softmax(x).
    Constraints: (C1) `axis` is a dimension of the operands; (C2) the result drops it; (C3) 0 <= `label_smoothing` <= 1.

    Example: `%l = df.soft_label_cross_entropy %x, %p {label_smoothing = 0.1 : f64} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<?xf32>`
  }];
  let arguments = (ins Df_FloatTensor:$logits, Df_FloatTensor:$labels, OptionalAttr<I64Attr>:$axis,
                       DefaultValuedAttr<F64Attr, "0.0">:$label_smoothing);
  let results = (outs Df_FloatTensor:$result);
  let hasVerifier = 1;
  let extraClassDefinition = Df_Dimensions<[{
    map.all(getLogits(), getLabels());
    map.without(getLogits(), {axisOf(*this)}, getResult());
  }]>.definition;
}

def Df_ReduceLossOp : Df_PlainOp<"reduce_loss", [Df_Work<"Reduction">, Df_NeverFails, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "weighted reduction of a loss per element";
  let description = [{
    With weights w (1 where they are not given) and losses l: `none`: w l, element by element; `sum`: sum w l; `sum_over_size`: that by the number of elements; `sum_over_weights`: by sum w (the weighted mean);
    `sum_over_nonzero_weights`: by the number of w that are not 0. A division by 0 gives 0. A composition, differentiable by losses and weights. Unlike `df.batch_mean` it means the tensor at hand, not the batch: its division is no division after
    the sums of shards. Constraints: (C1) weights have the losses' type; (C2) the result is a scalar of the element type, or for `none` of the losses' type.

    Example: `%l = df.reduce_loss %x, %w {reduction = #df.loss_reduction<sum_over_weights>} : (tensor<?x4xf32>, tensor<?x4xf32>) -> tensor<f32>`
  }];
  let arguments = (ins Df_FloatTensor:$losses, Optional<Df_FloatTensor>:$weights, Df_LossReductionAttr:$reduction);
  let results = (outs Df_FloatTensor:$result);
  let extraClassDefinition = Df_Dimensions<"map.all(getLosses(), getWeights()); map.all(getLosses(), getResult());">.definition;
}

def Df_CtcLossOp : Df_PlainOp<"ctc_loss", [Df_Work<"Composite">, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = "connectionist temporal classification, per example";
  let description = [{
    - ln of the probability of the first label_lengths[i] elements of labels[i] under the first logit_lengths[i] rows of
    logits[i], each row a distribution over classes by its softmax: the sum over all sequences of classes that are these
    labels when equal neighbours are made one and then the class `blank` is left out. Lengths count as the size where they
    are above it, and as 0 below that. Infinity, with a gradient of 0, where no such sequence is as long. That is
    tf.nn.ctc_loss of dense labels. A label within its length that is no class fails the step. f16 and bf16 are computed in f32. A composition: a
    `df.scan` over the rows, of logarithms; differentiable by logits.
    Constraints: (C1) logits are [n, t, c] and labels [n, u]; (C2) lengths are [n]; (C3) the result is [n] of the logits'
    element type; (C4) 0 <= `blank` < c.

    Example: `%l = df.ctc_loss %x, %y, %m, %n {blank = 0 : i64} : (tensor<?x9x5xf32>, tensor<?x4xi64>, tensor<?xi64>, tensor<?xi64>) -> tensor<?xf32>`
  }];
  let arguments = (ins Df_FloatTensor:$logits, Df_IdTensor:$labels, Df_IdTensor:$logit_lengths, Df_IdTensor:$label_lengths,
                       DefaultValuedAttr<I64Attr, "0">:$blank);
  let results = (outs Df_FloatTensor:$result);
  let extraClassDefinition = Df_Dimensions<[{
    for (::mlir::Value other : {getLabels(), getLogitLengths(), getLabelLengths()})
      map.rows(getLogits(), other);
    map.rows(getLogits(), getResult());
  }]>.definition;
}

class Df_SampledLossOp<string opMnemonic, string what, string formula> : Df_PlainOp<opMnemonic, [Df_Work<"Composite">, Df_MapsDimensions, Df_InfersTypes]> {
  let summary = what;
  let description = formula # [{
    Logits of the t true classes of an example: inputs[i] . true_weights[i, j] + true_biases[i, j] - ln true_expected[i, j]; of the s sampled ones: inputs[i] . sampled_weights[k] + sampled_biases[k] - ln sampled_expected[k].
    With `remove_accidental_hits` a sampled class that is a true class of the example counts for nothing there. Weights and biases are rows that `df.read_rows` took by class, so the gradients of their tables are sparse; classes and expected counts
    are those of `df.candidate_sampler`. f16 and bf16 are computed in f32. A composition, differentiable by inputs, weights and biases.
    Constraints: (C1) inputs are [n, d], labels [n, t] with t > 0; (C2) true_weights are [n, t, d], true_biases and true_expected [n, t]; (C3) sampled are [s], sampled_weights [s, d], sampled_biases and sampled_expected [s];
    (C4) inputs, weights, biases and the result have one element type, the result is [n]; (C5) d, t and s are static.

    Example:
    ```mlir
    %l = df.}] # opMnemonic # [{ %x, %y, %tw, %tb, %sw, %sb, %s, %te, %se {remove_accidental_hits} : (tensor<?x8xf32>, tensor<?x1xi64>, tensor<?x1x8xf32>, tensor<?x1xf32>,
        tensor<16x8xf32>, tensor<16xf32>, tensor<16xi64>, tensor<?x1xf32>, tensor<16xf32>) -> tensor<?xf32>
    ```
  }];
  let arguments = (ins Df_FloatTensor:$inputs, Df_IdTensor:$labels, Df_FloatTensor:$true_weights,
                       Df_FloatTensor:$true_biases, Df_FloatTensor:$sampled_weights, Df_FloatTensor:$sampled_biases,
                       Df_IdTensor:$sampled, RankedTensorOf<[F32]>:$true_expected,
                       RankedTensorOf<[F32]>:$sampled_expected, UnitAttr:$remove_accidental_hits);
  let results = (outs Df_FloatTensor:$result);
}
def Df_SampledSoftmaxLossOp : Df_SampledLossOp<"sampled_softmax_loss", "softmax cross entropy over the true and the sampled classes, per example",
  "Softmax cross entropy of labels 1 / t for true and 0 for sampled classes: ln sum exp(logits) - the mean of the true logits.">;
def Df_NceLossOp : Df_SampledLossOp<"nce_loss", "noise-contrastive estimation, per example",
  "The sum of the sigmoid cross entropies of labels 1 / t for true and 0 for sampled classes.">;

#endif // DF_LOSS_OPS_TD
