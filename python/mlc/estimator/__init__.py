# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""tf.estimator: canned Estimators that are compiled, with TensorFlow 2.15's names, defaults and meaning.

    model = mlc.estimator.LinearClassifier(feature_columns=columns, model_dir="m")
    model.train(input_fn, steps=1000)
    print(model.evaluate(input_fn_of_test_data))

What several have as arguments:
  feature_columns, linear_feature_columns, dnn_feature_columns: what the model, or a part of it, sees of the features: see
    mlc.feature_column. A DNN takes dense columns, a linear model any.
  hidden_units, dnn_hidden_units: the widths of the hidden layers, the first one at the input.
  activation_fn, dnn_activation_fn, dropout, dnn_dropout, batch_norm: of each hidden layer: product and bias, activation,
    dropout of this share (None: of none), batch normalization, in this order.
  n_classes: 2, with one logit, or more.
  label_dimension: numbers of a label, [rows, label_dimension], or [rows] of 1.
  label_vocabulary: the texts of the classes in their order; None: labels are integers from 0 to n_classes - 1.
  weight_column: a key of the features, or a numeric column: weights of rows in loss and metrics, 0 or more; None: 1.
  optimizer, linear_optimizer, dnn_optimizer: one of mlc.optimizers, its name, or a function that returns one.
  sparse_combiner, linear_sparse_combiner: how the weights of several ids of a row become one: "sum", "mean", "sqrtn".
  loss_reduction: of the losses of rows: "sum_over_batch_size", their weighted sum by their number, "sum" or "mean".
  hooks, saving_listeners: called between steps, and around checkpoints: see SessionRunHook and CheckpointSaverListener.
  metric_name, eval_dir, min_steps: of hooks that look at evaluations: which metric, of the evaluations of this directory (None:
    estimator.eval_dir(), of another EvalSpec estimator.eval_dir(name)), from this step on.
  run_every_secs, run_every_steps: how often these look, by one of both.
  every_n_steps, every_n_iter, every_n_secs, every_secs, every_steps: how often, by one of them.
  serving_input_receiver_fn, assets_extra, as_text, summary_writer, saver, scaffold: of TensorFlow's graphs
    and files; there is nothing here that they would be for, and what is not None or False is refused.
"""

import sys
from typing import TYPE_CHECKING, Any

from mlc._file_hooks import CheckpointSaverHook, ProfilerHook, SummarySaverHook
from mlc._hooks import (
    CheckpointSaverListener,
    FeedFnHook,
    FinalOpsHook,
    GlobalStepWaiterHook,
    LoggingTensorHook,
    NanTensorHook,
    SecondOrStepTimer,
    SessionRunArgs,
    SessionRunContext,
    SessionRunHook,
    SessionRunValues,
    StepCounterHook,
    StopAtStepHook,
)
from mlc.errors import NanLossDuringTrainingError
from mlc.estimator import experimental, export, inputs
from mlc.estimator.canned import (
    BaselineClassifier,
    BaselineEstimator,
    BaselineRegressor,
    DNNClassifier,
    DNNEstimator,
    DNNLinearCombinedClassifier,
    DNNLinearCombinedEstimator,
    DNNLinearCombinedRegressor,
    DNNRegressor,
    LinearClassifier,
    LinearEstimator,
    LinearRegressor,
)
from mlc.estimator.estimator import Estimator
from mlc.estimator.exporters import BestExporter, Exporter, FinalExporter, LatestExporter
from mlc.estimator.extenders import (
    add_metrics,
    make_early_stopping_hook,
    stop_if_higher_hook,
    stop_if_lower_hook,
    stop_if_no_decrease_hook,
    stop_if_no_increase_hook,
)
from mlc.estimator.heads import (
    BinaryClassHead,
    Head,
    LogisticRegressionHead,
    MultiClassHead,
    MultiHead,
    MultiLabelHead,
    PoissonRegressionHead,
    RegressionHead,
    SampledSoftmaxHead,
    SequentialHeadWrapper,
)
from mlc.estimator.model_fn import EstimatorSpec
from mlc.estimator.parsing import classifier_parse_example_spec, regressor_parse_example_spec
from mlc.estimator.predictor import Predictor
from mlc.estimator.rnn import RNNClassifier, RNNEstimator
from mlc.estimator.run_config import RunConfig
from mlc.estimator.specs import EvalSpec, ModeKeys, TrainSpec, VocabInfo, WarmStartSettings
from mlc.estimator.strategy import ParameterServerStrategy
from mlc.estimator.training import train_and_evaluate

__all__ = [
    "BaselineClassifier",
    "BaselineEstimator",
    "BaselineRegressor",
    "BestExporter",
    "BinaryClassHead",
    "CheckpointSaverHook",
    "CheckpointSaverListener",
    "DNNClassifier",
    "DNNEstimator",
    "DNNLinearCombinedClassifier",
    "DNNLinearCombinedEstimator",
    "DNNLinearCombinedRegressor",
    "DNNRegressor",
    "Estimator",
    "EstimatorSpec",
    "EvalSpec",
    "Exporter",
    "FeedFnHook",
    "FinalExporter",
    "FinalOpsHook",
    "GlobalStepWaiterHook",
    "Head",
    "LatestExporter",
    "LinearClassifier",
    "LinearEstimator",
    "LinearRegressor",
    "LoggingTensorHook",
    "LogisticRegressionHead",
    "ModeKeys",
    "MultiClassHead",
    "MultiHead",
    "MultiLabelHead",
    "NanLossDuringTrainingError",
    "NanTensorHook",
    "ParameterServerStrategy",
    "PoissonRegressionHead",
    "Predictor",
    "ProfilerHook",
    "RNNClassifier",
    "RNNEstimator",
    "RegressionHead",
    "RunConfig",
    "SampledSoftmaxHead",
    "SecondOrStepTimer",
    "SequentialHeadWrapper",
    "SessionRunArgs",
    "SessionRunContext",
    "SessionRunHook",
    "SessionRunValues",
    "StepCounterHook",
    "StopAtStepHook",
    "SummarySaverHook",
    "TrainSpec",
    "VocabInfo",
    "WarmStartSettings",
    "add_metrics",
    "classifier_parse_example_spec",
    "experimental",
    "export",
    "inputs",
    "make_early_stopping_hook",
    "regressor_parse_example_spec",
    "stop_if_higher_hook",
    "stop_if_lower_hook",
    "stop_if_no_decrease_hook",
    "stop_if_no_increase_hook",
    "train_and_evaluate",
]

_GONE = {
    "BoostedTreesClassifier": "trees are not here; see docs/coming-from-sklearn-keras.md",
    "BoostedTreesEstimator": "trees are not here; see docs/coming-from-sklearn-keras.md",
    "BoostedTreesRegressor": "trees are not here; see docs/coming-from-sklearn-keras.md",
    "KMeans": "clustering is not here; see docs/coming-from-sklearn-keras.md",
    "LinearSDCA": "a linear model is trained in batches; optimizers.Ftrl, say",
    "tpu": "there are no TPUs here",
}
"""What tf.estimator had, and what there is instead."""

if not TYPE_CHECKING:  # whose tools know what is there

    def __getattr__(name: str) -> Any:
        hint = f": {_GONE[name]}" if name in _GONE else ""
        raise AttributeError(f"module 'mlc.estimator' has no attribute '{name}'{hint}", name=name, obj=sys.modules[__name__])
