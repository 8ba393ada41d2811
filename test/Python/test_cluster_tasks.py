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

import numpy as np
import pytest

pytest.importorskip("mlc._native")

import cluster_task  # noqa: E402
import mlc  # noqa: E402
from mlc import errors, estimator, train  # noqa: E402

ENDLESS = 10**9


ALL = ("chief", "worker", "ps")


def start(
    directory: Path, kind: str, max_steps: int, strategy: dict[str, Any], evaluator: bool = False, what: str = "",
    roles: tuple[str, ...] = ALL,
) -> dict[str, Any]:  # fmt: skip
    """The processes of a cluster of a task of each role, by role. `what`: as of cluster_task.specs."""
    cluster = {role: [f"unix:{directory}/{role}"] for role in roles}
    words = [sys.executable, cluster_task.__file__, str(directory / "m"), kind, str(max_steps), json.dumps(strategy), what]
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


def ended_well(tasks: dict[str, Any]) -> dict[str, tuple[int, str, str]]:
    ended = end(tasks)
    assert {role: status for role, (status, _, _) in ended.items()} == dict.fromkeys(ended, 0), ended
    return ended


def told(directory: Path, role: str) -> dict[str, Any]:
    """What a task's hooks saw."""
    found: dict[str, Any] = json.loads((directory / f"told-{role}.json").read_text())
    return found


def variables(model: estimator.Estimator) -> dict[str, bytes]:
    return {name: model.get_variable_value(name).tobytes() for name in model.get_variable_names()}


def without_hooks(directory: Path, kind: str, steps: int) -> estimator.Estimator:
    """The model trained in one process with as many virtual shards as a cluster has."""
    alone = cluster_task.model(str(directory / "alone"), kind, {})
    mlc.launch(alone, cluster_task.train_spec(steps), virtual_shards=8)
    return alone


@pytest.mark.parametrize("kind", ["canned", "model_fn"])
def test_hooks_see_the_steps_of_their_task(kind: str, tmp_path: Path) -> None:
    """What the whole batch tells is the same for all, and so are variables on the servers; rows are the task's own."""
    ended_well(start(tmp_path, kind, 20, {"sync": True, "threads": 1}, what="hooks"))
    job, alone = cluster_task.model(str(tmp_path / "m"), kind, {}), without_hooks(tmp_path, kind, 20)
    assert variables(job) == variables(alone)
    chief, worker = told(tmp_path, "chief"), told(tmp_path, "worker")
    table = "table" if kind == "model_fn" else cluster_task.EMBEDDING
    for task in (chief, worker):
        assert task["seen"]["calls"] == ["begin", "step 0", "end"]
        steps = task["seen"]["steps"]
        assert [step["global_step"] for step in steps] == list(range(1, 21))
        assert all(step["session"] == step[table] for step in steps)
        np.testing.assert_array_equal(np.asarray(steps[-1][table], np.float32), job.get_variable_value(table))
        assert steps[0][table] != steps[5][table] != steps[6][table]
    for ours, theirs in zip(chief["seen"]["steps"], worker["seen"]["steps"], strict=True):
        assert (ours["loss"], ours[table]) == (theirs["loss"], theirs[table])
    assert chief["saves"]["steps"] == [0, 20] and worker["saves"]["steps"] == []
    assert chief["batches"]["count"] == 13 and worker["batches"]["count"] == 0
    if kind == "model_fn":
        assert (chief["training"], chief["chief"], worker["training"], "chief" in worker) == (20, 20, 20, False)
        whole = cluster_task.Seen(("w", "logits", "embedded"))
        one = cluster_task.model(str(tmp_path / "one"), kind, {})
        one.train(lambda: cluster_task.dataset().shuffle().repeat().batch(16), steps=1, hooks=[whole])
        for name in ("logits", "embedded"):
            own = [np.asarray(task["seen"]["steps"][0][name]) for task in (chief, worker)]
            assert [len(rows) for rows in own] == [8, 8]
            np.testing.assert_array_equal(np.concatenate(own), np.asarray(whole.steps[0][name]))


@pytest.mark.parametrize(("role", "steps"), [("chief", 12), ("worker", 13)])
def test_a_hook_ends_the_job(role: str, steps: int, tmp_path: Path) -> None:
    """A worker's is over after the step that the others need it for."""
    ended_well(start(tmp_path, "model_fn", ENDLESS, {"sync": True}, what=f"stop {role}"))
    job = cluster_task.model(str(tmp_path / "m"), "model_fn", {})
    assert job.get_variable_value("global_step") == steps
    assert variables(job) == variables(without_hooks(tmp_path, "model_fn", steps))


@pytest.mark.parametrize("role", ["chief", "worker"])
def test_what_a_hook_raises_ends_the_job(role: str, tmp_path: Path) -> None:
    """With a status that says that starting again does not help."""
    ended = end(start(tmp_path, "canned", ENDLESS, {"sync": True}, what=f"raise {role}"))
    status, _, log = ended.pop(role)
    assert status == 1 and "RuntimeError: a hook does not like this" in log
    server = ended.pop("ps")
    assert server[0] in (2, 193)  # it may see first that a task is gone
    assert {status for status, _, _ in ended.values()} == {2}, ended
    other = "worker" if role == "chief" else "chief"
    assert f"what observes the steps of {role} 0 failed" in ended[other][1] + ended[other][2]


def test_hooks_of_an_asynchronous_job(tmp_path: Path) -> None:
    ended_well(start(tmp_path, "model_fn", 40, {}, what=f"hooks {tmp_path}"))
    seen = [len(told(tmp_path, role)["seen"]["steps"]) for role in ("chief", "worker")]
    assert sum(seen) >= 40 and min(seen) > 0
    (tmp_path / "stopped").mkdir()
    ended_well(start(tmp_path / "stopped", "model_fn", ENDLESS, {}, what="stop worker"))


def test_fetches_of_a_task(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One number of all rows of a task there is where it computes them at once; of several parts it is refused."""
    ended_well(start(tmp_path, "model_fn", 5, {"sync": True, "virtual_shards": 2}, what="fetch mean"))
    assert len(told(tmp_path, "worker")["seen"]["values"]) == 5
    ended = end(start(tmp_path, "model_fn", 9, {"sync": True, "virtual_shards": 4, "start_timeout": 2}, what="fetch mean"))
    assert ended["chief"][1].startswith("UnsupportedError: ") and "'mean' is not a number for each row" in ended["chief"][1]
    cluster = {"chief": ["a:1"], "worker": ["b:1"], "ps": ["c:1"]}
    for role in ("chief", "worker"):
        monkeypatch.setenv("TF_CONFIG", json.dumps({"cluster": cluster, "task": {"type": role, "index": 0}}))
        model = cluster_task.model(str(tmp_path / "n"), "model_fn", {})
        spec = cluster_task.train_spec(1, hooks=[cluster_task.Fetch("twice")])
        with pytest.raises(errors.UnsupportedError, match="asks for 'twice', which a task of a cluster does not compute"):
            estimator.train_and_evaluate(model, spec, cluster_task.eval_spec())
        spec = cluster_task.train_spec(1, hooks=[cluster_task.Fetch("wtice")])
        with pytest.raises(errors.ModelError, match="'wtice', which is no name of the model; did you mean 'twice'"):
            estimator.train_and_evaluate(model, spec, cluster_task.eval_spec())


def test_iterators_of_tasks(tmp_path: Path) -> None:
    """Equal ones are one stream: the bits do not depend on the number of tasks. Evaluations may have some, too."""
    found = {}
    for name, roles in (("two", ALL), ("one", ("chief", "ps"))):
        (tmp_path / name).mkdir()
        strategy = {"sync": True, "virtual_shards": 4, "evaluator": name == "two"}
        ended = ended_well(start(tmp_path / name, "model_fn", 25, strategy, name == "two", "iterator", roles))
        assert "bit-exact: no, unless the streams of all tasks are equal (sync, V=4)" in ended["chief"][2]
        said = json.loads(ended["evaluator" if name == "two" else "chief"][1])
        assert said["global_step"] == 25
        found[name] = variables(cluster_task.model(str(tmp_path / name / "m"), "model_fn", {}))
    assert found["one"] == found["two"]
    alone = cluster_task.model(str(tmp_path / "alone"), "model_fn", {})
    alone.train(cluster_task.batches, steps=25)
    job = cluster_task.model(str(tmp_path / "two" / "m"), "model_fn", {})
    np.testing.assert_allclose(job.get_variable_value("w"), alone.get_variable_value("w"), rtol=1e-4)


def test_iterators_of_an_asynchronous_job(tmp_path: Path) -> None:
    """The chief's end is that of the job."""
    ended_well(start(tmp_path, "canned", ENDLESS, {}, what="iterator 30"))
    assert cluster_task.model(str(tmp_path / "m"), "canned", {}).get_variable_value("global_step") >= 30


@pytest.mark.parametrize("evaluator", [False, True])
def test_several_eval_sets(evaluator: bool, tmp_path: Path) -> None:
    strategy = {"sync": True, "evaluator": evaluator}
    ended = ended_well(start(tmp_path, "model_fn", 10, strategy, evaluator, "several"))
    found = json.loads(ended["evaluator" if evaluator else "chief"][1])
    assert found["all"]["global_step"] == found["some"]["global_step"] == 10
    assert found["all"]["accuracy"] != found["some"]["accuracy"]
    assert all(list((tmp_path / "m" / name).glob("events*")) for name in ("eval_all", "eval_some"))
    assert len(list((tmp_path / "m/export/newest").iterdir())) >= 1
    assert len(list((tmp_path / "m/export/mine").iterdir())) == 1


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
    with pytest.raises(errors.UnsupportedError, match="GlobalStepWaiterHook: .* do not begin one by one"):
        spec = cluster_task.train_spec(1, hooks=[train.GlobalStepWaiterHook(7)])
        estimator.train_and_evaluate(model, spec, cluster_task.eval_spec())
    with pytest.raises(errors.UnsupportedError, match="train_and_evaluate"):
        model.train(lambda: cluster_task.dataset().batch(8))
    with pytest.raises(errors.UnsupportedError, match="found a str; expected mlc.estimator.ParameterServerStrategy"):
        estimator.RunConfig(train_distribute="mirrored")  # type: ignore[arg-type]
