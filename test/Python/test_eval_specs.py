"""train_and_evaluate with several EvalSpecs, in one process and by mlc.launch."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("mlc._native")

import mlc  # noqa: E402
from mlc import estimator, train  # noqa: E402
from mlc import feature_column as fc  # noqa: E402
from mlc.data import Dataset  # noqa: E402
from mlc.estimator import EvalSpec, TrainSpec  # noqa: E402

X = np.random.default_rng(2).normal(size=60)
LABELS = (X > 0).astype(np.int64)


def rows(begin: int = 0, end: int = 60) -> Dataset:
    return Dataset.from_arrays({"x": X[begin:end]}, LABELS[begin:end]).batch(10)


def model(directory: Path) -> estimator.Estimator:
    config = estimator.RunConfig(tf_random_seed=1, save_checkpoints_steps=10)
    return estimator.LinearClassifier([fc.numeric_column("x")], str(directory), config=config)


def batches() -> Iterator[Any]:
    for begin in range(0, 60, 10):
        yield {"x": X[begin : begin + 10]}, LABELS[begin : begin + 10]


def train_spec(**arguments: Any) -> TrainSpec:
    return TrainSpec(lambda: Dataset.from_arrays({"x": X}, LABELS).shuffle().repeat().batch(10), 20, **arguments)


def test_each_has_metrics_events_and_exports(tmp_path: Path) -> None:
    """Those of the runtime, of hooks and of iterators side by side."""
    seen: list[int] = []

    class Seen(train.SessionRunHook):
        def after_run(self, run_context: Any, run_values: Any) -> None:
            seen.append(1)

    specs = {
        "first": EvalSpec(lambda: rows(0, 20), exporters=estimator.LatestExporter("a")),
        "last": EvalSpec(lambda: rows(20), hooks=[Seen()], exporters=[estimator.FinalExporter("b")]),
        "streamed": EvalSpec(batches, steps=3),
    }
    trained = model(tmp_path / "m")
    found, exports = estimator.train_and_evaluate(trained, train_spec(), specs)
    assert found is not None and list(found) == ["first", "last", "streamed"]
    for name, spec in specs.items():
        assert trained.evaluations(name)[20]["loss"] == pytest.approx(found[name]["loss"])
        assert sorted(trained.evaluations(name)) == [10, 20]
        assert found[name]["loss"] == pytest.approx(trained.evaluate(spec.input_fn, spec.steps)["loss"])
        assert list((tmp_path / f"m/eval_{name}").glob("events*"))
    assert len({metrics["loss"] for metrics in found.values()}) == 3
    assert sum(seen) >= 8
    assert {Path(path.decode()).parent.name for path in exports} == {"a", "b"}
    alone = model(tmp_path / "alone")
    estimator.train_and_evaluate(alone, train_spec(), specs["first"])
    for name in alone.get_variable_names():
        assert trained.get_variable_value(name).tobytes() == alone.get_variable_value(name).tobytes()
    # Nothing is left to train: all are evaluated.
    again, _ = estimator.train_and_evaluate(trained, train_spec(), specs)
    assert again is not None and again["last"]["loss"] == pytest.approx(found["last"]["loss"])


def test_a_list_with_one_that_has_no_name(tmp_path: Path) -> None:
    specs = [EvalSpec(rows), EvalSpec(lambda: rows(0, 20), name="some")]
    found, _ = estimator.train_and_evaluate(model(tmp_path), train_spec(), specs)
    assert found is not None and set(found) == {"", "some"}
    assert list((tmp_path / "eval").glob("events*")) and list((tmp_path / "eval_some").glob("events*"))


def test_processes_of_a_trainer_have_several(tmp_path: Path) -> None:
    specs = {"all": EvalSpec(rows), "some": EvalSpec(lambda: rows(0, 20))}
    trained = model(tmp_path)
    result = mlc.launch(trained, train_spec(), specs, virtual_shards=1)
    assert result.metrics is not None and set(result.metrics) == {"all", "some"}
    for name, spec in specs.items():
        assert result.metrics[name]["loss"] == pytest.approx(trained.evaluate(spec.input_fn)["loss"])


@pytest.mark.parametrize(
    ("specs", "kind", "text"),
    [
        ([EvalSpec(rows), EvalSpec(rows)], ValueError, "2 EvalSpecs have no name"),
        ([EvalSpec(rows, name="a"), EvalSpec(rows, name="a")], ValueError, "2 EvalSpecs have the name 'a'"),
        ({"a": EvalSpec(rows, name="b")}, ValueError, "the EvalSpec 'a' has the name 'b'"),
        ([], ValueError, "no EvalSpec"),
        ({"a": rows}, TypeError, "must have type `mlc.estimator.EvalSpec`, given <class 'function'>"),
        (
            {name: EvalSpec(rows, exporters=estimator.LatestExporter("e")) for name in "ab"}, ValueError,
            "exporters of several EvalSpecs have the name 'e'",
        ),
    ],
)  # fmt: skip
def test_what_is_refused(specs: Any, kind: type[Exception], text: str, tmp_path: Path) -> None:
    with pytest.raises(kind, match=text):
        estimator.train_and_evaluate(model(tmp_path), train_spec(), specs)
