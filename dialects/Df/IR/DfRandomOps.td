// Random numbers, what is drawn with them, and values the runtime gives a step.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#ifndef DF_RANDOM_OPS_TD
#define DF_RANDOM_OPS_TD

include "dialects/Df/IR/DfBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"

// A random op in the body of a loop that is not told its iterations draws anew in each: it does not leave the loop.
class Df_DrawingOp<string opMnemonic, list<Trait> traits = []> : Df_Op<opMnemonic,
    !listconcat([Df_Work<"Transcendental">, NoMemoryEffect, DeclareOpInterfaceMethods<ConditionallySpeculatable>], traits)>;

def Df_RandomOp : Df_DrawingOp<"random", [Df_Measures<0>, Df_MapsDimensions, AttrSizedOperandSegments, Df_FreeResultType<"it says the element type and, without `like`, the shape">]> {
  let summary = "counter-based random numbers";
  let description = [{
    Philox4x32-10 keyed by (seed, `name`), counted by (step, row in the global batch, column): docs/architecture.md, Randomness. uniform is on
    [0, 1), of 24 bits in f32 and 53 in f64; normal and truncated_normal have mean 0 and deviation 1 (truncated: redrawn beyond 2, as the inverse CDF does).
    With `like`, the result has its shape, dimension 0 counts rows from `first_row` and the rest, row-major, columns; without, it is an initializer: a
    static shape counted by linear index at step 0. With `each_step` the numbers are of the step and the linear index alone, so all rows of the batch may share them; `like` then gives but the shape,
    and the linear index is that in a tensor of more rows, of which the first is row `first_row` (0 where it is absent).
    `iterations` are the numbers, from 0, of the iterations of the loops around the op, the outermost first; each makes another key of the key: the first two words at the counter (low half, high half, 0, 0).
    In a `df.scan` or `df.while` they are those of the loop where they are not given, as `df-decompose` gives them, so that each iteration draws anew.
    `seed`, `step` and `first_row` are absent until `df-state-to-values` binds them to the context. Ops of one name draw the same numbers.
    Dimension 0 of `like` must be rows of the batch but for `each_step`. Constraints: (C1) `like` has the result's shape; without it the result is static; (C2) `name` is not empty; (C3) `step` comes with `like` or `each_step`
    only, `first_row` with `like`.

    Example: `%u = df.random uniform "dropout_0" like %x : (tensor<?x4xf32>) -> tensor<?x4xf32>`
  }];
  let arguments = (ins Df_DistributionAttr:$distribution, StrAttr:$name, UnitAttr:$each_step, Optional<Df_Tensor>:$like, Optional<Df_ScalarId>:$seed,
                       Optional<Df_ScalarId>:$step, Optional<Df_ScalarId>:$first_row, Variadic<Df_ScalarId>:$iterations);
  let results = (outs RankedTensorOf<[F32, F64]>:$result);
  let assemblyFormat = [{
    `` $distribution $name (`each_step` $each_step^)? (`like` $like^)? (`seed` $seed^)? (`step` $step^)? (`row` $first_row^)?
    (`iteration` `(` $iterations^ `)`)? attr-dict `:` functional-type(operands, results)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Whether the numbers are of the rows of the batch.
    bool isOfRows() { return getLike() && !getEachStep(); }
    /// Whether the numbers are of the step.
    bool isOfStep() { return getLike() || getEachStep(); }
  }];
  let extraClassDefinition = Df_DimensionsOf<"Like">.definition;
}

//===-- composites --------------------------------------------------------------===//

class Df_DrawOp<string opMnemonic, string what, string formula, Type tensor, string type, string attributes = "", dag more = (ins)> : Df_DrawingOp<opMnemonic, [Df_Measures<0>, Df_MapsDimensions, Df_FreeResultType<"it says the element type and, without `like`, the shape">]> {
  let summary = what;
  let description = formula # [{ Composite of `df.random` uniform, whose `name`, `each_step` and `like` these are; no gradient.
    Constraints: (C1) `like` has the result's shape; without it the result is static; (C2) `name` is not empty.

    Example: `%r = df.}] # opMnemonic # [{ "noise" like %x }] # attributes # [{: (tensor<?x4xf32>) -> tensor<?x4x}] # type # [{>`
  }];
  let arguments = !con((ins StrAttr:$name, UnitAttr:$each_step, Optional<Df_Tensor>:$like), more);
  let results = (outs tensor:$result);
  let assemblyFormat = "$name (`each_step` $each_step^)? (`like` $like^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let extraClassDefinition = Df_DimensionsOf<"Like">.definition;
}
def Df_RandomExponentialOp : Df_DrawOp<"random_exponential", "numbers of the exponential distribution of rate 1",
  "-ln(1 - u) for a uniform u; f16 and bf16 are rounded from f32.", Df_FloatTensor, "f32">;
def Df_RandomGumbelOp : Df_DrawOp<"random_gumbel", "numbers of the standard Gumbel distribution",
  "-ln(-ln(1 - w)) for w = max(1 - c - u, c / 2), u uniform of cells c: 2^-24 in f32, 2^-53 in f64; f16 and bf16 are rounded from f32.", Df_FloatTensor, "f32">;
def Df_RandomIntegersOp : Df_DrawOp<"random_integers", "integers of a range, each as likely",
  "low + floor(u (high - low)) for a uniform u of f64: on [low, high). Constraints: (C3) `low` < `high`, which are less than 2^52 apart.", Df_IdTensor, "i64",
  "{low = 0 : i64, high = 6 : i64} ", (ins I64Attr:$low, I64Attr:$high)>;

def Df_RandomBernoulliOp : Df_DrawingOp<"random_bernoulli", [Df_MapsDimensions, Df_SameShape<"infer.i1()">]> {
  let summary = "truths of given probabilities";
  let description = [{
    u < p for a probability p and a uniform u. Composite of `df.random` like the probabilities; no gradient. Constraints: (C1) the result has the probabilities' shape; (C2) `name` is not empty.

    Example: `%b = df.random_bernoulli "coin" %p : (tensor<?x4xf32>) -> tensor<?x4xi1>`
  }];
  let arguments = (ins StrAttr:$name, UnitAttr:$each_step, Df_FloatTensor:$probabilities);
  let results = (outs Df_BoolTensor:$result);
  let assemblyFormat = "$name (`each_step` $each_step^)? $probabilities attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let extraClassDefinition = Df_DimensionsOf<"Probabilities">.definition;
}

def Df_RandomGammaOp : Df_DrawingOp<"random_gamma", [Df_MapsDimensions, Df_JoinsTypesOf<["concentration"]>]> {
  let summary = "numbers of gamma distributions of given concentrations and rate 1";
  let description = [{
    Element i is of the density x^(a - 1) e^-x / Gamma(a) for a = concentration[i]: Marsaglia and Tsang's method. With d = a - 1/3, or a + 2/3 for a < 1, each round draws a normal number x and a uniform one u, v = (1 + x / sqrt(9 d))^3, and
    takes d v if v > 0 and ln u < x^2 / 2 + d (1 - v + ln v); what was not taken goes on to the next round, an iteration of a loop. A round takes an element with probability 0.95 at least; one that 64 rounds do not take,
    of which there is one in 10^83, fails the step. For a < 1 the result is multiplied by u'^(1 / a), u' another uniform number, and may round to 0. An infinite concentration gives infinity, one that is NaN or not positive NaN.
    Composite of `df.random` `name` like the concentration, normal and uniform; the gradient is zero. Constraints: (C1) `name` is not empty.

    Example: `%g = df.random_gamma "rates" %a : tensor<?x4xf32>`
  }];
  let arguments = (ins StrAttr:$name, UnitAttr:$each_step, Df_FloatTensor:$concentration);
  let results = (outs Df_FloatTensor:$result);
  let assemblyFormat = "$name (`each_step` $each_step^)? $concentration attr-dict `:` custom<JoinedTypes>(type($concentration), type($result))";
  let hasVerifier = 1;
  let extraClassDefinition = Df_DimensionsOf<"Concentration">.definition;
}

def Df_RandomCategoricalOp : Df_DrawingOp<"random_categorical", [Df_MapsDimensions, Df_FreeResultType<"it says how many samples are drawn">]> {
  let summary = "classes drawn by logits";
  let description = [{
    Each result[i, j] is a class k with probability softmax(logits[i, ..])[k]: where logits + Gumbel numbers are largest. Composite; no gradient.
    Constraints: (C1) logits are [n, classes] and the result [n, samples], the last one static; (C2) `name` is not empty.

    Example: `%c = df.random_categorical "next" %x : (tensor<?x4xf32>) -> tensor<?x3xi64>`
  }];
  let arguments = (ins StrAttr:$name, UnitAttr:$each_step, Df_FloatTensor:$logits);
  let results = (outs Df_IdTensor:$result);
  let assemblyFormat = "$name (`each_step` $each_step^)? $logits attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let extraClassDefinition = Df_Dimensions<"map.rows(getLogits(), getResult());">.definition;
}

def Df_RandomShuffleOp : Df_DrawingOp<"random_shuffle", [Df_MapsDimensions, Df_JoinsTypesOf<["operand"]>]> {
  let summary = "the rows of a tensor in random order";
  let description = [{
    The slices of dimension 0 in the order of f64 numbers drawn for them, with `each_step`. Of `df.iota` it is a random permutation. Composite of `df.argsort` and `df.gather`. Gradient: each slice's goes back to its place.
    Constraints: (C1) the operand has rank >= 1; (C2) `name` is not empty.

    Example: `%y = df.random_shuffle "deal" %x : tensor<52xi64>`
  }];
  let arguments = (ins StrAttr:$name, Df_Tensor:$operand);
  let results = (outs Df_Tensor:$result);
  let assemblyFormat = "$name $operand attr-dict `:` custom<JoinedTypes>(type($operand), type($result))";
  let hasVerifier = 1;
  let extraClassDefinition = Df_DimensionsOf<"Operand">.definition;
}

def Df_DropoutOp : Df_DrawingOp<"dropout", [Df_MapsDimensions, Df_JoinsTypesOf<["operand"]>]> {
  let summary = "zeros at random, the rest scaled up";
  let description = [{
    x / (1 - rate) with probability 1 - rate, else 0. Composite of `df.random` uniform like the operand. Gradient: the same zeros and factor. Constraints: (C1) 0 <= `rate` < 1; (C2) `name` is not empty.

    Example: `%y = df.dropout "dropout_0" %x {rate = 0.1 : f64} : tensor<?x4xf32>`
  }];
  let arguments = (ins StrAttr:$name, Df_FloatTensor:$operand, F64Attr:$rate);
  let results = (outs Df_FloatTensor:$result);
  let assemblyFormat = "$name $operand attr-dict `:` custom<JoinedTypes>(type($operand), type($result))";
  let hasVerifier = 1;
  let extraClassDefinition = Df_DimensionsOf<"Operand">.definition;
}

def Df_CandidateSamplerOp : Df_DrawingOp<"candidate_sampler", [Df_MapsDimensions, Df_FreeResultType<"it says how many classes are drawn">]> {
  let summary = "classes drawn for a sampled loss, once a step";
  let description = [{
    Draws `sampled` classes of [0, num_classes), the same for all rows, and says how often each class is expected among them. Class k has probability P(k): `uniform`: 1 / num_classes;
    `log_uniform`: ln((k + 2) / (k + 1)) / ln(num_classes + 1), Zipf's law for classes in the order of their frequency; `unigram`: weights[k]^distortion, divided by the sum of these. `all` draws nothing: `sampled` are all classes in order, each expected once.
    Without `unique` draws are independent and n of them give class k the expected count n P(k). With `unique` a class that was drawn before is rejected; after t draws for n classes the expected count is
    1 - (1 - P(k))^t, and n P(k) if none was rejected. An expected count is that of TensorFlow's samplers. Draw i of round r, which is an iteration of a loop, inverts the distribution at column i of `df.random` uniform `name` each_step. More than 65536 rounds of n draws, which it takes but to find
    classes of vanishing probability, fail the step. Composite; no gradient.

    Constraints: (C1) `sampled` and its counts are [n], n > 0, `true_expected` has the shape of `true_classes`; (C2) `num_classes` > 0; with `unique` it is at least n, with `all` n; (C3) `weights` are [num_classes] and come with `unigram`, and only with it; (C4) `name` is not empty;
    (C5) `distortion` is for `unigram`. Weights are not negative and not all 0.

    Example:
    ```mlir
    %sampled, %in_true, %in_sampled = df.candidate_sampler log_uniform "negatives" %labels {num_classes = 40000 : i64, unique}
        : (tensor<?x1xi64>) -> (tensor<512xi64>, tensor<?x1xf32>, tensor<512xf32>)
    ```
  }];
  let arguments = (ins Df_SamplerAttr:$sampler, StrAttr:$name, Df_IdTensor:$true_classes, Optional<RankedTensorOf<[F32, F64]>>:$weights, I64Attr:$num_classes,
                       UnitAttr:$unique, DefaultValuedAttr<F64Attr, "1.0">:$distortion);
  let results = (outs Df_IdTensor:$sampled, RankedTensorOf<[F32]>:$true_expected, RankedTensorOf<[F32]>:$sampled_expected);
  let assemblyFormat = "`` $sampler $name $true_classes (`weights` $weights^)? attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let extraClassDefinition = Df_Dimensions<[{
    map.all(getTrueClasses(), getTrueExpected());
    map.all(getSampled(), getSampledExpected());
  }]>.definition;
}

def Df_LearnedUnigramSamplerOp : Df_DrawingOp<"learned_unigram_sampler", [Df_MapsDimensions, Df_AllTypesAgree<["counts", "new_counts"]>, Df_FreeResultType<"it says how many classes are drawn">]> {
  let summary = "classes drawn in proportion to how often they were seen, and the counts with what the step sees";
  let description = [{
    As `df.candidate_sampler` unigram with `counts` as weights. `new_counts` are the counts with 1 added for each true class: TensorFlow's learned unigram sampler, whose counts begin with 1, if they are kept
    in a variable of that initializer, which the step reads and assigns. Counts in f32 stay at 2^24. Composite of `df.candidate_sampler` and `df.scatter` add; no gradient.

    Constraints: (C1) `sampled` and its counts are [n], n > 0, `true_expected` has the shape of `true_classes`; (C2) counts are [classes], static, with `unique` at least n of them; (C3) `name` is not empty; (C4) at most one dimension of the true classes is dynamic.

    Example:
    ```mlir
    %sampled, %in_true, %in_sampled, %new = df.learned_unigram_sampler "negatives" %labels, %counts {unique}
        : (tensor<?x1xi64>, tensor<1000xf32>) -> (tensor<16xi64>, tensor<?x1xf32>, tensor<16xf32>, tensor<1000xf32>)
    ```
  }];
  let arguments = (ins StrAttr:$name, Df_IdTensor:$true_classes, RankedTensorOf<[F32, F64]>:$counts, UnitAttr:$unique);
  let results = (outs Df_IdTensor:$sampled, RankedTensorOf<[F32]>:$true_expected, RankedTensorOf<[F32]>:$sampled_expected, RankedTensorOf<[F32, F64]>:$new_counts);
  let assemblyFormat = "$name $true_classes `,` $counts attr-dict `:` functional-type(operands, results)";
  let hasVerifier = 1;
  let extraClassDefinition = Df_Dimensions<[{
    map.all(getTrueClasses(), getTrueExpected());
    map.all(getSampled(), getSampledExpected());
    map.all(getCounts(), getNewCounts());
  }]>.definition;
}

def Df_SettingOp : Df_Op<"setting", [Df_Work<"Free">, Pure, Df_FreeResultType<"it says the type of the setting">]> {
  let summary = "the value in force of a setting that may change at start";
  let description = [{
    `default_value` is the artifact's; the trainer's --set changes it. `doc` says what it is for where settings are shown. Constraints: (C1) `default_value` is a float for float
    results, an integer for integer results.

    Example: `%lr = df.setting "model.dnn.optimizer.adagrad.learning_rate" = 5.0e-2 : f64 -> tensor<f32>`
  }];
  let arguments = (ins StrAttr:$path, TypedAttrInterface:$default_value, OptionalAttr<StrAttr>:$doc);
  let results = (outs 0DTensorOf<[F32, F64, I64]>:$result);
  let assemblyFormat = "$path `=` $default_value attr-dict `->` type($result)";
  let hasVerifier = 1;
}

#endif // DF_RANDOM_OPS_TD
