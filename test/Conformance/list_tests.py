#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Lists tf.estimator's own tests of canned models, heads, metrics and feature columns in tests.tsv, beside this file.

  test/Conformance/list_tests.py ESTIMATOR TENSORFLOW

ESTIMATOR is a checkout of tensorflow/estimator at r2.15, TENSORFLOW one of tensorflow/tensorflow, of which
tensorflow/python/feature_column is read. Each line has the file, the class, the test, and "applies" or why it does not:

  session   its subject is a graph or session: placeholders, feeds, collections, the order in which ops are made
  keras     its subject is a Keras object: layers, models, their serialization
  strategy  its subject is a distribution strategy or a TPU
  device    its subject is where variables lie: devices, partitioners
  removed   it tests what tf.estimator and tf.feature_column of 2.15 do not have

Rules below decide by file, class, name, and what a test and the methods that it calls name; verdicts.tsv has what they
cannot tell. Tests are named, nothing of them is copied.
"""
from __future__ import annotations

import argparse
import ast
import csv
import fnmatch
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).resolve().parent
REASONS = ("session", "keras", "strategy", "device", "removed")

SOURCES = (
    ("estimator", "tensorflow_estimator/python/estimator", ("canned/**/*test*.py", "head/*_test.py", "extenders_test.py")),
    ("tensorflow", "tensorflow/python/feature_column", ("*_test.py",)),
)

# The first that matches "file::class::test" decides; the files come before what tests name.
PATH_RULES = (
    (r"canned/v1/", "removed"),  # tf.compat.v1.estimator
    (r"canned/head_test\.py", "removed"),  # the heads of 1.x
    (r"canned/optimizers_test\.py", "removed"),  # the optimizers of 1.x
    (r"canned/(kmeans|saved_model_estimator)_test\.py", "removed"),  # not exported by tf.estimator 2.15
    (r"canned/timeseries/", "removed"),  # of tf.contrib
    (r"canned/canned_estimator_ds_integration_test\.py", "strategy"),
    (r"canned/linear_optimizer/python/utils/", "session"),  # ops of a solver and their resources
    (r"canned/linear_model_test\.py", "keras"),  # linear.LinearModel is a Keras model
    (r"feature_column/feature_column_test\.py", "removed"),  # columns of 1.x, which no API of 2.15 makes
    (r"feature_column/serialization_test\.py", "keras"),
    (r"::\w*V1::", "removed"),
    (r"_fc_v1$", "removed"),
    (r"_serialization(_\w+)?$", "keras"),
)

# The first that matches a dotted name in a test, or in a method that it calls, decides.
NAME_RULES = (
    (r"(?i)\btpu|_tpu|strategy", "strategy"),
    (r"^fc_old\._(?!LazyBuilder)|^fc_old\.shared_", "removed"),
    (r"partitioner$", "device"),
    (r"^fc_old\.InputLayer$|^\w+\.get_config$|from_config$|^keras\b", "keras"),
    (r"placeholder|^feed_dict$|^weight_collections$|^cols_to_(vars|output_tensors)$", "session"),
)


@dataclass
class TestClass:
    """A class of a file, with the methods that it has itself."""

    name: str
    bases: list[str]
    methods: dict[str, ast.FunctionDef] = field(default_factory=dict)


def dotted(node: ast.AST) -> str:
    """The name that an expression is, as "tf.compat.v1.placeholder"; "" for others."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        head = dotted(node.value)
        return f"{head}.{node.attr}" if head else node.attr
    return ""


def classes_of(path: Path) -> dict[str, TestClass]:
    """The classes of a file by name, with the last part of the names of their bases."""
    found: dict[str, TestClass] = {}
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ClassDef):
            bases = [dotted(base).rpartition(".")[2] for base in node.bases]
            methods = {item.name: item for item in node.body if isinstance(item, ast.FunctionDef)}
            found[node.name] = TestClass(node.name, bases, methods)
    return found


def methods_of(name: str, own: dict[str, TestClass], shared: dict[str, TestClass]) -> dict[str, ast.FunctionDef]:
    """The methods of a class and of its bases, which may be those of another file."""
    known = own.get(name) or shared.get(name)
    if known is None:
        return {}
    found: dict[str, ast.FunctionDef] = {}
    for base in reversed(known.bases):
        found.update(methods_of(base, own, shared))
    found.update(known.methods)
    return found


def is_test_case(name: str, own: dict[str, TestClass], shared: dict[str, TestClass]) -> bool:
    """Whether unittest runs the class: one of its bases is TestCase."""
    known = own.get(name) or shared.get(name)
    if known is None:
        return "TestCase" in name
    return any(is_test_case(base, own, shared) for base in known.bases)


def names_in(test: str, methods: dict[str, ast.FunctionDef]) -> Iterator[str]:
    """Dotted names, and keywords of calls, in a test and the methods of its class that it calls."""
    todo, seen = [test], {test}
    while todo:
        for node in ast.walk(methods[todo.pop()]):
            if isinstance(node, ast.keyword) and node.arg:
                yield node.arg
            name = dotted(node)
            if name:
                yield name
                called = name.removeprefix("self.")
                if called in methods and called not in seen:
                    seen.add(called)
                    todo.append(called)


def read_verdicts() -> list[tuple[str, str]]:
    """(pattern of file::class::test, "applies" or a reason) of verdicts.tsv; "not yet" is for those who restate."""
    with open(HERE / "verdicts.tsv", newline="", encoding="utf-8") as file:
        rows = [row for row in csv.reader(file, delimiter="\t") if row and not row[0].startswith("#")]
    for row in rows:
        if len(row) != 3 or row[1] not in (*REASONS, "applies", "not yet") or not row[2]:
            raise SystemExit(f"verdicts.tsv: found {row}; expected a pattern, applies, not yet or a reason, and why")
    return [(pattern, verdict) for pattern, verdict, _ in rows if verdict != "not yet"]


def verdict_of(identity: str, names: list[str], verdicts: list[tuple[str, str]], used: set[str]) -> str:
    """"applies", or why a test does not."""
    for pattern, verdict in verdicts:
        if fnmatch.fnmatchcase(identity, pattern):
            used.add(pattern)
            return verdict
    for rule, reason in PATH_RULES:
        if re.search(rule, identity):
            return reason
    for rule, reason in NAME_RULES:
        if any(re.search(rule, name) for name in names):
            return reason
    return "applies"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("estimator", type=Path)
    parser.add_argument("tensorflow", type=Path)
    arguments = parser.parse_args()
    verdicts, used = read_verdicts(), set[str]()
    lines: list[tuple[str, str, str, str]] = []
    for repository, folder, patterns in SOURCES:
        root = getattr(arguments, repository) / folder
        files = sorted({path for pattern in patterns for path in root.glob(pattern)})
        if not files:
            raise SystemExit(f"{root}: found no tests")
        for path in files:
            if "testing_utils" in path.name:
                continue
            own, file = classes_of(path), str(path.relative_to(root.parent))
            shared: dict[str, TestClass] = {}
            for utility in path.parent.glob("*testing_utils*.py"):
                shared.update(classes_of(utility))
            for name in own:
                if not is_test_case(name, own, shared):
                    continue
                methods = methods_of(name, own, shared)
                for test in methods:
                    if test.startswith("test") and test != "test_session":
                        identity = f"{file}::{name}::{test}"
                        verdict = verdict_of(identity, list(names_in(test, methods)), verdicts, used)
                        lines.append((file, name, test, verdict))
    for pattern, _ in verdicts:
        if pattern not in used:
            raise SystemExit(f"verdicts.tsv: '{pattern}' matches no test")
    with open(HERE / "tests.tsv", "w", newline="", encoding="utf-8") as out:
        out.write("".join("\t".join(line) + "\n" for line in lines))
    counts = {verdict: sum(line[3] == verdict for line in lines) for verdict in ("applies", *REASONS)}
    print(f"{len(lines)} tests:", ", ".join(f"{count} {verdict}" for verdict, count in counts.items()))


if __name__ == "__main__":
    main()
