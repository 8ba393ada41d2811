"""Heads of numbers: by the squared error, as probabilities, and as means of counts."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import mlc
from mlc import _model
from mlc._build import as_tensor, describe
from mlc._graph import model_error
from mlc.errors import UnsupportedError
from mlc.estimator.heads import _labels
from mlc.estimator.heads._arguments import SUM_OVER_BATCH_SIZE, check_function, check_integer
from mlc.estimator.heads._head import INSTEAD, LogitsHead, MetricFn

if TYPE_CHECKING:
    from mlc.tensor import Tensor


class RegressionHead(LogitsHead):
    """label_dimension numbers, by the squared error of each. Labels are [.., label_dimension], of one also [..]."""

    _kind = "regression"
    _may_weight_elements = True
    _prediction_keys: tuple[str, ...] = ("predictions",)

    def __init__(
        self,
        label_dimension: int = 1,
        weight_column: Any = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        loss_fn: Callable[..., Any] | None = None,
        inverse_link_fn: Callable[..., Any] | None = None,
        name: str | None = None,
    ) -> None:
        """A head. See BinaryClassHead; labels of a loss_fn are float32, its losses [.., label_dimension].

        Args:
          weight_column: in a model_fn weights may be [.., label_dimension], too.
          inverse_link_fn: of a model_fn: a function of logits that gives predictions, [.., label_dimension]; the loss
            is of the logits.

        Raises:
          ValueError: label_dimension is not above 0, or another argument is out of range.
        """
        super().__init__(
            check_integer(label_dimension, 1, "label_dimension"), weight_column, loss_reduction, loss_fn, name
        )  # fmt: skip
        self._loss_dimension = self._logits_dimension
        self._inverse_link_fn = check_function(inverse_link_fn, "inverse_link_fn")
        if inverse_link_fn is not None:
            self._prediction_keys = ("predictions", "logits")

    def _read_labels(self, labels: Any, logits: Tensor) -> Tensor:
        found = _labels.beside_logits(_labels.label_tensor(labels), logits, self._logits_dimension)
        return _labels.float_labels(found)

    def _losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        return mlc.ops.squared_difference(logits, labels)

    def _inverse_link(self, logits: Tensor) -> Tensor:
        if self._inverse_link_fn is None:
            return logits
        found = as_tensor(self._inverse_link_fn(logits))
        if found.shape != logits.shape:
            raise model_error(
                f"inverse_link_fn returns {found.type_string}; expected the logits' shape\n{describe([logits])}"
            )
        return found

    def _predictions(self, logits: Tensor) -> dict[str, Callable[[], Tensor]]:
        return {"predictions": lambda: self._inverse_link(logits), "logits": lambda: logits}

    def _metrics(self) -> dict[str, MetricFn]:
        return {
            "prediction/mean": lambda b: mlc.metrics.mean(b.predictions["predictions"], b.weights),
            "label/mean": lambda b: mlc.metrics.mean(b.labels, b.weights),
        }

    def _describe(self, weight_key: str | None) -> _model.Head:
        if self._inverse_link_fn is not None:
            raise UnsupportedError(
                "canned Estimators cannot take inverse_link_fn, a function of Python; LogisticRegressionHead and "
                f"PoissonRegressionHead have one; else {INSTEAD}"
            )
        return _model.Head(
            self._kind, self._loss_reduction, weight_key, label_dimension=self._logits_dimension
        )  # fmt: skip


class LogisticRegressionHead(RegressionHead):
    """A number from 0 to 1, a share or a probability: the sigmoid of the logit, by sigmoid cross entropy."""

    _kind = "logistic_regression"
    _prediction_keys = ("predictions", "logits")

    def __init__(
        self, weight_column: Any = None, loss_reduction: str = SUM_OVER_BATCH_SIZE, name: str | None = None
    ) -> None:
        """A head. See RegressionHead."""
        super().__init__(1, weight_column, loss_reduction, name=name)

    def _read_labels(self, labels: Any, logits: Tensor) -> Tensor:
        return _labels.require_range(super()._read_labels(labels, logits), self._what(), 1)

    def _losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        return mlc.df.sigmoid_cross_entropy(logits, labels)

    def _inverse_link(self, logits: Tensor) -> Tensor:
        return mlc.ops.sigmoid(logits)  # type: ignore[no-any-return]


class PoissonRegressionHead(RegressionHead):
    """The means of counts, labels of at least 0: exp of the logits, by the Poisson log-likelihood."""

    _kind = "poisson_regression"
    _prediction_keys = ("predictions", "logits")

    def __init__(
        self,
        label_dimension: int = 1,
        weight_column: Any = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        compute_full_loss: bool = True,
        name: str | None = None,
    ) -> None:
        """A head. See RegressionHead.

        Args:
          compute_full_loss: adds Stirling's approximation of ln y! to the losses of labels y > 1.
        """
        super().__init__(label_dimension, weight_column, loss_reduction, name=name)
        self._compute_full_loss = bool(compute_full_loss)

    def _read_labels(self, labels: Any, logits: Tensor) -> Tensor:
        return _labels.require_range(super()._read_labels(labels, logits), self._what())

    def _losses(self, labels: Tensor, logits: Tensor) -> Tensor:
        losses = mlc.df.poisson_loss(logits, labels, log_input=True)
        if not self._compute_full_loss:
            return losses
        y = mlc.ops.maximum(labels, 1.0)  # the approximation is for labels above 1; that of 0 and 1 is 0
        stirling = y * mlc.ops.log(y) - y + 0.5 * mlc.ops.log(y * (2 * math.pi))
        return losses + mlc.ops.where(labels > 1.0, stirling, 0.0)

    def _inverse_link(self, logits: Tensor) -> Tensor:
        return mlc.ops.exp(logits)  # type: ignore[no-any-return]

    def _describe(self, weight_key: str | None) -> _model.Head:
        return _model.Head(
            self._kind, self._loss_reduction, weight_key, label_dimension=self._logits_dimension,
            compute_full_loss=self._compute_full_loss,
        )  # fmt: skip
