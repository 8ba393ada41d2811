"""One run of training on arrays, in a directory of its own."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import logging
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mlc import _engine
from mlc._spec import write_spec
from mlc.data import Dataset
from mlc.estimator._canned_model import CannedModel
from mlc.sklearn._fitted import FittedModel, compiled, device_options, read_files, scratch_directory, target_of
from mlc.sklearn._network import Network
from mlc.estimator._runs import checkpoint_directory

_NEVER = 2**62
"""Steps between things that shall not happen."""

Arrays = dict[str, np.ndarray]


@dataclass(frozen=True)
class Plan:
    """How long a run is, what it is watched by, and what it runs on."""

    steps: int
    batch_size: int
    seed: int
    threads: int
    device: str
    """"cpu", "auto" or "gpu"."""
    evaluation_steps: int | None = None
    """Steps between evaluations of the rows held out; None: there are none."""
    patience: int = 0
    """Evaluations without a better one after which training ends."""
    tolerance: float = 0.0


@dataclass
class History:
    """What a run told.

    Attributes:
      losses: after each epoch, of its last steps.
      validation_losses: of each evaluation.
      validation_steps: of those evaluations.
    """

    steps_per_epoch: int
    losses: list[float] = field(default_factory=list)
    validation_losses: list[float] = field(default_factory=list)
    validation_steps: list[int] = field(default_factory=list)
    step: int = 0
    """At which the run ended."""


Watch = Callable[[History], bool]
"""Called after each epoch and each evaluation. True: training ends."""


class _Stopper:
    """The observer of a run, which ends it at the step after something said so."""

    eval_sets: list[str] = []
    feeds = False
    first_awaited = 0
    observation = None

    def __init__(self) -> None:
        self.wants_end = False

    def after_step(self, steps: int, outputs: Any, state: Any) -> bool:
        return self.wants_end

    def before_save(self, steps: int) -> None:
        """Nothing."""

    def after_save(self, steps: int) -> bool:
        return self.wants_end


def train(
    network: Network, features: Arrays, labels: np.ndarray, plan: Plan, held_out: tuple[Arrays, np.ndarray] | None = None,
    begin: FittedModel | None = None, goes_on: bool = False, watch: Watch | None = None,
) -> tuple[FittedModel, History]:  # fmt: skip
    """Trains a model on arrays.

    Args:
      features: by the names of the network's columns, and "weight" of rows.
      labels: classes, [rows], or numbers.
      held_out: rows that evaluations are of; the model is that of the best one then, else that of the last step.
      begin: a trained model whose values variables begin with; None: initializers.
      goes_on: with the optimizer's state and the step of `begin`, too.
      watch: called as the run goes.

    Raises:
      KeyboardInterrupt: Ctrl-C; nothing is kept.
      NanLossDuringTrainingError: the loss is not finite.
    """
    canned = CannedModel(network.model)
    columns = canned.columns(Dataset.from_arrays(features, labels))
    spec = write_spec(network.model, columns)
    model = compiled(spec, target_of(plan.device))
    rows = columns.convert(features, labels, needs_labels=True)
    epoch_steps = math.ceil(len(labels) / plan.batch_size)
    history = History(epoch_steps)
    settings = [
        *network.settings, "train.shuffle=true", f"run_config.save_checkpoints_steps={_NEVER}",
        "run_config.save_summary_steps=0", f"run_config.log_step_count_steps={epoch_steps}", "run_config.keep_checkpoint_max=1",
    ]  # fmt: skip
    evaluated: dict[str, _engine.Data] = {}
    if held_out is not None:
        evaluated[""] = columns.convert(*held_out, needs_labels=True)
        settings += [
            f"eval.every_n_steps={plan.evaluation_steps}", f"eval.batch_size={min(len(held_out[1]), 1024)}",
            "train.early_stopping.0.metric=average_loss", "train.early_stopping.0.stop_if=NO_DECREASE",
            f"train.early_stopping.0.max_steps_without={plan.patience * (plan.evaluation_steps or 1)}",
        ]  # fmt: skip
    options: dict[str, Any] = {"batch_size": plan.batch_size, "steps": plan.steps, "seed": plan.seed}
    options |= {"threads": plan.threads, **device_options(plan.device)}
    stopper = _Stopper()
    best: list[int] = []

    def on_event(event: dict[str, Any]) -> None:
        kind = event.get("event")
        if kind == "done":
            found = event.get("best")
            best.extend(each["step"] for each in ([found] if isinstance(found, dict) else found or ()))
        elif kind in ("step", "eval"):
            if kind == "step":
                history.losses.append(float(event["loss"]))
            else:
                history.validation_losses.append(float(event["metrics"]["average_loss"]))
                history.validation_steps.append(int(event["step"]))
            history.step = int(event["step"])
            if watch is not None and watch(history):
                stopper.wants_end = True

    # The best one, the newest one, and one that is written; each has two slots of the optimizer.
    with scratch_directory(2**20 + 3 * 3 * 4 * network.parameters) as directory:
        options |= {"model_dir": f"{directory}/model", "settings": settings}
        if begin is not None and goes_on:
            begin.restore(options["model_dir"])
        elif begin is not None:
            settings.append(f"train.warm_start.ckpt_to_initialize_from={begin.restore(directory + '/before')}")
        # What the run finds wrong with its last model is not said of the one that is kept.
        observer = stopper if watch is not None else None
        result = _engine.train(model, options, rows, evaluated, on_event, observer, logging.INFO)
        history.step = int(result["step"])
        step = best[0] if best else history.step
        checkpoint = read_files(checkpoint_directory(options["model_dir"], step))
    return FittedModel(spec, columns, step, checkpoint, plan.device), history
