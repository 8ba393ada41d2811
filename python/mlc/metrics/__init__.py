# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Metrics for model_fns: tf.compat.v1.metrics, with its names and defaults, as sums over all batches of an evaluation.

    eval_metric_ops={"accuracy": metrics.accuracy(labels, classes)}

A metric is a Metric: sums of batches, and a function that makes a number of them at the end. In a training step its
value (metric[0], metric[1] or metric.value) is that of the batch.

What several have as arguments:
  labels, predictions: of one shape; [n] and [n, 1] both are [n]. Of counts, precision and recall bools, or numbers that are
    true where they are not 0; of `auc` and thresholds predictions are probabilities.
  values: numbers of any shape.
  weights: of rows, [n] or [n, 1], or of the shape of the values; None: 1.
  thresholds: ascending numbers.
  k: how many.
  class_id: a class.
  name: in messages.

A metric that is an array is one in what evaluate returns; its elements have tags of their own in events, `<name>[0]`, ...

Shapes that do not fit are a ModelError, dtypes a ModelTypeError, at the line of the model_fn.
"""

from mlc.metrics._counts import false_negatives, false_positives, precision, recall, true_negatives, true_positives
from mlc.metrics._curves import (
    auc, false_negatives_at_thresholds, false_positives_at_thresholds, precision_at_thresholds, recall_at_thresholds,
    sensitivity_at_specificity, specificity_at_sensitivity, true_negatives_at_thresholds, true_positives_at_thresholds,
)  # fmt: skip
from mlc.metrics._means import (
    accuracy, average_precision_at_k, mean, mean_absolute_error, mean_cosine_distance, mean_iou, mean_per_class_accuracy,
    mean_relative_error, mean_squared_error, mean_tensor, percentage_below, precision_at_k, recall_at_k,
    root_mean_squared_error, top_k_accuracy,
)  # fmt: skip
from mlc.metrics._metric import Metric

__all__ = [
    "Metric", "accuracy", "auc", "average_precision_at_k", "false_negatives", "false_negatives_at_thresholds", "false_positives",
    "false_positives_at_thresholds", "mean", "mean_absolute_error", "mean_cosine_distance", "mean_iou",
    "mean_per_class_accuracy", "mean_relative_error", "mean_squared_error", "mean_tensor", "percentage_below", "precision",
    "precision_at_k", "precision_at_thresholds", "recall", "recall_at_k", "recall_at_thresholds", "root_mean_squared_error",
    "sensitivity_at_specificity", "specificity_at_sensitivity", "top_k_accuracy", "true_negatives",
    "true_negatives_at_thresholds", "true_positives", "true_positives_at_thresholds",
]  # fmt: skip
