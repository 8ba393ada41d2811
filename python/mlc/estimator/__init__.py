"""tf.estimator: canned Estimators that are compiled, with TensorFlow 2.15's names, defaults and meaning.

model = mlc.estimator.LinearClassifier(feature_columns=columns, model_dir="m")
model.train(input_fn, steps=1000)
print(model.evaluate(input_fn_of_test_data))
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
)
from mlc.estimator.model_fn import EstimatorSpec
from mlc.estimator.parsing import classifier_parse_example_spec, regressor_parse_example_spec
from mlc.estimator.predictor import Predictor
from mlc.estimator.rnn import RNNClassifier, RNNEstimator
from mlc.estimator.run_config import RunConfig
from mlc.estimator.specs import EvalSpec, ModeKeys, TrainSpec, VocabInfo, WarmStartSettings
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
    "PoissonRegressionHead",
    "Predictor",
    "ProfilerHook",
    "RNNClassifier",
    "RNNEstimator",
    "RegressionHead",
    "RunConfig",
    "SampledSoftmaxHead",
    "SecondOrStepTimer",
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
