"""What users pass as columns, and what the native side gets of it; what is refused, with key and row."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mlc import estimator
from mlc import feature_column as fc
from mlc._columns import Observations, input_columns, observe
from mlc.errors import DataError, SpecError

FOREIGN = ">" if sys.byteorder == "little" else "<"


def convert(columns: list[Any], features: Any, labels: Any = None, **arguments: Any) -> dict[str, np.ndarray]:
    """The arrays that the native side gets of the features of a linear regression, or of `arguments` of its head."""
    model = estimator.LinearRegressor(columns, model_dir="m", **arguments)._model.model
    observations = Observations()
    observe(model, features, labels, observations)
    return input_columns(model, observations).convert(features, labels, needs_labels=labels is not None)


def number(value: Any, **arguments: Any) -> np.ndarray:
    """A numeric column "x" of `value`."""
    return convert([fc.numeric_column("x", **arguments)], {"x": value})["x"]


def text(value: Any) -> np.ndarray:
    """A hashed column "x" of `value`."""
    return convert([fc.categorical_column_with_hash_bucket("x", 9)], {"x": value})["x"]


def integer(value: Any) -> np.ndarray:
    """An identity column "x" of `value`."""
    return convert([fc.categorical_column_with_identity("x", 99)], {"x": value})["x"]


def test_numbers_of_all_kinds_become_those_of_the_column() -> None:
    for value in (
        [1, 2], [1.0, 2.0], (1, 2), np.array([1, 2], "i1"), np.array([1, 2], "u8"), np.array([1.0, 2.0], "f2"),
        np.array([1.0, 2.0], FOREIGN + "f8"), np.array([[1], [2]]), np.array([1, 2], dtype=object), pd.Series([1, 2]),
        pd.Series([1, 2], dtype="Int64"), pd.Series([1.0, 2.0], dtype="Float32"), pd.Index([1, 2]),
        pd.Series([1, 2]).astype("category"), np.array([1, 9, 2, 9])[::2],
    ):  # fmt: skip
        array = number(value)
        assert array.tolist() == [1.0, 2.0]
        assert array.dtype == np.float32
        assert array.dtype.isnative
        assert array.flags.c_contiguous
    assert number([True, False]).tolist() == [1.0, 0.0]
    assert number(np.array([1e38, -1e38], "f4")).tolist() == np.array([1e38, -1e38], "f4").tolist()
    assert number([1, 2], dtype="int16").dtype == np.int32
    assert number([1, 2], dtype="float64").dtype == np.float64


def test_what_fits_is_not_copied() -> None:
    array = np.arange(4, dtype=np.float32)
    assert np.shares_memory(number(array), array)
    texts = np.array(["a", "bc"])
    assert np.shares_memory(text(texts), texts)
    ids = np.arange(4)
    assert np.shares_memory(integer(ids), ids)


def test_vectors() -> None:
    value = np.arange(8).reshape(2, 4)
    assert number(value, shape=4).shape == (2, 4)
    assert number(value, shape=(2, 2)).shape == (2, 2, 2)
    assert number([[1, 2], [3, 4]], shape=2).tolist() == [[1, 2], [3, 4]]
    assert number(pd.DataFrame({"a": [1, 3], "b": [2, 4]}), shape=2).tolist() == [[1, 2], [3, 4]]
    assert number([np.array([1, 2]), np.array([3, 4])], shape=2).tolist() == [[1, 2], [3, 4]]


def test_missing_numbers_take_the_default_value() -> None:
    for value in (
        [1, None], [1.0, float("nan")], pd.Series([1, None]), pd.Series([1, pd.NA], dtype="Int64"),
        np.array([1, pd.NaT], dtype=object), np.ma.masked_array([1, 5], [False, True]), np.array([1, np.nan]),
    ):  # fmt: skip
        assert number(value, default_value=7).tolist() == [1, 7]
    assert number([[1, np.nan], [np.nan, 4]], shape=2, default_value=[8, 9]).tolist() == [[1, 9], [8, 4]]


def test_a_row_that_is_missing_lacks_all_of_its_numbers() -> None:
    rows = [None, [3.0, None], [5.0, 6.0]]
    expected = [[7, 8], [3, 8], [5, 6]]
    np.testing.assert_array_equal(number(rows, shape=2, default_value=[7, 8]), expected)
    with pytest.raises(DataError, match="row 0: found no value"):
        number(rows, shape=2)
    with pytest.raises(DataError, match="row 2: found 1 numbers; expected 2, as row 1 has"):
        number([None, [1, 2], [3]], shape=2, default_value=0)


def test_texts_of_all_kinds() -> None:
    for value in (
        ["a", "bc"], np.array(["a", "bc"]), np.array(["a", "bc"]).astype(FOREIGN + "U2"), pd.Series(["a", "bc"]),
        np.array(["a", "bc"], dtype=object), pd.Series(["a", "bc"], dtype="string"),
        pd.Series(["a", "bc"]).astype("category"), pd.Categorical(["a", "bc"]),
        np.array(["a", "x", "bc", "x"])[::2], np.array(["a", "bc"], dtype=np.dtypes.StringDType()), [["a"], ["bc"]],
    ):  # fmt: skip
        array = text(value)
        assert [str(cell) for cell in array.ravel()] == ["a", "bc"]
        assert array.dtype.isnative
        assert array.flags.c_contiguous
    assert text([b"a", "b"]).tolist() == [b"a", "b"]
    assert text(np.array([b"a", b"bc"])).dtype.kind == "S"


def test_missing_texts_are_empty() -> None:
    for value in (
        ["a", None], ["a", float("nan")], pd.Series(["a", None]), pd.Series(["a", pd.NA], dtype="string"),
        pd.Series(["a", None]).astype("category"), np.array(["a", pd.NaT], dtype=object),
        np.array(["a", None], dtype=np.dtypes.StringDType(na_object=None)),
        np.ma.masked_array(["a", "b"], [False, True]),
    ):  # fmt: skip
        assert text(value).tolist() == ["a", ""]


def test_integers_and_missing_ones() -> None:
    for value in (
        [1, 2], np.array([1, 2], "u1"), pd.Series([1, 2]), pd.Series([1, 2]).astype("category"),
        np.array([[1], [2]], FOREIGN + "i4"), pd.Series([1, 2], dtype="UInt8"),
    ):  # fmt: skip
        array = integer(value)
        assert array.tolist() == [1, 2]
        assert array.dtype == np.int64
    assert integer(pd.Series([1, None], dtype="Int64")).tolist() == [1, -1]
    assert integer([1, None]).tolist() == [1, -1]
    assert integer(pd.Series([1, None]).astype("Int64").astype("category")).tolist() == [1, -1]


def test_several_values_per_row() -> None:
    assert integer([[1, 2], [3], [], None]).tolist() == [[1, 2], [3, -1], [-1, -1], [-1, -1]]
    assert text([["a", "b"], ["c"]]).tolist() == [["a", "b"], ["c", ""]]
    assert text(np.array([["a", "b"], ["c", ""]])).shape == (2, 2)
    assert text(pd.Series([["a", "b"], None])).tolist() == [["a", "b"], ["", ""]]
    weighted = fc.weighted_categorical_column(fc.categorical_column_with_identity("x", 9), "w")
    arrays = convert([weighted], {"x": [[1, 2], [3]], "w": [[0.5, 1], [2]]})
    assert arrays["x"].tolist() == [[1, 2], [3, -1]]
    assert arrays["x.weight"].tolist() == [[0.5, 1], [2, 0]]
    assert arrays["x.weight"].dtype == np.float32
    with pytest.raises(DataError, match="'w' has 1 weights per row, the values of 'x' are 2"):
        convert([weighted], {"x": [[1, 2], [3, 4]], "w": [1.0, 2.0]})


def test_labels() -> None:
    columns, features = [fc.numeric_column("x")], {"x": [1, 2]}
    assert convert(columns, features, [1, 2])["label"].dtype == np.float32
    assert convert(columns, features, np.array([[1, 2], [3, 4]]), label_dimension=2)["label"].shape == (2, 2)
    assert convert([fc.numeric_column("label")], {"label": [1, 2]}, [3, 4])["label_"].tolist() == [3, 4]
    binary = estimator.LinearClassifier(columns, model_dir="m")._model.model
    for labels, dtype in (([0, 1], np.int64), ([True, False], np.int64), ([0.0, 0.3], np.float32)):
        observations = Observations()
        observe(binary, features, labels, observations)
        assert input_columns(binary, observations).convert(features, labels, True)["label"].dtype == dtype


def test_weights_of_rows_are_needed_where_labels_are() -> None:
    columns = [fc.numeric_column("x")]
    arrays = convert(columns, {"x": [1], "w": [2]}, [3], weight_column="w")
    assert arrays["w"].tolist() == [2]
    assert "w" not in convert(columns, {"x": [1]}, weight_column="w")
    with pytest.raises(DataError, match="no key 'w', which weight_column 'w' needs"):
        convert(columns, {"x": [1]}, [3], weight_column="w")


def test_a_baseline_counts_rows() -> None:
    model = estimator.BaselineRegressor(model_dir="m")._model.model
    arrays = input_columns(model, Observations()).convert({"whatever": ["a", "b"]}, [1, 2], True)
    assert arrays["rows"].tolist() == [0, 0]
    assert sorted(arrays) == ["label", "rows"]


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: number([1, None]), "feature 'x', row 1: found no value .*; expected a number, or a default_value"),
        (lambda: number(np.array([1, 2, np.nan])), "row 2: found no value"),
        (lambda: number(np.array([1, -np.inf], "f4")), "row 1: found an infinite number"),
        (lambda: number(np.array([1, np.nan], "f4")), "row 1: found no value"),
        (lambda: number([1, np.inf]), "row 1: found an infinite number"),
        (lambda: number([1, 1e300]), "row 1: found 1e\\+300; expected a number that float32 holds"),
        (lambda: number([1, 1.5], dtype="int64"), "row 1: found 1.5; expected a number that int64 holds"),
        (lambda: number([1, 2**40], dtype="int32"), "row 1: found 1099511627776; expected a number that int32 holds"),
        (lambda: number([1, 2**70]), "an integer of more than 64 bits|a number that int64 holds"),
        (lambda: number(np.array([1, 2**63], "u8"), dtype="int64"), "row 1: found 9223372036854775808"),
        (lambda: number(["1", "2"]), "found '1'; expected a number"),
        (lambda: number([1, "2"]), "row 1: found '2'; expected a number"),
        (lambda: number(np.array([1, {}], dtype=object)), "row 1: found a dict; expected a number"),
        (lambda: number(np.array(["2020-01-01"], "M8[D]")), "found dates; expected numbers"),
        (
            lambda: number(pd.Series(pd.to_datetime(["2020-01-01"]).tz_localize("UTC"))),
            "found a pandas column of datetime",
        ),
        (lambda: number([1j]), "found complex numbers"),
        (lambda: number([[1, 2], [3, 4]]), "rows of the shape \\(2,\\); expected one number per row"),
        (lambda: number([1, 2], shape=2), "found one number per row; expected rows of the shape \\(2,\\)"),
        (lambda: number([[1, 2], [3]], shape=2), "row 1: found 1 numbers; expected 2, as row 0 has"),
        (lambda: number(5), "expected an array with one value for each row"),
        (lambda: number("abc"), "found 'abc'; expected an array"),
        (lambda: text([1, 2]), "found integers; expected text; or give the column an integer dtype"),
        (lambda: text(["a", 3]), "row 1: found 3 \\(int\\); expected text"),
        (lambda: text([1.5]), "found floats; expected text"),
        (lambda: text(np.zeros((2, 2, 2), "U1")), "rows of the shape \\(2, 2\\)"),
        (lambda: integer([1.0, 2.0]), "found floats; expected integers"),
        (lambda: integer(["a"]), "row 0: found 'a'"),
        (lambda: integer([1, None, 2.5]), "found floats; expected integers"),
    ],
)
def test_refused_values_name_key_and_row(call: Any, error: str) -> None:
    with pytest.raises(DataError, match=error) as raised:
        call()
    assert raised.value.key == "x"
    assert isinstance(raised.value, ValueError)


def test_rows_are_numbers_of_the_error() -> None:
    with pytest.raises(DataError) as raised:
        number([1, 2, None])
    assert raised.value.row == 2


@pytest.mark.parametrize(
    ("features", "labels", "error"),
    [
        ({"ages": [1]}, [1], "no key 'age', which numeric_column 'age' needs; found 'ages'; did you mean 'ages'"),
        ({"age": [1, 2]}, [1], "label has 1 rows; expected 2|label has|feature 'age' has"),
        ({"age": [1]}, None, None),
        ({"age": [1]}, {"a": [1]}, "labels are a dict with the keys 'a'"),
        ({"age": [1, 2]}, [1, None], "label, row 1: found no value"),
        ({"age": [1, 2]}, [1, float("nan")], "label, row 1: found no value"),
        ({"age": [1]}, ["yes"], "label: found text; expected numbers, or a model with a label_vocabulary"),
        ({3: [1]}, [1], "features have the key 3"),
        ([1], [1], "features should be a dictionary"),
    ],
)
def test_refused_features_and_labels(features: Any, labels: Any, error: str | None) -> None:
    columns = [fc.numeric_column("age")]
    if error is None:
        assert list(convert(columns, features, labels)) == ["age"]
        return
    with pytest.raises(DataError, match=error):
        convert(columns, features, labels)


def test_later_data_is_held_to_the_first() -> None:
    model = estimator.LinearRegressor([fc.categorical_column_with_identity("x", 9)], model_dir="m")._model.model
    observations = Observations()
    observe(model, {"x": [1, 2]}, None, observations)
    columns = input_columns(model, observations)
    with pytest.raises(DataError, match="found 2 values per row; expected one value per row, as in the data"):
        columns.convert({"x": [[1, 2]]}, None, False)
    several = Observations()
    observe(model, {"x": [[1, 2]]}, None, several)
    assert input_columns(model, several).convert({"x": [3, 4]}, None, False)["x"].tolist() == [[3], [4]]


def test_a_key_of_numbers_and_ids() -> None:
    ids = fc.indicator_column(fc.categorical_column_with_identity("x", 9))
    columns = [fc.numeric_column("x", default_value=3), ids]
    model = estimator.DNNRegressor([2], columns, model_dir="m")._model.model
    array = input_columns(model, Observations()).convert({"x": [1, None]}, None, False)["x"]
    assert (array.tolist(), array.dtype) == ([1, 3], np.int64)
    model = estimator.DNNRegressor([2], [ids, fc.numeric_column("x")], model_dir="m")._model.model
    with pytest.raises(DataError, match="row 1: found no value"):
        input_columns(model, Observations()).convert({"x": [1, None]}, None, False)


def test_a_key_has_one_use_per_shape() -> None:
    columns = [fc.numeric_column("x", shape=2), fc.indicator_column(fc.categorical_column_with_identity("x", 9))]
    model = estimator.DNNRegressor([2], columns, model_dir="m")._model.model
    with pytest.raises(SpecError, match="different numbers of values per row"):
        input_columns(model, Observations())
