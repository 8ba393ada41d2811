"""RegressionHead, LogisticRegressionHead and PoissonRegressionHead, as tests of tf.estimator 2.15 have them.

Here are those of arguments, and of what the heads make of logits in a model_fn; those that a LinearRegressor says, too,
are in test_heads.py.
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

from mlc import estimator, ops, optimizers, train, variables
from mlc import feature_column as fc
from mlc.estimator import EstimatorSpec, LogisticRegressionHead, ModeKeys, PoissonRegressionHead, RegressionHead

FILE = "estimator/head/regression_head_test.py::"
HEAD = f"{FILE}RegressionHead::"
FOR_ESTIMATOR = f"{FILE}RegressionHeadForEstimator::"
LOGISTIC, POISSON = f"{FILE}LogisticRegressionHead::", f"{FILE}PoissonRegressionHead::"

LOGITS, LABELS = [[45.0], [41.0]], [[43], [44]]  # losses 4 and 9
THREE, LABELS_OF_THREE = [[45], [41], [44]], [[35], [42], [45]]  # losses 100, 1 and 1
ROW, LABELS_OF_ROW, WEIGHTS_OF_ROW = [[45.0, 41.0, 44.0]], [[35.0, 42.0, 45.0]], {"label_weights": [[1.0, 0.1, 1.5]]}
WEIGHTED_LOSS = (100 + 0.1 + 1.5) / 3
CUBE = [[[0.0, 1.0, 2.0], [10.0, 11.0, 12.0]], [[20.0, 21.0, 22.0], [30.0, 31.0, 32.0]]]
LABELS_OF_CUBE = [[[1.0, 2.0, 3.0], [12.0, 13.0, 14.0]], [[23.0, 24.0, 25.0], [34.0, 35.0, 36.0]]]
WEIGHTS_OF_CUBE = {"label_weights": [[1.0, 1.5], [2.0, 2.5]]}
# (1 * 1 + 1.5 * 4 + 2 * 9 + 2.5 * 16) * 3 / 12
LOSS_OF_CUBE = 16.25
PAIRS, LABELS_OF_PAIRS = [[-1.0, 1.0], [-2.0, 2.0]], [[1.0, 0.0], [2.0, -1.0]]
SCORES = [[0.0], [-1.0], [1.0]]
ONES, TRIPLES = [[43.0], [44.0]], [[45.0, 46.0, 47.0], [41.0, 42.0, 43.0]]


def given_losses(labels: Any, logits: Any) -> Any:
    """A loss_fn that has losses of 0, 1, 2 and 3 for LABELS_OF_PAIRS and PAIRS, and else none."""
    same = ops.logical_and(ops.all(ops.equal(labels, LABELS_OF_PAIRS)), ops.all(ops.equal(logits, PAIRS)))
    return ops.where(same, np.array([[0.0, 1.0], [2.0, 3.0]], np.float32), np.float32(np.nan))


def losses_of_features(labels: Any, logits: Any, features: Any) -> Any:
    return features["losses"]


@pytest.mark.parametrize(
    ("loss_fn", "text"),
    [
        pytest.param(loss_fn, text, id=test, marks=restates(HEAD + test))
        for test, loss_fn, text in [
            ("test_loss_fn_arg_labels_missing", lambda logits: None,
             "loss_fn must contain argument: labels. Given arguments: .*logits"),
            ("test_loss_fn_arg_logits_missing", lambda labels: None,
             "loss_fn must contain argument: logits. Given arguments: .*labels"),
            ("test_loss_fn_arg_invalid", lambda labels, logits, name=None: None,
             r"loss_fn has unexpected args: \['name'\]"),
        ]
    ],
)  # fmt: skip
def test_refused_loss_fns(loss_fn: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        RegressionHead(loss_fn=loss_fn)


# Evaluation: each test with its batch, its loss, and its metrics, if it tells them.

MEANS_OF_ROW = {
    "average_loss": 101.6 / 2.6, "prediction/mean": (45 + 0.1 * 41 + 1.5 * 44) / 2.6,
    "label/mean": (35 + 0.1 * 42 + 1.5 * 45) / 2.6,
}  # fmt: skip
EVALUATIONS: dict[str, tuple[Batch, float, dict[str, float] | None]] = {
    "test_eval_create_loss_loss_fn": (
        Batch(RegressionHead(2, loss_fn=given_losses), PAIRS, LABELS_OF_PAIRS), (0 + 1 + 2 + 3) / 4, None,
    ),
    "test_loss_fn_arg_features_ok": (
        Batch(RegressionHead(loss_fn=losses_of_features), LOGITS, LABELS, {"losses": [[3.0], [4.0]]}), 3.5, None,
    ),
    "test_eval_with_regularization_losses": (
        Batch(RegressionHead(), LOGITS, LABELS, regularization_losses=[1.5, 0.5]), 8.5,
        {"average_loss": 6.5, "regularization_loss": 2.0, "prediction/mean": 43.0, "label/mean": 43.5},
    ),
    "test_eval_metric_ops_with_head_name_for_regression": (
        Batch(RegressionHead(name="some_regression_head"), [[1.0], [9.0]], [[1], [1]]), 32.0,
        {
            "average_loss/some_regression_head": 32.0, "prediction/mean/some_regression_head": 5.0,
            "label/mean/some_regression_head": 1.0,
        },
    ),
    "test_weight_with_numeric_column": (
        Batch(
            RegressionHead(weight_column=fc.numeric_column("label_weights", normalizer_fn=lambda x: x + 1.0)), THREE,
            LABELS_OF_THREE, {"label_weights": np.float32([[0.0], [-0.9], [0.5]])},
        ),
        WEIGHTED_LOSS, None,
    ),
    "test_weighted_multi_value_eval": (
        Batch(RegressionHead(3, "label_weights"), ROW, LABELS_OF_ROW, WEIGHTS_OF_ROW), WEIGHTED_LOSS, MEANS_OF_ROW,
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def evaluations(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, float]]:
    batches = {test: batch for test, (batch, _, _) in EVALUATIONS.items()}
    return heads.evaluated(batches, tmp_path_factory.mktemp("evaluations"))


@pytest.mark.parametrize(
    "test",
    [
        pytest.param(test, marks=restates(HEAD + test, *([f"{HEAD}{test}_create_loss"] if "value" in test else [])))
        for test in EVALUATIONS
    ],
)
def test_evaluation(test: str, evaluations: dict[str, dict[str, float]]) -> None:
    _, loss, metrics = EVALUATIONS[test]
    found = evaluations[test]
    assert found["loss"] == pytest.approx(loss, rel=1e-6)
    if metrics is not None:
        assert set(found) == {"loss", *metrics}
        canned.assert_metrics(found, metrics)


# Training: the first is that of the summary "loss".

# exp(logit) - label * logit + ln(label!), of which the last is Stirling's approximation for labels above 1.
POISSON_LOSSES = [
    np.exp(logit) - label * logit + (label > 1) * (label * np.log(label) - label + 0.5 * np.log(2 * np.pi * label))
    for logit, label in ((0.0, 1), (-1.0, 2), (1.0, 3))
]
TRAINING: dict[str, tuple[Batch, float]] = {
    f"{HEAD}test_train_with_regularization_losses": (
        Batch(RegressionHead(), LOGITS, np.float64(LABELS), regularization_losses=[1.5, 0.5]), 8.5,
    ),
    f"{FOR_ESTIMATOR}test_train_summaries_with_head_name": (
        Batch(RegressionHead(name="some_regression_head"), LOGITS, np.float64(LABELS)), 6.5,
    ),
    f"{HEAD}test_weighted_multi_value_train": (
        Batch(RegressionHead(3, "label_weights"), ROW, LABELS_OF_ROW, WEIGHTS_OF_ROW), WEIGHTED_LOSS,
    ),
    f"{HEAD}test_multi_dim_weighted_train": (
        Batch(RegressionHead(3, "label_weights"), CUBE, LABELS_OF_CUBE, WEIGHTS_OF_CUBE), LOSS_OF_CUBE,
    ),
    f"{POISSON}test_train": (Batch(PoissonRegressionHead(), SCORES, [[1], [2], [3]]), np.mean(POISSON_LOSSES)),
    f"{LOGISTIC}test_train": (
        Batch(LogisticRegressionHead(), SCORES, [[0.4], [0.6], [0.8]]),
        np.mean(canned.cross_entropies(SCORES, [0.4, 0.6, 0.8])),
    ),
}  # fmt: skip


@restates(
    *TRAINING, f"{HEAD}test_weighted_multi_value_train_create_loss", f"{HEAD}test_multi_dim_weighted_train_create_loss"
)
def test_training(tmp_path: Path) -> None:
    names = {f"case{i}": test for i, test in enumerate(TRAINING)}
    found, model = heads.trained({name: TRAINING[test][0] for name, test in names.items()}, tmp_path)
    assert found == pytest.approx({name: TRAINING[test][1] for name, test in names.items()}, rel=1e-5)
    (summaries,) = canned.summaries_of(model)
    expected = {"loss": 8.5, "regularization_loss": 2.0, "loss/some_regression_head": 6.5}
    assert {tag: summaries[tag] for tag in expected} == expected


@restates(f"{FOR_ESTIMATOR}test_train_with_optimizer", f"{FOR_ESTIMATOR}test_train_with_update_ops")
def test_optimizer_and_update_ops(tmp_path: Path) -> None:
    head = RegressionHead()

    def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
        moved, kept, counted, seen = (
            variables.get_variable(name, [], initializer="zeros") for name in ("moved", "kept", "counted", "seen")
        )
        logits = features["logits"] + moved + kept
        by_optimizer = head.create_estimator_spec(
            features, mode, logits, labels, optimizers.SGD(1.0), trainable_variables=[moved]
        )  # fmt: skip
        by_function = head.create_estimator_spec(
            features, mode, logits, labels, train_op_fn=seen.assign, update_ops=[counted.assign_add(1.0)]
        )  # fmt: skip
        both = train.group(by_optimizer.train_op, by_function.train_op)
        return EstimatorSpec(mode, loss=by_optimizer.loss, train_op=both)

    model = estimator.Estimator(model_fn, str(tmp_path / "m"))
    assert canned.losses_of(model, lambda: ({"logits": np.float32(LOGITS)}, np.float64(LABELS)), 1) == [6.5]
    # The gradient of the mean of the squares of 2 and -3 is -1.
    expected = {"moved": 1.0, "kept": 0.0, "counted": 1.0, "seen": 6.5}
    assert {name: model.get_variable_value(name) for name in expected} == expected


@pytest.mark.parametrize(
    ("head", "logits", "predictions"),
    [
        pytest.param(
            RegressionHead(inverse_link_fn=lambda logits: logits - 10.0), LOGITS, [[35.0], [31.0]],
            marks=restates(f"{HEAD}test_predict_with_inverse_link_fn"), id="inverse_link_fn",
        ),
        pytest.param(
            PoissonRegressionHead(), SCORES, np.exp(SCORES), marks=restates(f"{POISSON}test_predict"), id="poisson"
        ),
        pytest.param(
            LogisticRegressionHead(), SCORES, canned.sigmoid(SCORES), marks=restates(f"{LOGISTIC}test_predict"),
            id="logistic",
        ),
    ],
)  # fmt: skip
def test_predictions(head: estimator.Head, logits: Any, predictions: Any, tmp_path: Path) -> None:
    found = heads.predicted(head, logits, tmp_path)
    assert {key: value.dtype for key, value in found.items()} == {"predictions": np.float32, "logits": np.float32}
    np.testing.assert_allclose(found["predictions"], predictions, rtol=1e-6)
    np.testing.assert_array_equal(found["logits"], logits)


# What is refused


@restates(f"{HEAD}test_invalid_logits")
def test_predictions_of_logits_of_another_size(tmp_path: Path) -> None:
    head = RegressionHead(3)
    assert head.logits_dimension == 3
    for keys in (None, ["predictions"]):
        with pytest.raises(ValueError, match=r"logits shape must be .*, got float32\[\?, 1\]"):
            heads.predicted(head, LOGITS, tmp_path, keys)


@pytest.mark.parametrize(
    ("mode", "batch", "text"),
    [
        pytest.param(mode, Batch(head, *batch), text, marks=restates(test), id=test.rpartition("::")[2])
        for test, mode, head, batch, text in [
            *(
                (f"{HEAD}test_incompatible_labels_{mode}", mode, RegressionHead(3), batch, text)
                for mode in (ModeKeys.EVAL, ModeKeys.TRAIN)
                for batch, text in [
                    ((TRIPLES, ONES), "Mismatched label shape. Expected labels dimension=3.  Received 1"),
                    ((ONES, TRIPLES), r"logits shape must be .*, got float32\[2, 1\]"),
                ]
            ),
            (f"{HEAD}test_eval_create_loss_loss_fn_wrong_shape", ModeKeys.EVAL,
             RegressionHead(2, loss_fn=lambda labels, logits: labels[:, :1]), (PAIRS, LABELS_OF_PAIRS),
             r"loss_fn must return Tensor of shape \[D0, D1, ... DN, 2\]; found float\d+\[2, 1\]"),
            *(
                (f"{HEAD}test_multi_dim_train_weights_wrong_{where}", ModeKeys.TRAIN,
                 RegressionHead(3, "label_weights"), (CUBE, LABELS_OF_CUBE, {"label_weights": weights}),
                 rf"weights shape must be (.|\n)*float\d+\[{shape}\]")
                for where, weights, shape in [
                    ("inner_dim", [[1.0], [2.0]], "2, 1, 1"),
                    ("outer_dim", [[[1.0, 1.1], [1.5, 1.6]], [[2.0, 2.1], [2.5, 2.6]]], "2, 2, 2"),
                ]
            ),
            *(
                (f"{LOGISTIC}test_train_labels_{what}", ModeKeys.TRAIN, LogisticRegressionHead(),
                 (SCORES, [[0.4], [label], [0.8]]), f"label, a number from 0 to 1: {label}")
                for what, label in [("too_large", 1.2), ("negative", -0.2)]
            ),
        ]
    ],
)  # fmt: skip
def test_what_does_not_fit(mode: str, batch: Batch, text: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=text):
        heads.loss_of(batch, tmp_path, mode)
