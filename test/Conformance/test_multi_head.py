"""What head/multi_head_test.py of tf.estimator 2.15 says of several heads on given logits."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import canned
import heads
import numpy as np
import pytest
from heads import Batch
from upstream import restates

from mlc import errors, estimator, optimizers, variables

FILE = "estimator/head/multi_head_test.py"


def says(*tests: str, group: str = "MultiHeadTest") -> pytest.MarkDecorator:
    return restates(*(f"{FILE}::{group}::{test}" for test in tests))


def labelled(n_classes: int, number: int, **arguments: Any) -> estimator.MultiLabelHead:
    return estimator.MultiLabelHead(n_classes, name=f"head{number}", **arguments)


def of_labels(head_weights: Any = None, weight_columns: Any = (None, None)) -> estimator.MultiHead:
    """Heads of two and of three classes."""
    listed = [labelled(2 + i, 1 + i, weight_column=column) for i, column in enumerate(weight_columns)]
    return estimator.MultiHead(listed, head_weights)


def of_numbers() -> estimator.MultiHead:
    """Regressions of two and of three numbers."""
    return estimator.MultiHead([estimator.RegressionHead(2 + i, name=f"head{1 + i}") for i in range(2)])


LOGITS = {"head1": [[-10.0, 10.0], [-15.0, 10.0]], "head2": [[20.0, -20.0, 20.0], [-30.0, 20.0, -20.0]]}
JOINED = np.concatenate(list(LOGITS.values()), axis=1)
LABELS = {"head1": [[1, 0], [1, 1]], "head2": [[0, 1, 0], [1, 1, 0]]}
NUMBERS = [[[-1.0, 1.0, 2.0, -2.0, 2.0]] * 2, [[-1.5, 1.5, -2.0, 2.0, -2.0]] * 2]
NUMBER_LABELS = {"head1": [[[1.0, 0.0]] * 2, [[1.5, 1.5]] * 2], "head2": [[[0.0, 1.0, 0.0]] * 2, [[2.0, 2.0, 0.0]] * 2]}
WEIGHTS = {"weights1": [[1.0], [2.0]], "weights2": [[2.0], [3.0]]}
COLUMNS = ("weights1", "weights2")


def first(values: Any) -> Any:
    """Of the first head alone."""
    return {"head1": values["head1"]}


# Arguments


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        pytest.param(([],), r"Must specify heads\. Given: \[\]", marks=says("test_no_heads")),
        pytest.param(
            ([labelled(2, 1), estimator.MultiLabelHead(3)],), r"All given heads must have name specified\.",
            marks=says("test_head_name_missing"),
        ),
        pytest.param(
            ([labelled(2, 1), labelled(3, 2)], [1.0]),
            r"heads and head_weights must have the same size\. Given len\(heads\): 2. Given len\(head_weights\): 1\.",
            marks=says("test_head_weights_wrong_size"),
        ),
    ],
)  # fmt: skip
def test_refused_arguments(arguments: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        estimator.MultiHead(*arguments)


@says("test_name")
def test_name() -> None:
    assert of_labels().name == "head1_head2"


@says("test_loss_reduction_must_be_same", group="MultiHeadForEstimator")
def test_reductions_must_be_the_same(tmp_path: Path) -> None:
    listed = [labelled(2, 1, loss_reduction="sum_over_batch_size"), labelled(3, 2, loss_reduction="sum")]
    batch = Batch(estimator.MultiHead(listed), LOGITS, LABELS)
    with pytest.raises(ValueError, match="must be the same"):
        heads.trained({"batch": batch}, tmp_path)


# Predictions

def assert_predictions(head: estimator.MultiHead, logits: Any, by_head: Any, directory: Path) -> None:
    """Heads of labels predict these logits, and probabilities of them."""
    found = heads.predicted(head, logits, directory)
    assert set(found) == {(name, key) for name in by_head for key in ("logits", "probabilities", "classes")}
    for name, scores in by_head.items():
        np.testing.assert_allclose(found[name, "logits"], scores)
        np.testing.assert_allclose(found[name, "probabilities"], canned.sigmoid(scores), rtol=1e-5)


SCORES = {"head1": [[-1.0, 1.0], [-1.5, 1.0]], "head2": [[2.0, -2.0, 2.0], [-3.0, 2.0, -2.0]]}
PREDICTED = [[[-1.0, 1.0, 2.0, -2.0, 2.0]] * 2, [[-1.5, 1.0, -3.0, 2.0, -2.0]] * 2]


@pytest.mark.parametrize(
    "logits",
    [
        pytest.param(SCORES, marks=says("test_predict_two_heads_logits_dict"), id="dict"),
        pytest.param(
            np.concatenate(list(SCORES.values()), axis=1), id="tensor",
            marks=says("test_predict_two_heads_logits_tensor"),
        ),
    ],
)  # fmt: skip
def test_predictions(logits: Any, tmp_path: Path) -> None:
    assert_predictions(of_labels(), logits, SCORES, tmp_path)


@says("test_predict_two_heads_logits_tensor_multi_dim")
def test_predictions_of_matrices(tmp_path: Path) -> None:
    found = heads.predicted(of_numbers(), PREDICTED, tmp_path)
    assert set(found) == {("head1", "predictions"), ("head2", "predictions")}
    for (name, _), part in zip(found, np.split(np.array(PREDICTED), [2], axis=-1), strict=True):
        np.testing.assert_allclose(found[name, "predictions"], part)


# Losses and metrics


@says("test_eval_two_heads_with_weights")
def test_metrics(tmp_path: Path) -> None:
    found = heads.evaluated({"batch": Batch(of_labels([1.0, 2.0]), LOGITS, LABELS)}, tmp_path)["batch"]
    expected = {
        "loss": 1.0 * 8.75 + 2.0 * 15.0, "loss/head1": 8.75, "loss/head2": 15.0, "average_loss/head1": 8.75,
        "average_loss/head2": 15.0, "auc/head1": 0.1667, "auc/head2": 0.3333, "auc_precision_recall/head1": 0.60228,
        "auc_precision_recall/head2": 0.40152,
    }  # fmt: skip
    assert set(found) == set(expected)
    canned.assert_metrics(found, expected, rtol=1e-3)


BATCHES = {
    "one": (Batch(estimator.MultiHead([labelled(2, 1)]), first(LOGITS), first(LABELS)), 8.75),
    "two": (Batch(of_labels([1.0, 2.0]), LOGITS, LABELS), 1.0 * 8.75 + 2.0 * 15.0),
    "penalty": (Batch(of_labels([1.0, 2.0]), LOGITS, LABELS, regularization_losses=[1.5, 0.5]), 38.75 + 2.0),
    "weights": (Batch(of_labels([1.0, 2.0], COLUMNS), LOGITS, LABELS, WEIGHTS), 82.5),
    "tensor": (Batch(of_labels([1.0, 2.0], COLUMNS), JOINED, LABELS, WEIGHTS), 82.5),
    "matrices": (Batch(of_numbers(), NUMBERS, NUMBER_LABELS), 3.5 + 6.167),
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("one", marks=says("test_train_loss_one_head")),
        pytest.param("weights", marks=says("test_train_loss_two_heads_with_weights")),
        pytest.param("tensor", marks=says("test_train_loss_logits_tensor")),
        pytest.param("matrices", marks=says("test_train_loss_logits_tensor_multi_dim")),
    ],
)
def test_losses(name: str, tmp_path: Path) -> None:
    batch, loss = BATCHES[name]
    assert heads.loss_of(batch, tmp_path, "train") == pytest.approx(loss, rel=1e-3)


@pytest.mark.parametrize(
    ("name", "summaries"),
    [
        pytest.param("one", {"loss": 8.75, "loss/head1": 8.75}, marks=says("test_train_one_head")),
        pytest.param(
            "two", {"loss": 38.75, "loss/head1": 8.75, "loss/head2": 15.0},
            marks=says("test_train_two_heads_with_weights"),
        ),
        pytest.param(
            "penalty", {"loss": 40.75, "loss/head1": 8.75, "loss/head2": 15.0, "regularization_loss": 2.0},
            marks=says("test_train_with_regularization_losses"),
        ),
    ],
)  # fmt: skip
def test_a_step_of_training(name: str, summaries: dict[str, float], tmp_path: Path) -> None:
    batch, loss = BATCHES[name]
    losses, model = heads.trained({name: batch}, tmp_path)
    assert losses[name] == pytest.approx(loss, rel=1e-3)
    (found,) = canned.summaries_of(model)
    canned.assert_metrics(found, summaries, rtol=1e-3)
    assert_predictions(batch.head, batch.logits, batch.logits, tmp_path / "predictions")


@says("test_train_one_head_with_optimizer")
def test_an_optimizer_minimizes_the_loss(tmp_path: Path) -> None:
    """The gradient of the bias is the mean of the shares less the labels."""

    def model_fn(features: Any, labels: Any, mode: str) -> estimator.EstimatorSpec:
        bias = variables.get_variable("bias", [2], initializer="zeros")
        return estimator.MultiHead([labelled(2, 1)]).create_estimator_spec(
            features, mode, {"head1": features["logits"] + bias}, labels, optimizer=optimizers.SGD(1.0),
            trainable_variables=[bias],
        )  # fmt: skip

    model = estimator.Estimator(model_fn, str(tmp_path / "m"))
    rows = {"logits": np.array(LOGITS["head1"], np.float32)}, {"head1": np.array(LABELS["head1"])}
    assert canned.losses_of(model, lambda: rows, 1) == pytest.approx([8.75], rel=1e-3)
    gradient = (canned.sigmoid(LOGITS["head1"]) - LABELS["head1"]).mean(axis=0) / 2
    np.testing.assert_allclose(model.get_variable_value("bias"), -gradient, rtol=1e-5)


@pytest.mark.parametrize(
    ("make", "logits", "labels", "features"),
    [
        pytest.param(
            lambda: of_labels([1.0, 2.0], COLUMNS), np.append(JOINED, [[70.0], [80.0]], axis=1), LABELS, WEIGHTS,
            marks=says("test_train_loss_logits_tensor_wrong_shape"),
        ),
        pytest.param(
            of_numbers, np.array(NUMBERS)[..., :4], NUMBER_LABELS, {},
            marks=says("test_train_loss_logits_tensor_multi_dim_wrong_shape"),
        ),
    ],
)  # fmt: skip
def test_logits_of_another_size(
    make: Callable[[], estimator.MultiHead], logits: Any, labels: Any, features: Any, tmp_path: Path
) -> None:
    with pytest.raises(errors.ModelError, match="Could not split logits"):
        heads.loss_of(Batch(make(), logits, labels, features), tmp_path, "train")
