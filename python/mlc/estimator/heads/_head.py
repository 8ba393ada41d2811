"""class Head: what all heads do, and what those of one Tensor of logits share."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import abc
import dataclasses
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import TYPE_CHECKING, Any

import mlc
from mlc import _model
from mlc._build import as_tensor, describe
from mlc._graph import Operation, model_error, once
from mlc.errors import ModelTypeError, UnsupportedError
from mlc.estimator.heads import _labels
from mlc.estimator.heads._arguments import (
    LOSS_FN_OPTIONAL,
    check_loss_fn,
    check_name,
    check_reduction,
    check_weight_column,
)
from mlc.estimator.model_fn import EstimatorSpec
from mlc.estimator.specs import ModeKeys
from mlc.optimizers import Optimizer

if TYPE_CHECKING:
    from mlc.metrics import Metric
    from mlc.tensor import Tensor

INSTEAD = "a model_fn whose EstimatorSpec is what head.create_estimator_spec returns takes it"
"""Of what canned Estimators do not take of heads."""
_DESCRIBED_BY = ("_kind", "_describe", "describe", "describe_steps")
"""What a class has of its own that says which head of a spec it is."""


class Head(abc.ABC):
    """What a model learns: the loss of its logits and labels, what it predicts, and its metrics.

    The methods are for a model_fn; create_estimator_spec calls the others. A head of your own has those that are
    abstract here.
    """

    @property
    @abc.abstractmethod
    def name(self) -> str | None:
        """Metrics and summaries are called `<key>/<name>`; None: `<key>`."""

    @property
    @abc.abstractmethod
    def logits_dimension(self) -> int:
        """The size of the last dimension of the logits."""

    @property
    @abc.abstractmethod
    def loss_reduction(self) -> str:
        """How the losses of rows become that of a step: "sum_over_batch_size", "sum" or "mean"."""

    @abc.abstractmethod
    def loss(
        self, labels: Any, logits: Any, features: Any = None, mode: str | None = None,
        regularization_losses: Sequence[Any] | None = None,
    ) -> Tensor:  # fmt: skip
        """What training minimizes, a scalar.

        Args:
          labels: [.., 1] or [..] beside logits [.., n]; of what a head says.
          logits: [rows, .., logits_dimension].
          features: those of the model_fn, for weights and for a loss_fn.
          mode: a ModeKeys.
          regularization_losses: scalars that are added.
        """

    @abc.abstractmethod
    def predictions(self, logits: Any, keys: Iterable[str] | None = None) -> dict[Any, Tensor]:
        """Predictions by key; of `keys` alone, if some are given."""

    @abc.abstractmethod
    def metrics(self, regularization_losses: Sequence[Any] | None = None) -> dict[str, Any]:
        """The names of the metrics, for update_metrics, which makes them of a batch."""

    @abc.abstractmethod
    def update_metrics(
        self, eval_metrics: Mapping[str, Any], features: Any, logits: Any, labels: Any, mode: str | None = None,
        regularization_losses: Sequence[Any] | None = None,
    ) -> dict[str, Metric]:  # fmt: skip
        """The metrics of a batch for an EstimatorSpec.

        `eval_metrics` are what metrics() returned; metrics of your own among them stay. mode: ModeKeys.EVAL.
        """

    def create_estimator_spec(
        self, features: Any, mode: str, logits: Any, labels: Any = None, optimizer: Optimizer | None = None,
        trainable_variables: Sequence[Any] | None = None, train_op_fn: Callable[[Tensor], Operation] | None = None,
        update_ops: Sequence[Operation] | None = None, regularization_losses: Sequence[Any] | None = None,
    ) -> EstimatorSpec:  # fmt: skip
        """The EstimatorSpec of a call of a model_fn.

        Args:
          features, mode, labels: what the model_fn was called with.
          logits: [rows, .., logits_dimension].
          optimizer: of mlc.optimizers or mlc.train: minimizes the loss in TRAIN.
          trainable_variables: what it moves; None: all trainable variables.
          train_op_fn: instead of an optimizer: a function of the loss that returns the train_op.
          update_ops: operations that a step of training does, too.
          regularization_losses: scalars that are added to the loss.

        Raises:
          ModelError: neither or both of optimizer and train_op_fn in TRAIN; labels, logits or weights that do not fit.
        """
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(mode, predictions=self.predictions(logits))
        loss = self.loss(labels, logits, features, mode, regularization_losses)
        if mode == ModeKeys.EVAL:
            names = self.metrics(regularization_losses)
            found = self.update_metrics(names, features, logits, labels, regularization_losses=regularization_losses)
            return EstimatorSpec(mode, predictions=self.predictions(logits), loss=loss, eval_metric_ops=found)
        if mode != ModeKeys.TRAIN:
            raise model_error(f"mode is {mode!r}; expected one of ModeKeys")
        for key, value in self._summaries(loss, labels, logits, features).items():
            mlc.summary.scalar(key, value)
        if regularization_losses is not None:
            mlc.summary.scalar(self._loss_key("regularization_loss"), mlc.losses.add_n(regularization_losses))
        train_op = self._train_op(loss, optimizer, trainable_variables, train_op_fn, update_ops)
        return EstimatorSpec(mode, predictions=self._training_predictions(logits), loss=loss, train_op=train_op)

    def _training_predictions(self, logits: Any) -> dict[Any, Tensor] | None:
        return self.predictions(logits)

    def _own_variables(self) -> list[Any]:
        """Variables that the head itself has made, which an optimizer moves besides those that it is told."""
        return []

    def _train_op(
        self, loss: Tensor, optimizer: Any, variables: Any, train_op_fn: Any, update_ops: Any
    ) -> Operation:
        for what, listed in (("update_ops", update_ops), ("trainable_variables", variables)):
            if listed is not None and not isinstance(listed, (list, tuple)):
                raise model_error(f"{what} should be a list or a tuple. Given type: {type(listed)}.", ModelTypeError)
        if optimizer is not None and train_op_fn is not None:
            raise model_error("train_op_fn and optimizer cannot both be set.")
        if optimizer is not None:
            if not isinstance(optimizer, Optimizer):
                raise model_error(
                    f"The given optimizer is {optimizer!r}; expected one of mlc.optimizers or mlc.train", ModelTypeError
                )
            moved = None if variables is None else list(dict.fromkeys([*variables, *self._own_variables()]))
            train_op = optimizer.minimize(loss, moved)
        elif train_op_fn is not None:
            train_op = train_op_fn(loss)
        else:
            raise model_error("train_op_fn and optimizer cannot both be None.")
        return mlc.train.group(train_op, *update_ops) if update_ops else train_op

    def _summaries(self, loss: Tensor, labels: Any, logits: Any, features: Any) -> dict[str, Tensor]:
        """Losses that TensorBoard shows of training besides "loss", which a step tells by itself."""
        return {self._key("loss"): loss} if self.name else {}

    def _loss_key(self, key: str) -> str:
        """The name of a summary of the loss."""
        return self._key(key)

    def _key(self, key: str) -> str:
        """The name of a metric or summary of this head."""
        return f"{key}/{self.name}" if self.name else key

    def describe(self) -> tuple[_model.Head, ...]:
        """The head of a canned Estimator, or its heads. UnsupportedError for what a spec does not have."""
        return (self.describe_part(),)

    def describe_part(self) -> _model.Head:
        """The head, whatever its name, as one of several. UnsupportedError for what a spec does not have."""
        raise UnsupportedError(f"canned Estimators do not take a {type(self).__name__}; {INSTEAD}")

    def _check_unchanged(self) -> None:
        """UnsupportedError if a class computes other things than the one that it is made of, whose head a spec has."""
        classes = type(self).__mro__
        described = next(i for i, each in enumerate(classes) if not vars(each).keys().isdisjoint(_DESCRIBED_BY))
        for each in classes[:described]:
            for name, value in vars(each).items():
                is_own = not isinstance(value, (FunctionType, property)) or name.startswith("__")
                if not is_own and hasattr(classes[described], name):
                    raise UnsupportedError(
                        f"canned Estimators do not take a {each.__name__}, whose {name} is not that of a "
                        f"{classes[described].__name__}; {INSTEAD}"
                    )


@dataclass(frozen=True)
class Examples:
    """A batch as metrics see it."""

    labels: Tensor
    losses: Tensor
    """[.., 1], of a regression [.., label_dimension]."""
    weights: Tensor | None
    """[.., 1], or of the losses' shape; None: 1."""
    predictions: dict[str, Tensor]
    regularization: Sequence[Any]


MetricFn = Callable[[Examples], "Metric"]


class LogitsHead(Head):
    """A head of one Tensor of logits, [.., logits_dimension]: a loss for each element of the dimensions before, or of a
    regression for each element, with weights."""

    _loss_dimension = 1
    _may_weight_elements = False
    """Whether weights may be [.., logits_dimension]."""
    _prediction_keys: tuple[str, ...]

    def __init__(
        self, logits_dimension: int, weight_column: Any, loss_reduction: Any, loss_fn: Any, name: str | None
    ) -> None:
        self._logits_dimension = logits_dimension
        self._weight_column = check_weight_column(weight_column)
        self._loss_reduction = check_reduction(loss_reduction)
        self._loss_fn = check_loss_fn(loss_fn)
        self._name = check_name(name)

    @property
    def name(self) -> str | None:
        return self._name

    @property
    def logits_dimension(self) -> int:
        return self._logits_dimension

    @property
    def loss_reduction(self) -> str:
        return self._loss_reduction

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._name!r} of {self._logits_dimension} logits>"

    # What heads of this kind differ in

    @abc.abstractmethod
    def _read_labels(self, labels: Any, logits: Tensor) -> Tensor:
        """Labels as losses and metrics take them, checked."""

    @abc.abstractmethod
    def _losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        """Losses without weights, of what _read_labels made."""

    @abc.abstractmethod
    def _predictions(self, logits: Tensor) -> dict[str, Callable[[], Tensor]]:
        """Predictions by _prediction_keys, each made when it is asked for."""

    @abc.abstractmethod
    def _metrics(self) -> dict[str, MetricFn]:
        """Metrics by their names without that of the head."""

    # The methods of class Head

    def loss(
        self, labels: Any, logits: Any, features: Any = None, mode: str | None = None,
        regularization_losses: Sequence[Any] | None = None,
    ) -> Tensor:  # fmt: skip
        _, losses, weights = self._weighted(labels, logits, features, mode)
        loss = mlc.losses.weighted_loss(losses, 1.0 if weights is None else weights, self._loss_reduction)
        return loss if regularization_losses is None else loss + mlc.losses.add_n(regularization_losses)

    def predictions(self, logits: Any, keys: Iterable[str] | None = None) -> dict[Any, Tensor]:
        wanted = [keys] if isinstance(keys, str) else list(keys or self._prediction_keys)
        for key in wanted:
            if key not in self._prediction_keys:
                raise model_error(
                    f"Prediction key must be in PredictionKeys, given: {key}. Valid prediction keys include "
                    f"{list(self._prediction_keys)}."
                )
        makers = self._predictions(self._logits(logits))
        return {key: makers[key]() for key in self._prediction_keys if key in wanted}

    def metrics(self, regularization_losses: Sequence[Any] | None = None) -> dict[str, Any]:
        found: dict[str, MetricFn] = {
            "average_loss": lambda batch: mlc.metrics.mean(batch.losses, batch.weights), **self._metrics()
        }  # fmt: skip
        if regularization_losses is not None:
            found["regularization_loss"] = lambda batch: mlc.metrics.mean(mlc.losses.add_n(batch.regularization))
        return {self._key(name): metric for name, metric in found.items()}

    def update_metrics(
        self, eval_metrics: Mapping[str, Any], features: Any, logits: Any, labels: Any, mode: str | None = None,
        regularization_losses: Sequence[Any] | None = None,
    ) -> dict[str, Metric]:  # fmt: skip
        weighted = self._weighted(labels, logits, features, ModeKeys.EVAL)
        batch = Examples(*weighted, self.predictions(logits), regularization_losses or ())
        return {
            name: metric if isinstance(metric, mlc.metrics.Metric) else metric(batch)
            for name, metric in eval_metrics.items()
        }

    # What they share

    def _logits(self, logits: Any) -> Tensor:
        return _labels.checked_logits(logits, self._logits_dimension)

    def _weighted(
        self, labels: Any, logits: Any, features: Any, mode: str | None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        """Labels as they were read, losses of elements, and their weights: once for the loss and the metrics."""
        return once((self, mode, labels, logits, features), lambda: self._make_weighted(labels, logits, features, mode))

    def _make_weighted(
        self, labels: Any, logits: Any, features: Any, mode: str | None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        scores = self._logits(logits)
        read = self._read_labels(labels, scores)
        losses = self._losses(read, scores) if self._loss_fn is None else self._own_losses(read, scores, features)
        return read, losses, _labels.weights_of(features, self._weight_column, scores, self._may_weight_elements)

    def _own_losses(self, labels: Tensor, logits: Tensor, features: Any) -> Tensor:
        """What the loss_fn returns."""
        assert self._loss_fn is not None
        asked = inspect.signature(self._loss_fn).parameters
        given = dict(zip(LOSS_FN_OPTIONAL, (features, self._loss_reduction), strict=True))
        optional = {key: value for key, value in given.items() if key in asked}
        losses = as_tensor(self._loss_fn(labels=labels, logits=logits, **optional), "float32")
        if losses.ndim != logits.ndim or losses.shape[-1] != self._loss_dimension:
            raise model_error(
                f"loss_fn must return Tensor of shape [D0, D1, ... DN, {self._loss_dimension}]; found "
                f"{losses.type_string}\n{describe([labels, logits])}"
            )
        return mlc.ops.cast(losses, "float32")

    def _what(self) -> str:
        """The label, for messages of a run."""
        return f"label of head '{self._name}'" if self._name else "label"

    def describe(self) -> tuple[_model.Head, ...]:
        if self._name is not None and "/" in self._name:
            raise UnsupportedError(
                f"canned Estimators take names without '/', which stands before them in keys of metrics; found "
                f"name={self._name!r}; {INSTEAD}"
            )
        return tuple(dataclasses.replace(head, metric_name=self._name) for head in super().describe())

    def describe_part(self) -> _model.Head:
        self._check_unchanged()
        if self._loss_fn is not None:
            raise UnsupportedError(f"canned Estimators cannot take loss_fn, a function of Python; {INSTEAD}")
        return self._describe(_labels.weight_key(self._weight_column))

    @abc.abstractmethod
    def _describe(self, weight_key: str | None) -> _model.Head:
        """The head of a spec."""
