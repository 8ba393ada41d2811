"""Losses, metrics and predictions of given logits, as tests of heads in tf.estimator 2.15 have them.

The logits are the features of a linear model whose weights are the identity; what those tests say of heads as objects
is not said here.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from pathlib import Path
from typing import Any

import canned
import numpy as np
import pytest
from upstream import restates

from mlc import data, errors, estimator
from mlc import feature_column as fc

BINARY = "estimator/head/binary_class_head_test.py::BinaryClassHeadTest::"
MULTI = "estimator/head/multi_class_head_test.py::MultiClassHead::"
REGRESSION = "estimator/head/regression_head_test.py::RegressionHead::"
WEIGHTED = {"weight_column": "w"}
AANG, ZUKO = {"label_vocabulary": ["aang", "iroh"]}, {"label_vocabulary": ["aang", "iroh", "zuko"]}


def says(head: str, *tests: str) -> pytest.MarkDecorator:
    return restates(*(head + test for test in tests))


def model_of(head: str, logits: Any, directory: Path, **arguments: Any) -> estimator.Estimator:
    """An Estimator with such a head whose feature "logits" is the logits."""
    width = np.shape(logits)[1]
    column = fc.numeric_column("logits", shape=width)
    if head == REGRESSION:
        make, arguments = estimator.LinearRegressor, {"label_dimension": width, **arguments}
    else:
        make, arguments = estimator.LinearClassifier, {"n_classes": max(width, 2), **arguments}
    model = make([column], str(directory / "m"), optimizer=canned.FROZEN, **arguments)
    variables = {"linear/linear_model/logits/weights": np.eye(width), "linear/linear_model/bias_weights": np.zeros(width)}
    return canned.starting_with(model, variables)


TWO, THREE = [[45.0], [-41.0]], [[45.0], [-41.0], [44.0]]
WEIGHTS = [1.0, 0.1, 1.5]
SHARES, SHARE_LABELS = [[0.5], [-0.3]], [[0.8], [0.4]]
CLASSES, MORE_CLASSES = [[10.0, 0, 0], [0, 10.0, 0]], [[10.0, 0, 0], [0, 10.0, 0], [0, 0, 10.0]]
BINARY_METRICS = {
    "average_loss": 20.5, "accuracy": 0.5, "precision": 1.0, "recall": 0.5, "prediction/mean": 0.5, "label/mean": 1.0,
    "accuracy_baseline": 1.0, "auc": 0.0, "auc_precision_recall": 1.0,
}  # fmt: skip
WEIGHTED_METRICS = {
    "average_loss": 26.9615384615, "accuracy": 0.38461538461, "precision": 1 / 2.5, "recall": 1 / 1.1,
    "prediction/mean": 0.96153846153, "label/mean": 0.42307692307, "accuracy_baseline": 1 - 0.42307692307,
    "auc": 0.45454565, "auc_precision_recall": 0.4010627,
}  # fmt: skip


@pytest.mark.parametrize(
    ("head", "arguments", "logits", "labels", "weights", "loss", "metrics"),
    [
        pytest.param(
            BINARY, {}, TWO, [[1], [1]], None, 20.5, BINARY_METRICS, marks=says(BINARY, "test_eval_create_loss", "test_eval")
        ),
        pytest.param(
            BINARY, AANG, TWO, [["iroh"], ["iroh"]], None, 20.5, {"accuracy": 0.5},
            marks=says(BINARY, "test_eval_with_vocabulary_list_create_loss", "test_eval_with_vocabulary_list"),
        ),
        pytest.param(
            BINARY, {}, SHARES, SHARE_LABELS, None, 0.62421611432, {"average_loss": 0.62421611432},
            marks=says(BINARY, "test_float_labels_eval_create_loss", "test_float_labels_eval"),
        ),
        pytest.param(
            BINARY, WEIGHTED, THREE, [[1], [1], [0]], WEIGHTS, 23.366666667, WEIGHTED_METRICS,
            marks=says(BINARY, "test_weighted_multi_example_eval"),
        ),
        pytest.param(
            MULTI, {}, CLASSES, [[1], [1]], None, 5.0, {"average_loss": 5.0, "accuracy": 0.5},
            marks=says(MULTI, "test_eval_create_loss", "test_eval"),
        ),
        pytest.param(
            MULTI, ZUKO, CLASSES, [["iroh"], ["iroh"]], None, 5.0, {"average_loss": 5.0, "accuracy": 0.5},
            marks=says(MULTI, "test_eval_with_label_vocabulary_create_loss", "test_eval_with_label_vocabulary"),
        ),
        pytest.param(
            MULTI, WEIGHTED, MORE_CLASSES, [[1], [2], [2]], [1.0, 2.0, 3.0], 10.0, {"average_loss": 5.0, "accuracy": 0.5},
            marks=says(MULTI, "test_weighted_multi_example_eval"),
        ),
        pytest.param(
            REGRESSION, {}, [[45.0], [41.0]], [[43.0], [44.0]], None, 6.5,
            {"average_loss": 6.5, "prediction/mean": 43.0, "label/mean": 43.5},
            marks=says(REGRESSION, "test_eval_create_loss", "test_eval"),
        ),
        pytest.param(
            REGRESSION, WEIGHTED, [[45.0], [41.0], [44.0]], [[35.0], [42.0], [45.0]], WEIGHTS, 33.8666667,
            {"average_loss": 39.0769231}, marks=says(REGRESSION, "test_weighted_multi_example_eval"),
        ),
    ],
)  # fmt: skip
def test_evaluation(
    head: str, arguments: Any, logits: Any, labels: Any, weights: Any, loss: float, metrics: Any, tmp_path: Path
) -> None:
    features = {"logits": logits} | ({} if weights is None else {"w": weights})
    found = model_of(head, logits, tmp_path, **arguments).evaluate(lambda: (features, labels))
    canned.assert_metrics(found, {"loss": loss, **metrics}, rtol=1e-4)


@pytest.mark.parametrize(
    ("head", "arguments", "logits", "labels", "weights", "loss"),
    [
        pytest.param(
            BINARY, {}, TWO, [[1], [1]], None, 20.5, marks=says(BINARY, "test_train_create_loss", "test_train")
        ),
        pytest.param(
            BINARY, {"loss_reduction": "sum"}, TWO, [[1], [1]], None, 41.0,
            marks=says(BINARY, "test_train_create_loss_loss_reduction"),
        ),
        pytest.param(
            BINARY, WEIGHTED, THREE, [1.0, 1.0, 0.0], WEIGHTS, 23.366666667,
            marks=says(BINARY, "test_train_one_dim_create_loss", "test_train_one_dim"),
        ),
        pytest.param(
            BINARY, WEIGHTED, THREE, [[1.0], [1.0], [0.0]], [[w] for w in WEIGHTS], 23.366666667,
            marks=says(BINARY, "test_weighted_multi_example_train"),
        ),
        pytest.param(
            BINARY, {}, SHARES, SHARE_LABELS, None, 0.62421611432,
            marks=says(BINARY, "test_float_labels_train_create_loss", "test_float_labels_train"),
        ),
        pytest.param(
            MULTI, {}, CLASSES, [[1], [1]], None, 5.0, marks=says(MULTI, "test_train_create_loss", "test_train")
        ),
        pytest.param(
            MULTI, {"loss_reduction": "sum"}, CLASSES, [[1], [1]], None, 10.0,
            marks=says(MULTI, "test_train_create_loss_loss_reduction"),
        ),
        pytest.param(
            MULTI, WEIGHTED, MORE_CLASSES, [1, 2, 2], [1.0, 2.0, 3.0], 10.0,
            marks=says(MULTI, "test_train_one_dim_create_loss", "test_train_one_dim"),
        ),
        pytest.param(
            MULTI, WEIGHTED, MORE_CLASSES, [[1], [2], [2]], [[1.0], [2.0], [3.0]], 10.0,
            marks=says(MULTI, "test_weighted_multi_example_train"),
        ),
        pytest.param(
            MULTI, ZUKO, CLASSES, [["iroh"], ["iroh"]], None, 5.0,
            marks=says(MULTI, "test_train_with_vocabulary_create_loss", "test_train_with_vocabulary"),
        ),
        pytest.param(
            REGRESSION, {}, [[45.0], [41.0]], [[43.0], [44.0]], None, 6.5,
            marks=says(REGRESSION, "test_train_create_loss", "test_train"),
        ),
        pytest.param(
            REGRESSION, {"loss_reduction": "sum"}, [[45.0], [41.0]], [[43.0], [44.0]], None, 13.0,
            marks=says(REGRESSION, "test_train_create_loss_loss_reduction"),
        ),
        pytest.param(
            REGRESSION, WEIGHTED, [[45.0], [41.0], [44.0]], [[35.0], [42.0], [45.0]], [[w] for w in WEIGHTS], 33.8666667,
            marks=says(REGRESSION, "test_weighted_multi_example_train"),
        ),
        pytest.param(
            REGRESSION, WEIGHTED, [[45.0], [41.0], [44.0]], [35.0, 42.0, 45.0], WEIGHTS, 33.8666667,
            marks=says(REGRESSION, "test_train_one_dim_create_loss", "test_train_one_dim"),
        ),
    ],
)  # fmt: skip
def test_training(
    head: str, arguments: Any, logits: Any, labels: Any, weights: Any, loss: float, tmp_path: Path
) -> None:
    features = {"logits": logits} | ({} if weights is None else {"w": weights})
    model = model_of(head, logits, tmp_path, **arguments)
    assert canned.losses_of(model, lambda: (features, labels), 1) == pytest.approx([loss], rel=1e-4)


@pytest.mark.parametrize(
    ("head", "arguments", "logits"),
    [
        pytest.param(BINARY, {}, [[0.3], [-0.4]], marks=says(BINARY, "test_predict")),
        pytest.param(BINARY, AANG, [[1.0], [0.0]], marks=says(BINARY, "test_predict_with_vocabulary_list")),
        pytest.param(BINARY, WEIGHTED, THREE, marks=says(BINARY, "test_weighted_multi_example_predict")),
        pytest.param(MULTI, {}, [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], marks=says(MULTI, "test_predict")),
        pytest.param(MULTI, ZUKO, [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], marks=says(MULTI, "test_predict_with_vocabulary_list")),
        pytest.param(
            MULTI, WEIGHTED, [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]], marks=says(MULTI, "test_weight_should_not_impact_prediction")
        ),
    ],
)
def test_predictions_of_classes(head: str, arguments: Any, logits: Any, tmp_path: Path) -> None:
    features = {"logits": logits} | ({"w": [2.0] * len(logits)} if arguments == WEIGHTED else {})
    found = list(model_of(head, logits, tmp_path, **arguments).predict(lambda: features))
    for row, given in zip(found, logits, strict=True):
        canned.assert_predictions(row, canned.class_predictions(given, arguments.get("label_vocabulary")))


@says(REGRESSION, "test_predict")
def test_predictions_of_numbers(tmp_path: Path) -> None:
    logits = [[45.0], [41.0]]
    found = model_of(REGRESSION, logits, tmp_path).predict(lambda: {"logits": logits})
    assert [row["predictions"].tolist() for row in found] == logits


@says(MULTI, "test_predict_with_invalid_keys")
def test_unknown_prediction_keys(tmp_path: Path) -> None:
    model = model_of(MULTI, CLASSES, tmp_path)
    with pytest.raises(ValueError, match="some_invalid_key"):
        next(model.predict(lambda: {"logits": CLASSES}, predict_keys=["some_invalid_key"]))


@pytest.mark.parametrize(
    ("head", "logits"),
    [
        pytest.param(BINARY, TWO, marks=says(BINARY, "test_eval_labels_none", "test_train_labels_none")),
        pytest.param(MULTI, CLASSES, marks=says(MULTI, "test_eval_labels_none", "test_train_labels_none")),
        pytest.param(REGRESSION, TWO, marks=says(REGRESSION, "test_eval_labels_none", "test_train_labels_none")),
    ],
)
def test_no_labels(head: str, logits: Any, tmp_path: Path) -> None:
    model = model_of(head, logits, tmp_path)
    for run in (model.evaluate, lambda rows: model.train(rows, steps=1)):
        with pytest.raises(ValueError, match="there are no labels"):
            run(lambda: ({"logits": logits}, None))


@pytest.mark.parametrize(
    ("head", "logits", "labels"),
    [
        pytest.param(BINARY, TWO, [[1, 0], [1, 1]], marks=says(BINARY, "test_invalid_labels_shape")),
        pytest.param(BINARY, TWO, [[0], [1], [0]], marks=says(BINARY, "test_incompatible_labels_shape")),
        pytest.param(BINARY, SHARES, [[1.2], [0.4]], marks=says(BINARY, "test_float_labels_invalid_values")),
        pytest.param(MULTI, CLASSES, [[1, 2], [0, 1]], marks=says(MULTI, "test_invalid_labels_shape")),
        pytest.param(MULTI, CLASSES, [[1], [1], [1]], marks=says(MULTI, "test_incompatible_labels_shape")),
        pytest.param(MULTI, CLASSES, [[45], [1]], marks=says(MULTI, "test_invalid_labels_values")),
        pytest.param(MULTI, CLASSES, [[-5], [1]], marks=says(MULTI, "test_invalid_labels_values")),
    ],
)
def test_refused_labels(head: str, logits: Any, labels: Any, tmp_path: Path) -> None:
    model = model_of(head, logits, tmp_path)
    with pytest.raises(errors.DataError, match="label"):
        model.evaluate(lambda: ({"logits": logits}, labels))


@pytest.mark.parametrize(
    ("head", "arguments", "text"),
    [
        *(
            pytest.param(
                head, {"loss_reduction": reduction}, f"Invalid loss_reduction: {reduction}",
                marks=says(head, "test_invalid_loss_reduction"),
            )
            for head in (BINARY, MULTI, REGRESSION)
            for reduction in ("invalid_loss_reduction", "none")
        ),
        *(
            pytest.param(
                REGRESSION, {"label_dimension": dimension}, f"label_dimension must be an integer of at least 1; found {dimension}",
                marks=says(REGRESSION, "test_invalid_label_dimension"),
            )
            for dimension in (-1, 0)
        ),
    ],
)  # fmt: skip
def test_refused_arguments(head: str, arguments: Any, text: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=text):
        model_of(head, CLASSES if head == MULTI else TWO, tmp_path, **arguments)


BATCHES = [
    f"{REGRESSION}test_weighted_multi_batch_{{}}_eager",
    "estimator/head/regression_head_test.py::RegressionHeadForEstimator::test_weighted_multi_batch_{}",
]


@restates(*(test.format(mode) for test in BATCHES for mode in ("train", "eval")))
def test_three_batches(tmp_path: Path) -> None:
    logits, labels = [[45.0], [41.0], [44.0]], [[35.0], [42.0], [45.0]]
    rows = data.Dataset.from_arrays({"logits": logits, "w": WEIGHTS}, labels).batch(1)
    model = model_of(REGRESSION, logits, tmp_path, **WEIGHTED)
    expected = {
        "loss": 33.8666667, "average_loss": 39.076923, "prediction/mean": (45 + 41 * 0.1 + 44 * 1.5) / 2.6,
        "label/mean": (35 + 42 * 0.1 + 45 * 1.5) / 2.6,
    }  # fmt: skip
    canned.assert_metrics(model.evaluate(lambda: rows), expected, rtol=1e-5)
    assert canned.losses_of(model, lambda: rows, 3) == pytest.approx([100.0, 0.1, 1.5], rel=1e-5)


@restates("estimator/head/multi_class_head_test.py::MultiClassHeadForEstimator::test_missmatch_n_classes_label_vocabulary")
def test_a_vocabulary_of_another_size() -> None:
    with pytest.raises(ValueError, match=r"Length of label_vocabulary must be n_classes \(3\). Given: 2"):
        estimator.LinearClassifier([fc.numeric_column("x")], n_classes=3, label_vocabulary=["aang", "zuko"])
