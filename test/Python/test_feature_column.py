"""Feature columns: names and defaults of tf.feature_column, and what is refused."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import mlc
from mlc import feature_column as fc


def test_names_are_those_of_tf() -> None:
    age = fc.numeric_column("age")
    buckets = fc.bucketized_column(age, [18, 65])
    job = fc.categorical_column_with_hash_bucket("job", 100)
    city = fc.categorical_column_with_vocabulary_list("city", ["a", "b"])
    cross = fc.crossed_column(["zip", buckets, city], 1000)
    shared = fc.shared_embeddings([fc.categorical_column_with_identity(k, 9) for k in ("v", "u")], 4)
    assert age.name == "age"
    assert buckets.name == "age_bucketized"
    assert cross.name == "age_bucketized_X_city_X_zip"
    assert fc.weighted_categorical_column(job, "w").name == "job_weighted_by_w"
    assert fc.indicator_column(job).name == "job_indicator"
    assert fc.embedding_column(cross, 8).name == "age_bucketized_X_city_X_zip_embedding"
    assert [column.name for column in shared] == ["v_shared_embedding", "u_shared_embedding"]
    assert shared[0].shared_embedding_collection_name == "u_v_shared_embedding"


def test_defaults_are_those_of_tf() -> None:
    age = fc.numeric_column("age")
    assert (age.shape, age.default_value, age.dtype, age.normalizer_fn) == ((1,), None, "float32", None)
    words = fc.categorical_column_with_vocabulary_list("w", ["a", "b"])
    assert (words.dtype, words.default_value, words.num_oov_buckets) == ("string", -1, 0)
    assert fc.categorical_column_with_vocabulary_list("w", [3, 5]).dtype == "int64"
    assert fc.categorical_column_with_hash_bucket("w", 5).dtype == "string"
    table = fc.embedding_column(words, 4).table
    assert (table.combiner, table.initializer, table.max_norm, table.trainable) == ("mean", None, None, True)


def test_numbers_of_ids() -> None:
    pair = fc.numeric_column("p", shape=2)
    assert fc.bucketized_column(pair, [0.0, 1.0]).num_buckets == 6
    assert fc.categorical_column_with_vocabulary_list("w", ["a", "b"], num_oov_buckets=3).num_buckets == 5
    assert fc.crossed_column(["a", "b"], 7).num_buckets == 7


def test_columns_are_equal_by_value() -> None:
    make = lambda: fc.embedding_column(fc.categorical_column_with_identity("id", 3), 2, initializer="he_normal")  # noqa: E731
    assert make() == make()
    assert len({make(), make()}) == 1


def test_crosses_within_a_cross_are_flattened() -> None:
    inner = fc.crossed_column(["c", "b"], 10)
    assert fc.crossed_column(["a", inner], 10).leaves == ("a", "c", "b")


@pytest.mark.parametrize("dtype", ["float64", np.float64, np.dtype("f8"), float])
def test_dtypes_have_many_names(dtype: object) -> None:
    assert fc.numeric_column("x", dtype=dtype).dtype == "float64"


def test_normalizers_compute_and_compile() -> None:
    x = np.array([1.0, 3.0])
    assert fc.zscore(1, 2)(x).tolist() == [0, 1]
    assert fc.minmax(1, 3)(x).tolist() == [0, 1]
    assert fc.log1p()(np.array([0.0])).tolist() == [0]
    with pytest.raises(TypeError, match="must be a callable"):
        fc.numeric_column("x", normalizer_fn=3)  # type: ignore[arg-type]


def test_vocabulary_file_is_counted(tmp_path: object) -> None:
    path = f"{tmp_path}/words.txt"
    with open(path, "w") as file:
        file.write("a\nb\nc\n")
    assert fc.categorical_column_with_vocabulary_file("w", path).num_buckets == 3
    assert fc.categorical_column_with_vocabulary_file("w", path, 2, num_oov_buckets=1).num_buckets == 3
    with pytest.raises(ValueError, match="does not exist"):
        fc.categorical_column_with_vocabulary_file("w", path + "x")
    with pytest.raises(ValueError, match="file_format must be 'text' or 'tfrecord_gzip'; found 'csv'"):
        fc.categorical_column_with_vocabulary_file("w", path, file_format="csv")


IDS = fc.categorical_column_with_identity("id", 3)


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: fc.numeric_column(3), ValueError, "key must be a string"),
        (lambda: fc.numeric_column("x", dtype="string"), ValueError, "convertible to float"),
        (lambda: fc.numeric_column("x", shape=(0,)), ValueError, "at least 1; found 0"),
        (lambda: fc.numeric_column("x", shape=2, default_value=[1, 2, 3]), ValueError, "The shape of default_value"),
        (lambda: fc.numeric_column("x", default_value=0.5, dtype="int64"), TypeError, "no integer"),
        (lambda: fc.bucketized_column(fc.numeric_column("x"), [2, 1]), ValueError, "sorted list"),
        (lambda: fc.bucketized_column(IDS, [1]), ValueError, "numeric_column"),
        (lambda: fc.bucketized_column(fc.numeric_column("x", (2, 2)), [1]), ValueError, "one-dimensional"),
        (lambda: fc.categorical_column_with_hash_bucket("x", 0), ValueError, "at least 1; found 0"),
        (lambda: fc.categorical_column_with_hash_bucket("x", 9, "float32"), ValueError, "string or integer"),
        (lambda: fc.categorical_column_with_vocabulary_list("x", []), ValueError, "non-empty"),
        (lambda: fc.categorical_column_with_vocabulary_list("x", ["a", "a"]), ValueError, "Duplicate keys"),
        (lambda: fc.categorical_column_with_vocabulary_list("x", ["a", 1]), ValueError, "texts and integers"),
        (
            lambda: fc.categorical_column_with_vocabulary_list("x", ["a"], default_value=0, num_oov_buckets=1),
            ValueError,
            "Can't specify both",
        ),
        (lambda: fc.categorical_column_with_vocabulary_list("x", ["a"], default_value=1), ValueError, "below 1"),
        (lambda: fc.categorical_column_with_identity("x", 3, 3), ValueError, "not in range"),
        (lambda: fc.crossed_column(["a"], 9), ValueError, "length > 1"),
        (
            lambda: fc.crossed_column(["a", fc.categorical_column_with_hash_bucket("h", 9)], 9),
            ValueError,
            "Give the key 'h'",
        ),
        (
            lambda: fc.crossed_column(["a", fc.weighted_categorical_column(IDS, "w")], 9),
            ValueError,
            "does not take weights",
        ),
        (
            lambda: fc.weighted_categorical_column(fc.weighted_categorical_column(IDS, "w"), "w"),
            ValueError,
            "has weights",
        ),
        (lambda: fc.embedding_column(IDS, 0), ValueError, "dimension must be at least 1"),
        (lambda: fc.embedding_column(IDS, 2, combiner="max"), ValueError, "combiner"),
        (lambda: fc.embedding_column(IDS, 2, ckpt_to_load_from="m"), ValueError, "Must specify both"),
        (lambda: fc.embedding_column(fc.numeric_column("x"), 2), ValueError, "expected a categorical column"),
        (lambda: fc.embedding_column(IDS, 2, initializer="nope"), ValueError, "GlorotUniform"),
        (lambda: fc.shared_embeddings([IDS], 2), ValueError, "at least two"),
        (lambda: fc.shared_embeddings([IDS, fc.categorical_column_with_identity("b", 4)], 2), ValueError, "'b' has 4"),
    ],
)
def test_what_is_refused(make: object, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        make()


def test_import_is_cheap() -> None:
    code = "import sys, mlc; dir(mlc); print([m for m in ('numpy', 'pandas', 'mlc._native') if m in sys.modules])"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert printed.stdout.strip() == "[]"
    code = "import sys, mlc; mlc.estimator, mlc.data; print('pandas' in sys.modules)"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert printed.stdout.strip() == "False"


def test_unknown_attributes_are_told() -> None:
    with pytest.raises(AttributeError, match="no attribute 'keras'"):
        mlc.keras  # noqa: B018
    assert {"data", "estimator", "feature_column", "errors"} <= set(dir(mlc))
