"""Models of model_fns: the module that calls of a model_fn become."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import json
import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from mlc import _engine, _nest, ops
from mlc._build import build, constant, tensor_of
from mlc._graph import Graph, Operation, Trace, model_error, quote, symbol, type_text
from mlc._model import VocabularyRemap, WarmStart
from mlc.data import Batches, Dataset, FileDataset
from mlc.errors import DataError, ModelError, UnsupportedError, did_you_mean
from mlc.estimator import _runs
from mlc.estimator._fetches import METRICS, key_of
from mlc.estimator._hooked import HookedRun
from mlc.estimator._signature import ArrayColumn, ArrayColumns, SizesVary, fits, saved_columns, signature
from mlc.estimator.export import named_outputs
from mlc.estimator.model_fn import EstimatorSpec, call_model_fn, prediction_name
from mlc.estimator.specs import ModeKeys
from mlc.metrics import Metric
from mlc.tensor import Tensor
from mlc.variables import GLOBAL_STEP, Variable, global_step

logger = logging.getLogger("mlc")

_ALONE = "predictions"
"""The key of predictions that are a Tensor and no dict."""
_HOOKS = {ModeKeys.TRAIN: "training_hooks", ModeKeys.EVAL: "evaluation_hooks", ModeKeys.PREDICT: "prediction_hooks"}
"""Of an EstimatorSpec."""
_ROLES = {ModeKeys.TRAIN: "train", ModeKeys.EVAL: "eval_update", ModeKeys.PREDICT: "predict"}


class TracedModel:
    """The model of a model_fn: what class Estimator needs of it."""

    has_parts = True
    """What is compiled for some modes may have a part of the model's state alone."""

    def __init__(
        self, model_fn: Callable[..., Any], params: Mapping[str, Any], config: Any, warm_start: WarmStart | None = None
    ) -> None:
        self.warm_start = warm_start
        self.model_fn = model_fn
        self._params = params
        self._config = config
        self._seen: ArrayColumns | None = None
        self._is_alone = False
        self._prediction_keys: dict[str, Any] = {}
        """Keys of predictions as the model_fn has them, by their names in the module."""
        self.hooks_left_out: list[str] = []
        """The hooks of EstimatorSpecs, by the names of their arguments, that the last text() has no calls of."""
        self.evaluates_here = False
        """Whether evaluations while the model trains are run from Python: the EstimatorSpec of the last one that was traced has hooks."""
        self.name = getattr(model_fn, "__name__", "model_fn").strip("<>")

    def eval_columns(self, dataset: Dataset | Batches) -> ArrayColumns:
        """As columns()."""
        return self.columns(dataset)

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
        if seen is not None and fits(found.features, seen.features):
            found = ArrayColumns(seen.features, found.labels)
            if found.labels is not None and seen.labels is not None and fits(found.labels, seen.labels):
                found = ArrayColumns(found.features, seen.labels)
        if seen is None or found.labels is not None:
            self._seen = found
        return found

    def generalized(self, change: SizesVary) -> ArrayColumns:
        """The columns from here on: those of data whose rows have another size than before."""
        logger.info("%s; the model is compiled for rows of any size there", change.text)
        self._seen = change.columns
        return change.columns

    def ahead(self, columns: ArrayColumns, batches: Batches, needs_labels: bool) -> ArrayColumns:
        """The columns as the second batch, too, has them: one that says more spares a start with the first one's."""
        second = batches.second() if columns.have_sizes else None
        if second is None:
            return columns
        try:
            columns.convert(*second, needs_labels=needs_labels)
        except SizesVary as change:
            return self.generalized(change)
        except DataError:
            pass  # told with its number, when it is its turn
        return columns

    def keep_columns(self, columns: ArrayColumns) -> None:
        """Writes what the model is trained on to the model_dir."""
        columns.save(self._config.model_dir)

    @property
    def initial_settings(self) -> list[str]:
        """Settings of runs that may begin without a checkpoint: where variables begin."""
        start = self.warm_start
        if start is None:
            return []
        path = "train.warm_start"
        names = [f"{path}.vars_to_warm_start{'+' if i else ''}={name}" for i, name in enumerate(start.variables or ())]
        for number, remap in enumerate(start.remaps):
            values = {
                "variable": remap.variable, "old_vocabulary_file": remap.old_vocabulary_file,
                "old_vocabulary_size": remap.old_vocabulary_size, "axis": remap.axis,
            }  # fmt: skip
            names += [f"{path}.vocab_remap.{number}.{field}={value}" for field, value in values.items() if value is not None]
        for number, (variable, previous) in enumerate(start.previous_names):
            prefix = f"{path}.var_name_to_prev_var_name.{number}"
            names += [f"{prefix}.variable={variable}", f"{prefix}.previous={previous}"]
        return [f"{path}.ckpt_to_initialize_from={start.checkpoint}", *names]

    @property
    def seen(self) -> ArrayColumns:
        """The columns that the first data had, or those that the model_dir tells. UnsupportedError without any."""
        if self._seen is None:
            self._seen = saved_columns(self._config.model_dir)
        if self._seen is None:
            raise UnsupportedError(
                "nothing is known of the features yet, and the model_dir has no features.json; train, evaluate or predict first"
            )
        return self._seen

    def compiled(
        self, columns: ArrayColumns, modes: Sequence[str], eval_names: Any = (), hooked: HookedRun | None = None
    ) -> _engine.CompiledModel:
        """The model, compiled for calls in these modes; the first with what hooks fetch."""
        return self._compiled(self.text(columns, modes, eval_names=eval_names, hooked=hooked))

    def compiled_for_export(self, columns: ArrayColumns) -> _engine.CompiledModel:
        """The model that an export is made of: with the export_outputs of its EstimatorSpec."""
        return self._compiled(self.text(columns, [ModeKeys.PREDICT], exports=True))

    def compiled_again(self, columns: ArrayColumns, modes: Sequence[str], change: SizesVary, eval_names: Any = (),
                       hooked: HookedRun | None = None) -> _engine.CompiledModel:  # fmt: skip
        """As compiled, for data whose rows turned out to have several sizes. DataError if the model_fn needs one."""
        try:
            return self.compiled(columns, modes, eval_names, hooked)
        except ModelError as error:
            raise DataError(f"{change.text}; the model_fn cannot be traced for rows of any size: {error}") from error

    def grown(self, hooked: HookedRun) -> _engine.CompiledModel:
        """The model that hooked was traced with, compiled with what hooks ask for, too."""
        graph = hooked.grow().graph
        graph.call(graph.builder.verify)
        return self._compiled(str(graph.builder.text(True)))

    def _compiled(self, text: str) -> _engine.CompiledModel:
        return _engine.compile_model(text, f"{self.name}.mlir", self._config.target)

    def trainer_text(
        self, columns: ArrayColumns, modes: Sequence[str], eval_names: Iterable[str], hooked: HookedRun, files: FileDataset | None,
        source: _engine.FileSource | None,
    ) -> tuple[str, str]:  # fmt: skip
        """The module of a trainer that reads such files (None: arrays), and what messages call it."""
        return self.text(columns, modes, eval_names=eval_names, hooked=hooked, source=source), f"{self.name}.mlir"

    def predictions(self, batch: dict[str, np.ndarray]) -> dict[Any, np.ndarray] | np.ndarray:
        """The predictions of a batch as they are given to users: an array, if the model_fn gave a Tensor alone."""
        if self._is_alone:
            return batch[_ALONE]
        return {self._prediction_keys[name]: value for name, value in batch.items()}

    def text(
        self, columns: ArrayColumns, modes: Sequence[str], origins: bool = True, eval_names: Iterable[str] = (),
        hooked: HookedRun | None = None, exports: bool = False, source: _engine.FileSource | None = None,
    ) -> str:  # fmt: skip
        """The df module of calls of the model_fn in these modes.

        Args:
          eval_names: of eval sets; an empty one is the unnamed set, which always is there.
          hooked: of the first mode.
          exports: predictions are those of exports, as those of a run that trains are.
          source: the text files that a trainer of the module reads; None: CSV with a header, or arrays.
        """
        graph = Graph(seed=self._config.tf_random_seed or 0)
        self.hooks_left_out = []
        if self.warm_start is not None:
            remaps = self.warm_start.remaps
            graph.backups = {each.variable: each.backup_initializer for each in remaps if each.backup_initializer is not None}
        names = ", ".join(quote(name) for name in eval_names if name)
        sets = f", mlc.eval_sets = [{names}]" if names else ""
        # What a cluster trains has to be in parts: an error says why it is not.
        parts = "" if hooked is not None and hooked.in_cluster else ", df.optional_parts"
        graph.builder.set_attributes(f"{{mlc.name = {quote(self.name)}{parts}{sets}}}")
        if source is not None:
            columns_read = [{"name": name, **said} for name, said in source.columns.items()]
            manifest = json.dumps({"input": {**source.settings, "columns": columns_read}})
            graph.builder.set_attributes(f"{{mlc.manifest = {quote(manifest)}}}")
        for mode in modes:
            self._trace(graph, columns, mode, hooked if mode == modes[0] else None, exports or hooked is not None)
        if graph.initial_values:
            _trace_initial_values(graph)
        _declare_vocabularies(graph, self.warm_start.remaps if ModeKeys.TRAIN in modes and self.warm_start is not None else ())
        graph.call(graph.builder.verify)
        text = str(graph.builder.text(origins))
        if hooked is None or not hooked.has_hooks:
            graph.close()  # no fetches can come
        return text

    def _trace(
        self, graph: Graph, columns: ArrayColumns, mode: str, hooked: HookedRun | None, exports: bool
    ) -> None:
        with_labels = mode != ModeKeys.PREDICT and columns.labels is not None
        listed = columns.columns if with_labels else _nest.flatten(columns.features)
        arguments = [(c.name, type_text(c.dtype, (None, *c.known_shape)), c.symbols) for c in listed]
        role = _ROLES[mode]
        with graph.function(role, role, mode, arguments) as (trace, numbers):
            tensors = iter([tensor_of(trace, number) for number in numbers])
            if hooked is not None:
                hooked.feeds_of.use_tensors(trace, {number: column.name for number, column in zip(numbers, listed, strict=True)})
            features = _filled(columns.features, tensors)
            labels = _filled(columns.labels, tensors) if with_labels else None
            spec = call_model_fn(self.model_fn, features, labels, mode, self._params, self._config)
            if hooked is None and getattr(spec, _HOOKS[mode]):
                self.hooks_left_out.append(_HOOKS[mode])
            if mode == ModeKeys.TRAIN:
                outputs = [*_end_of_training(trace, spec), *self._histograms(trace, hooked)]
                hooks = spec.training_hooks
                if hooked is not None:
                    hooked.told = _told_by_step(outputs, spec)
                    hooks = hooked.hooks_of(spec)
                _end(trace, role, outputs, {**dict(outputs), **trace.named}, hooks, hooked)
                return
            if mode == ModeKeys.PREDICT and exports and hooked is None and spec.export_outputs:
                outputs, keys = named_outputs(spec.export_outputs)
                graph.builder.set_attributes(_signatures(spec, keys))
                graph.end_function(outputs)
                return
            if mode == ModeKeys.PREDICT:
                self._is_alone = not isinstance(spec.predictions, Mapping)
                if not self._is_alone:
                    self._prediction_keys = {prediction_name(key): key for key in spec.predictions}
                outputs = _predictions(spec)
                _end(trace, role, outputs, {**dict(outputs), **trace.named}, spec.prediction_hooks, hooked)
                return
            self.evaluates_here = bool(spec.evaluation_hooks)
            metrics = {"loss": _mean_loss(spec.loss), **spec.eval_metric_ops}
            totals = {name: metric.update(name) for name, metric in metrics.items()}
            named = {"loss": ops.cast(_as_scalar(spec.loss), "float32"), **trace.named} if hooked else {}
            sums = [variable for parts in totals.values() for variable in parts.values()]
            _end(trace, role, [], named, spec.evaluation_hooks, hooked, sums)
        with graph.function("eval_result", "eval_result", mode, []):
            graph.end_function([each for name, metric in metrics.items() for each in scalars_of(name, metric, totals[name])])

    def _histograms(self, trace: Trace, hooked: HookedRun | None) -> list[tuple[str, Tensor]]:
        """Outputs of a training step that are shown as histograms: a step that is done in parts gives scalars alone."""
        if hooked is not None and not hooked.in_cluster and self._config.gpus == 1:
            return list(trace.histograms.items())
        if trace.histograms:
            names = ", ".join(trace.histograms)
            logger.warning("summary.histogram of %s is left out: steps of one process in Python, on one device, have it", names)
        return []


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


def _signatures(spec: EstimatorSpec, keys: Mapping[str, Mapping[str, str]]) -> str:
    """The attribute that tells signatures: names of outputs by their keys."""
    texts = []
    for name, outputs in keys.items():
        listed = ", ".join(f"{quote(key)} = {quote(output)}" for key, output in outputs.items())
        texts.append(f"{quote(name)} = {{method = {quote(spec.export_outputs[name].method)}, outputs = {{{listed}}}}}")
    return f"{{mlc.signatures = {{{', '.join(texts)}}}}}"


def _declare_vocabularies(graph: Graph, remaps: Sequence[VocabularyRemap]) -> None:
    """Says of variables which terms their rows or columns stand for: those of feature columns, or what a warm start says of
    them. ModelError for a variable that there is not."""
    tables = dict(graph.vocabulary_uses)
    for remap in remaps:
        if remap.variable not in graph.variables:
            hint = did_you_mean(remap.variable, graph.variables)
            raise ModelError(
                f"warm_start_from: a VocabInfo is of '{remap.variable}', which is no variable of the model"
                + (f"; {hint}" if hint else "")
            )
        if remap.new_vocabulary_file is None:
            raise ModelError(f"warm_start_from: VocabInfo of '{remap.variable}': new_vocab is None; expected a file of terms")
        with open(remap.new_vocabulary_file, "rb") as file:
            terms = file.read().splitlines()[: remap.new_vocabulary_size]
        table = f"vocabulary/{remap.variable}/{remap.axis}"
        listed = ", ".join(map(quote, terms))
        graph.call(
            graph.builder.declare, "df.vocabulary",
            f"{{sym_name = {quote(table)}, terms = [{listed}], num_oov = {remap.num_oov_buckets} : i64}}",
        )  # fmt: skip
        tables[remap.variable, remap.axis] = table
    uses = [
        f"{{variable = {symbol(variable)}, axis = {axis} : i64, table = {symbol(table)}}}"
        for (variable, axis), table in tables.items()
    ]
    if uses:
        graph.builder.set_attributes(f"{{mlc.vocabularies = [{', '.join(uses)}]}}")


def _as_scalar(tensor: Any) -> Tensor:
    found = ops.identity(tensor)
    return ops.reshape(found, []) if found.shape else found


def _end(
    trace: Trace, function: str, outputs: list[tuple[str, Tensor]], named: Mapping[str, Tensor], hooks: Sequence[Any],
    hooked: HookedRun | None, sums: Sequence[Variable] = (),
) -> None:  # fmt: skip
    """Ends a function, with what hooks fetch. `sums`: what metrics add up, of an evaluation that may be interrupted."""
    if hooked is None:
        trace.graph.end_function(outputs)
        return
    outputs = [*outputs, *hooked.begin(trace, function, named, hooks)]
    if hooked.sees_steps:
        outputs += [(METRICS + variable.name, variable.value()) for variable in sums]
    hooked.end_function(outputs)


def _end_of_training(trace: Trace, spec: EstimatorSpec) -> list[tuple[str, Tensor]]:
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
    return [("loss", loss), *trace.scalars.items()]


def _told_by_step(outputs: Sequence[tuple[str, Tensor]], spec: EstimatorSpec) -> dict[Any, str]:
    """Names of the outputs of a training step by what may be asked for in their place: them, and the loss."""
    told: dict[Any, str] = {name: name for name, _ in outputs}
    told |= {key_of(tensor): name for name, tensor in outputs}
    if spec.loss.dtype == "float32" and not spec.loss.shape:
        told[key_of(spec.loss)] = "loss"
    return told


def _mean_loss(loss: Any) -> Metric:
    return Metric({"total": _as_scalar(loss), "count": 1.0}, lambda total: total["total"] / total["count"], "loss")


def scalars_of(name: str, metric: Metric, totals: Mapping[str, Variable]) -> list[tuple[str, Tensor]]:
    """What an evaluation tells of a metric, of its sums over all batches: of an array its elements, name[0], name[1] and so on,
    which _runs.metrics_of puts together. ModelError: its shape is not known."""
    value = ops.cast(metric.result(totals), "float64")
    if None in value.shape:
        raise model_error(f"eval_metric_ops['{name}'] is {value!r}; expected a scalar, or an array of a known shape")
    places = np.ndindex(*(n or 0 for n in value.shape))
    return [(_runs.element_name(name, place), value[place] if place else value) for place in places]


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
