"""The head of rows that may be of any number of classes."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import mlc
from mlc import _model
from mlc._graph import model_error
from mlc.estimator.heads import _labels
from mlc.estimator.heads._arguments import SUM_OVER_BATCH_SIZE, check_integer, check_thresholds, check_vocabulary
from mlc.estimator.heads._classes import areas_and_thresholds
from mlc.estimator.heads._head import Examples, LogitsHead, MetricFn

if TYPE_CHECKING:
    from mlc.metrics import Metric
    from mlc.tensor import Tensor


class MultiLabelHead(LogitsHead):
    """Any of n_classes in each row, by sigmoid cross entropy, whose mean over the classes is the row's loss.

    Labels are [.., n_classes] of 0 and 1, or texts [rows, k] of the vocabulary, of which '' is none.
    """

    _prediction_keys = ("logits", "probabilities", "classes")

    def __init__(
        self,
        n_classes: int,
        weight_column: Any = None,
        thresholds: Sequence[float] | None = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        loss_fn: Callable[..., Any] | None = None,
        classes_for_class_based_metrics: Sequence[Any] | None = None,
        name: str | None = None,
    ) -> None:
        """A head. See BinaryClassHead; labels of a loss_fn are float32 [.., n_classes] of 0 and 1, its losses [.., 1].

        Args:
          classes_for_class_based_metrics: classes, by number or by label, for which probability_mean, auc and
            auc_precision_recall are also given, as `auc/class<number>`, or with a vocabulary `auc/<label>`.

        Raises:
          ValueError: n_classes is not above 1, or another argument is out of range.
        """
        count = check_integer(n_classes, 2, "n_classes")
        super().__init__(count, weight_column, loss_reduction, loss_fn, name)
        self._thresholds = check_thresholds(thresholds)
        self._label_vocabulary = check_vocabulary(label_vocabulary, count)
        self._class_metrics = _check_classes(classes_for_class_based_metrics, count, self._label_vocabulary)

    def _read_labels(self, labels: Any, logits: Tensor) -> Tensor:
        found = _labels.label_tensor(labels)
        if found.dtype == "string":
            return self._read_sets(found, logits)
        if found.ndim == logits.ndim - 1 or found.shape[-1] not in (None, self._logits_dimension):
            raise model_error(
                f"labels are {found.type_string}; expected [.., {self._logits_dimension}] of 0 and 1; of ids of "
                f"classes [rows, k], -1 being none: ops.max(ops.one_hot(ids, {self._logits_dimension}), axis=1)"
            )
        marks = _labels.float_labels(_labels.beside_logits(found, logits, self._logits_dimension))
        is_mark = mlc.ops.logical_or(mlc.ops.equal(marks, 0.0), mlc.ops.equal(marks, 1.0))
        _labels.require_labels(marks, is_mark, f"{self._what()}, 0 or 1 for each class")
        return marks

    def _read_sets(self, labels: Tensor, logits: Tensor) -> Tensor:
        if self._label_vocabulary is None:
            raise _labels.needs_vocabulary(labels)
        cells = mlc.ops.expand_dims(labels, 1) if labels.ndim == 1 else labels
        if cells.ndim != 2 or logits.ndim != 2:
            raise model_error(f"labels are {labels.type_string}; expected texts [rows, k], logits [rows, classes]")
        return _labels.sets_of_classes(cells, self._label_vocabulary, self._what())

    def _losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        return mlc.ops.mean(mlc.df.sigmoid_cross_entropy(logits, labels), -1, keepdims=True)

    def _predictions(self, logits: Tensor) -> dict[str, Callable[[], Tensor]]:
        return {
            "logits": lambda: logits,
            "probabilities": lambda: mlc.ops.sigmoid(logits),
            "classes": lambda: _labels.classes_of(_labels.all_class_ids(logits), self._label_vocabulary),
        }

    def _metrics(self) -> dict[str, MetricFn]:
        found = areas_and_thresholds("probabilities", self._thresholds)
        for class_id in self._class_metrics:
            vocabulary = self._label_vocabulary
            suffix = f"class{class_id}" if vocabulary is None else vocabulary[class_id]
            found[f"probability_mean/{suffix}"] = _mean_of_class(class_id)
            found[f"auc/{suffix}"] = _area_of_class(class_id, "ROC")
            found[f"auc_precision_recall/{suffix}"] = _area_of_class(class_id, "PR")
        return found

    def _describe(self, weight_key: str | None) -> _model.Head:
        vocabulary = self._label_vocabulary
        classes = tuple(str(i) if vocabulary is None else vocabulary[i] for i in self._class_metrics)
        return _model.Head(
            "multi_label", self._loss_reduction, weight_key, self._logits_dimension, vocabulary,
            thresholds=self._thresholds, class_metrics=classes,
        )  # fmt: skip


def _check_classes(classes: Any, n_classes: int, vocabulary: tuple[str, ...] | None) -> tuple[int, ...]:
    """Numbers of the classes that have metrics of their own."""
    what = "classes_for_class_based_metrics"
    if isinstance(classes, (str, bytes)):
        raise ValueError(f"{what} should be a list of classes; found {classes!r}")
    found: list[int] = []
    for each in () if classes is None else classes:
        if isinstance(each, str):
            if vocabulary is None:
                raise ValueError(f"label_vocabulary must be provided when {what} are labels; found {each!r}")
            if each not in vocabulary:
                raise ValueError(f"{what}: {each!r} is not in the label_vocabulary {list(vocabulary)}")
            number = vocabulary.index(each)
        else:
            try:
                number = check_integer(each, 0, what)
            except ValueError:
                number = n_classes
            if number >= n_classes:
                raise ValueError(f"All {what} must be in range [0, {n_classes - 1}]. Given: {each!r}")
        if number in found:
            raise ValueError(f"{what} has {each!r} twice")
        found.append(number)
    return tuple(found)


def _of_class(batch: Examples, class_id: int) -> tuple[Tensor, Tensor]:
    """Labels and probabilities of a class, [.., 1]."""
    labels, probabilities = batch.labels, batch.predictions["probabilities"]
    return labels[..., class_id : class_id + 1], probabilities[..., class_id : class_id + 1]


def _mean_of_class(class_id: int) -> MetricFn:
    return lambda batch: mlc.metrics.mean(_of_class(batch, class_id)[1], batch.weights)


def _area_of_class(class_id: int, curve: str) -> MetricFn:
    def area(batch: Examples) -> Metric:
        labels, probabilities = _of_class(batch, class_id)
        return mlc.metrics.auc(labels, probabilities, batch.weights, curve=curve, summation_method="interpolation")

    return area
