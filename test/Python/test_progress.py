"""mlc.progress: a line where somebody looks, and nothing elsewhere."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import json
import logging
import os
import pty
import re
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

pytest.importorskip("mlc._native")

import mlc  # noqa: E402
from mlc import _job, _progress, estimator  # noqa: E402
from mlc import feature_column as fc  # noqa: E402
from mlc.data import Dataset  # noqa: E402

SCRIPT = """
import sys
import time
import numpy as np
import mlc
if sys.argv[2] == "on":
    mlc.progress()
x = np.linspace(-1, 1, 600_000)
model = mlc.estimator.DNNRegressor([64, 64], [mlc.feature_column.numeric_column("x")], sys.argv[1])
dataset = mlc.data.Dataset.from_arrays({"x": x}, 2 * x)
def slowly():
    for _ in range(30):
        time.sleep(0.03)  # that the line is drawn before the end, however fast a step is
        yield {"x": x[:100]}, 2 * x[:100]
model.train(slowly, steps=30)
model.evaluate(lambda: dataset.batch(20))
for row in model.predict(lambda: mlc.data.Dataset.from_arrays({"x": x[:60_000]}).batch(1000)):
    pass
"""


def on_a_terminal(*arguments: str) -> str:
    """What a program shows on a terminal."""
    leader, follower = pty.openpty()
    termios.tcsetwinsize(follower, (24, 120))
    task = subprocess.Popen([sys.executable, "-c", SCRIPT, *arguments], stdout=follower, stderr=follower)
    os.close(follower)
    shown = b""
    try:
        while data := os.read(leader, 1 << 16):
            shown += data
    except OSError:  # its other end is closed
        pass
    assert task.wait(timeout=60) == 0, shown
    os.close(leader)
    return shown.decode()


def test_terminal(tmp_path: Path) -> None:
    pytest.importorskip("tqdm", reason="pip install tqdm: lines of terminals are its")
    shown = on_a_terminal(str(tmp_path / "m"), "on")
    assert re.search(r"train: 100%.* 30/30 \[.*steps/s.*loss [0-9.e-]+\]", shown), shown
    assert re.search(r"train: +[1-9][0-9]?%.*<", shown), shown  # with the time that is left
    assert re.search(r"evaluate: .*600000 \[.*rows/s", shown), shown
    assert re.search(r"predict: 100%.* 60000/60000", shown), shown


def test_nothing_without_being_asked_or_where_nobody_looks(tmp_path: Path) -> None:
    assert on_a_terminal(str(tmp_path / "a"), "off") == ""
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(tmp_path / "b"), "on"], capture_output=True, text=True, timeout=60)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.fixture
def notebook(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """A notebook that notes what it shows."""
    shown: list[str] = []

    class Handle:
        def update(self, content: str) -> None:
            shown.append(content)

    def display(content: str, display_id: bool) -> Handle:
        shown.append(content)
        return Handle()

    shell = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))
    monkeypatch.setitem(sys.modules, "IPython.display", SimpleNamespace(HTML=str, display=display))
    mlc.progress()
    yield shown
    mlc.progress(False)


def test_notebook(tmp_path: Path, notebook: list[str]) -> None:
    model = estimator.LinearRegressor([fc.numeric_column("x")], str(tmp_path))
    rows = {"x": [float(i) for i in range(64)]}

    def slowly() -> Iterator[Any]:
        for _ in range(30):
            time.sleep(0.03)
            yield rows, rows["x"]

    model.train(slowly, steps=30)
    assert "<b>train</b>" in notebook[0] and "left" in "".join(notebook)
    assert re.search(r"max='30'.*30 / 30 steps.*loss .*in [0-9]", notebook[-1])
    count = len(notebook)
    list(model.predict(lambda: Dataset.from_arrays(rows).batch(8)))
    assert re.search(r"predict.*64 / 64 rows", notebook[-1])
    mlc.progress(False)
    list(model.predict(lambda: Dataset.from_arrays(rows).batch(8)))
    assert len(notebook) == count + 2 or "predict" in notebook[-1]


def test_one_line_at_a_time(notebook: list[str]) -> None:
    """Of two runs in two threads the second shows nothing."""
    with _progress.Progress("train", "steps") as first, _progress.Progress("other", "steps") as second:
        first.at(1, 2)
        thread = threading.Thread(target=lambda: second.at(1, 2))
        thread.start()
        thread.join()
    assert not any("other" in each for each in notebook)
    with _progress.Progress("other", "steps") as again:
        again.at(1, 2)
    assert "other" in notebook[-1]


def test_line_of_a_job(notebook: list[str], caplog: pytest.LogCaptureFixture) -> None:
    """It is the chief's, whose lines of progress are no news for the log."""
    caplog.set_level(logging.INFO, "mlc")
    assert _job.environment()["MLC_PROGRESS_SECONDS"] == "1"
    told = json.dumps({"level": "info", "message": "step 100/2000  5 %  loss 0.3  12.0 k examples/s  2 tasks"})
    with _progress.Progress("train", "steps") as shown:
        output = _job.JobOutput(None, None, shown)  # type: ignore[arg-type]  # no evaluation comes
        output.line("worker 0", told)
        assert not notebook and len(caplog.records) == 1
        output.line("chief 0", told)
        assert "100 / 2,000 steps &nbsp;loss 0.3" in notebook[-1] and len(caplog.records) == 1
        output.line("chief 0", json.dumps({"event": "done", "step": 2000, "reason": "max_steps"}))
    assert "2,000 / 2,000 steps" in notebook[-1]
    mlc.progress(False)
    assert "MLC_PROGRESS_SECONDS" not in _job.environment()


def test_missing_tqdm_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_progress, "_place", lambda: "terminal")
    monkeypatch.setitem(sys.modules, "tqdm", None)
    with pytest.raises(ImportError, match="pip install tqdm"):
        mlc.progress()


def test_clock() -> None:
    times: list[Any] = [_progress.clock(seconds) for seconds in (0.4, 12, 59.6, 3723)]
    assert times == ["0.4 s", "0:12", "1:00", "1:02:03"]
