"""What tests of the Python package share: a native module that notes how it is called."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import functools
import json
import os
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from mlc import _engine


class NativeError(Exception):
    """As mlc._native has it: text, messages, exit code."""


class FakePredictions:
    """Batches, and no rows beside them."""

    def __init__(self, batches: Iterator[dict[str, Any]]) -> None:
        self._batches = batches

    def __next__(self) -> dict[str, Any]:
        return next(self._batches)

    def of(self, features: Any) -> None:
        return None


class FakeNative:
    """Stands for mlc._native: "trains" by adding a directory for a checkpoint, and keeps the arguments of each call."""

    NativeError = NativeError

    def __init__(self) -> None:
        self.calls: list[tuple[str, dict[str, Any]]] = []
        self.specs: list[str] = []
        self.failure: NativeError | None = None
        """Raised by the next call of a run."""
        self.metrics: dict[str, Any] = {"loss": 0.5, "global_step": 7}

    def last(self, verb: str) -> dict[str, Any]:
        """The arguments of the newest call of a verb."""
        return [arguments for name, arguments in self.calls if name == verb][-1]

    def version(self) -> str:
        return "1.2.3"

    def compile(self, spec: str, name: str) -> tuple[str, list[Any]]:
        if self.failure is not None:
            raise self.failure
        self.specs.append(spec)
        return f"/cache/{len(self.specs)}.so", [{"severity": "warning", "message": "a warning of the compiler"}]

    def Model(self, path: str) -> SimpleNamespace:
        return SimpleNamespace(path=path, manifest="{}", features=[])

    def Texts(self, values: list[Any]) -> SimpleNamespace:
        return SimpleNamespace(values=values)

    def Arrays(self, columns: dict[str, Any], what: str) -> SimpleNamespace:
        return SimpleNamespace(columns=columns, what=what)

    def StopToken(self) -> SimpleNamespace:
        return SimpleNamespace(requested=False)

    def _note(self, verb: str, **arguments: Any) -> None:
        if self.failure is not None:
            raise self.failure
        self.calls.append((verb, arguments))

    def train(
        self, model: Any, options: dict[str, Any], data: Any, evals: Any, sink: Any, stop: Any, observer: Any = None
    ) -> dict[str, Any]:
        self._note("train", model=model, options=options, data=data, evals=evals)
        begin = max(self.checkpoints(options["model_dir"]), default=0)
        step = begin + options["steps"] if "steps" in options else options["max_steps"]
        os.makedirs(f"{options['model_dir']}/ckpt-{step:010d}")
        sink.line(f"trained to step {step}")
        sink.progress("half of it")
        sink.event(json.dumps({"event": "step", "step": step, "loss": "Infinity", "examples_per_sec": 1234.5}))
        for name in evals:
            event = {"event": "eval", "name": name, "step": step, "metrics": {"loss": "NaN", "global_step": step}}
            sink.event(json.dumps(event))
            sink.event(json.dumps({"event": "export", "name": name, "path": f"/export/{step}"}))
        return {"step": step, "reason": "max_steps", "exit": 0}

    def evaluate(
        self, model: Any, options: dict[str, Any], data: Any, sink: Any, stop: Any, observer: Any = None,
        state: Any = None, step: int | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        self._note("evaluate", model=model, options=options, data=data)
        return self.metrics

    def predict(
        self, model: Any, options: dict[str, Any], data: Any, sink: Any, stop: Any, columns: list[Any], feed: Any = None,
        observation: Any = None,
    ) -> FakePredictions:  # fmt: skip
        self._note("predict", model=model, options=options, data=data)
        return FakePredictions(self._batches(options, data))

    def _batches(self, options: dict[str, Any], data: Any) -> Iterator[dict[str, Any]]:
        rows = len(next(iter(data.columns.values())))
        for begin in range(0, rows, options["batch_size"]):
            count = min(options["batch_size"], rows - begin)
            yield {
                "logits": np.arange(begin, begin + count, dtype=np.float32).reshape(count, 1),
                "classes": np.full((count, 1), b"1", dtype=object),
            }

    def export(self, model: Any, options: dict[str, Any], sink: Any, stop: Any, rows: Any = None) -> str:
        self._note("export", model=model, options=options)
        return f"{options['output']}/1700000000"

    def checkpoints(self, model_dir: str) -> list[int]:
        names = os.listdir(model_dir) if os.path.isdir(model_dir) else []
        return sorted(int(name.removeprefix("ckpt-")) for name in names if name.startswith("ckpt-"))

    def variables(self, model_dir: str, step: int) -> dict[str, tuple[str, list[int]]]:
        return {"linear/linear_model/bias_weights": ("f32", [1])}

    def variable(self, model_dir: str, step: int, name: str) -> np.ndarray:
        return np.full(1, step, dtype=np.float32)


@pytest.fixture
def native(monkeypatch: pytest.MonkeyPatch) -> FakeNative:
    """A native module in the place of the real one, and no model in memory."""
    fake = FakeNative()
    monkeypatch.setattr(_engine, "native_module", lambda: fake)
    monkeypatch.setattr(_engine, "_models", type(_engine._models)())
    return fake


@pytest.fixture(autouse=True)
def no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the TF_CONFIG of the machine."""
    monkeypatch.delenv("TF_CONFIG", raising=False)


QUICK = {
    "test_data_files.py", "test_data_pieces.py", "test_extenders.py", "test_growing_vocabularies.py",
    "test_heads.py", "test_heads_canned.py", "test_heads_several.py", "test_hooks_evaluation.py",
    "test_hooks_fetches.py", "test_input_layer.py", "test_layers_tensorflow.py", "test_metrics_tensorflow.py",
    "test_model_fn.py", "test_normalizers.py", "test_ops.py", "test_optimizers.py", "test_recorded_heads.py",
    "test_recorded_model_fns.py", "test_rnn.py", "test_sequence_layer.py", "test_tensorflow_checkpoints.py",
    "test_varying_sizes.py", "test_warm_start.py",
}  # fmt: skip
"""Files whose tests train many small models, which takes less time than their compilation."""


@pytest.fixture(autouse=True)
def quick_code(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Models that this process compiles for tests of QUICK are not optimized by LLVM; what they compute is the same."""
    if request.path.name in QUICK:
        real = _engine.native_module()
        monkeypatch.setattr(real, "compile", functools.partial(real.compile, optimize=False))
