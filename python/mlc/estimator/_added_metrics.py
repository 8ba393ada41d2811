"""Metrics that functions add to the evaluations of canned Estimators: what add_metrics traces into their modules."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mlc._build import tensor_of
from mlc._columns import InputColumn, InputColumns, check_features
from mlc._graph import Graph, Trace, quote, type_text
from mlc._model import Model
from mlc.errors import UnsupportedError, did_you_mean
from mlc.estimator._signature import signature
from mlc.estimator._traced import scalars_of
from mlc.estimator.model_fn import check_metrics
from mlc.estimator.specs import ModeKeys
from mlc.metrics import Metric
from mlc.tensor import Tensor

MetricFn = Callable[..., Mapping[str, Metric]]

_ARGUMENTS = {"features", "labels", "predictions", "config"}


def check_metric_fn(metric_fn: MetricFn) -> None:
    """ValueError, in TensorFlow's words, for arguments that nobody gives."""
    unknown = sorted(set(inspect.signature(metric_fn).parameters) - _ARGUMENTS)
    if unknown:
        raise ValueError(f"metric_fn ({metric_fn}) has following not expected args: {unknown}")


def call_metric_fn(metric_fn: MetricFn, given: Mapping[str, Any]) -> dict[str, Metric]:
    """What metric_fn returns for those of the arguments that it has."""
    metrics = metric_fn(**{name: given[name] for name in inspect.signature(metric_fn).parameters})
    if not isinstance(metrics, Mapping):
        raise TypeError(f"metric_fn ({metric_fn}) returned {metrics!r}; expected a dict of metrics by name")
    check_metrics(metrics)
    return dict(metrics)


@dataclass(frozen=True)
class EvaluatedColumns(InputColumns):
    """The columns of an evaluation, those that metrics alone read among them, and the module that reads them."""

    module: str


def evaluated_columns(spec: str, model: Model, columns: InputColumns, features: Any, config: Any) -> EvaluatedColumns:
    """The module of a spec whose evaluations have the metrics of model.metric_fns, too.

    What the spec says is compiled as it is, and tells hooks the loss of each batch: evaluations compute of the same batch the predictions, of these, of features
    and of labels the metrics that the functions return, and at the end those of the head whose names these leave.

    Args:
      columns: those that the spec declares.
      features: as the input_fn gave them: keys that the model does not read are there for metrics, too.

    Raises:
      ModelError: what the functions do is wrong, at their lines.
      UnsupportedError: they use features or labels of any number of values in each row.
    """
    graph = Graph(seed=config.tf_random_seed or 0)
    graph.call(graph.builder.import_spec, spec, "<spec>", True)
    metrics: dict[str, Metric] = {}
    trace = Trace(graph, ModeKeys.EVAL)
    with graph.reopened("eval_update", trace) as (arguments, outputs):
        inputs = _Inputs(trace, dict(arguments), columns, check_features(features))
        given = _Arguments(
            features=lambda: inputs, labels=inputs.labels, predictions=lambda: _predictions(trace, model), config=lambda: config
        )
        for metric_fn in model.metric_fns:
            metrics |= call_metric_fn(metric_fn, given)
        totals = {name: metric.update(f"added/{name}") for name, metric in metrics.items()}
        graph.end_function([(name, tensor_of(trace, number)) for name, number in outputs])
    trace = Trace(graph, ModeKeys.EVAL)
    with graph.reopened("eval_result", trace) as (_, outputs):
        kept = [(name, tensor_of(trace, number)) for name, number in outputs if name not in metrics]
        graph.end_function([*kept, *(pair for name, each in metrics.items() for pair in scalars_of(name, each, totals[name]))])
    manifest = json.loads(graph.builder.text_attribute("mlc.manifest") or "{}")
    manifest["input"]["columns"] += [inputs.described(column) for column in inputs.added]
    graph.builder.set_attributes(f"{{mlc.manifest = {quote(json.dumps(manifest))}}}")
    graph.call(graph.builder.verify)
    return EvaluatedColumns((*columns.columns, *inputs.added), columns.labels, str(graph.builder.text(True)))


class _Arguments(dict[str, Any]):
    """What metric_fns are given, of functions that make it where it is asked for first."""

    def __init__(self, **makers: Callable[[], Any]) -> None:
        super().__init__()
        self._makers = makers

    def __missing__(self, name: str) -> Any:
        self[name] = self._makers[name]()
        return self[name]


def _predictions(trace: Trace, model: Model) -> dict[Any, Tensor]:
    """The predictions of the batch by the keys of predict: of several heads by (head, key)."""
    found = trace.graph.call(trace.graph.builder.inline_function, "predict")
    named = {name: tensor_of(trace, number) for name, number in found}
    if len(model.heads) > 1:
        return _Predictions({tuple(name.split("/", 1)): each for name, each in named.items()})
    return _Predictions(named)


class _Predictions(dict[Any, Tensor]):
    """KeyError names those that there are."""

    def __missing__(self, key: Any) -> Tensor:
        raise KeyError(f"{key!r} is no key of the predictions; found {', '.join(map(repr, self))}")


class _Inputs(Mapping[str, Tensor]):
    """The features of an evaluation, as Tensors. One that the model does not read becomes an argument when it is asked for.

    Attributes:
      added: the columns of these.
    """

    def __init__(
        self, trace: Trace, arguments: dict[str, int], columns: InputColumns, features: Mapping[str, Any]
    ) -> None:
        self._trace, self._arguments, self._columns, self._features = trace, arguments, columns, features
        self.added: list[InputColumn] = []

    def _known(self) -> dict[str, InputColumn]:
        return {column.key: column for column in self._columns.columns if column.role not in ("label", "rows")}

    def __iter__(self) -> Iterator[str]:
        return iter({**self._known(), **dict.fromkeys(self._features)})

    def __len__(self) -> int:
        return len(list(iter(self)))

    def __getitem__(self, key: str) -> Tensor:
        column = self._known().get(key) or next((each for each in self.added if each.key == key), None)
        if column is not None and (column.several or column.name in self._arguments):
            return self._tensor(column, f"feature '{key}'")
        if key not in self._features:
            hint = did_you_mean(str(key), list(self))
            found = ", ".join(f"'{name}'" for name in self)
            raise KeyError(f"{key!r} is no key of the features; found {found}" + (f"; {hint}" if hint else ""))
        return self._tensor(self._add(key), f"feature '{key}'")

    def _add(self, key: str) -> InputColumn:
        """Makes an argument of a feature that the model does not read."""
        (found,) = signature({key: self._features[key]}, None).columns
        dtype = {"int8": "int32", "int16": "int32", "uint8": "int32", "uint16": "int32", "float16": "float32"}.get(
            found.dtype, found.dtype
        )
        if dtype not in ("float32", "int32", "int64", "string") or (dtype == "string" and found.shape):
            raise UnsupportedError(
                f"metric_fn: feature '{key}' is {found.dtype} of the shape {found.shape} in each row, and the model does not "
                "read it; expected numbers, or one text"
            )
        taken = {*self._arguments, *(column.name for column in self._columns.columns)}
        name = key
        while name in taken:
            name += "_"
        column = InputColumn(key, name, dtype.upper(), "numbers", "a metric", shape=found.shape)
        type_of = type_text(dtype, (None, *found.shape))
        graph = self._trace.graph
        self._arguments[name] = graph.call(graph.builder.add_argument, name, type_of, "")
        self.added.append(column)
        return column

    def labels(self) -> Any:
        """The labels: one Tensor, or of several heads a dict by their names."""
        found = {column.head: self._tensor(column, "label") for column in self._columns.labels}
        return found[None] if None in found else found

    def _tensor(self, column: InputColumn, what: str) -> Tensor:
        if column.several:
            raise UnsupportedError(
                f"metric_fn: the {what} has any number of values in each row; metrics are of one value or shape per row"
            )
        return tensor_of(self._trace, self._arguments[column.name])

    @staticmethod
    def described(column: InputColumn) -> dict[str, Any]:
        """A column as a manifest tells it."""
        shape = {"shape": list(column.shape)} if column.shape else {}
        return {"name": column.name, "dtype": column.dtype, **shape}
