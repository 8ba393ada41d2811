"""train_and_evaluate under TF_CONFIG: processes of Python that are tasks of a cluster."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import dataclasses
import json
import os
import re
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
    token = tmp_path / "token"
    token.write_text("a secret\n")
    strategy = {
        "sync": True, "evaluator": True, "virtual_shards": 8, "backup_workers": 0, "backup_policy": "redundant", "overlap": "off",
        "threads": 1, "start_timeout": 30, "stall_timeout": 50, "heartbeat": 4, "grace": 20, "message_memory": 64,
        "token_file": str(token),
    }  # fmt: skip
    ended = end(start(tmp_path, kind, 40, strategy, evaluator=True))
    assert {role: status for role, (status, _, _) in ended.items()} == dict.fromkeys(ended, 0), ended
    assert "worker 0 computes shards 4 to 7 of 8" in ended["worker"][2]
    assert "listens on" in ended["ps"][2]
    assert ended["chief"][1] == "null\n"  # the evaluator evaluates
    assert json.loads(ended["evaluator"][1])["global_step"] == 40
    job, alone = (cluster_task.model(str(tmp_path / name), kind, {}) for name in ("m", "alone"))
    mlc.launch(alone, cluster_task.train_spec(40), virtual_shards=8)
    for name in alone.get_variable_names():
        assert job.get_variable_value(name).tobytes() == alone.get_variable_value(name).tobytes(), name


@pytest.mark.parametrize(("role", "number"), [("chief", signal.SIGINT), ("ps", signal.SIGINT), ("chief", signal.SIGTERM)])
def test_task_that_is_told_to_stop_ends_the_job_saved(role: str, number: int, tmp_path: Path) -> None:
    """KeyboardInterrupt, and what a handler of SIGTERM raises."""
    tasks = start(tmp_path, "canned", ENDLESS, {"sync": True})
    until = time.monotonic() + 60
    while not any((tmp_path / "m").glob("ckpt-*")) and all(task.poll() is None for task in tasks.values()) and time.monotonic() < until:
        time.sleep(0.05)
    time.sleep(0.5)
    tasks[role].send_signal(number)
    ended = end(tasks)
    assert ended[role][0] == (-signal.SIGINT if number == signal.SIGINT else 128 + number)
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


def test_fields_of_the_strategy_are_flags_of_a_trainer() -> None:
    page = (Path(__file__).parents[2] / "docs/command-line.md").read_text()
    flags = re.findall(r"^\| `--(\w+)", page.partition("## mlc train\n")[2].partition("\n## ")[0], re.MULTILINE)
    assert {field.name for field in dataclasses.fields(estimator.ParameterServerStrategy)} <= set(flags)
    strategy = estimator.ParameterServerStrategy(sync=True, backup_workers="auto", grace=0)
    assert strategy.flags() == ["--sync", "--backup_workers", "auto", "--grace", "0"]


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
