//===- Ops of the est dialect: the estimator, the bodies of its model and its heads. -*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef MLC_EST_MODEL_OPS
#define MLC_EST_MODEL_OPS

include "mlir/IR/RegionKindInterface.td"
include "mlir/IR/SymbolInterfaces.td"
include "dialects/Est/IR/EstBase.td"

def Est_EstimatorOp : Est_Op<"estimator", [IsolatedFromAbove, Symbol, SingleBlock, NoTerminator, NoRegionArguments]> {
  let summary = "Everything an estimator is to learn";
  let description = [{
    Holds features, feature columns, bodies and a head, or several heads of different names, which share the bodies: the loss
    is the sum of theirs. `input` and `settings` are the parts of the artifact's
    manifest that only the frontend knows, as JSON texts: the format of the files with their columns, and the settings
    with path, type, default, rule, value, origin and stage. `precision` says what factors of products are rounded to
    (`df-round-products`); without it nothing is.

    Example:

    ```mlir
    est.estimator @iris compat(tf2) {
      %x = est.feature "SepalLength" : !est.feature<float32>
      %label = est.feature "Species" role(label) : !est.feature<int64>
      %0 = est.numeric "SepalLength" of %x : !est.feature<float32> -> !est.dense<1>
      %1 = est.dnn (%0) hidden_units [30, 10] activation(relu) kernel_initializer(#est.glorot_uniform)
        optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>) : (!est.dense<1>) -> !est.logits<3>
      est.multi_class_head "Species" (%1) label %label reduction(sum_over_batch_size)
        : (!est.logits<3>), !est.feature<int64>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Est_CompatAttr:$compat, OptionalAttr<StrAttr>:$input,
                       OptionalAttr<StrAttr>:$settings, OptionalAttr<Est_PrecisionAttr>:$precision);
  let regions = (region SizedRegion<1>:$body);
  // `precision` came with version 2.
  let useCustomPropertiesEncoding = 1;
  let assemblyFormat = [{
    $sym_name `compat` `(` $compat `)` (`precision` `(` $precision^ `)`)? (`input` $input^)? (`settings` $settings^)? attr-dict-with-keyword $body
  }];
  let extraClassDeclaration = [{
    /// The heads, ops of class Est_HeadOp, in their order: one at least.
    ::llvm::SmallVector<::mlir::Operation *, 1> getHeads();
  }];
  let hasRegionVerifier = 1;
}

def Est_BaselineOp : Est_Op<"baseline", [Pure]> {
  let summary = "Logits that are the same for every row";
  let description = [{
    logits = bias, which starts at 0: what can be told of the labels without a feature. `rows` is read for the number of
    rows alone.

    Example:

    ```mlir
    %0 = est.baseline rows %age optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>)
      : !est.feature<float32> -> !est.logits<1>
    ```
  }];
  let arguments = (ins Est_FeatureType:$rows, Est_OptimizerAttr:$optimizer);
  let results = (outs Est_LogitsType:$logits);
  let assemblyFormat = [{
    `rows` $rows `optimizer` `(` $optimizer `)` attr-dict `:` qualified(type($rows)) `->` qualified(type($logits))
  }];
}

def Est_LinearOp : Est_Op<"linear", [Pure]> {
  let summary = "A linear model over numbers and ids";
  let description = [{
    logits = bias + sum over dense columns of x W + sum over categorical columns of the rows of W at the row's ids
    (joined by `sparse_combiner` within a column). Weights and bias start at 0. The table of an embedding is trained with
    the weights, apart from that of a dnn over the same column. `regularizer` acts on the weights.

    Example:

    ```mlir
    %0 = est.linear (%age, %gender) sparse_combiner(sum) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>)
      : (!est.dense<1>, !est.categorical<2>) -> !est.logits<1>
    ```
  }];
  let arguments = (ins Variadic<AnyTypeOf<[Est_DenseType, Est_CategoricalType]>>:$columns,
                       Est_CombinerAttr:$sparse_combiner, OptionalAttr<Est_RegularizerAttr>:$regularizer,
                       Est_OptimizerAttr:$optimizer);
  let results = (outs Est_LogitsType:$logits);
  let assemblyFormat = [{
    `(` $columns `)` `sparse_combiner` `(` $sparse_combiner `)` (`regularizer` `(` $regularizer^ `)`)?
    `optimizer` `(` $optimizer `)` attr-dict `:` functional-type($columns, $logits)
  }];
  let hasVerifier = 1;
}

def Est_DnnOp : Est_Op<"dnn", [Pure]> {
  let summary = "A stack of fully connected layers over dense columns";
  let description = [{
    The columns are concatenated in the order of the operands (by name). Each hidden layer is
    activation(x kernel + bias), followed in training by dropout with rate `dropout`; the logits layer has neither. Without
    hidden layers the logits layer takes the columns.
    Kernels start by `kernel_initializer`, biases at 0; `regularizer` acts on all kernels.

    With `batch_norm` each hidden layer ends in gamma (x - mean) / sqrt(variance + 1e-3) + beta, gamma and beta trained.
    mean and variance are those of the rows of the virtual shard in training; else the moving averages over the steps, of
    momentum 0.999, of the whole batch's mean and of the mean over its rows of their shards' variance.

    Example:

    ```mlir
    %0 = est.dnn (%age, %job) hidden_units [100, 50] activation(relu) dropout(<"model.dnn.dropout" = 0.1 : f64>)
      kernel_initializer(#est.glorot_uniform) optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>)
      : (!est.dense<1>, !est.dense<8>) -> !est.logits<1>
    ```
  }];
  let arguments = (ins Variadic<Est_DenseType>:$columns, DenseI64ArrayAttr:$hidden_units, Est_ActivationAttr:$activation,
                       OptionalAttr<Est_SettingAttr>:$dropout, UnitAttr:$batch_norm, Est_InitializerAttr:$kernel_initializer,
                       OptionalAttr<Est_RegularizerAttr>:$regularizer, Est_OptimizerAttr:$optimizer);
  let results = (outs Est_LogitsType:$logits);
  let assemblyFormat = [{
    `(` $columns `)` `hidden_units` $hidden_units `activation` `(` $activation `)` (`dropout` `(` $dropout^ `)`)?
    (`batch_norm` $batch_norm^)? `kernel_initializer` `(` $kernel_initializer `)` (`regularizer` `(` $regularizer^ `)`)?
    `optimizer` `(` $optimizer `)` attr-dict `:` functional-type($columns, $logits)
  }];
  let hasVerifier = 1;
}

/// Of rows, or of steps.
def Est_AnyLogits : AnyTypeOf<[Est_LogitsType, Est_StepLogitsType]>;

def Est_RnnOp : Est_Op<"rnn", [Pure, AttrSizedOperandSegments]> {
  let summary = "Recurrent layers over sequences";
  let description = [{
    The input of a step are the step's numbers of `sequences`, which have equally many steps in each row, and the row's
    numbers of `context_columns`, concatenated in the order of the operands. Layers of `units` run over the steps, each on the
    outputs of the one before; the logits are a fully connected layer of the last one's output at the row's last step, of
    a row without steps of zeros. With a result of type `!est.step_logits` they are that layer of its output at each step,
    after the row's last step of the output there. Cells are those of Keras: `df.rnn_cell`, `df.lstm_cell` and `df.gru_cell`. Kernels start
    glorot uniform, recurrent kernels orthogonal, biases at 0, but at 1 for the forget gate of an LSTM.

    Example:

    ```mlir
    %0 = est.rnn (%words, %price) context (%age) units [32, 16] cell(lstm)
      optimizer(<rule = #est.sgd<learning_rate = <"lr" = 0.1 : f64>>>)
      : (!est.sequence<8>, !est.sequence<1>) context (!est.dense<1>) -> !est.logits<1>
    ```
  }];
  let arguments = (ins Variadic<Est_SequenceType>:$sequences, Variadic<Est_DenseType>:$context_columns,
                       DenseI64ArrayAttr:$units, Est_CellAttr:$cell, Est_OptimizerAttr:$optimizer);
  let results = (outs Est_AnyLogits:$logits);
  let assemblyFormat = [{
    `(` $sequences `)` (`context` `(` $context_columns^ `)`)? `units` $units `cell` `(` $cell `)`
    `optimizer` `(` $optimizer `)` attr-dict `:` `(` qualified(type($sequences)) `)`
    (`context` `(` qualified(type($context_columns))^ `)`)? `->` qualified(type($logits))
  }];
  let hasVerifier = 1;
}

def Est_PartOfLogitsOp : Est_Op<"part_of_logits", [Pure]> {
  let summary = "The logits of one of several heads";
  let description = [{
    Those of `logits`, of a body, from number `from` on, as many as the result has.

    Constraints: (1) the operand is the result of a body; (2) it has all elements of the result.

    Example:

    ```mlir
    %1 = est.part_of_logits %0 from 1 : !est.logits<4> -> !est.logits<3>
    ```
  }];
  let arguments = (ins Est_LogitsType:$logits, ConfinedAttr<I64Attr, [IntNonNegative]>:$from);
  let results = (outs Est_LogitsType:$part);
  let assemblyFormat = "$logits `from` $from attr-dict `:` qualified(type($logits)) `->` qualified(type($part))";
  let hasVerifier = 1;
}

/// What all heads have: a name, logits, a label, rows' weights, the reduction of the loss, and `head_weight`, its factor.
/// Logits of steps have a multi-valued label, of a value for each step of a row, and such weights; losses and metrics are
/// those of the steps.
class Est_HeadOp<string mnemonic, dag more> : Est_Op<mnemonic, [AttrSizedOperandSegments, HasParent<"EstimatorOp">]> {
  let arguments = !con((ins StrAttr:$name, Variadic<Est_AnyLogits>:$logits, Est_FeatureType:$label,
                            Optional<Est_WeightFeature>:$weight, Est_LossReductionAttr:$reduction), more,
                       (ins OptionalAttr<Est_SettingAttr>:$head_weight));
  let hasVerifier = 1;
}

def Est_BinaryClassHeadOp
    : Est_HeadOp<"binary_class_head", (ins Optional<Est_DiscreteFeature>:$group,
                                           OptionalAttr<Est_TermsAttr>:$vocabulary,
                                           OptionalAttr<DenseF64ArrayAttr>:$thresholds,
                                           OptionalAttr<DenseF64ArrayAttr>:$class_weights)> {
  let summary = "Two classes from one logit";
  let description = [{
    Loss: sigmoid cross entropy of the sum of the bodies' logits. A numeric label is the class 0 or 1; with `vocabulary`
    the label is one of its two terms. Metrics are also given at each of `thresholds`, which lie in (0, 1). With `group`,
    gauc is the mean of the AUC within the rows of each group, weighted by their weight; groups of one class do not count.
    `class_weights` are factors of the rows' losses by class in the loss of a step.

    Example:

    ```mlir
    est.binary_class_head "income" (%linear, %dnn) label %label weight %w vocabulary(["<=50K", ">50K"])
      thresholds [0.3, 0.7] reduction(sum_over_batch_size)
      : (!est.logits<1>, !est.logits<1>), !est.feature<string>, !est.feature<float32>
    ```
  }];
  let assemblyFormat = [{
    $name `(` $logits `)` `label` $label (`weight` $weight^)? (`group` $group^)? (`vocabulary` `(` $vocabulary^ `)`)?
    (`thresholds` $thresholds^)? (`class_weights` $class_weights^)? `reduction` `(` $reduction `)`
    (`head_weight` `(` $head_weight^ `)`)? attr-dict `:` `(` qualified(type($logits)) `)` `,`
    qualified(type($label)) (`,` qualified(type($weight))^)? (`group` qualified(type($group))^)?
  }];
}

def Est_MultiClassHeadOp : Est_HeadOp<"multi_class_head", (ins OptionalAttr<Est_TermsAttr>:$vocabulary,
                                                               OptionalAttr<DenseF64ArrayAttr>:$class_weights)> {
  let summary = "One of n > 2 classes from n logits";
  let description = [{
    Loss: softmax cross entropy of the sum of the bodies' logits. An integer label is the class itself; with
    `vocabulary` the label is one of its n terms. `class_weights` as of est.binary_class_head.

    Example:

    ```mlir
    est.multi_class_head "Species" (%dnn) label %label reduction(sum_over_batch_size)
      : (!est.logits<3>), !est.feature<int64>
    ```
  }];
  let assemblyFormat = [{
    $name `(` $logits `)` `label` $label (`weight` $weight^)? (`vocabulary` `(` $vocabulary^ `)`)?
    (`class_weights` $class_weights^)? `reduction` `(` $reduction `)` (`head_weight` `(` $head_weight^ `)`)? attr-dict
    `:` `(` qualified(type($logits)) `)` `,` qualified(type($label)) (`,` qualified(type($weight))^)?
  }];
}

def Est_MultiLabelHeadOp
    : Est_HeadOp<"multi_label_head", (ins OptionalAttr<Est_TermsAttr>:$vocabulary,
                                          OptionalAttr<DenseF64ArrayAttr>:$thresholds,
                                          OptionalAttr<DenseI64ArrayAttr>:$class_metrics)> {
  let summary = "Any of n classes from n logits";
  let description = [{
    Loss: the mean over the classes of the sigmoid cross entropy of the sum of the bodies' logits. A multi-valued label is the
    set of classes: integers, or terms of `vocabulary`. A label of n numbers or truth values tells for each class whether it is
    in the set (0 or 1); the vocabulary then only names the classes. Metrics are also given at each of `thresholds`, which lie
    in (0, 1), and for each of the classes `class_metrics` alone.

    Example:

    ```mlir
    est.multi_label_head "tags" (%dnn) label %label vocabulary(["a", "b", "c"]) class_metrics [1]
      reduction(sum_over_batch_size) : (!est.logits<3>), !est.feature<?xstring>
    ```
  }];
  let assemblyFormat = [{
    $name `(` $logits `)` `label` $label (`weight` $weight^)? (`vocabulary` `(` $vocabulary^ `)`)? (`thresholds` $thresholds^)?
    (`class_metrics` $class_metrics^)? `reduction` `(` $reduction `)` (`head_weight` `(` $head_weight^ `)`)? attr-dict
    `:` `(` qualified(type($logits)) `)` `,` qualified(type($label)) (`,` qualified(type($weight))^)?
  }];
}

def Est_RegressionHeadOp
    : Est_HeadOp<"regression_head", (ins OptionalAttr<Est_LabelTransformAttr>:$label_transform)> {
  let summary = "A number from each logit";
  let description = [{
    Loss: squared error of the sum of the bodies' logits, one for each element of the label. With `label_transform` the loss is on the transformed scale;
    predictions, label/mean, rmse and mae are in the label's own units (the inverse transform of the logit).

    Example:

    ```mlir
    est.regression_head "value" (%dnn) label %label label_transform(#est.log1p) reduction(sum_over_batch_size)
      : (!est.logits<1>), !est.feature<float32>
    ```
  }];
  let assemblyFormat = [{
    $name `(` $logits `)` `label` $label (`weight` $weight^)? (`label_transform` `(` $label_transform^ `)`)?
    `reduction` `(` $reduction `)` (`head_weight` `(` $head_weight^ `)`)? attr-dict
    `:` `(` qualified(type($logits)) `)` `,` qualified(type($label)) (`,` qualified(type($weight))^)?
  }];
}

def Est_LogisticRegressionHeadOp : Est_HeadOp<"logistic_regression_head", (ins)> {
  let summary = "A number in [0, 1] from each logit";
  let description = [{
    Loss: sigmoid cross entropy of the sum of the bodies' logits z against labels in [0, 1], one for each. Predicts
    sigmoid(z).

    Example:

    ```mlir
    est.logistic_regression_head "rate" (%dnn) label %label reduction(sum_over_batch_size)
      : (!est.logits<1>), !est.feature<float32>
    ```
  }];
  let assemblyFormat = [{
    $name `(` $logits `)` `label` $label (`weight` $weight^)? `reduction` `(` $reduction `)` (`head_weight` `(` $head_weight^ `)`)? attr-dict
    `:` `(` qualified(type($logits)) `)` `,` qualified(type($label)) (`,` qualified(type($weight))^)?
  }];
}

def Est_PoissonRegressionHeadOp : Est_HeadOp<"poisson_regression_head", (ins UnitAttr:$compute_full_loss)> {
  let summary = "The mean of a count from each logit";
  let description = [{
    Loss: exp(z) - y z of the sum of the bodies' logits z and labels y >= 0, one for each. With `compute_full_loss` Stirling's
    approximation of ln y!, y ln y - y + ln(2 pi y) / 2, is added for y > 1. Predicts exp(z).

    Example:

    ```mlir
    est.poisson_regression_head "count" (%dnn) label %label compute_full_loss reduction(sum_over_batch_size)
      : (!est.logits<1>), !est.feature<int64>
    ```
  }];
  let assemblyFormat = [{
    $name `(` $logits `)` `label` $label (`weight` $weight^)? (`compute_full_loss` $compute_full_loss^)?
    `reduction` `(` $reduction `)` (`head_weight` `(` $head_weight^ `)`)? attr-dict
    `:` `(` qualified(type($logits)) `)` `,` qualified(type($label)) (`,` qualified(type($weight))^)?
  }];
}

#endif // MLC_EST_MODEL_OPS
