"""train_and_evaluate under TF_CONFIG: processes of Python that are tasks of a cluster."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mlc._native")

import cluster_task  # noqa: E402
import mlc  # noqa: E402
from mlc import errors, estimator, train  # noqa: E402

ENDLESS = 10**9


def start(directory: Path, kind: str, max_steps: int, strategy: dict[str, Any], evaluator: bool = False) -> dict[str, Any]:
    """The processes of a cluster of a chief, a worker and a server, by role."""
    cluster = {role: [f"unix:{directory}/{role}"] for role in ("chief", "worker", "ps")}
    words = [sys.executable, cluster_task.__file__, str(directory / "m"), kind, str(max_steps), json.dumps(strategy)]
    return {
        role: subprocess.Popen(
            words, env={**os.environ, "TF_CONFIG": json.dumps({"cluster": cluster, "task": {"type": role, "index": 0}})},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )
        for role in [*cluster, *(["evaluator"] if evaluator else [])]
    }  # fmt: skip


def end(tasks: dict[str, Any]) -> dict[str, tuple[int, str, str]]:
    """Exit status, output and log of each."""
    found = {}
    for role, task in tasks.items():
        said, log = task.communicate(timeout=40)
        found[role] = (task.returncode, said, log)
    return found


@pytest.mark.parametrize("kind", ["canned", "model_fn"])
def test_tasks_train_together(kind: str, tmp_path: Path) -> None:
    ended = end(start(tmp_path, kind, 40, {"sync": True, "evaluator": True}, evaluator=True))
    assert {role: status for role, (status, _, _) in ended.items()} == dict.fromkeys(ended, 0), ended
    assert "worker 0 computes shards 4 to 7 of 8" in ended["worker"][2]
    assert "listens on" in ended["ps"][2]
    assert ended["chief"][1] == "null\n"  # the evaluator evaluates
    assert json.loads(ended["evaluator"][1])["global_step"] == 40
    job, alone = (cluster_task.model(str(tmp_path / name), kind, {}) for name in ("m", "alone"))
    mlc.launch(alone, cluster_task.train_spec(40), virtual_shards=8)
    for name in alone.get_variable_names():
        assert job.get_variable_value(name).tobytes() == alone.get_variable_value(name).tobytes(), name


@pytest.mark.parametrize("role", ["chief", "ps"])
def test_interrupted_task_ends_the_job_saved(role: str, tmp_path: Path) -> None:
    tasks = start(tmp_path, "canned", ENDLESS, {"sync": True})
    until = time.monotonic() + 60
    while not any((tmp_path / "m").glob("ckpt-*")) and all(task.poll() is None for task in tasks.values()) and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.5)
    tasks[role].send_signal(signal.SIGINT)
    ended = end(tasks)
    assert ended[role][0] == -signal.SIGINT  # KeyboardInterrupt, as of Python
    others = {each: (status, said) for each, (status, said, _) in ended.items() if each != role}
    assert all(status in (130, 143) and said.startswith("ClusterError: the job was stopped") for status, said in others.values()), ended
    step = cluster_task.model(str(tmp_path / "m"), "canned", {}).get_variable_value("global_step")
    assert step > 0


def test_lost_task_is_an_error_that_may_be_tried_again(tmp_path: Path) -> None:
    tasks = start(tmp_path, "canned", 40, {"sync": True, "start_timeout": 1})
    tasks.pop("worker").kill()
    ended = end(tasks)
    assert {status for status, _, _ in ended.values()} == {193}
    assert ended["chief"][1].startswith("ClusterError: ") and "worker 0" in ended["chief"][1]


def test_what_tasks_cannot_do_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = {"chief": ["a:1"], "worker": ["b:1"], "ps": ["c:1"]}
    monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": cluster, "task": {"type": "chief", "index": 0}}))
    model = cluster_task.model(str(tmp_path), "canned", {})
    with pytest.raises(errors.UnsupportedError, match="TrainSpec has hooks"):
        spec = cluster_task.train_spec(1, saving_listeners=[train.CheckpointSaverListener()])
        estimator.train_and_evaluate(model, spec, cluster_task.eval_spec())
    with pytest.raises(errors.UnsupportedError, match="train_and_evaluate"):
        model.train(lambda: cluster_task.dataset().batch(8))
    with pytest.raises(errors.UnsupportedError, match="found a str; expected mlc.estimator.ParameterServerStrategy"):
        estimator.RunConfig(train_distribute="mirrored")  # type: ignore[arg-type]
