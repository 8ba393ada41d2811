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
  name: in messages.

Shapes that do not fit are a ModelError, dtypes a ModelTypeError, at the line of the model_fn.
"""

from mlc.metrics._counts import false_negatives, false_positives, precision, recall, true_negatives, true_positives
from mlc.metrics._curves import auc, precision_at_thresholds, recall_at_thresholds, sensitivity_at_specificity
from mlc.metrics._means import (
    accuracy, mean, mean_absolute_error, mean_cosine_distance, mean_per_class_accuracy, mean_relative_error,
    mean_squared_error, percentage_below, root_mean_squared_error, top_k_accuracy,
)  # fmt: skip
from mlc.metrics._metric import Metric

__all__ = [
    "Metric", "accuracy", "auc", "false_negatives", "false_positives", "mean", "mean_absolute_error",
    "mean_cosine_distance", "mean_per_class_accuracy", "mean_relative_error", "mean_squared_error", "percentage_below",
    "precision", "precision_at_thresholds", "recall", "recall_at_thresholds", "root_mean_squared_error",
    "sensitivity_at_specificity", "top_k_accuracy", "true_negatives", "true_positives",
]  # fmt: skip
