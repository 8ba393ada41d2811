"""Numeric and bucketized columns, as feature_column_v2_test.py of TensorFlow 2.15 has them."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from columns import dense_of, ids_of, linear_of, says

from mlc import estimator
from mlc import feature_column as fc

NUMERIC, BUCKETIZED = "NumericColumnTest", "BucketizedColumnTest"
PRICE = fc.bucketized_column(fc.numeric_column("price", shape=[1]), boundaries=[0, 2, 4, 6])
PRICES = fc.bucketized_column(fc.numeric_column("price", shape=[2]), boundaries=[0, 2, 4, 6])
ONE_EACH = {"price": [[-1.0], [1.0], [5.0], [6.0]]}
TWO_EACH = {"price": [[-1.0, 1.0], [5.0, 6.0]]}


@says(NUMERIC, "test_defaults")
def test_defaults() -> None:
    a = fc.numeric_column("aaa")
    assert (a.key, a.name, a.shape, a.default_value, a.dtype, a.normalizer_fn) == (
        "aaa", "aaa", (1,), None, "float32", None
    )  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "shape", "default"),
    [
        pytest.param(
            {"shape": [1, 2], "default_value": [[3, 2.0]]}, (1, 2), ((3.0, 2.0),),
            marks=says(NUMERIC, "test_shape_saved_as_tuple", "test_default_value_saved_as_tuple"),
        ),
        pytest.param({"default_value": 4.0}, (1,), (4.0,), marks=says(NUMERIC, "test_default_value_saved_as_tuple")),
        pytest.param(
            {"shape": [2], "default_value": [1, 2.0]}, (2,), (1, 2.0),
            marks=says(NUMERIC, "test_shape_and_default_value_compatibility", "test_default_value_type_check"),
        ),
        pytest.param(
            {"shape": [3, 2], "default_value": [[2, 3], [1, 2], [2, 3.0]]}, (3, 2), ((2, 3), (1, 2), (2, 3.0)),
            marks=says(NUMERIC, "test_shape_and_default_value_compatibility"),
        ),
        pytest.param(
            {"shape": [2], "default_value": [1, 2], "dtype": "int32"}, (2,), (1, 2),
            marks=says(NUMERIC, "test_default_value_type_check"),
        ),
        pytest.param(
            {"shape": [2, 3], "default_value": 2.0}, (2, 3), ((2.0, 2.0, 2.0), (2.0, 2.0, 2.0)),
            marks=says(NUMERIC, "test_scalar_default_value_fills_the_shape"),
        ),
        pytest.param(
            {"shape": [1, 2], "default_value": np.array([[3.0, 2.0]])}, (1, 2), ((3.0, 2.0),),
            marks=says(NUMERIC, "test_numpy_default_value"),
        ),
    ],
)  # fmt: skip
def test_shapes_and_default_values(arguments: Any, shape: Any, default: Any) -> None:
    column = fc.numeric_column("aaa", **arguments)
    assert (column.shape, column.default_value) == (shape, default)


SHAPE = ValueError, "The shape of default_value"


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        pytest.param({"key": ("aaa",)}, ValueError, "key must be a string", marks=says(NUMERIC, "test_key_should_be_string")),
        *(
            pytest.param(
                {"shape": shape, "default_value": default}, *SHAPE,
                marks=says(NUMERIC, "test_shape_and_default_value_compatibility"),
            )
            for shape, default in [
                ([2], [1, 2, 3.0]), ([3, 1], [[2, 3], [1, 2], [2, 3.0]]), ([3, 3], [[2, 3], [1, 2], [2, 3.0]])
            ]
        ),
        pytest.param(
            {"shape": [2], "default_value": [1, 2.5], "dtype": "int32"}, TypeError, "default_value",
            marks=says(NUMERIC, "test_default_value_type_check"),
        ),
        pytest.param(
            {"default_value": ["string"]}, TypeError, "default_value must be compatible with dtype",
            marks=says(NUMERIC, "test_default_value_type_check"),
        ),
        pytest.param(
            {"shape": [1.0]}, TypeError, "dimension of shape must be an integer",
            marks=says(NUMERIC, "test_shape_must_be_positive_integer"),
        ),
        pytest.param(
            {"shape": [0]}, ValueError, "dimension of shape must be at least 1",
            marks=says(NUMERIC, "test_shape_must_be_positive_integer"),
        ),
        pytest.param(
            {"dtype": "string"}, ValueError, "dtype must be convertible to float",
            marks=says(NUMERIC, "test_dtype_is_convertible_to_float"),
        ),
        pytest.param(
            {"normalizer_fn": "NotACallable"}, TypeError, "must be a callable",
            marks=says(NUMERIC, "test_normalizer_fn_must_be_callable"),
        ),
    ],
)  # fmt: skip
def test_what_is_refused(arguments: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        fc.numeric_column(**{"key": "aaa", **arguments})


@says(NUMERIC, "test_normalizer_fn_transform_feature", "test_get_dense_tensor")
def test_normalizer(tmp_path: Path) -> None:
    price = fc.numeric_column("price", shape=[2], normalizer_fn=lambda x: x + 2.0)
    assert dense_of([price], {"price": [[1.0, 2.0], [5.0, 6.0]]}, tmp_path) == [[3.0, 4.0], [7.0, 8.0]]


@pytest.mark.parametrize(
    "column",
    [
        pytest.param(fc.numeric_column("price"), marks=says(NUMERIC, "test_sparse_tensor_not_supported")),
        pytest.param(
            fc.bucketized_column(fc.numeric_column("price"), [0, 1]),
            marks=says(BUCKETIZED, "test_sparse_tensor_input_not_supported"),
        ),
    ],
)
def test_rows_of_any_number_of_values(column: Any, tmp_path: Path) -> None:
    """What is sparse there are rows that have more values, or less, than the column."""
    model = estimator.LinearRegressor([column], str(tmp_path / "m"))
    with pytest.raises(ValueError, match="'price', row 1: found 0 numbers; expected 1"):
        next(model.predict(lambda: {"price": [[0.3], []]}))


@says(NUMERIC, "test_deep_copy")
def test_copy() -> None:
    column = copy.deepcopy(fc.numeric_column("aaa", shape=[1, 2], default_value=[[3.0, 2.0]]))
    assert (column.name, column.shape, column.default_value) == ("aaa", (1, 2), ((3.0, 2.0),))


@says(NUMERIC, "test_old_linear_model")
def test_linear_model(tmp_path: Path) -> None:
    found = linear_of([fc.numeric_column("price")], {"price": [[1.0], [5.0]]}, tmp_path, {"price": [[10.0]]})
    assert found.tolist() == [[10.0], [50.0]]


# Buckets


@pytest.mark.parametrize(
    ("source", "boundaries", "text"),
    [
        pytest.param(
            fc.categorical_column_with_hash_bucket("aaa", 10), [0, 1],
            "source_column must be a column generated with numeric_column",
            marks=says(BUCKETIZED, "test_invalid_source_column_type"),
        ),
        pytest.param(
            fc.numeric_column("aaa", shape=[2, 3]), [0, 1], "source_column must be one-dimensional column",
            marks=says(BUCKETIZED, "test_invalid_source_column_shape"),
        ),
        *(
            pytest.param(fc.numeric_column("aaa"), boundaries, text, marks=says(BUCKETIZED, "test_invalid_boundaries"))
            for boundaries, text in [
                (None, "boundaries must not be empty"), (1.0, "boundaries must be a sorted list"),
                ([1, 0], "boundaries must be a sorted list"), ([1, 1], "boundaries must be a sorted list"),
            ]
        ),
    ],
)  # fmt: skip
def test_refused_buckets(source: Any, boundaries: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        fc.bucketized_column(source, boundaries)


@says(BUCKETIZED, "test_name", "test_variable_shape", "test_num_buckets", "test_deep_copy")
def test_buckets() -> None:
    column = fc.bucketized_column(fc.numeric_column("aaa", shape=[2], dtype="int32"), boundaries=[0, 1])
    for each in (column, copy.deepcopy(column)):
        assert (each.name, each.variable_shape, each.num_buckets, each.boundaries) == (
            "aaa_bucketized", (2, 3), 6, (0, 1)
        )  # fmt: skip


@says(BUCKETIZED, "test_transform_feature", "test_get_sparse_tensors_two_input_values")
def test_ids_of_two_numbers(tmp_path: Path) -> None:
    # Those of the second number begin after the buckets of the first.
    assert ids_of(PRICES, TWO_EACH, tmp_path) == [[0, 5 + 1], [3, 5 + 4]]


@says(BUCKETIZED, "test_get_sparse_tensors_one_input_value")
def test_ids_of_a_number(tmp_path: Path) -> None:
    assert ids_of(PRICE, ONE_EACH, tmp_path) == [[0], [1], [3], [4]]


@says(BUCKETIZED, "test_get_dense_tensor_one_input_value")
def test_marks_of_a_number(tmp_path: Path) -> None:
    assert dense_of([PRICE], ONE_EACH, tmp_path) == np.eye(5)[[0, 1, 3, 4]].tolist()


@says(BUCKETIZED, "test_get_dense_tensor_two_input_values")
def test_marks_of_two_numbers(tmp_path: Path) -> None:
    assert dense_of([PRICES], TWO_EACH, tmp_path) == np.eye(5)[[[0, 1], [3, 4]]].reshape(2, 10).tolist()


@pytest.mark.parametrize(
    ("column", "features", "weights", "expected"),
    [
        pytest.param(
            PRICE, ONE_EACH, [10.0, 20.0, 30.0, 40.0, 50.0], [10.0, 20.0, 40.0, 50.0],
            marks=says(BUCKETIZED, "test_old_linear_model_one_input_value"),
        ),
        pytest.param(
            PRICES, TWO_EACH, np.arange(10.0, 110.0, 10.0), [80.0, 140.0],
            marks=says(BUCKETIZED, "test_old_linear_model_two_input_values"),
        ),
    ],
)  # fmt: skip
def test_linear_model_of_buckets(column: Any, features: Any, weights: Any, expected: list[float], tmp_path: Path) -> None:
    given = {column.name: np.reshape(weights, (-1, 1))}
    assert linear_of([column], features, tmp_path, given, [0.0]).ravel().tolist() == expected
    assert linear_of([column], features, tmp_path, given, [1.0]).ravel().tolist() == [x + 1 for x in expected]


