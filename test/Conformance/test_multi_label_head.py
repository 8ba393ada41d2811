"""MultiLabelHead, as tests of tf.estimator 2.15 have it: its arguments, and what it makes of logits in a model_fn.

Labels that are a SparseTensor of ids there are lists of ids here, which canned Estimators take; of texts, rows that end
in ''.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from pathlib import Path
from typing import Any

import canned
import heads
import numpy as np
import pytest
from heads import Batch
from upstream import restates

from mlc import data, errors, estimator, ops, optimizers, train, variables
from mlc import feature_column as fc
from mlc.estimator import EstimatorSpec, ModeKeys, MultiLabelHead

FILE = "estimator/head/multi_label_head_test.py::"
HEAD = f"{FILE}MultiLabelHead::"
FOR_ESTIMATOR = f"{FILE}MultiLabelHeadForEstimator::"
TOLERANCE = 1e-3

LOGITS, LARGE = [[-1.0, 1.0], [-1.5, 1.5]], [[-10.0, 10.0], [-15.0, 10.0]]
MARKS, IDS, TEXTS = [[1, 0], [1, 1]], [[0], [0, 1]], [["class0", ""], ["class0", "class1"]]
CLASSES = ["class0", "class1"]
WEIGHTS = {"example_weights": [[1.0], [2.0]]}
CUBE = [[[-10.0, 10.0, -10.0], [10.0, -10.0, 10.0]], [[-12.0, 12.0, -12.0], [12.0, -12.0, 12.0]]]
MARKS_OF_CUBE = [[[1, 0, 0], [1, 0, 0]], [[0, 1, 1], [0, 1, 1]]]
WEIGHTS_OF_CUBE = {"weights": [[1.0, 1.5], [2.0, 2.5]]}
# (1 * 20 / 3 + 1.5 * 10 / 3 + 2 * 4 + 2.5 * 8) / 4: without weights the losses are 20 / 3, 10 / 3, 4 and 8.
LOSS_OF_CUBE = 9.9167
SCORES = [[0.0, 1.0, 2.0, -1.0], [-1.0, -2.0, -3.0, 1.0]]


def mean_loss(logits: Any) -> float:
    """The mean of the sigmoid cross entropies with MARKS."""
    shares, marks = canned.sigmoid(logits), np.array(MARKS)
    return float(-np.mean(np.where(marks == 1, np.log(shares), np.log1p(-shares))))


def given_losses(labels: Any, logits: Any) -> Any:
    """A loss_fn that has losses of 1 and 2 for MARKS and LARGE, and else none."""
    same = ops.logical_and(ops.all(ops.equal(labels, MARKS)), ops.all(ops.equal(logits, LARGE)))
    return ops.where(same, np.array([[1.0], [2.0]], np.float32), np.float32(np.nan))


def losses_of_features(labels: Any, logits: Any, features: Any) -> Any:
    return features["losses"]


# Arguments


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        pytest.param(arguments, text, id=test, marks=restates(HEAD + test))
        for test, arguments, text in [
            ("test_n_classes_is_none", {"n_classes": None}, "n_classes must be .* at least 2; found None"),
            ("test_n_classes_is_1", {"n_classes": 1}, "n_classes must be .* at least 2; found 1"),
            ("test_threshold_too_small", {"thresholds": [0.0, 0.5]},
             r"thresholds must be in \(0, 1\) range\. Given: 0\.0"),
            ("test_threshold_too_large", {"thresholds": [0.5, 1.0]},
             r"thresholds must be in \(0, 1\) range\. Given: 1\.0"),
            ("test_label_vocabulary_dict", {"n_classes": 2, "label_vocabulary": {"foo": "bar"}},
             "label_vocabulary should be a list .*Given type: <class 'dict'>"),
            ("test_label_vocabulary_dict", {"n_classes": 2, "label_vocabulary": {"foo": 0, "bar": 1}},
             "label_vocabulary should be a list .*Given type: <class 'dict'>"),
            ("test_label_vocabulary_wrong_size", {"label_vocabulary": ["foo", "bar"]},
             r"Length of label_vocabulary must be n_classes \(3\)\. Given: 2"),
            ("test_invalid_loss_reduction", {"loss_reduction": "invalid_loss_reduction"},
             "Invalid loss_reduction: invalid_loss_reduction"),
            ("test_invalid_loss_reduction", {"loss_reduction": "none"}, "Invalid loss_reduction: none"),
            ("test_loss_fn_arg_labels_missing", {"loss_fn": lambda logits: None},
             "loss_fn must contain argument: labels. Given arguments: .*logits"),
            ("test_loss_fn_arg_logits_missing", {"loss_fn": lambda labels: None},
             "loss_fn must contain argument: logits. Given arguments: .*labels"),
            ("test_loss_fn_arg_invalid", {"loss_fn": lambda labels, logits, name=None: None},
             r"loss_fn has unexpected args: \['name'\]"),
            ("test_classes_for_class_based_metrics_invalid", {"classes_for_class_based_metrics": [2, -1]},
             r"All classes_for_class_based_metrics must be in range \[0, 2\]\. Given: -1"),
            ("test_classes_for_class_based_metrics_string_invalid",
             {"label_vocabulary": ["a", "b", "c"], "classes_for_class_based_metrics": ["c", "z"]}, "'z' is not in"),
        ]
    ],
)  # fmt: skip
def test_refused_arguments(arguments: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        MultiLabelHead(**{"n_classes": 3, **arguments})


# Evaluation

AREAS = {"auc": 0.3333, "auc_precision_recall": 0.7689}
METRICS = {"average_loss": mean_loss(LOGITS), **AREAS}


def metrics_of(classes: list[str]) -> dict[str, float]:
    """METRICS, and those of each class."""
    found = dict(METRICS)
    for i, name in enumerate(classes):
        mean = float(canned.sigmoid(LOGITS)[:, i].mean())
        found |= {f"probability_mean/{name}": mean, f"auc/{name}": float(i), f"auc_precision_recall/{name}": 1.0}
    return found


AT_THRESHOLDS = {
    f"{metric}/positive_threshold_{threshold:g}": value
    for threshold, *values in ((0.25, 2 / 4, 2 / 3, 2 / 3), (0.5, 1 / 4, 1 / 2, 1 / 3), (0.75, 2 / 4, 1.0, 1 / 3))
    for metric, value in zip(("accuracy", "precision", "recall"), values, strict=True)
}
# Each test with its batch, its loss, and its metrics, if it tells them.
EVALUATIONS: dict[str, tuple[Batch, float, dict[str, float] | None]] = {
    "test_eval_create_loss": (
        Batch(MultiLabelHead(2), [[-1.0, 1.0], [-1.5, 1.0]], MARKS), mean_loss([[-1.0, 1.0], [-1.5, 1.0]]), None,
    ),
    "test_eval_create_loss_large_logits": (Batch(MultiLabelHead(2), LARGE, MARKS), (20 / 2 + 15 / 2) / 2, None),
    "test_eval_create_loss_loss_fn": (Batch(MultiLabelHead(2, loss_fn=given_losses), LARGE, MARKS), 1.5, None),
    "test_loss_fn_arg_features_ok": (
        Batch(MultiLabelHead(2, loss_fn=losses_of_features), LARGE, MARKS, {"losses": [[3.0], [4.0]]}), 3.5, None,
    ),
    "test_eval": (Batch(MultiLabelHead(2), LOGITS, MARKS), METRICS["average_loss"], METRICS),
    "test_eval_with_regularization_losses": (
        Batch(MultiLabelHead(2), LOGITS, MARKS, regularization_losses=[1.5, 0.5]), METRICS["average_loss"] + 2.0,
        METRICS | {"regularization_loss": 2.0},
    ),
    "test_eval_with_label_vocabulary": (
        Batch(MultiLabelHead(2, label_vocabulary=CLASSES), LOGITS, TEXTS), METRICS["average_loss"], METRICS,
    ),
    "test_eval_with_label_vocabulary_with_multi_hot_input": (
        Batch(MultiLabelHead(2, label_vocabulary=CLASSES), LOGITS, MARKS), METRICS["average_loss"], METRICS,
    ),
    "test_eval_with_thresholds": (
        Batch(MultiLabelHead(2, thresholds=[0.25, 0.5, 0.75]), LOGITS, MARKS), METRICS["average_loss"],
        METRICS | AT_THRESHOLDS,
    ),
    "test_eval_with_classes_for_class_based_metrics": (
        Batch(MultiLabelHead(2, classes_for_class_based_metrics=[0, 1]), LOGITS, MARKS), METRICS["average_loss"],
        metrics_of(["class0", "class1"]),
    ),
    "test_eval_with_classes_for_class_based_metrics_string": (
        Batch(
            MultiLabelHead(2, label_vocabulary=["a", "b"], classes_for_class_based_metrics=["a", "b"]), LOGITS,
            [["a", ""], ["a", "b"]],
        ),
        METRICS["average_loss"], metrics_of(["a", "b"]),
    ),
    "test_eval_with_weights": (
        Batch(MultiLabelHead(2, "example_weights"), LARGE, MARKS, WEIGHTS), 12.5,
        {"average_loss": 12.5 * 2 / 3, "auc": 0.2, "auc_precision_recall": 0.7280},
    ),
    "test_multi_dim_weighted_eval": (
        Batch(MultiLabelHead(3, "weights"), CUBE, MARKS_OF_CUBE, WEIGHTS_OF_CUBE), LOSS_OF_CUBE,
        {"average_loss": LOSS_OF_CUBE * 4 / 7, "auc": 0.4977, "auc_precision_recall": 0.5461},
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def evaluations(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, float]]:
    batches = {test: batch for test, (batch, _, _) in EVALUATIONS.items()}
    return heads.evaluated(batches, tmp_path_factory.mktemp("evaluations"))


@pytest.mark.parametrize("test", [pytest.param(test, marks=restates(HEAD + test)) for test in EVALUATIONS])
def test_evaluation(test: str, evaluations: dict[str, dict[str, float]]) -> None:
    _, loss, metrics = EVALUATIONS[test]
    found = evaluations[test]
    assert found["loss"] == pytest.approx(loss, rel=TOLERANCE)
    if metrics is not None:
        assert set(found) == {"loss", *metrics}
        canned.assert_metrics(found, metrics, rtol=TOLERANCE)


# Training: the first is that of the summaries.

TRAINING: dict[str, tuple[Batch, float]] = {
    "test_train_with_regularization_losses": (
        Batch(MultiLabelHead(2), LARGE, MARKS, regularization_losses=[1.5, 0.5]), 35 / 4 + 2,
    ),
    "test_train": (Batch(MultiLabelHead(2), LARGE, MARKS), 8.75),
    "test_train_with_label_vocabulary": (Batch(MultiLabelHead(2, label_vocabulary=CLASSES), LARGE, TEXTS), 8.75),
    "test_train_with_weights": (Batch(MultiLabelHead(2, "example_weights"), LARGE, MARKS, WEIGHTS), 12.5),
    "test_train_create_loss_large_logits": (Batch(MultiLabelHead(2, "example_weights"), LARGE, MARKS, WEIGHTS), 12.5),
    "test_train_create_loss_loss_reduction": (
        Batch(MultiLabelHead(2, "example_weights", loss_reduction="sum"), LARGE, MARKS, WEIGHTS), 25.0,
    ),
    "test_multi_dim_weighted_train": (
        Batch(MultiLabelHead(3, "weights"), CUBE, MARKS_OF_CUBE, WEIGHTS_OF_CUBE), LOSS_OF_CUBE,
    ),
}  # fmt: skip


@restates(*(HEAD + test for test in TRAINING), f"{HEAD}test_multi_dim_weighted_train_create_loss")
def test_training(tmp_path: Path) -> None:
    found, model = heads.trained({test: batch for test, (batch, _) in TRAINING.items()}, tmp_path)
    assert found == pytest.approx({test: loss for test, (_, loss) in TRAINING.items()}, rel=1e-5)
    (summaries,) = canned.summaries_of(model)
    assert summaries["loss"] == pytest.approx(10.75, rel=1e-5)
    assert summaries["regularization_loss"] == 2.0


@restates(f"{FOR_ESTIMATOR}test_train_with_optimizer", f"{FOR_ESTIMATOR}test_train_with_update_ops")
def test_optimizer_and_update_ops(tmp_path: Path) -> None:
    head = MultiLabelHead(2)

    def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
        moved, kept, counted, seen = (
            variables.get_variable(name, [2], initializer="zeros") for name in ("moved", "kept", "counted", "seen")
        )
        logits = features["logits"] + moved + kept
        by_optimizer = head.create_estimator_spec(
            features, mode, logits, labels, optimizers.SGD(1.0), trainable_variables=[moved]
        )  # fmt: skip
        by_function = head.create_estimator_spec(
            features, mode, logits, labels, train_op_fn=lambda loss: seen.assign(ops.zeros_like(seen.value()) + loss),
            update_ops=[counted.assign_add(np.ones(2, np.float32))],
        )  # fmt: skip
        both = train.group(by_optimizer.train_op, by_function.train_op)
        return EstimatorSpec(mode, loss=by_optimizer.loss, train_op=both)

    model = estimator.Estimator(model_fn, str(tmp_path / "m"))
    batch = {"logits": np.float32(LARGE)}, np.array(MARKS)
    assert canned.losses_of(model, lambda: batch, 1) == pytest.approx([8.75], rel=1e-5)
    expected = {"moved": [0.5, -0.25], "kept": [0.0, 0.0], "counted": [1.0, 1.0], "seen": [8.75, 8.75]}
    for name, value in expected.items():
        assert model.get_variable_value(name) == pytest.approx(np.array(value), rel=1e-4), name


# Predictions


NAMES = ["foo", "bar", "foobar", "barfoo"]


@pytest.mark.parametrize(
    ("arguments", "classes"),
    [
        pytest.param({}, ["0", "1", "2", "3"], marks=restates(f"{HEAD}test_predict")),
        pytest.param(
            {"weight_column": "example_weights"}, ["0", "1", "2", "3"],
            marks=restates(f"{HEAD}test_weight_should_not_impact_prediction"),
        ),
        pytest.param(
            {"label_vocabulary": NAMES}, NAMES, marks=restates(f"{FOR_ESTIMATOR}test_predict_with_label_vocabulary")
        ),
    ],
)  # fmt: skip
def test_predictions(arguments: Any, classes: list[str], tmp_path: Path) -> None:
    head = MultiLabelHead(4, **arguments)
    assert head.logits_dimension == 4
    found = heads.predicted(head, SCORES, tmp_path)
    assert set(found) == {"logits", "probabilities", "classes"}
    assert found["classes"].tolist() == [[each.encode() for each in classes]] * 2
    np.testing.assert_array_equal(found["logits"], SCORES)
    np.testing.assert_allclose(found["probabilities"], canned.sigmoid(SCORES), rtol=1e-6)


# Lists of ids, and a whole Estimator


def model_of_logits(directory: Path) -> estimator.Estimator:
    """A linear model whose feature "logits" is the logits."""
    column = fc.numeric_column("logits", shape=2)
    model = estimator.LinearEstimator(MultiLabelHead(2), [column], str(directory / "m"), optimizer=canned.FROZEN)
    weights = {"linear/linear_model/logits/weights": np.eye(2), "linear/linear_model/bias_weights": np.zeros(2)}
    return canned.starting_with(model, weights)


def rows_of(logits: Any, labels: Any) -> data.Dataset:
    return data.Dataset.from_arrays({"logits": np.float32(logits)}, labels).batch(2)


@restates(
    f"{HEAD}test_eval_sparse_labels", f"{HEAD}test_train_sparse_labels", f"{HEAD}test_train_invalid_sparse_labels"
)  # fmt: skip
def test_labels_of_ids(tmp_path: Path) -> None:
    model = model_of_logits(tmp_path)
    expected = {"loss": METRICS["average_loss"], **METRICS}
    canned.assert_metrics(model.evaluate(lambda: rows_of(LOGITS, IDS)), expected, rtol=TOLERANCE)
    assert canned.losses_of(model, lambda: rows_of(LARGE, IDS), 1) == pytest.approx([8.75], rel=TOLERANCE)
    with pytest.raises(errors.DataError, match="2 is out of range"):
        model.train(lambda: rows_of(LARGE, [[2], [0, 1]]), steps=1)


@restates(f"{FOR_ESTIMATOR}test_lookup_tables_in_graph")
def test_marks_of_a_vocabulary_in_an_estimator(tmp_path: Path) -> None:
    head = MultiLabelHead(2, label_vocabulary=CLASSES)
    model = estimator.DNNEstimator(head, (2, 2), [fc.numeric_column("x")], str(tmp_path / "m"))

    def input_fn() -> Any:
        return {"x": np.array([[42], [43]])}, np.array(MARKS)

    model.train(input_fn, steps=1)
    found = model.evaluate(input_fn, steps=1)
    assert found["global_step"] == 1 and np.isfinite(found["loss"])
    assert [row["classes"].tolist() for row in model.predict(input_fn)] == [[b"class0", b"class1"]] * 2


# What is refused


@pytest.mark.parametrize(
    ("mode", "head", "batch", "text"),
    [
        pytest.param(mode, head, batch, text, marks=restates(HEAD + test), id=test)
        for test, mode, head, batch, text in [
            ("test_eval_create_loss_labels_wrong_shape", ModeKeys.EVAL, {}, (LOGITS, [[1], [1]]),
             r"labels are int64\[2, 1\]; expected \[.., 2\]"),
            ("test_eval_create_loss_labels_wrong_shape", ModeKeys.EVAL, {}, (LOGITS, [1, 1]),
             r"labels are int64\[2\]; expected \[.., 2\]"),
            ("test_eval_create_loss_loss_fn_wrong_shape", ModeKeys.EVAL,
             {"loss_fn": lambda labels, logits: ops.mean(labels, -1)}, (LARGE, MARKS),
             r"loss_fn must return Tensor of shape \[D0, D1, ... DN, 1\]; found float32\[2\]"),
            ("test_eval_labels_none", ModeKeys.EVAL, {}, (LARGE,), "You must provide a labels Tensor. Given: None"),
            ("test_train_labels_none", ModeKeys.TRAIN, {}, (LARGE,), "You must provide a labels Tensor. Given: None"),
            ("test_train_invalid_indicator_labels", ModeKeys.TRAIN, {}, (LARGE, [[2, 0], [1, 1]]),
             "0 or 1 for each class: 2"),
            *(
                (test, ModeKeys.TRAIN, {"weight_column": "weights"}, (CUBE, MARKS_OF_CUBE, {"weights": weights}), text)
                for test, weights, text in [
                    ("test_multi_dim_weights_wrong_inner_dim", [[1.0], [2.0]],
                     r"weights shape must be (.|\n)*float32\[2, 1, 1\], float32\[2, 2, 3\]"),
                    ("test_multi_dim_weights_wrong_outer_dim", [[[1.0] * 3, [1.5] * 3], [[2.0] * 3, [2.5] * 3]],
                     r"weights shape must be (.|\n)*float32\[2, 2, 3\], float32\[2, 2, 3\]"),
                ]
            ),
        ]
    ],
)  # fmt: skip
def test_what_does_not_fit(mode: str, head: Any, batch: Any, text: str, tmp_path: Path) -> None:
    logits, *others = batch
    with pytest.raises(ValueError, match=text):
        heads.loss_of(Batch(MultiLabelHead(np.shape(logits)[-1], **head), logits, *others), tmp_path, mode)
