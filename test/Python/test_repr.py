"""What Estimators show of themselves."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("mlc._native")

from mlc import _engine, _repr, estimator, optimizers  # noqa: E402
from mlc import feature_column as fc  # noqa: E402
from mlc.data import Dataset  # noqa: E402


def test_before_and_after_training(tmp_path: Path) -> None:
    directory = tmp_path / "a <model>"
    job = fc.embedding_column(fc.categorical_column_with_hash_bucket("job", 100), 8)
    model = estimator.DNNClassifier(
        [30, 10], [fc.numeric_column("x"), job], str(directory), n_classes=3, optimizer=optimizers.Adam(0.01)
    )
    assert repr(model) == f"DNNClassifier(model_dir='{directory}', no checkpoint)"
    assert "no checkpoint yet" in model._repr_html_() and "a &lt;model&gt;" in model._repr_html_()
    rows = {"x": np.linspace(-1, 1, 60), "job": ["cook"] * 60}
    dataset = Dataset.from_arrays(rows, np.arange(60) % 3)
    model.train(lambda: dataset.repeat().batch(20), steps=5)
    # Table, and three layers of a kernel and a bias.
    parameters = 100 * 8 + (9 * 30 + 30) + (30 * 10 + 10) + (10 * 3 + 3)
    state = sum(_size(*each) for each in _engine.variables(str(directory), 5).values())
    assert repr(model) == f"DNNClassifier(model_dir='{directory}', step=5, parameters={parameters}, state={state / 1024:.3g} KiB)"
    shown = model._repr_html_()
    assert f"{parameters:,} parameters" in shown
    layer = re.search(r"dnn/hiddenlayer_0</td>.*?kernel f32 \[9, 30\].*?>300<", shown)
    assert layer is not None, shown
    assert "evaluation" not in shown
    model.evaluate(lambda: dataset.batch(20), name="all")
    assert re.search(r"evaluation all at step 5: .*accuracy ", model._repr_html_())


def _size(dtype: str, shape: list[int]) -> int:
    return {"f32": 4, "i64": 8}[dtype] * int(np.prod(shape))


def test_layers_have_their_slots() -> None:
    found = _repr.layers({
        "a/kernel": ("f32", [2, 3]), "a/kernel/Adam": ("f32", [2, 3]), "a/kernel/Adam_1": ("f32", [2, 3]), "step": ("i64", []),
        "flags": ("i1", [4]),
    })  # fmt: skip
    assert [(each.name, each.parameters, each.slots, each.size) for each in found] == [
        ("a", 6, 48, 72), ("step", 0, 0, 8), ("flags", 0, 0, 4),
    ]  # fmt: skip
    assert found[0].shapes == ("kernel f32 [2, 3]",)
    assert [_repr.bytes_text(n) for n in (12, 2048, 3 << 30)] == ["12 B", "2 KiB", "3 GiB"]


def test_damaged_checkpoint_is_none_to_show(tmp_path: Path) -> None:
    model = estimator.LinearRegressor([fc.numeric_column("x")], str(tmp_path))
    model.train(lambda: Dataset.from_arrays({"x": [1.0, 2.0]}, [1.0, 2.0]).batch(2))
    next(tmp_path.glob("ckpt-*1/MANIFEST.json")).write_text("{")
    assert "no checkpoint" in repr(model)
