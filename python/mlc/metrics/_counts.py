"""Counts of right and wrong answers of two classes, precision and recall."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from typing import Any

from mlc import ops
from mlc.metrics._means import pair
from mlc.metrics._metric import Metric, weights_for
from mlc.tensor import Tensor


def _counts(labels: Any, predictions: Any, weights: Any, what: str) -> dict[str, Tensor]:
    wanted, predicted = pair(labels, predictions, what, "bool")
    w = weights_for(wanted, weights)
    cells = {
        "true_positives": wanted & predicted,
        "false_positives": ~wanted & predicted,
        "false_negatives": wanted & ~predicted,
        "true_negatives": ~wanted & ~predicted,
    }
    return {name: ops.sum(ops.cast(cell, "float64") * w) for name, cell in cells.items()}


def _count(which: str) -> Any:
    def metric(labels: Any, predictions: Any, weights: Any = None, name: str = which) -> Metric:
        counts = _counts(labels, predictions, weights, which)
        return Metric({"count": counts[which]}, lambda total: total["count"], name)

    metric.__name__ = metric.__qualname__ = which
    metric.__doc__ = f"The weight of {which.replace('_', ' ')}; labels and predictions count as true unless they are 0."
    return metric


true_positives = _count("true_positives")
false_positives = _count("false_positives")
true_negatives = _count("true_negatives")
false_negatives = _count("false_negatives")


def _share(labels: Any, predictions: Any, weights: Any, rest: str, name: str) -> Metric:
    counts = _counts(labels, predictions, weights, name)
    return Metric(
        {key: counts[key] for key in ("true_positives", rest)},
        lambda total: ops.divide_no_nan(total["true_positives"], total["true_positives"] + total[rest]),
        name,
    )


def precision(labels: Any, predictions: Any, weights: Any = None, name: str = "precision") -> Metric:
    """True positives / all that are predicted true; 0 of nothing."""
    return _share(labels, predictions, weights, "false_positives", name)


def recall(labels: Any, predictions: Any, weights: Any = None, name: str = "recall") -> Metric:
    """True positives / all that are true; 0 of nothing."""
    return _share(labels, predictions, weights, "false_negatives", name)
