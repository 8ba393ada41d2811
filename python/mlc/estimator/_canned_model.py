"""Models of canned Estimators: their columns, and the spec that they are compiled as."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from mlc import _engine
from mlc._columns import InputColumns, Observations, input_columns, observe
from mlc._model import Model
from mlc._spec import write_spec
from mlc.data import Batches, Dataset, FileDataset
from mlc.estimator.run_config import RunConfig
from mlc.estimator.specs import ModeKeys

if TYPE_CHECKING:
    from mlc.estimator._added_metrics import EvaluatedColumns
    from mlc.estimator._hooked import HookedRun

_OUTPUTS = {ModeKeys.TRAIN: ("loss", "regularization_loss"), ModeKeys.EVAL: ("loss",), ModeKeys.PREDICT: None}
"""What a step of a spec tells hooks; None: what the first one has."""


class CannedModel:
    """The model of a canned Estimator: what class Estimator needs of it."""

    def __init__(self, model: Model, config: RunConfig | None = None) -> None:
        """`config`: what the model is compiled for, and metric_fns get; None: for the CPU, without any."""
        self.model = model
        self._config = config
        self._evaluated: dict[InputColumns, EvaluatedColumns] = {}
        """By the columns that the model reads."""
        self._observations = Observations()
        self._files: FileDataset | None = None

    def columns(self, dataset: Dataset | Batches) -> InputColumns:
        """The columns that the model reads; what `dataset` alone can tell of them is kept."""
        observe(self.model, dataset.features, dataset.labels, self._observations)
        if isinstance(dataset, FileDataset) and (self._files is None or self._files.label_name is None):
            self._files = dataset
        return self.seen

    has_parts = False
    """What is compiled for some modes may have a part of the model's state alone."""

    @property
    def evaluates_here(self) -> bool:
        """Whether evaluations while the model trains are run from Python: the module that trains has no added metrics."""
        return bool(self.model.metric_fns)

    def eval_columns(self, dataset: Dataset | Batches) -> InputColumns:
        """The columns that evaluations read."""
        columns = self.columns(dataset)
        if not self.model.metric_fns:
            return columns
        if columns not in self._evaluated:
            from mlc.estimator._added_metrics import evaluated_columns  # with all ops

            spec = write_spec(self.model, columns)
            self._evaluated[columns] = evaluated_columns(spec, self.model, columns, dataset.features, self._config)
        return self._evaluated[columns]

    def ahead(self, columns: InputColumns, batches: Batches, needs_labels: bool) -> InputColumns:
        """The columns as far as the second batch tells: it tells nothing more."""
        return columns

    def keep_columns(self, columns: InputColumns) -> None:
        """Nothing: feature columns tell them."""

    @property
    def initial_settings(self) -> list[str]:
        """Settings, besides those of the spec, of runs that may begin without a checkpoint."""
        return []

    @property
    def seen(self) -> InputColumns:
        """The columns, as far as data told."""
        return input_columns(self.model, self._observations)

    def compiled(
        self,
        columns: InputColumns,
        modes: Sequence[str],
        eval_names: Iterable[str] = (),
        hooked: HookedRun | None = None,
    ) -> _engine.CompiledModel:
        """The model, compiled for these columns, with eval sets of these names; a spec has all modes.

        Hooks may fetch what a step of a spec tells: the global step, in training "loss" and "regularization_loss", in an
        evaluation "loss", and predictions by their keys.
        """
        module = getattr(columns, "module", None)
        if hooked is not None and hooked.has_hooks:
            from mlc._graph import Graph

            # For what their begin() makes of the global step; the function is thrown away.
            with Graph().function("hooks", "other", modes[0], []):
                hooked.begin_by_name(_OUTPUTS[modes[0]])
            if module is None and modes[0] == ModeKeys.EVAL:
                graph = Graph()
                graph.call(graph.builder.import_spec, write_spec(self.model, columns, eval_names), "<spec>", True)
                module = str(graph.builder.text(True))
        target = _engine.CPU if self._config is None else self._config.target
        if module is not None:
            return _engine.compile_model(module, f"{self.model.name}.mlir", target)
        return _engine.compile_model(write_spec(self.model, columns, eval_names), target=target)

    def compiled_for_export(self, columns: InputColumns) -> _engine.CompiledModel:
        """The model that an export is made of."""
        return self.compiled(columns, [ModeKeys.PREDICT])

    def predictions(self, batch: dict[str, np.ndarray]) -> dict[Any, np.ndarray]:
        """The predictions of a batch as they are given to users: of several heads by (head, key)."""
        if len(self.model.heads) == 1:
            return batch
        return {tuple(name.split("/", 1)): value for name, value in batch.items()}

    def trainer_text(
        self, columns: InputColumns, modes: Sequence[str], eval_names: Iterable[str], hooked: HookedRun, files: FileDataset | None,
        source: _engine.FileSource | None,
    ) -> tuple[str, str]:  # fmt: skip
        """The spec of a trainer that reads such files (None: arrays), and what messages call it."""
        return write_spec(self.model, columns, eval_names, files=files), "<spec>"

    def text(self, columns: InputColumns, run_config: dict[str, Any]) -> str:
        """The model as a spec, which reads files as those that were seen first."""
        return write_spec(self.model, columns, run_config=run_config, files=self._files)
