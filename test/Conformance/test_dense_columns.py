"""Indicator, embedding and shared embedding columns, as feature_column_v2_test.py of TensorFlow 2.15 has them."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import canned
import numpy as np
import pytest
from columns import computed, dense_of, ids_of, linear_of, says

from mlc import feature_column as fc

INDICATOR, EMBEDDING, SHARED = "IndicatorColumnTest", "EmbeddingColumnTest", "SharedEmbeddingColumnTest"
ANIMAL = fc.indicator_column(fc.categorical_column_with_identity("animal", 4))
ABC = fc.categorical_column_with_vocabulary_list("ids", ("a", "b", "c"))
AAA, BBB = (fc.categorical_column_with_identity(key, 3) for key in ("aaa", "bbb"))
FOX = fc.indicator_column(fc.categorical_column_with_hash_bucket("animal", 4))


@says(INDICATOR, "test_indicator_column", "test_deep_copy")
def test_indicator() -> None:
    column = fc.indicator_column(fc.categorical_column_with_hash_bucket("a", 4))
    for each in (column, copy.deepcopy(column)):
        assert (each.categorical_column.name, each.name, each.variable_shape) == ("a", "a_indicator", (1, 4))


@says(INDICATOR, "test_not_categorical_input")
def test_indicator_of_what_is_no_column() -> None:
    with pytest.raises(ValueError, match="expected a categorical column; found 'aaa'"):
        fc.indicator_column("aaa")


@pytest.mark.parametrize(
    ("column", "features", "expected"),
    [
        pytest.param(
            FOX, {"animal": ["fox", "fox"]}, [[0.0, 0.0, 1.0, 0.0]] * 2, marks=says(INDICATOR, "test_1D_shape_succeeds")
        ),
        pytest.param(
            FOX, {"animal": [["fox"], ["fox"]]}, [[0.0, 0.0, 1.0, 0.0]] * 2, marks=says(INDICATOR, "test_2D_shape_succeeds")
        ),
        pytest.param(ANIMAL, {"animal": [[1, 1]]}, [[0.0, 2.0, 0.0, 0.0]], marks=says(INDICATOR, "test_multi_hot")),
        pytest.param(
            ANIMAL, {"animal": [[1, 2]]}, [[0.0, 1.0, 1.0, 0.0]], marks=says(INDICATOR, "test_multi_hot2", "test_input_layer")
        ),
        pytest.param(
            fc.indicator_column(fc.categorical_column_with_vocabulary_list("aaa", ("omar", "stringer", "marlo"))),
            {"aaa": [["marlo"], ["skywalker", "omar"]]}, [[0, 0, 1], [1, 0, 0]], marks=says(INDICATOR, "test_transform"),
        ),
        pytest.param(
            fc.indicator_column(fc.weighted_categorical_column(ABC, "weights")),
            {"ids": [["c", "b", "a", "c"]], "weights": [[2.0, 4.0, 6.0, 1.0]]}, [[6.0, 4.0, 3.0]],
            marks=says(INDICATOR, "test_transform_with_weighted_column"),
        ),
        pytest.param(
            fc.indicator_column(fc.weighted_categorical_column(ABC, "weights")),
            {"ids": [["c", "b", "unknown"]], "weights": [[2.0, 4.0, 6.0]]}, [[0.0, 4.0, 2.0]],
            marks=says(INDICATOR, "test_transform_with_missing_value_in_weighted_column"),
        ),
        pytest.param(
            fc.indicator_column(ABC), {"ids": [["c", "b", "unknown"]]}, [[0.0, 1.0, 1.0]],
            marks=says(INDICATOR, "test_transform_with_missing_value_in_categorical_column"),
        ),
    ],
)  # fmt: skip
def test_marks(column: Any, features: Any, expected: Any, tmp_path: Path) -> None:
    assert dense_of([column], features, tmp_path) == expected


@says(INDICATOR, "test_old_linear_model")
def test_linear_model_of_an_indicator(tmp_path: Path) -> None:
    weights = {ANIMAL.name: [[1.0], [2.0], [3.0], [4.0]]}
    assert linear_of([ANIMAL], {"animal": [[1, 2]]}, tmp_path, weights).tolist() == [[2.0 + 3.0]]


# Embeddings


@says(EMBEDDING, "test_defaults")
def test_embedding() -> None:
    column = fc.embedding_column(AAA, dimension=2)
    assert column.categorical_column is AAA
    assert (column.dimension, column.combiner, column.ckpt_to_load_from, column.tensor_name_in_ckpt) == (2, "mean", None, None)
    assert (column.max_norm, column.trainable, column.name, column.variable_shape) == (None, True, "aaa_embedding", (2,))


@says(EMBEDDING, "test_all_constructor_args", "test_deep_copy")
def test_arguments_of_an_embedding() -> None:
    column = fc.embedding_column(
        AAA, dimension=2, combiner="sqrtn", initializer="zeros", ckpt_to_load_from="/my_ckpt",
        tensor_name_in_ckpt="my_ckpt_tensor", max_norm=42.0, trainable=False,
    )  # fmt: skip
    for each in (column, copy.deepcopy(column)):
        assert (each.categorical_column.name, each.categorical_column.num_buckets) == ("aaa", 3)
        assert (each.dimension, each.combiner, each.ckpt_to_load_from, each.tensor_name_in_ckpt) == (
            2, "sqrtn", "/my_ckpt", "my_ckpt_tensor"
        )  # fmt: skip
        assert (each.max_norm, each.trainable, each.name, each.variable_shape) == (42.0, False, "aaa_embedding", (2,))


@pytest.mark.parametrize(
    "make",
    [
        pytest.param(
            lambda: fc.embedding_column(AAA, 2, initializer="not_fn"), marks=says(EMBEDDING, "test_invalid_initializer")
        ),
        pytest.param(
            lambda: fc.shared_embeddings([AAA, BBB], 2, initializer="not_fn"), marks=says(SHARED, "test_invalid_initializer")
        ),
    ],
)
def test_refused_initializers(make: Any) -> None:
    with pytest.raises(ValueError, match="not_fn"):
        make()


ROWS = {"aaa": [[2], [0, 1], [], [1]]}
TABLE = [[1.0, 2.0], [3.0, 5.0], [7.0, 11.0]]
MEANS = [[7.0, 11.0], [2.0, 3.5], [0.0, 0.0], [3.0, 5.0]]


@says(EMBEDDING, "test_transform_feature")
def test_ids_of_an_embedding(tmp_path: Path) -> None:
    assert ids_of(fc.embedding_column(AAA, 2).categorical_column, {"aaa": [[0], [1, 0]]}, tmp_path) == [[0, -1], [1, 0]]


@says(EMBEDDING, "test_get_dense_tensor", "test_input_layer")
def test_rows_of_a_table(tmp_path: Path) -> None:
    variables = {"input_layer/aaa_embedding/embedding_weights": TABLE}
    assert dense_of([fc.embedding_column(AAA, 2)], ROWS, tmp_path, variables) == MEANS


@says(EMBEDDING, "test_get_dense_tensor_restore_from_ckpt")
def test_rows_of_a_checkpoint(tmp_path: Path) -> None:
    path = tmp_path / "embedding.safetensors"
    canned.write_tensors(path, {"my_embedding": TABLE})
    column = fc.embedding_column(AAA, 2, ckpt_to_load_from=str(path), tensor_name_in_ckpt="my_embedding")
    model = canned.estimator.DNNRegressor([1], [column], str(tmp_path / "m"), activation_fn=None)
    logits = {"dnn/hiddenlayer_0/kernel": [[1.0], [100.0]], "dnn/hiddenlayer_0/bias": [0.0], "dnn/logits/kernel": [[1.0]],
              "dnn/logits/bias": [0.0]}  # fmt: skip
    started = canned.estimator.WarmStartSettings(str(tmp_path / "rest.safetensors"), [".*(hiddenlayer|logits).*"])
    canned.write_tensors(tmp_path / "rest.safetensors", logits)
    model = canned.estimator.DNNRegressor(
        [1], [column], str(tmp_path / "m"), activation_fn=None, warm_start_from=started
    )
    found = [row["predictions"][0] for row in model.predict(lambda: ROWS)]
    np.testing.assert_allclose(found, np.array(MEANS) @ [1.0, 100.0])


@says(EMBEDDING, "test_old_linear_model")
def test_linear_model_of_an_embedding(tmp_path: Path) -> None:
    column = fc.embedding_column(AAA, 2, initializer="zeros")
    variables = {
        "linear_model/aaa_embedding/embedding_weights": TABLE, "linear_model/aaa_embedding/weights": [[4.0], [6.0]]
    }  # fmt: skip
    function = lambda given: fc.linear_model(given, [column])  # noqa: E731
    assert computed(function, ROWS, tmp_path).ravel().tolist() == [0.0] * 4
    assert computed(function, ROWS, tmp_path, variables).ravel().tolist() == [94.0, 29.0, 0.0, 42.0]


# Shared embeddings


@says(SHARED, "test_defaults")
def test_shared() -> None:
    b, a = fc.shared_embeddings([BBB, AAA], dimension=2)
    assert (a.categorical_column, b.categorical_column) == (AAA, BBB)
    for column, name in [(a, "aaa_shared_embedding"), (b, "bbb_shared_embedding")]:
        assert (column.max_norm, column.name, column.variable_shape) == (None, name, (2,))


@says(SHARED, "test_all_constructor_args", "test_deep_copy")
def test_arguments_of_shared() -> None:
    columns = fc.shared_embeddings(
        [AAA, BBB], dimension=2, combiner="sum", initializer="zeros", shared_embedding_collection_name="collection",
        ckpt_to_load_from="/my_ckpt", tensor_name_in_ckpt="my_ckpt_tensor", max_norm=42.0, trainable=False,
    )  # fmt: skip
    for column, key in zip([*columns, *copy.deepcopy(columns)], ["aaa", "bbb"] * 2, strict=True):
        assert (column.categorical_column.name, column.categorical_column.num_buckets) == (key, 3)
        assert (column.name, column.max_norm, column.variable_shape) == (f"{key}_shared_embedding", 42.0, (2,))


@says(SHARED, "test_incompatible_column_type")
def test_shared_by_different_columns() -> None:
    with pytest.raises(ValueError, match="all categorical_columns must have the same type"):
        fc.shared_embeddings([AAA, BBB, fc.categorical_column_with_hash_bucket("ccc", 3)], dimension=2)


@says(SHARED, "test_weighted_categorical_column_ok")
def test_shared_by_weighted_columns() -> None:
    a, b = (fc.weighted_categorical_column(column, f"{column.name}_weights") for column in (AAA, BBB))
    for columns in ([a, BBB], [AAA, b], [a, b]):
        assert len(fc.shared_embeddings(columns, dimension=2)) == 2


@says(SHARED, "test_transform_feature")
def test_ids_of_shared(tmp_path: Path) -> None:
    a, b = fc.shared_embeddings([AAA, BBB], dimension=2)
    features = {"aaa": [[0], [1, 0]], "bbb": [[1], [2, 1]]}
    assert ids_of(a.categorical_column, features, tmp_path) == [[0, -1], [1, 0]]
    assert ids_of(b.categorical_column, features, tmp_path) == [[1, -1], [2, 1]]


@pytest.mark.parametrize(
    ("buckets", "features", "expected"),
    [
        pytest.param(
            4, {"aaa": [[2, -1, -1], [0, 1, -1]], "bbb": [[0, -1, -1], [-1, -1, -1]]},
            [[7.0, 11.0, 1.0, 2.0], [2.0, 3.5, 0.0, 0.0]], marks=says(SHARED, "test_get_dense_tensor"),
        ),
        pytest.param(
            3, {"aaa": [[2, 1], [0, -1]], "bbb": [[1, -1], [1, 2]]}, [[5.0, 8.0, 3.0, 5.0], [1.0, 2.0, 5.0, 8.0]],
            marks=says(SHARED, "test_get_dense_tensor_valid"),
        ),
    ],
)  # fmt: skip
def test_rows_of_a_shared_table(buckets: int, features: Any, expected: Any, tmp_path: Path) -> None:
    columns = fc.shared_embeddings([fc.categorical_column_with_identity(key, buckets) for key in ("aaa", "bbb")], 2)
    table = [*TABLE, [9.0, 13.0]][:buckets]
    assert dense_of(columns, features, tmp_path, {"input_layer/aaa_bbb_shared_embedding": table}) == expected
