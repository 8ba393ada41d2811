"""What canned/dnn_testing_utils.py, dnn_test_fc_v2.py and dnn_linear_combined_test.py say of fully connected layers.

And, of those that learn what a RegressionHead says, dnn_estimator_test.py and dnn_linear_combined_estimator_test.py.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from pathlib import Path
from typing import Any

import canned
import numpy as np
import pytest
from dnn import (
    CLASSIFIERS,
    COMBINED_FILE,
    DNN_FILE,
    OF_HEADS,
    ONE_TO_ONE,
    ONE_TO_THREE,
    REGRESSORS,
    TWO_TO_ONE,
    TWO_TO_THREE,
    shapes_of,
    variables_of,
)
from upstream import Kind, cases, restates

from mlc import errors, estimator
from mlc import feature_column as fc

HIDDEN = (2, 2)


def columns_of(features: Any) -> list[Any]:
    """A numeric column for each key but the weights of rows."""
    return [fc.numeric_column(key, shape=np.shape(value)[1:]) for key, value in features.items() if key != "w"]


# Logits, told by a regressor: in prediction, in evaluation and in training by losses with labels of 0.

MODEL_FNS = [
    Kind("model_fn", DNN_FILE, "DNN{}V2Test", REGRESSORS[0].make),
    Kind("only", COMBINED_FILE, "DNNOnly{}Test", REGRESSORS[1].make),
]
MIXED = {"age": [[10.0]], "height": [[8.0]]}
LOGITS = {
    "test_one_dim_logits": (ONE_TO_ONE, {"age": [[10.0]]}, [[-2.08]]),
    "test_multi_dim_logits": (ONE_TO_THREE, {"age": [[10.0]]}, [[-2.08, 2.08, 1.19]]),
    "test_multi_example_multi_dim_logits": (
        ONE_TO_THREE, {"age": [[10.0], [5.0]]}, [[-2.08, 2.08, 1.19], [-1.08, 1.08, 0.69]]
    ),
    "test_multi_dim_input_one_dim_logits": (TWO_TO_ONE, {"age": [[10.0, 8.0]]}, [[-0.48]]),
    "test_multi_dim_input_multi_dim_logits": (TWO_TO_THREE, {"age": [[10.0, 8.0]]}, [[-0.48, 0.48, 0.39]]),
    "test_multi_feature_column_multi_dim_logits": (TWO_TO_THREE, MIXED, [[-0.48, 0.48, 0.39]]),
    "test_multi_feature_column_mix_multi_dim_logits": (TWO_TO_THREE, MIXED, [[-0.48, 0.48, 0.39]]),
}  # fmt: skip


@cases((MODEL_FNS, "ModelFn", LOGITS), (MODEL_FNS[:1], "LogitFn", LOGITS))
def test_logits(kind: Kind, case: Any, tmp_path: Path) -> None:
    layers, features, logits = case
    model = kind.make(
        HIDDEN, columns_of(features), str(tmp_path / "m"), label_dimension=len(logits[0]), optimizer=canned.FROZEN
    )
    rows = (features, np.zeros_like(logits))
    square = np.mean(np.square(logits))
    begun = canned.starting_with(model, variables_of(layers))
    np.testing.assert_allclose([row["predictions"] for row in begun.predict(lambda: features)], logits, rtol=1e-5)
    assert canned.losses_of(begun, lambda: rows, 1) == pytest.approx([square])
    canned.assert_metrics(model.evaluate(lambda: rows), {"loss": square, "prediction/mean": np.mean(logits)}, rtol=1e-5)


@restates(f"{DNN_FILE}::DNNLogitFnV2Test::test_one_dim_logits_with_batch_norm")
def test_logits_behind_batch_norm(tmp_path: Path) -> None:
    model = estimator.DNNRegressor(
        [2], [fc.numeric_column("age")], str(tmp_path / "m"), batch_norm=True, optimizer=canned.FROZEN
    )
    norm = "dnn/hiddenlayer_0/batchnorm_0"
    variables = variables_of([([[0.6, 0.5]], [1.0, -1.0]), ([[-1.0], [2.0]], [0.3])]) | {
        f"{norm}/beta": [0, 0], f"{norm}/gamma": [1, 1], f"{norm}/moving_mean": [0, 0], f"{norm}/moving_variance": [1, 1],
    }  # fmt: skip
    begun = canned.starting_with(model, variables)
    features = {"age": [[10.0], [20.0]]}
    still = np.array([[1.299500375], [5.297501873]])
    np.testing.assert_allclose([row["predictions"] for row in begun.predict(lambda: features)], still, rtol=1e-5)
    rows = (features, np.zeros((2, 1)))
    assert begun.evaluate(lambda: rows)["loss"] == pytest.approx(np.mean(still**2))
    moving = np.array([-0.699895571, 1.299895571])
    assert canned.losses_of(begun, lambda: rows, 1) == pytest.approx([np.mean(moving**2)])


@cases((MODEL_FNS, "ModelFn", {"test_features_tensor_raises_value_error": None}))
def test_features_that_are_no_dict(kind: Kind, case: None, tmp_path: Path) -> None:
    model = kind.make(HIDDEN, [fc.numeric_column("age")], str(tmp_path / "m"), label_dimension=3)
    with pytest.raises(ValueError, match="features should be a dict") as raised:
        model.train(lambda: (np.array([[10.0]]), [[1]]), steps=1)
    assert isinstance(raised.value, errors.DataError)


# Evaluations

BINARY = {
    "accuracy": 0.5, "precision": 0.0, "recall": 0.0, "prediction/mean": 0.11105597, "label/mean": 0.5,
    "accuracy_baseline": 0.5, "auc": 0.5, "auc_precision_recall": 0.5,
}  # fmt: skip
TWO = [[10.0, 8.0], [10.0, 8.0]]


@cases(
    (
        CLASSIFIERS,
        "Evaluate",
        {
            "test_one_dim": (
                ONE_TO_ONE, {"age": [[10.0], [10.0]]}, [[1], [0]],
                {"loss": 1.157721, "average_loss": 1.157721, **BINARY, "global_step": canned.STEP},
            ),
            "test_multi_dim": (
                TWO_TO_THREE, {"age": TWO}, [[1], [0]],
                {"loss": 2.62305466 / 2, "average_loss": 2.62305466 / 2, "accuracy": 0.5, "global_step": canned.STEP},
            ),
            "test_float_labels": (ONE_TO_ONE, {"age": [[10.0], [10.0]]}, [[0.8], [0.4]], {"loss": 1.365721}),
            "test_multi_dim_weights": (TWO_TO_THREE, {"age": TWO, "w": [[10.0], [100.0]]}, [[1], [0]], {"loss": 93.734}),
        },
    )
)  # fmt: skip
def test_classifier_evaluation(kind: Kind, case: Any, tmp_path: Path) -> None:
    layers, features, labels, expected = case
    model = kind.make(
        HIDDEN, columns_of(features), str(tmp_path / "m"), n_classes=max(len(layers[-1][1]), 2),
        weight_column="w" if "w" in features else None, optimizer=canned.FROZEN,
    )  # fmt: skip
    canned.with_variables(model, variables_of(layers), lambda: (features, labels))
    canned.assert_metrics(model.evaluate(lambda: (features, labels), steps=1), expected, rtol=1e-5)


@cases(
    (
        [*REGRESSORS, *OF_HEADS],
        "Evaluate",
        {
            "test_one_dim": (
                ONE_TO_ONE, {"age": [[10.0]]}, [[1.0]],
                {
                    "loss": 9.4864, "average_loss": 9.4864, "prediction/mean": -2.08, "label/mean": 1.0,
                    "global_step": canned.STEP,
                },
            ),
            "test_multi_dim": (
                TWO_TO_THREE, {"age": [[10.0, 8.0]]}, [[1.0, -1.0, 0.5]],
                {
                    "loss": 1.4643, "average_loss": 1.4643, "prediction/mean": 0.39 / 3, "label/mean": 0.5 / 3,
                    "global_step": canned.STEP,
                },
            ),
            "test_multi_dim_weights": (
                TWO_TO_THREE, {"age": [[10.0, 8.0]], "w": [10.0]}, [[1.0, -1.0, 0.5]], {"loss": 14.643}
            ),
        },
    )
)  # fmt: skip
def test_regressor_evaluation(kind: Kind, case: Any, tmp_path: Path) -> None:
    layers, features, labels, expected = case
    model = kind.make(
        HIDDEN, columns_of(features), str(tmp_path / "m"), label_dimension=len(layers[-1][1]),
        weight_column="w" if "w" in features else None, optimizer=canned.FROZEN,
    )  # fmt: skip
    canned.with_variables(model, variables_of(layers), lambda: (features, labels))
    canned.assert_metrics(model.evaluate(lambda: (features, labels), steps=1), expected, rtol=1e-5)


# Predictions


def first_prediction(model: Any, layers: Any, x: Any) -> Any:
    begun = canned.starting_with(model, variables_of(layers))
    return next(begun.predict(estimator.inputs.numpy_input_fn({"x": np.array(x)}, batch_size=1, shuffle=False)))


@cases(
    (
        CLASSIFIERS,
        "Predict",
        {
            "test_one_dim_without_label_vocabulary": (ONE_TO_ONE, [[10.0]], None, [-2.08]),
            "test_one_dim_with_label_vocabulary": (ONE_TO_ONE, [[10.0]], 2, [-2.08]),
            "test_multi_dim_with_3_classes_but_no_label_vocab": (TWO_TO_THREE, [[10.0, 8.0]], None, [-0.48, 0.48, 0.39]),
            "test_multi_dim_with_3_classes_and_label_vocab": (TWO_TO_THREE, [[10.0, 8.0]], 3, [-0.48, 0.48, 0.39]),
        },
    )
)
def test_classifier_predictions(kind: Kind, case: Any, tmp_path: Path) -> None:
    layers, x, terms, logits = case
    vocabulary = [f"class_vocab_{i}" for i in range(terms)] if terms else None
    model = kind.make(
        HIDDEN, columns_of({"x": x}), str(tmp_path / "m"), n_classes=max(len(logits), 2), label_vocabulary=vocabulary
    )
    found = first_prediction(model, layers, x)
    canned.assert_predictions(found, canned.class_predictions(logits, vocabulary))
    if len(logits) == 1:
        np.testing.assert_allclose(found["probabilities"], [0.88894403, 0.11105597], rtol=1e-5)
    else:
        np.testing.assert_allclose(found["probabilities"], [0.16670536, 0.43538380, 0.39791084], rtol=1e-5)


@cases(
    (
        [*REGRESSORS, *OF_HEADS],
        "Predict",
        {
            "test_one_dim": (ONE_TO_ONE, [[10.0]], [-2.08]),
            "test_multi_dim": (TWO_TO_THREE, [[10.0, 8.0]], [-0.48, 0.48, 0.39]),
        },
    )
)
def test_regressor_predictions(kind: Kind, case: Any, tmp_path: Path) -> None:
    layers, x, expected = case
    model = kind.make(HIDDEN, columns_of({"x": x}), str(tmp_path / "m"), label_dimension=len(expected))
    canned.assert_predictions(first_prediction(model, layers, x), {"predictions": expected})


# Training

EACH_STEP = estimator.RunConfig(save_summary_steps=1)
ZEROS = {
    "dnn/hiddenlayer_0/fraction_of_zero_values": 0.0, "dnn/hiddenlayer_1/fraction_of_zero_values": 0.5,
    "dnn/logits/fraction_of_zero_values": 0.0,
}  # fmt: skip


@cases(
    (
        CLASSIFIERS,
        "Train",
        {
            "test_from_scratch_with_default_optimizer_binary": ({}, "Adagrad", [[10.0]], [[1]], 1),
            "test_from_scratch_with_default_optimizer_multi_class": ({"n_classes": 3}, "Adagrad", [[10.0]], [[2]], 3),
            "test_from_scratch_validate_summary": ({}, canned.FROZEN, [[10.0]], [[1]], 1),
        },
    ),
    (
        [*REGRESSORS, *OF_HEADS],
        "Train",
        {
            "test_from_scratch_with_default_optimizer": ({}, "Adagrad", ((1,),), ((10,),), 1),
            "test_from_scratch": ({}, canned.FROZEN, ((1,),), ((5.0,),), 1),
        },
    ),
)
def test_trains_from_scratch(kind: Kind, case: Any, tmp_path: Path) -> None:
    arguments, optimizer, age, labels, logits = case
    model = kind.make(
        HIDDEN, [fc.numeric_column("age")], str(tmp_path / "m"), optimizer=optimizer, config=EACH_STEP, **arguments
    )
    losses = canned.losses_of(model, lambda: ({"age": age}, labels), 5)
    canned.assert_variables(model, 5, shapes_of(1, HIDDEN, logits))
    np.testing.assert_allclose([values["loss"] for values in canned.summaries_of(model)], losses, rtol=1e-6)


@cases(
    (
        CLASSIFIERS,
        "Train",
        {
            "test_binary_classification": (ONE_TO_ONE, [[10.0]], [[1]], 2.19772100),
            "test_binary_classification_float_labels": (ONE_TO_ONE, [[10.0]], [[0.8]], 1.7817210),
            "test_multi_class": (ONE_TO_THREE, [[10.0]], [[1]], 0.35505795),
        },
    ),
    (
        [*REGRESSORS, *OF_HEADS],
        "Train",
        {
            "test_one_dim": (ONE_TO_ONE, [[10.0]], [[1.0]], 9.4864),
            "test_multi_dim": (TWO_TO_THREE, [[10.0, 8.0]], [[1.0, -1.0, 0.5]], 1.4643),
        },
    ),
)
def test_losses(kind: Kind, case: Any, tmp_path: Path) -> None:
    layers, age, labels, loss = case
    logits = len(layers[-1][1])
    outputs = {"n_classes": max(logits, 2)} if kind in CLASSIFIERS else {"label_dimension": logits}
    model = kind.make(
        HIDDEN, columns_of({"age": age}), str(tmp_path / "m"), optimizer=canned.FROZEN, config=EACH_STEP, **outputs
    )
    rows = ({"age": age}, labels)
    canned.with_variables(model, variables_of(layers), lambda: rows)
    assert canned.losses_of(model, lambda: rows, 5) == pytest.approx([loss] * 5, rel=1e-5)
    canned.assert_variables(model, canned.STEP + 5, variables_of(layers))
    for values in canned.summaries_of(model)[-5:]:
        canned.assert_metrics(values, {**ZEROS, "loss": loss}, rtol=1e-5)


# The whole use

DATA = np.linspace(0.0, 2.0, 20, dtype=np.float32)


def classes_of(numbers: Any) -> Any:
    return np.rint(numbers).astype(np.int64)


@restates(f"{DNN_FILE}::DNNRegressorIntegrationTest::test_numpy_input_fn")
def test_regressor_of_arrays(tmp_path: Path) -> None:
    x = DATA.reshape(10, 2)
    model = estimator.DNNRegressor(HIDDEN, columns_of({"x": x}), str(tmp_path / "m"), label_dimension=2)
    canned.assert_whole_use(model, canned.numpy_inputs(x, x), 10, "predictions", (10, 2), tmp_path)


@restates(f"{DNN_FILE}::DNNRegressorIntegrationTest::test_pandas_input_fn")
def test_regressor_of_a_frame(tmp_path: Path) -> None:
    x = np.linspace(0.0, 2.0, 10, dtype=np.float32)
    model = estimator.DNNRegressor(HIDDEN, columns_of({"x": x}), str(tmp_path / "m"))
    canned.assert_whole_use(model, canned.pandas_inputs(x, x), 10, "predictions", (10, 1), tmp_path)


@restates(f"{DNN_FILE}::DNNClassifierIntegrationTest::test_numpy_input_fn")
def test_classifier_of_arrays(tmp_path: Path) -> None:
    x, y = DATA.reshape(10, 2), classes_of(DATA[:10]).reshape(10, 1)
    model = estimator.DNNClassifier(HIDDEN, columns_of({"x": x}), str(tmp_path / "m"), n_classes=3)
    canned.assert_whole_use(model, canned.numpy_inputs(x, y), 10, "probabilities", (10, 3), tmp_path)


@restates(f"{DNN_FILE}::DNNClassifierIntegrationTest::test_pandas_input_fn")
def test_classifier_of_a_frame(tmp_path: Path) -> None:
    x = np.linspace(0.0, 2.0, 10, dtype=np.float32)
    model = estimator.DNNClassifier(HIDDEN, columns_of({"x": x}), str(tmp_path / "m"), n_classes=3)
    canned.assert_whole_use(model, canned.pandas_inputs(x, classes_of(x)), 10, "probabilities", (10, 3), tmp_path)
