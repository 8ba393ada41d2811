"""The heads of canned Estimators, made of the arguments that say what is learned."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlc._model import Head
from mlc.errors import UnsupportedError
from mlc.feature_column._types import NumericColumn

_REDUCTIONS = ("sum_over_batch_size", "sum", "mean")


def _reduction(loss_reduction: Any) -> str:
    """How the losses of rows become that of a step.

    "sum_over_batch_size": the weighted sum / rows; "sum": the weighted sum; mlc's own "mean": the weighted sum / the
    sum of the weights. Case and what stands before a point do not count. ValueError for anything else.
    """
    name = str(loss_reduction).rpartition(".")[2].lower()
    if name not in _REDUCTIONS:
        raise ValueError(f"Invalid loss_reduction: {loss_reduction}; expected one of {', '.join(_REDUCTIONS)}")
    return name


def _weight_key(weight_column: Any) -> str | None:
    """The key of the weights of rows."""
    if weight_column is None or isinstance(weight_column, str):
        return weight_column or None
    if not isinstance(weight_column, NumericColumn):
        raise TypeError(f"Weight column must be either a string or NumericColumn. Given type: {type(weight_column)}.")
    if weight_column.normalizer_fn is not None:
        raise UnsupportedError(
            f"weight_column '{weight_column.key}' has a normalizer_fn; expected weights as the data has them"
        )
    return weight_column.key


def classifier_head(
    n_classes: int, weight_column: Any, label_vocabulary: Sequence[str] | None, loss_reduction: Any
) -> Head:
    """The head that tells classes.

    Args:
      n_classes: 2, or more.
      weight_column: key of a weight per row, or a numeric column; None: 1.
      label_vocabulary: the labels, texts, of all classes in order; None: labels are 0 to n_classes - 1.
      loss_reduction: see _reduction.

    Raises:
      ValueError: an argument out of range, or as many labels as there are not classes.
    """
    if isinstance(n_classes, bool) or not isinstance(n_classes, int) or n_classes < 2:
        raise ValueError(f"n_classes must be an integer of at least 2; found {n_classes!r}")
    vocabulary = None
    if label_vocabulary is not None:
        if isinstance(label_vocabulary, str):
            raise ValueError(f"label_vocabulary should be a list of strings. Given type: {type(label_vocabulary)}")
        vocabulary = tuple(label_vocabulary)
        for label in vocabulary:
            if not isinstance(label, str):
                raise ValueError(f"label_vocabulary should be a list of strings; found {label!r}")
        if len(vocabulary) != n_classes:
            raise ValueError(f"Length of label_vocabulary must be n_classes ({n_classes}). Given: {len(vocabulary)}.")
        if len(set(vocabulary)) != n_classes:
            raise ValueError(f"label_vocabulary has a label twice: {list(vocabulary)}")
    kind = "binary_class" if n_classes == 2 else "multi_class"
    return Head(kind, _reduction(loss_reduction), _weight_key(weight_column), n_classes, vocabulary)


def regressor_head(label_dimension: int, weight_column: Any, loss_reduction: Any) -> Head:
    """The head that tells label_dimension numbers, by the squared error.

    Raises:
      ValueError: an argument out of range.
    """
    if isinstance(label_dimension, bool) or not isinstance(label_dimension, int) or label_dimension < 1:
        raise ValueError(f"Invalid label_dimension {label_dimension}; expected an integer of at least 1")
    reduction, weight = _reduction(loss_reduction), _weight_key(weight_column)
    return Head("regression", reduction, weight, label_dimension=label_dimension)
