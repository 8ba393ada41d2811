"""mlc.launch: a trainer of an Estimator as all tasks of a cluster on this machine."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import os
import selectors
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from mlc import errors
from mlc._job import OUTPUT_FLAGS, JobOutput, JobResult, Lines, environment, parsed
from mlc._progress import Progress

if TYPE_CHECKING:
    from mlc.estimator import Estimator, TrainSpec
    from mlc.estimator._eval_specs import EvalSpecs
    from mlc.estimator.strategy import ParameterServerStrategy

# The launcher stops the job, saved, when the thread that started it is gone; tasks are gone when the launcher is.
_LAUNCHER = """
import ctypes, os, sys
place, parent = sys.argv[1:3]
ctypes.CDLL(None).prctl(1, 15)
if os.getppid() != int(parent):
    sys.exit(143)
sys.path.insert(0, place)
from mlc import _native
sys.exit(_native.main(["mlc", *sys.argv[3:]]))
"""
_POLL_SECONDS = 0.1


def launch(
    estimator: Estimator,
    train_spec: TrainSpec,
    eval_spec: EvalSpecs | None = None,
    *,
    workers: int = 1,
    ps: int | None = None,
    evaluator: bool = False,
    tcp: bool = False,
    log_dir: str | os.PathLike[str] | None = None,
    cpu: str = "native",
    **strategy: Any,
) -> JobResult:
    """Trains on all tasks of a cluster on this machine, each a process of a trainer without Python, until the job ends.

    Goes on with the newest checkpoint of the model_dir, where the Estimator finds what was trained. What the tasks say goes
    to logging.getLogger("mlc"), and to a file for each in `log_dir`. Ctrl-C ends the job, saved, and raises
    KeyboardInterrupt; a second one kills all tasks. No task is left when this returns or raises, nor when this process is
    killed.

    Args:
      estimator: what is trained.
      train_spec: its input, a Dataset of CSV or TFRecord files, or of arrays, which are written to a file for the tasks; and
        max_steps, or the passes of repeat(), which are those of all launches over the model_dir together.
      eval_spec: what the chief, or the evaluator, evaluates after each checkpoint; or several, as of train_and_evaluate.
      workers: tasks that train, the chief among them.
      ps: servers of variables; None: one if there are several workers.
      evaluator: a task more evaluates, and the chief does not.
      tcp: tasks talk over ports of the loopback interface, not over Unix sockets.
      log_dir: of a log per task; None: logs in the model_dir.
      cpu: that the trainer is compiled for.
      strategy: fields of ParameterServerStrategy, in the place of those of RunConfig(train_distribute=...): sync=True.

    Raises:
      MlcError: a task failed: `task` is its name, `exit_code` its status, and the class is that of its error.
      UnsupportedError: hooks, which train_and_evaluate under TF_CONFIG calls, or input that processes cannot share.
      ValueError: numbers of tasks that make no cluster; nothing ends the job.
    """
    from mlc.estimator import _tasks
    from mlc.estimator._eval_specs import listed
    from mlc.estimator.training import check_arguments

    check_arguments(estimator, train_spec)
    servers = checked_tasks(workers, ps)
    job = _tasks.job(estimator, train_spec, listed(eval_spec))
    chosen = chosen_strategy(estimator, strategy)
    with tempfile.TemporaryDirectory(prefix="mlc-job-") as directory, Progress("train", "steps") as shown:
        output = JobOutput(estimator, eval_spec, shown)
        trainer = os.path.join(directory, "trainer")
        words = _tasks.arguments(job, replace(chosen, evaluator=False), directory)
        _tasks.compile_trainer(job, trainer, cpu, chosen, servers)
        command = ["launch", "--json", "--workers", str(workers), "--ps", str(servers)]
        command += ["--evaluator"] if evaluator or chosen.evaluator else []
        command += ["--tcp"] if tcp else []
        logs = os.path.abspath(os.path.join(estimator.model_dir, "logs") if log_dir is None else os.fspath(log_dir))
        command += ["--log_dir", logs, "--", trainer, *words, *OUTPUT_FLAGS]
        return _Launcher(command, output, logs).run()


def chosen_strategy(estimator: Estimator, given: dict[str, Any]) -> ParameterServerStrategy:
    """The strategy of an Estimator's RunConfig with other values of the fields that are given. TypeError for a field that
    there is not."""
    from mlc.estimator.strategy import ParameterServerStrategy

    base = estimator.config.train_distribute or ParameterServerStrategy()
    names = [field.name for field in fields(base)]
    unknown = next((name for name in given if name not in names), None)
    if unknown is not None:
        hint = errors.did_you_mean(unknown, names)
        raise TypeError(f"launch() has no argument '{unknown}'" + (f"; {hint}" if hint else ""))
    return replace(base, **given)


def checked_tasks(workers: int, ps: int | None) -> int:
    """The number of servers. ValueError for numbers that make no cluster."""
    for name, value, least in (("workers", workers, 1), ("ps", 0 if ps is None else ps, 0)):
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            raise ValueError(f"{name} must be an integer of at least {least}; found {value!r}")
    servers = int(workers > 1) if ps is None else ps
    if workers > 1 and servers == 0:
        raise ValueError(f"{workers} workers need a server of variables; found ps=0, expected 1 or more")
    return servers


class _Launcher:
    """`mlc launch` as a process, and what it and the tasks say."""

    def __init__(self, command: list[str], output: JobOutput, log_dir: str) -> None:
        self._command, self._output = command, output
        self._logs: list[tuple[Any, Lines]] = []
        self._sizes: dict[str, int] = {}
        """Of the logs before, to which tasks append."""
        if os.path.isdir(log_dir):
            self._sizes = {entry.name: entry.stat().st_size for entry in os.scandir(log_dir)}
        self._messages: list[errors.Message] = []

    def run(self) -> JobResult:
        """Until all tasks have ended."""
        begin = time.monotonic()
        place = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
        python = [sys.executable, "-P", "-c", _LAUNCHER, place, str(os.getpid())]
        # A session of its own: Ctrl-C at the terminal is passed on from here.
        process = subprocess.Popen(
            [*python, *self._command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            start_new_session=True, env=environment(),
        )  # fmt: skip
        try:
            interrupt = self._watch(process)
        finally:
            for log, _ in self._logs:
                log.close()
        if interrupt is not None:
            raise interrupt
        if process.returncode != 0:
            raise self._error(process.returncode)
        return self._output.end(time.monotonic() - begin)

    def _watch(self, process: subprocess.Popen[bytes]) -> BaseException | None:
        """Reads until the launcher has ended; what was raised meanwhile, as by Ctrl-C, is passed on as SIGINT first."""
        raised: BaseException | None = None
        lines = {process.stdout: Lines(self._event), process.stderr: Lines(self._error_line)}
        with selectors.DefaultSelector() as selector:
            for pipe in lines:
                selector.register(pipe, selectors.EVENT_READ)  # type: ignore[arg-type]
            while True:
                try:
                    if not self._read(selector, lines):
                        process.wait()
                        break
                except BaseException as error:  # of a signal's handler: the job has to end first
                    raised = error
                    process.send_signal(signal.SIGINT)
        for pipe in lines:
            pipe.close()  # type: ignore[union-attr]
        self._tail()
        return raised

    def _read(self, selector: selectors.BaseSelector, lines: dict[Any, Lines]) -> bool:
        """What the launcher and the logs have; False: the launcher has closed its output."""
        for key, _ in selector.select(_POLL_SECONDS):
            data = os.read(key.fd, 1 << 16)
            lines[key.fileobj].feed(data)
            if not data:
                lines[key.fileobj].end()
                selector.unregister(key.fileobj)
        self._tail()
        return bool(selector.get_map())

    def _tail(self) -> None:
        for log, lines in self._logs:
            while data := log.read(1 << 16):
                lines.feed(data)

    def _event(self, line: str) -> None:
        """A line of standard output: of the chief, or of the launcher's own."""
        event = parsed(line) or {}
        kind = event.get("event")
        if kind == "task_start":
            if not event["task"].startswith("chief"):  # whose output comes here
                self._follow(event["task"], event["log"])
        elif kind == "task_end":
            self._output.result.tasks[event["task"]] = event["status"]
        else:
            self._output.line("chief 0", line)

    def _follow(self, task: str, path: str) -> None:
        log = open(path, "rb")  # noqa: SIM115  # closed by run()
        log.seek(self._sizes.get(os.path.basename(path), 0))
        self._logs.append((log, Lines(lambda line: self._output.line(task, line))))

    def _error_line(self, line: str) -> None:
        """A line of standard error: of the chief's log, or a message of the launcher's own."""
        message = parsed(line)
        if message is None or "severity" not in message:
            self._output.line("chief 0", line)
        else:
            self._messages.append(message)

    def _error(self, status: int) -> errors.MlcError:
        """The exception of a job that failed, by what the launcher said: 'worker 0: exit status 3'."""
        for message in self._messages:
            task = str(message.get("message", "")).partition(": ")[0]
            if message.get("code") == "E0413" and task in self._output.result.tasks:
                return self._output.error(task, self._output.result.tasks[task])
        if self._messages:
            return errors.from_native("", self._messages, status)
        return self._output.error("chief 0", status)


