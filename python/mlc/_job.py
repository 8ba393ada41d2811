"""What the tasks of a job say while they run: lines for the log, events, and the error of one that fails."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mlc import _engine, errors
from mlc._progress import Progress, is_shown

if TYPE_CHECKING:
    from mlc.estimator._eval_specs import EvalSpecs
    from mlc.estimator.estimator import Estimator

logger = logging.getLogger("mlc")

_LEVELS = {"error": logging.ERROR, "warning": logging.WARNING}
_LAST_LINES = 10

OUTPUT_FLAGS = ["--json", "--log_format", "json", "--called_as="]
"""Flags of a trainer whose lines a JobOutput understands, and which nobody calls by its name."""


def environment() -> dict[str, str]:
    """That of tasks: they tell how far they are as often as a line is drawn."""
    return {**os.environ, "MLC_PROGRESS_SECONDS": "1"} if is_shown() else dict(os.environ)


@dataclass
class JobResult:
    """How a job of mlc.launch or mlc.ray.launch ended.

    Attributes:
      step: the global step that the model has.
      reason: why training ended: "max_steps", "epochs", "early_stopping".
      seconds: from the start of the first task to the end of the last.
      metrics: of the last evaluation, of several EvalSpecs by their names; None: there was none.
      exports: the paths of what exporters made, as bytes.
      tasks: exit statuses by the names of tasks ("chief 0").
    """

    step: int = 0
    reason: str = ""
    seconds: float = 0.0
    metrics: dict[str, Any] | None = None
    exports: list[bytes] = field(default_factory=list)
    tasks: dict[str, int] = field(default_factory=dict)


class JobOutput:
    """What all tasks of a job say. Lines go to the log "mlc", with the name of the task."""

    def __init__(self, estimator: Estimator, eval_spec: EvalSpecs | None, shown: Progress) -> None:
        """Takes what tasks say.

        Args:
          eval_spec: of the eval sets whose metrics the result has.
          shown: the line of the chief's progress.
        """
        from mlc.estimator._eval_specs import listed

        self.result = JobResult()
        self._estimator, self._eval_spec, self._shown = estimator, eval_spec, shown
        self._specs = listed(eval_spec)
        self._metrics: dict[str, dict[str, Any]] = {}
        self._errors: dict[str, list[errors.Message]] = {}
        self._last: dict[str, list[str]] = {}

    def forget(self) -> None:
        """The job is started again: what tasks said, and how they ended, is of before."""
        self._errors.clear()
        self._last.clear()
        self.result.tasks.clear()

    def end(self, seconds: float) -> JobResult:
        """The result of a job that has ended well. Where training was at its end before, the newest checkpoint is evaluated."""
        from mlc.estimator._eval_specs import metrics_of

        self.result.seconds = seconds
        for spec in self._specs:
            if (spec.name or "") not in self._metrics:
                self._metrics[spec.name or ""] = self._estimator.evaluate(spec.input_fn, spec.steps, name=spec.name)
        self.result.metrics = metrics_of(self._eval_spec, self._metrics)
        return self.result

    def line(self, task: str, text: str) -> None:
        """A line of standard output or error of a task, as its flags OUTPUT_FLAGS write it."""
        text = text.rstrip("\n")
        said = parsed(text)
        if said is None:
            self._note(task, text)
            logger.info("%s: %s", task, text, extra={"task": task})
        elif "event" in said:
            self._event(task, said)
        elif "level" in said:
            self._log(task, said)

    def _log(self, task: str, said: Mapping[str, Any]) -> None:
        """A line of the trainer's log."""
        message = said.get("details")
        level = _LEVELS.get(said["level"], logging.INFO)
        text = errors.format_message(message) if message else str(said["message"])
        if not message and task.startswith("chief") and self._shown.told(text):
            level = logging.DEBUG  # it comes each second where a line is shown
        if message and level == logging.ERROR:
            self._errors.setdefault(task, []).append(message)
        self._note(task, text)
        logger.log(level, "%s: %s", task, text, extra={"task": task})

    def _event(self, task: str, said: Mapping[str, Any]) -> None:
        kind = said["event"]
        if kind == "step":
            logger.info("%s: loss = %s, step = %s (%.4g examples/s)", task, *_engine.of_step(said), extra={"task": task})
        elif kind == "eval":
            event = {**said, "metrics": {name: number(value) for name, value in said["metrics"].items()}}
            self._estimator._note_evaluation(event)
            if any(said.get("name", "") == (spec.name or "") for spec in self._specs):
                self._metrics[said.get("name", "")] = event["metrics"]
        elif kind == "export":
            self.result.exports.append(os.fsencode(said["path"]))
        elif kind == "done" and task.startswith("chief"):
            self.result.step, self.result.reason = int(said.get("step", 0)), str(said["reason"])
            self._shown.end(self.result.step)

    def _note(self, task: str, text: str) -> None:
        lines = self._last.setdefault(task, [])
        lines.append(text)
        del lines[:-_LAST_LINES]

    def error(self, task: str, status: int) -> errors.MlcError:
        """The exception for a task that ended with a status above 0: its first error tells the class, or that of the task
        which it names as the cause."""
        task = self._cause_of(task)
        status = self.result.tasks.get(task) or status
        ended = f"{task} was killed by signal {status - 128}" if 128 < status < 193 else f"{task} ended with exit status {status}"
        found = self._errors.get(task, [])
        said = [errors.format_message(message) for message in found] or self._last.get(task, [])
        text = f"{ended}:\n" + "\n".join(said) if said else ended
        kind = errors.kind_of(found) if found else errors.ClusterError
        error = kind(text, found, status)
        error.task = task
        return error


    def _cause_of(self, task: str) -> str:
        """The task whose own error another one passes on, as "worker 0: record 4: ..."; the task itself without one."""
        found = self._errors.get(task, [])
        for other, own in self._errors.items():
            is_named = any(str(message.get("message", "")).startswith(f"{other}: ") for message in found)
            if other != task and is_named and not issubclass(errors.kind_of(own), errors.ClusterError):
                return other
        return task


def number(value: Any) -> Any:
    """A metric of an event: JSON has no NaN and no infinity, which are texts."""
    return float(value) if isinstance(value, str) else value


def parsed(text: str) -> dict[str, Any] | None:
    """The object of a line of JSON; None: it is another line."""
    if not text.startswith("{"):
        return None
    try:
        found = json.loads(text)
    except ValueError:
        return None
    return found if isinstance(found, dict) else None


class Lines:
    """Cuts what is read of a stream into lines for a function."""

    def __init__(self, take: Callable[[str], None]) -> None:
        self._take, self._rest = take, b""

    def feed(self, data: bytes) -> None:
        """What was read next."""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._take(line.decode(errors="replace"))

    def end(self) -> None:
        """Nothing comes any more."""
        if self._rest:
            self._take(self._rest.decode(errors="replace"))
        self._rest = b""
