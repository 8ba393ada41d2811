"""Metrics that are means over elements."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from mlc import df, ops
from mlc._build import as_tensor, describe
from mlc._graph import model_error
from mlc.metrics._metric import Metric, weights_for
from mlc.ops._broadcast import same_shape
from mlc.tensor import Tensor


def mean(values: Any, weights: Any = None, name: str = "mean") -> Metric:
    """sum(w v) / sum(w); 0 of nothing."""
    v = ops.cast(as_tensor(values, "float32"), "float64")
    w = weights_for(v, weights)
    return Metric(
        {"total": ops.sum(v * w), "count": ops.sum(w)},
        lambda total: ops.divide_no_nan(total["total"], total["count"]),
        name,
    )


def pair(labels: Any, predictions: Any, what: str, dtype: str | None = None) -> tuple[Tensor, Tensor]:
    """Labels and predictions of one shape; of [n] and [n, 1] both are [n]."""
    wanted, predicted = as_tensor(labels), as_tensor(predictions)
    if dtype is not None:
        wanted, predicted = ops.cast(wanted, dtype), ops.cast(predicted, dtype)
    if wanted.ndim == predicted.ndim + 1 and wanted.shape[-1] == 1:
        wanted = ops.squeeze(wanted, -1)
    if predicted.ndim == wanted.ndim + 1 and predicted.shape[-1] == 1:
        predicted = ops.squeeze(predicted, -1)
    one, other = same_shape([wanted, predicted], what)
    return one, other


def accuracy(labels: Any, predictions: Any, weights: Any = None, name: str = "accuracy") -> Metric:
    """The share of predictions that are the label."""
    wanted, predicted = pair(labels, predictions, "accuracy")
    if wanted.dtype != predicted.dtype:
        predicted = ops.cast(predicted, wanted.dtype)
    return mean(ops.cast(ops.equal(wanted, predicted), "float64"), weights, name)


def mean_squared_error(labels: Any, predictions: Any, weights: Any = None, name: str = "mean_squared_error") -> Metric:
    """The mean of (label - prediction)^2."""
    wanted, predicted = pair(labels, predictions, "mean_squared_error", "float32")
    return mean(ops.squared_difference(predicted, wanted), weights, name)


def root_mean_squared_error(
    labels: Any, predictions: Any, weights: Any = None, name: str = "root_mean_squared_error"
) -> Metric:
    """The root of mean_squared_error."""
    wanted, predicted = pair(labels, predictions, "root_mean_squared_error", "float32")
    square = ops.cast(ops.squared_difference(predicted, wanted), "float64")
    w = weights_for(square, weights)
    return Metric(
        {"total": ops.sum(square * w), "count": ops.sum(w)},
        lambda total: ops.sqrt(ops.divide_no_nan(total["total"], total["count"])),
        name,
    )


def mean_absolute_error(labels: Any, predictions: Any, weights: Any = None, name: str = "mean_absolute_error") -> Metric:
    """The mean of |label - prediction|."""
    wanted, predicted = pair(labels, predictions, "mean_absolute_error", "float32")
    return mean(ops.abs(predicted - wanted), weights, name)


def mean_relative_error(
    labels: Any, predictions: Any, normalizer: Any, weights: Any = None, name: str = "mean_relative_error"
) -> Metric:
    """The mean of |label - prediction| / normalizer, 0 where that is 0."""
    wanted, predicted = pair(labels, predictions, "mean_relative_error", "float32")
    return mean(ops.divide_no_nan(ops.abs(wanted - predicted), normalizer), weights, name)


def mean_cosine_distance(
    labels: Any, predictions: Any, dim: int = -1, weights: Any = None, name: str = "mean_cosine_distance"
) -> Metric:
    """1 - the mean of sum(labels predictions) along `dim`."""
    wanted, predicted = pair(labels, predictions, "mean_cosine_distance", "float32")
    products = ops.cast(ops.sum(wanted * predicted, dim), "float64")
    w = weights_for(products, weights)
    return Metric(
        {"total": ops.sum(products * w), "count": ops.sum(w)},
        lambda total: 1.0 - ops.divide_no_nan(total["total"], total["count"]),
        name,
    )


def percentage_below(values: Any, threshold: float, weights: Any = None, name: str = "percentage_below") -> Metric:
    """The share of values below a threshold."""
    return mean(ops.cast(ops.less(values, threshold), "float64"), weights, name)


def top_k_accuracy(
    labels: Any, predictions: Any, k: int = 5, weights: Any = None, name: str = "top_k_accuracy"
) -> Metric:
    """The share of rows whose class, [n], is among the k largest predictions, [n, classes]."""
    _, classes = ops.top_k(predictions, k)
    wanted = ops.cast(as_tensor(labels), "int64")
    if wanted.ndim == 1:
        wanted = ops.expand_dims(wanted, 1)
    hits = ops.any(ops.equal(classes, wanted), axis=1)
    return mean(ops.cast(hits, "float64"), weights, name)


def mean_iou(labels: Any, predictions: Any, num_classes: int, weights: Any = None, name: str = "mean_iou") -> Metric:
    """The mean over classes of rows of the class that are predicted so / rows that are of it, or predicted so; classes of which
    there are no such rows are left out.

    Labels and predictions are classes, integers from 0 to num_classes - 1."""
    wanted, predicted = pair(labels, predictions, "mean_iou", "int64")
    w = weights_for(wanted, weights)
    cells = ops.reshape(wanted * num_classes + predicted, [-1])
    counts = df.bincount(cells, ops.reshape(w, [-1]), type_=("float64", [num_classes * num_classes]))

    def result(total: Mapping[str, Tensor]) -> Tensor:
        matrix = ops.reshape(total["counts"], [num_classes, num_classes])
        right = ops.sum(matrix * np.eye(num_classes), axis=1)
        either = ops.sum(matrix, axis=0) + ops.sum(matrix, axis=1) - right
        return ops.divide_no_nan(ops.sum(ops.divide_no_nan(right, either)), ops.sum(ops.cast(either > 0.0, "float64")))

    return Metric({"counts": counts}, result, name)


def mean_tensor(values: Any, weights: Any = None, name: str = "mean_tensor") -> Metric:
    """The mean over batches of each element of values, a Tensor of a known shape; weights are of that shape."""
    v = ops.cast(as_tensor(values, "float32"), "float64")
    w = weights_for(v, weights)
    return Metric({"total": v * w, "count": w}, lambda total: ops.divide_no_nan(total["total"], total["count"]), name)


def _of_the_best(labels: Any, predictions: Any, k: int, class_id: int | None, weights: Any, what: str) -> dict[str, Tensor]:
    """Of the k largest predictions of each row, [n, classes], and its labels, [n] or [n, labels]: how many are in both, and in one
    alone; of the class `class_id` alone, if it is given. And for each of the k whether it is a label, [n, k]."""
    scores, wanted = as_tensor(predictions, "float32"), ops.cast(as_tensor(labels), "int64")
    if wanted.ndim == 1:
        wanted = ops.expand_dims(wanted, 1)
    if scores.ndim != 2 or wanted.ndim != 2:
        raise model_error(f"{what}: expected labels [n] or [n, labels], and predictions [n, classes]\n{describe([wanted, scores])}")
    _, best = ops.top_k(scores, k)
    same = ops.equal(ops.expand_dims(wanted, 2), ops.expand_dims(best, 1))  # [n, labels, k]
    hits, is_label = ops.any(same, axis=1), ops.ones_like(wanted, "bool")
    told = ops.ones_like(best, "bool")
    if class_id is not None:
        is_label, told = ops.equal(wanted, class_id), ops.equal(best, class_id)
        hits = ops.logical_and(hits, told)
    w = weights_for(wanted[:, 0], weights)
    right = ops.sum(ops.cast(hits, "float64"), axis=1)
    return {
        "right": ops.sum(right * w),
        "missed": ops.sum((ops.sum(ops.cast(is_label, "float64"), axis=1) - right) * w),
        "wrong": ops.sum((ops.sum(ops.cast(told, "float64"), axis=1) - right) * w),
        "hits": hits, "weights": w,
    }  # fmt: skip


def _share_of_right(sums: Mapping[str, Tensor], others: str, name: str) -> Metric:
    """What is right of it and the others together, which the sums of _of_the_best tell."""
    parts = {key: sums[key] for key in ("right", others)}
    return Metric(parts, lambda total: ops.divide_no_nan(total["right"], total["right"] + total[others]), name)


def recall_at_k(
    labels: Any, predictions: Any, k: int, class_id: int | None = None, weights: Any = None, name: str = "recall_at_k"
) -> Metric:
    """The share of all labels, different ones of each row, [n] or [n, labels], that are among the k largest predictions of their
    row, [n, classes]; of the labels class_id alone, if it is given."""
    return _share_of_right(_of_the_best(labels, predictions, k, class_id, weights, "recall_at_k"), "missed", name)


def precision_at_k(
    labels: Any, predictions: Any, k: int, class_id: int | None = None, weights: Any = None, name: str = "precision_at_k"
) -> Metric:
    """The share of the k largest predictions of all rows, [n, classes], that are labels of their row, [n] or [n, labels]; of those
    of class_id alone, if it is given."""
    return _share_of_right(_of_the_best(labels, predictions, k, class_id, weights, "precision_at_k"), "wrong", name)


def average_precision_at_k(
    labels: Any, predictions: Any, k: int, weights: Any = None, name: str = "average_precision_at_k"
) -> Metric:
    """The mean over rows of the sum of precision_at_i, over those i up to k at which the prediction is a label, / the number of
    labels, at most k. Labels are [n] or [n, labels], different ones in a row; predictions [n, classes]."""
    sums = _of_the_best(labels, predictions, k, None, weights, "average_precision_at_k")
    hits = ops.cast(sums["hits"], "float64")
    shares = ops.cumsum(hits, axis=1) / np.arange(1.0, k + 1.0)
    wanted = as_tensor(labels)
    most = min(k, 1 if wanted.ndim == 1 else wanted.shape[1] or k)
    return mean(ops.sum(shares * hits, axis=1) / float(most), sums["weights"], name)


def mean_per_class_accuracy(
    labels: Any, predictions: Any, num_classes: int, weights: Any = None, name: str = "mean_per_class_accuracy"
) -> Metric:
    """The mean over classes of the share of their rows that are predicted right; a class without rows counts as 0.

    Labels and predictions are classes, integers from 0 to num_classes - 1."""
    wanted, predicted = pair(labels, predictions, "mean_per_class_accuracy", "int64")
    w = weights_for(wanted, weights)
    right = ops.cast(ops.equal(wanted, predicted), "float64") * w
    return Metric(
        {
            "right": df.bincount(wanted, right, type_=("float64", [num_classes])),
            "count": df.bincount(wanted, w, type_=("float64", [num_classes])),
        },
        lambda total: ops.mean(ops.divide_no_nan(total["right"], total["count"])),
        name,
    )
