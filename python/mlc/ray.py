"""mlc.ray: a trainer of an Estimator as tasks of a Ray cluster, started again by Ray where one is lost.

    import mlc.ray

    mlc.ray.launch(estimator, mlc.estimator.TrainSpec(input_fn, max_steps=1000), workers=4, ps=2, sync=True)

Needs pip's `ray`.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import json
import logging
import os
import secrets
import signal
import sys
import tempfile
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mlc import errors
from mlc._job import OUTPUT_FLAGS, JobOutput, JobResult, Lines
from mlc._launch import checked_tasks, chosen_strategy
from mlc._progress import Progress

if TYPE_CHECKING:
    from mlc.estimator import Estimator, TrainSpec
    from mlc.estimator._eval_specs import EvalSpecs

logger = logging.getLogger("mlc")

_POLL_SECONDS = 0.2
_STOP_SECONDS = 35.0
"""That a chief has to save, and that others have to leave after it."""
_BLAME_SECONDS = 2.0
_PEER_LOST = 193
"""The exit status of a task that lost another one."""

# The trainer goes with its actor, whatever ends that.
_CHILD = """
import ctypes, os, sys
ctypes.CDLL(None).prctl(1, 9)
if os.getppid() != int(sys.argv[1]):
    sys.exit(137)
os.execv(sys.argv[2], sys.argv[2:])
"""


def launch(
    estimator: Estimator,
    train_spec: TrainSpec,
    eval_spec: EvalSpecs | None = None,
    *,
    workers: int = 1,
    ps: int | None = None,
    evaluator: bool = False,
    resources: dict[str, float] | None = None,
    placement: str = "PACK",
    max_restarts: int = 3,
    placement_timeout: float = 300.0,
    cpu: str = "native",
    **strategy: Any,
) -> JobResult:
    """Trains on tasks of a Ray cluster until the job ends: as mlc.launch, with an actor of Ray for each task.

    The actors have a placement group of one bundle per task. Where a task is lost (its process, its actor or its node), Ray
    starts the actor again, perhaps elsewhere, and the job goes on from the newest checkpoint. ray.init() of before is used;
    else there is a Ray of this machine. The trainer, and arrays, travel through Ray's object store; the model_dir, and data
    files, are on all nodes under the same path.

    Args:
      estimator, train_spec, eval_spec, workers, ps, evaluator, strategy: as of mlc.launch.
      resources: of each task, by Ray's names; None: {"CPU": 1}.
      placement: Ray's strategy of the placement group: "PACK", "SPREAD", "STRICT_PACK" or "STRICT_SPREAD".
      max_restarts: how often the job is started again after tasks were lost.
      placement_timeout: seconds that the cluster has to make room for all tasks.
      cpu: that the trainer is compiled for: "native" is the one of this machine, "x86-64-v3" fits a cluster of several kinds.

    Raises:
      ImportError: ray is not installed.
      ClusterError: no room for all tasks, or they were lost more often than max_restarts. Other errors as of mlc.launch.
    """
    try:
        import ray
    except ImportError as error:
        raise ImportError("mlc.ray needs ray: pip install ray") from error
    from mlc.estimator import _tasks
    from mlc.estimator._eval_specs import listed
    from mlc.estimator.training import check_arguments

    check_arguments(estimator, train_spec)
    servers = checked_tasks(workers, ps)
    if isinstance(max_restarts, bool) or not isinstance(max_restarts, int) or max_restarts < 0:
        raise ValueError(f"max_restarts must be an integer of at least 0; found {max_restarts!r}")
    job = _tasks.job(estimator, train_spec, listed(eval_spec))
    chosen = chosen_strategy(estimator, strategy)
    has_evaluator = evaluator or chosen.evaluator
    if not ray.is_initialized():
        ray.init(log_to_driver=False, logging_level=logging.WARNING)
    with tempfile.TemporaryDirectory(prefix="mlc-job-") as directory:
        words = _tasks.arguments(job, replace(chosen, evaluator=has_evaluator), directory)
        _tasks.compile_trainer(job, os.path.join(directory, "trainer"), cpu, chosen, servers)
        files = {name: _read(os.path.join(directory, name)) for name in sorted(os.listdir(directory))}
    # Actors put the files into directories of their own, where the trainer runs: all tasks have the same settings.
    words = [word.replace(directory + os.sep, "") for word in words]
    sizes = {"chief": 1, "worker": workers - 1, "ps": servers, "evaluator": int(has_evaluator)}
    names = [(role, index) for role, size in sizes.items() for index in range(size)]
    placed = _Placement(ray, names, resources or {"CPU": 1}, placement, placement_timeout)
    begin = time.monotonic()
    with Progress("train", "steps") as shown:
        output = JobOutput(estimator, eval_spec, shown)
        try:
            _restarted(_Run(ray, placed.start(), ray.put(files), [*words, *OUTPUT_FLAGS], output), max_restarts)
        finally:
            placed.remove()
    return output.end(time.monotonic() - begin)


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


class _Task:
    """One task of the cluster, on the node that Ray chose: what an actor runs."""

    def __init__(self) -> None:
        import socket

        self._socket = socket.socket()
        self._directory = tempfile.TemporaryDirectory(prefix="mlc-task-")
        self._process: Any = None

    def _path(self, name: str) -> str:
        return os.path.join(self._directory.name, name)

    def address(self) -> str:
        """An address of this node at which the next run may listen."""
        import socket

        import ray

        self._socket.close()
        self._socket = socket.socket()  # keeps the port until the trainer begins
        self._socket.bind(("", 0))
        return f"{ray.util.get_node_ip_address()}:{self._socket.getsockname()[1]}"

    def run(self, files: dict[str, bytes], words: list[str], tf_config: str, token: str) -> int:
        """Starts the trainer, which is one of the files; its process id."""
        import subprocess

        self.signal(signal.SIGKILL)
        if self._process is not None:
            self._process.wait()  # of a run before, which did not end in time
        for name, content in files.items():
            if not os.path.exists(self._path(name)):
                with open(self._path(name), "wb") as file:
                    file.write(content)
        os.chmod(self._path("trainer"), 0o700)
        with open(self._path("token"), "w", opener=lambda path, flags: os.open(path, flags, 0o600)) as file:
            print(token, file=file)
        environment = {**os.environ, "TF_CONFIG": tf_config, "MLC_TOKEN_FILE": self._path("token")}
        self._socket.close()
        self._process = subprocess.Popen(
            [sys.executable, "-c", _CHILD, str(os.getpid()), self._path("trainer"), *words], env=environment,
            cwd=self._directory.name, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        os.set_blocking(self._process.stdout.fileno(), False)
        return int(self._process.pid)

    def poll(self) -> tuple[bytes, int | None]:
        """What the trainer said since the last call, and its exit status, as a shell says it, if it has ended.

        RuntimeError: nothing runs, since the actor was started again.
        """
        if self._process is None:
            raise RuntimeError("no trainer runs")
        status = self._process.poll()
        said = b""
        while data := self._process.stdout.read(1 << 20):
            said += data
        return said, None if status is None else status if status >= 0 else 128 - status

    def signal(self, number: int) -> None:
        """Sends a signal to the trainer, if it runs."""
        if self._process is not None and self._process.poll() is None:
            self._process.send_signal(number)


class _Placement:
    """The placement group of a job, and its actors."""

    def __init__(
        self, ray: Any, names: list[tuple[str, int]], resources: dict[str, float], strategy: str, timeout: float
    ) -> None:
        self._ray, self._names, self._resources = ray, names, resources
        bundles = [dict(resources) for _ in names]
        self._group = ray.util.placement_group(bundles, strategy=strategy)
        try:
            is_ready = self._group.wait(timeout)
        except BaseException:
            self.remove()
            raise
        if not is_ready:
            self.remove()
            raise errors.ClusterError(
                f"Ray has no room for {len(names)} tasks of {resources} ({strategy}) in {timeout:g} s; it has {ray.cluster_resources()}"
            )

    def start(self) -> dict[tuple[str, int], Any]:
        """The actors by role and index. Ray starts each again that it loses."""
        from ray.util.scheduling_strategies import PlacementGroupSchedulingStrategy

        # By value: nodes need no mlc, as the trainer does not.
        here = sys.modules[__name__]
        self._ray.cloudpickle.register_pickle_by_value(here)
        try:
            return self._actors(PlacementGroupSchedulingStrategy)
        finally:
            self._ray.cloudpickle.unregister_pickle_by_value(here)

    def _actors(self, scheduling: Any) -> dict[tuple[str, int], Any]:
        tasks = {}
        for bundle, name in enumerate(self._names):
            kinds = {"CPU": "num_cpus", "GPU": "num_gpus", "memory": "memory"}
            given = {kinds[kind]: amount for kind, amount in self._resources.items() if kind in kinds}
            others = {kind: amount for kind, amount in self._resources.items() if kind not in kinds}
            place = scheduling(self._group, placement_group_bundle_index=bundle)
            actor = self._ray.remote(_Task).options(
                **{"num_cpus": 0, **given}, resources=others or None, scheduling_strategy=place, max_restarts=-1, max_task_retries=0
            )
            tasks[name] = actor.remote()
        return tasks

    def remove(self) -> None:
        """Ends the actors, and with them what they run."""
        self._ray.util.remove_placement_group(self._group)


@dataclass
class _Lost(Exception):
    """A task is lost, or ended with a status after which trying again may help."""

    task: str
    status: int
    text: str


class _Run:
    """The tasks of a job, from start to end, once or more often."""

    def __init__(self, ray: Any, tasks: dict[tuple[str, int], Any], files: Any, words: list[str], output: JobOutput) -> None:
        self._ray, self._tasks, self._files, self._words, self._output = ray, tasks, files, words, output
        self._blame_at = 0.0
        """When a task that lost another one is taken for the cause."""

    def once(self) -> None:
        """Runs all tasks to their ends.

        Raises:
          _Lost: trying again may help. MlcError: it does not.
        """
        self._blame_at = 0.0
        self._output.forget()
        ended: dict[tuple[str, int], int] = {}
        lines = {name: Lines(lambda line, name=name: self._output.line(_text(name), line)) for name in self._tasks}  # type: ignore[misc]
        try:
            self._start()
            while len(ended) < len(self._tasks):
                time.sleep(_POLL_SECONDS)
                for name, status in self._poll(lines, ended).items():
                    ended[name] = self._output.result.tasks[_text(name)] = status
                    lines[name].end()
                    logger.info("%s: ended with %d", _text(name), status)
                self._judge(ended)
        except BaseException as error:
            self._stop(error, lines, ended)
            raise

    def _start(self) -> None:
        addresses = self._all({name: task.address.remote() for name, task in self._tasks.items()})
        cluster: dict[str, list[str]] = {}
        for (role, _), address in addresses.items():
            if role != "evaluator":  # which is none of it
                cluster.setdefault(role, []).append(address)
        token = secrets.token_hex()
        configs = {name: json.dumps({"cluster": cluster, "task": {"type": name[0], "index": name[1]}}) for name in self._tasks}
        self._all({name: task.run.remote(self._files, self._words, configs[name], token) for name, task in self._tasks.items()})

    def _all(self, calls: dict[tuple[str, int], Any]) -> dict[tuple[str, int], Any]:
        """The results of calls of actors. _Lost: one is gone, or was started again."""
        results = {}
        for name, call in calls.items():
            try:
                results[name] = self._ray.get(call)
            except self._ray.exceptions.RayError as error:
                raise _Lost(_text(name), 137, f"Ray lost the actor: {type(error).__name__}") from error
        return results

    def _poll(self, lines: dict[tuple[str, int], Lines], ended: dict[tuple[str, int], int]) -> dict[tuple[str, int], int]:
        """Statuses of the tasks that have ended since."""
        calls = {name: task.poll.remote() for name, task in self._tasks.items() if name not in ended}
        found = {}
        for name, (said, status) in self._all(calls).items():
            lines[name].feed(said)
            if status is not None:
                found[name] = status
        return found

    def _judge(self, ended: dict[tuple[str, int], int]) -> None:
        """Raises for the task that is the cause, once that is known: those that lost another end because of it."""
        failed = {name: status for name, status in ended.items() if status}
        if not failed:
            return
        self._blame_at = self._blame_at or time.monotonic() + _BLAME_SECONDS
        cause = min(failed, key=lambda name: (failed[name] == _PEER_LOST, name[0] != "chief"))
        if failed[cause] == _PEER_LOST and len(ended) < len(self._tasks) and time.monotonic() < self._blame_at:
            return
        error = self._output.error(_text(cause), failed[cause])
        if failed[cause] < 128:
            raise error
        raise _Lost(_text(cause), failed[cause], str(error)) from error

    def _stop(self, error: BaseException, lines: dict[tuple[str, int], Lines], ended: dict[tuple[str, int], int]) -> None:
        """Ends what still runs: the chief first, which saves, and those that are left."""
        number = signal.SIGINT if isinstance(error, KeyboardInterrupt) else signal.SIGTERM
        deadline = time.monotonic() + _STOP_SECONDS
        told: set[tuple[str, int]] = set()
        while len(ended) < len(self._tasks) and time.monotonic() < deadline:
            chief = ("chief", 0)
            for name in [chief] if chief not in ended and chief not in told else list(self._tasks) if chief in ended else []:
                if name not in ended and name not in told:
                    told.add(name)
                    self._tasks[name].signal.remote(int(number))
            for name in [name for name in self._tasks if name not in ended]:
                try:
                    said, status = self._ray.get(self._tasks[name].poll.remote(), timeout=5)
                except self._ray.exceptions.RayError:
                    ended[name] = 137  # the actor is gone, and what it ran with it
                    continue
                lines[name].feed(said)
                if status is not None:
                    ended[name] = self._output.result.tasks[_text(name)] = status
                    lines[name].end()
            time.sleep(_POLL_SECONDS)
        for name in self._tasks:
            if name not in ended:
                self._tasks[name].signal.remote(int(signal.SIGKILL))


def _text(name: tuple[str, int]) -> str:
    return f"{name[0]} {name[1]}"


def _restarted(run: _Run, max_restarts: int) -> None:
    """Runs the job, again where tasks were lost, max_restarts times at most."""
    restarts = 0
    while True:
        try:
            return run.once()
        except _Lost as lost:
            if restarts == max_restarts:
                error = errors.ClusterError(
                    f"{lost.text}\nthe job was started again {restarts} times, max_restarts", exit_code=lost.status
                )
                error.task = lost.task
                raise error from None
            restarts += 1
            logger.warning("%s\nthe job goes on from its newest checkpoint (restart %d of %d)", lost.text, restarts, max_restarts)
