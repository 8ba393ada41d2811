"""What heads make of logits, labels and weights in a model_fn: one shape beside the other, checked."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

import mlc
from mlc._build import as_tensor, declare_vocabulary, describe
from mlc._graph import model_error
from mlc.errors import ModelError, ModelTypeError, UnsupportedError
from mlc.feature_column._types import NumericColumn

if TYPE_CHECKING:
    from mlc.tensor import Tensor

_LOWEST = float(np.finfo(np.float32).min)


def checked_logits(logits: Any, dimension: int) -> Tensor:
    """Logits as float32, [rows, .., dimension]."""
    if isinstance(logits, Mapping):
        raise model_error("logits are a dict, as a MultiHead takes them; expected one Tensor", ModelTypeError)
    tensor = as_tensor(logits, "float32")
    if tensor.dtype in ("string", "bool"):
        raise model_error(f"logits are {tensor.type_string}; expected numbers", ModelTypeError)
    if tensor.ndim < 2 or tensor.shape[-1] != dimension:
        raise model_error(
            f"logits shape must be [D0, D1, ... DN, logits_dimension], got {tensor.type_string}; expected the "
            f"logits_dimension {dimension}"
        )
    return mlc.ops.cast(tensor, "float32")


def label_tensor(labels: Any) -> Tensor:
    """Labels of one head as a Tensor."""
    if labels is None:
        raise model_error(
            "You must provide a labels Tensor. Given: None. Suggested troubleshooting steps: Check that your data "
            "contains your label feature. Check that your input_fn properly parses and returns labels."
        )
    if isinstance(labels, Mapping):
        raise model_error(f"labels are a dict of {list(labels)}; expected one Tensor: labels[key]", ModelTypeError)
    return as_tensor(labels)


def beside_logits(labels: Tensor, logits: Tensor, dimension: int) -> Tensor:
    """Labels [.., dimension] of logits [.., n]; those of [..] get a dimension of 1 more."""
    if labels.ndim == logits.ndim - 1:
        labels = mlc.ops.expand_dims(labels, -1)
    if labels.ndim != logits.ndim:
        raise model_error(f"labels shape must be [D0, D1, ... DN, {dimension}]\n{_both(labels, logits)}")
    if labels.shape[-1] not in (None, dimension):
        raise model_error(
            f"Mismatched label shape. Expected labels dimension={dimension}.  Received {labels.shape[-1]}. Check "
            f"n_classes, or label_dimension, of the head, and the shape of your label\n{_both(labels, logits)}"
        )
    if not _same_rows(labels, logits):
        raise model_error(f"labels and logits have different shapes\n{_both(labels, logits)}")
    if labels.shape[-1] is None:
        return mlc.df.cast_shape(labels, type_=(labels.dtype, [*labels.shape[:-1], dimension]))
    return labels


def _same_rows(one: Tensor, other: Tensor) -> bool:
    """Whether all dimensions but the last are alike, as far as they are known."""
    return all(a == b or None in (a, b) for a, b in zip(one.shape[:-1], other.shape[:-1], strict=True))


def _both(labels: Tensor, logits: Tensor) -> str:
    return describe([labels, logits]).replace("operands", "labels and logits")


# Labels of classes


def needs_vocabulary(labels: Tensor) -> ModelError:
    """The error of texts for a head that has no vocabulary."""
    return model_error(
        f"labels are {labels.type_string}; give the head a label_vocabulary, the labels of all classes in order",
        ModelTypeError,
    )


def label_table(vocabulary: tuple[str, ...]) -> str:
    """The name of the vocabulary of a head in the module."""
    return declare_vocabulary(("labels", vocabulary), "labels", lambda: vocabulary)


def class_ids(labels: Tensor, vocabulary: tuple[str, ...] | None, n_classes: int, what: str) -> Tensor:
    """int64 ids of labels, in their shape: integers, or texts of the vocabulary. A label that is none of them ends the
    run, with its row."""
    if vocabulary is None:
        if labels.dtype == "string":
            raise needs_vocabulary(labels)
        if "int" not in labels.dtype and labels.dtype != "bool":
            raise model_error(f"Labels dtype should be integer. Instead got {labels.type_string}.", ModelTypeError)
        return mlc.df.check_ids(mlc.ops.cast(labels, "int64"), low=0, high=n_classes, what=what)
    if labels.dtype != "string":
        raise model_error(
            f"Labels dtype should be string if there is a vocabulary. Instead got {labels.type_string}.", ModelTypeError
        )
    return _vocabulary_ids(labels, vocabulary, what)


def _vocabulary_ids(labels: Tensor, vocabulary: tuple[str, ...], what: str, may_be_empty: bool = False) -> Tensor:
    """int64 ids of texts [rows, ..], in their shape; with `may_be_empty` -1 for ''."""
    if None in labels.shape[1:]:
        raise model_error(f"labels are {labels.type_string}; expected a known number of texts for each row")
    table = label_table(vocabulary)
    width = math.prod(n or 0 for n in labels.shape[1:])
    cells = mlc.ops.reshape(labels, [-1])
    ids = mlc.df.lookup(cells, table=table)
    is_class = mlc.ops.not_equal(cells, "") if may_be_empty else None
    if is_class is not None:
        ids = mlc.ops.where(is_class, ids, 0)
    ends = None
    if width > 1:
        first = mlc.ops.reshape(cells, [-1, width])[:, 0]
        ends = mlc.ops.cumsum(mlc.ops.zeros_like(first, "int64") + width)
    checked = mlc.df.check_ids(ids, cells, ends, table=table, low=0, high=len(vocabulary), what=what)
    if is_class is not None:
        checked = mlc.ops.where(is_class, checked, -1)
    return mlc.ops.reshape(checked, [-1, *labels.shape[1:]])


def sets_of_classes(labels: Tensor, vocabulary: tuple[str, ...], what: str) -> Tensor:
    """float32 [rows, classes] of 0 and 1 of texts [rows, k], in which '' is none."""
    ids = _vocabulary_ids(labels, vocabulary, what, may_be_empty=True)
    return mlc.ops.max(mlc.ops.one_hot(ids, len(vocabulary)), axis=1)


def require_labels(labels: Tensor, holds: Tensor, what: str) -> None:
    """Ends the run at a row where `holds` does not; the message shows the largest of its numbers that are wrong."""
    axes = list(range(1, labels.ndim))
    wrong = mlc.ops.where(holds, _LOWEST, mlc.ops.cast(labels, "float32"))
    shown, each = mlc.ops.max(wrong, axes), mlc.ops.all(holds, axes)
    mlc.df.check_ids(mlc.ops.where(each, mlc.ops.zeros_like(each, "int64"), -1), shown, low=0, high=1, what=what)


def require_range(labels: Tensor, what: str, high: float | None = None) -> Tensor:
    """Labels as float32 numbers from 0 to `high`, or without end."""
    numbers = float_labels(labels)
    holds = numbers >= 0.0
    expected = "a number of at least 0"
    if high is not None:
        holds = mlc.ops.logical_and(holds, numbers <= high)
        expected = f"a number from 0 to {high:g}"
    require_labels(numbers, holds, f"{what}, {expected}")
    return numbers


def float_labels(labels: Tensor) -> Tensor:
    """Labels that are numbers, as float32."""
    if labels.dtype == "string":
        raise model_error(f"labels are {labels.type_string}; expected numbers", ModelTypeError)
    return mlc.ops.cast(labels, "float32")


def classes_of(ids: Tensor, vocabulary: tuple[str, ...] | None) -> Tensor:
    """Texts of class ids: their labels, or decimals."""
    return mlc.df.as_string(ids) if vocabulary is None else mlc.df.term(ids, table=label_table(vocabulary))


def all_class_ids(scores: Tensor) -> Tensor:
    """int64 [rows, classes]: 0, 1, .. in each row of scores [rows, .., classes]."""
    while scores.ndim > 2:
        scores = scores[:, 0]
    return mlc.ops.zeros_like(scores, "int64") + np.arange(scores.shape[1] or 0)


# Weights


def weight_key(weight_column: str | NumericColumn | None) -> str | None:
    """The key of the weights of rows for a spec. UnsupportedError for a column with a normalizer."""
    if not isinstance(weight_column, NumericColumn):
        return weight_column
    if weight_column.normalizer_fn is not None:
        raise UnsupportedError(
            f"weight_column '{weight_column.key}' has a normalizer_fn; expected weights as the data has them"
        )
    return str(weight_column.key)


def weights_of(
    features: Any, weight_column: str | NumericColumn | None, logits: Tensor, per_logit: bool
) -> Tensor | None:
    """float32 weights beside logits: [.., 1], or with `per_logit` also of the logits' shape; None: all are 1."""
    if weight_column is None:
        return None
    from mlc.feature_column._layers import feature_of, normalized  # with all ops, which canned Estimators do not need

    key = weight_column if isinstance(weight_column, str) else weight_column.key
    if not isinstance(features, Mapping):
        raise model_error(f"weight_column '{key}' is a key of features; expected a dict, found {features!r}")
    weights = feature_of(features, key)
    if weights.dtype in ("string", "bool"):
        raise model_error(f"Weight column should be castable to float. Given dtype: {weights.dtype}", ModelTypeError)
    weights = mlc.ops.cast(weights, "float32")
    if isinstance(weight_column, NumericColumn):
        weights = normalized(weight_column, weights)
    if weights.ndim == logits.ndim - 1:
        weights = mlc.ops.expand_dims(weights, -1)
    widths = (1, logits.shape[-1]) if per_logit else (1,)
    if weights.ndim != logits.ndim or weights.shape[-1] not in widths or not _same_rows(weights, logits):
        more = " or [D0, D1, ... DN, logits_dimension]" if per_logit else ""
        raise model_error(
            f"weights shape must be [D0, D1, ... DN] or [D0, D1, ... DN, 1]{more}\n"
            f"{describe([weights, logits]).replace('operands', 'weights and logits')}"
        )
    return weights
