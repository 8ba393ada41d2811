"""mlc.launch: clusters of trainers from Python, and what is left of them."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("mlc._native")

import mlc  # noqa: E402
from mlc import _engine, errors, estimator, layers, losses, metrics, ops, optimizers, train  # noqa: E402
from mlc import feature_column as fc  # noqa: E402
from mlc._job import JobOutput  # noqa: E402
from mlc._progress import Progress  # noqa: E402
from mlc.data import Dataset  # noqa: E402
from mlc.io import FixedLenFeature  # noqa: E402
from records import example, frame  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
CENSUS = ROOT / "examples/census/data"
NAMES = ["age", "workclass", "fnlwgt", "education", "education_num", "marital_status", "occupation", "relationship", "race",
         "gender", "capital_gain", "capital_loss", "hours_per_week", "native_country", "income_bracket"]


def census(model_dir: Any, **config: Any) -> estimator.Estimator:
    """A wide and deep model."""
    education = fc.categorical_column_with_hash_bucket("education", 100)
    occupation = fc.categorical_column_with_hash_bucket("occupation", 100)
    return estimator.DNNLinearCombinedClassifier(
        model_dir=str(model_dir),
        linear_feature_columns=[fc.crossed_column(["education", "occupation"], 1000)],
        dnn_feature_columns=[fc.numeric_column("age"), fc.embedding_column(occupation, 8), fc.indicator_column(education)],
        dnn_hidden_units=[16], dnn_dropout=0.1, label_vocabulary=["<=50K", ">50K"],
        config=estimator.RunConfig(tf_random_seed=5, save_summary_steps=20, log_step_count_steps=20, **config),
    )  # fmt: skip


def files(name: str, label: str | None = "income_bracket") -> Dataset:
    return Dataset.from_csv(
        CENSUS / f"adult-{name}.csv", label, column_names=NAMES, header=False, skip_initial_space=True, na_value="?"
    )


def train_spec(max_steps: int) -> estimator.TrainSpec:
    return estimator.TrainSpec(lambda: files("train").shuffle().repeat().batch(64), max_steps=max_steps)


def eval_spec(**arguments: Any) -> estimator.EvalSpec:
    return estimator.EvalSpec(lambda: files("train").batch(256), steps=4, **arguments)


def variables(model: estimator.Estimator) -> dict[str, bytes]:
    return {name: model.get_variable_value(name).tobytes() for name in model.get_variable_names()}


def processes() -> list[int]:
    """Trainers and launchers that this process started, or that lost who did."""
    found = []
    for entry in os.listdir("/proc"):
        try:
            words = Path(f"/proc/{entry}/cmdline").read_bytes().split(b"\0") if entry.isdigit() else []
        except OSError:
            continue
        if any(word.startswith(b"/") and b"/mlc-job-" in word and word.endswith(b"/trainer") for word in words):
            found.append(int(entry))
    return found


@pytest.fixture(autouse=True)
def nothing_is_left() -> Any:
    """No test leaves a process."""
    before = processes()
    yield
    assert [each for each in processes() if each not in before] == []


def one_process(model_dir: Path, steps: int) -> estimator.Estimator:
    """The model trained in one process, with as many virtual shards as a cluster has."""
    model = census(model_dir)
    dataset = files("train").shuffle().repeat().batch(64)
    columns = model._model.columns(dataset)
    data = columns.source(dataset, needs_labels=True, passes=None)
    config = model.config.run_settings() | {"shuffle": True}
    settings = [f"{'train' if name == 'shuffle' else 'run_config'}.{name}={str(value).lower()}" for name, value in config.items()]
    options = {"model_dir": str(model_dir), "batch_size": 64, "max_steps": steps, "seed": 5, "virtual_shards": 8}
    _engine.train(model._model.compiled(columns, ["train"]), options | {"settings": settings}, data, {})
    return model


def test_census_has_the_bits_of_one_process_and_goes_on(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "mlc")
    model = census(tmp_path / "m")
    result = mlc.launch(model, train_spec(20), eval_spec(), workers=3, ps=2, sync=True)
    assert (result.step, result.reason) == (20, "max_steps")
    assert result.tasks == {"chief 0": 0, "worker 0": 0, "worker 1": 0, "ps 0": 0, "ps 1": 0}
    told = {record.task: [r.getMessage() for r in caplog.records if getattr(r, "task", "") == record.task]
            for record in caplog.records if hasattr(record, "task")}  # fmt: skip
    assert set(told) == set(result.tasks)
    assert any("computes shards" in line for line in told["worker 1"])
    assert any("loss = " in line and "step = 20" in line for line in told["chief 0"])
    assert all(line.startswith(f"{task}: ") for task, lines in told.items() for line in lines)
    again = mlc.launch(model, train_spec(40), eval_spec(), workers=2, sync=True)
    assert again.step == 40
    assert any("resumed" in record.getMessage() for record in caplog.records)
    assert variables(model) == variables(one_process(tmp_path / "one", 40))
    found = model.evaluate(lambda: files("train").batch(256), steps=4)
    assert again.metrics is not None
    assert found["loss"] == pytest.approx(again.metrics["loss"])
    assert model.evaluations()[40]["loss"] == pytest.approx(found["loss"])
    rows = list(model.predict(lambda: files("test", None).batch(64)))
    assert len(rows) > 1000


def test_arrays_train_as_files_do(tmp_path: Path) -> None:
    rng = np.random.default_rng(3)
    features = {"x": rng.normal(size=200), "file": np.array(["cook", "smith", "ärztin", ""])[rng.integers(0, 4, 200)]}
    labels = (features["x"] > 0).astype(np.int64)

    def linear(name: str) -> estimator.Estimator:
        columns = [fc.numeric_column("x"), fc.categorical_column_with_hash_bucket("file", 10)]
        return estimator.LinearClassifier(columns, str(tmp_path / name), config=estimator.RunConfig(tf_random_seed=1))

    spec = estimator.TrainSpec(lambda: Dataset.from_arrays(features, labels).shuffle().repeat(2).batch(16))
    result = mlc.launch(linear("job"), spec, workers=2, sync=True, virtual_shards=2)
    assert (result.step, result.reason) == (26, "epochs")
    alone = linear("alone")
    mlc.launch(alone, spec, virtual_shards=2)
    assert variables(linear("job")) == variables(alone)
    # Nothing is left to do; what was trained is evaluated.
    whole = estimator.EvalSpec(lambda: Dataset.from_arrays(features, labels).batch(16), steps=None)
    again = mlc.launch(alone, spec, whole, virtual_shards=2)
    assert again.step == 26 and again.metrics == alone.evaluate(whole.input_fn)
    listed = linear("listed")
    rows = {"x": features["x"], "file": [[text, "baker"] for text in features["file"]]}
    with pytest.raises(errors.UnsupportedError, match="'file' has any number of values in each row.*write CSV or TFRecord"):
        mlc.launch(listed, estimator.TrainSpec(lambda: Dataset.from_arrays(rows, labels).batch(16)))


def model_fn(features: Any, labels: Any, mode: str) -> estimator.EstimatorSpec:
    logits = ops.reshape(features["x"], [-1, 1]) @ mlc.variables.get_variable("w", [1, 3])
    classes = ops.argmax(logits)
    if mode == estimator.ModeKeys.PREDICT:
        return estimator.EstimatorSpec(mode, predictions={"class": classes})
    loss = losses.sparse_softmax_cross_entropy(labels, logits)
    return estimator.EstimatorSpec(
        mode, loss=loss, train_op=train.AdamOptimizer(0.02).minimize(loss),
        eval_metric_ops={"accuracy": metrics.accuracy(labels, classes)},
    )  # fmt: skip


def test_model_fn_reads_files_of_any_form(tmp_path: Path) -> None:
    """A trainer of a traced module reads what the input_fn says: no header, other columns between, marks of missing values."""
    path = tmp_path / "rows.txt"
    path.write_text("".join(f"{i % 7};unused;{i % 3}\n" for i in range(60)) + "NONE;unused;2\n")
    dataset = Dataset.from_csv(
        path, "y", column_names=["x", "other", "y"], header=False, field_delim=";", na_value="NONE", column_defaults={"x": 0.5},
        select_columns=["x", "y"],
    )  # fmt: skip
    spec = estimator.TrainSpec(lambda: dataset.repeat(2).batch(8))
    config = estimator.RunConfig(tf_random_seed=1)
    job, alone = (estimator.Estimator(model_fn, str(tmp_path / name), config) for name in ("job", "alone"))
    result = mlc.launch(job, spec, estimator.EvalSpec(lambda: dataset.batch(16), name="all"), workers=2, sync=True, virtual_shards=2)
    assert result.step == 16
    alone.train(lambda: dataset.repeat(2).batch(8))
    for name in alone.get_variable_names():
        np.testing.assert_allclose(job.get_variable_value(name), alone.get_variable_value(name), rtol=1e-5)
    assert result.metrics is not None
    found = job.evaluate(lambda: dataset.batch(16))
    assert result.metrics["accuracy"] == pytest.approx(found["accuracy"])
    assert len(list(job.predict(lambda: dataset.batch(16)))) == 61


def test_a_step_that_is_in_no_parts_is_told_with_its_place(tmp_path: Path) -> None:
    """What depends on rows of the batch otherwise than by losses and metrics, tasks cannot share; a plain mean is a loss."""

    def whole(features: Any, labels: Any, mode: str) -> estimator.EstimatorSpec:
        spec = model_fn(features, labels, mode)
        mlc.summary.scalar("x", ops.mean(features["x"]))
        return spec

    def means(features: Any, labels: Any, mode: str) -> estimator.EstimatorSpec:
        logits = layers.dense(ops.expand_dims(features["x"], 1), 1)
        wanted = ops.cast(labels, "float32")
        loss = ops.mean(ops.square(logits[:, 0] - wanted)) + 0.5 * ops.sum(ops.abs(logits)) / 8.0
        return estimator.EstimatorSpec(mode, loss=loss, train_op=optimizers.SGD(0.1).minimize(loss))

    rows = Dataset.from_arrays({"x": np.arange(8, dtype=np.float32)}, np.arange(8) % 3)
    spec = estimator.TrainSpec(lambda: rows.batch(4))
    assert mlc.launch(estimator.Estimator(whole, str(tmp_path / "alone")), spec).step == 2
    with pytest.raises(errors.CompileError, match="(?s)test_launch.*cannot be split.*df.batch_mean alone"):
        mlc.launch(estimator.Estimator(whole, str(tmp_path / "job")), spec, ps=1)
    shared = mlc.launch(estimator.Estimator(means, str(tmp_path / "shared")), spec, ps=1)
    alone = estimator.Estimator(means, str(tmp_path / "one")).train(lambda: rows.batch(4))
    assert shared.step == 2
    found = estimator.Estimator(means, str(tmp_path / "shared"))
    for name in alone.get_variable_names():
        np.testing.assert_allclose(found.get_variable_value(name), alone.get_variable_value(name), rtol=1e-5)


def test_model_fn_reads_examples(tmp_path: Path) -> None:
    x, y = np.linspace(-1, 1, 40, dtype=np.float32), np.arange(40) % 3
    (tmp_path / "rows").write_bytes(b"".join(frame(example(x=x[i : i + 1], y=y[i : i + 1])) for i in range(40)))
    spec = {"x": FixedLenFeature([], "float32"), "y": FixedLenFeature([], "int64")}
    dataset = Dataset.from_tfrecord(tmp_path / "rows", spec, "y")
    model = estimator.Estimator(model_fn, str(tmp_path / "m"))
    result = mlc.launch(model, estimator.TrainSpec(lambda: dataset.batch(8)), estimator.EvalSpec(lambda: dataset.batch(8)), ps=1)
    assert result.step == 5 and result.metrics is not None
    assert model.evaluate(lambda: dataset.batch(8))["accuracy"] == pytest.approx(result.metrics["accuracy"])


def test_evaluator_and_exporters(tmp_path: Path) -> None:
    model = census(tmp_path / "m", save_checkpoints_steps=10)
    spec = eval_spec(exporters=estimator.LatestExporter("newest"), start_delay_secs=0, throttle_secs=0)
    result = mlc.launch(model, train_spec(20), spec, evaluator=True)
    assert result.tasks["evaluator 0"] == 0
    assert result.metrics is not None and result.metrics["global_step"] == 20
    assert result.exports and all(os.path.isdir(path) for path in result.exports)


@pytest.mark.parametrize("role", ["chief", "worker"])
def test_failure_names_task_and_error(role: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("x,y\n" + "1,0\n" * 40 + "one,1\n" * (role == "chief"))
    model = estimator.LinearClassifier([fc.numeric_column("x")], str(tmp_path / "m"))
    spec = estimator.TrainSpec(lambda: Dataset.from_csv(path, "y").repeat().batch(8), max_steps=100_000_000)
    if role == "chief":
        with pytest.raises(errors.DataError, match=r"(?s)(chief|worker) 0 ended with exit status 3.*rows.csv:42") as raised:
            mlc.launch(model, spec, workers=2, sync=True)
        assert raised.value.exit_code == 3
        return
    with kill_when_trained(tmp_path / "m", "worker", signal.SIGKILL), pytest.raises(errors.ClusterError) as raised:
        mlc.launch(model, spec, workers=2, sync=True, heartbeat=1)
    assert str(raised.value).startswith("worker 0 was killed by signal 9")
    assert (raised.value.task, raised.value.exit_code) == ("worker 0", 137)


def kill_when_trained(model_dir: Path, role: str, number: int) -> Any:
    """Sends a signal to a task, once the job has begun: a process of its own that does."""
    code = f"""
import json, os, sys, time
from pathlib import Path
while not any(Path({str(model_dir)!r}).glob("ckpt-*")): time.sleep(0.05)
time.sleep(0.3)
for entry in os.listdir("/proc"):
    try:
        words = Path(f"/proc/{{entry}}/cmdline").read_bytes() if entry.isdigit() else b""
        config = dict(w.split(b"=", 1) for w in Path(f"/proc/{{entry}}/environ").read_bytes().split(b"\\0") if b"=" in w) if words else {{}}
    except OSError:
        continue
    if {str(model_dir)!r}.encode() in words and json.loads(config.get(b"TF_CONFIG", b"{{}}")).get("task", {{}}).get("type") == {role!r}:
        os.kill(int(entry), {int(number)})
"""
    return subprocess.Popen([sys.executable, "-c", code])


SCRIPT = """
import sys
import mlc
from mlc import estimator, feature_column as fc
from mlc.data import Dataset
config = estimator.RunConfig(save_checkpoints_steps=50)
model = estimator.LinearClassifier([fc.numeric_column("x")], sys.argv[1], config=config)
spec = estimator.TrainSpec(lambda: Dataset.from_csv(sys.argv[2], "y").repeat().batch(8), max_steps=100_000_000)
print("begin", flush=True)
mlc.launch(model, spec, workers=2, sync=True)
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_job_ends_with_its_caller(number: int, tmp_path: Path) -> None:
    """Ctrl-C saves, and a caller that is killed leaves a job that saves, and no process."""
    (tmp_path / "rows.csv").write_text("x,y\n" + "1,0\n" * 40)
    caller = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(tmp_path / "m"), str(tmp_path / "rows.csv")], stdout=subprocess.PIPE,
        stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip
    wait_for(lambda: max(_engine.checkpoints(str(tmp_path / "m")), default=0) > 0)
    os.killpg(caller.pid, number)  # as a terminal does
    _, said = caller.communicate(timeout=60)
    assert caller.returncode == -number, said
    wait_for(lambda: not [pid for pid in processes() if str(tmp_path) in Path(f"/proc/{pid}/cmdline").read_text()])
    (log,) = (tmp_path / "m").glob("runs/0001/log.txt")
    assert ("interrupted" if number == signal.SIGINT else "terminated") in log.read_text()


def wait_for(condition: Any, seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.parametrize(("code", "kind", "cause"), [("E0302", errors.DataError, "worker 1"), ("E0412", errors.ClusterError, "chief 0")])
def test_an_error_that_one_task_passes_on_is_of_the_other(code: str, kind: type[Exception], cause: str, tmp_path: Path) -> None:
    output = JobOutput(census(tmp_path), None, Progress("train", "steps"))
    for task, number, text in (("worker 1", code, "record 4: 8 is out of range"), ("chief 0", "E0410", "worker 1: record 4: 8 is out of range")):
        message = {"severity": "error", "code": number, "message": text}
        output.line(task, json.dumps({"level": "error", "message": text, "details": message}))
        output.result.tasks[task] = 3
    error = output.error("chief 0", 3)
    assert (type(error), error.task, error.exit_code) == (kind, cause, 3)
    assert f"{cause} ended with exit status 3" in str(error)


def test_what_makes_no_job_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="`estimator` must have type"):
        mlc.launch(3, train_spec(1))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="`train_spec` must have type"):
        mlc.launch(census(tmp_path), 3)  # type: ignore[arg-type]
    model = census(tmp_path)
    with pytest.raises(ValueError, match="3 workers need a server"):
        mlc.launch(model, train_spec(1), workers=3, ps=0)
    with pytest.raises(ValueError, match="workers must be an integer of at least 1; found 0"):
        mlc.launch(model, train_spec(1), workers=0)
    with pytest.raises(TypeError, match="no argument 'snyc'; did you mean 'sync'"):
        mlc.launch(model, train_spec(1), snyc=True)
    with pytest.raises(ValueError, match="backup_policy must be one of redundant, drop; found 'all'"):
        mlc.launch(model, train_spec(1), backup_policy="all")
    with pytest.raises(errors.UnsupportedError, match="an iterator of batches, and processes of a trainer are without Python"):
        mlc.launch(model, estimator.TrainSpec(lambda: iter([({"age": [1.0]}, ["<=50K"])])))
    with pytest.raises(errors.UnsupportedError, match="TrainSpec has hooks, and processes of a trainer are without Python"):
        mlc.launch(model, estimator.TrainSpec(lambda: files("train").batch(8), hooks=[train.StopAtStepHook(1)]))
    with pytest.raises(ValueError, match="nothing ends the job"):
        mlc.launch(model, estimator.TrainSpec(lambda: files("train").repeat().batch(8)))
    with pytest.raises(errors.RunError, match="^error.E0601.: logs cannot be written to '/proc/"):
        mlc.launch(census("/proc/nowhere"), train_spec(1))
    other = estimator.EvalSpec(lambda: Dataset.from_csv(CENSUS / "adult-test.csv", "income_bracket", column_names=NAMES, header=False).batch(8))
    with pytest.raises(errors.UnsupportedError, match="a trainer reads all files alike"):
        mlc.launch(model, train_spec(1), other)


def test_added_metrics_are_of_this_process(tmp_path: Path) -> None:
    model = estimator.add_metrics(census(tmp_path), lambda predictions: {"mean": mlc.metrics.mean(predictions["logistic"])})
    with pytest.raises(errors.UnsupportedError, match="metrics of add_metrics are evaluated by processes of Python alone"):
        mlc.launch(model, train_spec(2), eval_spec())
    mlc.launch(model, train_spec(2))
    assert "mean" in model.evaluate(lambda: files("train").batch(500), steps=1)


def test_model_fn_with_hooks_is_refused(tmp_path: Path) -> None:
    def hooked(features: Any, labels: Any, mode: str) -> estimator.EstimatorSpec:
        return model_fn(features, labels, mode)._replace(training_hooks=[train.StopAtStepHook(1)])

    (tmp_path / "rows.csv").write_text("x,y\n" + "1.5,0\n" * 40)
    spec = estimator.TrainSpec(lambda: Dataset.from_csv(tmp_path / "rows.csv", "y").batch(8))
    with pytest.raises(errors.UnsupportedError, match="EstimatorSpec has hooks"):
        mlc.launch(estimator.Estimator(hooked, str(tmp_path / "m")), spec)
