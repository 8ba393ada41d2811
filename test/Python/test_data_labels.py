"""Several labels of files and frames: label_name as a dict."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mlc import data, estimator, layers, losses, ops, optimizers, train
from mlc import feature_column as fc
from mlc.errors import DataError

pytest.importorskip("mlc._native")

ROWS = 90
_random = np.random.default_rng(5)
FRAME = pd.DataFrame({"x": _random.normal(size=ROWS).astype(np.float32)})
FRAME["kind"] = np.digitize(FRAME["x"], [-0.5, 0.5])
FRAME["size"] = (2 * FRAME["x"] + 1).astype(np.float32)
NAMES = {"species": "kind", "width": "size"}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rows") / "rows.csv"
    FRAME.to_csv(path, index=False)
    return path


def two_heads() -> estimator.MultiHead:
    return estimator.MultiHead([estimator.MultiClassHead(3, name="species"), estimator.RegressionHead(name="width")])


def canned(directory: Path) -> estimator.Estimator:
    config = estimator.RunConfig(tf_random_seed=3)
    return estimator.DNNEstimator(two_heads(), [4], [fc.numeric_column("x")], directory, optimizers.Adam(0.1), config=config)


def of_arrays() -> data.Dataset:
    labels = {"species": FRAME["kind"].to_numpy(), "width": FRAME["size"].to_numpy()}
    return data.Dataset.from_arrays({"x": FRAME["x"].to_numpy()}, labels).batch(30)


def model_fn(features: Any, labels: Any, mode: str) -> estimator.EstimatorSpec:
    outputs = layers.dense(ops.reshape(features["x"], [-1, 1]), 1)
    if mode == estimator.ModeKeys.PREDICT:
        return estimator.EstimatorSpec(mode, predictions=outputs)
    difference = ops.reshape(labels["width"] - ops.cast(labels["species"], "float32"), [-1, 1])
    loss = losses.mean_squared_error(difference, outputs)
    return estimator.EstimatorSpec(mode, loss=loss, train_op=train.GradientDescentOptimizer(0.1).minimize(loss))


def test_files_train_the_bits_of_arrays(path: Path, tmp_path: Path) -> None:
    found = []
    inputs: list[Any] = [
        of_arrays,
        lambda: data.Dataset.from_csv(path, NAMES).batch(30),
        lambda: data.Dataset.from_frame(FRAME, NAMES).batch(30),
    ]
    if pytest.importorskip("pyarrow"):
        FRAME.to_parquet(tmp_path / "rows.parquet", index=False)
        inputs.append(lambda: data.Dataset.from_parquet(tmp_path / "rows.parquet", NAMES).batch(30))
    for number, input_fn in enumerate(inputs):
        model = canned(tmp_path / str(number)).train(input_fn)
        metrics = model.evaluate(input_fn)
        found.append((model.get_variable_value("dnn/hiddenlayer_0/kernel").tobytes(), metrics))
        assert {"accuracy/species", "rmse/width"} <= set(metrics)
        assert len(list(model.predict(input_fn))) == ROWS
    assert all(each == found[0] for each in found[1:])


def test_model_fn_gets_a_dict(path: Path, tmp_path: Path) -> None:
    kernels = []
    for number, input_fn in enumerate([of_arrays, lambda: data.Dataset.from_csv(path, NAMES).batch(30)]):
        model = estimator.Estimator(model_fn, tmp_path / str(number), estimator.RunConfig(tf_random_seed=3))
        model.train(input_fn)
        kernels.append(model.get_variable_value("dense/kernel"))
    np.testing.assert_array_equal(*kernels)


def test_spec_names_the_columns_of_the_files(path: Path, tmp_path: Path) -> None:
    model = canned(tmp_path / "model")
    model.train(lambda: data.Dataset.from_csv(path, NAMES).batch(30))
    spec = model.to_spec()
    assert 'label: "kind"' in spec and 'label: "size"' in spec
    from mlc import _native

    _native.compile(spec)


@pytest.mark.parametrize(
    ("names", "error", "text"),
    [
        ({"species": "kind", "width": "sise"}, DataError, "no column 'sise' for labels; .*did you mean 'size'"),
        ({"species": "kind", "width": "kind"}, ValueError, "two labels are of the column 'kind'"),
        ({}, ValueError, "label_name is an empty dict"),
        ({"species": "kind", "widht": "size"}, DataError, "labels have no key 'width'"),
        ("kind", DataError, "expected a dict by the names of the heads"),
    ],
)
def test_wrong_names(names: Any, error: type[Exception], text: str, path: Path, tmp_path: Path) -> None:
    with pytest.raises(error, match=text):
        canned(tmp_path / "model").train(lambda: data.Dataset.from_csv(path, names).batch(30))
