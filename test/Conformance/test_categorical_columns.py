"""Hashed, vocabulary and identity columns, as feature_column_v2_test.py of TensorFlow 2.15 has them."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import copy
import gzip
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import columns
import numpy as np
import pytest
from canned import events
from columns import dense_of, ids_of, linear_of, says
from upstream import restates

from mlc import feature_column as fc

HASHED = "HashedCategoricalColumnTest"
FILE, LIST = "VocabularyFileCategoricalColumnTest", "VocabularyListCategoricalColumnTest"
TFRECORD = "VocabularyTfrecordGzipFileCategoricalColumnTest"
IDENTITY = "IdentityCategoricalColumnTest"
WIRE = ["omar", "stringer", "marlo"]
WARRIORS = [30, 35, 11, 23, 22]

hashed = fc.categorical_column_with_hash_bucket
listed = fc.categorical_column_with_vocabulary_list
identity = fc.categorical_column_with_identity


FORMATS = ("txt", "tfrecord.gz")


def says_of_files(*tests: str) -> Callable[[Any], Any]:
    """The marks of a test that is run with files of both formats, for which TensorFlow has a class each."""

    def mark(function: Any) -> Any:
        return pytest.mark.parametrize("suffix", FORMATS)(says_file(*tests)(function))

    return mark


def says_file(*tests: str) -> pytest.MarkDecorator:
    """The mark for both classes."""
    return restates(*(f"{columns.FILE}::{group}::{test}" for group in (FILE, TFRECORD) for test in tests))


def write_terms(path: Path, terms: Iterable[Any]) -> str:
    """Writes a vocabulary in the format that the suffix tells."""
    texts = [str(term).encode() for term in terms]
    if path.suffix == ".gz":
        path.write_bytes(gzip.compress(b"".join(events.framed(text) for text in texts)))
    else:
        path.write_bytes(b"".join(text + b"\n" for text in texts))
    return str(path)


@pytest.fixture
def wire(tmp_path: Path, suffix: str) -> str:
    """A file of texts."""
    return write_terms(tmp_path / f"wire.{suffix}", WIRE)


@pytest.fixture
def warriors(tmp_path: Path, suffix: str) -> str:
    """A file of integers."""
    return write_terms(tmp_path / f"warriors.{suffix}", WARRIORS)


def of_file(path: str, **arguments: Any) -> Any:
    return fc.categorical_column_with_vocabulary_file("aaa", path, **arguments)


# Constructors


@says(HASHED, "test_defaults", "test_deep_copy")
def test_hashed() -> None:
    for column in (hashed("aaa", 10), copy.deepcopy(hashed("aaa", 10))):
        assert (column.name, column.key, column.hash_bucket_size, column.num_buckets, column.dtype) == (
            "aaa", "aaa", 10, 10, "string"
        )  # fmt: skip


@says(HASHED, "test_dtype_should_be_string_or_integer")
def test_dtypes_of_hashed_values() -> None:
    assert hashed("aaa", 10, dtype="string").dtype == "string"
    assert hashed("aaa", 10, dtype=np.int32).dtype == "int32"
    with pytest.raises(ValueError, match="dtype must be string or integer"):
        hashed("aaa", 10, dtype="float32")


@pytest.mark.parametrize(
    ("make", "text"),
    [
        pytest.param(lambda: hashed(("key",), 10), "key must be a string", marks=says(HASHED, "test_key_should_be_string")),
        pytest.param(
            lambda: hashed("aaa", None), "hash_bucket_size must be set", marks=says(HASHED, "test_bucket_size_should_be_given")
        ),
        pytest.param(
            lambda: hashed("aaa", 0), "hash_bucket_size must be at least 1",
            marks=says(HASHED, "test_bucket_size_should_be_positive"),
        ),
        pytest.param(lambda: listed(("aaa",), WIRE), "key must be a string", marks=says(LIST, "test_key_should_be_string")),
        pytest.param(
            lambda: listed("aaa", WIRE, dtype="float32"), "dtype must be string or integer",
            marks=says(LIST, "test_invalid_dtype"),
        ),
        pytest.param(
            lambda: listed("aaa", (12.0, 24.0, 36.0)), "vocabulary dtype must be string or integer",
            marks=says(LIST, "test_invalid_mapping_dtype"),
        ),
        pytest.param(
            lambda: listed("aaa", WIRE, dtype="int32"), "dtype int32 does not go with 'omar'",
            marks=says(LIST, "test_mismatched_int_dtype"),
        ),
        pytest.param(
            lambda: listed("aaa", (12, 24, 36), dtype="string"), "dtype string does not go with 12",
            marks=says(LIST, "test_mismatched_string_dtype"),
        ),
        pytest.param(
            lambda: listed("aaa", None), "vocabulary_list.*must be non-empty", marks=says(LIST, "test_none_mapping")
        ),
        pytest.param(
            lambda: listed("aaa", ()), "vocabulary_list.*must be non-empty", marks=says(LIST, "test_empty_mapping")
        ),
        pytest.param(lambda: listed("aaa", (12, 24, 12)), "Duplicate keys", marks=says(LIST, "test_duplicate_mapping")),
        pytest.param(
            lambda: listed("aaa", (12, 24, 36), num_oov_buckets=-1), "num_oov_buckets must be at least 0",
            marks=says(LIST, "test_invalid_num_oov_buckets"),
        ),
        pytest.param(
            lambda: listed("aaa", (12, 24, 36), num_oov_buckets=100, default_value=2),
            "both num_oov_buckets and default_value", marks=says(LIST, "test_invalid_buckets_and_default_value"),
        ),
        pytest.param(lambda: identity(("aaa",), 3), "key must be a string", marks=says(IDENTITY, "test_key_should_be_string")),
        pytest.param(
            lambda: identity("aaa", 0), "num_buckets must be at least 1; found 0",
            marks=says(IDENTITY, "test_invalid_num_buckets_zero"),
        ),
        pytest.param(
            lambda: identity("aaa", -1), "num_buckets must be at least 1; found -1",
            marks=says(IDENTITY, "test_invalid_num_buckets_negative"),
        ),
        pytest.param(
            lambda: identity("aaa", 3, -1), "default_value -1 not in range",
            marks=says(IDENTITY, "test_invalid_default_value_too_small"),
        ),
        pytest.param(
            lambda: identity("aaa", 3, 3), "default_value 3 not in range",
            marks=says(IDENTITY, "test_invalid_default_value_too_big"),
        ),
    ],
)  # fmt: skip
def test_what_is_refused(make: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        make()


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        pytest.param({"key": ("aaa",)}, "key must be a string", marks=says_file("test_key_should_be_string")),
        pytest.param({"vocabulary_file": None}, "Missing vocabulary_file", marks=says_file("test_vocabulary_file_none")),
        pytest.param(
            {"vocabulary_file": ""}, "Missing vocabulary_file", marks=says_file("test_vocabulary_file_empty_string")
        ),
        *(
            pytest.param(
                {"vocabulary_size": size}, "vocabulary_size must be at least 1",
                marks=says_file("test_invalid_vocabulary_size"),
            )
            for size in (-1, 0)
        ),
        pytest.param(
            {"num_oov_buckets": -1}, "num_oov_buckets must be at least 0", marks=says_file("test_invalid_num_oov_buckets")
        ),
        pytest.param({"dtype": "float64"}, "dtype must be string or integer", marks=says_file("test_invalid_dtype")),
        pytest.param(
            {"num_oov_buckets": 100, "default_value": 2}, "both num_oov_buckets and default_value",
            marks=says_file("test_invalid_buckets_and_default_value"),
        ),
    ],
)  # fmt: skip
def test_refused_files(arguments: Any, text: str, wire: str) -> None:
    with pytest.raises(ValueError, match=text):
        fc.categorical_column_with_vocabulary_file(
            **{"key": "aaa", "vocabulary_file": wire, "vocabulary_size": 3, **arguments}
        )


@says_of_files("test_defaults", "test_all_constructor_args", "test_deep_copy")
def test_files(suffix: str) -> None:
    path = f"path_to_file.{suffix}"
    column = of_file(path, vocabulary_size=3)
    assert (column.name, column.key, column.num_buckets, column.dtype) == ("aaa", "aaa", 3, "string")
    column = of_file(path, vocabulary_size=3, num_oov_buckets=4, dtype="int32")
    for each in (column, copy.deepcopy(column)):
        assert (each.name, each.num_buckets, each.dtype) == ("aaa", 7, "int32")


@says_of_files("test_defaults_unicode")
def test_size_of_a_file_of_other_letters(suffix: str, tmp_path: Path) -> None:
    path = write_terms(tmp_path / f"letters.{suffix}", [chr(0x4E00 + i) for i in range(165)])
    assert of_file(path).num_buckets == 165


@says(LIST, "test_defaults_string", "test_defaults_int", "test_all_constructor_args", "test_deep_copy")
def test_lists() -> None:
    column = listed("aaa", WIRE)
    assert (column.name, column.key, column.num_buckets, column.dtype) == ("aaa", "aaa", 3, "string")
    column = listed("aaa", (12, 24, 36))
    assert (column.name, column.key, column.num_buckets, column.dtype) == ("aaa", "aaa", 3, "int64")
    column = listed("aaa", (12, 24, 36), dtype="int32", default_value=-99)
    for each in (column, copy.deepcopy(column)):
        assert (each.name, each.num_buckets, each.dtype) == ("aaa", 3, "int32")


@says(IDENTITY, "test_constructor", "test_deep_copy")
def test_identity() -> None:
    for column in (identity("aaa", 3), copy.deepcopy(identity("aaa", 3))):
        assert (column.name, column.key, column.num_buckets, column.dtype) == ("aaa", "aaa", 3, "int64")


# Ids

TEXTS, INTEGERS = [["omar"], ["stringer", "marlo"]], [[101], [201, 301]]


@pytest.mark.parametrize(
    ("dtype", "rows", "expected"),
    [
        pytest.param(
            "string", TEXTS, [[6, -1], [4, 1]], marks=says(HASHED, "test_strings_should_be_hashed", "test_get_sparse_tensors")
        ),
        pytest.param(
            "string", [["omar", ""], ["stringer", "marlo"]], [[6, -1], [4, 1]],
            marks=says(HASHED, "test_get_sparse_tensors_dense_input"),
        ),
        pytest.param("int64", INTEGERS, [[3, -1], [7, 5]], marks=says(HASHED, "test_ints_should_be_hashed")),
        pytest.param(
            "int64", np.array([[101, -1], [201, 301]], np.int32), [[3, -1], [7, 5]],
            marks=says(HASHED, "test_int32_64_is_compatible"),
        ),
    ],
)  # fmt: skip
def test_hashes(dtype: str, rows: Any, expected: Any, tmp_path: Path) -> None:
    assert ids_of(hashed("wire", 10, dtype), {"wire": rows}, tmp_path) == expected


@pytest.mark.parametrize(
    ("column", "rows"),
    [
        pytest.param(hashed("aaa", 10), [101.0], marks=says(HASHED, "test_tensor_dtype_should_be_string_or_integer")),
        pytest.param(hashed("aaa", 10, "int64"), ["omar"], marks=says(HASHED, "test_dtype_should_match_with_tensor")),
        pytest.param(listed("aaa", WIRE), [12, 24], marks=says(LIST, "test_invalid_input_dtype_int32")),
        pytest.param(listed("aaa", (12, 24, 36)), ["omar", "marlo"], marks=says(LIST, "test_invalid_input_dtype_string")),
        pytest.param(identity("aaa", 3), ["omar", "marlo"], marks=says(IDENTITY, "test_invalid_input_dtype")),
    ],
)
def test_refused_dtypes(column: Any, rows: Any, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="column 'aaa' is one of"):
        ids_of(column, {"aaa": rows}, tmp_path)


@says_of_files("test_invalid_input_dtype_int32", "test_invalid_input_dtype_string")
def test_refused_dtypes_of_files(wire: str, warriors: str, tmp_path: Path) -> None:
    for column, rows in [(of_file(wire), [12, 24]), (of_file(warriors, dtype="int32"), ["omar", "marlo"])]:
        with pytest.raises(ValueError, match="column 'aaa' is one of"):
            ids_of(column, {"aaa": rows}, tmp_path)


UNKNOWN = [["marlo"], ["skywalker", "omar"]]
MANY_UNKNOWN = [["marlo"], ["skywalker", "omar", "heisenberg"]]
SOME_WARRIORS = [[11, -1, -1], [100, 30, -1], [-1, -1, 22]]
TEXT_IDS = [
    ("test_get_sparse_tensors", {}, UNKNOWN, [[2, -1], [-1, 0]]),
    ("test_transform_feature", {}, UNKNOWN, [[2, -1], [-1, 0]]),
    ("test_get_sparse_tensors_dense_input", {}, [["marlo", ""], ["skywalker", "omar"]], [[2, -1], [-1, 0]]),
    ("test_get_sparse_tensors_default_value_in_vocabulary", {"default_value": 2}, UNKNOWN, [[2, -1], [2, 0]]),
    ("test_get_sparse_tensors_with_oov_buckets", {"num_oov_buckets": 100}, MANY_UNKNOWN, [[2, -1, -1], [33, 0, 62]]),
]
INTEGER_IDS = [
    ("test_get_sparse_tensors_int32", {}, SOME_WARRIORS, [[2, -1, -1], [-1, 0, -1], [-1, -1, 4]]),
    # A negative default_value is no id, whatever it is.
    ("test_get_sparse_tensors_int32_dense_input", {"default_value": -100}, SOME_WARRIORS, [[2, -1, -1], [-1, 0, -1], [-1, -1, 4]]),
    ("test_get_sparse_tensors_int32_with_oov_buckets", {"num_oov_buckets": 100}, SOME_WARRIORS, [[2, -1, -1], [60, 0, -1], [-1, -1, 4]]),
]  # fmt: skip


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize(
    ("arguments", "rows", "expected"),
    [
        *(pytest.param(*case, marks=says_file(test)) for test, *case in TEXT_IDS),
        pytest.param(
            {"vocabulary_size": None}, UNKNOWN, [[2, -1], [-1, 0]],
            marks=says_file("test_get_sparse_tensors_none_vocabulary_size"),
        ),
        pytest.param(
            {"vocabulary_size": 2}, UNKNOWN, [[-1, -1], [-1, 0]],
            marks=says_file("test_get_sparse_tensors_small_vocabulary_size"),
        ),
    ],
)  # fmt: skip
def test_ids_of_a_file(arguments: Any, rows: Any, expected: Any, wire: str, tmp_path: Path) -> None:
    assert ids_of(of_file(wire, **{"vocabulary_size": 3, **arguments}), {"aaa": rows}, tmp_path) == expected


@pytest.mark.parametrize("suffix", FORMATS)
@pytest.mark.parametrize(
    ("arguments", "rows", "expected"), [pytest.param(*case, marks=says_file(test)) for test, *case in INTEGER_IDS]
)
def test_ids_of_a_file_of_integers(arguments: Any, rows: Any, expected: Any, warriors: str, tmp_path: Path) -> None:
    column = of_file(warriors, vocabulary_size=5, dtype="int32", **arguments)
    assert ids_of(column, {"aaa": rows}, tmp_path) == expected


@pytest.mark.parametrize(
    ("vocabulary", "arguments", "rows", "expected"),
    [
        *(pytest.param(WIRE, *case, marks=says(LIST, test)) for test, *case in TEXT_IDS),
        *(
            pytest.param(np.array(WARRIORS, np.int32), {"dtype": "int32", **arguments}, *case, marks=says(LIST, test))
            for test, arguments, *case in INTEGER_IDS
        ),
    ],
)
def test_ids_of_a_list(vocabulary: Any, arguments: Any, rows: Any, expected: Any, tmp_path: Path) -> None:
    assert ids_of(listed("aaa", vocabulary, **arguments), {"aaa": rows}, tmp_path) == expected


@says_of_files("test_invalid_vocabulary_file")
def test_a_file_that_is_not_there(suffix: str, tmp_path: Path) -> None:
    with pytest.raises((OSError, ValueError), match="file_does_not_exist"):
        ids_of(of_file(f"file_does_not_exist.{suffix}", vocabulary_size=10), {"aaa": UNKNOWN}, tmp_path)


@says_of_files("test_too_large_vocabulary_size")
def test_a_file_that_is_too_short(wire: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="vocabulary_size|vocabulary_file"):
        ids_of(of_file(wire, vocabulary_size=4), {"aaa": UNKNOWN}, tmp_path)


@pytest.mark.parametrize(
    ("arguments", "rows", "expected"),
    [
        pytest.param(
            (3,), [[0], [1, 0]], [[0, -1], [1, 0]], marks=says(IDENTITY, "test_get_sparse_tensors", "test_transform_feature")
        ),
        pytest.param(
            (3,), [[0, -1], [1, 0]], [[0, -1], [1, 0]], marks=says(IDENTITY, "test_get_sparse_tensors_dense_input")
        ),
        # Where they have -1 in a sparse tensor, which is no value here, another number that is too small.
        pytest.param(
            (4, 3), [[1], [-2, 99]], [[1, -1], [3, 3]], marks=says(IDENTITY, "test_get_sparse_tensors_with_default_value")
        ),
    ],
)  # fmt: skip
def test_ids_that_are_given(arguments: Any, rows: Any, expected: Any, tmp_path: Path) -> None:
    assert ids_of(identity("aaa", *arguments), {"aaa": rows}, tmp_path) == expected


TABLE = {"input_layer/aaa_embedding/embedding_weights": [[1.0, 2.0], [3.0, 5.0]]}


@says(IDENTITY, "test_get_sparse_tensors_with_inputs_too_small", "test_get_sparse_tensors_with_inputs_too_small_v2")
def test_ids_that_are_too_small(tmp_path: Path) -> None:
    column = fc.embedding_column(identity("aaa", 2), 2)
    assert dense_of([column], {"aaa": [[-9, 0], [-6, 1]]}, tmp_path, TABLE) == [[1.0, 2.0], [3.0, 5.0]]


@says(IDENTITY, "test_get_sparse_tensors_with_inputs_too_big", "test_get_sparse_tensors_with_inputs_too_big_v2")
def test_ids_that_are_too_large(tmp_path: Path) -> None:
    column = fc.embedding_column(identity("aaa", 2), 2)
    with pytest.raises(ValueError, match="identity column 'aaa'.*2"):
        dense_of([column], {"aaa": [2, 0]}, tmp_path, TABLE)


# Linear models


@pytest.mark.parametrize(
    ("column", "rows", "expected"),
    [
        pytest.param(
            hashed("wire", 4), [["marlo"], ["skywalker", "omar"]], [4.0, 6.0], marks=says(HASHED, "test_old_linear_model")
        ),
        pytest.param(
            listed("wire", WIRE, num_oov_buckets=1), UNKNOWN, [3.0, 5.0], marks=says(LIST, "test_old_linear_model")
        ),
        pytest.param(identity("wire", 3), [[0], [2, 1]], [1.0, 5.0], marks=says(IDENTITY, "test_old_linear_model")),
    ],
)
def test_linear_model(column: Any, rows: Any, expected: list[float], tmp_path: Path) -> None:
    weights = np.arange(1.0, column.num_buckets + 1).reshape(-1, 1)
    assert linear_of([column], {"wire": rows}, tmp_path, {"wire": weights}).ravel().tolist() == expected


@says_of_files("test_old_linear_model")
def test_linear_model_of_a_file(wire: str, tmp_path: Path) -> None:
    column = of_file(wire, vocabulary_size=3, num_oov_buckets=1)
    assert column.num_buckets == 4
    found = linear_of([column], {"aaa": UNKNOWN}, tmp_path, {"aaa": [[1.0], [2.0], [3.0], [4.0]]})
    assert found.ravel().tolist() == [3.0, 5.0]
