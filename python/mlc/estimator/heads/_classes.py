"""Heads of which one class is right: of two, and of more."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import mlc
from mlc import _model
from mlc.estimator.heads import _labels
from mlc.estimator.heads._arguments import SUM_OVER_BATCH_SIZE, check_integer, check_thresholds, check_vocabulary
from mlc.estimator.heads._head import Examples, LogitsHead, MetricFn

if TYPE_CHECKING:
    from mlc.metrics import Metric
    from mlc.tensor import Tensor


class BinaryClassHead(LogitsHead):
    """Two classes, by one logit and sigmoid cross entropy.

    Labels are 0 and 1, numbers from 0 to 1, the share of class 1, or texts of the vocabulary.
    """

    _prediction_keys = (
        "logits", "logistic", "probabilities", "class_ids", "classes", "all_class_ids", "all_classes",
    )  # fmt: skip

    def __init__(
        self,
        weight_column: Any = None,
        thresholds: Sequence[float] | None = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        loss_fn: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> None:
        """A head.

        Args:
          weight_column: key of weights in the features, or a numeric column; None: all are 1.
          thresholds: probabilities at which accuracy, precision and recall are given, too.
          label_vocabulary: the labels of class 0 and 1, texts; None: labels are numbers.
          loss_reduction: "sum_over_batch_size": the weighted sum / the number of losses; "sum"; mlc's own "mean": the
            weighted sum / the sum of the weights.
          loss_fn: of a model_fn: a function of labels, float32 [.., 1], and logits, and if it asks for them of features
            and loss_reduction, that returns losses [.., 1].
          name: metrics and summaries are called `<key>/<name>`.

        Raises:
          ValueError: an argument out of range. TypeError: a weight_column that is none.
        """
        super().__init__(1, weight_column, loss_reduction, loss_fn, name)
        self._thresholds = check_thresholds(thresholds)
        self._label_vocabulary = check_vocabulary(label_vocabulary, 2)

    def _read_labels(self, labels: Any, logits: Tensor) -> Tensor:
        found = _labels.beside_logits(_labels.label_tensor(labels), logits, 1)
        if self._label_vocabulary is None and "float" in found.dtype:
            return _labels.require_range(found, self._what(), 1)
        return mlc.ops.cast(_labels.class_ids(found, self._label_vocabulary, 2, self._what()), "float32")

    def _losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        return mlc.df.sigmoid_cross_entropy(logits, labels)

    def _predictions(self, logits: Tensor) -> dict[str, Callable[[], Tensor]]:
        both = mlc.ops.concatenate([mlc.ops.zeros_like(logits), logits], axis=-1)
        # The class whose logit is larger, class 0 having the logit 0; class 0 if they are equal.
        ids = mlc.ops.cast(logits > 0.0, "int64")
        return {
            "logits": lambda: logits,
            "logistic": lambda: mlc.ops.sigmoid(logits),
            "probabilities": lambda: mlc.ops.softmax(both),
            "class_ids": lambda: ids,
            "classes": lambda: _labels.classes_of(ids, self._label_vocabulary),
            "all_class_ids": lambda: _labels.all_class_ids(both),
            "all_classes": lambda: _labels.classes_of(_labels.all_class_ids(both), self._label_vocabulary),
        }

    def _metrics(self) -> dict[str, MetricFn]:
        found: dict[str, MetricFn] = {
            "accuracy": lambda b: mlc.metrics.accuracy(b.labels, b.predictions["class_ids"], b.weights),
            "precision": lambda b: mlc.metrics.precision(b.labels, b.predictions["class_ids"], b.weights),
            "recall": lambda b: mlc.metrics.recall(b.labels, b.predictions["class_ids"], b.weights),
            "prediction/mean": lambda b: mlc.metrics.mean(b.predictions["logistic"], b.weights),
            "label/mean": lambda b: mlc.metrics.mean(b.labels, b.weights),
            "accuracy_baseline": _accuracy_baseline,
        }
        return found | areas_and_thresholds("logistic", self._thresholds)

    def _describe(self, weight_key: str | None) -> _model.Head:
        return _model.Head(
            "binary_class", self._loss_reduction, weight_key, label_vocabulary=self._label_vocabulary,
            thresholds=self._thresholds,
        )  # fmt: skip


def _accuracy_baseline(batch: Examples) -> Metric:
    """What the best would reach that tells one class for all rows: the larger of the labels' mean and 1 less it."""
    mean = mlc.metrics.mean(batch.labels, batch.weights)
    return mean.then(lambda share: mlc.ops.maximum(share, 1.0 - share))


def areas_and_thresholds(key: str, thresholds: Sequence[float]) -> dict[str, MetricFn]:
    """Areas under the curves of the predictions `key`, as Keras' AUC approximates them, and metrics at thresholds."""

    def area(curve: str) -> MetricFn:
        return lambda b: mlc.metrics.auc(
            b.labels, b.predictions[key], b.weights, curve=curve, summation_method="interpolation"
        )

    found: dict[str, MetricFn] = {"auc": area("ROC"), "auc_precision_recall": area("PR")}
    for threshold in thresholds:
        for name, metric in (
            ("accuracy", mlc.metrics.accuracy), ("precision", mlc.metrics.precision), ("recall", mlc.metrics.recall)
        ):  # fmt: skip
            found[f"{name}/positive_threshold_{threshold:g}"] = _at_threshold(metric, key, threshold)
    return found


def _at_threshold(metric: Callable[..., Metric], key: str, threshold: float) -> MetricFn:
    def at_threshold(batch: Examples) -> Metric:
        above = mlc.ops.cast(batch.predictions[key] > threshold, "float32")
        return metric(batch.labels, above, batch.weights)

    return at_threshold


class MultiClassHead(LogitsHead):
    """One of n_classes, more than two, by softmax cross entropy.

    Labels are integers from 0 to n_classes - 1, or texts of the vocabulary.
    """

    _prediction_keys: tuple[str, ...] = (
        "logits", "probabilities", "class_ids", "classes", "all_class_ids", "all_classes",
    )  # fmt: skip

    def __init__(
        self,
        n_classes: int,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        loss_fn: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> None:
        """A head. See BinaryClassHead; labels of a loss_fn are int64 [.., 1].

        Raises:
          ValueError: n_classes is not above 2 (see BinaryClassHead), or another argument is out of range.
        """
        count = check_integer(n_classes, 3, "n_classes")
        super().__init__(count, weight_column, loss_reduction, loss_fn, name)
        self._label_vocabulary = check_vocabulary(label_vocabulary, count)

    def _read_labels(self, labels: Any, logits: Tensor) -> Tensor:
        found = _labels.beside_logits(_labels.label_tensor(labels), logits, 1)
        return _labels.class_ids(found, self._label_vocabulary, self._logits_dimension, self._what())

    def _losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        return mlc.ops.expand_dims(mlc.df.softmax_cross_entropy(logits, mlc.ops.squeeze(labels, -1)), -1)

    def _predictions(self, logits: Tensor) -> dict[str, Callable[[], Tensor]]:
        ids = mlc.ops.expand_dims(mlc.ops.argmax(logits), -1)
        return {
            "logits": lambda: logits,
            "probabilities": lambda: mlc.ops.softmax(logits),
            "class_ids": lambda: ids,
            "classes": lambda: _labels.classes_of(ids, self._label_vocabulary),
            "all_class_ids": lambda: _labels.all_class_ids(logits),
            "all_classes": lambda: _labels.classes_of(_labels.all_class_ids(logits), self._label_vocabulary),
        }

    def _metrics(self) -> dict[str, MetricFn]:
        found: dict[str, MetricFn] = {"accuracy": lambda b: mlc.metrics.accuracy(b.labels, b.predictions["class_ids"], b.weights)}
        if self._logits_dimension > _BEST:
            found[f"top_{_BEST}_accuracy"] = lambda b: mlc.metrics.mean(_is_among_best(b), b.weights)
        return found

    def _describe(self, weight_key: str | None) -> _model.Head:
        return _model.Head(
            "multi_class", self._loss_reduction, weight_key, self._logits_dimension, self._label_vocabulary
        )  # fmt: skip


_BEST = 5
"""How many classes of a row may have a logit as large as the label's, it included, where a metric counts the label as found."""


def _is_among_best(batch: Examples) -> Tensor:
    """Whether the label's class is one of the best, [.., 1], as tf.math.in_top_k: ties are for the label, NaN is not among them."""
    logits = batch.predictions["logits"]
    own = mlc.ops.take_along_axis(logits, batch.labels)
    not_above = mlc.ops.sum(mlc.ops.cast(mlc.ops.less_equal(logits, own), "int64"), axis=-1, keepdims=True)
    return mlc.ops.cast(mlc.ops.greater(not_above, logits.shape[-1] - _BEST), "float64")


def classifier_head(
    n_classes: int, weight_column: Any, label_vocabulary: Sequence[str] | None, loss_reduction: Any
) -> BinaryClassHead | MultiClassHead:
    """The head of a canned classifier. ValueError: n_classes below 2, or what the heads refuse."""
    if check_integer(n_classes, 2, "n_classes") == 2:
        return BinaryClassHead(weight_column, None, label_vocabulary, loss_reduction)
    return MultiClassHead(n_classes, weight_column, label_vocabulary, loss_reduction)
