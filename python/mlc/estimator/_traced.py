"""Models of model_fns: the signature of their data, and the module that calls of a model_fn become."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlc import _engine, _nest, _values, ops
from mlc._build import build, constant, tensor_of
from mlc._frames import Where, frame_columns
from mlc._graph import Graph, Operation, Trace, model_error, quote, type_text
from mlc._model import WarmStart
from mlc.data import Batches, Dataset, FileDataset
from mlc.errors import DataError, ModelError, UnsupportedError, did_you_mean
from mlc.estimator._hooked import HookedRun
from mlc.estimator.model_fn import EstimatorSpec, call_model_fn, prediction_name
from mlc.estimator.specs import ModeKeys
from mlc.metrics import Metric
from mlc.tensor import Tensor
from mlc.variables import GLOBAL_STEP, Variable, global_step

_ALONE = "predictions"
"""The key of predictions that are a Tensor and no dict."""
_ROLES = {ModeKeys.TRAIN: "train", ModeKeys.EVAL: "eval_update", ModeKeys.PREDICT: "predict"}


@dataclass(frozen=True)
class ArrayColumn:
    """A feature of a model_fn, or a label. `name` is that of the native side, `key` that of the user, for messages."""

    name: str
    key: str
    dtype: str
    shape: tuple[int, ...]
    """Of a row."""
    role: str

    def convert(self, value: Any) -> np.ndarray:
        """`value`, as a user passes it, as the array that the native side reads. Raises DataError."""
        where = Where(self.key, self.role)
        array = _array(value, where)
        dtype = _dtype_of(array, where)
        if self.dtype == "string":
            if dtype != "string":
                raise where.error(f"an array of {array.dtype}", "text, as the first data had")
            result = array
        elif dtype == self.dtype or (dtype != "string" and np.can_cast(array.dtype, _numpy(self.dtype), "same_kind")):
            result = np.ascontiguousarray(array, dtype=_numpy(self.dtype))
        else:
            raise where.error(f"an array of {array.dtype}", f"{self.dtype}, as the first data had")
        if result.shape[1:] != self.shape:
            raise where.error(f"rows of the shape {result.shape[1:]}", f"{self.shape}, as the first data had")
        return result


def _numpy(dtype: str) -> np.dtype:
    return np.dtype(dtype)


def _array(value: Any, where: Where) -> np.ndarray:
    """A column as an array whose first dimension is the rows; texts as objects or 'U' or 'S'."""
    values = _values.to_values(value, where)
    array = values.array
    if array.dtype.kind == "O":
        array = _values.padded(array, _filler(array))
        first = next((item for item in array.flat if item is not None), "")
        if not isinstance(first, (str, bytes)):
            try:
                array = np.array(array.tolist())
            except ValueError:
                array = values.array
            if array.dtype.kind == "O":
                raise where.error("objects of several kinds", "numbers or texts, of equally many in each row")
    if values.missing is not None and bool(np.any(values.missing)):
        if array.dtype.kind not in "OUS":
            row = int(np.flatnonzero(values.missing.reshape(len(array), -1).any(axis=1))[0])
            raise where.error("no value", "a number; fill what is missing before", row)
        array = np.where(values.missing, "", array).astype(object)
    if array.dtype.kind in "OUS" and array.ndim > 2:
        raise where.error(f"texts of the shape {array.shape[1:]} in each row", "one text, or a list of texts, per row")
    return array


def _filler(array: np.ndarray) -> Any:
    """What stands behind short rows of lists: '', -1 or 0, which is no value of ids, or of weights."""
    for row in array.flat:
        for item in row if isinstance(row, (list, tuple, np.ndarray)) else ():
            return "" if isinstance(item, (str, bytes)) else -1 if isinstance(item, (int, np.integer)) else 0.0
    return ""


def _dtype_of(array: np.ndarray, where: Where) -> str:
    """What a Tensor of this array is: float64 becomes float32, as mlc's weights are."""
    kind = array.dtype.kind
    if kind in "OUS":
        return "string"
    if kind == "f":
        return "float16" if array.dtype.itemsize == 2 else "float32"
    if kind in "iu" or kind == "b":
        return "bool" if kind == "b" else array.dtype.newbyteorder("=").name
    raise where.error(f"an array of {array.dtype}", "numbers, bools or texts")


@dataclass(frozen=True)
class ArrayColumns:
    """The columns of a model_fn's features and labels, in the structures that it gets them in."""

    features: Any
    """A structure with an ArrayColumn in the place of each array; so are labels, or None."""
    labels: Any

    @property
    def columns(self) -> list[ArrayColumn]:
        """All of them."""
        return _nest.flatten(self.features) + ([] if self.labels is None else _nest.flatten(self.labels))

    @property
    def keys(self) -> list[str]:
        """Of the features."""
        return [column.key for column in _nest.flatten(self.features)]

    @property
    def direct(self) -> tuple[_engine.DirectColumn, ...]:
        """What the native side reads of rows to predict that are ready, as convert() would; () where it never can."""
        if isinstance(self.features, ArrayColumn):
            return ((None, self.features.name, "array"),)
        return tuple((key, column.name, "array") for key, column in self.features.items())

    def convert(self, features: Any, labels: Any, needs_labels: bool) -> dict[str, np.ndarray]:
        """Features and labels as arrays of the native side. Raises DataError, which names key and row."""
        arrays = _converted(self.features, _structure(features), "features")
        if needs_labels and self.labels is not None:
            if labels is None:
                raise DataError("there are no labels; the first data had some", key="labels")
            arrays |= _converted(self.labels, _structure(labels), "labels")
        rows = {len(array) for array in arrays.values()}
        if len(rows) > 1:
            counts = ", ".join(f"'{name}' has {len(array)}" for name, array in arrays.items())
            raise DataError(f"columns have different numbers of rows: {counts}")
        return arrays


    def source(self, dataset: FileDataset, needs_labels: bool, passes: int | None) -> _engine.FileSource:
        """How the native side reads the columns from files, `passes` times (None: without end). Raises DataError."""
        listed = _nest.flatten(self.features)
        keys = {column.name: column.key for column in listed}
        if needs_labels and self.labels is not None:
            if dataset.label_name is None:
                raise DataError("there are no labels; the first data had some", key="labels")
            labels = _nest.flatten(self.labels)
            if len(labels) != 1:
                raise DataError("labels of files are one column; the first data had a dict", key="labels")
            listed += labels
            keys[labels[0].name] = dataset.label_name
        found = {
            c.name: dataset.column(keys[c.name], "the model_fn", c.dtype, int(np.prod(c.shape)), False) for c in listed
        }
        return dataset.source(found, passes)


def _structure(value: Any) -> Any:
    """What an input_fn gives, as a dict of columns where it is a DataFrame or a Table."""
    columns = frame_columns(value)
    return value if columns is None else columns


def _converted(columns: Any, values: Any, what: str) -> dict[str, np.ndarray]:
    if isinstance(columns, ArrayColumn):
        if isinstance(values, Mapping):
            raise DataError(f"{what} are a dict; the first data had one array", key=what)
        return {columns.name: columns.convert(values)}
    if not isinstance(values, Mapping):
        raise DataError(f"{what} are a {type(values).__name__}; the first data had a dict", key=what)
    missing = [key for key in columns if key not in values]
    if missing:
        found = ", ".join(f"'{key}'" for key in values) or "none"
        hint = did_you_mean(missing[0], list(values))
        text = f"{what} have no key '{missing[0]}', which the first data had; found {found}"
        raise DataError(text + (f"; {hint}" if hint else ""), key=missing[0])
    return {column.name: column.convert(values[key]) for key, column in columns.items()}


def signature(features: Any, labels: Any) -> ArrayColumns:
    """The columns of data: dtypes and shapes are those of its arrays. Raises DataError."""
    taken: set[str] = set()
    found = _columns(_structure(features), "features", "feature", taken)
    return ArrayColumns(found, None if labels is None else _columns(_structure(labels), "labels", "label", taken))


def _columns(values: Any, whole: str, role: str, taken: set[str]) -> Any:
    if isinstance(values, Mapping):
        if not values:
            raise DataError(f"{whole} are empty; expected a column at least")
        return {key: _column(value, str(key), role, str(key) if role == "feature" else f"labels/{key}", taken)
                for key, value in values.items()}  # fmt: skip
    return _column(values, whole, role, whole, taken)


def _column(value: Any, key: str, role: str, name: str, taken: set[str]) -> ArrayColumn:
    where = Where(key, role)
    if isinstance(value, Mapping):
        raise where.error("a dict within a dict", "an array")
    array = _array(value, where)
    unique = name
    while unique in taken:
        unique += "_"
    taken.add(unique)
    return ArrayColumn(unique, key, _dtype_of(array, where), array.shape[1:], role)


class TracedModel:
    """The model of a model_fn: what class Estimator needs of it."""

    has_parts = True
    """What is compiled for some modes may have a part of the model's state alone."""

    def __init__(
        self, model_fn: Callable[..., Any], params: Mapping[str, Any], config: Any, warm_start: WarmStart | None = None
    ) -> None:
        if warm_start is not None and warm_start.remaps:
            raise UnsupportedError("warm_start_from: a VocabInfo is of canned Estimators; a model_fn has none yet")
        if warm_start is not None and warm_start.previous_names:
            raise UnsupportedError(
                "warm_start_from: var_name_to_prev_var_name is of canned Estimators; a model_fn has it not yet"
            )
        self._warm_start = warm_start
        self.model_fn = model_fn
        self._params = params
        self._config = config
        self._seen: ArrayColumns | None = None
        self._is_alone = False
        self._prediction_keys: dict[str, Any] = {}
        """Keys of predictions as the model_fn has them, by their names in the module."""
        self.name = getattr(model_fn, "__name__", "model_fn").strip("<>")

    def columns(self, dataset: Dataset | Batches) -> ArrayColumns:
        """The columns of data: those of what an earlier call saw, as far as they are in both."""
        if isinstance(dataset, FileDataset):
            several = next((name for name, each in dataset.files.fields.items() if each.several), None)
            if several is not None:
                raise UnsupportedError(
                    f"'{several}' has any number of values in each row of the files; a model_fn reads as many in each: "
                    "expected a FixedLenFeature"
                )
        found = signature(dataset.features, dataset.labels)
        seen = self._seen
        if seen is not None and _fits(found.features, seen.features):
            found = ArrayColumns(seen.features, found.labels)
            if found.labels is not None and seen.labels is not None and _fits(found.labels, seen.labels):
                found = ArrayColumns(found.features, seen.labels)
        if seen is None or found.labels is not None:
            self._seen = found
        return found

    @property
    def initial_settings(self) -> list[str]:
        """Settings of runs that may begin without a checkpoint: where variables begin."""
        start = self._warm_start
        if start is None:
            return []
        path = "train.warm_start"
        names = [f"{path}.vars_to_warm_start{'+' if i else ''}={name}" for i, name in enumerate(start.variables or ())]
        return [f"{path}.ckpt_to_initialize_from={start.checkpoint}", *names]

    @property
    def seen(self) -> ArrayColumns:
        """The columns that the first data had. UnsupportedError before there was any."""
        if self._seen is None:
            raise UnsupportedError(
                "nothing is known of the features yet; train, evaluate or predict first, in this process"
            )
        return self._seen

    def compiled(
        self, columns: ArrayColumns, modes: Sequence[str], eval_names: Any = (), hooked: HookedRun | None = None
    ) -> _engine.CompiledModel:
        """The model, compiled for calls in these modes; a training step with what hooks fetch."""
        if any(eval_names):
            raise UnsupportedError(
                f"EvalSpec: the name '{next(name for name in eval_names if name)}' is not supported for a model_fn; "
                "expected None"
            )
        return _engine.compile_model(self.text(columns, modes, hooked=hooked), f"{self.name}.mlir")

    def predictions(self, batch: dict[str, np.ndarray]) -> dict[Any, np.ndarray] | np.ndarray:
        """The predictions of a batch as they are given to users: an array, if the model_fn gave a Tensor alone."""
        if self._is_alone:
            return batch[_ALONE]
        return {self._prediction_keys[name]: value for name, value in batch.items()}

    def text(
        self, columns: ArrayColumns, modes: Sequence[str], origins: bool = True, hooked: HookedRun | None = None
    ) -> str:
        """The df module of calls of the model_fn in these modes."""
        graph = Graph(seed=self._config.tf_random_seed or 0)
        graph.builder.set_attributes(f"{{mlc.name = {quote(self.name)}, df.optional_parts}}")
        for mode in modes:
            self._trace(graph, columns, mode, hooked)
        if graph.initial_values:
            _trace_initial_values(graph)
        graph.call(graph.builder.verify)
        return str(graph.builder.text(origins))

    def _trace(self, graph: Graph, columns: ArrayColumns, mode: str, hooked: HookedRun | None) -> None:
        with_labels = mode != ModeKeys.PREDICT and columns.labels is not None
        listed = columns.columns if with_labels else _nest.flatten(columns.features)
        arguments = [(c.name, type_text(c.dtype, (None, *c.shape)), "") for c in listed]
        role = _ROLES[mode]
        with graph.function(role, role, mode, arguments) as (trace, numbers):
            tensors = iter([tensor_of(trace, number) for number in numbers])
            features = _filled(columns.features, tensors)
            labels = _filled(columns.labels, tensors) if with_labels else None
            spec = call_model_fn(self.model_fn, features, labels, mode, self._params, self._config)
            if mode == ModeKeys.TRAIN:
                graph.end_function(_end_of_training(trace, spec, hooked))
                return
            if mode == ModeKeys.PREDICT:
                self._is_alone = not isinstance(spec.predictions, Mapping)
                if not self._is_alone:
                    self._prediction_keys = {prediction_name(key): key for key in spec.predictions}
                graph.end_function(_predictions(spec))
                return
            metrics = {"loss": _mean_loss(spec.loss), **spec.eval_metric_ops}
            totals = {name: metric.update(name) for name, metric in metrics.items()}
            graph.end_function([])
        with graph.function("eval_result", "eval_result", mode, []):
            graph.end_function([(name, _scalar(name, metric, totals[name])) for name, metric in metrics.items()])


def _fits(found: Any, seen: Any) -> bool:
    """Whether columns have the structure of others, and each can be read as the one there."""
    if isinstance(found, ArrayColumn) or isinstance(seen, ArrayColumn):
        return (
            isinstance(found, ArrayColumn)
            and isinstance(seen, ArrayColumn)
            and found.shape == seen.shape
            and (found.dtype == seen.dtype or "string" not in (found.dtype, seen.dtype))
        )
    return all(key in found and _fits(found[key], seen[key]) for key in seen)


def _filled(structure: Any, tensors: Any) -> Any:
    """The structure with a Tensor in the place of each column."""
    if isinstance(structure, ArrayColumn):
        return next(tensors)
    in_order = {key: next(tensors) for key in sorted(structure)}
    return _Tensors({key: in_order[key] for key in structure})


class _Tensors(dict[str, Tensor]):
    """Features, or labels, by key. KeyError names those that there are."""

    def __missing__(self, key: Any) -> Tensor:
        hint = did_you_mean(str(key), self)
        found = ", ".join(f"'{name}'" for name in self)
        raise KeyError(f"{key!r} is no key of the data; found {found}" + (f"; {hint}" if hint else ""))


def _as_scalar(tensor: Any) -> Tensor:
    found = ops.identity(tensor)
    return ops.reshape(found, []) if found.shape else found


def _end_of_training(trace: Trace, spec: EstimatorSpec, hooked: HookedRun | None) -> list[tuple[str, Tensor]]:
    """Ends a step: counts it; its outputs. ModelError for an optimizer that the train_op leaves out."""
    assert isinstance(spec.train_op, Operation)
    known = {id(part) for part in spec.train_op.all_parts()}
    for update in trace.updates:
        if id(update) not in known:
            raise model_error(
                f"train_op leaves out what {update.what} does, which was made at {update.place}; return "
                "mlc.train.group of all of them, or do not make it",
                ModelError, spec.place,
            )  # fmt: skip
    step = global_step()
    one = constant(1, "int64")
    build("df.assign_add", (one,), ".", (("variable", "symbol", step.name),), None, False)
    loss = ops.cast(_as_scalar(spec.loss), "float32")
    if hooked is not None:
        hooked.add_hooks(spec.training_hooks)
    fetched = [] if hooked is None else hooked.begin(trace, {"loss": loss, **trace.scalars, **trace.named})
    return [("loss", loss), *trace.scalars.items(), *fetched]


def _mean_loss(loss: Any) -> Metric:
    return Metric({"total": _as_scalar(loss), "count": 1.0}, lambda total: total["total"] / total["count"], "loss")


def _scalar(name: str, metric: Metric, totals: Mapping[str, Variable]) -> Tensor:
    value = metric.result(totals)
    if value.shape:
        raise model_error(f"eval_metric_ops['{name}'] is {value!r}; expected a scalar: make one metric of each element")
    return ops.cast(value, "float64")


def _predictions(spec: EstimatorSpec) -> list[tuple[str, Tensor]]:
    given = spec.predictions if isinstance(spec.predictions, Mapping) else {_ALONE: spec.predictions}
    return [(prediction_name(key), ops.identity(value)) for key, value in given.items()]


def _trace_initial_values(graph: Graph) -> None:
    """The function that gives variables first values that are arrays; the others get theirs as they are declared."""
    with graph.function("init", "init", "init", []):
        for name, array in graph.initial_values.items():
            variable = graph.variables[name]
            assert name != GLOBAL_STEP
            variable.assign(constant(array, variable.dtype, exact=True))
        graph.end_function([])
