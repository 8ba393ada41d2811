"""Fully connected layers as tf.estimator's tests make them: alone, and in a wide and deep model without a wide part."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import canned
import numpy as np
from upstream import Kind

from mlc import estimator

DNN_FILE = "estimator/canned/dnn_test_fc_v2.py"
COMBINED_FILE = "estimator/canned/dnn_linear_combined_test.py"
DNN_HEAD_FILE = "estimator/canned/dnn_estimator_test.py"
COMBINED_HEAD_FILE = "estimator/canned/dnn_linear_combined_estimator_test.py"

Layers = Sequence[tuple[Any, Any]]
"""Kernel and bias of each layer."""

_HIDDEN = ([[1.0, 0.8], [-0.8, -1.0]], [0.2, -0.2])
_ONE_INPUT, _TWO_INPUTS = ([[0.6, 0.5]], [0.1, -0.1]), ([[0.6, 0.5], [-0.6, -0.5]], [0.1, -0.1])
_ONE_LOGIT, _THREE_LOGITS = ([[-1.0], [1.0]], [0.3]), ([[-1.0, 1.0, 0.5], [-1.0, 1.0, 0.5]], [0.3, -0.3, 0.0])
# By inputs and logits; from 10, and from (10, 8), their tests compute the logits by hand.
ONE_TO_ONE: Layers = (_ONE_INPUT, _HIDDEN, _ONE_LOGIT)
ONE_TO_THREE: Layers = (_ONE_INPUT, _HIDDEN, _THREE_LOGITS)
TWO_TO_ONE: Layers = (_TWO_INPUTS, _HIDDEN, _ONE_LOGIT)
TWO_TO_THREE: Layers = (_TWO_INPUTS, _HIDDEN, _THREE_LOGITS)


def _only(combined: Any) -> Any:
    """A constructor with the arguments of a model of fully connected layers."""

    def make(hidden_units: Any, columns: Any, model_dir: Any, optimizer: Any = "Adagrad", **arguments: Any) -> Any:
        return combined(
            model_dir, dnn_feature_columns=columns, dnn_hidden_units=hidden_units, dnn_optimizer=optimizer, **arguments
        )

    return make


def _kinds(name: str, combined: Any) -> list[Kind]:
    return [
        Kind("dnn", DNN_FILE, f"DNN{name}{{}}V2Test", getattr(estimator, f"DNN{name}")),
        Kind("only", COMBINED_FILE, f"DNNOnly{name}{{}}V2Test", _only(combined)),
    ]


REGRESSORS = _kinds("Regressor", estimator.DNNLinearCombinedRegressor)
CLASSIFIERS = _kinds("Classifier", estimator.DNNLinearCombinedClassifier)
OF_HEADS = [
    Kind(
        "dnn_of_head", DNN_HEAD_FILE, "DNNEstimator{}Test",
        canned.with_head(estimator.DNNEstimator, estimator.RegressionHead),
    ),
    Kind(
        "only_of_head", COMBINED_HEAD_FILE, "DNNOnlyEstimator{}Test",
        _only(canned.with_head(estimator.DNNLinearCombinedEstimator, estimator.RegressionHead)),
    ),
]  # fmt: skip
"""Regressors of a head."""


def _name(layer: int, layers: Layers) -> str:
    return "dnn/logits" if layer == len(layers) - 1 else f"dnn/hiddenlayer_{layer}"


def variables_of(layers: Layers) -> dict[str, Any]:
    """Kernels and biases under their names."""
    named: dict[str, Any] = {}
    for i, (kernel, bias) in enumerate(layers):
        named |= {f"{_name(i, layers)}/kernel": kernel, f"{_name(i, layers)}/bias": bias}
    return named


def shapes_of(inputs: int, hidden_units: Sequence[int], logits: int) -> dict[str, tuple[int, ...]]:
    """Shapes of kernels and biases under their names."""
    sizes = [inputs, *hidden_units, logits]
    layers = [(np.empty(sizes[i : i + 2]), np.empty(sizes[i + 1])) for i in range(len(sizes) - 1)]
    return {name: value.shape for name, value in variables_of(layers).items()}
