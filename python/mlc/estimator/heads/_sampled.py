"""The head of many classes, which makes their logits itself, in training of a few of them alone."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import mlc
from mlc import _model
from mlc._build import as_tensor
from mlc._graph import model_error
from mlc.errors import UnsupportedError
from mlc.estimator.heads import _labels
from mlc.estimator.heads._arguments import SUM_OVER_BATCH_SIZE, check_integer
from mlc.estimator.heads._classes import MultiClassHead
from mlc.estimator.heads._head import INSTEAD
from mlc.estimator.specs import ModeKeys

if TYPE_CHECKING:
    from mlc.tensor import Tensor
    from mlc.variables import Variable

_SAMPLERS = ("log_uniform", "uniform")


class SampledSoftmaxHead(MultiClassHead):
    """One of many classes. What other heads get as logits is the last hidden layer here, [rows, size].

    The head has the variables `<name>/weights`, [n_classes, size], and `<name>/biases`, [n_classes]; without a name
    they are in `sampled_softmax`. A step of training computes the logits of the rows' classes and of `num_sampled` that
    are drawn (losses.sampled_softmax_loss), and moves these classes' rows; EVAL and PREDICT compute all. The loss of
    training is lower than that of an evaluation: it is over fewer classes.
    """

    _prediction_keys = ("logits", "probabilities", "class_ids", "classes")

    def __init__(
        self,
        n_classes: int,
        num_sampled: int,
        weight_column: Any = None,
        label_vocabulary: Sequence[str] | None = None,
        loss_reduction: str = SUM_OVER_BATCH_SIZE,
        name: str | None = None,
        sampler: str = "log_uniform",
        remove_accidental_hits: bool = True,
        weights_initializer: Any = None,
    ) -> None:
        """A head. See MultiClassHead.

        Args:
          num_sampled: classes that a step draws, once for all its rows, each at most once.
          sampler: "log_uniform", for classes in the order of their frequency, the most frequent first, or "uniform".
          remove_accidental_hits: a drawn class that is a row's own does not count for it.
          weights_initializer: one of mlc.initializers, or its name; None: glorot_uniform.

        Raises:
          ValueError: num_sampled is not from 1 to n_classes - 1, or another argument is out of range.
        """
        super().__init__(n_classes, weight_column, label_vocabulary, loss_reduction, None, name)
        self._num_sampled = check_integer(num_sampled, 1, "num_sampled")
        if self._num_sampled >= self._logits_dimension:
            raise ValueError(f"num_sampled must be below n_classes ({self._logits_dimension}); found {num_sampled}")
        if sampler not in _SAMPLERS:
            raise ValueError(f"sampler must be one of {', '.join(_SAMPLERS)}; found {sampler!r}")
        self._sampler = sampler
        self._remove_accidental_hits = bool(remove_accidental_hits)
        self._initializer = weights_initializer

    @property
    def logits_dimension(self) -> int:
        """UnsupportedError: the size of the hidden layer is what the model_fn says."""
        raise UnsupportedError(
            "a SampledSoftmaxHead takes the last hidden layer, of any size, and no logits; in a MultiHead give a dict"
        )

    def _hidden(self, hidden: Any) -> Tensor:
        tensor = as_tensor(hidden, "float32")
        if tensor.dtype in ("string", "bool") or tensor.ndim != 2 or tensor.shape[1] is None:
            raise model_error(
                f"a SampledSoftmaxHead takes the last hidden layer, [rows, size]; found {tensor.type_string}"
            )
        return mlc.ops.cast(tensor, "float32")

    def _variables(self, size: int) -> tuple[Variable, Variable]:
        classes = self._logits_dimension
        with mlc.variables.variable_scope(self._name or "sampled_softmax", reuse=mlc.variables.AUTO_REUSE):
            weights = mlc.variables.get_variable("weights", [classes, size], initializer=self._initializer)
            return weights, mlc.variables.get_variable("biases", [classes], initializer="zeros")

    def _own_variables(self) -> list[Any]:
        scope = mlc.variables.get_variable_scope().name
        name = self._name or "sampled_softmax"
        return mlc.variables.trainable_variables(f"{scope}/{name}" if scope else name)

    def _logits(self, logits: Any) -> Tensor:
        hidden = self._hidden(logits)
        weights, biases = self._variables(hidden.shape[1] or 0)
        return mlc.ops.matmul(hidden, weights.value(), transpose_b=True) + biases

    def _training_predictions(self, logits: Any) -> dict[Any, Tensor] | None:
        # They read the weights as a whole, which would make all rows' gradients of those of a few.
        return None

    def _make_weighted(
        self, labels: Any, logits: Any, features: Any, mode: str | None
    ) -> tuple[Tensor, Tensor, Tensor | None]:
        if mode != ModeKeys.TRAIN:
            return super()._make_weighted(labels, logits, features, mode)
        hidden = self._hidden(logits)
        weights, biases = self._variables(hidden.shape[1] or 0)
        read = self._read_labels(labels, hidden)
        losses = mlc.losses.sampled_softmax_loss(
            weights, biases, read, hidden, self._num_sampled, self._logits_dimension, sampler=self._sampler,
            remove_accidental_hits=self._remove_accidental_hits,
        )  # fmt: skip
        of_rows = _labels.weights_of(features, self._weight_column, hidden, False)
        return read, mlc.ops.expand_dims(losses, -1), of_rows

    def _describe(self, weight_key: str | None) -> _model.Head:
        raise UnsupportedError(
            f"canned Estimators make logits of all classes and do not take a SampledSoftmaxHead; {INSTEAD}"
        )
