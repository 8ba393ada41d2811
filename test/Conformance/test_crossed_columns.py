"""Crossed and weighted columns, as feature_column_v2_test.py of TensorFlow 2.15 has them."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from columns import computed, ids_of, linear_of, says

from mlc import feature_column as fc
from mlc.feature_column._layers import _ids

CROSSED, WEIGHTED = "CrossedColumnTest", "WeightedCategoricalColumnTest"
A = fc.bucketized_column(fc.numeric_column("a", dtype="int32"), boundaries=[0, 1])
A2 = fc.bucketized_column(fc.numeric_column("a", dtype="int32", shape=(2,)), boundaries=(0, 1))
IDS = fc.categorical_column_with_identity("ids", 3)
WITH_WEIGHTS = fc.weighted_categorical_column(IDS, "values")


@pytest.mark.parametrize(
    ("keys", "size", "text"),
    [
        pytest.param([], 10, "keys must be a list with length > 1", marks=says(CROSSED, "test_keys_empty")),
        pytest.param(["a"], 10, "keys must be a list with length > 1", marks=says(CROSSED, "test_keys_length_one")),
        pytest.param(
            ["a", fc.numeric_column("c")], 10, "keys must be strings or categorical columns",
            marks=says(CROSSED, "test_key_type_unsupported"),
        ),
        pytest.param(
            ["a", fc.categorical_column_with_hash_bucket("c", 10)], 10,
            "categorical_column_with_hash_bucket is not supported", marks=says(CROSSED, "test_key_type_unsupported"),
        ),
        pytest.param(
            ["a", "c"], -1, "hash_bucket_size must be at least 1", marks=says(CROSSED, "test_hash_bucket_size_negative")
        ),
        pytest.param(["a", "c"], 0, "hash_bucket_size must be at least 1", marks=says(CROSSED, "test_hash_bucket_size_zero")),
        pytest.param(["a", "c"], None, "hash_bucket_size must be set", marks=says(CROSSED, "test_hash_bucket_size_none")),
        pytest.param(
            [WITH_WEIGHTS, "c"], 5, "does not take weights, and 'ids_weighted_by_values' has some",
            marks=says(CROSSED, "test_old_linear_model_with_weights"),
        ),
    ],
)  # fmt: skip
def test_refused_crosses(keys: Any, size: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        fc.crossed_column(keys, size)


@pytest.mark.parametrize(
    "column",
    [
        pytest.param(fc.crossed_column([A, "c", fc.crossed_column(["d1", "d2"], 10)], 10), marks=says(CROSSED, "test_name")),
        pytest.param(
            fc.crossed_column([fc.crossed_column(["d1", "d2"], 10), "c", A], 10),
            marks=says(CROSSED, "test_name_ordered_alphabetically"),
        ),
        pytest.param(
            fc.crossed_column([fc.crossed_column(["d2", "c"], 10), "d1", A], 10),
            marks=says(CROSSED, "test_name_leaf_keys_ordered_alphabetically"),
        ),
    ],
)
def test_names_of_crosses(column: Any) -> None:
    assert column.name == "a_bucketized_X_c_X_d1_X_d2"


@says(CROSSED, "test_num_buckets", "test_deep_copy")
def test_crosses() -> None:
    column = fc.crossed_column([A, "c", fc.crossed_column(["d1", "d2"], 10)], 15, hash_key=5)
    for each in (column, copy.deepcopy(column)):
        assert (each.name, each.hash_bucket_size, each.num_buckets, each.hash_key) == (
            "a_bucketized_X_c_X_d1_X_d2", 15, 15, 5
        )  # fmt: skip


@says(CROSSED, "test_transform_feature")
def test_number_of_combinations(tmp_path: Path) -> None:
    price = fc.bucketized_column(fc.numeric_column("price", shape=[2]), boundaries=[0, 50])
    features = {"price": [[1.0, 2.0], [5.0, 6.0]], "wire": [["omar"], ["stringer", "marlo"]]}
    found = np.array(ids_of(fc.crossed_column([price, "wire"], 10), features, tmp_path))
    assert (found >= 0).sum(axis=1).tolist() == [2, 4]
    assert found.max() < 10


SIMPLE = fc.crossed_column([A2, "c"], hash_bucket_size=5, hash_key=5)
FEATURES = {"a": [[-1.0, 0.5], [0.5, 1.0]]} | {
    key: [[f"{key}A"], [f"{key}B", f"{key}C"]] for key in ("c", "d1", "d2")
}  # fmt: skip


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        pytest.param(
            fc.crossed_column([A2, "c", fc.crossed_column(["d1", "d2"], 10)], 15, hash_key=5),
            [[6, 14], [0, 13, 8, 8, 10, 12, 2, 0, 1, 9, 8, 12, 2, 0, 10, 11]], marks=says(CROSSED, "test_get_sparse_tensors"),
        ),
        pytest.param(SIMPLE, [[1, 0], [1, 3, 4, 2]], marks=says(CROSSED, "test_get_sparse_tensors_simple")),
    ],
)  # fmt: skip
def test_hashes_of_crosses(column: Any, expected: list[list[int]], tmp_path: Path) -> None:
    # The numbers are those of the fingerprints: a change of them breaks models that were trained.
    found = ids_of(column, FEATURES, tmp_path)
    assert [[i for i in row if i >= 0] for row in found] == expected


@says(CROSSED, "test_old_linear_model")
@pytest.mark.parametrize(("bias", "expected"), [(0.0, [3.0, 14.0]), (0.1, [3.1, 14.1])])
def test_linear_model_of_a_cross(bias: float, expected: list[float], tmp_path: Path) -> None:
    weights = {SIMPLE.name: [[1.0], [2.0], [3.0], [4.0], [5.0]]}
    features = {key: FEATURES[key] for key in ("a", "c")}
    np.testing.assert_allclose(linear_of([SIMPLE], features, tmp_path, weights, [bias]).ravel(), expected, rtol=1e-6)


# Weights


@says(WEIGHTED, "test_defaults", "test_deep_copy")
def test_weighted() -> None:
    for column in (WITH_WEIGHTS, copy.deepcopy(WITH_WEIGHTS)):
        assert (column.name, column.num_buckets, column.dtype) == ("ids_weighted_by_values", 3, "float32")


@pytest.mark.parametrize(
    "dtype",
    [
        pytest.param(None, marks=says(WEIGHTED, "test_invalid_dtype_none")),
        pytest.param("string", marks=says(WEIGHTED, "test_invalid_dtype_string")),
    ],
)
def test_refused_dtypes_of_weights(dtype: Any) -> None:
    with pytest.raises(ValueError, match="is not convertible to float"):
        fc.weighted_categorical_column(IDS, "values", dtype=dtype)


TEXTS = [["omar"], ["stringer", "marlo"]]


@pytest.mark.parametrize(
    ("features", "text"),
    [
        pytest.param({"ids": TEXTS, "values": TEXTS}, "column 'ids' is one of", marks=says(WEIGHTED, "test_invalid_input_dtype")),
        pytest.param({"ids": [[0], [1, 2]]}, "no key 'values'", marks=says(WEIGHTED, "test_missing_weights")),
    ],
)
def test_refused_weights(features: Any, text: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=text):
        ids_of(WITH_WEIGHTS, features, tmp_path)


@pytest.mark.parametrize(
    ("ids", "weights", "expected"),
    [
        pytest.param([[0], [1, 0]], [[0.5], [1.0, 0.1]], [[0, -1], [1, 0]], marks=says(WEIGHTED, "test_transform_features")),
        pytest.param(
            [[0, -1], [1, 0]], [[0.5], [1.0, 0.1]], [[0, -1], [1, 0]], marks=says(WEIGHTED, "test_transform_features_dense_input")
        ),
        pytest.param(
            [[2], [1, 0]], [[0.5, 0.0], [1.0, 0.1]], [[2, -1], [1, 0]], marks=says(WEIGHTED, "test_transform_features_dense_weights")
        ),
    ],
)  # fmt: skip
def test_ids_with_weights(ids: Any, weights: Any, expected: Any, tmp_path: Path) -> None:
    def function(given: Any) -> Any:
        return dict(zip(("ids", "weights"), _ids(WITH_WEIGHTS, given), strict=True))

    found = computed(function, {"ids": ids, "values": weights}, tmp_path)
    assert found["ids"].tolist() == expected
    np.testing.assert_array_equal(found["weights"], np.array([[0.5, 0.0], [1.0, 0.1]], np.float32))


WEIGHTS = {WITH_WEIGHTS.name: [[1.0], [2.0], [3.0]]}


@says(WEIGHTED, "test_old_linear_model")
def test_linear_model_with_weights(tmp_path: Path) -> None:
    features = {"ids": [[0], [2, 1]], "values": [[0.5], [1.0, 0.1]]}
    np.testing.assert_allclose(linear_of([WITH_WEIGHTS], features, tmp_path, WEIGHTS).ravel(), [0.5, 3.2], rtol=1e-6)


@says(WEIGHTED, "test_old_linear_model_mismatched_shape", "test_old_linear_model_mismatched_dense_values")
@pytest.mark.parametrize("weights", [[[0.5, 11.0, 2.0], [1.0, 0.1, 3.0]], [[0.5], [1.0]]])
def test_weights_that_do_not_fit(weights: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is a weight for each value"):
        linear_of([WITH_WEIGHTS], {"ids": [[0], [2, 1]], "values": weights}, tmp_path, WEIGHTS)
