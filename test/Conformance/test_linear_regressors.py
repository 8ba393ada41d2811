"""Regressors of canned/linear_testing_utils.py, linear_test.py, dnn_linear_combined_test.py and baseline_test.py.

And Estimators of a RegressionHead: linear_estimator_test.py, dnn_linear_combined_estimator_test.py, baseline_estimator_test.py.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import canned
import numpy as np
import pytest
from linear import (
    BASELINE_FILE,
    BASELINE_OF_HEAD,
    LINEAR_FILE,
    LINEAR_OF_HEAD,
    ONLY_OF_HEAD,
    REGRESSORS,
    logits_of,
    variables_of,
)
from upstream import Block, Kind, cases, restates

from mlc import data, estimator
from mlc import feature_column as fc

LINEAR, BASELINE = REGRESSORS[:2], REGRESSORS[2:]
LINEAR_OF_HEADS, BASELINES = [LINEAR_OF_HEAD, ONLY_OF_HEAD], [*BASELINE, BASELINE_OF_HEAD]


def linear_blocks(group: str, of_head: str, table: Mapping[str, Any]) -> list[Block]:
    """Linear models, of a head also, whose group of tests has a name of its own."""
    return [(LINEAR, group, table), (LINEAR_OF_HEADS, of_head, table)]


ONE, TWO = ({"age": ((1,),)}, ((10.0,),)), ({"age": ((1,), (1,))}, ((10.0,), (10.0,)))
WEIGHTED = ({"age": ((1,), (1,)), "weights": ((1.0,), (2.0,))}, ((10.0,), (10.0,)))
VECTOR = ({"age": np.array([[2.0, 4.0, 5.0]])}, np.array([[46.0, 58.0]]))
TWO_COLUMNS = ({"age": np.array([20, 40]), "height": np.array([4, 8])}, np.array([[213.0], [421.0]]))
TWO_COLUMN_WEIGHTS = ({"age": [[10.0]], "height": [[2.0]]}, [5.0])
MATRIX = ({"age": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]}, [7.0, 8.0])


@cases(
    *linear_blocks(
        "Evaluation",
        "Evaluate",
        {
            "test_evaluation_for_simple_data": ({"age": [[11.0]]}, [2.0], ONE, 9.0),
            "test_evaluation_batch": ({"age": [[11.0]]}, [2.0], TWO, 9.0),
            "test_evaluation_weights": ({"age": [[11.0]]}, [2.0], WEIGHTED, 13.5),
            "test_evaluation_for_multi_dimensions": (*MATRIX, VECTOR, 0.0),
            "test_evaluation_for_multiple_feature_columns": (*TWO_COLUMN_WEIGHTS, TWO_COLUMNS, 0.0),
            "test_evaluation_for_multiple_feature_columns_mix": (*TWO_COLUMN_WEIGHTS, TWO_COLUMNS, 0.0),
        },
    ),
    (BASELINE, "Evaluation", {"test_evaluation_for_simple_data": ({}, [13.0], ONE, 9.0)}),
    (
        BASELINES,
        "Evaluation",
        {
            "test_evaluation_batch": ({}, [13.0], TWO, 9.0),
            "test_evaluation_weights": ({}, [13.0], WEIGHTED, 13.5),
            "test_evaluation_for_multi_dimensions": ({}, [46.0, 58.0], VECTOR, 0.0),
        },
    ),
)
def test_evaluation(kind: Kind, case: Any, tmp_path: Path) -> None:
    weights, bias, (features, labels), loss = case
    columns = [fc.numeric_column(key, shape=np.shape(value)[:1]) for key, value in weights.items()]
    weight_column = "weights" if "weights" in features else None
    model = kind.make(
        columns, str(tmp_path / "m"), label_dimension=len(bias), weight_column=weight_column, optimizer=canned.FROZEN
    )
    rows = data.Dataset.from_arrays(features, labels).batch(len(labels))
    canned.with_variables(model, variables_of(kind, weights, bias), lambda: rows.repeat())
    logits = logits_of(kind, weights, bias, features)
    expected = {
        "loss": loss, "average_loss": np.mean((logits - labels) ** 2), "prediction/mean": logits.mean(),
        "label/mean": np.mean(labels), "global_step": canned.STEP,
    }  # fmt: skip
    canned.assert_metrics(model.evaluate(lambda: rows.repeat(), steps=1), expected)


FOUR_BY_THREE = [[1.0, 2.0, 3.0], [2.0, 3.0, 4.0], [3.0, 4.0, 5.0], [4.0, 5.0, 6.0]]
TWO_BY_FOUR = np.array([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]])
TWO_KEYS = {"x0": np.array([[2.0]]), "x1": np.array([[3.0]])}


@cases(
    *linear_blocks(
        "Predict",
        "Predict",
        {
            "test_1d": ({"x": [[10.0]]}, [0.2], {"x": np.array([[2.0]])}, [[20.2]]),
            "testMultiDim": (
                {"x": FOUR_BY_THREE}, [0.2, 0.4, 0.6], {"x": TWO_BY_FOUR}, [[30.2, 40.4, 50.6], [70.2, 96.4, 122.6]]
            ),
            "testTwoFeatureColumns": ({"x0": [[10.0]], "x1": [[20.0]]}, [0.2], TWO_KEYS, [[80.2]]),
            "testTwoFeatureColumnsMix": ({"x0": [[10.0]], "x1": [[20.0]]}, [0.2], TWO_KEYS, [[80.2]]),
        },
    ),
    (
        BASELINES,
        "Predict",
        {
            "test_1d": ({}, [0.2], {"x": np.array([[2.0]])}, [[0.2]]),
            "testMultiDim": ({}, [0.2, 0.4, 0.6], {"x": TWO_BY_FOUR}, [[0.2, 0.4, 0.6]] * 2),
        },
    ),
)  # fmt: skip
def test_predictions(kind: Kind, case: Any, tmp_path: Path) -> None:
    weights, bias, features, expected = case
    columns = [fc.numeric_column(key, shape=np.shape(value)[:1]) for key, value in weights.items()]
    model = kind.make(columns, str(tmp_path / "m"), label_dimension=len(bias))
    begun = canned.starting_with(model, variables_of(kind, weights, bias))
    input_fn = estimator.inputs.numpy_input_fn(features, batch_size=len(expected), num_epochs=1, shuffle=False)
    np.testing.assert_allclose([row["predictions"] for row in begun.predict(input_fn)], expected, rtol=1e-6)


@cases(*linear_blocks("Predict", "Predict", {"testSparseCombiner": None}))
@pytest.mark.parametrize(
    ("combiner", "expected"),
    [("sum", [12.0, 13.0]), ("mean", [8.5, 9.0]), ("sqrtn", [9.94974, 10.65685])],
)
def test_combiners(kind: Kind, case: None, combiner: str, expected: list[float], tmp_path: Path) -> None:
    column = fc.categorical_column_with_vocabulary_list("language", vocabulary_list=["a", "b", "c"])
    model = kind.make([column], str(tmp_path / "m"), sparse_combiner=combiner)
    rows = {"language": [["a", "c"], ["b", "c"]]}
    begun = canned.starting_with(model, variables_of(kind, {"language": [[2.0], [3.0], [5.0]]}, [5.0]))
    np.testing.assert_allclose(np.ravel([row["predictions"] for row in begun.predict(lambda: rows)]), expected, rtol=1e-6)


@cases(
    (
        REGRESSORS,
        "Integration",
        {
            "test_numpy_input_fn": (canned.numpy_inputs, canned.TWO_NUMBERS, canned.TWO_NUMBERS, 2),
            "test_pandas_input_fn": (canned.pandas_inputs, canned.NUMBERS, canned.NUMBERS, 1),
        },
    ),
    (
        [BASELINE_OF_HEAD],
        "Integration",
        {"test_numpy_input_fn": (canned.numpy_inputs, canned.TWO_NUMBERS, canned.TWO_NUMBERS, 2)},
    ),
)
def test_use(kind: Kind, case: Any, tmp_path: Path) -> None:
    inputs, x, y, dimension = case
    model = kind.make([fc.numeric_column("x", shape=dimension)], str(tmp_path / "m"), label_dimension=dimension)
    canned.assert_whole_use(model, inputs(x, y), 200, "predictions", (len(x), dimension), tmp_path)


@restates(f"{LINEAR_FILE}::LinearLogitFnV2Test::test_compute_fraction_of_zero_v2")
@pytest.mark.parametrize(("age", "share"), [([0.0, 0.0, 0.0], 1.0), ([2.0, 0.0, -1.0], 16 / 18)])
def test_share_of_weights_that_are_zero(age: list[float], share: float, tmp_path: Path) -> None:
    columns = [fc.numeric_column("age"), fc.categorical_column_with_hash_bucket("occupation", 5)]
    config = estimator.RunConfig(save_summary_steps=1)
    model = estimator.LinearRegressor(
        columns, str(tmp_path / "m"), label_dimension=3, optimizer=canned.FROZEN, config=config
    )
    weights = {"age": [age], "occupation": np.zeros((5, 3))}
    begun = canned.starting_with(model, variables_of(REGRESSORS[0], weights, [0.0] * 3))
    begun.train(lambda: ({"age": [[23.0], [31.0]], "occupation": ["doctor", "engineer"]}, np.zeros((2, 3))), steps=1)
    (values,) = canned.summaries_of(model)
    assert values["fraction_of_zero_weights"] == pytest.approx(share)


RANK_1 = np.linspace(0.0, 2.0, 20, dtype=np.float32)


def training_input(features: Any) -> Any:
    return estimator.inputs.numpy_input_fn(features, RANK_1, 20, num_epochs=None, shuffle=True)


TRAININGS = {
    "testFromScratchWithDefaultOptimizer": (10, None, lambda: ({"age": ((17,),)}, ((5.0,),))),
    "testTrainWithOneDimLabel": (200, None, training_input({"age": RANK_1})),
    "testTrainWithOneDimWeight": (200, "w", training_input({"age": RANK_1, "w": RANK_1})),
}


@cases(*linear_blocks("Training", "Train", TRAININGS), (BASELINE, "Training", TRAININGS))
def test_trains(kind: Kind, case: Any, tmp_path: Path) -> None:
    steps, weight_column, input_fn = case
    model = kind.make([fc.numeric_column("age")], str(tmp_path / "m"), weight_column=weight_column)
    model.train(input_fn, steps=steps)
    shapes = {name: np.shape(value) for name, value in variables_of(kind, {"age": [[0]]}, [0]).items()}
    canned.assert_variables(model, steps, shapes)


ROW, ROWS = ({"age": ((17,),)}, ((5.0,),)), ({"age": ((17,), (15,))}, ((5.0,), (3.0,)))


@cases(
    *linear_blocks(
        "Training",
        "Train",
        {
            "testFromScratch": (None, ROW, 25.0),
            "testFromCheckpoint": ((10.0, 5.0), ROW, 28900.0),
            "testFromCheckpointMultiBatch": ((10.0, 5.0), ROWS, 26002.0),
        },
    ),
    (
        BASELINES,
        "Training",
        {"testFromScratch": (None, ROW, 25.0), "testFromCheckpoint": ((0.0, 7.0), ROW, 4.0)},
    ),
    (BASELINE, "Training", {"testFromCheckpointMultiBatch": ((0.0, 5.0), ROWS, 2.0)}),
)
def test_losses(kind: Kind, case: Any, tmp_path: Path) -> None:
    given, rows, loss = case
    weight, bias = given or (0.0, 0.0)
    model = kind.make([fc.numeric_column("age")], str(tmp_path / "m"), optimizer=canned.FROZEN)
    variables = variables_of(kind, {"age": [[weight]]}, [bias])
    if given:
        canned.with_variables(model, variables, lambda: rows)
    assert canned.losses_of(model, lambda: rows, 10) == pytest.approx([loss] * 10)
    canned.assert_variables(model, (canned.STEP if given else 0) + 10, variables)


@restates(
    f"{BASELINE_FILE}::BaselineLogitFnTest::test_basic_logit_correctness",
    f"{LINEAR_FILE}::LinearLogitFnV2Test::test_basic_logit_correctness",
)
@pytest.mark.parametrize("kind", [REGRESSORS[0], REGRESSORS[2]], ids=lambda kind: str(kind.name))
def test_logits(kind: Kind, tmp_path: Path) -> None:
    features = {"age": [[23.0], [31.0]]}
    steps = [([[0.0, 0.0]], [0.0, 0.0]), ([[0.0, 0.0]], [10.0, 5.0]), ([[2.0, 3.0]], [10.0, 5.0])]
    for number, (weights, bias) in enumerate(steps):
        given = {"age": weights} if kind.name == "linear" else {}
        model = kind.make([fc.numeric_column("age")], str(tmp_path / str(number)), label_dimension=2)
        begun = canned.starting_with(model, variables_of(kind, given, bias))
        found = [row["predictions"] for row in begun.predict(lambda: features)]
        np.testing.assert_allclose(found, logits_of(kind, given, bias, features))
    assert np.ravel(found).tolist() == ([56.0, 74.0, 72.0, 98.0] if kind.name == "linear" else [10.0, 5.0] * 2)
