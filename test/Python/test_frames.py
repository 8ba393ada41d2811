"""Columns of polars and pyarrow beside those of pandas: what becomes of each, and models that are trained on them."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from mlc import data, estimator
from mlc import feature_column as fc
from mlc._frames import Where, column_values, frame_columns
from mlc._values import to_values
from mlc.errors import DataError
from test_columns import convert, integer, number, text

BIG = 2**60 + 1  # which no float64 holds
PAIRS = pa.list_(pa.int64(), 2)


def found(value: Any) -> Any:
    """Rows of a column as Python's objects, None where they are missing."""
    values = to_values(value, Where("x"))
    rows = values.array.astype(object)
    if values.missing is not None:
        rows[values.missing] = None
    return [row.tolist() if isinstance(row, np.ndarray) else row for row in rows.tolist()]


@pytest.mark.parametrize(
    ("rows", "arrow", "polars"),
    [
        ([1, None, BIG], pa.int64(), pl.Int64),
        ([1, 2], pa.int8(), pl.Int8),
        ([2**64 - 1], pa.uint64(), pl.UInt64),
        ([0.5, 2.0], pa.float32(), pl.Float32),
        ([], pa.float64(), pl.Float64),
        ([True, None], pa.bool_(), pl.Boolean),
        (["a", None, "bc"], pa.string(), pl.String),
        (["a", None], pa.string_view(), pl.Categorical),
        (["a", None, "a"], pa.dictionary(pa.int8(), pa.large_string()), pl.Enum(["b", "a"])),
        ([b"a", None], pa.binary(), pl.Binary),
        ([None, None], pa.null(), pl.Null),
        ([[1, 2], None, [], [3, None]], pa.list_(pa.int64()), pl.List(pl.Int64)),
        ([["a"], ["b", "c"]], pa.large_list(pa.string()), pl.List(pl.String)),
        ([[1, 2], [3, None]], PAIRS, pl.Array(pl.Int64, 2)),
        ([[1, 2], None], PAIRS, pl.Array(pl.Int64, 2)),
        ([[[1, 2], [3, 4]]], pa.list_(PAIRS, 2), pl.Array(pl.Int64, (2, 2))),
        ([], PAIRS, pl.Array(pl.Int64, 2)),
    ],
)
def test_what_becomes_of_each_dtype(rows: list[Any], arrow: Any, polars: Any) -> None:
    one = pa.array(rows, arrow)
    assert found(one) == rows
    assert found(pa.concat_arrays([one, one]).slice(len(rows))) == rows
    assert found(pa.chunked_array([one, one])) == rows + rows
    assert found(pa.chunked_array([], arrow)) == []
    series = pl.Series(rows, dtype=polars)
    assert found(series) == rows
    assert found(pl.concat([series, series], rechunk=False)) == rows + rows
    assert found(pl.concat([series, series])[len(rows) :]) == rows


def test_missing_numbers_and_ids() -> None:
    for column in (pa.array([0.5, None]), pl.Series([0.5, None])):
        assert number(column, default_value=3).tolist() == [0.5, 3.0]
        with pytest.raises(DataError, match="feature 'x', row 1: found no value"):
            number(column)
    for column in (pa.array([BIG, None]), pl.Series([BIG, None])):
        assert integer(column).tolist() == [BIG, -1]
    for column in (pa.array(["a", None]).dictionary_encode(), pl.Series(["a", None], dtype=pl.Categorical)):
        assert text(column).tolist() == ["a", ""]
    for column in (pa.array([["a"], None, ["b", "c"]]), pl.Series([["a"], None, ["b", "c"]])):
        assert text(column).tolist() == [["a", ""], ["", ""], ["b", "c"]]


def test_one_piece_without_missing_ones_is_not_copied() -> None:
    array = np.arange(4, dtype=np.float32)
    assert np.shares_memory(number(pa.array(array)), array)
    assert np.shares_memory(number(pl.Series(array)), array)
    ids = np.arange(4)
    assert np.shares_memory(integer(pa.chunked_array([ids])), ids)


@pytest.mark.parametrize(
    "column",
    [
        pa.array([datetime.date(2020, 1, 1)]),
        pa.array([{"a": 1}]),
        pl.Series([datetime.date(2020, 1, 1)]),
        pl.Series([{"a": 1}]),
    ],
)
def test_other_dtypes_are_refused(column: Any) -> None:
    with pytest.raises(DataError, match="feature 'x': found an? (Arrow|polars) column of .*; expected numbers, texts"):
        column_values(column, Where("x"))


def test_columns_by_name() -> None:
    assert list(frame_columns(pa.table({"a": [1], "b": ["x"]})) or ()) == ["a", "b"]
    assert list(frame_columns(pa.RecordBatch.from_pydict({"a": [1]})) or ()) == ["a"]
    assert list(frame_columns(pl.DataFrame({"a": [1]})) or ()) == ["a"]
    assert frame_columns({"a": [1]}) is None
    with pytest.raises(DataError, match="two columns 'a'"):
        frame_columns(pa.table([[1], [2]], names=["a", "a"]))
    with pytest.raises(DataError, match="the frame has no column 'lable' for labels; found 'label'; did you mean 'label'"):
        data.Dataset.from_frame(pa.table({"label": [1]}), "lable")
    with pytest.raises(TypeError, match="found a LazyFrame"):
        data.Dataset.from_frame(pl.LazyFrame({"a": [1]}))
    with pytest.raises(DataError, match="should be a dictionary .* Given type: LazyFrame"):
        convert([fc.numeric_column("a")], pl.LazyFrame({"a": [1]}))


def test_frames_of_all_kinds_train_the_same_model(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    words = [None if word == "d" else word for word in rng.choice(list("abcd"), 200).tolist()]
    x = rng.normal(size=200)
    columns = {"x": x, "word": words, "label": (x > 0).astype(int)}
    weights = []
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        table = make(columns)
        model = estimator.LinearClassifier(
            [fc.numeric_column("x"), fc.categorical_column_with_vocabulary_list("word", ["a", "b", "c"])],
            model_dir=str(tmp_path / make.__module__),
            config=estimator.RunConfig(tf_random_seed=1),
        )
        rows = data.Dataset.from_frame(table, "label")
        model.train(lambda rows=rows: rows.shuffle(seed=1).repeat(2).batch(16))
        model.train(lambda table=table: iter([(data.Dataset.from_frame(table, "label").features, table["label"])]))
        assert model.evaluate(lambda rows=rows: rows.batch(50))["auc"] > 0.9
        weights.append({name: model.get_variable_value(name).tolist() for name in model.get_variable_names()})
    assert weights[0] == weights[1] == weights[2]


def test_a_model_fn_is_given_the_columns_of_a_table(tmp_path: Path) -> None:
    from mlc import layers, losses, train

    def model_fn(features: Any, labels: Any, mode: str) -> estimator.EstimatorSpec:
        out = layers.dense(features["x"], 1)
        if labels is None:
            return estimator.EstimatorSpec(mode, predictions=out)
        loss = losses.mean_squared_error(labels, out)
        step = train.GradientDescentOptimizer(0.1).minimize(loss, train.get_or_create_global_step())
        return estimator.EstimatorSpec(mode, predictions=out, loss=loss, train_op=step)

    values = []
    rows = [[1.0, 2.0], [3.0, 5.0]]
    arrow, polars = pa.array(rows, pa.list_(pa.float64(), 2)), pl.Series(rows, dtype=pl.Array(pl.Float64, 2))
    for number, x in enumerate((np.array(rows), arrow, polars)):
        model = estimator.Estimator(model_fn, str(tmp_path / str(number)), estimator.RunConfig(tf_random_seed=1))
        model.train(lambda x=x: data.Dataset.from_arrays({"x": x}, np.array([[1.0], [2.0]])).repeat(3).batch(2))
        values.append([row.tolist() for row in model.predict(lambda x=x: data.Dataset.from_arrays({"x": x}).batch(2))])
    assert values[0] == values[1] == values[2]
