"""Checks of the arguments of heads, with TensorFlow's words where it has some."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import inspect
import math
import numbers
import operator
from collections.abc import Callable, Iterable, Mapping, Set
from typing import Any

from mlc.feature_column._types import NumericColumn

REDUCTIONS = ("sum_over_batch_size", "sum", "mean")
SUM_OVER_BATCH_SIZE = REDUCTIONS[0]
_LOSS_FN_REQUIRED = ("labels", "logits")
LOSS_FN_OPTIONAL = ("features", "loss_reduction")


def check_reduction(loss_reduction: Any) -> str:
    """How the losses of rows become that of a step.

    "sum_over_batch_size", also as "auto": the weighted sum / the number of losses; "sum": the weighted sum; mlc's own
    "mean": the weighted sum / the sum of the weights. Case and what stands before a point do not count. ValueError for
    anything else.
    """
    name = str(loss_reduction).rpartition(".")[2].lower()
    if name == "auto":
        return SUM_OVER_BATCH_SIZE
    if name not in REDUCTIONS:
        raise ValueError(f"Invalid loss_reduction: {loss_reduction}; expected one of {', '.join(REDUCTIONS)}")
    return name


def check_weight_column(weight_column: Any) -> str | NumericColumn | None:
    """The key of the weights, or their column; None: all are 1."""
    if weight_column is None or isinstance(weight_column, str):
        return weight_column or None
    if not isinstance(weight_column, NumericColumn):
        raise TypeError(f"Weight column must be either a string or NumericColumn. Given type: {type(weight_column)}.")
    return weight_column


def check_integer(value: Any, least: int, what: str) -> int:
    """An integer of at least `least`. ValueError for anything else."""
    try:
        number = operator.index(value)
    except TypeError:
        number = least - 1
    if isinstance(value, bool) or number < least:
        raise ValueError(f"{what} must be an integer of at least {least}; found {value!r}")
    return number


def check_vocabulary(label_vocabulary: Any, n_classes: int) -> tuple[str, ...] | None:
    """The labels, texts, of all classes in order; None: labels are numbers."""
    if label_vocabulary is None:
        return None
    if isinstance(label_vocabulary, (str, bytes, Mapping, Set)) or not isinstance(label_vocabulary, Iterable):
        raise ValueError(f"label_vocabulary should be a list of strings. Given type: {type(label_vocabulary)}")
    vocabulary = tuple(label_vocabulary)
    for label in vocabulary:
        if not isinstance(label, str):
            raise ValueError(f"label_vocabulary should be a list of strings; found {label!r}")
    if len(vocabulary) != n_classes:
        raise ValueError(f"Length of label_vocabulary must be n_classes ({n_classes}). Given: {len(vocabulary)}.")
    if len(set(vocabulary)) != n_classes:
        raise ValueError(f"label_vocabulary has a label twice: {list(vocabulary)}")
    return vocabulary


def check_thresholds(thresholds: Any) -> tuple[float, ...]:
    """Probabilities at which metrics are given, each once, as they tell the metrics' names."""
    if isinstance(thresholds, (str, bytes, int, float)):
        raise ValueError(f"thresholds should be a list of numbers in (0, 1); found {thresholds!r}")
    listed: dict[str, float] = {}
    for threshold in () if thresholds is None else thresholds:
        number = _number(threshold)
        if not 0.0 < number < 1.0:
            raise ValueError(f"thresholds must be in (0, 1) range. Given: {threshold!r}")
        name = f"{number:g}"
        if name in listed:
            raise ValueError(f"thresholds {listed[name]!r} and {threshold!r} have metrics of one name, {name}")
        listed[name] = number
    return tuple(listed.values())


def _number(value: Any) -> float:
    """A number as a float; NaN for anything else."""
    return float(value) if isinstance(value, numbers.Real) else math.nan


def check_weights(head_weights: Any, count: int) -> tuple[float, ...] | None:
    """Factors of the losses of `count` heads; None: 1."""
    if head_weights is None:
        return None
    listed = list(head_weights)
    if len(listed) != count:
        raise ValueError(
            f"heads and head_weights must have the same size. Given len(heads): {count}. Given len(head_weights): "
            f"{len(listed)}."
        )
    for weight in listed:
        if not math.isfinite(_number(weight)):
            raise ValueError(f"head_weights must be finite numbers; found {weight!r}")
    return tuple(map(float, listed))


def check_loss_fn(loss_fn: Any) -> Callable[..., Any] | None:
    """A function of labels and logits, and if it asks for them of features and loss_reduction."""
    if loss_fn is None:
        return None
    if not callable(loss_fn):
        raise ValueError(f"loss_fn must be a function of labels and logits; found {loss_fn!r}")
    arguments = list(inspect.signature(loss_fn).parameters)
    for name in _LOSS_FN_REQUIRED:
        if name not in arguments:
            raise ValueError(f"loss_fn must contain argument: {name}. Given arguments: {arguments}")
    invalid = [name for name in arguments if name not in (*_LOSS_FN_REQUIRED, *LOSS_FN_OPTIONAL)]
    if invalid:
        raise ValueError(f"loss_fn has unexpected args: {invalid}")
    return loss_fn  # type: ignore[no-any-return]


def check_function(function: Any, what: str) -> Callable[..., Any] | None:
    """A function, or None."""
    if function is not None and not callable(function):
        raise ValueError(f"{what} must be a function; found {function!r}")
    return function  # type: ignore[no-any-return]


def check_name(name: Any) -> str | None:
    """The name of a head, which its metrics have after theirs."""
    if name is not None and (not isinstance(name, str) or not name):
        raise ValueError(f"name of a head must be a text; found {name!r}")
    return name
