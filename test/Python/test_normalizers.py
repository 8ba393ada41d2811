"""normalizer_fn: functions of users in canned Estimators, as a part of the spec."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlc import data, estimator, ops, optimizers, variables
from mlc import feature_column as fc
from mlc.errors import CheckpointError, ModelError, UnsupportedError

pytest.importorskip("mlc._native")

ROWS = 64
_random = np.random.default_rng(2)
FEATURES = {"x": _random.gamma(2.0, size=ROWS).astype(np.float32), "v": _random.normal(size=[ROWS, 2, 3]).astype(np.float32)}
LABELS = (FEATURES["x"] > 1.5).astype(np.int64)


def kernels(columns: list[Any], directory: Path, features: dict[str, Any]) -> list[np.ndarray]:
    config = estimator.RunConfig(tf_random_seed=1)
    model = estimator.DNNClassifier([4], columns, directory, optimizer=optimizers.Adam(0.01), config=config)
    model.train(lambda: data.Dataset.from_arrays(features, LABELS).repeat(3).batch(16))
    predictions = np.stack([row["logits"] for row in model.predict(lambda: data.Dataset.from_arrays(features).batch(64))])
    return [model.get_variable_value("dnn/hiddenlayer_0/kernel"), predictions]


def test_a_function_is_what_its_formula_is(tmp_path: Path) -> None:
    own = kernels([fc.numeric_column("x", normalizer_fn=lambda x: (x - 2.0) / 1.5)], tmp_path / "own", FEATURES)
    named = kernels([fc.numeric_column("x", normalizer_fn=fc.zscore(2.0, 1.5))], tmp_path / "named", FEATURES)
    for found, expected in zip(own, named, strict=True):
        np.testing.assert_array_equal(found, expected)


def test_a_function_of_rows_with_a_shape(tmp_path: Path) -> None:
    """Gets [rows, 2, 3], as in TensorFlow; what it makes is what a model of such rows gets."""

    def center(x: Any) -> Any:
        return x - ops.mean(x, axis=2, keepdims=True)

    columns = [fc.numeric_column("x"), fc.numeric_column("v", (2, 3), normalizer_fn=center)]
    own = kernels(columns, tmp_path / "own", FEATURES)
    centered = FEATURES["v"] - FEATURES["v"].mean(axis=2, keepdims=True)
    plain = kernels([fc.numeric_column("x"), fc.numeric_column("v", (2, 3))], tmp_path / "plain", {**FEATURES, "v": centered})
    for found, expected in zip(own, plain, strict=True):
        np.testing.assert_allclose(found, expected, rtol=2e-5, atol=2e-6)


def test_numbers_of_each_element(tmp_path: Path) -> None:
    means, deviations = FEATURES["v"].mean(axis=0), FEATURES["v"].std(axis=0)
    lows, highs = FEATURES["v"].min(axis=0), FEATURES["v"].max(axis=0)
    for number, (normalizer, scaled) in enumerate([
        (fc.zscore(means, deviations), (FEATURES["v"] - means) / deviations),
        (fc.zscore(means.tolist(), 2.0), (FEATURES["v"] - means) / np.float32(2)),
        (fc.minmax(lows, highs), (FEATURES["v"] - lows) / (highs - lows)),
    ]):  # fmt: skip
        np.testing.assert_array_equal(normalizer(FEATURES["v"]), scaled)
        assert hash(normalizer) == hash(normalizer) and fc.numeric_column("v", (2, 3), normalizer_fn=normalizer)
        own = kernels([fc.numeric_column("v", (2, 3), normalizer_fn=normalizer)], tmp_path / f"own{number}", FEATURES)
        plain = kernels([fc.numeric_column("v", (2, 3))], tmp_path / f"plain{number}", {"v": scaled})
        for found, expected in zip(own, plain, strict=True):
            np.testing.assert_array_equal(found, expected)
    assert fc.zscore(1, np.float32(2)) == fc.zscore(1.0, 2.0)


def test_numbers_of_each_element_that_do_not_fit(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="stddev above 0"):
        fc.zscore([1.0, 2.0], [1.0, 0.0])
    with pytest.raises(ValueError, match="min below max"):
        fc.minmax([1.0, 2.0], 1.5)
    with pytest.raises(ValueError, match=r"one shape; found shapes \(2,\) and \(3,\)"):
        fc.zscore([1.0, 2.0], [1.0, 1.0, 1.0])
    column = fc.numeric_column("v", (2, 3), normalizer_fn=fc.zscore([0.0, 1.0, 2.0], 1.0))
    with pytest.raises(ValueError, match=r"zscore has numbers for rows of the shape \(3,\); found a column of the shape \(2, 3\)"):
        kernels([column], tmp_path / "m", FEATURES)


def test_boundaries_cut_what_it_makes(tmp_path: Path) -> None:
    source = fc.numeric_column("x", normalizer_fn=lambda x: ops.minimum(ops.square(x), 4.0))
    model = estimator.LinearClassifier([fc.bucketized_column(source, [1.0, 3.0]), source], tmp_path / "model")
    model.train(lambda: data.Dataset.from_arrays(FEATURES, LABELS).batch(16))
    assert model.get_variable_value("linear/linear_model/x_bucketized/weights").shape == (3, 1)
    same = estimator.LinearClassifier(
        [fc.bucketized_column(fc.numeric_column("y"), [1.0, 3.0]), fc.numeric_column("y")], tmp_path / "same"
    )
    squared = {"y": np.minimum(np.square(FEATURES["x"]), np.float32(4))}
    same.train(lambda: data.Dataset.from_arrays(squared, LABELS).batch(16))
    for part in ("bucketized/weights", "weights"):
        join = "_" if "/" in part else "/"
        np.testing.assert_allclose(
            model.get_variable_value(f"linear/linear_model/x{join}{part}"),
            same.get_variable_value(f"linear/linear_model/y{join}{part}"), rtol=1e-6,
        )  # fmt: skip


def test_an_export_has_it(tmp_path: Path) -> None:
    columns = [fc.numeric_column("x", normalizer_fn=lambda x: ops.tanh(x) * 2)]
    model = estimator.DNNRegressor([3], columns, tmp_path / "model")
    model.train(lambda: data.Dataset.from_arrays(FEATURES, LABELS).batch(16))
    assert "function:" in model.to_spec()
    assert model.predictor()({"x": [1.0]})["predictions"].shape == (1, 1)
    assert model.export_saved_model(tmp_path / "export")


@pytest.mark.parametrize(
    ("function", "error", "text"),
    [
        (lambda x: ops.sum(x, axis=1), ModelError, r"normalizer_fn of 'x' makes .*; expected as many numbers of each row"),
        (lambda x: x + variables.get_variable("w", [1]), ModelError, "makes the variable 'w'"),
        (lambda x: x if x > 0 else -x, ModelError, "ops.where"),
        (lambda x: x @ np.ones([3, 3], np.float32), ModelError, "inner dimensions must agree"),
    ],
)
def test_functions_that_are_none(function: Any, error: type[Exception], text: str, tmp_path: Path) -> None:
    model = estimator.DNNRegressor([3], [fc.numeric_column("x", normalizer_fn=function)], tmp_path / "model")
    with pytest.raises(error, match=text):
        model.train(lambda: data.Dataset.from_arrays(FEATURES, LABELS).batch(16))


def test_sequences_have_named_ones(tmp_path: Path) -> None:
    column = fc.sequence_numeric_column("s", normalizer_fn=lambda x: x + 1)
    model = estimator.RNNClassifier([column], units=[2], model_dir=tmp_path / "model")
    with pytest.raises(UnsupportedError, match="sequences of a spec have zscore"):
        model.train(lambda: iter([({"s": [[1.0], [2.0, 3.0]]}, [0, 1])]))


def test_another_function_is_another_model(tmp_path: Path) -> None:
    def model(function: Any) -> estimator.Estimator:
        return estimator.DNNRegressor([3], [fc.numeric_column("x", normalizer_fn=function)], tmp_path / "model")

    def input_fn() -> data.Dataset:
        return data.Dataset.from_arrays(FEATURES, LABELS).batch(16)

    model(lambda x: x * 2).train(input_fn)
    model(lambda x: x * 2).train(input_fn)
    with pytest.raises(CheckpointError, match="feature_column.x.normalizer"):
        model(lambda x: x * 3).train(input_fn)
