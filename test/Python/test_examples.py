"""The scripts and notebooks of examples/python run, each in a process of its own, and check what they learn."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("mlc._native")

ROOT = Path(__file__).resolve().parents[2]
DIRECTORY = ROOT / "examples" / "python"

# What is not in the repository: the folder of MLC_TEST_DATA that a script is given.
DATA = {"mnist_conv.py": "mnist", "sentiment_rnn.py": "sst_binary"}


def run(arguments: list[str], directory: Path) -> str:
    """What a process prints; it fails the test where it fails."""
    environment = {**os.environ, "TMPDIR": str(directory), "XDG_CACHE_HOME": str(directory / "cache")}
    done = subprocess.run([sys.executable, *arguments], cwd=directory, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("name", sorted(path.name for path in DIRECTORY.glob("*.py")))
def test_script(name: str, tmp_path: Path) -> None:
    arguments = [str(DIRECTORY / name)]
    if name in DATA:
        data = Path(os.environ.get("MLC_TEST_DATA", ROOT.parent / "shared" / "data")) / DATA[name]
        if not data.is_dir():
            pytest.skip(f"no {data}: MLC_TEST_DATA names the directory of the test data")
        arguments.append(str(data))
    if name == "sklearn_pipeline.py":
        pytest.importorskip("sklearn")
    assert len(run(arguments, tmp_path).splitlines()) >= 2


@pytest.mark.parametrize("name", sorted(path.name for path in DIRECTORY.glob("*.ipynb")))
def test_notebook(name: str, tmp_path: Path) -> None:
    """The code of its cells, in their order; what the notebook has as its output is what they print."""
    os.symlink(ROOT / "examples", tmp_path / "examples")
    cells = [cell for cell in json.loads((DIRECTORY / name).read_text())["cells"] if cell["cell_type"] == "code"]
    assert cells
    (tmp_path / "notebook.py").write_text("\n\n".join("".join(cell["source"]) for cell in cells))
    printed = run(["notebook.py"], tmp_path)
    assert printed


def test_each_is_in_the_table() -> None:
    table = (DIRECTORY / "README.md").read_text()
    missing = [path.name for path in DIRECTORY.iterdir() if path.suffix in (".py", ".ipynb") and f"]({path.name})" not in table]
    assert missing == []
