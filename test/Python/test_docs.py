"""The pages on Python: their examples run as they stand there, one after the other. Links of all pages lead somewhere."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import importlib.util
import operator
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import mlc

ROOT = Path(__file__).resolve().parents[2]


def script(name: str) -> ModuleType:
    """One of tools/scripts as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / "scripts" / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PAGES = sorted(page.stem for page in ROOT.glob("docs/*.md") if "<!-- tested -->\n```python\n" in page.read_text())
# What a page needs beyond what the package needs.
NEEDS = {"scikit-learn": "sklearn", "watching": "matplotlib"}


@pytest.mark.parametrize("page", PAGES)
def test_page(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    """Blocks of Python share their names; those of the shell find `python` to be this one. What a page shows as output was printed."""
    pytest.importorskip("mlc._native")
    pytest.importorskip(NEEDS.get(page, "numpy"))
    commands = script("run_doc_commands")
    text = (ROOT / "docs" / f"{page}.md").read_text().splitlines()
    os.symlink(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    names: dict[str, object] = {}
    printed = ""
    for kind, language, number, lines in commands.blocks(text):
        if kind == "output":
            commands.check_output(f"docs/{page}.md", number, lines, printed.splitlines())
            continue
        capfd.readouterr()
        if language == "sh":
            subprocess.run(["bash", "-euo", "pipefail", "-c", "\n".join(lines)], check=True)
        else:
            exec(compile("\n" * (number - 1) + "\n".join(lines), f"docs/{page}.md", "exec"), names)
        printed = capfd.readouterr().out
    mlc.progress(False)


# Elsewhere such words are settings of specs.
@pytest.mark.parametrize("page", [page for page in PAGES if page != "cluster"])
def test_names_are_there(page: str) -> None:
    """`mlc.losses.x`, `layers.x` and so on outside of blocks are names of the package."""
    modules = "|".join(name for name in mlc.__all__ if name != "__version__")
    text = re.sub(r"```.*?```", "", (ROOT / "docs" / f"{page}.md").read_text(), flags=re.DOTALL)
    missing = []
    for name in sorted(set(re.findall(rf"`(?:mlc\.)?((?:{modules})\.[\w.]+)", text))):
        try:
            operator.attrgetter(name)(mlc)
        except AttributeError as error:
            missing.append(str(error))
    assert missing == []


def test_pages_are_found() -> None:
    assert {"python", "python-tutorial", "coming-from-tf-estimator", "coming-from-sklearn-keras"} <= set(PAGES)


def test_links_lead_somewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    lint = script("lint")
    errors: list[str] = []
    for page in sorted([*ROOT.glob("docs/*.md"), *ROOT.glob("*.md"), ROOT / "examples/python/README.md"]):
        lint.check_docs(os.path.relpath(page), page.read_text().splitlines(), errors)
    assert errors == []
