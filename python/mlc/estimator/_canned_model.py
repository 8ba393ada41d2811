"""Models of canned Estimators: their columns, and the spec that they are compiled as."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from mlc import _engine
from mlc._columns import InputColumns, Observations, input_columns, observe
from mlc._graph import Graph
from mlc._model import Model
from mlc._spec import write_spec
from mlc.data import Batches, Dataset
from mlc.estimator._hooked import HookedRun
from mlc.estimator.specs import ModeKeys

_STEP_OUTPUTS = ("loss", "regularization_loss")
"""What a training step of a spec tells."""


class CannedModel:
    """The model of a canned Estimator: what class Estimator needs of it."""

    def __init__(self, model: Model) -> None:
        self.model = model
        self._observations = Observations()

    def columns(self, dataset: Dataset | Batches) -> InputColumns:
        """The columns that the model reads; what `dataset` alone can tell of them is kept."""
        observe(self.model, dataset.features, dataset.labels, self._observations)
        return self.seen

    has_parts = False
    """What is compiled for some modes may have a part of the model's state alone."""

    @property
    def train_settings(self) -> list[str]:
        """Settings of a run of training besides those of the spec."""
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

        Hooks may fetch what a step of a spec tells: "loss", "regularization_loss" and the global step.
        """
        if hooked is not None and not hooked.is_empty:
            # For what their begin() makes of the global step; the function is thrown away.
            with Graph().function("hooks", "other", ModeKeys.TRAIN, []):
                hooked.begin_by_name(_STEP_OUTPUTS)
        return _engine.compile_model(write_spec(self.model, columns, eval_names))

    def predictions(self, batch: dict[str, np.ndarray]) -> dict[Any, np.ndarray]:
        """The predictions of a batch as they are given to users: of several heads by (head, key)."""
        if len(self.model.heads) == 1:
            return batch
        return {tuple(name.split("/", 1)): value for name, value in batch.items()}

    def text(self, columns: InputColumns, run_config: dict[str, Any]) -> str:
        """The model as a spec."""
        return write_spec(self.model, columns, run_config=run_config)
