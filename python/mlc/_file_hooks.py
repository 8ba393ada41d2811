"""Hooks that write files: checkpoints, summaries for TensorBoard, timelines of steps."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mlc import _engine
from mlc._hooks import (
    ALL_STEPS, CheckpointSaverListener, SecondOrStepTimer, SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues,
    by_tag,
)  # fmt: skip
from mlc.errors import UnsupportedError


def _refuse(hook: str, given: Mapping[str, Any], instead: str) -> None:
    for name, value in given.items():
        if value is not None:
            raise UnsupportedError(f"{hook}: {name} is TensorFlow's and not supported: {instead}; expected None")


class CheckpointSaverHook(SessionRunHook):
    """Says how often train saves, in the place of its RunConfig: the run itself writes the checkpoints.

    At the start, every save_steps or save_secs, one of which is given, and at the end. Listeners are called as
    saving_listeners of train are.
    """

    def __init__(
        self,
        checkpoint_dir: str | os.PathLike[str],
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: Any = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: Any = None,
        listeners: Sequence[CheckpointSaverListener] | None = None,
        save_graph_def: bool = True,
    ) -> None:
        """checkpoint_dir has to be the model_dir; checkpoint_basename and save_graph_def are without effect, saver and scaffold
        are refused. listeners are CheckpointSaverListeners."""
        _refuse("CheckpointSaverHook", {"saver": saver, "scaffold": scaffold}, "a checkpoint holds all variables")
        if (save_secs is None) == (save_steps is None):
            raise ValueError("exactly one of every_secs and every_steps should be provided.")
        self.checkpoint_dir = os.fspath(checkpoint_dir)
        self.save_secs, self.save_steps = save_secs, save_steps
        self.listeners = list(listeners or ())


class SummarySaverHook(SessionRunHook):
    """Writes scalars for TensorBoard every so many steps or seconds, the first step among them."""

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str | os.PathLike[str] | None = None,
        summary_writer: Any = None,
        scaffold: Any = None,
        summary_op: Any = None,
    ) -> None:
        """A SummarySaverHook.

        Args:
          save_steps, save_secs: one of both.
          output_dir: where the file of events goes.
          summary_writer, scaffold: refused.
          summary_op: what is written: a name of a summary (a summary's tag, "loss"), a list of names, or a dict of
            scalar Tensors, or names, by tags.
        """
        _refuse("SummarySaverHook", {"summary_writer": summary_writer}, "give output_dir")
        _refuse("SummarySaverHook", {"scaffold": scaffold}, "give summary_op")
        if summary_op is None:
            raise ValueError("Exactly one of scaffold or summary_op must be provided.")
        if output_dir is None:
            raise ValueError("SummarySaverHook: output_dir is None; expected the directory for the file of events")
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._directory = os.fspath(output_dir)
        self._tensors = by_tag([summary_op] if isinstance(summary_op, str) else summary_op)
        self._file: Any = None

    def begin(self) -> None:
        self._timer.reset()
        self._file = None

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs({"values": self._tensors, "step": "global_step"})

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        step = int(run_values.results["step"])
        if not self._timer.should_trigger_for_step(step):
            return
        self._timer.update_last_triggered_step(step)
        if self._file is None:
            self._file = _engine.native_module().EventFile(self._directory)
        values = {tag: _scalar(tag, value) for tag, value in run_values.results["values"].items()}
        self._file.scalars(step, values)

    def _first_awaited(self) -> int:
        return ALL_STEPS

    def end(self, session: Any) -> None:
        if self._file is not None:
            self._file.flush()


def _scalar(tag: str, value: Any) -> float:
    array = np.asarray(value)
    if array.ndim != 0 or array.dtype.kind not in "fiub":
        raise ValueError(f"SummarySaverHook: '{tag}' is {array.dtype} of the shape {array.shape}; expected a scalar number")
    return float(array)


class ProfilerHook(SessionRunHook):
    """Writes what a step does to timeline-<step>.json, a Chrome trace, every so many steps or seconds from the start on.

    It has what this run does, whatever others in the process do at that time.
    """

    def __init__(
        self,
        save_steps: int | None = None,
        save_secs: float | None = None,
        output_dir: str | os.PathLike[str] = "",
        show_dataflow: bool = True,
        show_memory: bool = False,
    ) -> None:
        """save_steps or save_secs, one of both; output_dir is where the files go; show_dataflow is without effect, show_memory
        refused."""
        if show_memory:
            raise UnsupportedError("ProfilerHook: show_memory: a timeline tells times alone; expected False")
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._directory = os.fspath(output_dir)
        self._records = False

    def begin(self) -> None:
        self._timer.reset()
        self._records = False

    def before_run(self, run_context: SessionRunContext) -> None:
        step = int(run_context.session.run("global_step")) + 1
        if self._timer.last_triggered_step() is None:
            self._timer.update_last_triggered_step(step - 1)  # the first steps are no example of the others
        if self._timer.should_trigger_for_step(step):
            self._timer.update_last_triggered_step(step)
            if self._directory:
                os.makedirs(self._directory, exist_ok=True)
            path = os.path.join(self._directory, f"timeline-{step}.json")
            run_context.session.begin_timeline(path, step)
            self._records = True

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        self._close(run_context.session)

    def end(self, session: Any) -> None:
        self._close(session)

    def _close(self, session: Any) -> None:
        if self._records:
            session.end_timeline()
            self._records = False
