"""Columns of sequences in a model_fn: what they make of the steps of each row, as Tensors."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from mlc import df, ops
from mlc._build import describe
from mlc._graph import current, model_error
from mlc.feature_column._layers import checked, combined, counts, feature_of, keyed_ids, normalized, note_terms, table_of
from mlc.feature_column._types import (
    CategoricalColumn,
    EmbeddingColumn,
    FeatureColumn,
    IndicatorColumn,
    KeyedCategoricalColumn,
    SequenceNumericColumn,
    SharedEmbeddingColumn,
)
from mlc.layers._common import layer_scope
from mlc.tensor import Tensor
from mlc.variables import Variable, variable_scope


def sequence_input_layer(
    features: Mapping[str, Tensor], feature_columns: Iterable[FeatureColumn], trainable: bool = True
) -> tuple[Tensor, Tensor]:
    """What columns of sequences make of each step, one after the other in the order of their names, and how many steps
    each row has: float32 [rows, steps, numbers] and int64 [rows], for layers.dynamic_rnn.

    A key of ids is [rows, steps], or [rows, steps, k] of several values in a step, which embeddings combine and indicators
    count; '' and -1 are no values. A key of numbers is [rows, steps * numbers of a step], or has more dimensions; NaN is no
    number. As in TensorFlow, a row ends with its last step that has a value; a step before it that has none is zeros, or the
    default_value, and so are steps after it. In a row all keys have equally many steps, or the run ends with an error.

    Variables are called sequence_features/<column>/embedding_weights; those of a second layer sequence_features_1/...

    Args:
      features: those of the model_fn.
      feature_columns: columns of sequences that make numbers, each once.
      trainable: of the variables made here.
    """
    columns = checked(feature_columns, "sequence_input_layer", steps=True)
    with layer_scope(None, "sequence_features"):
        return steps_beside(columns, features, trainable)


def steps_beside(columns: list[Any], features: Mapping[str, Tensor], trainable: bool) -> tuple[Tensor, Tensor]:
    """As sequence_input_layer, of columns in their order; their variables are in the scope that is open."""
    parts = [_steps(column, features, trainable) for column in columns]
    first, lengths = parts[0]
    key = _key_of(columns[0])
    for column, (_, own) in zip(columns[1:], parts[1:], strict=True):
        other = _key_of(column)
        if other != key:
            what = f"steps of '{other}', which are as many as those of '{key}' in each row"
            df.check_ids(own - lengths, own, low=0, high=1, what=what, feature=other)
    return (ops.concatenate([each for each, _ in parts], axis=2) if len(parts) > 1 else first), lengths


def _key_of(column: FeatureColumn) -> str:
    while not isinstance(column, (SequenceNumericColumn, KeyedCategoricalColumn)):
        column = column.parents[0]  # type: ignore[assignment]  # a column of sequences is made of one
    return column.key


def _steps(column: FeatureColumn, features: Mapping[str, Tensor], trainable: bool) -> tuple[Tensor, Tensor]:
    """[rows, steps, numbers] of a column, and the lengths of its rows."""
    if isinstance(column, SequenceNumericColumn):
        return _numbers(column, feature_of(features, column.key))
    assert isinstance(column, (IndicatorColumn, EmbeddingColumn, SharedEmbeddingColumn))
    ids, lengths = ids_of_steps(column.categorical_column, features)
    buckets = column.categorical_column.num_buckets
    if isinstance(column, IndicatorColumn):
        return counts((ids, None), buckets), lengths
    table = _table(column, buckets, trainable)
    note_terms(table, column.categorical_column)
    return combined(table, ids, None, column.combiner, column.max_norm), lengths


def _table(column: EmbeddingColumn | SharedEmbeddingColumn, buckets: int, trainable: bool) -> Variable:
    shared = isinstance(column, SharedEmbeddingColumn)
    name = column.shared_embedding_collection_name if isinstance(column, SharedEmbeddingColumn) else column.name
    tables = current().shared_tables
    key = ("steps", column.sharers, name) if isinstance(column, SharedEmbeddingColumn) else None
    if key in tables:
        return tables[key]
    with variable_scope(name):
        table = table_of(column.table, "embedding_weights", buckets, trainable)
    if shared:
        tables[key] = table
    return table


def ids_of_steps(column: CategoricalColumn, features: Mapping[str, Tensor]) -> tuple[Tensor, Tensor]:
    """Ids of a categorical column of sequences, int64 [rows, steps, k], -1 where there is none, and the lengths of rows."""
    if not isinstance(column, KeyedCategoricalColumn):
        raise model_error(f"sequence_input_layer: '{column.name}' has weights, which steps of a sequence have not")
    cells = feature_of(features, column.key)
    if cells.ndim == 2:
        cells = ops.expand_dims(cells, 2)
    if cells.ndim != 3:
        raise model_error(f"'{column.key}': ids of steps are [rows, steps], or [rows, steps, k]\n{describe([cells])}")
    ids, present = keyed_ids(column, cells)
    return ids, _lengths(ops.any(present, axis=2))


def _numbers(column: SequenceNumericColumn, x: Tensor) -> tuple[Tensor, Tensor]:
    size = math.prod(column.shape)
    if "float" not in x.dtype:
        raise model_error(
            f"'{column.key}': numbers of steps are floats, in which NaN is none: pad rows by it\n{describe([x])}"
        )
    if x.ndim < 2:
        raise model_error(f"'{column.key}': numbers of steps are [rows, steps, ..]\n{describe([x])}")
    x = ops.cast(x, "float32")
    absent = ops.isnan(x)
    present = ops.logical_not(absent)
    x = ops.where(absent, column.default_value, x)
    if x.ndim == 2:
        x, present = _cut(x, size, column), _cut(present, size, column)
        lengths = _lengths(ops.any(present, axis=2))
    else:
        lengths = _lengths(ops.any(present, axis=list(range(2, x.ndim))))
        x = _cut(x, size, column)
    return normalized(column, x), lengths


def _cut(x: Tensor, size: int, column: SequenceNumericColumn) -> Tensor:
    """[rows, steps, size] of [rows, ..]."""
    if x.ndim == 2 and size == 1:
        return ops.expand_dims(x, 2)
    if x.ndim == 3 and x.shape[2] == size:
        return x
    count = math.prod(n or 0 for n in x.shape[1:])
    if None in x.shape[1:] or count % size:
        raise model_error(
            f"'{column.key}' has the shape {column.shape} in each step, so each row has a known number of numbers, a multiple "
            f"of {size}, or [steps, {size}] of them\n{describe([x])}"
        )
    return ops.reshape(x, [-1, count // size, size])


def _lengths(present: Tensor) -> Tensor:
    """int64 [rows]: the number of the last step that there is, of [rows, steps] of bool."""
    numbers = ops.cumsum(ops.ones_like(present, "int64"), axis=1)
    return ops.max(ops.where(present, numbers, 0), axis=1)
