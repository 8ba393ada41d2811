#!/usr/bin/env python3
"""pages.py BUILD STAGE: lays out what Sphinx makes the site of, in the directory STAGE, which is made anew.

The pages of the repository lie there as in the repository, so that links from one to another hold. Beside them are the reference of
dialects and passes from BUILD/docs, pages of the examples, and a page of the API for each module, or part of one, from `__all__`.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import functools
import importlib
import importlib.util
import inspect
import json
import re
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]

PAGES = ("README.md", "CONTRIBUTING.md", "benchmarks/README.md", "examples/README.md", "examples/python/README.md", "docs/*.md")
LINK = re.compile(r"\]\(([^)#\s]+)")

# The parts of the module that is too long for one page: title, what it is, and which names, by the module that has them.
ESTIMATOR_PARTS = (
    ("Estimators", "mlc.estimator-estimators", r"estimator\.(estimator|canned|rnn|predictor)$"),
    ("Runs and specs", "mlc.estimator-runs", r"estimator\.(run_config|specs|training|model_fn|parsing|exporters|strategy)$"),
    ("Heads", "mlc.estimator-heads", r"estimator\.heads\b"),
    ("Hooks", "mlc.estimator-hooks", r"mlc\._hooks$|mlc\._file_hooks$|estimator\.extenders$|mlc\.errors$"),
)
MODULES = (
    "mlc", "mlc.data", "mlc.feature_column", "mlc.layers", "mlc.losses", "mlc.metrics", "mlc.ops", "mlc.optimizers", "mlc.optimizers.schedules",
    "mlc.train", "mlc.variables", "mlc.initializers", "mlc.summary", "mlc.io", "mlc.errors", "mlc.estimator.experimental",
    "mlc.estimator.export", "mlc.estimator.inputs", "mlc.sklearn", "mlc.runtime", "mlc.ray", "mlc.df",
)  # fmt: skip


def public_names(module: object) -> list[str]:
    """What a module offers: `__all__`, else the classes and functions that it defines itself."""
    names = getattr(module, "__all__", None)
    if names is not None:
        return [name for name in names if not name.startswith("__")]
    return [
        name for name, value in vars(module).items()
        if not name.startswith("_") and (inspect.isclass(value) or inspect.isfunction(value)) and value.__module__ == module.__name__
    ]  # fmt: skip


def entry(module: str, name: str, value: object) -> str:
    """The directive of one name."""
    if inspect.isclass(value):
        # What others make has no constructor to tell of.
        made_elsewhere = (value.__init__.__doc__ or "").startswith("See ")
        # Members of a base that has a place of its own are told there.
        told = [kind.__name__ for kind in value.__mro__[1:] if not kind.__module__.startswith("mlc.") or is_public(kind)]
        return (
            f".. autoclass:: {module}.{name}{'()' if made_elsewhere else ''}\n   :members:\n   :inherited-members: {', '.join(told)}\n"
            "   :show-inheritance:\n"
        )
    if callable(value):
        return f".. autofunction:: {module}.{name}\n"
    return f".. autodata:: {module}.{name}\n   :no-value:\n"


@functools.cache
def offered() -> frozenset[int]:
    """All that the modules offer, by id."""
    found = [importlib.import_module(module) for module in ("mlc.estimator", *MODULES) if is_there(module)]
    return frozenset(id(getattr(module, name)) for module in found for name in public_names(module))


def is_public(kind: type) -> bool:
    """Whether a class is on one of the pages."""
    return id(kind) in offered()


def is_there(module: str) -> bool:
    """Whether the package has this module."""
    return importlib.util.find_spec(module) is not None


def api_page(title: str, module: str, names: list[str], with_docstring: bool, seen: dict[int, str]) -> str:
    """A page: the docstring of the module, a table of what is in it, and all of it. `seen` has what pages before this one told, by id."""
    found = importlib.import_module(module)
    values = {name: getattr(found, name) for name in sorted(names, key=str.lower)}
    values = {name: value for name, value in values.items() if not inspect.ismodule(value)}
    elsewhere = [seen[id(value)] for value in values.values() if id(value) in seen]
    values = {name: value for name, value in values.items() if id(value) not in seen}
    seen |= {id(value): f"{module}.{name}" for name, value in values.items()}
    lines = [title, "=" * len(title), ""]
    if with_docstring:
        lines += [f".. automodule:: {module}", "   :no-members:", ""]
    if elsewhere:
        lines += ["Here, too: " + ", ".join(f":py:obj:`{name}`" for name in elsewhere) + ".", ""]
    if values:
        lines += [f".. currentmodule:: {module}", "", ".. autosummary::", "", *(f"   {name}" for name in values), ""]
    return "\n".join(lines + [entry(module, name, value) for name, value in values.items()])


def write_api(stage: Path) -> None:
    """Pages of all modules. Ends with an error if a name of mlc.estimator is on no page."""
    stage.mkdir(parents=True)
    estimator = importlib.import_module("mlc.estimator")
    rest = [name for name in estimator.__all__ if not inspect.ismodule(getattr(estimator, name))]
    pages = []
    seen: dict[int, str] = {}
    for title, page, pattern in ESTIMATOR_PARTS:
        names = [name for name in rest if re.search(pattern, getattr(estimator, name).__module__)]
        rest = [name for name in rest if name not in names]
        (stage / f"{page}.rst").write_text(api_page(f"mlc.estimator: {title}", "mlc.estimator", names, page.endswith("estimators"), seen))
        pages.append(page)
    if rest:
        sys.exit(f"pages.py: on no page of mlc.estimator: {', '.join(rest)}; expected a part in ESTIMATOR_PARTS")
    for module in MODULES:
        if not is_there(module):
            continue
        names = public_names(importlib.import_module(module))
        (stage / f"{module}.rst").write_text(api_page(module, module, names, True, seen))
        pages.append(module)
    (stage / "index.md").write_text(
        "# Python API\n\nGenerated from the docstrings of the package. [python.md](../docs/python.md) tells how the parts go together.\n\n"
        "```{toctree}\n:maxdepth: 1\n\n" + "\n".join(pages) + "\n```\n"
    )


def copy_pages(stage: Path) -> None:
    """The pages of the repository, and the files that they link to or show."""
    for pattern in PAGES:
        for page in sorted(ROOT.glob(pattern)):
            target = stage / page.relative_to(ROOT)
            target.parent.mkdir(parents=True, exist_ok=True)
            # A directory has no page.
            text = re.sub(r"\[([^]]*)\]\(([^)#\s:]+)\)", lambda m, page=page: m[1] if (page.parent / m[2]).is_dir() else m[0], page.read_text())
            target.write_text(text)
            for link in LINK.findall(text):
                linked = (page.parent / link).resolve()
                if not re.match(r"[a-z]+:", link) and linked.is_file() and linked.suffix != ".md":
                    copy = stage / linked.relative_to(ROOT)
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copy(linked, copy)


def write_index(stage: Path) -> None:
    """The first page; pages of docs that it does not name stand where it says OTHERS."""
    text = (HERE / "index.rst").read_text()
    others = [f"docs/{page.stem}" for page in sorted(ROOT.glob("docs/*.md")) if not re.search(rf"docs/{page.stem}\b(?!-)", text)]
    (stage / "index.rst").write_text(text.replace("   OTHERS\n", "".join(f"   {page}\n" for page in others)))


def copy_reference(build: Path, stage: Path) -> None:
    """The generated reference of dialects and passes."""
    for kind in ("dialects", "passes"):
        (stage / kind).mkdir(parents=True)
        pages = sorted((build / "docs" / kind).glob("*.md"))
        if not pages:
            sys.exit(f"pages.py: no page in {build / 'docs' / kind}; expected those that the target mlc-doc makes")
        for page in pages:
            text = re.sub(r"(?m)^\[TOC\]\n|^ {4}(?=Example: )", "", page.read_text())
            if not re.search(r"^# ", text, re.MULTILINE):  # passes begin with the first of them
                text = f"# Passes: {page.stem}\n\n" + re.sub(r"^(#+) ", r"\1 ", text, flags=re.MULTILINE)
            (stage / kind / page.name).write_text(text)
        names = "\n".join(f"{kind}/{page.stem}" for page in pages)
        title = {"dialects": "Dialects", "passes": "Passes"}[kind]
        (stage / f"{kind}.md").write_text(f"# {title}\n\nGenerated from the definitions in TableGen.\n\n```{{toctree}}\n:maxdepth: 1\n\n{names}\n```\n")


def notebook_page(path: Path) -> str:
    """A notebook as Markdown: its texts, its code, and what the code printed when it was last run."""
    parts = []
    for cell in json.loads(path.read_text())["cells"]:
        text = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(text)
            continue
        parts.append(f"```python\n{text}\n```")
        for output in cell.get("outputs", []):
            printed = "".join(output.get("text", output.get("data", {}).get("text/plain", [])))
            if printed:
                parts.append(f"```text\n{printed.rstrip()}\n```")
    return "\n\n".join(parts) + "\n"


def write_examples(stage: Path) -> None:
    """A page for each script and notebook of examples/python."""
    pages = []
    for path in sorted((ROOT / "examples/python").glob("*.py")):
        shutil.copy(path, stage / path.name)
        (stage / f"{path.stem}.md").write_text(f"# {path.name}\n\n```{{literalinclude}} {path.name}\n:language: python\n```\n")
        pages.append(path.stem)
    for path in sorted((ROOT / "examples/python").glob("*.ipynb")):
        (stage / f"{path.stem}.md").write_text(notebook_page(path))
        pages.append(path.stem)
    readme = stage / "README.md"
    readme.write_text(readme.read_text() + "\n```{toctree}\n:hidden:\n:maxdepth: 1\n\n" + "\n".join(pages) + "\n```\n")


def main() -> None:
    if len(sys.argv) != 3:
        sys.exit("usage: pages.py BUILD STAGE")
    build, stage = Path(sys.argv[1]), Path(sys.argv[2])
    shutil.rmtree(stage, ignore_errors=True)
    stage.mkdir(parents=True)
    write_index(stage)
    copy_pages(stage)
    copy_reference(build, stage / "reference")
    write_examples(stage / "examples/python")
    write_api(stage / "api")


if __name__ == "__main__":
    main()
