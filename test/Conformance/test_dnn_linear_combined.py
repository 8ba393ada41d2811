"""What canned/dnn_linear_combined_test.py of tf.estimator 2.15 says of both parts together."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from pathlib import Path
from typing import Any

import canned
import numpy as np
import pytest
from dnn import COMBINED_FILE
from upstream import restates

from mlc import estimator, optimizers
from mlc import feature_column as fc

DATA = np.linspace(0.0, 2.0, 20, dtype=np.float32)


def regressor(model_dir: Any, dimension: int, **arguments: Any) -> estimator.Estimator:
    column = fc.numeric_column("x", shape=dimension)
    return estimator.DNNLinearCombinedRegressor(
        model_dir, linear_feature_columns=[column], dnn_hidden_units=(2, 2), dnn_feature_columns=[column],
        label_dimension=dimension, **arguments,
    )  # fmt: skip


def classifier(model_dir: Any, dimension: int, **arguments: Any) -> estimator.Estimator:
    column = fc.numeric_column("x", shape=dimension)
    return estimator.DNNLinearCombinedClassifier(
        model_dir, linear_feature_columns=[column], dnn_hidden_units=(2, 2), dnn_feature_columns=[column], **arguments
    )


@restates(f"{COMBINED_FILE}::DNNLinearCombinedRegressorIntegrationTest::test_numpy_input_fn_basic")
def test_regressor_of_arrays(tmp_path: Path) -> None:
    x = DATA.reshape(10, 2)
    model = regressor(str(tmp_path / "m"), 2)
    canned.assert_whole_use(model, canned.numpy_inputs(x, x), 10, "predictions", (10, 2), tmp_path)


@restates(f"{COMBINED_FILE}::DNNLinearCombinedRegressorIntegrationTest::test_pandas_input_fn_basic")
def test_regressor_of_a_frame(tmp_path: Path) -> None:
    x = np.linspace(0.0, 2.0, 10, dtype=np.float32)
    model = regressor(str(tmp_path / "m"), 1)
    canned.assert_whole_use(model, canned.pandas_inputs(x, x), 10, "predictions", (10, 1), tmp_path)


@restates(f"{COMBINED_FILE}::DNNLinearCombinedClassifierIntegrationTest::test_numpy_input_fn")
def test_classifier_of_arrays(tmp_path: Path) -> None:
    x, y = DATA.reshape(10, 2), np.rint(DATA[:10]).astype(np.int64).reshape(10, 1)
    model = classifier(str(tmp_path / "m"), 2, n_classes=3)
    canned.assert_whole_use(model, canned.numpy_inputs(x, y), 10, "probabilities", (10, 3), tmp_path)


@restates(f"{COMBINED_FILE}::DNNLinearCombinedClassifierIntegrationTest::test_pandas_input_fn")
def test_classifier_of_a_frame(tmp_path: Path) -> None:
    x = np.linspace(0.0, 1.0, 10, dtype=np.float32)
    model = classifier(str(tmp_path / "m"), 1)
    inputs = canned.pandas_inputs(x, np.rint(x).astype(np.int64))
    canned.assert_whole_use(model, inputs, 10, "probabilities", (10, 2), tmp_path)


@restates(f"{COMBINED_FILE}::DNNLinearCombinedTests::test_train_op_calls_both_dnn_and_linear")
@pytest.mark.parametrize("moves", ["linear", "dnn"])
def test_each_part_has_its_optimizer(moves: str, tmp_path: Path) -> None:
    rates = {part: optimizers.SGD(1.0 if part == moves else 0.0) for part in ("linear", "dnn")}
    model = classifier(
        str(tmp_path / "m"), 1, linear_optimizer=rates["linear"], dnn_optimizer=rates["dnn"],
        config=estimator.RunConfig(tf_random_seed=1),
    )  # fmt: skip
    # Of a row of zeros the weights have no gradient, the biases of the linear part and of the logits have.
    rows = {"x": np.array([[0.0], [1.0]])}, np.array([[0.0], [1.0]])
    model.train(estimator.inputs.numpy_input_fn(*rows, batch_size=1, shuffle=False), steps=1)
    assert model.get_variable_value("global_step") == 1
    biases = {"linear": "linear/linear_model/bias_weights", "dnn": "dnn/logits/bias"}
    assert {part for part, name in biases.items() if model.get_variable_value(name) != 0} == {moves}


@restates(f"{COMBINED_FILE}::DNNLinearCombinedTests::test_dnn_and_linear_logits_are_added")
def test_logits_are_added(tmp_path: Path) -> None:
    column = fc.numeric_column("x")
    model = estimator.DNNLinearCombinedRegressor(
        str(tmp_path / "m"), linear_feature_columns=[column], dnn_hidden_units=[1], dnn_feature_columns=[column]
    )
    variables = {
        "linear/linear_model/x/weights": [[1.0]], "linear/linear_model/bias_weights": [2.0],
        "dnn/hiddenlayer_0/kernel": [[3.0]], "dnn/hiddenlayer_0/bias": [4.0], "dnn/logits/kernel": [[5.0]],
        "dnn/logits/bias": [6.0],
    }  # fmt: skip
    begun = canned.starting_with(model, variables)
    found = next(begun.predict(estimator.inputs.numpy_input_fn({"x": np.array([[10.0]])}, batch_size=1, shuffle=False)))
    canned.assert_predictions(found, {"predictions": [188.0]})
