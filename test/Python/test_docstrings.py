"""What the package offers is documented: each name, each method, each argument; and the site has a page of each module."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import dataclasses
import importlib
import importlib.util
import inspect
import re
import sys
from pathlib import Path
from types import GenericAlias, ModuleType
from typing import Any

import pytest

import mlc

ROOT = Path(__file__).resolve().parents[2]

MODULES = [
    "mlc", *(f"mlc.{name}" for name in mlc.__all__ if name != "df" and importlib.util.find_spec(f"mlc.{name}")), "mlc.estimator.experimental", "mlc.estimator.export",
    "mlc.estimator.inputs", "mlc.optimizers.schedules",
]  # fmt: skip
if importlib.util.find_spec("sklearn") and importlib.util.find_spec("mlc.sklearn"):  # which needs it
    MODULES.append("mlc.sklearn")
# Places that descriptions refer to: "as of embedding_column", "See LinearClassifier".
REFERENCE = re.compile(r"(?:[Aa]s of|[Ss]ee) (?:\w+\.)*(\w+)")
CONVENTIONAL = {"x", "y", "args", "kwargs"}


def site_pages() -> ModuleType:
    """What lays out the pages of the site."""
    spec = importlib.util.spec_from_file_location("pages", ROOT / "docs" / "site" / "pages.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


PAGES = site_pages()


def public(module: ModuleType) -> dict[str, Any]:
    """Classes and functions that a module offers."""
    values = {name: getattr(module, name) for name in PAGES.public_names(module)}
    return {name: value for name, value in values.items() if callable(value) and not isinstance(value, (ModuleType, GenericAlias))}


# The first module that offers each, where several do.
OWNER: dict[int, str] = {}
for _module in MODULES:
    for _value in public(importlib.import_module(_module)).values():
        OWNER.setdefault(id(_value), _module)
EVERYTHING = {name: value for module in MODULES for name, value in public(importlib.import_module(module)).items()}


def text_of(value: Any, depth: int = 0) -> str:
    """The docstring of a name, of its bases and constructors, and of what it refers to."""
    text = inspect.getdoc(value) or ""
    if inspect.isclass(value):
        for kind in value.__mro__:
            if kind.__module__.startswith("mlc"):
                text += "\n".join(("", kind.__doc__ or "", vars(kind).get("__init__", kind).__doc__ or ""))
    if depth < 3:
        for name in REFERENCE.findall(text):
            if name in EVERYTHING and EVERYTHING[name] is not value:
                text += "\n" + text_of(EVERYTHING[name], depth + 1)
    return text


def described_fields(value: Any) -> set[str]:
    """Fields of a dataclass under which a text says what they are."""
    kinds = [kind for kind in getattr(value, "__mro__", ()) if dataclasses.is_dataclass(kind)]
    return {name for kind in kinds for name in re.findall(r'(?m)^    (\w+): .*\n    """', inspect.getsource(kind))}


@pytest.mark.parametrize("module", MODULES)
def test_names_methods_and_arguments_are_documented(module: str) -> None:
    found = importlib.import_module(module)
    assert found.__doc__
    missing = []
    for name, value in public(found).items():
        if OWNER[id(value)] != module:
            continue
        if not value.__doc__:
            missing.append(name)
        if inspect.isclass(value):
            members = [member for member in vars(value) if not member.startswith("_")]
            missing += [f"{name}.{member}" for member in members if callable(getattr(value, member)) and not inspect.getdoc(getattr(value, member))]
        text = found.__doc__ + text_of(value)
        made_elsewhere = inspect.isclass(value) and (value.__init__.__doc__ or "").startswith("See ")
        parameters = set() if made_elsewhere else set(inspect.signature(value).parameters) - CONVENTIONAL - described_fields(value)
        missing += [f"{name}({parameter})" for parameter in sorted(parameters) if not re.search(rf"\b{parameter}\b", text)]
    assert missing == []


def test_the_site_has_all_modules() -> None:
    assert set(MODULES) - {"mlc.estimator"} <= set(PAGES.MODULES)
    estimator = sys.modules["mlc.estimator"]
    names = [name for name in estimator.__all__ if not inspect.ismodule(getattr(estimator, name))]
    parts = [part for _, _, part in PAGES.ESTIMATOR_PARTS]
    assert [name for name in names if not any(re.search(part, getattr(estimator, name).__module__) for part in parts)] == []
