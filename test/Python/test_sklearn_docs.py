"""The examples of docs/scikit-learn.md run as they stand there, one after the other."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

pytest.importorskip("mlc._native")
pytest.importorskip("sklearn", reason="scikit-learn, on which mlc.sklearn stands, is not installed")

ROOT = Path(__file__).resolve().parents[2]


def test_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "scikit-learn.md").read_text()
    blocks = re.findall(r"<!-- tested -->\n```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) >= 4
    os.symlink(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "docs/scikit-learn.md", "exec"), names)
