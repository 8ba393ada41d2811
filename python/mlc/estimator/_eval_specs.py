"""The eval sets of a run that trains: those that the runtime evaluates, and those that Python does."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from mlc import _engine
from mlc._job import number
from mlc.data import Batches, Dataset, PieceDataset
from mlc.estimator import _runs
from mlc.estimator.specs import EvalSpec, ModeKeys

if TYPE_CHECKING:
    from mlc.estimator.estimator import Estimator

EvalSpecs: TypeAlias = "EvalSpec | Sequence[EvalSpec] | Mapping[str, EvalSpec]"
"""One, several, or several by their names."""


def listed(given: EvalSpecs | None) -> list[EvalSpec]:
    """The EvalSpecs, those of a mapping under its names.

    Raises:
      TypeError: something that is none.
      ValueError: two of one name, or exporters of one name; a mapping that gives one another name than it has.
    """
    if given is None:
        return []
    specs: list[Any]
    if isinstance(given, EvalSpec):
        specs = [given]
    elif isinstance(given, Mapping):
        specs = [_named(name, spec) for name, spec in given.items()]
    elif isinstance(given, (list, tuple)):
        specs = list(given)
    else:
        specs = [given]
    for spec in specs:
        if not isinstance(spec, EvalSpec):
            raise TypeError(f"`eval_spec` must have type `mlc.estimator.EvalSpec`, given {type(spec)}")
    names = [spec.name or "" for spec in specs]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        what = f"the name '{twice}'" if twice else "no name"
        raise ValueError(f"eval_spec: {names.count(twice)} EvalSpecs have {what}; expected a name of its own for each")
    exporters = [exporter.name for spec in specs for exporter in spec.exporter_list]
    twice = next((name for name in exporters if exporters.count(name) > 1), None)
    if twice is not None:
        raise ValueError(f"eval_spec: exporters of several EvalSpecs have the name '{twice}', that of their directory")
    return specs


def _named(name: str, spec: Any) -> Any:
    if isinstance(spec, EvalSpec) and spec.name not in (None, name):
        raise ValueError(f"eval_spec: the EvalSpec '{name}' has the name '{spec.name}'; expected that, or None")
    return replace(spec, name=name) if isinstance(spec, EvalSpec) else spec


def metrics_of(given: EvalSpecs | None, found: Mapping[str, dict[str, Any]]) -> dict[str, Any] | None:
    """What is returned of the newest metrics by the names of eval sets: those of one EvalSpec, or all by their names; None
    without any."""
    if isinstance(given, EvalSpec):
        return found.get(given.name or "")
    return dict(found) or None


def recorded(model_dir: str, name: str) -> dict[int, dict[str, Any]]:
    """Metrics of an eval set by step, as the evaluator of a cluster notes them in the model_dir."""
    try:
        with open(os.path.join(model_dir, "evaluations.jsonl"), encoding="utf-8") as file:
            lines = file.read().split("\n")[:-1]  # what is after the last one is being written
    except FileNotFoundError:
        return {}
    records = [json.loads(line) for line in lines]
    return {
        int(each["step"]): {metric: number(value) for metric, value in each["metrics"].items()}
        for each in records if each["eval"] == name
    }  # fmt: skip


@dataclass
class EvalSets:
    """How the eval sets of a run are evaluated.

    Attributes:
      names: of all.
      modes: beside that of training that the model is compiled for.
      settings: of the run.
      data: of those that the runtime evaluates.
      datasets: what the input_fns returned, by name.
    """

    estimator: Estimator
    specs: list[EvalSpec]
    names: list[str] = field(default_factory=list)
    modes: list[str] = field(default_factory=list)
    settings: list[str] = field(default_factory=list)
    data: dict[str, _engine.Data] = field(default_factory=dict)
    datasets: dict[str, Dataset | Batches] = field(default_factory=dict)

    def open(self, columns: Any, in_cluster: bool = False) -> Any:
        """Calls the input_fns. Hooks, exporters of one's own, and iterators are Python's; in a cluster files that Python decodes
        are, too.

        Returns:
          What `columns` is with what eval data tell.
        """
        if self.specs:
            exports = any(spec.exporters_of_run for spec in self.specs)
            self.modes = [ModeKeys.EVAL, ModeKeys.PREDICT] if exports else [ModeKeys.EVAL]
        for spec in self.specs:
            name = spec.name or ""
            dataset = self.datasets[name] = self.estimator._dataset(spec.input_fn, ModeKeys.EVAL)
            self.names.append(name)
            if spec.hooks or spec.own_exporters or isinstance(dataset, (Batches, PieceDataset) if in_cluster else Batches):
                self.settings += _runs.eval_settings(name, None, None, spec.exporters_of_run)
                continue
            columns, self.data[name], batches = _runs.eval_data(columns, dataset, spec.steps)
            self.settings += _runs.eval_settings(name, dataset.batch_size, batches, spec.exporters_of_run)
        return columns

    def evaluated_here(
        self, last: int | None, on_event: _engine.EventHandler | None
    ) -> dict[str, Callable[[int, str], dict[str, Any]]]:
        """After the model was compiled: functions of a step and a checkpoint, by the names of the eval sets that are evaluated
        from here. Their data are none of the run's any more.

        Args:
          last: the step at which training ends, as far as that is known.
          on_event: is told what exporters of one's own have exported.
        """
        if self.estimator._model.evaluates_here:  # metrics, or hooks, of the model itself
            self.data.clear()
        return {
            spec.name or "": self._evaluation_of(spec, last, on_event)
            for spec in self.specs if (spec.name or "") not in self.data
        }  # fmt: skip

    def _evaluation_of(
        self, spec: EvalSpec, last: int | None, on_event: _engine.EventHandler | None
    ) -> Callable[[int, str], dict[str, Any]]:
        """A function that evaluates a checkpoint, of a step, as an EvalSpec says, and calls its own exporters."""
        estimator = self.estimator
        inputs = [self.datasets[spec.name or ""]]

        def evaluate(step: int, checkpoint: str) -> dict[str, Any]:
            dataset = inputs.pop() if inputs else estimator._dataset(spec.input_fn, ModeKeys.EVAL)
            metrics = estimator._evaluate(dataset, spec.steps, spec.hooks, checkpoint, {})
            for exporter in spec.own_exporters:
                base = os.path.join(estimator.model_dir, "export", exporter.name)
                is_final = last is not None and step >= last
                path = exporter.export(estimator, base, checkpoint, _runs.metrics_of(metrics), is_final)
                if path is not None and on_event is not None:
                    on_event({"event": "export", "path": os.fsdecode(path)})
            return {name: value for name, value in metrics.items() if isinstance(value, (int, float))}

        return evaluate
