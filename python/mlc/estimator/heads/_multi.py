"""The head of several heads, which share what is before their logits."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import mlc
from mlc import _model
from mlc._build import as_tensor
from mlc._graph import Operation, model_error, once
from mlc.errors import ModelTypeError, UnsupportedError, did_you_mean
from mlc.estimator.heads._arguments import check_weights
from mlc.estimator.heads._head import INSTEAD, Head
from mlc.estimator.specs import ModeKeys

if TYPE_CHECKING:
    from mlc.metrics import Metric
    from mlc.tensor import Tensor


class MultiHead(Head):
    """Several heads with names. The loss is the sum of theirs, each times its weight.

    Logits are a dict by the names of the heads, or one Tensor, which is split along its last dimension in their order;
    labels are a dict by these names. Predictions have keys (name of the head, key), in exports `<name>/<key>`; metrics
    are those of the heads, and `loss/<name>`, the mean of a head's loss over the batches.
    """

    def __init__(self, heads: Sequence[Head], head_weights: Sequence[float] | None = None) -> None:
        """A head.

        Args:
          heads: with names, each another one.
          head_weights: factors of their losses; None: 1.

        Raises:
          ValueError: there are no heads, one without a name or two of one name, or another number of weights.
        """
        if not isinstance(heads, (list, tuple)) or not heads:
            raise ValueError(f"Must specify heads. Given: {heads}")
        listed: tuple[Head, ...] = tuple(heads)
        names: list[str] = []
        for head in listed:
            if not isinstance(head, Head) or isinstance(head, MultiHead):
                raise TypeError(f"heads must be heads of mlc.estimator, of one label each; found {head!r}")
            if head.name is None:
                raise ValueError(f"All given heads must have name specified. Given: {head}")
            if head.name in names:
                raise ValueError(f"There are two heads of the name '{head.name}'")
            names.append(head.name)
        self._heads = listed
        self._names = tuple(names)
        self._weights = check_weights(head_weights, len(listed))

    @property
    def name(self) -> str:
        """The names of the heads, joined by "_"."""
        return "_".join(self._names)

    @property
    def logits_dimension(self) -> int:
        """The sum of those of the heads."""
        return sum(head.logits_dimension for head in self._heads)

    @property
    def loss_reduction(self) -> str:
        """That of all heads. ValueError where they differ."""
        found = self._reductions()
        if len(found) > 1:
            raise ValueError(_different(found))
        return found[0]

    def loss(
        self, labels: Any, logits: Any, features: Any = None, mode: str | None = None,
        regularization_losses: Sequence[Any] | None = None,
    ) -> Tensor:  # fmt: skip
        losses = self._losses(labels, logits, features, mode)
        weights = self._weights or (1.0,) * len(losses)
        terms = [loss if weight == 1 else loss * weight for loss, weight in zip(losses, weights, strict=True)]
        return mlc.losses.add_n([*terms, *(regularization_losses or ())])

    def predictions(self, logits: Any, keys: Iterable[Any] | None = None) -> dict[Any, Tensor]:
        by_head = self._split(logits)
        found = {
            (name, key): value
            for name, head in self._named()
            for key, value in head.predictions(by_head[name]).items()
        }
        if not keys:
            return found
        wanted = list(keys)
        for key in wanted:
            if key not in found:
                raise model_error(f"Prediction key must be one of {list(found)}, given: {key!r}.")
        return {key: found[key] for key in wanted}

    def metrics(self, regularization_losses: Sequence[Any] | None = None) -> dict[str, Any]:
        found: dict[str, Any] = {}
        if regularization_losses is not None:
            found[self._key("regularization_loss")] = None
        for name, head in self._named():
            found[f"loss/{name}"] = None
            found |= head.metrics()
        return found

    def update_metrics(
        self, eval_metrics: Mapping[str, Any], features: Any, logits: Any, labels: Any, mode: str | None = None,
        regularization_losses: Sequence[Any] | None = None,
    ) -> dict[str, Metric]:  # fmt: skip
        by_head, wanted = self._split(logits), self._of_heads(labels, "labels")
        found = dict(eval_metrics)
        if regularization_losses is not None:
            found[self._key("regularization_loss")] = mlc.metrics.mean(mlc.losses.add_n(regularization_losses))
        losses = self._losses(labels, logits, features, ModeKeys.EVAL)
        for (name, head), loss in zip(self._named(), losses, strict=True):
            found[f"loss/{name}"] = mlc.metrics.mean(loss)
            found |= head.update_metrics(head.metrics(), features, by_head[name], wanted[name])
        return found

    def _summaries(self, loss: Tensor, labels: Any, logits: Any, features: Any) -> dict[str, Tensor]:
        losses = self._losses(labels, logits, features, ModeKeys.TRAIN)
        return {f"loss/{name}": of_head for name, of_head in zip(self._names, losses, strict=True)}

    def _loss_key(self, key: str) -> str:
        return key

    def _train_op(
        self, loss: Tensor, optimizer: Any, variables: Any, train_op_fn: Any, update_ops: Any
    ) -> Operation:
        found = self._reductions()
        if len(found) > 1:
            raise model_error(_different(found))
        return super()._train_op(loss, optimizer, variables, train_op_fn, update_ops)

    def _own_variables(self) -> list[Any]:
        return [variable for head in self._heads for variable in head._own_variables()]

    def _training_predictions(self, logits: Any) -> dict[Any, Tensor] | None:
        by_head = self._split(logits)
        found: dict[Any, Tensor] = {}
        for name, head in self._named():
            for key, value in (head._training_predictions(by_head[name]) or {}).items():
                found[name, key] = value
        return found

    def describe(self) -> tuple[_model.Head, ...]:
        self._check_unchanged()
        if len(self._heads) == 1:
            raise UnsupportedError(
                f"canned Estimators take a MultiHead of two heads or more, as an only head has no name there; {INSTEAD}"
            )
        weights = self._weights or (1.0,) * len(self._heads)
        for name, weight in zip(self._names, weights, strict=True):
            if "/" in name:
                raise UnsupportedError(f"canned Estimators take heads without '/' in their names; found '{name}'; {INSTEAD}")
            if weight <= 0:
                raise UnsupportedError(f"canned Estimators take head_weights above 0; found {weight} of '{name}'; {INSTEAD}")
        return tuple(
            dataclasses.replace(head.describe_part(), name=name, head_weight=weight)
            for (name, head), weight in zip(self._named(), weights, strict=True)
        )

    # Parts

    def _reductions(self) -> list[str]:
        """The different ones of the heads."""
        return list(dict.fromkeys(head.loss_reduction for head in self._heads))

    def _losses(self, labels: Any, logits: Any, features: Any, mode: str | None) -> list[Tensor]:
        """Those of the heads, without their weights: once for all that asks for them."""

        def make() -> list[Tensor]:
            by_head, wanted = self._split(logits), self._of_heads(labels, "labels")
            return [head.loss(wanted[name], by_head[name], features, mode) for name, head in self._named()]

        return once((self, mode, labels, logits, features), make)

    def _named(self) -> Iterable[tuple[str, Head]]:
        return zip(self._names, self._heads, strict=True)

    def _of_heads(self, values: Any, what: str) -> Mapping[str, Any]:
        """A dict that has a value for each head."""
        if not isinstance(values, Mapping):
            raise model_error(f"{what} must be a dict by the names of the heads. Given: {values!r}", ModelTypeError)
        missing = [name for name in self._names if name not in values]
        if missing:
            hint = did_you_mean(missing[0], [str(key) for key in values])
            text = f"{what} has missing values for head(s): {missing}; found {list(values)}"
            raise model_error(text + (f"; {hint}" if hint else ""))
        return values

    def _split(self, logits: Any) -> Mapping[str, Any]:
        """Logits by the names of the heads."""
        if isinstance(logits, Mapping):
            return self._of_heads(logits, "logits")
        return once((self, logits), lambda: self._split_tensor(logits))

    def _split_tensor(self, logits: Any) -> dict[str, Tensor]:
        tensor = as_tensor(logits, "float32")
        sizes = [head.logits_dimension for head in self._heads]
        if not tensor.shape or tensor.shape[-1] != sum(sizes):
            raise model_error(
                f"Could not split logits of shape {tensor.type_string} among the heads with individual logits "
                f"dimensions: {sizes}. The last dimension of the logits tensor should equal {sum(sizes)}."
            )
        return dict(zip(self._names, mlc.ops.split(tensor, sizes, axis=-1), strict=True))


def _different(reductions: list[str]) -> str:
    return f"The loss_reduction must be the same for different heads. Given: {reductions}"
