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
    BaselineRegressor,
    DNNClassifier,
    DNNLinearCombinedClassifier,
    DNNLinearCombinedRegressor,
    DNNRegressor,
    LinearClassifier,
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
from mlc.estimator.model_fn import EstimatorSpec
from mlc.estimator.predictor import Predictor
from mlc.estimator.run_config import RunConfig
from mlc.estimator.specs import EvalSpec, ModeKeys, TrainSpec, VocabInfo, WarmStartSettings
from mlc.estimator.training import train_and_evaluate
__all__ = [
    "BaselineClassifier",
    "BaselineRegressor",
    "BestExporter",
    "CheckpointSaverHook",
    "CheckpointSaverListener",
    "DNNClassifier",
    "DNNLinearCombinedClassifier",
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
    "LatestExporter",
    "LinearClassifier",
    "LinearRegressor",
    "LoggingTensorHook",
    "ModeKeys",
    "NanLossDuringTrainingError",
    "NanTensorHook",
    "Predictor",
    "ProfilerHook",
    "RunConfig",
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
    "experimental",
    "export",
    "inputs",
    "make_early_stopping_hook",
    "stop_if_higher_hook",
    "stop_if_lower_hook",
    "stop_if_no_decrease_hook",
    "stop_if_no_increase_hook",
    "train_and_evaluate",
]
