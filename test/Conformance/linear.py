"""Linear models as tf.estimator's tests make them: alone, in a wide and deep model without a deep part, baselines."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import canned
import numpy as np
from upstream import Kind

from mlc import estimator

BASELINE_FILE = "estimator/canned/baseline_test.py"
LINEAR_FILE = "estimator/canned/linear_test.py"
COMBINED_FILE = "estimator/canned/dnn_linear_combined_test.py"
BASELINE_HEAD_FILE = "estimator/canned/baseline_estimator_test.py"
LINEAR_HEAD_FILE = "estimator/canned/linear_estimator_test.py"
COMBINED_HEAD_FILE = "estimator/canned/dnn_linear_combined_estimator_test.py"


def _only(combined: Any) -> Any:
    """A constructor with the arguments of a linear model."""

    def make(columns: Any, model_dir: Any, optimizer: Any = "Ftrl", sparse_combiner: str = "sum", **arguments: Any) -> Any:
        return combined(
            model_dir,
            linear_feature_columns=columns,
            linear_optimizer=optimizer,
            linear_sparse_combiner=sparse_combiner,
            **arguments,
        )

    return make


def _baseline(baseline: Any) -> Any:
    """A constructor that takes columns and leaves them alone."""

    def make(columns: Any, model_dir: Any, **arguments: Any) -> Any:
        return baseline(model_dir, **arguments)

    return make


def _regressing(make: Any) -> Any:
    """A constructor that takes the arguments of a RegressionHead in the place of a head."""
    return canned.with_head(make, estimator.RegressionHead)


def _kinds(name: str, combined: Any) -> list[Kind]:
    linear = Kind("linear", LINEAR_FILE, f"Linear{name}{{}}V2Test", getattr(estimator, f"Linear{name}"))
    only = Kind("only", COMBINED_FILE, f"LinearOnly{name}{{}}V2Test", _only(combined))
    baseline = Kind("baseline", BASELINE_FILE, f"Baseline{name}{{}}Test", _baseline(getattr(estimator, f"Baseline{name}")))
    return [linear, only, baseline]


REGRESSORS = _kinds("Regressor", estimator.DNNLinearCombinedRegressor)
CLASSIFIERS = _kinds("Classifier", estimator.DNNLinearCombinedClassifier)
LINEAR_OF_HEAD = Kind("linear_of_head", LINEAR_HEAD_FILE, "LinearEstimator{}Test", _regressing(estimator.LinearEstimator))
ONLY_OF_HEAD = Kind(
    "only_of_head",
    COMBINED_HEAD_FILE,
    "LinearOnlyEstimator{}Test",
    _only(_regressing(estimator.DNNLinearCombinedEstimator)),
)
BASELINE_OF_HEAD = Kind(
    "baseline_of_head", BASELINE_HEAD_FILE, "BaselineEstimator{}Test", _baseline(_regressing(estimator.BaselineEstimator))
)
# The class of evaluations has another name.
EVALUATED_CLASSIFIERS = [
    CLASSIFIERS[0],
    Kind("only", COMBINED_FILE, "LinearOnlyClassifierClasses{}V2Test", CLASSIFIERS[1].make),
]


def variables_of(kind: Kind, weights: Mapping[str, Any], bias: Sequence[float]) -> dict[str, Any]:
    """The weights of columns and the bias under their names."""
    if kind.name.startswith("baseline"):
        return {"baseline/bias": bias}
    named = {f"linear/linear_model/{column}/weights": value for column, value in weights.items()}
    return {**named, "linear/linear_model/bias_weights": bias}


def logits_of(kind: Kind, weights: Mapping[str, Any], bias: Sequence[float], features: Mapping[str, Any]) -> np.ndarray:
    """What the model makes of numbers: [rows, outputs]."""
    total = np.asarray(bias, np.float64)
    for column, value in weights.items():
        numbers = np.asarray(features[column], np.float64)
        total = total + numbers.reshape(len(numbers), -1) @ np.asarray(value)
    rows = len(next(iter(features.values())))
    return np.broadcast_to(total, (rows, len(bias)))
