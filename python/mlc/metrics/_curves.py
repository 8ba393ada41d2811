"""Metrics over thresholds: areas under curves, precision and recall at thresholds."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mlc import df, ops
from mlc._graph import model_error
from mlc.metrics._means import pair
from mlc.metrics._metric import Metric, weights_for
from mlc.tensor import Tensor

_EPSILON = 1e-7


def _sums(labels: Any, predictions: Any, weights: Any, thresholds: Sequence[float], what: str) -> dict[str, Tensor]:
    """Weights of true and of false rows by the number of ascending thresholds that are below their prediction."""
    wanted, predicted = pair(labels, predictions, what)
    scores = ops.reshape(ops.cast(predicted, "float32"), [-1])
    truth = ops.reshape(ops.cast(ops.cast(wanted, "bool"), "float64"), [-1])
    w = ops.reshape(weights_for(wanted, weights), [-1])
    bounds = np.asarray(thresholds, dtype=np.float32)
    # A prediction p is above as many thresholds as are less than p.
    bins = df.searchsorted(ops.constant(bounds), scores)
    shape = ("float64", [len(bounds) + 1])
    return {
        "positives": df.bincount(bins, truth * w, type_=shape),
        "negatives": df.bincount(bins, (1.0 - truth) * w, type_=shape),
    }


def _above(total: Mapping[str, Tensor]) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """True and false positives at each threshold, all positives and all negatives."""
    positives, negatives = (ops.cumsum(total[key], 0, reverse=True) for key in ("positives", "negatives"))
    return positives[1:], negatives[1:], positives[0], negatives[0]


def _curve_thresholds(count: int) -> list[float]:
    return [0.0 - _EPSILON, *((i + 1) / (count - 1) for i in range(count - 2)), 1.0 + _EPSILON]


def auc(
    labels: Any, predictions: Any, weights: Any = None, num_thresholds: int = 200, curve: str = "ROC",
    summation_method: str = "trapezoidal", name: str = "auc",
) -> Metric:  # fmt: skip
    """The area under the ROC or PR curve through `num_thresholds` thresholds, as tf.metrics.auc approximates it.

    Args:
      predictions: in [0, 1].
      curve: "ROC" or "PR".
      summation_method: "trapezoidal", or for PR "careful_interpolation"; "interpolation" is that of Keras' AUC: for ROC
        trapezoids of rates without an epsilon, for PR "careful_interpolation".
    """
    if curve not in ("ROC", "PR"):
        raise model_error(f"auc: curve is {curve!r}; expected 'ROC' or 'PR'")
    methods = ("trapezoidal", "interpolation", *(("careful_interpolation",) if curve == "PR" else ()))
    if summation_method not in methods:
        raise model_error(f"auc: summation_method is {summation_method!r}; expected {' or '.join(map(repr, methods))}")

    def result(total: Mapping[str, Tensor]) -> Tensor:
        tp, fp, positives, negatives = _above(total)
        if curve == "PR" and summation_method != "trapezoidal":
            return _interpolated(tp, fp, positives)
        rate = (tp + _EPSILON) / (positives + _EPSILON)
        if summation_method == "interpolation":
            x, y = ops.divide_no_nan(fp, negatives), ops.divide_no_nan(tp, positives)
        elif curve == "ROC":
            x, y = fp / (negatives + _EPSILON), rate
        else:
            x, y = rate, (tp + _EPSILON) / (tp + fp + _EPSILON)
        return ops.sum((x[:-1] - x[1:]) * (y[:-1] + y[1:]) / 2.0)

    return Metric(_sums(labels, predictions, weights, _curve_thresholds(num_thresholds), "auc"), result, name)


def _interpolated(tp: Tensor, fp: Tensor, positives: Tensor) -> Tensor:
    """Davis and Goadrich (2006): true positives grow linearly in all positives between two thresholds."""
    dtp = tp[:-1] - tp[1:]
    p = tp + fp
    slope = ops.divide_no_nan(dtp, p[:-1] - p[1:])
    intercept = tp[1:] - slope * p[1:]
    both = ops.logical_and(p[:-1] > 0.0, p[1:] > 0.0)
    ratio = ops.where(both, ops.divide_no_nan(p[:-1], p[1:]), 1.0)
    return ops.sum(ops.divide_no_nan(slope * (dtp + intercept * ops.log(ratio)), positives))


def _ascending(thresholds: Sequence[float], what: str) -> list[float]:
    listed = [float(t) for t in thresholds]
    if not listed or listed != sorted(listed):
        raise model_error(f"{what}: thresholds are {listed}; expected some, ascending")
    return listed


def precision_at_thresholds(
    labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any = None,
    name: str = "precision_at_thresholds",
) -> Metric:  # fmt: skip
    """Precision where predictions above each threshold are true: a vector in the order of the ascending thresholds."""

    def result(total: Mapping[str, Tensor]) -> Tensor:
        tp, fp, _, _ = _above(total)
        return tp / (tp + fp + _EPSILON)

    return Metric(_sums(labels, predictions, weights, _ascending(thresholds, name), name), result, name)


def recall_at_thresholds(
    labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any = None, name: str = "recall_at_thresholds"
) -> Metric:
    """Recall where predictions above each threshold are true: a vector in the order of the ascending thresholds."""

    def result(total: Mapping[str, Tensor]) -> Tensor:
        tp, _, positives, _ = _above(total)
        return tp / (positives + _EPSILON)

    return Metric(_sums(labels, predictions, weights, _ascending(thresholds, name), name), result, name)


def _count_at_thresholds(which: str) -> Any:
    def metric(labels: Any, predictions: Any, thresholds: Sequence[float], weights: Any = None, name: str = which) -> Metric:
        def result(total: Mapping[str, Tensor]) -> Tensor:
            tp, fp, positives, negatives = _above(total)
            cells = {
                "true_positives": tp, "false_positives": fp, "false_negatives": positives - tp, "true_negatives": negatives - fp,
            }  # fmt: skip
            return cells[which.removesuffix("_at_thresholds")]

        return Metric(_sums(labels, predictions, weights, _ascending(thresholds, name), name), result, name)

    metric.__name__ = metric.__qualname__ = which
    metric.__doc__ = (
        f"The weight of {which.removesuffix('_at_thresholds').replace('_', ' ')} where predictions above each threshold are true: a "
        "vector in the order of the ascending thresholds."
    )
    return metric


true_positives_at_thresholds = _count_at_thresholds("true_positives_at_thresholds")
false_positives_at_thresholds = _count_at_thresholds("false_positives_at_thresholds")
true_negatives_at_thresholds = _count_at_thresholds("true_negatives_at_thresholds")
false_negatives_at_thresholds = _count_at_thresholds("false_negatives_at_thresholds")


def specificity_at_sensitivity(
    labels: Any, predictions: Any, sensitivity: float, weights: Any = None, num_thresholds: int = 200,
    name: str = "specificity_at_sensitivity",
) -> Metric:  # fmt: skip
    """The share of false rows that are told so at the one of num_thresholds thresholds whose recall is nearest to the
    sensitivity that is asked for, the largest of several."""

    def result(total: Mapping[str, Tensor]) -> Tensor:
        tp, fp, positives, negatives = _above(total)
        distance = ops.abs(tp / (positives + _EPSILON) - sensitivity)
        last = num_thresholds - 1 - ops.argmin(ops.flip(distance, 0))
        return ops.gather((negatives - fp) / (negatives + _EPSILON), last)

    return Metric(_sums(labels, predictions, weights, _curve_thresholds(num_thresholds), name), result, name)


def sensitivity_at_specificity(
    labels: Any, predictions: Any, specificity: float, weights: Any = None, num_thresholds: int = 200,
    name: str = "sensitivity_at_specificity",
) -> Metric:  # fmt: skip
    """The recall at the one of num_thresholds thresholds whose specificity is nearest to the one that is asked for."""

    def result(total: Mapping[str, Tensor]) -> Tensor:
        tp, fp, positives, negatives = _above(total)
        reached = (negatives - fp) / (negatives + _EPSILON)
        nearest = ops.argmin(ops.abs(reached - specificity))
        return ops.gather(tp / (positives + _EPSILON), nearest)

    return Metric(_sums(labels, predictions, weights, _curve_thresholds(num_thresholds), name), result, name)
