"""The examples of docs/python.md run as they stand there, one after the other."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

pytest.importorskip("mlc._native")

ROOT = Path(__file__).resolve().parents[2]


def test_python_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (ROOT / "docs" / "python.md").read_text()
    blocks = re.findall(r"<!-- tested -->\n```python\n(.*?)```", page, re.DOTALL)
    assert len(blocks) >= 2
    os.symlink(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks:
        exec(compile(block, "docs/python.md", "exec"), names)
