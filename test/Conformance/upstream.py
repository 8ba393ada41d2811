"""tf.estimator's own tests, by name: which apply, and the marks of those that say the same here."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import csv
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).resolve().parent


def _lines(name: str) -> list[list[str]]:
    with open(HERE / name, newline="", encoding="utf-8") as file:
        return [line for line in csv.reader(file, delimiter="\t") if line and not line[0].startswith("#")]


def verdicts() -> dict[str, str]:
    """"applies", or why not, of each test "file::class::test", as list_tests.py found it."""
    return {"::".join(line[:3]): line[3] for line in _lines("tests.tsv")}


def not_yet() -> dict[str, str]:
    """Patterns of tests that apply and that nothing here restates, with what is missing."""
    return {line[0]: line[2] for line in _lines("verdicts.tsv") if line[1] == "not yet"}


def restates(*tests: str) -> pytest.MarkDecorator:
    """The mark of a test that says what these tests "file::class::test" say."""
    return pytest.mark.restates(*tests)


@dataclass(frozen=True)
class Kind:
    """A class of Estimators, and the tests that it has there: of a file, in classes named by a group."""

    name: str
    file: str
    classes: str
    """With "{}" in the place of the group."""
    make: Callable[..., Any]
    """Makes an Estimator."""

    def test(self, group: str, test: str) -> str:
        """The name of a test."""
        return f"{self.file}::{self.classes.format(group)}::{test}"


Block = tuple[Iterable[Kind], str, Mapping[str, Any]]
"""Kinds, a group, and for each test of it what the kinds are given."""


def cases(*blocks: Block) -> pytest.MarkDecorator:
    """Parameters `kind` and `case` for each kind and each row of a table by the names of the tests that say it."""
    return pytest.mark.parametrize(
        ("kind", "case"),
        [
            pytest.param(kind, case, id=f"{kind.name}-{test}", marks=restates(kind.test(group, test)))
            for kinds, group, table in blocks
            for kind in kinds
            for test, case in table.items()
        ],
    )
