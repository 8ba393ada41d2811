"""train_and_evaluate: training with an evaluation after each checkpoint, in this process, or as a task of a cluster."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import os
from typing import Any

from mlc._job import number
from mlc.estimator._eval_specs import EvalSpecs, listed, metrics_of
from mlc.estimator._runs import metrics_of as told
from mlc.estimator.estimator import Estimator
from mlc.estimator.specs import TrainSpec
from mlc.estimator.strategy import ParameterServerStrategy


class _Observer:
    """Keeps what a run tells of evaluations and exports. Called in a thread of the run, one event after another."""

    def __init__(self, names: list[str]) -> None:
        self._names = names
        self.metrics: dict[str, dict[str, Any]] = {}
        """Of the newest evaluations, by the names of eval sets."""
        self.exports: list[bytes] = []

    def __call__(self, event: dict[str, Any]) -> None:
        if event.get("event") == "eval" and event.get("name", "") in self._names:
            self.metrics[event.get("name", "")] = told({name: number(value) for name, value in event["metrics"].items()})
        elif event.get("event") == "export":
            self.exports.append(os.fsencode(event["path"]))


def check_arguments(estimator: Any, train_spec: Any) -> None:
    """TypeError for what is no Estimator, or no TrainSpec."""
    if not isinstance(estimator, Estimator):
        raise TypeError(f"`estimator` must have type `mlc.estimator.Estimator`, given {type(estimator)}")
    if not isinstance(train_spec, TrainSpec):
        raise TypeError(f"`train_spec` must have type `mlc.estimator.TrainSpec`, given {type(train_spec)}")


def train_and_evaluate(
    estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpecs
) -> tuple[dict[str, Any] | None, list[bytes]]:
    """Trains; evaluates, and exports, after each checkpoint but the first, and where training ends.

    Where TF_CONFIG describes a cluster, this process is the task that it says until the job ends: a chief, worker, server or
    evaluator. RunConfig(train_distribute=ParameterServerStrategy(...)) tells how the tasks train together.

    Args:
      estimator: what is trained.
      train_spec: its input, and the global step at which training ends.
      eval_spec: what it is evaluated on; or several, in a list or by their names in a dict, each with events, exporters
        and, of a process that evaluates beside the one that trains, times of its own.

    Returns:
      The metrics of the last evaluation, of several EvalSpecs by their names ("" is that of one without), and the paths of
      what was exported, as bytes; of a task of a cluster those that it made itself, else None.

    Raises:
      TypeError: an argument of another type.
      ValueError: EvalSpecs, or exporters, of one name.
      ClusterError: in a cluster: a task was lost, or the job was stopped; `exit_code` is the status that tells a scheduler
        whether starting again may help. UnsupportedError: in a cluster: input that tasks cannot share, or fetches that a
        task has not. Other errors of the run: see Estimator.train.
    """
    check_arguments(estimator, train_spec)
    specs = listed(eval_spec)
    if not specs:
        raise ValueError("eval_spec has no EvalSpec; expected one at least")
    observer = _Observer([spec.name or "" for spec in specs])
    config = estimator.config
    strategy = config.train_distribute or ParameterServerStrategy()
    if config.task.is_distributed or (config.cluster_spec and strategy.evaluator):
        from mlc.estimator import _tasks  # with what packs files, which takes a while

        def note(event: dict[str, Any]) -> None:
            estimator._note_evaluation(event)
            observer(event)

        _tasks.run_as_task(_tasks.job(estimator, train_spec, specs, config.task), strategy, config.tf_config, note)
        return metrics_of(eval_spec, observer.metrics), observer.exports
    estimator._run_training(
        train_spec.input_fn, None, train_spec.max_steps, specs, observer, train_spec.hooks, train_spec.saving_listeners
    )
    for spec in specs:
        if (spec.name or "") not in observer.metrics:
            # Training was at its end before: the newest checkpoint is evaluated.
            observer.metrics[spec.name or ""] = estimator.evaluate(spec.input_fn, spec.steps, spec.hooks, name=spec.name)
    return metrics_of(eval_spec, observer.metrics), observer.exports
