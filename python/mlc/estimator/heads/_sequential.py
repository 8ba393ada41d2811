"""A head of each step of a sequence."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import mlc
from mlc import _model
from mlc._build import as_tensor, describe
from mlc._graph import Operation, model_error, once
from mlc.estimator.heads import _labels
from mlc.estimator.heads._head import Head
from mlc.estimator.heads._multi import MultiHead
from mlc.estimator.model_fn import EstimatorSpec
from mlc.estimator.specs import ModeKeys

if TYPE_CHECKING:
    from mlc.metrics import Metric
    from mlc.tensor import Tensor


class SequentialHeadWrapper(Head):
    """A head for each step of a sequence: logits are [rows, steps, logits_dimension], labels [rows, steps, ..].

    A mask among the features, [rows, steps], tells which steps there are. The loss and metrics are those of the head over
    these steps, as if each was a row; predictions are of all steps, and the mask is one of them. For
    RNNEstimator(return_sequences=True), which makes the mask of the lengths of rows where the input_fn gives none, and in a
    model_fn.
    """

    def __init__(
        self,
        static_head: Head,
        sequence_length_mask: str = "sequence_length_mask",
        feature_columns: str | Iterable[str] | None = None,
    ) -> None:
        """A head.

        Args:
          static_head: what is learned of a step; no MultiHead.
          sequence_length_mask: the key of the mask.
          feature_columns: keys of features that are [rows, steps, ..] and that the head reads: its weights.

        Raises:
          TypeError: keys that are no texts.
          ValueError: a MultiHead.
        """
        if not isinstance(sequence_length_mask, str):
            raise TypeError(f"`sequence_mask` column must be a string. Given type: {type(sequence_length_mask)}.")
        keys = [feature_columns] if isinstance(feature_columns, str) else feature_columns or ()
        if not isinstance(keys, Iterable):
            raise TypeError(f"`feature_columns` must be either a string or an iterable of strings got {type(keys)} instead.")
        self._feature_columns = tuple(keys)
        for key in self._feature_columns:
            if not isinstance(key, str):
                raise TypeError(f"Column must a string. Given type: {type(key)}.")
        if isinstance(static_head, MultiHead):
            raise ValueError("`MultiHead` is not supported with `SequentialHeadWrapper`.")
        if not isinstance(static_head, Head):
            raise TypeError(f"static_head must be a head of mlc.estimator; found {static_head!r}")
        self._mask, self._head = sequence_length_mask, static_head

    @property
    def input_sequence_mask_key(self) -> str:
        """The key of the mask."""
        return self._mask

    @property
    def name(self) -> str | None:
        return self._head.name

    @property
    def logits_dimension(self) -> int:
        return self._head.logits_dimension

    @property
    def loss_reduction(self) -> str:
        return self._head.loss_reduction

    def loss(
        self, labels: Any, logits: Any, features: Any = None, mode: str | None = None,
        regularization_losses: Sequence[Any] | None = None,
    ) -> Tensor:  # fmt: skip
        flat = self._flat(labels, logits, features)
        return self._head.loss(flat[0], flat[1], flat[2], mode, regularization_losses)

    def predictions(self, logits: Any, keys: Iterable[str] | None = None) -> dict[Any, Tensor]:
        return self._head.predictions(logits, keys)

    def metrics(self, regularization_losses: Sequence[Any] | None = None) -> dict[str, Any]:
        return self._head.metrics(regularization_losses)

    def update_metrics(
        self, eval_metrics: Mapping[str, Any], features: Any, logits: Any, labels: Any, mode: str | None = None,
        regularization_losses: Sequence[Any] | None = None,
    ) -> dict[str, Metric]:  # fmt: skip
        flat_labels, flat_logits, flat_features = self._flat(labels, logits, features)
        return self._head.update_metrics(
            eval_metrics, flat_features, flat_logits, flat_labels, regularization_losses=regularization_losses
        )

    def describe_steps(self) -> tuple[_model.Head, ...]:
        """The head of each step, of a canned Estimator with return_sequences. UnsupportedError as of describe()."""
        self._check_unchanged()
        return self._head.describe()

    def create_estimator_spec(
        self, features: Any, mode: str, logits: Any, labels: Any = None, optimizer: Any = None,
        trainable_variables: Sequence[Any] | None = None, train_op_fn: Callable[[Tensor], Operation] | None = None,
        update_ops: Sequence[Operation] | None = None, regularization_losses: Sequence[Any] | None = None,
    ) -> EstimatorSpec:  # fmt: skip
        if mode == ModeKeys.PREDICT:
            spec = self._head.create_estimator_spec(features, mode, logits)
            return spec._replace(predictions={**spec.predictions, self._mask: self._mask_of(features)})
        flat_labels, flat_logits, flat_features = self._flat(labels, logits, features)
        return self._head.create_estimator_spec(
            flat_features, mode, flat_logits, flat_labels, optimizer, trainable_variables, train_op_fn, update_ops,
            regularization_losses,
        )  # fmt: skip

    def _mask_of(self, features: Any) -> Tensor:
        if not isinstance(features, Mapping) or self._mask not in features:
            found = list(features) if isinstance(features, Mapping) else features
            raise model_error(
                f"The provided sequence_length_mask key `{self._mask}` should be included in the features dictionary, but "
                f"was not found. Found keys: {found}."
            )
        mask = as_tensor(features[self._mask])
        if mask.ndim != 2:
            raise model_error(f"Mask is expected to have two dimensions, got {mask.ndim} instead.\n{describe([mask])}")
        return mask

    def _flat(self, labels: Any, logits: Any, features: Any) -> tuple[Tensor, Tensor, dict[str, Tensor]]:
        """Labels, logits and the features that the head reads of the steps that there are, [steps of all rows, ..]."""
        return once((self, labels, logits, features), lambda: self._make_flat(labels, logits, features))

    def _make_flat(self, labels: Any, logits: Any, features: Any) -> tuple[Tensor, Tensor, dict[str, Tensor]]:
        mask = mlc.ops.cast(self._mask_of(features), "bool")
        is_step = mlc.ops.reshape(mask, [-1])
        numbers = [mlc.ops.cumsum(mlc.ops.ones_like(mask, "int64"), axis=axis, exclusive=True) for axis in (0, 1)]
        # Row and number of each step: what is gathered has a gradient whatever sizes a batch has.
        places = mlc.ops.stack([mlc.ops.boolean_mask(mlc.ops.reshape(each, [-1]), is_step) for each in numbers], axis=1)

        last = mlc.ops.max(mlc.ops.where(mask, numbers[1] + 1, 0), axis=1)

        def flat(value: Any, what: str) -> Tensor:
            tensor = as_tensor(value)
            if tensor.ndim < 2:
                raise model_error(f"{what}: expected at least two dimensions, [rows, steps, ..]\n{describe([tensor, mask])}")
            is_short = last > mlc.ops.shape(tensor)[1]
            expected = f"steps of the row, for each of which {what} have a value"
            mlc.df.check_ids(mlc.ops.where(is_short, -1, mlc.ops.zeros_like(last)), last, low=0, high=1, what=expected)
            return mlc.df.gather(tensor, places, axes=[0, 1])

        found = {}
        for key in self._feature_columns:
            if key not in features:
                raise model_error(f"`{key}` column expected in features dictionary.")
            found[key] = flat(features[key], f"feature '{key}'")
        return flat(_labels.label_tensor(labels), "labels"), flat(logits, "logits"), found
