"""Memory of a process that evaluates again and again, and of one that goes through many models.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

import argparse
import os
import re
import tempfile
from pathlib import Path

import numpy as np

from mlc import data, estimator
from mlc import feature_column as fc

EVALUATIONS = 1000
MODELS = 300


def resident() -> int:
    """Bytes."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def compiled_code() -> tuple[int, int]:
    """Bytes of the files of compiled models that are mapped, and how many files these are."""
    size, files = 0, set()
    for line in Path("/proc/self/maps").read_text().splitlines():
        found = re.match(r"([0-9a-f]+)-([0-9a-f]+) .* (\S*llvmcache\S*)", line)
        if found:
            size += int(found[2], 16) - int(found[1], 16)
            files.add(found[3])
    return size, len(files)


def run(options: argparse.Namespace) -> None:
    """Growth by EVALUATIONS evaluations, and what MODELS models leave."""
    x = np.linspace(-1, 1, 64, dtype=np.float32)
    rows = data.Dataset.from_arrays({"x": x}, 2 * x).batch(16)
    with tempfile.TemporaryDirectory() as directory:
        model = estimator.LinearRegressor([fc.numeric_column("x")], directory)
        model.train(lambda: rows, steps=4)
        for _ in range(100):  # pools fill up
            model.evaluate(lambda: rows)
        before = resident()
        for _ in range(EVALUATIONS):
            model.evaluate(lambda: rows)
        print(f"{EVALUATIONS} evaluations: resident memory grows by {(resident() - before) / 2**20:.1f} MiB (goal: below 5)")
    begin = resident()
    for number in range(MODELS):
        with tempfile.TemporaryDirectory() as directory:
            other = estimator.DNNRegressor([number % 30 + 1, number // 30 + 1], [fc.numeric_column("x")], directory)
            other.train(lambda: rows, steps=1)
        if (number + 1) % 100 == 0:
            size, files = compiled_code()
            print(f"{number + 1} models: {files} are mapped, {size / 2**20:.1f} MiB, "
                  f"resident memory grew by {(resident() - begin) / 2**20:.1f} MiB")
