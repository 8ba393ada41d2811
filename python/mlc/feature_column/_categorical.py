"""The functions of tf.feature_column that make categorical columns: ids of values, of weighted values, of crosses."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import operator
import os
from collections.abc import Iterable, Sequence
from typing import Any

from mlc._dtypes import TEXT, dtype_name, is_integer, is_number
from mlc.feature_column._types import (
    CategoricalColumn,
    CrossedColumn,
    HashedCategoricalColumn,
    IdentityCategoricalColumn,
    VocabularyFileCategoricalColumn,
    VocabularyListCategoricalColumn,
    WeightedCategoricalColumn,
)
from mlc.feature_column._vocabulary_file import TEXT as TEXT_FILE
from mlc.feature_column._vocabulary_file import TFRECORD_GZIP, count_terms


def check_key(key: Any) -> str:
    """A key of the features; ValueError if it cannot be one."""
    if not isinstance(key, str):
        raise ValueError(f"key must be a string; found {key!r}, a {type(key).__name__}")
    if not key:
        raise ValueError("key must be a string that is not empty")
    return key


def check_count(value: Any, what: str, least: int = 1) -> int:
    """A whole number of at least `least`; TypeError, or ValueError for one that is too small or None, names `what`."""
    if value is None:
        raise ValueError(f"{what} must be set; expected an integer of at least {least}")
    try:
        number = operator.index(value)
    except TypeError:
        raise TypeError(f"{what} must be an integer; found {value!r}") from None
    if isinstance(value, bool) or number < least:
        raise ValueError(f"{what} must be at least {least}; found {value!r}")
    return number


def _id_dtype(dtype: Any, key: str) -> str:
    """The dtype of values that become ids: "string" or an integer dtype."""
    name = dtype_name(dtype, f"column '{key}'")
    if name != TEXT and not is_integer(name):
        raise ValueError(f"column '{key}': dtype must be string or integer; found {name}")
    return name


def categorical_column_with_hash_bucket(key: str, hash_bucket_size: int, dtype: Any = TEXT) -> HashedCategoricalColumn:
    """Ids by hash, for values of which there is no list.

    Args:
      key: of the feature, and name of the column.
      hash_bucket_size: number of ids.
      dtype: of the values: string or an integer type, which is hashed as decimal text.
    """
    check_key(key)
    return HashedCategoricalColumn(key, check_count(hash_bucket_size, "hash_bucket_size"), _id_dtype(dtype, key))


def _check_oov(key: str, default_value: int | None, num_oov_buckets: int, size: int) -> tuple[int, int]:
    """default_value, -1 if it is no id, and the number of ids for values outside of a vocabulary of `size` terms."""
    oov = check_count(num_oov_buckets, "num_oov_buckets", least=0) if num_oov_buckets else 0
    # Every number below 0 is no id, as lookups take none of them.
    fallback = -1 if default_value is None else max(-1, operator.index(default_value))
    if oov and fallback != -1:
        raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
    if fallback >= size:
        raise ValueError(f"column '{key}': default_value must be -1 or an id below {size}; found {fallback}")
    return fallback, oov


def _term(term: Any, key: str) -> str | bytes | int:
    """A term of a vocabulary: a text or an integer. ValueError for another."""
    if isinstance(term, (str, bytes)):
        return term
    try:
        return operator.index(term)
    except TypeError:
        raise ValueError(f"column '{key}': vocabulary dtype must be string or integer; found {term!r}") from None


def categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[str | bytes | int],
    dtype: Any = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> VocabularyListCategoricalColumn:
    """Ids by the place of a value in a list.

    Args:
      key: of the feature, and name of the column.
      vocabulary_list: texts or integers, each once.
      dtype: of the values: string or an integer type; None: that of the list.
      default_value: id of values that are not in the list; -1, or another negative number: they are no value.
      num_oov_buckets: ids after the list for values that are not in it, by hash; not with default_value.
    """
    check_key(key)
    terms = tuple(_term(term, key) for term in (() if vocabulary_list is None else vocabulary_list))
    if not terms:
        raise ValueError(f"vocabulary_list {vocabulary_list!r} must be non-empty, column_name: {key}")
    texts = sum(isinstance(term, (str, bytes)) for term in terms)
    if texts not in (0, len(terms)):
        raise ValueError(f"column '{key}': vocabulary_list has texts and integers; expected one kind")
    if len(set(terms)) != len(terms):
        twice = next(term for place, term in enumerate(terms) if term in terms[:place])
        raise ValueError(f"Duplicate keys in vocabulary_list: {twice!r}, column_name: {key}")
    name = _id_dtype(dtype, key) if dtype is not None else (TEXT if texts else "int64")
    if (name == TEXT) != bool(texts):
        raise ValueError(f"column '{key}': dtype {name} does not go with {vocabulary_list[0]!r} in vocabulary_list")
    fallback, oov = _check_oov(key, default_value, num_oov_buckets, len(terms))
    return VocabularyListCategoricalColumn(key, terms, name, fallback, oov)


def categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: str | os.PathLike[str],
    vocabulary_size: int | None = None,
    dtype: Any = TEXT,
    default_value: int | None = None,
    num_oov_buckets: int = 0,
    file_format: str | None = None,
) -> VocabularyFileCategoricalColumn:
    """Ids by the place of a value in a file.

    Args:
      key: of the feature, and name of the column.
      vocabulary_file: a text file with a term on each line, or a TFRecord file, compressed by gzip, with one in each
        record, which is read when the model is compiled.
      vocabulary_size: so many terms count, from the top; None: all.
      dtype: of the values: string or an integer type.
      default_value: id of values that are not in the file; None or a negative number: they are no value.
      num_oov_buckets: ids after those of the file for other values, by hash; not with default_value.
      file_format: "text" or "tfrecord_gzip"; None: the latter for a name that ends in "tfrecord.gz".

    Raises:
      ValueError: the file does not exist, or another file_format.
    """
    check_key(key)
    if file_format not in (None, TEXT_FILE, TFRECORD_GZIP):
        raise ValueError(f"file_format must be '{TEXT_FILE}' or '{TFRECORD_GZIP}'; found {file_format!r}")
    if not vocabulary_file:
        raise ValueError(f"Missing vocabulary_file in {key}.")
    path = os.path.abspath(os.fspath(vocabulary_file))
    file_format = file_format or (TFRECORD_GZIP if path.endswith("tfrecord.gz") else TEXT_FILE)
    if vocabulary_size is not None:
        size = check_count(vocabulary_size, "vocabulary_size")
    elif not os.path.isfile(path):
        raise ValueError(f"vocabulary_file in {key} does not exist: {path}")
    else:
        size = count_terms(path, file_format)
    fallback, oov = _check_oov(key, default_value, num_oov_buckets, size)
    return VocabularyFileCategoricalColumn(key, path, size, _id_dtype(dtype, key), fallback, oov, file_format)


def categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> IdentityCategoricalColumn:
    """Integers that are ids.

    Args:
      key: of the feature, and name of the column.
      num_buckets: number of ids; they are 0 to num_buckets - 1.
      default_value: id of values outside; None: such a value is an error.
    """
    check_key(key)
    size = check_count(num_buckets, "num_buckets")
    fallback = None if default_value is None else operator.index(default_value)
    if fallback is not None and not 0 <= fallback < size:
        raise ValueError(f"default_value {fallback} not in range [0, {size}), column_name {key}")
    return IdentityCategoricalColumn(key, size, fallback)


def weighted_categorical_column(
    categorical_column: CategoricalColumn, weight_feature_key: str, dtype: Any = "float32"
) -> WeightedCategoricalColumn:
    """Ids with weights.

    Args:
      categorical_column: the ids; one without weights.
      weight_feature_key: key of the weights, as many for each row as the ids have.
      dtype: of the weights: a type of numbers.
    """
    if not isinstance(categorical_column, CategoricalColumn):
        raise TypeError(f"categorical_column must be a categorical column; found {categorical_column!r}")
    if categorical_column.is_sequence:
        raise ValueError(f"'{categorical_column.name}' is a sequence, whose steps have no weights")
    if isinstance(categorical_column, WeightedCategoricalColumn):
        raise ValueError(f"'{categorical_column.name}' has weights; expected a categorical column without")
    name = None if dtype is None else dtype_name(dtype, f"weights '{weight_feature_key}'")
    if name is None or not is_number(name):
        raise ValueError(f"dtype {name} is not convertible to float.")
    return WeightedCategoricalColumn(categorical_column, check_key(weight_feature_key), name)


def crossed_column(
    keys: Iterable[str | CategoricalColumn], hash_bucket_size: int, hash_key: int | None = None
) -> CrossedColumn:
    """Ids of combinations of values, by hash.

    Args:
      keys: at least two: keys of features of texts, or categorical columns, but no hashed and no weighted ones.
      hash_bucket_size: number of ids.
      hash_key: where the hash starts; None: 0xDECAFCAFFE.
    """
    parts = tuple(keys)
    if len(parts) < 2:
        raise ValueError(f"keys must be a list with length > 1. Given: {keys!r}")
    for part in parts:
        if isinstance(part, str):
            check_key(part)
        elif isinstance(part, HashedCategoricalColumn):
            raise ValueError(
                "categorical_column_with_hash_bucket is not supported for crossing: hashing before crossing makes more "
                f"collisions. Give the key '{part.key}' instead of the column"
            )
        elif isinstance(part, WeightedCategoricalColumn):
            raise ValueError(
                f"crossed_column does not take weights, and '{part.name}' has some; "
                f"give '{part.categorical_column.name}' without them"
            )
        elif isinstance(part, CategoricalColumn) and part.is_sequence:
            raise ValueError(
                f"crossed_column does not take sequences, and '{part.name}' is one: give a categorical_column_with_..."
            )
        elif not isinstance(part, CategoricalColumn):
            raise ValueError(f"keys must be strings or categorical columns but no hashed ones. Given: {part!r}")
    if hash_key is not None and not -(2**63) <= operator.index(hash_key) < 2**64:
        raise ValueError(f"hash_key must have 64 bits; found {hash_key}")
    size = check_count(hash_bucket_size, "hash_bucket_size")
    return CrossedColumn(parts, size, None if hash_key is None else operator.index(hash_key))
