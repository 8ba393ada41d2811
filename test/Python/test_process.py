"""mlc beside what else a process does: other threads, forks, memory, generators, the command."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("mlc._native")

from mlc import _engine, data, errors, estimator, feature_column  # noqa: E402


def line(model_dir: Any) -> estimator.Estimator:
    """y = 2 x + 1, of one column."""
    return estimator.LinearRegressor([feature_column.numeric_column("x")], str(model_dir))


def rows(count: int = 64) -> tuple[dict[str, np.ndarray], np.ndarray]:
    x = np.linspace(-1, 1, count, dtype=np.float32)
    return {"x": x}, 2 * x + 1


def batches(size: int = 16, passes: int = 4) -> Iterator[tuple[dict[str, np.ndarray], np.ndarray]]:
    features, labels = rows()
    for _ in range(passes):
        for begin in range(0, len(labels), size):
            yield {"x": features["x"][begin : begin + size]}, labels[begin : begin + size]


def test_generator_trains_the_bits_of_its_rows(tmp_path: Path) -> None:
    streamed, whole = line(tmp_path / "s"), line(tmp_path / "w")
    streamed.train(batches)
    whole.train(lambda: data.Dataset.from_arrays(*rows()).repeat(4).batch(16))
    assert streamed.latest_checkpoint() is not None
    for name in whole.get_variable_names():
        np.testing.assert_array_equal(streamed.get_variable_value(name), whole.get_variable_value(name))
    once = lambda: batches(passes=1)  # noqa: E731
    expected = whole.evaluate(lambda: data.Dataset.from_arrays(*rows()).batch(16))
    assert streamed.evaluate(once) == expected
    predictions = np.stack([p["predictions"] for p in streamed.predict(once)])
    assert predictions.shape == (64, 1)
    # As in TensorFlow, the next call begins with the first batch.
    streamed.train(batches, steps=3)
    assert streamed.get_variable_value("global_step") == 19


def test_generator_runs_in_the_thread_of_the_caller_and_no_further_than_needed(tmp_path: Path) -> None:
    asked: list[int] = []

    def input_fn() -> Iterator[Any]:
        for batch in batches(passes=1000):
            asked.append(threading.get_ident())
            yield batch

    line(tmp_path).train(input_fn, steps=7)
    assert set(asked) == {threading.get_ident()}
    assert len(asked) == 7


def test_generator_that_raises(tmp_path: Path) -> None:
    class SensorError(Exception):
        pass

    def input_fn() -> Iterator[Any]:
        yield from batches(passes=1)
        raise SensorError("no signal")

    with pytest.raises(SensorError, match="no signal"):
        line(tmp_path).train(input_fn)


def test_bad_batch_is_named(tmp_path: Path) -> None:
    def input_fn() -> Iterator[Any]:
        yield from batches(passes=1)
        yield {"x": ["one", "two"]}, [1.0, 2.0]

    with pytest.raises(errors.DataError, match="batch 5 of the input: .*'x'"):
        line(tmp_path).train(input_fn)
    with pytest.raises(errors.DataError, match="no batch"):
        line(tmp_path).train(lambda: iter(()))


def test_two_threads_train_at_once(tmp_path: Path) -> None:
    def train(name: str) -> None:
        line(tmp_path / name).train(lambda: data.Dataset.from_arrays(*rows()).repeat(50).batch(8))

    threads = [threading.Thread(target=train, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    a, b = line(tmp_path / "a"), line(tmp_path / "b")
    assert a.get_variable_value("global_step") == 400
    for name in a.get_variable_names():
        np.testing.assert_array_equal(a.get_variable_value(name), b.get_variable_value(name))


def run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, timeout=120)


def test_importing_starts_nothing() -> None:
    code = "import os, numpy; before = len(os.listdir('/proc/self/task')); import mlc; mlc.estimator, mlc._engine.version()"
    result = run(code + "; print(len(os.listdir('/proc/self/task')) - before)")  # numpy has threads of its own
    assert result.stdout.split() == ["0"], result.stderr


def test_importing_loads_what_is_needed() -> None:
    """Of what takes long: lists of installed packages, what traces models, and what says what was meant."""
    code = """
import sys, numpy
before = set(sys.modules)
import mlc
from mlc import data, estimator, feature_column
slow = {"importlib.metadata", "difflib", "tempfile", "mlc.variables", "mlc.initializers", "mlc.ops", "mlc.df"}
print(sorted(slow & (set(sys.modules) - before)), "mlc._columns" in sys.modules)
"""
    assert run(code).stdout == "[] True\n"


def test_forked_child_is_told_to_spawn(tmp_path: Path) -> None:
    code = """
import os, sys
sys.path.insert(0, sys.argv[2])
from test_process import line, rows
from mlc import data
model = line(sys.argv[1])
train = lambda: model.train(lambda: data.Dataset.from_arrays(*rows()).batch(8), steps=1)
train()
child = os.fork()
if child == 0:
    try:
        train()
    except RuntimeError as error:
        print(error, flush=True)
    os._exit(0)
os.waitpid(child, 0)
"""
    result = run(code, str(tmp_path), os.path.dirname(__file__))
    assert "spawn" in result.stdout, result.stderr


BEGIN = """
import logging, os, sys, threading, time
sys.path.insert(0, sys.argv[2])
from test_process import batches, line, rows
from mlc import data, runtime

model = line(sys.argv[1])
dataset = lambda: data.Dataset.from_arrays(*rows()).batch(8)
model.train(dataset, steps=1)
"""


@pytest.mark.parametrize(
    "kept",
    [
        "predict = model.predictor()",
        "predict = model.predict(lambda: rows()[0]); next(predict)",
        "predict = runtime.load(model.export_saved_model(sys.argv[1] + '/export'), threads=2)",
    ],
    ids=["predictor", "predict", "runtime"],
)
def test_a_forked_child_may_let_go_of_predictors_and_end(kept: str, tmp_path: Path) -> None:
    """Their threads are not there to be waited for. What is asked of them is told to spawn."""
    code = BEGIN + kept + """
child = os.fork()
if child == 0:
    try:
        predict(rows()[0]) if callable(predict) else list(predict)
    except RuntimeError as error:
        print("spawn" in str(error), flush=True)
    del predict, model
    sys.exit(3)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    result = run(code, str(tmp_path), os.path.dirname(__file__))
    assert result.stdout.split() == ["True", "3"], result.stderr


FOREVER = "lambda: iter(lambda: rows(), None)"  # an iterator without end


@pytest.mark.parametrize(
    "work",
    [
        "model.train(lambda: data.Dataset.from_arrays(*rows()).repeat().batch(8))",
        f"model.train({FOREVER})",
        f"model.evaluate({FOREVER})",
        f"[None for _ in model.predict({FOREVER.replace('rows()', 'rows()[0]')})]",
        "predict = model.predictor()\nwhile True: predict(rows()[0])",
        "while True: model.evaluate(dataset)",
    ],
    ids=["train", "train of an iterator", "evaluate", "predict", "predictor", "evaluate again and again"],
)
def test_the_interpreter_ends_while_daemon_threads_work(work: str, tmp_path: Path) -> None:
    code = BEGIN + f"""
logging.disable()

def work():
    started.set()
    exec({work!r}, globals())

started = threading.Event()
threading.Thread(target=work, daemon=True).start()
started.wait()
time.sleep(0.3)
"""
    result = run(code, str(tmp_path), os.path.dirname(__file__))
    assert (result.returncode, result.stderr) == (0, "")
    if "train(" in work:
        assert line(tmp_path).get_variable_value("global_step") > 1  # it saved


def test_evaluations_leave_no_memory_behind(tmp_path: Path) -> None:
    model = line(tmp_path)
    dataset = data.Dataset.from_arrays(*rows()).batch(16)
    model.train(lambda: dataset, steps=4)
    for _ in range(100):  # pools fill up
        model.evaluate(lambda: dataset)
    before = resident()
    for _ in range(300):
        model.evaluate(lambda: dataset)
    assert resident() - before < 2 << 20


def test_a_cache_that_cannot_be_written_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    monkeypatch.setattr(_engine, "_models", type(_engine._models)())
    model = line(tmp_path / "m")
    model.train(lambda: data.Dataset.from_arrays(*rows()).batch(16), steps=3)
    assert model.predictor()(rows()[0])["predictions"].shape == (64, 1)
    assert "cannot make the directory of the cache" in caplog.text
    assert "models are kept in memory alone" in caplog.text
    assert len(_engine.library_bytes(model.to_spec())) > 1000
    assert list((tmp_path / "tmp").iterdir()) == []


def mapped_code() -> set[str]:
    """Files of compiled models that this process has mapped."""
    lines = Path("/proc/self/maps").read_text().splitlines()
    return {line.split()[-1] for line in lines if "llvmcache" in line}


def test_code_of_models_that_are_gone_is_unmapped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_engine, "_models", type(_engine._models)())
    monkeypatch.setattr(_engine, "_MODELS_KEPT", 3)
    before, seen = mapped_code(), set()
    for units in range(1, 9):
        column = feature_column.numeric_column("x")
        model = estimator.DNNRegressor([units, 7], [column], str(tmp_path / str(units)))
        model.train(lambda: data.Dataset.from_arrays(*rows()).batch(8), steps=1)
        predict = model.predictor()
        seen |= mapped_code() - before
        predict(rows()[0])
        with pytest.raises(errors.DataError):
            predict({"x": ["one"]})
        del model, predict
        assert len(mapped_code() - before) <= 3
    assert len(seen) == 8


def resident() -> int:
    """Resident bytes of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def test_events_of_evaluations(tmp_path: Path) -> None:
    model = line(tmp_path)
    dataset = data.Dataset.from_arrays(*rows()).batch(16)
    model.train(lambda: dataset, steps=4)
    model.evaluate(lambda: dataset)
    model.evaluate(lambda: dataset, name="night")
    for name in ("eval", "eval_night"):
        assert list((tmp_path / name).glob("events.out.tfevents.*")), name


def test_python_m_mlc() -> None:
    result = subprocess.run([sys.executable, "-m", "mlc", "--version"], capture_output=True, text=True, timeout=60)
    assert result.returncode == 0, result.stderr
    assert result.stdout.startswith("mlc 0.")
    result = subprocess.run([sys.executable, "-m", "mlc", "trian"], capture_output=True, text=True, timeout=60)
    assert result.returncode == 2
    assert "train" in result.stderr


def test_sink_that_raises_ends_the_run(tmp_path: Path) -> None:
    """Also where the run waits for a batch at the same time."""
    from mlc import _native

    model = line(tmp_path)
    path, _ = _native.compile(model.to_spec())
    given = batches(passes=1000)

    class Sink:
        def line(self, text: str) -> None:
            raise OSError("the pipe is closed")

        def progress(self, text: str) -> None: ...
        def event(self, text: str) -> None: ...
        def message(self, message: dict[str, Any]) -> None: ...

    def next_batch() -> _native.Arrays:
        features, labels = next(given)
        return _native.Arrays({**features, "label": labels}, "rows")

    options = {"model_dir": str(tmp_path / "m"), "steps": 50}
    stream = _native.Stream(next_batch, "rows")
    with pytest.raises(OSError, match="the pipe is closed"):
        _native.train(_native.Model(path), options, stream, {}, Sink(), _native.StopToken())


def test_package_of_another_distribution_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from mlc import _clash

    def install(name: str, *files: str) -> None:
        record = tmp_path / f"{name.replace('-', '_')}-1.0.dist-info"
        record.mkdir()
        (record / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n")
        (record / "RECORD").write_text("".join(f"{file},,\n" for file in files))
        for file in files:
            (tmp_path / file).parent.mkdir(exist_ok=True)
            (tmp_path / file).touch()

    monkeypatch.syspath_prepend(tmp_path)
    install(_clash.DISTRIBUTION, "mlc/__init__.py", "mlc/data.py")
    _clash.check(str(tmp_path / "mlc"))
    install("other-mlc", "mlc/__init__.py", "mlc/chat.py")
    with pytest.raises(ImportError, match="other-mlc and mlc-estimator"):
        _clash.check(str(tmp_path / "mlc"))
