# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hooks: functions that are called between the steps of training, with what steps compute. As tf.estimator's.

    class PrintLoss(train.SessionRunHook):
        def before_run(self, context):
            return train.SessionRunArgs({"loss": self.loss, "step": train.get_global_step()})

        def after_run(self, context, values):
            print(values.results["step"], values.results["loss"])

What hooks fetch at the first step is compiled into the step, which computes the same bits as without.
"""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlc.errors import NanLossDuringTrainingError, UnsupportedError

logger = logging.getLogger("mlc")


@dataclass(frozen=True)
class SessionRunArgs:
    """What a hook wants of the next step.

    `fetches`: a Tensor of the model_fn, a Variable (its value after the step), a name ("loss", "global_step", a
    variable's, a summary's), or a structure of these.
    `feed_dict`: values, with the rows of the batch, that the step gets in the place of features and labels of it, by their
    names (the keys of features; "labels", or the keys of labels; "label" of a canned Estimator) or Tensors. What a step
    computes is what it computes of an input that has these values.
    `options`: of a session; without effect.
    """

    fetches: Any
    feed_dict: Any = None
    options: Any = None


@dataclass(frozen=True)
class SessionRunValues:
    """What a hook gets of a step: `results` in the structure of its fetches, as arrays and numbers of numpy.

    options and run_metadata are None, as there is no session."""

    results: Any
    options: Any = None
    run_metadata: Any = None


class SessionRunContext:
    """The step that a hook is called for. `session` offers run(fetches) of variables and of the global step, original_args is
    what the hook asked for."""

    def __init__(self, session: Any, original_args: SessionRunArgs | None = None) -> None:
        self.session = session
        self.original_args = original_args
        self.stop_requested = False

    def request_stop(self) -> None:
        """Ends training after this step, which is saved."""
        self.stop_requested = True


class SessionRunHook:
    """Base of hooks. Methods are called in this order, in the thread that called train."""

    def begin(self) -> None:
        """Once, while the model is traced: Tensors to fetch may be made here."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Once, before the first step."""

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        """Before each step: what is wanted of it. What the first call asks for, later ones may ask for, too, or not."""

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        """After each step."""

    def end(self, session: Any) -> None:
        """Once, after the last step; not if training ended with an error."""


class CheckpointSaverListener:
    """Base of what is called around checkpoints."""

    def begin(self) -> None:
        """Once, before the first step."""

    def before_save(self, session: Any, global_step_value: int) -> None:
        """A checkpoint begins to be written."""

    def after_save(self, session: Any, global_step_value: int) -> bool | None:
        """It is on the disk; the run may be some steps further. True ends training."""

    def end(self, session: Any, global_step_value: int) -> None:
        """Once, after the last step."""


ALL_STEPS = 2**62
"""More steps than there are."""


def _first_awaited(self: SessionRunHook) -> int:
    """Of hooks that look at values alone, and do not end training but by an error, after which nothing is saved."""
    return ALL_STEPS


def first_awaited(hook: SessionRunHook) -> int:
    """The first step after which a hook may read variables, or end training, so that the next one begins when it was called;
    ALL_STEPS: none. Known of the hooks here, and of those that are called for no step; of others each step may be."""
    kind, base = type(hook), SessionRunHook
    if "before_run" in vars(hook) or "after_run" in vars(hook):
        return 0
    if kind.before_run is base.before_run and kind.after_run is base.after_run:
        return ALL_STEPS
    known: Callable[[SessionRunHook], int] | None = vars(kind).get("_first_awaited")  # a class made of one may do anything
    return 0 if known is None else known(hook)


class SecondOrStepTimer:
    """Says when something is due that happens every_secs seconds or every_steps steps, one of which is given."""

    def __init__(self, every_secs: float | None = None, every_steps: int | None = None) -> None:
        if (every_secs is None) == (every_steps is None):
            raise ValueError("exactly one of every_secs and every_steps should be provided.")
        self._every_secs, self._every_steps = every_secs, every_steps
        self.reset()

    def reset(self) -> None:
        """As new: the next step triggers."""
        self._step: int | None = None
        self._time: float | None = None

    def should_trigger_for_step(self, step: int) -> bool:
        """Whether it is due at this step; the first one is."""
        if self._step is None or self._time is None:
            return True
        if self._step == step:
            return False
        if self._every_secs is not None:
            return time.time() >= self._time + self._every_secs
        assert self._every_steps is not None
        return step >= self._step + self._every_steps

    def update_last_triggered_step(self, step: int) -> tuple[float | None, int | None]:
        """Notes that it happened; seconds and steps since the last time, None the first time."""
        now = time.time()
        elapsed = (None, None) if self._step is None or self._time is None else (now - self._time, step - self._step)
        self._step, self._time = step, now
        return elapsed

    def last_triggered_step(self) -> int | None:
        """The step that was noted last."""
        return self._step


class StopAtStepHook(SessionRunHook):
    """Ends training at a step: after `num_steps` more, or at the global step `last_step`; one of both is given."""

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        if (num_steps is None) == (last_step is None):
            raise ValueError("Exactly one of num_steps or last_step must be specified.")
        self._num_steps, self._last_step = num_steps, last_step

    def after_create_session(self, session: Any, coord: Any) -> None:
        if self._last_step is None:
            assert self._num_steps is not None
            self._last_step = session.run("global_step") + self._num_steps

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs("global_step")

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        assert self._last_step is not None
        if run_values.results >= self._last_step:
            run_context.request_stop()

    def _first_awaited(self) -> int:
        return self._last_step or 0


def by_tag(fetches: Mapping[str, Any] | Sequence[Any]) -> dict[str, Any]:
    """What is fetched by tags: names are their own, that of a Tensor is the one that ops.identity gave it, or its place."""
    if isinstance(fetches, Mapping):
        return dict(fetches)
    found: dict[str, Any] = {}
    for place, each in enumerate(fetches):
        named = getattr(getattr(each, "trace", None), "named", {})
        name = next((name for name, tensor in named.items() if tensor is each), f"tensor_{place}")
        found[str(getattr(each, "name", name)) if not isinstance(each, str) else each] = each
    return found


class LoggingTensorHook(SessionRunHook):
    """Logs values every_n_iter steps or every_n_secs seconds, or, with at_end, at the end.

    `tensors`: by tags, or a list of names and Tensors; `formatter`: a function of the dict of values that returns the line.
    """

    def __init__(
        self,
        tensors: Mapping[str, Any] | Sequence[Any],
        every_n_iter: int | None = None,
        every_n_secs: float | None = None,
        at_end: bool = False,
        formatter: Callable[[dict[str, Any]], str] | None = None,
    ) -> None:
        if (every_n_iter is None) == (every_n_secs is None) and not (at_end and every_n_iter is every_n_secs is None):
            raise ValueError("either at_end and/or exactly one of every_n_iter and every_n_secs must be provided.")
        if every_n_iter is not None and every_n_iter <= 0:
            raise ValueError(f"invalid every_n_iter={every_n_iter}.")
        self._tensors = by_tag(tensors)
        self._timer = None if every_n_iter is every_n_secs is None else SecondOrStepTimer(every_n_secs, every_n_iter)
        self._at_end, self._formatter = at_end, formatter
        self._iteration = 0
        self._last: dict[str, Any] | None = None

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._tensors)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        self._last = run_values.results
        if self._timer is not None and self._timer.should_trigger_for_step(self._iteration):
            self._log(self._timer.update_last_triggered_step(self._iteration)[0])
        self._iteration += 1

    def end(self, session: Any) -> None:
        if self._at_end and self._last is not None:
            self._log(None)

    def _log(self, seconds: float | None) -> None:
        assert self._last is not None
        if self._formatter is not None:
            logger.info("%s", self._formatter(self._last))
            return
        text = ", ".join(f"{tag} = {np.array2string(np.asarray(value))}" for tag, value in self._last.items())
        logger.info("%s", text if seconds is None else f"{text} ({seconds:.3f} sec)")

    _first_awaited = _first_awaited


class NanTensorHook(SessionRunHook):
    """Ends training where the scalar loss_tensor is NaN: with NanLossDuringTrainingError, or without an error where
    fail_on_nan_loss is False."""

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss, self._fails = loss_tensor, fail_on_nan_loss

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._loss)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        if not math.isnan(float(run_values.results)):
            return
        if self._fails:
            raise NanLossDuringTrainingError("Model diverged with loss = NaN.")
        logger.warning("Model diverged with loss = NaN.")
        run_context.request_stop()

    def _first_awaited(self) -> int:
        return ALL_STEPS if self._fails else 0


class StepCounterHook(SessionRunHook):
    """Logs steps per second every_n_steps steps or every_n_secs seconds. The run writes them for TensorBoard, in the model_dir, by
    itself: output_dir and summary_writer must be None."""

    def __init__(
        self, every_n_steps: int | None = 100, every_n_secs: float | None = None, output_dir: None = None,
        summary_writer: None = None,
    ) -> None:  # fmt: skip
        for name, value in (("output_dir", output_dir), ("summary_writer", summary_writer)):
            if value is not None:
                raise UnsupportedError(
                    f"StepCounterHook: {name}: the run writes global_step/sec to the events of the model_dir by itself; expected None"
                )
        self._timer = SecondOrStepTimer(every_n_secs, None if every_n_secs is not None else every_n_steps)

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs("global_step")

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        step = int(run_values.results)
        if self._timer.should_trigger_for_step(step):
            seconds, steps = self._timer.update_last_triggered_step(step)
            if seconds and steps:
                logger.info("global_step/sec: %g", steps / seconds)

    _first_awaited = _first_awaited


class FinalOpsHook(SessionRunHook):
    """Keeps the values that `final_ops` had at the last step, in `final_ops_values`. These are of that step's batch:
    final_ops_feed_dict must be None."""

    def __init__(self, final_ops: Any, final_ops_feed_dict: Any = None) -> None:
        if final_ops_feed_dict:
            raise UnsupportedError(
                "FinalOpsHook: final_ops_feed_dict: the values are those of the last step, which may be fed by SessionRunArgs; expected None"
            )
        self._ops = final_ops
        self.final_ops_values: Any = None

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(self._ops)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        self.final_ops_values = run_values.results

    _first_awaited = _first_awaited


class GlobalStepWaiterHook(SessionRunHook):
    """Waits before the first step until the global step is at `wait_until_step`, for workers that begin one by one.

    One process trains a model_dir here, and nobody else counts the step: one that is not there yet is refused.
    """

    def __init__(self, wait_until_step: int) -> None:
        self._step = wait_until_step

    def after_create_session(self, session: Any, coord: Any) -> None:
        step = int(session.run("global_step"))
        if step < self._step and session.in_cluster:
            raise UnsupportedError(
                f"GlobalStepWaiterHook: the global step is {step}, and training tasks do not begin one by one: the first step is "
                f"of all, or of those that are there; expected no hook that waits for step {self._step}"
            )
        if step < self._step:
            raise UnsupportedError(
                f"GlobalStepWaiterHook: the global step is {step}, and no other process counts it to wait_until_step "
                f"{self._step}; leave the hook out where one process trains"
            )


class FeedFnHook(SessionRunHook):
    """Feeds each step what feed_fn() returns, a feed_dict of SessionRunArgs."""

    def __init__(self, feed_fn: Callable[[], Mapping[Any, Any]]) -> None:
        self.feed_fn = feed_fn

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(None, feed_dict=self.feed_fn())
