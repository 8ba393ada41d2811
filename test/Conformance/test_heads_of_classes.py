"""Heads of classes as a model_fn has them, as tests of them in tf.estimator 2.15: losses, metrics, steps, refusals."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import canned
import heads
import numpy as np
import pytest
from heads import Batch
from upstream import restates

from mlc import data, errors, estimator, ops, optimizers, variables
from mlc import feature_column as fc
from mlc.estimator import BinaryClassHead, EstimatorSpec, ModeKeys
from mlc.io import FixedLenFeature, VarLenFeature

sys.path.append(str(Path(__file__).resolve().parents[1] / "Python"))
from records import example, frame

BINARY_FILE, MULTI_FILE = (f"estimator/head/{kind}_class_head_test.py::" for kind in ("binary", "multi"))
BINARY, MULTI = f"{BINARY_FILE}BinaryClassHeadTest::", f"{MULTI_FILE}MultiClassHead::"
BINARY_SPEC, MULTI_SPEC = f"{BINARY_FILE}BinaryClassHeadForEstimator::", f"{MULTI_FILE}MultiClassHeadForEstimator::"


def says(head: str, *tests: str) -> pytest.MarkDecorator:
    return restates(*(head + test for test in tests))


ThreeClassHead = partial(estimator.MultiClassHead, 3)
TOLERANCE = 1e-4
"""Of losses and metrics, which are told to so many digits; TensorFlow's tests compare most to 0.01."""

LOGITS, LABELS = [[45.0], [-41.0]], np.array([[1.0], [1.0]])
CLASS_LOGITS, CLASSES = [[10.0, 0, 0], [0, 10.0, 0]], np.array([[1], [1]])
METRICS = {
    "average_loss": 20.5, "accuracy": 0.5, "precision": 1.0, "recall": 0.5, "prediction/mean": 0.5, "label/mean": 1.0,
    "accuracy_baseline": 1.0, "auc": 0.0, "auc_precision_recall": 1.0,
}  # fmt: skip
CLASS_METRICS = {"average_loss": 5.0, "accuracy": 0.5}

# Two labels in each row.
WEIGHTS = np.array([[1.0, 1.5], [2.0, 2.5]])
MORE_LOGITS, MORE_LABELS = [[[10.0], [-10.0]], [[12.0], [-12.0]]], np.array([[[0.0], [0.0]], [[1.0], [1.0]]])
MORE_CLASS_LOGITS = [[[10.0, 0, 0], [12.0, 0, 0]], [[0, 10.0, 0], [0, 15.0, 0]]]
MORE_CLASSES = np.array([[[0], [1]], [[1], [2]]])


def of_more(weights: Any = WEIGHTS) -> Batch:
    return Batch(BinaryClassHead("w"), MORE_LOGITS, MORE_LABELS, {"w": np.asarray(weights)})


def of_more_classes(weights: Any = WEIGHTS) -> Batch:
    return Batch(ThreeClassHead(weight_column="w"), MORE_CLASS_LOGITS, MORE_CLASSES, {"w": np.asarray(weights)})


# Arguments


@pytest.mark.parametrize(
    ("make", "arguments", "text"),
    [
        pytest.param(
            BinaryClassHead, {"thresholds": (0.0, 0.5)}, r"thresholds must be in \(0, 1\) range. Given: 0.0",
            marks=says(BINARY, "test_threshold_too_small"),
        ),
        pytest.param(
            BinaryClassHead, {"thresholds": (0.5, 1.0)}, r"thresholds must be in \(0, 1\) range. Given: 1.0",
            marks=says(BINARY, "test_threshold_too_large"),
        ),
        pytest.param(
            estimator.MultiClassHead, {"n_classes": None}, "n_classes must be an integer of at least 3; found None",
            marks=says(MULTI, "test_n_classes_is_none"),
        ),
        pytest.param(
            estimator.MultiClassHead, {"n_classes": 2}, "n_classes must be an integer of at least 3; found 2",
            marks=says(MULTI, "test_n_classes_is_2"),
        ),
        *(
            pytest.param(make, {"loss_fn": loss_fn}, text, marks=says(head, f"test_loss_fn_arg_{test}"))
            for make, head in ((BinaryClassHead, BINARY), (ThreeClassHead, MULTI))
            for test, loss_fn, text in (
                ("labels_missing", lambda logits: logits, "must contain argument: labels. Given arguments: .*'logits'"),
                ("logits_missing", lambda labels: labels, "must contain argument: logits. Given arguments: .*'labels'"),
                ("invalid", lambda labels, logits, name=None: logits, r"loss_fn has unexpected args: \['name'\]"),
            )
        ),
    ],
)  # fmt: skip
def test_refused_arguments(make: Any, arguments: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        make(**arguments)


# Calls


@pytest.mark.parametrize(
    ("head", "dimension"),
    [
        pytest.param(BinaryClassHead(), 1, marks=says(BINARY, "test_invalid_logits_shape")),
        pytest.param(ThreeClassHead(), 3, marks=says(MULTI, "test_invalid_logits_shape")),
    ],
)
def test_refused_logits(head: Any, dimension: int, tmp_path: Path) -> None:
    assert head.logits_dimension == dimension
    for keys in (None, ["probabilities"]):
        with pytest.raises(ValueError, match=rf"logits shape must be .*expected the logits_dimension {dimension}"):
            heads.predicted(head, [[45.0, 44.0], [41.0, 42.0]], tmp_path, keys)


def flat(labels: Any, logits: Any) -> np.ndarray:
    """A loss_fn without the last dimension."""
    return np.array([1.0, 2.0], np.float32)


LOSS_FN, WRONG_WEIGHTS = "test_eval_create_loss_loss_fn", "test_multi_dim_train_weights_wrong"
FLAT_LOSSES = r"loss_fn must return Tensor of shape \[D0, D1, ... DN, 1\]; found float32\[2\]"
OTHER_WEIGHTS = r"weights shape must be \[D0, D1, ... DN\] or \[D0, D1, ... DN, 1\]"


@pytest.mark.parametrize(
    ("batch", "mode", "text"),
    [
        pytest.param(
            Batch(ThreeClassHead(), CLASS_LOGITS, np.array([[1.0], [1.0]])), ModeKeys.EVAL,
            r"Labels dtype should be integer. Instead got float32\[2, 1\]",
            marks=says(MULTI, "test_invalid_labels_type"),
        ),
        *(
            pytest.param(batch, ModeKeys.EVAL, FLAT_LOSSES, marks=says(head, f"{LOSS_FN}_wrong_shape"))
            for head, batch in (
                (BINARY, Batch(BinaryClassHead(loss_fn=flat), LOGITS, LABELS)),
                (MULTI, Batch(ThreeClassHead(loss_fn=flat), CLASS_LOGITS, CLASSES)),
            )
        ),
        *(
            pytest.param(batch, ModeKeys.TRAIN, OTHER_WEIGHTS, marks=says(head, f"{WRONG_WEIGHTS}_{test}"))
            for head, test, batch in (
                (BINARY, "inner_dim", of_more([[1.0], [2.0]])),
                (BINARY, "outer_dim", of_more(np.ones((2, 2, 2)))),
                (MULTI, "inner_dim", of_more_classes([[1.0], [2.0]])),
                (MULTI, "outer_dim", of_more_classes(np.ones((2, 2, 3)))),
            )
        ),
    ],
)  # fmt: skip
def test_refused_batches(batch: Batch, mode: str, text: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=text):
        heads.loss_of(batch, tmp_path, mode)


@says(MULTI, "test_invalid_labels_sparse_tensor")
def test_labels_of_a_varying_number(tmp_path: Path) -> None:
    # What is parsed by a VarLenFeature, as a SparseTensor there.
    path = tmp_path / "rows.tfrecord"
    rows = [example(logits=np.float32([1, 2, 4]), y=[word]) for word in (b"english", b"italian")]
    path.write_bytes(b"".join(map(frame, rows)))
    spec = {"logits": FixedLenFeature([3], "float32"), "y": VarLenFeature("string")}

    def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
        return ThreeClassHead().create_estimator_spec(features, mode, features["logits"], labels)

    model = estimator.Estimator(model_fn, str(tmp_path / "m"))
    with pytest.raises(errors.UnsupportedError, match="'y' has any number of values in each row.*a FixedLenFeature"):
        model.evaluate(lambda: data.make_batched_features_dataset(path, 2, spec, label_key="y", num_epochs=1))


@says(MULTI, "test_predict_with_tensor_n_classes")
def test_a_number_of_classes_that_is_an_array(tmp_path: Path) -> None:
    head = estimator.MultiClassHead(np.array(3, np.int32))
    assert head.logits_dimension == 3
    logits = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    found = heads.predicted(head, logits, tmp_path)
    shares = [[0.576117, 0.2119416, 0.2119416], [0.2119416, 0.2119416, 0.576117]]
    np.testing.assert_allclose(found.pop("probabilities"), shares, rtol=1e-5)
    texts = {"classes": [[b"0"], [b"2"]], "all_classes": [[b"0", b"1", b"2"]] * 2}
    numbers = {"logits": logits, "class_ids": [[0], [2]], "all_class_ids": [[0, 1, 2]] * 2}
    assert {key: value.tolist() for key, value in found.items()} == texts | numbers


# Losses and metrics


def given_losses(labels: Any, logits: Any) -> Any:
    """A loss_fn of losses that are known: NaN, if it gets other labels and logits than the batch has."""
    wanted_logits, wanted_labels = LOSS_FN_CLASSES if logits.shape[-1] == 3 else LOSS_FN_LABELS
    same_labels = ops.equal(ops.cast(labels, "int64"), wanted_labels)
    same = ops.logical_and(ops.all(same_labels), ops.all(ops.equal(logits, wanted_logits)))
    return ops.where(same, np.array([[1.0], [2.0]], np.float32), np.nan)


def losses_of_features(labels: Any, logits: Any, features: Any) -> Any:
    """A loss_fn of features."""
    return features["x"]


LOSS_FN_LABELS = np.array([[-10.0], [10.0]], np.float32), np.array([[1], [0]])
LOSS_FN_CLASSES = np.array([[-10.0, 10.0, 0.0], [-15.0, 10.0, 0.0]], np.float32), np.array([[1], [2]])
FEATURES = {"x": np.array([[42.0], [43.0]])}
REGULARIZED = {"regularization_losses": [1.5, 0.5]}


def named(metrics: dict[str, float], name: str) -> dict[str, float]:
    return {f"{key}/{name}": value for key, value in metrics.items()}


EVALUATED: dict[str, tuple[pytest.MarkDecorator, Batch, float, dict[str, float] | None]] = {
    "binary, of a name": (
        says(BINARY, "test_eval_metric_ops_with_head_name"),
        Batch(BinaryClassHead(name="some_binary_head"), LOGITS, LABELS), 20.5, named(METRICS, "some_binary_head"),
    ),
    "binary, regularized": (
        says(BINARY, "test_eval_with_regularization_losses"),
        Batch(BinaryClassHead(), LOGITS, LABELS, **REGULARIZED), 22.5, METRICS | {"regularization_loss": 2.0},
    ),
    "binary, thresholds": (
        says(BINARY, "test_eval_with_thresholds", "test_eval_with_thresholds_create_loss"),
        Batch(BinaryClassHead(thresholds=[0.25, 0.5, 0.75]), [[-1.0], [1.0]], np.array([[1], [1]])), 0.8132617,
        METRICS | {
            "average_loss": 0.8132617,
            "accuracy/positive_threshold_0.25": 1.0, "precision/positive_threshold_0.25": 1.0,
            "recall/positive_threshold_0.25": 1.0, "accuracy/positive_threshold_0.5": 0.5,
            "precision/positive_threshold_0.5": 1.0, "recall/positive_threshold_0.5": 0.5,
            "accuracy/positive_threshold_0.75": 0.0, "precision/positive_threshold_0.75": 0.0,
            "recall/positive_threshold_0.75": 0.0,
        },
    ),
    "binary, two labels a row": (
        says(BINARY, "test_multi_dim_weighted_eval"), of_more(), 10.0,
        {
            "average_loss": 40 / 7, "accuracy": 3.5 / 7, "precision": 2 / 3, "recall": 2 / 4.5,
            "prediction/mean": 3 / 7, "label/mean": 4.5 / 7, "accuracy_baseline": 4.5 / 7, "auc": 0.52222,
            "auc_precision_recall": 0.65823,
        },
    ),
    "binary, loss_fn": (
        says(BINARY, LOSS_FN),
        Batch(BinaryClassHead(loss_fn=given_losses), *LOSS_FN_LABELS), 1.5, None,
    ),
    "binary, loss_fn of features": (
        says(BINARY, "test_loss_fn_arg_features_ok"),
        Batch(BinaryClassHead(loss_fn=losses_of_features), LOGITS, LABELS, FEATURES), 42.5, None,
    ),
    "of a name": (
        says(MULTI, "test_eval_metric_ops_with_head_name"),
        Batch(ThreeClassHead(name="some_multiclass_head"), CLASS_LOGITS, CLASSES), 5.0,
        named(CLASS_METRICS, "some_multiclass_head"),
    ),
    "regularized": (
        says(MULTI, "test_eval_with_regularization_losses"),
        Batch(ThreeClassHead(), CLASS_LOGITS, CLASSES, **REGULARIZED), 7.0,
        CLASS_METRICS | {"regularization_loss": 2.0},
    ),
    "two labels a row": (
        says(MULTI, "test_multi_dim_weighted_eval"), of_more_classes(), 13.875,
        {"average_loss": 55.5 / 7, "accuracy": 3 / 7},
    ),
    "loss_fn": (
        says(MULTI, LOSS_FN),
        Batch(ThreeClassHead(loss_fn=given_losses), *LOSS_FN_CLASSES), 1.5, None,
    ),
    "loss_fn of features": (
        says(MULTI, "test_loss_fn_arg_features_ok"),
        Batch(ThreeClassHead(loss_fn=losses_of_features), CLASS_LOGITS, CLASSES, FEATURES), 42.5, None,
    ),
}  # fmt: skip
"""Batches with their losses and all their metrics, or None for a head whose loss alone is known."""


@pytest.fixture(scope="module")
def scores(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, float]]:
    batches = {name: batch for name, (_, batch, _, _) in EVALUATED.items()}
    return heads.evaluated(batches, tmp_path_factory.mktemp("scores"))


@pytest.mark.parametrize(
    ("name", "loss", "metrics"),
    [pytest.param(name, *expected, id=name, marks=mark) for name, (mark, _, *expected) in EVALUATED.items()],
)
def test_evaluation(name: str, loss: float, metrics: dict[str, float] | None, scores: Any) -> None:
    expected = {"loss": loss, **metrics} if metrics is not None else {"loss": loss, "average_loss": loss}
    found = scores[name] if metrics is not None else {key: scores[name][key] for key in expected}
    assert found == pytest.approx(expected, rel=TOLERANCE)


# Steps


@says(BINARY, "test_multi_dim_weighted_train", "test_multi_dim_weighted_train_create_loss")
@says(MULTI, "test_multi_dim_weighted_train", "test_multi_dim_weighted_train_create_loss")
@says(BINARY_SPEC, "test_train_summaries_with_head_name")
@says(MULTI_SPEC, "test_train_summaries_with_head_name")
def test_a_step(tmp_path: Path) -> None:
    batches = {
        "binary": of_more(), "multi": of_more_classes(),
        "named": Batch(BinaryClassHead(name="some_binary_head"), LOGITS, LABELS),
        "named_multi": Batch(ThreeClassHead(name="some_multiclass_head"), CLASS_LOGITS, CLASSES),
    }  # fmt: skip
    losses, model = heads.trained(batches, tmp_path)
    assert losses == pytest.approx({"binary": 10.0, "multi": 13.875, "named": 20.5, "named_multi": 5.0}, rel=TOLERANCE)
    (summaries,) = canned.summaries_of(model)
    expected = {"loss": 10.0, "loss/some_binary_head": 20.5, "loss/some_multiclass_head": 5.0}
    canned.assert_metrics(summaries, expected, rtol=TOLERANCE)


KINDS = pytest.mark.parametrize(
    ("head", "logits", "labels", "loss"),
    [
        pytest.param(BinaryClassHead(), LOGITS, LABELS, 20.5, id="binary"),
        pytest.param(ThreeClassHead(), CLASS_LOGITS, CLASSES, 5.0, id="multi"),
    ],
)


@KINDS
@says(BINARY, "test_train_with_regularization_losses")
@says(MULTI, "test_train_with_regularization_losses")
def test_a_step_with_regularization(head: Any, logits: Any, labels: Any, loss: float, tmp_path: Path) -> None:
    losses, model = heads.trained({"batch": Batch(head, logits, labels, **REGULARIZED)}, tmp_path)
    assert losses["batch"] == pytest.approx(loss + 2.0, rel=TOLERANCE)
    (summaries,) = canned.summaries_of(model)
    canned.assert_metrics(summaries, {"loss": loss + 2.0, "regularization_loss": 2.0}, rtol=TOLERANCE)


@KINDS
@says(BINARY_SPEC, "test_train_with_optimizer", "test_train_with_update_ops")
@says(MULTI_SPEC, "test_train_with_optimizer", "test_train_with_update_ops")
def test_a_step_of_an_optimizer_and_update_ops(
    head: Any, logits: Any, labels: Any, loss: float, tmp_path: Path
) -> None:
    logits = np.array(logits, np.float32)
    width = head.logits_dimension

    def model_fn(features: Any, labels: Any, mode: str, params: Any) -> EstimatorSpec:
        moved, still = (variables.get_variable(name, [width], initializer="zeros") for name in ("moved", "still"))
        w, t = (variables.get_variable(name, [], initializer="ones", trainable=False) for name in ("w", "t"))
        scores = features["logits"] + moved + still
        how: dict[str, Any] = {"optimizer": optimizers.SGD(1.0), "trainable_variables": [moved]}
        if params["by_function"]:
            how = {"train_op_fn": lambda _: t.assign(7.0)}
        return head.create_estimator_spec(features, mode, scores, labels, update_ops=[w.assign_add(1.0)], **how)

    def trained(by_function: bool) -> estimator.Estimator:
        model = estimator.Estimator(model_fn, str(tmp_path / str(by_function)), params={"by_function": by_function})
        found = canned.losses_of(model, lambda: ({"logits": logits}, labels), 1)
        assert found == pytest.approx([loss], rel=TOLERANCE)
        assert model.get_variable_value("w") == 2
        return model

    # What the optimizer is given is the loss: it moves by its gradient what it is told to, and nothing else.
    shares = canned.sigmoid(logits) if width == 1 else canned.softmax(logits)
    wanted = labels if width == 1 else np.eye(3)[labels[:, 0]]
    model = trained(by_function=False)
    np.testing.assert_allclose(model.get_variable_value("moved"), (wanted - shares).mean(axis=0), rtol=1e-4, atol=1e-6)
    assert not model.get_variable_value("still").any()
    model = trained(by_function=True)
    assert model.get_variable_value("t") == 7
    assert not model.get_variable_value("moved").any()


@pytest.mark.parametrize(
    ("head", "batch_norm"),
    [
        pytest.param(
            BinaryClassHead(label_vocabulary=["aang", "iroh"]), True,
            marks=says(BINARY_SPEC, "test_lookup_tables_in_graph"),
        ),
        pytest.param(
            ThreeClassHead(label_vocabulary=["aang", "iroh", "zuko"]), False,
            marks=says(MULTI_SPEC, "test_lookup_tables_in_graph"),
        ),
    ],
)  # fmt: skip
def test_the_vocabulary_of_an_estimator(head: Any, batch_norm: bool, tmp_path: Path) -> None:
    def input_fn() -> Any:
        return {"x": np.array([[42], [43]])}, [[b"iroh"], [b"iroh"]]

    columns = [fc.numeric_column("x")]
    model = estimator.DNNEstimator(head, [2, 2], columns, str(tmp_path / "m"), batch_norm=batch_norm)
    scores = model.train(input_fn, steps=1).evaluate(input_fn, steps=1)
    assert scores["global_step"] == 1
    assert np.isfinite(scores["average_loss"])
    for row in model.predict(input_fn):
        assert row["classes"].tolist() == [[b"aang", b"iroh", b"zuko"][row["class_ids"].item()]]
