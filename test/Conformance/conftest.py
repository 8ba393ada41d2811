"""Counts which of tf.estimator's own tests are restated here and pass."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

from mlc import _engine

OPTIMIZED = {"test_dnn_linear_combined.py", "test_heads.py", "test_layers_of_columns.py", "test_linear_regressors.py"}
"""Files whose models are compiled as users compile them. In the others LLVM does not optimize, which takes most of the
time: what a model means is decided before it."""


class Restated:
    """What a run of these tests said of the tests that they restate."""

    def __init__(self) -> None:
        self.is_complete = True
        """No test of this directory was left out of the run."""
        self.passed: dict[str, bool] = {}
        """Whether all that restate a test have passed, by its name."""


RESTATED = pytest.StashKey[Restated]()


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "restates(*tests): says what these tests of tf.estimator say")
    config.stash[RESTATED] = Restated()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    # What counts the others comes last.
    items.sort(key=lambda item: item.path.name == "test_share.py")
    config.stash[RESTATED].is_complete = all(Path(argument).is_dir() for argument in config.args)


def pytest_deselected(items: list[pytest.Item]) -> None:
    for item in items:
        item.config.stash[RESTATED].is_complete = False


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    report = yield
    passed = item.config.stash[RESTATED].passed
    for mark in item.iter_markers("restates"):
        for test in mark.args:
            passed[test] = passed.get(test, True) and report.passed
    return report


@pytest.fixture
def restated(request: pytest.FixtureRequest) -> Restated:
    """What the tests before this one said."""
    return request.config.stash[RESTATED]


@pytest.fixture(autouse=True)
def no_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test sees the TF_CONFIG of the machine."""
    monkeypatch.delenv("TF_CONFIG", raising=False)


@pytest.fixture(autouse=True)
def quick_code(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Models of this process are compiled without optimization by LLVM, but for those of OPTIMIZED."""
    if request.path.name not in OPTIMIZED:
        native = _engine.native_module()
        monkeypatch.setattr(native, "compile", functools.partial(native.compile, optimize=False))
