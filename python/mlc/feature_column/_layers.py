"""Feature columns in a model_fn: what they make of features, as Tensors."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from mlc import df, initializers, ops
from mlc._build import as_tensor, declare_vocabulary, describe
from mlc._graph import current, model_error
from mlc.errors import SpecError, did_you_mean
from mlc.feature_column._types import (
    BucketizedColumn,
    CategoricalColumn,
    CrossedColumn,
    DenseColumn,
    EmbeddingColumn,
    FeatureColumn,
    HashedCategoricalColumn,
    IdentityCategoricalColumn,
    IndicatorColumn,
    KeyedCategoricalColumn,
    NumericColumn,
    SequenceNumericColumn,
    SharedEmbeddingColumn,
    Table,
    VocabularyFileCategoricalColumn,
    VocabularyListCategoricalColumn,
    WeightedCategoricalColumn,
)
from mlc.feature_column._vocabulary_file import read_terms
from mlc.feature_column.normalizers import Log1p
from mlc.layers._common import layer_scope
from mlc.tensor import Tensor
from mlc.variables import Variable, get_variable, variable_scope

_DEFAULT_HASH_KEY = 0xDECAFCAFFE


def input_layer(features: Mapping[str, Tensor], feature_columns: Iterable[FeatureColumn], trainable: bool = True) -> Tensor:
    """What dense columns make of the features, one after the other in the order of their names: [rows, numbers].

    Variables are called input_layer/<column>/embedding_weights; those of a second layer input_layer_1/... A column of ids may be [rows], or [rows, k] where '' and
    -1 are no values.

    Args:
      features: those of the model_fn.
      feature_columns: dense columns, each once.
      trainable: of the variables made here.
    """
    columns = checked(feature_columns, "input_layer")
    with layer_scope(None, "input_layer"):
        return dense_beside(columns, features, trainable)


def dense_beside(columns: Iterable[Any], features: Mapping[str, Tensor], trainable: bool) -> Tensor:
    """[rows, numbers] of dense columns, one after the other; their variables are in the scope that is open."""
    return ops.concatenate([_dense(column, features, trainable) for column in columns], axis=1)


def linear_model(
    features: Mapping[str, Tensor], feature_columns: Iterable[FeatureColumn], units: int = 1, sparse_combiner: str = "sum",
    trainable: bool = True,
) -> Tensor:  # fmt: skip
    """A linear model of columns of any kind: [rows, units], the sum of each column's weights and of bias_weights.

    Variables are called linear_model/<column>/weights, those of a second model linear_model_1/...; they begin as 0. Ids of a row are combined by `sparse_combiner`.
    trainable: optimizers may move the weights. feature_columns are all in one model; a name may stand there once.
    """
    columns = checked(feature_columns, "linear_model", dense=False)
    total: Any = 0.0
    with layer_scope(None, "linear_model"):
        for column in columns:
            if isinstance(column, CategoricalColumn):
                weights = _weights(column.name, column.num_buckets, units, trainable)
                note_terms(weights, column)
                total = combined(weights, *_ids(column, features), sparse_combiner) + total
            else:
                dense = _dense(column, features, trainable)
                weights = _weights(column.name, dense.shape[1] or 0, units, trainable)
                if isinstance(column, IndicatorColumn):
                    note_terms(weights, column.categorical_column)
                total = dense @ weights + total
        bias = get_variable("bias_weights", [units], initializer="zeros", trainable=trainable)
    return as_tensor(total + bias)


def _weights(name: str, count: int, units: int, trainable: bool) -> Variable:
    with variable_scope(name):
        return get_variable("weights", [count, units], initializer="zeros", trainable=trainable)


def checked(columns: Any, layer: str, dense: bool = True, steps: bool = False) -> list[Any]:
    """The columns in the order of their names; with `steps` they are of sequences."""
    if isinstance(columns, FeatureColumn):
        columns = [columns]
    listed = list(columns)
    if not listed:
        raise model_error(f"{layer}: feature_columns must not be empty")
    names: set[str] = set()
    for column in listed:
        if not isinstance(column, FeatureColumn):
            raise model_error(f"{layer}: items must be columns of mlc.feature_column; found {column!r}")
        if column.is_sequence != steps:
            other = "input_layer" if steps else "sequence_input_layer"
            raise model_error(f"{layer}: '{column.name}' is {'no' if steps else 'a'} sequence; {other} takes it")
        if dense and isinstance(column, CategoricalColumn) and not isinstance(column, DenseColumn):
            raise model_error(
                f"{layer}: '{column.name}' is categorical; wrap it with indicator_column or embedding_column"
            )
        if column.name in names:
            raise model_error(f"{layer}: there are two columns of the name '{column.name}'")
        names.add(column.name)
    return sorted(listed, key=lambda column: str(column.name))


def feature_of(features: Mapping[str, Tensor], key: str) -> Tensor:
    """The feature of a key. ModelError, which names those that there are, without it."""
    if key in features:
        return as_tensor(features[key])
    hint = did_you_mean(key, list(features))
    found = ", ".join(f"'{name}'" for name in features)
    raise model_error(f"features have no key '{key}'; found {found}" + (f"; {hint}" if hint else ""))


# Dense columns


def _dense(column: Any, features: Mapping[str, Tensor], trainable: bool) -> Tensor:
    """[rows, numbers]."""
    if isinstance(column, BucketizedColumn):
        return counts(_ids(column, features), column.num_buckets)
    if isinstance(column, NumericColumn):
        return _numbers(column, features)
    if isinstance(column, IndicatorColumn):
        return counts(_ids(column.categorical_column, features), column.categorical_column.num_buckets)
    if isinstance(column, EmbeddingColumn):
        with variable_scope(column.name):
            table = table_of(column.table, "embedding_weights", column.categorical_column.num_buckets, trainable)
    else:
        assert isinstance(column, SharedEmbeddingColumn)
        table = _shared_table(column, trainable)
    note_terms(table, column.categorical_column)
    ids, weights = _ids(column.categorical_column, features)
    return combined(table, ids, weights, column.table.combiner, column.table.max_norm)


def _numbers(column: NumericColumn, features: Mapping[str, Tensor]) -> Tensor:
    x = ops.cast(feature_of(features, column.key), "float32")
    size = math.prod(column.shape)
    if math.prod(n or 0 for n in x.shape[1:]) != size:
        raise model_error(f"column '{column.key}' has the shape {column.shape}\n{describe([x])}")
    if len(column.shape) == 1 or column.normalizer_fn is None:
        return normalized(column, ops.reshape(x, [-1, size]))
    return ops.reshape(normalized(column, ops.reshape(x, [-1, *column.shape])), [-1, size])


def normalized(column: NumericColumn | SequenceNumericColumn, x: Tensor) -> Tensor:
    """What the normalizer of a column makes of its numbers."""
    if column.normalizer_fn is None:
        return x
    if isinstance(column.normalizer_fn, Log1p):
        return ops.log1p(x)  # type: ignore[no-any-return]
    return as_tensor(column.normalizer_fn(x))


def counts(values: tuple[Tensor, Tensor | None], buckets: int) -> Tensor:
    """[.., buckets]: how often each id occurs among [.., k], or the sum of their weights."""
    ids, weights = values
    marks = df.one_hot(ids, type_=("float32", [*ids.shape, buckets]))
    if weights is not None:
        marks = marks * ops.expand_dims(weights, -1)
    return ops.sum(marks, axis=ids.ndim - 1)


def table_of(table: Table, name: str, rows: int, trainable: bool) -> Variable:
    """The variable `name` of a table, of so many rows."""
    initializer = table.initializer or initializers.TruncatedNormal(0.0, 1 / math.sqrt(table.dimension))
    return get_variable(
        name, [rows, table.dimension], initializer=initializer, trainable=trainable and table.trainable
    )


def note_terms(table: Variable, column: CategoricalColumn) -> None:
    """Notes that the rows of a variable stand for the terms of a column's vocabulary, if it has one: checkpoints keep it."""
    if isinstance(column, WeightedCategoricalColumn):
        column = column.categorical_column
    if isinstance(column, (VocabularyListCategoricalColumn, VocabularyFileCategoricalColumn)):
        current().graph.vocabulary_uses[table.name, 0] = _vocabulary(column)


def _shared_table(column: SharedEmbeddingColumn, trainable: bool) -> Variable:
    """The table that the column shares with others, also of other layers: a variable of the first that asks."""
    tables = current().shared_tables
    key = (column.sharers, column.shared_embedding_collection_name)
    if key not in tables:
        name = column.shared_embedding_collection_name
        tables[key] = table_of(column.table, name, column.categorical_column.num_buckets, trainable)
    return tables[key]


def combined(
    table: Variable, ids: Tensor, weights: Tensor | None, combiner: str, max_norm: float | None = None
) -> Tensor:
    """The rows of a table at [.., k] ids, combined to [.., dimension]: an id below 0 counts for nothing."""
    rows = ops.gather(table, ids)
    axis = ids.ndim - 1
    if max_norm is not None:
        norm = ops.norm(rows, axis=ids.ndim, keepdims=True)
        rows = rows * (max_norm / ops.maximum(norm, max_norm))
    if ids.shape[axis] == 1 and weights is None:
        return ops.squeeze(rows, axis) if axis > 1 else rows[:, 0]
    factors = ops.cast(ids >= 0, "float32")
    if weights is not None:
        # As in TensorFlow: for other combiners than sum a value of weight <= 0 is none.
        factors = factors * (weights if combiner == "sum" else ops.maximum(weights, 0.0))
    total = ops.sum(rows * ops.expand_dims(factors, ids.ndim), axis=axis)
    if combiner == "sum":
        return total
    weight = factors if combiner == "mean" else ops.square(factors)
    size = ops.sum(weight, axis=axis, keepdims=True)
    return ops.divide_no_nan(total, size if combiner == "mean" else ops.sqrt(size))


# Ids


def _ids(column: CategoricalColumn, features: Mapping[str, Tensor]) -> tuple[Tensor, Tensor | None]:
    """Ids, [rows, k] of int64, -1 where there is none, and their weights, or None."""
    if isinstance(column, WeightedCategoricalColumn):
        ids, _ = _ids(column.categorical_column, features)
        weights = _columns(ops.cast(feature_of(features, column.weight_feature_key), "float32"))
        weights = ops.where(ops.isnan(weights), 0.0, weights)  # after rows of fewer values
        if weights.shape[1] != ids.shape[1]:
            raise model_error(f"'{column.name}': there is a weight for each value\n{describe([ids, weights])}")
        return ids, weights
    if isinstance(column, BucketizedColumn):
        numbers = _numbers(column.source_column, features)
        ids = df.bucketize(numbers, boundaries=list(column.boundaries))
        step = len(column.boundaries) + 1
        return ids + np.arange(numbers.shape[1] or 1) * step, None
    if isinstance(column, CrossedColumn):
        return _crossed(column, features), None
    assert isinstance(column, KeyedCategoricalColumn)
    ids, _ = keyed_ids(column, _columns(feature_of(features, column.key)))
    return ids, None


def keyed_ids(column: KeyedCategoricalColumn, cells: Tensor) -> tuple[Tensor, Tensor]:
    """int64 ids of cells, in their shape, -1 where there is none; and whether there is a value, known or not."""
    present = ops.not_equal(cells, "") if cells.dtype == "string" else ops.not_equal(cells, -1)
    if (cells.dtype == "string") != (column.dtype == "string"):
        raise model_error(f"column '{column.key}' is one of {column.dtype}\n{describe([cells])}")
    if cells.dtype not in ("string", "int64"):
        cells = ops.cast(cells, "int64")
    if isinstance(column, HashedCategoricalColumn):
        ids = df.hash_bucket(df.fingerprint(cells), buckets=column.hash_bucket_size)
    elif isinstance(column, IdentityCategoricalColumn):
        ids = _identity(column, cells)
    else:
        assert isinstance(column, (VocabularyListCategoricalColumn, VocabularyFileCategoricalColumn))
        ids = df.lookup(cells, table=_vocabulary(column))
    return ops.where(present, ids, -1), present


def _columns(cells: Tensor) -> Tensor:
    """[rows, k] of [rows] or [rows, k]."""
    if cells.ndim not in (1, 2) or (cells.ndim == 2 and cells.shape[1] is None):
        raise model_error(f"ids are one per row, or a known number\n{describe([cells])}")
    return ops.expand_dims(cells, 1) if cells.ndim == 1 else cells


def _identity(column: IdentityCategoricalColumn, cells: Tensor) -> Tensor:
    inside = ops.logical_and(cells >= 0, cells < column.number_buckets)
    if column.default_value is not None:
        return ops.where(inside, cells, column.default_value)
    # As in TensorFlow, a negative number is no id, and one that is too large is an error.
    return df.check_ids(
        ops.where(cells < 0, -1, cells), low=-1, high=column.number_buckets,
        what=f"value of the identity column '{column.key}'", feature=column.key,
    )  # fmt: skip


def _vocabulary(column: VocabularyListCategoricalColumn | VocabularyFileCategoricalColumn) -> str:
    """The name of the vocabulary, which is declared once for a model."""

    def terms() -> Sequence[Any]:
        if isinstance(column, VocabularyListCategoricalColumn):
            return column.vocabulary_list
        try:
            return read_terms(column)
        except SpecError as error:
            raise model_error(str(error)) from None

    return declare_vocabulary(column, column.key, terms, column.num_oov_buckets, column.default_value)


def _ids_in_cross(column: CategoricalColumn, features: Mapping[str, Tensor]) -> tuple[Tensor, Tensor]:
    """Ids of a term of a cross, and whether there is a value: as in TensorFlow a text that is in no vocabulary is one, with
    the id -1."""
    if isinstance(column, (VocabularyListCategoricalColumn, VocabularyFileCategoricalColumn)):
        return keyed_ids(column, _columns(feature_of(features, column.key)))
    ids, _ = _ids(column, features)
    return ids, ids >= 0


def _crossed(column: CrossedColumn, features: Mapping[str, Tensor]) -> Tensor:
    """Of each combination of the terms' values the hash, the last term running fastest.

    Categorical terms and keys of several values come first, then keys of one text per row, whose '' is a value.
    """

    def is_single(leaf: CategoricalColumn | str) -> bool:
        return isinstance(leaf, str) and feature_of(features, leaf).ndim == 1

    leaves = sorted(column.leaves, key=is_single)
    hashes: Tensor | None = None
    present: Tensor | None = None
    for leaf in leaves:
        if isinstance(leaf, str):
            cells = _columns(feature_of(features, leaf))
            if cells.dtype != "string":
                raise model_error(f"crossed_column '{column.name}': '{leaf}' is one of texts\n{describe([cells])}")
            values = df.fingerprint(cells)
            there = ops.ones_like(cells, "bool") if is_single(leaf) else ops.not_equal(cells, "")
        else:
            values, there = _ids_in_cross(leaf, features)
        if hashes is None or present is None:
            key = _DEFAULT_HASH_KEY if column.hash_key is None else column.hash_key
            hashes = df.fingerprint_cat(ops.zeros_like(values) + key, values)
            present = there
            continue
        left, right = ops.expand_dims(hashes, 2), ops.expand_dims(values, 1)
        count = (hashes.shape[1] or 1) * (values.shape[1] or 1)
        both = [ops.reshape(part, [-1, count]) for part in _grid(left, right)]
        seen = [ops.reshape(part, [-1, count]) for part in _grid(ops.expand_dims(present, 2), ops.expand_dims(there, 1))]
        hashes, present = df.fingerprint_cat(*both), ops.logical_and(*seen)
    assert hashes is not None and present is not None
    return ops.where(present, df.hash_bucket(hashes, buckets=column.hash_bucket_size), -1)


def _grid(left: Tensor, right: Tensor) -> list[Tensor]:
    from mlc.ops._broadcast import same_shape

    return same_shape([left, right], "crossed_column")
