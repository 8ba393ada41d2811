#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `mlc spec init` writes for few rows, beside the majority class or mean and the linear model.

    benchmarks/.venv/bin/python benchmarks/quality/few_rows.py german_credit:102:wide wine:570:groups --splits 2

A case is TABLE:ROWS:KIND. ROWS training rows are drawn from those of a table that the rules of spec init are made on, and
up to 1500 others of its training rows are measured on. Kinds:

    plain   the table as it is
    rare    with a column of which most values come once, and one of 200 values that most rows lack; both are noise
    wide    with 13 numbers and 22 categories of noise, with 4 to 20000 values
    null    wide, and the labels are permuted: nothing is better than the majority
    groups  of a regression: is the label above its sixth tenth? Three numbers are categories, and some rows share a
            ticket with others of nearly the same label
"""

import argparse
import math
import os
import random
import statistics
import sys
import tempfile
import warnings
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).parent))
from init import ROOT, own_loss, peer_loss  # noqa: E402
from tables import RULES, SOURCES, Table, load  # noqa: E402


def noise(rng: random.Random, kind: str, rows: int) -> list:
    """Cells that say nothing of the label."""
    if kind == "rare":
        return [f"T{rng.randrange(int(1.5 * rows))}", "" if rng.random() < 0.77 else f"C{rng.randrange(200)}"]
    cells = ["" if rng.random() < 0.2 else str(int(math.exp(rng.gauss(2, 1.5)))) for _ in range(13)]
    # How often a value comes falls with its rank.
    return cells + [f"h{int((4, 20, 300, 20000)[k % 4] ** rng.random()) * 7919 % 0xffffff:06x}" for k in range(22)]


def grouped(rng: random.Random, table: Table, rows: list) -> tuple:
    """The names and rows of kind `groups`."""
    at = table.columns.index(table.label)
    middle = sorted(float(row[at]) for row in rows)[int(len(rows) * 0.6)]
    order = sorted(range(len(rows)), key=lambda i: (float(rows[i][at]) > middle) + rng.gauss(0, 0.5))
    ticket, place, group = {}, 0, 0
    while place < len(order):
        size = rng.choice([1, 1, 1, 1, 2, 2, 3, 4])
        for i in order[place:place + size]:
            ticket[i] = f"A{group * 7919 % 99991}"
        place, group = place + size, group + 1
    numbers = [j for j in range(len(table.columns)) if j != at][:3]
    texts = ("F", "I", "M")
    cuts = {j: sorted(float(row[j]) for row in rows if row[j] not in ("", *texts))
            for j in numbers if rows[0][j] not in texts}
    found = []
    for i, row in enumerate(rows):
        above = float(row[at]) > middle
        cells = []
        for j, cell in enumerate(row):
            if j == at:
                continue
            if j in cuts:
                cell = "abc"[sum(float(cell or 0) > cuts[j][len(cuts[j]) * third // 3] for third in (1, 2))]
            elif rng.random() < 0.1:
                cell = ""
            cells.append(cell)
        cabin = "" if rng.random() < (0.65 if above else 0.87) else f"C{rng.randrange(150)}"
        found.append([*cells, ticket[i], cabin, str(int(above))])
    return [name for j, name in enumerate(table.columns) if j != at] + ["ticket", "cabin", "y"], found


def draw(table: Table, count: int, kind: str, number: int) -> tuple:
    """A table of the kind, its rows to train on and those to measure on."""
    rng = random.Random(f"{table.name} {count} {number}")
    rows = rng.sample(table.train, min(len(table.train), count + 1500))
    cut = min(count, int(len(rows) * 0.8))
    if kind == "groups":
        names, rows = grouped(rng, table, rows)
        return Table(table.name, "y", False, names, [], []), rows[:cut], rows[cut:]
    names, at = table.columns, table.columns.index(table.label)
    if kind == "null":
        labels = [row[at] for row in rows]
        rng.shuffle(labels)
        rows = [row[:at] + [label] + row[at + 1:] for row, label in zip(rows, labels)]
    if kind != "plain":
        rows = [noise(rng, kind, count) + row for row in rows]
        names = [f"x{i}" for i in range(len(rows[0]) - len(names))] + names
    return Table(table.name, table.label, table.regression, names, [], []), rows[:cut], rows[cut:]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("case", nargs="+", help="TABLE:ROWS:KIND")
    parser.add_argument("--mlc", type=Path, default=ROOT / "build/bin/mlc")
    parser.add_argument("--data", type=Path, default=os.environ.get("MLC_TEST_DATA", ROOT / "../shared/data"))
    parser.add_argument("--splits", type=int, default=2)
    args = parser.parse_args()
    warnings.filterwarnings("ignore")
    sources = {source.name: source for source in SOURCES if source.name in RULES}
    print(f"{'case':30} {'majority':>9} {'linear':>9} {'mlc':>9}")
    for case in args.case:
        name, count, kind = case.split(":")
        if name not in sources:
            parser.error(f"{name}: rules are made on {', '.join(sources)}")
        losses = []
        for number in range(args.splits):
            table, train, test = draw(load(args.data, sources[name]), int(count), kind, number)
            task = ["--task", "regression"] if table.regression else []
            options = SimpleNamespace(mlc=args.mlc, init=task, set=[], tune=None)
            with tempfile.TemporaryDirectory() as folder:
                losses.append([peer_loss("majority", table, train, test, number),
                               peer_loss("linear", table, train, test, number),
                               own_loss(options, table, train, test, number, Path(folder))[0]])
        print(f"{case:30} " + " ".join(f"{statistics.mean(values):9.4g}" for values in zip(*losses)), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
