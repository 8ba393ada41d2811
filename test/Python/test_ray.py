"""mlc.ray: jobs on a Ray of this machine, whose tasks are killed."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mlc._native")
ray = pytest.importorskip("ray", reason="pip install ray: nothing tries mlc.ray without it")

import cluster_task  # noqa: E402
import mlc  # noqa: E402
import mlc.ray  # noqa: E402
from mlc import errors, estimator  # noqa: E402

QUARTER = {"CPU": 0.25}


@pytest.fixture(scope="module", autouse=True)
def cluster() -> Iterator[None]:
    """A Ray with three processors."""
    os.environ["RAY_USAGE_STATS_ENABLED"] = "0"
    ray.init(num_cpus=3, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    yield
    ray.shutdown()


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    """Tests leave neither trainers nor placement groups."""
    yield
    end = time.monotonic() + 20
    while trainers() and time.monotonic() < end:
        time.sleep(0.1)
    assert trainers() == {}
    states = [group["state"] for group in ray.util.placement_group_table().values()]
    assert set(states) <= {"REMOVED"}


def trainers() -> dict[int, tuple[int, str]]:
    """Processes of trainers: their parents, and their roles in TF_CONFIG."""
    found = {}
    for entry in os.listdir("/proc"):
        try:
            words = Path(f"/proc/{entry}/cmdline").read_bytes().split(b"\0") if entry.isdigit() else []
            if not words or b"/mlc-task-" not in words[0]:
                continue
            environment = Path(f"/proc/{entry}/environ").read_bytes().decode()
            parent = Path(f"/proc/{entry}/stat").read_text().rpartition(")")[2].split()[1]
        except OSError:
            continue
        found[int(entry)] = (int(parent), environment.partition('"type": "')[2].partition('"')[0])
    return found


def at_start(role: str, action: Callable[[int, int], None]) -> threading.Thread:
    """Does something with the first trainer of a role, and the actor that started it, as soon as it is there."""

    def wait() -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            for pid, (parent, its) in trainers().items():
                if its == role:
                    action(pid, parent)
                    return
            time.sleep(0.01)

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def variables(model: estimator.Estimator) -> dict[str, bytes]:
    return {name: model.get_variable_value(name).tobytes() for name in model.get_variable_names()}


def test_job_has_the_bits_of_one_process(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "mlc")
    job, alone = (cluster_task.model(str(tmp_path / name), "canned", {}) for name in ("job", "alone"))
    result = mlc.ray.launch(
        job, cluster_task.train_spec(40), cluster_task.eval_spec(), workers=2, evaluator=True, sync=True, resources=QUARTER
    )
    assert result.tasks == {"chief 0": 0, "worker 0": 0, "ps 0": 0, "evaluator 0": 0}
    assert (result.step, result.reason) == (40, "max_steps")
    assert result.metrics is not None and result.metrics["global_step"] == 40
    assert any(record.getMessage().startswith("worker 0: ") and "shards 4 to 7" in record.getMessage() for record in caplog.records)
    mlc.launch(alone, cluster_task.train_spec(40), virtual_shards=8)
    assert variables(job) == variables(alone)


@pytest.mark.parametrize("what", ["trainer", "actor"])
def test_lost_task_is_started_again(what: str, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    """A trainer, or Ray's process of a worker, is killed: the job begins again, and goes to its end."""
    job, alone = (cluster_task.model(str(tmp_path / name), "model_fn", {}) for name in ("job", "alone"))
    killer = at_start("worker", lambda trainer, actor: os.kill(trainer if what == "trainer" else actor, signal.SIGKILL))
    result = mlc.ray.launch(job, cluster_task.train_spec(40), workers=2, sync=True, resources=QUARTER)
    killer.join()
    assert (result.step, set(result.tasks.values())) == (40, {0})
    lost = "worker 0 was killed by signal 9" if what == "trainer" else "Ray lost the actor"
    assert any(lost in record.getMessage() and "restart 1 of 3" in record.getMessage() for record in caplog.records)
    mlc.launch(alone, cluster_task.train_spec(40), virtual_shards=8)
    assert variables(job) == variables(alone)


def test_too_many_losses_are_an_error(tmp_path: Path) -> None:
    model = cluster_task.model(str(tmp_path / "m"), "canned", {})
    killer = at_start("ps", lambda trainer, actor: os.kill(trainer, signal.SIGKILL))
    with pytest.raises(errors.ClusterError, match="(?s)ps 0 was killed by signal 9.*started again 0 times") as raised:
        mlc.ray.launch(model, cluster_task.train_spec(40), workers=2, sync=True, resources=QUARTER, max_restarts=0)
    killer.join()
    assert (raised.value.task, raised.value.exit_code) == ("ps 0", 137)


def test_no_room_is_told(tmp_path: Path) -> None:
    model = cluster_task.model(str(tmp_path / "m"), "canned", {})
    with pytest.raises(errors.ClusterError, match=r"no room for 3 tasks of {'CPU': 64} \(PACK\) in 1 s; it has "):
        mlc.ray.launch(model, cluster_task.train_spec(1), workers=2, resources={"CPU": 64}, placement_timeout=1)
    with pytest.raises(ValueError, match="max_restarts"):
        mlc.ray.launch(model, cluster_task.train_spec(1), max_restarts=-1)


SCRIPT = """
import sys
import ray
import cluster_task
import mlc.ray
ray.init(address=sys.argv[2], log_to_driver=False, logging_level="ERROR")
model = cluster_task.model(sys.argv[1], "canned", {})
mlc.ray.launch(model, cluster_task.train_spec(10**9), workers=2, sync=True, resources={"CPU": 0.25})
"""


def test_interrupted_caller_saves(tmp_path: Path) -> None:
    address = ray.get_runtime_context().gcs_address
    place = [str(Path(cluster_task.__file__).parent), os.environ.get("PYTHONPATH", "")]
    caller: Any = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "m"), address], stderr=subprocess.PIPE, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(place)},
    )  # fmt: skip
    end = time.monotonic() + 240  # Ray starts processes anew for another driver
    while not any((tmp_path / "m").glob("ckpt-*")) and caller.poll() is None and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(1)
    caller.send_signal(signal.SIGINT)
    _, said = caller.communicate(timeout=60)
    assert caller.returncode == -signal.SIGINT or "KeyboardInterrupt" in said, said
    assert "interrupted" in (tmp_path / "m/runs/0001/log.txt").read_text()
