"""What heads make of given logits, labels and weights in a model_fn: losses, metrics, predictions, what they refuse."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import canned
import numpy as np

from mlc import estimator, metrics, ops, train, variables
from mlc.estimator import EstimatorSpec, ModeKeys


@dataclass(frozen=True)
class Batch:
    """A head, and what it is called with: as a test of tf.estimator calls it, in which the shapes are known."""

    head: estimator.Head
    logits: Any
    """An array, or of a MultiHead a dict of them."""
    labels: Any = None
    features: Mapping[str, Any] = field(default_factory=dict)
    regularization_losses: Sequence[float] | None = None

    def columns(self) -> dict[str, np.ndarray]:
        """The arrays as columns of one row, by what they are: those of a dict are "<what>/<key>"."""
        found: dict[str, np.ndarray] = {}
        for what, dtype in (("logits", np.float32), ("labels", None), ("features", None)):
            given = getattr(self, what)
            if isinstance(given, Mapping):
                found |= {f"{what}/{key}": np.asarray(value, dtype).reshape(1, -1) for key, value in given.items()}
            elif given is not None:
                found[what] = np.asarray(given, dtype).reshape(1, -1)
        return found

    def given(self, what: str, columns: Mapping[str, Any]) -> Any:
        """The Tensors of such columns in the place of an array, or of those of a dict."""
        like = getattr(self, what)
        if isinstance(like, Mapping):
            return {key: ops.reshape(columns[f"{what}/{key}"][0], np.shape(value)) for key, value in like.items()}
        return None if like is None else ops.reshape(columns[what][0], np.shape(like))

    def arguments(self, columns: Mapping[str, Any]) -> dict[str, Any]:
        """What create_estimator_spec is called with besides the mode, of Tensors of such columns."""
        given = {what: self.given(what, columns) for what in ("features", "logits", "labels")}
        return given | {"regularization_losses": self.regularization_losses}


def _model(
    batches: Mapping[str, Batch], directory: Path, spec_of: Callable[[Mapping[str, Any], str], EstimatorSpec]
) -> tuple[estimator.Estimator, Callable[[], dict[str, np.ndarray]]]:
    """An Estimator whose EstimatorSpec `spec_of` makes of the arguments of create_estimator_spec by the batches' names,
    and its input_fn. The batches are features, one row each: one model has those of any sizes."""
    columns = {name: batch.columns() for name, batch in batches.items()}

    def model_fn(features: Any, mode: str) -> EstimatorSpec:
        arguments = {}
        for name, batch in batches.items():
            own = {key: features[f"{name}/{key}"] for key in columns[name]}
            arguments[name] = batch.arguments(own) | {"mode": mode}
        return spec_of(arguments, mode)

    rows = {f"{name}/{key}": column for name, own in columns.items() for key, column in own.items()}
    return estimator.Estimator(model_fn, str(directory / "heads")), lambda: rows


def evaluated(batches: Mapping[str, Batch], directory: Path) -> dict[str, dict[str, float]]:
    """The loss and the metrics of each batch by its name: of the EstimatorSpecs of EVAL, all in one model."""

    def spec_of(arguments: Mapping[str, Any], mode: str) -> EstimatorSpec:
        specs = {name: batches[name].head.create_estimator_spec(**given) for name, given in arguments.items()}
        found = {f"{name}:loss": metrics.mean(spec.loss) for name, spec in specs.items()}
        for name, spec in specs.items():
            found |= {f"{name}:{key}": metric for key, metric in spec.eval_metric_ops.items()}
        return EstimatorSpec(mode, loss=next(iter(specs.values())).loss, eval_metric_ops=found)

    model, input_fn = _model(batches, directory, spec_of)
    scores = model.evaluate(input_fn)
    return {
        name: {key[len(name) + 1 :]: value for key, value in scores.items() if key.startswith(f"{name}:")}
        for name in batches
    }


def trained(batches: Mapping[str, Batch], directory: Path) -> tuple[dict[str, float], estimator.Estimator]:
    """The loss of each batch in a step of TRAIN, as its train_op_fn is given it, all in one model; and the Estimator,
    for its summaries. The loss of the step is that of the first batch."""

    def spec_of(arguments: Mapping[str, Any], mode: str) -> EstimatorSpec:
        losses, steps = [], []
        for name, given in arguments.items():
            seen = variables.get_variable(f"{name}/seen", [], initializer="zeros", trainable=False)
            spec = batches[name].head.create_estimator_spec(**given, train_op_fn=seen.assign)
            assert not spec.eval_metric_ops
            losses.append(spec.loss)
            steps.append(spec.train_op)
        return EstimatorSpec(mode, loss=losses[0], train_op=train.group(*steps))

    model, input_fn = _model(batches, directory, spec_of)
    model.train(input_fn, steps=1)
    return {name: float(model.get_variable_value(f"{name}/seen")) for name in batches}, model


def predicted(
    head: estimator.Head, logits: Any, directory: Path, keys: Iterable[str] | None = None
) -> dict[Any, np.ndarray]:
    """The predictions of given logits: of the EstimatorSpec of PREDICT, or, with `keys`, of head.predictions."""

    def model_fn(features: Any, mode: str) -> EstimatorSpec:
        scores = features if isinstance(logits, Mapping) else features["logits"]
        if keys is None:
            return head.create_estimator_spec(features, mode, scores)
        return EstimatorSpec(mode, predictions=head.predictions(scores, keys))

    given = logits if isinstance(logits, Mapping) else {"logits": logits}
    columns = {key: np.asarray(value, np.float32) for key, value in given.items()}
    (found,) = estimator.Estimator(model_fn, str(directory / "heads")).predict(
        lambda: columns, yield_single_examples=False
    )
    return found


def loss_of(batch: Batch, directory: Path, mode: str = ModeKeys.EVAL) -> float:
    """The loss of a batch by head.loss in a model_fn: for what a head refuses."""

    def spec_of(arguments: Mapping[str, Any], mode: str) -> EstimatorSpec:
        loss = batch.head.loss(**arguments["batch"])
        return EstimatorSpec(mode, loss=loss, train_op=train.no_op() if mode == ModeKeys.TRAIN else None)

    model, input_fn = _model({"batch": batch}, directory, spec_of)
    if mode == ModeKeys.TRAIN:
        return canned.losses_of(model, input_fn, 1)[0]
    return model.evaluate(input_fn)["loss"]
