"""Curves of event files."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("mlc._native")

import mlc  # noqa: E402
from mlc import _events, errors, estimator  # noqa: E402
from mlc import feature_column as fc  # noqa: E402
from mlc.data import Dataset  # noqa: E402


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> list[estimator.Estimator]:
    """Two models of different rates, trained to step 60 in two parts, and evaluated."""
    x = np.linspace(-1, 1, 64)
    dataset = Dataset.from_arrays({"x": x}, (x > 0).astype(np.int64))
    found = []
    for rate in (0.01, 0.1):
        directory = tmp_path_factory.mktemp(f"rate-{rate}-")
        config = estimator.RunConfig(save_summary_steps=10, tf_random_seed=1)
        model = estimator.LinearClassifier(
            [fc.numeric_column("x")], str(directory), config=config, optimizer=mlc.optimizers.SGD(rate)
        )
        for _ in range(2):
            model.train(lambda: dataset.repeat().batch(16), steps=30)
            model.evaluate(lambda: dataset.batch(16))
            model.evaluate(lambda: dataset.batch(16), steps=1, name="part")
        found.append(model)
    return found


def test_events_are_those_that_were_evaluated(models: list[estimator.Estimator]) -> None:
    runs = _events.runs(models[0].model_dir)
    assert list(runs) == ["train", "eval", "eval_part"]
    for name, run in ((None, "eval"), ("part", "eval_part")):
        expected = models[0].metric_values("loss", name)
        assert runs[run]["loss"] == [(step, pytest.approx(value)) for step, value in expected.items()]
    steps = [step for step, _ in runs["train"]["loss"]]
    assert steps == sorted(set(steps)) and steps[-1] == 60 and steps[0] <= 1


def test_curves_lie_in_one_diagram(models: list[estimator.Estimator], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="pip install matplotlib: there are no plots without it")
    figure = mlc.plot(models)
    titles = [axes.get_title() for axes in figure.axes]
    assert titles[0] == "loss" and {"accuracy", "auc", "average_loss"} <= set(titles)
    lines = {line.get_label(): line for line in figure.axes[0].lines}
    labels = [Path(model.model_dir).name for model in models]
    assert set(lines) == {f"{label} {run}" for label in labels for run in ("train", "eval", "eval_part")}
    evaluated = lines[f"{labels[1]} eval"]
    assert list(evaluated.get_xdata()) == [30, 60]
    np.testing.assert_allclose(evaluated.get_ydata(), list(models[1].metric_values("loss").values()), rtol=1e-6)
    assert figure._repr_png_().startswith(b"\x89PNG")
    one = mlc.plot({"first": models[0].model_dir, "second": models[1]}, tags=["accuracy"])
    assert {line.get_label() for line in one.axes[0].lines} == {f"{n} {r}" for n in ("first", "second") for r in ("eval", "eval_part")}
    assert [line.get_label() for line in mlc.plot(models[0], "learning_rate").axes[0].lines] == ["train"]


def test_what_there_is_not(models: list[estimator.Estimator], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="pip install matplotlib: there are no plots without it")
    with pytest.raises(ValueError, match="tag 'acuracy'; did you mean 'accuracy'"):
        mlc.plot(models, "acuracy")
    with pytest.raises(ValueError, match="has no event files"):
        mlc.plot(tmp_path)
    with pytest.raises(ValueError, match="models is empty"):
        mlc.plot([])
    with pytest.raises(ValueError, match="twice"):
        mlc.plot([models[0], models[0]])


def _record(message: bytes) -> bytes:
    return struct.pack("<Q", len(message)) + bytes(4) + message + bytes(4)


def _event(step: int, value: float | None = None) -> bytes:
    """An Event with the number `value` as "loss"; None: the start of a session."""
    head = bytes([2 << 3, step])
    if value is None:
        return head + bytes([7 << 3 | 2, 2, 1 << 3, 1])
    scalar = bytes([1 << 3 | 2, 4]) + b"loss" + bytes([2 << 3 | 5]) + struct.pack("<f", value)
    summary = bytes([1 << 3 | 2, len(scalar)]) + scalar
    return head + bytes([5 << 3 | 2, len(summary)]) + summary


def test_a_run_that_goes_on_replaces_what_came_later(tmp_path: Path) -> None:
    first = b"".join(_record(_event(step, 1.0)) for step in (10, 20, 30))
    (tmp_path / "events.out.tfevents.0000000001.a").write_bytes(first + _record(_event(40, 1.0))[:-1])  # cut off
    second = _record(_event(20)) + _record(_event(25, 2.0))
    (tmp_path / "events.out.tfevents.0000000002.a").write_bytes(second)
    assert _events.runs(str(tmp_path)) == {"train": {"loss": [(10, 1.0), (25, 2.0)]}}


@pytest.mark.parametrize("damage", [b"\xff" * 20, bytes([2 << 3])])
def test_damaged_file_is_named(damage: bytes, tmp_path: Path) -> None:
    path: Any = tmp_path / "events.out.tfevents.0000000001.a"
    path.write_bytes(_record(damage))
    with pytest.raises(errors.DataError, match="0000000001.a: .*damaged"):
        _events.runs(str(tmp_path))
