"""Metrics that are means over elements."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from typing import Any

from mlc import df, ops
from mlc._build import as_tensor
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
