"""tf.estimator.experimental: hooks that evaluate while a model trains, and that end training."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlc._hooks import SecondOrStepTimer, SessionRunContext, SessionRunHook, SessionRunValues, StopAtStepHook
from mlc.estimator.estimator import Estimator
from mlc.estimator.rnn import RNNClassifier, RNNEstimator
from mlc.estimator.extenders import (
    make_early_stopping_hook,
    stop_if_higher_hook,
    stop_if_lower_hook,
    stop_if_no_decrease_hook,
    stop_if_no_increase_hook,
)

__all__ = [
    "InMemoryEvaluatorHook", "RNNClassifier", "RNNEstimator", "make_early_stopping_hook", "make_stop_at_checkpoint_step_hook", "stop_if_higher_hook",
    "stop_if_lower_hook", "stop_if_no_decrease_hook", "stop_if_no_increase_hook",
]  # fmt: skip


class InMemoryEvaluatorHook(SessionRunHook):
    """Evaluates the variables that train has in memory, without a checkpoint: at the start, every so many steps, at the
    end. Metrics are those of evaluate: in its events, and in evaluations() of the Estimator."""

    def __init__(
        self,
        estimator: Estimator,
        input_fn: Callable[..., Any],
        steps: int | None = None,
        hooks: Sequence[Any] | None = None,
        name: str | None = None,
        every_n_iter: int = 100,
    ) -> None:
        """An InMemoryEvaluatorHook.

        Args:
          estimator: that which is trained, or one of the same variables.
          input_fn, steps, hooks, name: as of evaluate.
          every_n_iter: steps from one evaluation to the next.

        Raises:
          ValueError: every_n_iter is not above 0, or a cluster trains.
        """
        if every_n_iter is None or every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        if estimator.config.num_ps_replicas > 0 or estimator.config.num_worker_replicas > 1:
            raise ValueError("InMemoryEvaluator supports only single machine (aka Local) setting.")
        self._estimator, self._input_fn, self._steps, self._hooks, self._name = estimator, input_fn, steps, hooks, name
        self._timer = SecondOrStepTimer(every_steps=every_n_iter)
        self._iteration = 0

    def begin(self) -> None:
        self._timer.reset()
        self._iteration = 0

    def after_create_session(self, session: Any, coord: Any) -> None:
        self._evaluate(session)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        self._iteration += 1
        if self._timer.should_trigger_for_step(self._iteration):
            self._evaluate(run_context.session)

    def end(self, session: Any) -> None:
        self._evaluate(session)

    def _evaluate(self, session: Any) -> None:
        state = session.variables()
        if state is None:  # between runs, what a checkpoint has, or initial values
            self._estimator.evaluate(self._input_fn, self._steps, self._hooks, name=self._name)
        else:
            step = int(session.run("global_step"))
            self._estimator._evaluate_state(state, step, self._input_fn, self._steps, self._hooks, self._name)
        self._timer.update_last_triggered_step(self._iteration)


def make_stop_at_checkpoint_step_hook(
    estimator: Estimator, last_step: int, wait_after_file_check_secs: int = 30
) -> SessionRunHook:
    """A hook that ends training at last_step, which is saved: of the one process that trains and saves a StopAtStepHook.
    wait_after_file_check_secs is without effect."""
    return StopAtStepHook(last_step=last_step)
