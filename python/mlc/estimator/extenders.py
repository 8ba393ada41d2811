"""Estimators made of others, and hooks that end training by their evaluations."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import glob
import logging
import os
from collections.abc import Callable
from typing import Any

from mlc import _events
from mlc._hooks import SecondOrStepTimer, SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from mlc.estimator._eval_specs import recorded
from mlc.estimator.estimator import Estimator, values_of

logger = logging.getLogger("mlc")


def add_metrics(estimator: Estimator, metric_fn: Callable[..., dict[str, Any]]) -> Estimator:
    """An Estimator of the same model and model_dir whose evaluations have more metrics.

    What the model has itself keeps its bits. Evaluations while it trains have them, too, and with them exporters,
    best_checkpoint and hooks that end training.

    Args:
      estimator: a canned one, or one of a model_fn that gives predictions in mode EVAL.
      metric_fn: a function of any of features, labels, predictions and config that returns metrics of mlc.metrics by
        name; those of the model of the same names are replaced. It is traced, not called for each batch. Features are
        all that the input_fn gives; predictions of a canned Estimator have the keys of predict.

    Raises:
      ValueError: metric_fn has other arguments.
    """
    return estimator._with_metrics(metric_fn)


class _EarlyStoppingHook(SessionRunHook):
    def __init__(self, should_stop_fn: Callable[[], bool], secs: float | None, steps: int | None) -> None:
        self._should_stop, self._timer = should_stop_fn, SecondOrStepTimer(secs, steps)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs("global_step")

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if not run_context.session.is_chief:  # who ends the job
            return
        step = int(run_values.results)
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._should_stop():
                logger.info("Requesting early stopping at global step %d", step)
                run_context.request_stop()


def make_early_stopping_hook(
    estimator: Estimator, should_stop_fn: Callable[[], bool], run_every_secs: float | None = 60,
    run_every_steps: int | None = None,
) -> SessionRunHook:  # fmt: skip
    """A hook that ends training of an estimator when should_stop_fn() says so, asked each run_every_secs or run_every_steps."""
    if not isinstance(estimator, Estimator):
        raise TypeError(f"`estimator` must have type `mlc.estimator.Estimator`. Got: {type(estimator)}")
    if run_every_secs is not None and run_every_steps is not None:
        raise ValueError("Only one of `run_every_secs` and `run_every_steps` must be set.")
    return _EarlyStoppingHook(should_stop_fn, run_every_secs, run_every_steps)


EvalDir = str | os.PathLike[str] | None
"""Of event files of evaluations; None: estimator.eval_dir()."""


def _metrics(estimator: Estimator, name: str, eval_dir: EvalDir, least_step: int) -> list[tuple[int, float]]:
    """Steps and values of a metric of the evaluations of a directory, from a step on, in order."""
    directory = os.path.abspath(estimator.eval_dir() if eval_dir is None else os.fspath(eval_dir))
    set_name = os.path.basename(directory).removeprefix("eval").removeprefix("_")
    if os.path.abspath(estimator.eval_dir(set_name)) != directory:  # of another model
        found = values_of(name, _events.evaluations(os.path.join(glob.escape(directory), "*.tfevents.*")))
    elif estimator.config.cluster_spec:  # whose evaluator is another process
        found = values_of(name, estimator.evaluations(set_name) | recorded(estimator.model_dir, set_name))
    else:
        found = estimator.metric_values(name, set_name)
    return [item for item in found.items() if item[0] >= least_step]


def _threshold_hook(
    estimator: Estimator, metric_name: str, is_past: Callable[[float], bool], what: str, eval_dir: EvalDir,
    min_steps: int, secs: float | None, steps: int | None,
) -> SessionRunHook:  # fmt: skip
    def should_stop() -> bool:
        for step, value in _metrics(estimator, metric_name, eval_dir, min_steps):
            if is_past(value):
                logger.info('At step %d, metric "%s" has value %s, which is %s.', step, metric_name, value, what)
                return True
        return False

    return make_early_stopping_hook(estimator, should_stop, secs, steps)


def stop_if_higher_hook(
    estimator: Estimator, metric_name: str, threshold: float, eval_dir: EvalDir = None, min_steps: int = 0,
    run_every_secs: float | None = 60, run_every_steps: int | None = None,
) -> SessionRunHook:  # fmt: skip
    """Ends training once an evaluation's metric is above a threshold; those before min_steps do not count."""
    return _threshold_hook(estimator, metric_name, lambda value: value > threshold, f"higher than {threshold}", eval_dir,
                           min_steps, run_every_secs, run_every_steps)  # fmt: skip


def stop_if_lower_hook(
    estimator: Estimator, metric_name: str, threshold: float, eval_dir: EvalDir = None, min_steps: int = 0,
    run_every_secs: float | None = 60, run_every_steps: int | None = None,
) -> SessionRunHook:  # fmt: skip
    """Ends training once an evaluation's metric is below a threshold; those before min_steps do not count."""
    return _threshold_hook(estimator, metric_name, lambda value: value < threshold, f"lower than {threshold}", eval_dir,
                           min_steps, run_every_secs, run_every_steps)  # fmt: skip


def _no_change_hook(
    estimator: Estimator, metric_name: str, most_steps: int, is_better: Callable[[float, float], bool], what: str,
    eval_dir: EvalDir, min_steps: int, secs: float | None, steps: int | None,
) -> SessionRunHook:  # fmt: skip
    def should_stop() -> bool:
        best: tuple[int, float] | None = None
        for step, value in _metrics(estimator, metric_name, eval_dir, min_steps):
            if best is None or is_better(value, best[1]):
                best = step, value
            elif step - best[0] >= most_steps:
                logger.info('No %s in metric "%s" for %d steps.', what, metric_name, step - best[0])
                return True
        return False

    return make_early_stopping_hook(estimator, should_stop, secs, steps)


def stop_if_no_increase_hook(
    estimator: Estimator, metric_name: str, max_steps_without_increase: int, eval_dir: EvalDir = None,
    min_steps: int = 0, run_every_secs: float | None = 60, run_every_steps: int | None = None,
) -> SessionRunHook:  # fmt: skip
    """Ends training once no evaluation's metric has been above the best one for max_steps_without_increase steps."""
    return _no_change_hook(estimator, metric_name, max_steps_without_increase, lambda new, old: new > old, "increase",
                           eval_dir, min_steps, run_every_secs, run_every_steps)  # fmt: skip


def stop_if_no_decrease_hook(
    estimator: Estimator, metric_name: str, max_steps_without_decrease: int, eval_dir: EvalDir = None,
    min_steps: int = 0, run_every_secs: float | None = 60, run_every_steps: int | None = None,
) -> SessionRunHook:  # fmt: skip
    """Ends training once no evaluation's metric has been below the best one for max_steps_without_decrease steps."""
    return _no_change_hook(estimator, metric_name, max_steps_without_decrease, lambda new, old: new < old, "decrease",
                           eval_dir, min_steps, run_every_secs, run_every_steps)  # fmt: skip
