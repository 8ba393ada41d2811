"""The functions of tf.feature_column that make dense columns: numbers, buckets, indicators and embeddings."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from mlc._dtypes import dtype_name, is_number
from mlc.errors import UnsupportedError
from mlc.feature_column._categorical import check_count, check_key
from mlc.feature_column._types import (
    BucketizedColumn,
    CategoricalColumn,
    EmbeddingColumn,
    IndicatorColumn,
    NumericColumn,
    SharedEmbeddingColumn,
    Table,
    WeightedCategoricalColumn,
)
from mlc.feature_column.normalizers import Normalizer

if TYPE_CHECKING:
    from mlc.initializers import Initializer


def check_shape(shape: Any, key: str) -> tuple[int, ...]:
    """Dimensions of one row's value; an integer is a vector of that length."""
    dimensions = tuple(shape) if isinstance(shape, Iterable) else (shape,)
    return tuple(check_count(d, f"column '{key}': each dimension of shape") for d in dimensions)


def _check_default(default: Any, shape: tuple[int, ...], key: str, is_float: bool) -> Any:
    """One number for each element of `shape`; a single one that is no list stands for each."""
    if default is None:
        return None
    import numpy as np

    try:
        values = np.asarray(default, dtype=np.float64)
    except (TypeError, ValueError):
        raise TypeError(f"column '{key}': default_value must be compatible with dtype; found {default!r}") from None
    if values.ndim == 0:
        values = np.full(shape, values)
    if values.shape != shape:
        raise ValueError(
            f"column '{key}': The shape of default_value must be equal to given shape {shape}; found {values.shape}"
        )
    if not np.isfinite(values).all():
        raise ValueError(f"column '{key}': default_value {default!r} is not finite")
    if not is_float and (values != np.floor(values)).any():
        raise TypeError(f"column '{key}': default_value {default!r} is no integer, as the dtype is")
    return _tuples(values.tolist())


def _tuples(value: Any) -> Any:
    """Lists within lists as tuples."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value


def numeric_column(
    key: str,
    shape: Any = (1,),
    default_value: Any = None,
    dtype: Any = "float32",
    normalizer_fn: Normalizer | Callable[[Any], Any] | None = None,
) -> NumericColumn:
    """Numbers.

    Args:
      key: of the feature, and name of the column.
      shape: dimensions of the numbers of one row; an integer is a vector of that length.
      default_value: stands for missing numbers (None, nan, pandas' NA): one for all elements, or one for each. None: a
        missing number is an error.
      dtype: of the feature: a type of integers or floats. The model computes in float32 whatever it is.
      normalizer_fn: None, what `zscore`, `minmax` or `log1p` of this module return, or a function of a Tensor
        [rows, *shape] of float32 that gives as many numbers, which is traced.

    Raises:
      ValueError: dtype is none of numbers, or default_value has another shape.
      TypeError: normalizer_fn is no function, or default_value not of the dtype.
    """
    check_key(key)
    name = dtype_name(dtype, f"column '{key}'")
    if not is_number(name):
        raise ValueError(f"dtype must be convertible to float. dtype: {name}, key: {key}")
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"column '{key}': normalizer_fn must be a callable. Given: {normalizer_fn!r}")
    dimensions = check_shape(shape, key)
    default = _check_default(default_value, dimensions, key, is_float=name.startswith("float"))
    return NumericColumn(key, dimensions, default, name, normalizer_fn)


def bucketized_column(source_column: NumericColumn, boundaries: Sequence[float]) -> BucketizedColumn:
    """The intervals in which numbers lie, as a one-hot vector or, in a linear model, as ids.

    Args:
      source_column: a numeric column of one dimension. Boundaries cut what its normalizer_fn gives.
      boundaries: k numbers, growing, which make k + 1 intervals [b_i, b_i+1).
    """
    if not isinstance(source_column, NumericColumn):
        raise ValueError(f"source_column must be a column generated with numeric_column(). Given: {source_column!r}")
    if len(source_column.shape) > 1:
        raise ValueError(f"source_column must be one-dimensional column. Given: {source_column!r}")
    if boundaries is None or (isinstance(boundaries, Sequence) and not boundaries):
        raise ValueError("boundaries must not be empty.")
    cuts = tuple(float(boundary) for boundary in boundaries) if isinstance(boundaries, Iterable) else ()
    if not cuts or any(not low < high for low, high in pairwise(cuts)) or not all(map(math.isfinite, cuts)):
        raise ValueError(f"boundaries must be a sorted list of different finite numbers. Given: {boundaries!r}")
    return BucketizedColumn(source_column, cuts)


def _check_categorical(column: Any) -> CategoricalColumn:
    if not isinstance(column, CategoricalColumn):
        raise ValueError(f"expected a categorical column; found {column!r}")
    return column


def indicator_column(categorical_column: CategoricalColumn) -> IndicatorColumn:
    """How often each id of `categorical_column` occurs in a row: num_buckets numbers."""
    return IndicatorColumn(_check_categorical(categorical_column))


def _check_table(
    dimension: int,
    combiner: str,
    initializer: Initializer | str | None,
    ckpt_to_load_from: str | os.PathLike[str] | None,
    tensor_name_in_ckpt: str | None,
    max_norm: float | None,
    trainable: bool,
    use_safe_embedding_lookup: bool,
) -> Table:
    """What embedding_column and shared_embeddings say of their table."""
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError(f"combiner must be 'mean', 'sqrtn' or 'sum'; found {combiner!r}")
    if (ckpt_to_load_from is None) != (tensor_name_in_ckpt is None):
        raise ValueError("Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them.")
    if max_norm is not None and not (math.isfinite(max_norm) and max_norm > 0):
        raise ValueError(f"max_norm must be above 0; found {max_norm}")
    if not use_safe_embedding_lookup:
        raise UnsupportedError("use_safe_embedding_lookup=False: a row without ids always is a row of zeros")
    if initializer is not None:
        from mlc.initializers import get

        initializer = get(initializer)
    return Table(
        dimension=check_count(dimension, "dimension"),
        combiner=combiner,
        initializer=initializer,
        ckpt_to_load_from=None if ckpt_to_load_from is None else os.path.abspath(os.fspath(ckpt_to_load_from)),
        tensor_name_in_ckpt=tensor_name_in_ckpt,
        max_norm=None if max_norm is None else float(max_norm),
        trainable=bool(trainable),
    )


def embedding_column(
    categorical_column: CategoricalColumn,
    dimension: int,
    combiner: str = "mean",
    initializer: Initializer | str | None = None,
    ckpt_to_load_from: str | os.PathLike[str] | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> EmbeddingColumn:
    """Trained rows of `dimension` numbers, one for each id.

    Args:
      categorical_column: the ids.
      dimension: numbers per id.
      combiner: how the rows of several ids become one: "mean", "sqrtn" or "sum".
      initializer: one of mlc.initializers, or its name; None: a truncated normal distribution of mean 0 and deviation
        1 / sqrt(dimension).
      ckpt_to_load_from: where the rows begin: a model_dir, the directory of a checkpoint, a .safetensors file, or a checkpoint of
        TensorFlow.
      tensor_name_in_ckpt: name of the table there; with ckpt_to_load_from.
      max_norm: a longer row (L2) is scaled down to this length where it is looked up.
      trainable: training changes the rows.
      use_safe_embedding_lookup: True: rows of the data without an id get zeros.
    """
    table = _check_table(
        dimension, combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt, max_norm, trainable,
        use_safe_embedding_lookup,
    )  # fmt: skip
    return EmbeddingColumn(_check_categorical(categorical_column), table)


def shared_embeddings(
    categorical_columns: Iterable[CategoricalColumn],
    dimension: int,
    combiner: str = "mean",
    initializer: Initializer | str | None = None,
    shared_embedding_collection_name: str | None = None,
    ckpt_to_load_from: str | os.PathLike[str] | None = None,
    tensor_name_in_ckpt: str | None = None,
    max_norm: float | None = None,
    trainable: bool = True,
    use_safe_embedding_lookup: bool = True,
) -> list[SharedEmbeddingColumn]:
    """Embeddings of several columns that look up one table; one for each column, in their order.

    Args:
      categorical_columns: at least two, of one kind and of equal numbers of ids.
      shared_embedding_collection_name: of the table; None: the columns' names, sorted, and "_shared_embedding".
      dimension, combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt, max_norm, trainable,
        use_safe_embedding_lookup: as of embedding_column.
    """
    columns = tuple(_check_categorical(column) for column in categorical_columns)
    if len(columns) < 2:
        raise ValueError(f"shared_embeddings takes at least two columns; found {len(columns)}")
    # The kind without weights: a weighted column may share with one that has none.
    kinds = {type(c.categorical_column if isinstance(c, WeightedCategoricalColumn) else c) for c in columns}
    if len(kinds) > 1:
        raise ValueError(f"all categorical_columns must have the same type. Given: {[c.name for c in columns]}")
    for column in columns[1:]:
        if column.num_buckets != columns[0].num_buckets:
            raise ValueError(
                f"all categorical_columns must have the same num_buckets: '{columns[0].name}' has "
                f"{columns[0].num_buckets}, '{column.name}' has {column.num_buckets}"
            )
    table = _check_table(
        dimension, combiner, initializer, ckpt_to_load_from, tensor_name_in_ckpt, max_norm, trainable,
        use_safe_embedding_lookup,
    )  # fmt: skip
    name = shared_embedding_collection_name or "_".join(sorted(c.name for c in columns)) + "_shared_embedding"
    return [SharedEmbeddingColumn(column, columns, table, name) for column in columns]
