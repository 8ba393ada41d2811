"""Datasets, input functions, and how they become options of runs."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from mlc.data import Dataset, constant
from mlc.errors import DataError, UnsupportedError
from mlc.estimator import RunConfig, inputs
from mlc.estimator._runs import call_input_fn, evaluation_rows, train_options

X = {"a": np.arange(10), "b": ["t"] * 10}
Y = np.arange(10)


def test_datasets_are_immutable_descriptions() -> None:
    dataset = Dataset.from_tensor_slices((X, Y))
    batches = dataset.shuffle(1000, seed=3).repeat(2).repeat(3).batch(4, drop_remainder=True).prefetch(1)
    assert (dataset.shuffled, dataset.epochs, dataset.batch_size) == (False, 1, None)
    assert (batches.shuffled, batches.seed, batches.epochs, batches.batch_size) == (True, 3, 6, 4)
    assert (len(batches), batches.batches_per_epoch) == (10, 2)
    assert Dataset.from_arrays(X).batch(4).batches_per_epoch == 3
    assert batches.features["a"] is X["a"]
    assert dataset.repeat().epochs is None
    assert dataset.repeat(-1).repeat(2).epochs is None


def test_from_frame() -> None:
    frame = pd.DataFrame({"a": [1, 2], "y": [0, 1]})
    dataset = Dataset.from_frame(frame, label="y")
    assert list(dataset.features) == ["a"]
    assert dataset.labels.tolist() == [0, 1]
    assert Dataset.from_frame(frame).labels is None
    with pytest.raises(DataError, match="no column 'yy'"):
        Dataset.from_frame(frame, label="yy")


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda d: d.batch(0), ValueError, "at least 1"),
        (lambda d: d.batch(2).batch(2), ValueError, "has batches already"),
        (lambda d: d.batch(2).shuffle(), ValueError, "would shuffle batches"),
        (lambda d: d.repeat(0), ValueError, "at least 1"),
        (lambda d: d.shuffle(reshuffle_each_iteration=False), UnsupportedError, "an order of its own"),
        (lambda d: Dataset.from_arrays({"a": [1], "b": [1, 2]}), DataError, "feature 'b' has 2 rows; expected 1"),
        (lambda d: Dataset.from_arrays({"a": [1]}, [1, 2]), DataError, "labels has 2 rows; expected 1"),
        (lambda d: Dataset.from_arrays({"a": 5}), DataError, "one value for each row"),
        (lambda d: Dataset.from_arrays({}), DataError, "no features"),
        (lambda d: Dataset.from_tensor_slices((1, 2, 3)), ValueError, "a tuple of 3"),
        (lambda d: Dataset.from_frame(X), TypeError, "DataFrame"),
    ],
)
def test_what_datasets_refuse(make: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        make(Dataset.from_arrays(X, Y))


def test_numpy_input_fn() -> None:
    dataset = inputs.numpy_input_fn(X, Y, batch_size=4, num_epochs=2, shuffle=True)()
    assert (dataset.batch_size, dataset.epochs, dataset.shuffled) == (4, 2, True)
    defaults = inputs.numpy_input_fn(X, Y, shuffle=False)()
    assert (defaults.batch_size, defaults.epochs, defaults.shuffled) == (128, 1, False)
    assert inputs.numpy_input_fn(X, shuffle=False, num_epochs=None)().epochs is None
    with pytest.raises(ValueError, match="shuffle must be provided and explicitly set as boolean"):
        inputs.numpy_input_fn(X, Y)
    with pytest.raises(ValueError, match="shuffle must be provided"):
        inputs.numpy_input_fn(X, Y, shuffle=1)
    with pytest.raises(ValueError, match="empty dict"):
        inputs.numpy_input_fn({}, shuffle=True)
    with pytest.raises(TypeError, match="dict or array"):
        inputs.numpy_input_fn([1], shuffle=True)
    with pytest.raises(ValueError, match="expected 10"):
        inputs.numpy_input_fn(X, Y[:3], shuffle=True)


def test_pandas_input_fn() -> None:
    frame = pd.DataFrame({"a": [1, 2], "b": ["x", "y"]})
    dataset = inputs.pandas_input_fn(frame, pd.Series([0, 1]), shuffle=False)()
    assert list(dataset.features) == ["a", "b"]
    assert dataset.labels.tolist() == [0, 1]
    with pytest.raises(ValueError, match="Index for x and y are mismatched"):
        inputs.pandas_input_fn(frame, pd.Series([0, 1], index=[5, 6]), shuffle=False)
    with pytest.raises(ValueError, match="Cannot use name a for target column"):
        inputs.pandas_input_fn(frame, pd.Series([0, 1]), shuffle=False, target_column="a")
    with pytest.raises(TypeError, match="DataFrame"):
        inputs.pandas_input_fn({"a": [1]}, shuffle=False)
    with pytest.raises(ValueError, match="shuffle must be provided"):
        inputs.pandas_input_fn(frame)


def test_input_functions_get_the_arguments_they_have() -> None:
    seen: dict[str, Any] = {}

    def input_fn(mode: str, params: dict[str, Any], *, config: RunConfig) -> Any:
        seen.update(mode=mode, params=params, config=config)
        return X, Y

    config = RunConfig()
    dataset = call_input_fn(input_fn, "train", {"p": 1}, config)
    assert seen == {"mode": "train", "params": {"p": 1}, "config": config}
    assert (dataset.is_constant, dataset.batch_size, dataset.epochs, dataset.labels is Y) == (True, 10, None, True)
    assert call_input_fn(lambda: X, "infer", {}, config).labels is None
    with pytest.raises(ValueError, match="as a len 2 tuple"):
        call_input_fn(lambda: (X, Y, Y), "train", {}, config)
    with pytest.raises(ValueError, match="Dataset without batches"):
        call_input_fn(lambda: Dataset.from_arrays(X, Y), "train", {}, config)


@pytest.mark.parametrize(
    ("epochs", "begin", "steps", "max_steps", "expected"),
    [
        (2, 0, None, None, {"steps": 6}),
        (2, 100, None, None, {"steps": 6}),
        (2, 0, 4, None, {"steps": 4}),
        (2, 0, 9, None, {"steps": 6}),
        (2, 100, None, 103, {"steps": 3}),
        (2, 100, None, 999, {"steps": 6}),
        (None, 100, 4, None, {"steps": 4}),
        (None, 100, None, 104, {"max_steps": 104}),
        (None, 0, None, None, {"max_steps": 2**62}),
    ],
)
def test_the_end_of_the_input_is_a_number_of_steps(
    epochs: int | None, begin: int, steps: int | None, max_steps: int | None, expected: dict[str, int]
) -> None:
    dataset = Dataset.from_arrays(X, Y).repeat(epochs).batch(4)
    options = train_options(RunConfig(model_dir="m"), dataset, begin, steps, max_steps)
    assert {key: options[key] for key in ("steps", "max_steps") if key in options} == expected
    assert (options["batch_size"], options["model_dir"]) == (4, "m")


def test_options_of_training() -> None:
    dataset = Dataset.from_arrays(X, Y).shuffle(seed=5).repeat().batch(4, drop_remainder=True)
    options = train_options(RunConfig(save_checkpoints_steps=7, log_step_count_steps=None), dataset, 0, None, 9)
    assert options["seed"] == 5
    assert options["settings"] == [
        "run_config.keep_checkpoint_max=5",
        "run_config.keep_checkpoint_every_n_hours=10000",
        "run_config.save_summary_steps=100",
        f"run_config.log_step_count_steps={2**62}",
        "run_config.save_checkpoints_steps=7",
        "train.shuffle=true",
        "train.drop_remainder=true",
    ]
    assert train_options(RunConfig(tf_random_seed=3), dataset, 0, 1, None)["seed"] == 3
    with pytest.raises(DataError, match="no batch: it has 10 rows, and the short last one of 11 is dropped"):
        train_options(RunConfig(), Dataset.from_arrays(X, Y).batch(11, drop_remainder=True), 0, None, None)


@pytest.mark.parametrize(
    ("epochs", "drop", "steps", "rows", "batches"),
    [
        (1, False, None, 10, None),
        (1, True, None, 8, None),
        (1, False, 2, 10, 2),
        (1, False, 99, 10, None),
        (3, False, None, 10, None),
        (3, False, 6, 10, None),
        (None, False, 7, 24, None),
        (None, True, 7, 28, None),
        (3, False, 4, 14, None),
    ],
)
def test_rows_of_an_evaluation(
    epochs: int | None, drop: bool, steps: int | None, rows: int, batches: int | None
) -> None:
    dataset = Dataset.from_arrays(X, Y).repeat(epochs).batch(4, drop)
    data, limit = evaluation_rows({"a": X["a"]}, dataset, steps)
    assert (len(data["a"]), limit) == (rows, batches)


def test_an_evaluation_ends() -> None:
    with pytest.raises(ValueError, match="the input has no end"):
        evaluation_rows({"a": X["a"]}, Dataset.from_arrays(X, Y).repeat().batch(4), None)
    assert evaluation_rows({"a": X["a"]}, constant(X, Y), None)[1] is None
    assert evaluation_rows({"a": X["a"]}, constant(X, Y), 9)[1] is None
