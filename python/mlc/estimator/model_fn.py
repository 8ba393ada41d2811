"""EstimatorSpec: what a model_fn returns, and how a model_fn is called."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from mlc._build import is_tensor
from mlc._graph import Operation, model_error, place_of, user_place
from mlc.errors import ModelTypeError, UnsupportedError
from mlc.estimator.export import checked_outputs
from mlc.estimator.specs import ModeKeys

if TYPE_CHECKING:
    from mlc.metrics import Metric

_MODES = (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.PREDICT)


class EstimatorSpec:
    """What a model_fn makes of features and labels in a mode.

    Attributes:
      mode: that of the call.
      predictions: in PREDICT: a Tensor, or a dict of Tensors by key, each with the batch as its first dimension.
      loss: in TRAIN and EVAL: a scalar.
      train_op: in TRAIN: what minimize returns; of several optimizers mlc.train.group of all.
      eval_metric_ops: in EVAL: metrics by name, of mlc.metrics.
      training_hooks, training_chief_hooks, evaluation_hooks, prediction_hooks: called between steps, or batches, after those of train,
        evaluate and predict; in a cluster those of the chief by the chief alone.
      export_outputs: in PREDICT: what an export gives, by the names of signatures: see mlc.estimator.export.
      place: the line that made it.
    """

    def __init__(
        self,
        mode: str,
        predictions: Any = None,
        loss: Any = None,
        train_op: Any = None,
        eval_metric_ops: Mapping[str, Metric] | None = None,
        export_outputs: Any = None,
        training_chief_hooks: Any = None,
        training_hooks: Any = None,
        scaffold: Any = None,
        evaluation_hooks: Any = None,
        prediction_hooks: Any = None,
    ) -> None:
        """An EstimatorSpec. scaffold is TensorFlow's; there is none yet.

        Raises:
          ModelError: what the mode needs is missing, or is not of the right form.
        """
        if scaffold:
            raise UnsupportedError("EstimatorSpec: scaffold is not supported yet; expected None")
        self.mode = mode
        self.predictions = predictions
        self.loss = loss
        self.train_op = train_op
        if not isinstance(eval_metric_ops or {}, Mapping):
            raise model_error(f"eval_metric_ops is {eval_metric_ops!r}; expected a dict of metrics by name", ModelTypeError)
        self.eval_metric_ops = dict(eval_metric_ops or {})
        self.training_hooks, self.training_chief_hooks = list(training_hooks or ()), list(training_chief_hooks or ())
        self.evaluation_hooks, self.prediction_hooks = list(evaluation_hooks or ()), list(prediction_hooks or ())
        self.export_outputs = checked_outputs(export_outputs)
        self.place = user_place()
        if mode not in _MODES:
            raise model_error(f"mode is {mode!r}; expected one of ModeKeys")
        required = {ModeKeys.TRAIN: ("loss", "train_op"), ModeKeys.EVAL: ("loss",), ModeKeys.PREDICT: ("predictions",)}
        for name in required[mode]:
            if getattr(self, name) is None:
                raise model_error(f"Missing {name}: an EstimatorSpec of mode '{mode}' has one")
        self._check_loss()
        check_metrics(self.eval_metric_ops)
        self._check_predictions()
        self._check_export_outputs()
        if mode == ModeKeys.TRAIN and not isinstance(train_op, Operation):
            raise model_error(
                f"train_op is {train_op!r}; expected what an optimizer's minimize or mlc.train.group returns",
                ModelTypeError,
            )

    def _replace(self, **fields: Any) -> EstimatorSpec:
        """A copy with other values of some fields, as TensorFlow's namedtuple has it. ValueError: another mode."""
        if fields.get("mode", self.mode) != self.mode:
            raise ValueError("mode of EstimatorSpec cannot be changed.")
        names = (
            "mode", "predictions", "loss", "train_op", "eval_metric_ops", "training_hooks", "training_chief_hooks",
            "evaluation_hooks", "prediction_hooks", "export_outputs",
        )  # fmt: skip
        return EstimatorSpec(**{name: getattr(self, name) for name in names} | fields)

    def add_metrics(self, metrics: Mapping[str, Metric]) -> None:
        """More eval_metric_ops; ones of the same names are replaced."""
        check_metrics(metrics)
        self.eval_metric_ops.update(metrics)

    def _check_loss(self) -> None:
        if self.loss is None or self.mode == ModeKeys.PREDICT:
            return
        if not is_tensor(self.loss):
            raise model_error(f"loss is {self.loss!r}; expected a Tensor", ModelTypeError)
        if "float" not in self.loss.dtype:
            raise model_error(f"loss is {self.loss!r}; expected a scalar of floats: convert it with astype", ModelTypeError)
        if self.loss.shape not in ((), (1,)):
            raise model_error(f"Loss must be scalar, given: {self.loss!r}; reduce it by ops.mean, or use mlc.losses")

    def _check_predictions(self) -> None:
        if self.mode != ModeKeys.PREDICT:
            return
        items = self.predictions.items() if isinstance(self.predictions, Mapping) else [("predictions", self.predictions)]
        if not items:
            raise model_error("predictions are empty; expected a Tensor at least")
        names: dict[str, Any] = {}
        for key, value in items:
            other = names.setdefault(prediction_name(key), key)
            if other != key:
                raise model_error(f"predictions {other!r} and {key!r} have one name, '{prediction_name(key)}'; give one another key")
            if not is_tensor(value):
                raise model_error(f"predictions['{key}'] is {value!r}; expected a Tensor", ModelTypeError)
            if not value.shape or value.shape[0] is not None:
                raise model_error(
                    f"predictions['{key}'] is {value!r}; expected the batch as its first dimension"
                )


    def _check_export_outputs(self) -> None:
        for name, output in self.export_outputs.items() if self.mode == ModeKeys.PREDICT else ():
            for key, value in output.outputs.items():
                if not value.shape or value.shape[0] is not None:
                    raise model_error(
                        f"export_outputs['{name}']: '{key}' is {value!r}; expected the batch as its first dimension"
                    )


def check_metrics(metrics: Mapping[str, Any]) -> None:
    """ModelError for what is no metric, or has the name of what every evaluation has."""
    from mlc.metrics import Metric

    for name, metric in metrics.items():
        if not isinstance(name, str):
            raise model_error(f"eval_metric_ops has the key {name!r}; expected names, which are strings", ModelTypeError)
        if not isinstance(metric, Metric):
            raise model_error(
                f"eval_metric_ops['{name}'] is {metric!r}; expected a metric of mlc.metrics", ModelTypeError
            )
        if name in ("loss", "global_step"):
            raise model_error(f"eval_metric_ops has '{name}', which every evaluation has by itself; give it another name")


def prediction_name(key: Any) -> str:
    """The name of a prediction in a module and in exports: of (head, key), as a MultiHead has them, "head/key"."""
    return "/".join(map(str, key)) if isinstance(key, tuple) else str(key)


def check_model_fn(model_fn: Any, params: Any) -> None:
    """Raises ValueError, in TensorFlow's words, for a function without features, or with arguments nobody gives."""
    names, has_rest = _arguments(model_fn)
    if not names and not has_rest:
        raise ValueError(f"model_fn ({model_fn}) must include features argument.")
    known = {"labels", "mode", "params", "config"}
    unknown = [name for name, is_required in list(names.items())[1:] if is_required and name not in known]
    if unknown:
        raise ValueError(f"model_fn ({model_fn}) has following not expected args: {unknown}")
    if params is not None and "params" not in names and not has_rest:
        raise ValueError(f"model_fn ({model_fn}) does not include params argument, but params ({params}) is passed to Estimator.")


def _arguments(function: Callable[..., Any]) -> tuple[dict[str, bool], bool]:
    """Names of arguments and whether each is required; and whether there are **keywords."""
    parameters = inspect.signature(function).parameters.values()
    positional = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    names = {p.name: p.default is inspect.Parameter.empty for p in parameters if p.kind in positional}
    return names, any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters)


def call_model_fn(
    model_fn: Callable[..., Any], features: Any, labels: Any, mode: str, params: Mapping[str, Any], config: Any
) -> EstimatorSpec:
    """Calls a model_fn with those of the arguments that it has.

    Raises ValueError: it takes no labels and there are some. ModelError: it returns something else than an EstimatorSpec of
    mode.
    """
    names, has_rest = _arguments(model_fn)
    arguments: dict[str, Any] = {}
    given = {"labels": labels, "mode": mode, "params": dict(params), "config": config}
    arguments = {name: value for name, value in given.items() if name in names or has_rest}
    if "labels" not in arguments and labels is not None:
        raise ValueError("model_fn does not take labels, but input_fn returns labels.")
    result = model_fn(features, **arguments)
    if not isinstance(result, EstimatorSpec):
        text = f"model_fn should return an EstimatorSpec; found {result!r} in mode '{mode}'"
        raise model_error(text, ModelTypeError, place_of(model_fn))
    if result.mode != mode:
        text = f"model_fn returned an EstimatorSpec of mode '{result.mode}'; it was called with mode '{mode}'"
        raise model_error(text, place=result.place)
    return result
