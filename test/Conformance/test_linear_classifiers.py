"""Classifiers of canned/linear_testing_utils.py, linear_test.py, dnn_linear_combined_test.py and baseline_test.py."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from pathlib import Path
from typing import Any

import canned
import numpy as np
import pytest
from linear import CLASSIFIERS, EVALUATED_CLASSIFIERS, logits_of, variables_of
from upstream import Kind, cases

from mlc import errors, estimator
from mlc import feature_column as fc

LINEAR, BASELINE = CLASSIFIERS[:2], CLASSIFIERS[2:]


def each(name: str, row: Any) -> dict[str, Any]:
    """A row for two classes and for four, under the names that the tests have for both."""
    return {name.format("binary", "Binary"): (2, row), name.format("multi", "Multi"): (4, row)}


def biases(classes: int, value: float) -> list[float]:
    return [value] * (1 if classes == 2 else classes)


def age_weights(classes: int, factor: float) -> list[list[float]]:
    """One weight, or for several classes the factor times 0, 1, 2, ..."""
    return [[factor]] if classes == 2 else [[factor * i for i in range(classes)]]


def training_input(label: Any, weight: Any = None) -> Any:
    x = {"age": np.array([0, 1])} | ({} if weight is None else {"w": np.array(weight)})
    return estimator.inputs.numpy_input_fn(x, np.array(label), 20, num_epochs=None, shuffle=True)


@cases(
    (
        CLASSIFIERS,
        "Training",
        {
            **each("test{1}ClassesFromScratchWithDefaultOptimizer", (10, None, lambda: ({"age": ((17,),)}, ((0,),)))),
            **each("test{1}ClassesTrainWithTwoDimsLabel", (200, None, training_input([[0], [1]]))),
            **each("test{1}ClassesTrainWithOneDimLabel", (200, None, training_input([0, 1]))),
            **each("test{1}ClassesTrainWithTwoDimsWeight", (200, "w", training_input([0, 1], [[0], [1]]))),
            **each("test{1}ClassesTrainWithOneDimWeight", (200, "w", training_input([0, 1], [0, 1]))),
        },
    )
)
def test_trains(kind: Kind, case: Any, tmp_path: Path) -> None:
    classes, (steps, weight_column, input_fn) = case
    model = kind.make([fc.numeric_column("age")], str(tmp_path / "m"), n_classes=classes, weight_column=weight_column)
    model.train(input_fn, steps=steps)
    variables = variables_of(kind, {"age": age_weights(classes, 0)}, biases(classes, 0))
    canned.assert_variables(model, steps, {name: np.shape(value) for name, value in variables.items()})


ROW, ROWS, SHARE = ({"age": ((17,),)}, ((1,),)), ({"age": [17.0, 18.5]}, [1, 0]), ({"age": ((17,),)}, ((0.8,),))


def losses(given: tuple[float, float]) -> dict[str, Any]:
    return {
        **each("test{1}ClassesFromScratch", (None, ROW)),
        **each("test{1}ClassesFromCheckpoint", (given, ROW)),
        **each("test{1}ClassesFromCheckpointMultiBatch", (given, ROWS)),
        "testBinaryClassesFromCheckpointFloatLabels": (2, (given, SHARE)),
    }


@cases((LINEAR, "Training", losses((2.0, -35.0))), (BASELINE, "Training", losses((0.0, -1.0))))
def test_losses(kind: Kind, case: Any, tmp_path: Path) -> None:
    classes, (given, (features, labels)) = case
    weight, bias = given or (0.0, 0.0)
    weights = {} if kind.name == "baseline" else {"age": age_weights(classes, weight)}
    model = kind.make([fc.numeric_column("age")], str(tmp_path / "m"), n_classes=classes, optimizer=canned.FROZEN)
    variables = variables_of(kind, weights, biases(classes, bias))
    if given:
        canned.with_variables(model, variables, lambda: (features, labels))
    logits = logits_of(kind, weights, biases(classes, bias), features)
    loss = canned.cross_entropies(logits, np.ravel(labels)).mean()
    assert canned.losses_of(model, lambda: (features, labels), 10) == pytest.approx([loss] * 10)
    canned.assert_variables(model, (canned.STEP if given else 0) + 10, variables)


@cases((CLASSIFIERS, "Training", {"testMultiClassesFromCheckpointFloatLabels": None}))
def test_shares_are_no_labels_of_four_classes(kind: Kind, case: None, tmp_path: Path) -> None:
    """Their test of this name does nothing: there is no such loss. Here such labels are told."""
    model = kind.make([fc.numeric_column("age")], str(tmp_path / "m"), n_classes=4)
    with pytest.raises(errors.DataError, match="label, row 0: found 0.8"):
        model.train(lambda: SHARE, steps=1)


ONE_ROW, TWO_ROWS = ([1.0], [1], None), ([17.0, 18.0], [1, 0], None)
WEIGHTED_ROWS = ([17.0, 18.0], [1, 0], [1.0, 2.0])
# The areas are what TensorFlow's 200 thresholds make of one or two rows.
LINEAR_EVALUATIONS = {
    **each("test_{0}_classes_evaluation_for_simple_data", (-11.0, -30.0, ONE_ROW, (0.0, 1.0))),
    **each("test_{0}_classes_evaluation_batch", (2.0, -35.0, TWO_ROWS, (0.0, 0.3068))),
    **each("test_{0}_classes_evaluation_weights", (2.0, -35.0, WEIGHTED_ROWS, (0.0, 0.1891))),
}
BASELINE_EVALUATIONS = {
    **each("test_{0}_classes_evaluation_for_simple_data", (0.0, -1.0, ONE_ROW, (0.0, 1.0))),
    **each("test_{0}_classes_evaluation_batch", (0.0, -1.0, TWO_ROWS, (0.5, 0.5))),
    **each("test_{0}_classes_evaluation_weights", (0.0, -1.0, WEIGHTED_ROWS, (0.5, 0.33333))),
}


@cases((EVALUATED_CLASSIFIERS, "Evaluation", LINEAR_EVALUATIONS), (BASELINE, "Evaluation", BASELINE_EVALUATIONS))
def test_evaluation(kind: Kind, case: Any, tmp_path: Path) -> None:
    classes, (weight, bias, (age, labels, weights), (auc, precision_recall)) = case
    features = {"age": age} | ({} if weights is None else {"w": weights})
    given = {} if kind.name == "baseline" else {"age": age_weights(classes, weight)}
    model = kind.make(
        [fc.numeric_column("age")], str(tmp_path / "m"), n_classes=classes, optimizer=canned.FROZEN,
        weight_column=None if weights is None else "w",
    )  # fmt: skip
    canned.with_variables(model, variables_of(kind, given, biases(classes, bias)), lambda: (features, labels))
    logits = logits_of(kind, given, biases(classes, bias), features)
    of_rows, shares = np.ones(len(age)) if weights is None else np.array(weights), canned.sigmoid(logits[:, 0])
    row_losses, truth = canned.cross_entropies(logits, labels), np.array(labels)
    classes_found = (shares > 0.5).astype(int) if classes == 2 else logits.argmax(axis=1)
    mean = np.average(truth, weights=of_rows)
    expected = {
        "loss": np.mean(row_losses * of_rows), "average_loss": np.average(row_losses, weights=of_rows),
        "accuracy": np.average(classes_found == truth, weights=of_rows), "global_step": canned.STEP,
    }  # fmt: skip
    if classes == 2:
        expected |= {
            "precision": 0.0, "recall": 0.0, "prediction/mean": np.average(shares, weights=of_rows), "label/mean": mean,
            "accuracy_baseline": max(mean, 1 - mean), "auc": auc, "auc_precision_recall": precision_recall,
        }  # fmt: skip
    canned.assert_metrics(model.evaluate(lambda: (features, labels), steps=1), expected, rtol=1e-3)


PREDICTIONS = {
    **each("test{1}ClassesWithoutLabelVocabulary", False),
    **each("test{1}ClassesWithLabelVocabulary", True),
}


@cases((CLASSIFIERS, "Predict", PREDICTIONS))
def test_predictions(kind: Kind, case: Any, tmp_path: Path) -> None:
    classes, has_vocabulary = case
    vocabulary = [f"class_vocab_{i}" for i in range(classes)] if has_vocabulary else None
    weights = {} if kind.name == "baseline" else {"age": age_weights(classes, -11.0)}
    rows = {"age": np.array([[1.0]])}
    model = kind.make([fc.numeric_column("age")], str(tmp_path / "m"), n_classes=classes, label_vocabulary=vocabulary)
    begun = canned.starting_with(model, variables_of(kind, weights, biases(classes, 10.0)))
    (found,) = begun.predict(estimator.inputs.numpy_input_fn(rows, batch_size=1, num_epochs=1, shuffle=False))
    logits = logits_of(kind, weights, biases(classes, 10.0), rows)[0]
    canned.assert_predictions(found, canned.class_predictions(logits.tolist(), vocabulary))


@cases((LINEAR, "Predict", {"testSparseCombiner": None}))
@pytest.mark.parametrize(
    ("combiner", "expected"),
    [("sum", [12.0, 13.0]), ("mean", [8.5, 9.0]), ("sqrtn", [9.94974, 10.65685])],
)
def test_combiners(kind: Kind, case: None, combiner: str, expected: list[float], tmp_path: Path) -> None:
    column = fc.categorical_column_with_vocabulary_list("language", vocabulary_list=["a", "b", "c"])
    model = kind.make([column], str(tmp_path / "m"), sparse_combiner=combiner)
    begun = canned.starting_with(model, variables_of(kind, {"language": [[2.0], [3.0], [5.0]]}, [5.0]))
    rows = {"language": [["a", "c"], ["b", "c"]]}
    np.testing.assert_allclose(np.ravel([row["logits"] for row in begun.predict(lambda: rows)]), expected, rtol=1e-6)


@cases(
    (
        CLASSIFIERS,
        "Integration",
        {
            **each("test_{0}_classes_numpy_input_fn", (canned.numpy_inputs, canned.FOUR_NUMBERS, np.ones(10, np.int64))),
            **each("test_{0}_classes_pandas_input_fn", (canned.pandas_inputs, canned.NUMBERS, np.array([1, 0, 1, 0], np.int32))),
        },
    )
)  # fmt: skip
def test_use(kind: Kind, case: Any, tmp_path: Path) -> None:
    classes, (inputs, x, y) = case
    column = fc.numeric_column("x", shape=x.shape[1:] or 1)
    model = kind.make([column], str(tmp_path / "m"), n_classes=classes)
    canned.assert_whole_use(model, inputs(x, y), 200, "classes", (len(x), 1), tmp_path)
