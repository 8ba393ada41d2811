"""train_and_evaluate: training with an evaluation after each checkpoint, in this process, or as a task of a cluster."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import os
from typing import Any

from mlc._job import number
from mlc.estimator.estimator import Estimator
from mlc.estimator.specs import EvalSpec, TrainSpec
from mlc.estimator.strategy import ParameterServerStrategy


class _Observer:
    """Keeps what a run tells of evaluations and exports. Called in a thread of the run, one event after another."""

    def __init__(self, name: str) -> None:
        self._name = name
        self.metrics: dict[str, Any] | None = None
        """Of the newest evaluation."""
        self.exports: list[bytes] = []

    def __call__(self, event: dict[str, Any]) -> None:
        if event.get("event") == "eval" and event.get("name", "") == self._name:
            self.metrics = {name: number(value) for name, value in event["metrics"].items()}
        elif event.get("event") == "export":
            self.exports.append(os.fsencode(event["path"]))


def train_and_evaluate(
    estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec
) -> tuple[dict[str, Any] | None, list[bytes]]:
    """Trains; evaluates, and exports, after each checkpoint but the first, and where training ends.

    Where TF_CONFIG describes a cluster, this process is the task that it says until the job ends: a chief, worker, server or
    evaluator. RunConfig(train_distribute=ParameterServerStrategy(...)) tells how the tasks train together.

    Args:
      estimator: what is trained.
      train_spec: its input, and the global step at which training ends.
      eval_spec: what it is evaluated on.

    Returns:
      The metrics of the last evaluation, and the paths of what was exported, as bytes; of a task of a cluster those that it
      made itself, else None.

    Raises:
      TypeError: an argument of another type.
      ClusterError: in a cluster: a task was lost, or the job was stopped; `exit_code` is the status that tells a scheduler
        whether starting again may help. UnsupportedError: in a cluster: hooks, or input that tasks cannot share. Other errors
        of the run: see Estimator.train.
    """
    if not isinstance(estimator, Estimator):
        raise TypeError(f"`estimator` must have type `mlc.estimator.Estimator`, given {type(estimator)}")
    if not isinstance(train_spec, TrainSpec):
        raise TypeError(f"`train_spec` must have type `mlc.estimator.TrainSpec`, given {type(train_spec)}")
    if not isinstance(eval_spec, EvalSpec):
        raise TypeError(f"`eval_spec` must have type `mlc.estimator.EvalSpec`, given {type(eval_spec)}")
    observer = _Observer(eval_spec.name or "")
    config = estimator.config
    strategy = config.train_distribute or ParameterServerStrategy()
    if config.task.is_distributed or (config.cluster_spec and strategy.evaluator):
        from mlc.estimator import _tasks  # with what packs files, which takes a while

        def note(event: dict[str, Any]) -> None:
            estimator._note_evaluation(event)
            observer(event)

        _tasks.run_as_task(_tasks.job(estimator, train_spec, eval_spec), strategy, config.tf_config, note)
        return observer.metrics, observer.exports
    estimator._run_training(
        train_spec.input_fn, None, train_spec.max_steps, eval_spec, observer, train_spec.hooks, train_spec.saving_listeners
    )
    if observer.metrics is None:
        # Training was at its end before: the newest checkpoint is evaluated.
        observer.metrics = estimator.evaluate(eval_spec.input_fn, eval_spec.steps, eval_spec.hooks, name=eval_spec.name)
    return observer.metrics, observer.exports
