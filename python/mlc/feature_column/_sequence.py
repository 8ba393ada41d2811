"""The functions of tf.feature_column that make columns of sequences: each value of a row is a step of its own."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import dataclasses
import math
import os
from collections.abc import Callable, Sequence
from typing import Any

from mlc._dtypes import TEXT, dtype_name, is_number
from mlc.feature_column._categorical import (
    categorical_column_with_hash_bucket,
    categorical_column_with_identity,
    categorical_column_with_vocabulary_file,
    categorical_column_with_vocabulary_list,
    check_key,
)
from mlc.feature_column._dense import check_shape
from mlc.feature_column._types import (
    HashedCategoricalColumn,
    IdentityCategoricalColumn,
    SequenceNumericColumn,
    VocabularyFileCategoricalColumn,
    VocabularyListCategoricalColumn,
)
from mlc.feature_column.normalizers import Normalizer


def sequence_categorical_column_with_hash_bucket(
    key: str, hash_bucket_size: int, dtype: Any = TEXT
) -> HashedCategoricalColumn:
    """Ids by hash, one for each step. Arguments as of categorical_column_with_hash_bucket."""
    return dataclasses.replace(categorical_column_with_hash_bucket(key, hash_bucket_size, dtype), steps=True)


def sequence_categorical_column_with_vocabulary_list(
    key: str,
    vocabulary_list: Sequence[str | bytes | int],
    dtype: Any = None,
    default_value: int = -1,
    num_oov_buckets: int = 0,
) -> VocabularyListCategoricalColumn:
    """Ids by the place of a value in a list, one for each step. Arguments as of categorical_column_with_vocabulary_list."""
    column = categorical_column_with_vocabulary_list(key, vocabulary_list, dtype, default_value, num_oov_buckets)
    return dataclasses.replace(column, steps=True)


def sequence_categorical_column_with_vocabulary_file(
    key: str,
    vocabulary_file: str | os.PathLike[str],
    vocabulary_size: int | None = None,
    num_oov_buckets: int = 0,
    default_value: int | None = None,
    dtype: Any = TEXT,
) -> VocabularyFileCategoricalColumn:
    """Ids by the line of a file, one for each step. Arguments as of categorical_column_with_vocabulary_file."""
    column = categorical_column_with_vocabulary_file(
        key, vocabulary_file, vocabulary_size, dtype, default_value, num_oov_buckets
    )
    return dataclasses.replace(column, steps=True)


def sequence_categorical_column_with_identity(
    key: str, num_buckets: int, default_value: int | None = None
) -> IdentityCategoricalColumn:
    """Integers that are ids, one for each step. Arguments as of categorical_column_with_identity."""
    return dataclasses.replace(categorical_column_with_identity(key, num_buckets, default_value), steps=True)


def sequence_numeric_column(
    key: str,
    shape: Any = (1,),
    default_value: float = 0.0,
    dtype: Any = "float32",
    normalizer_fn: Normalizer | Callable[[Any], Any] | None = None,
) -> SequenceNumericColumn:
    """Numbers of each step.

    Args:
      key: of the feature, and name of the column.
      shape: of one step. Several numbers are for sequence_input_layer in a model_fn, and for RNN Estimators with
        return_sequences.
      default_value: stands after the steps of a row that is shorter than others; an RNN Estimator does not look at it.
      dtype: of the feature: a type of numbers. The model computes in float32 whatever it is.
      normalizer_fn: None, or what `zscore`, `minmax` or `log1p` of this module return; in a model_fn also a function of
        a Tensor, which is traced.

    Raises:
      ValueError: dtype is none of numbers, or a dimension of the shape is below 1.
      TypeError: a dimension of the shape is no integer, or normalizer_fn no function.
    """
    check_key(key)
    dimensions = check_shape(shape, key)
    name = dtype_name(dtype, f"column '{key}'")
    if not is_number(name):
        raise ValueError(f"dtype must be convertible to float. dtype: {name}, key: {key}")
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn!r}")
    default = float(default_value)
    if not math.isfinite(default):
        raise ValueError(f"column '{key}': default_value {default_value!r} is not finite")
    return SequenceNumericColumn(key, dimensions, default, name, normalizer_fn)
