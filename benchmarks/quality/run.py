#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trains each data set by its specs over several seeds and prints a table of what they reach.

    benchmarks/quality/run.py                        all sets, 5 seeds, on the test rows
    benchmarks/quality/run.py --only wine --kind dnn --on valid --set model.dnn.dropout=0.1

A kind is the name of a spec in examples/NAME, or `init`: what `mlc spec init` writes for the train rows, unedited. With
`--on valid` the train rows are cut again: that is where hyper-parameters are chosen. A figure passes if the mean is at
or above the known result less one standard error of the test rows; for `init` within 0.01 (3 % of an rmse) of the linear
one.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Optional

sys.path.insert(0, str(Path(__file__).parent))
from datasets import DATA_SETS, cut  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]


def call(command: list, environment: Optional[dict] = None) -> str:
    """Standard output of a command; its messages and an exception if it fails."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True,
                          env={**os.environ, **(environment or {})})
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def spec_of(mlc: Path, item, kind: str, parts: dict, train: str, folder: Path) -> Path:
    """The spec of a kind of model: an example's, or what `spec init` makes of the rows."""
    if kind != "init":
        return ROOT / "examples" / item.name / f"{kind}.pbtxt"
    spec = folder / "init.pbtxt"
    names = ["--names", ",".join(item.names)] if item.names else []
    call([mlc, "spec", "init", parts[train], "--label", item.label, *names, *item.init, "-o", spec, "--force"])
    return spec


def measure(mlc: Path, item, kind: str, args, parts: dict, folder: Path) -> list:
    """The metrics of each seed."""
    train, test = ("fit", "valid") if args.on == "valid" else ("train", "test")
    trainer = folder / f"{item.name}-{kind}"
    spec = spec_of(mlc, item, kind, parts, train, folder)
    overrides = [word for change in args.set or [] for word in ("--set", change)]
    # Rows of another form than the spec's stand in the place of its own files only where that reads them.
    own = item.own if kind != "init" else None
    if own and args.on == "valid":
        return []
    environment = {"DATA": str(Path(args.data).resolve() / own)} if own else {}
    files = [] if own else [f"--train_files={parts[train]}", f"--eval_files={parts[test]}"]
    call([mlc, "compile", spec, "-o", trainer, "--cpu", "native", *overrides], environment)
    found = []
    for seed in range(1, args.seeds + 1):
        model = folder / f"{item.name}-{kind}-{seed}"
        call([trainer, "train", "--model_dir", model, *files, "--seed", seed, "--quiet"], environment)
        evaluated = call([trainer, "evaluate", "--model_dir", model, *files[1:], "--json"], environment)
        found.append(json.loads(evaluated))
    return found


def limit(item, kind: str, known: float, error: float) -> float:
    """What the mean has to reach."""
    if kind == "init":
        return known * 1.03 if item.lower_is_better else known - 0.01
    return known + error if item.lower_is_better else known - error


def standard_error(item, metrics: list, rows: int) -> float:
    """One standard error of the metric over the test rows: of a share, or of an rmse if errors were normal."""
    mean = statistics.mean(m[item.metric] for m in metrics)
    return mean / math.sqrt(2 * rows) if item.lower_is_better else math.sqrt(mean * (1 - mean) / rows)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mlc", type=Path, default=ROOT / "build/bin/mlc")
    parser.add_argument("--data", type=Path, default=os.environ.get("MLC_TEST_DATA", ROOT / "../shared/data"))
    parser.add_argument("--only", action="append", help="name of a data set; may be repeated")
    parser.add_argument("--kind", action="append", help="linear, dnn, init; may be repeated")
    parser.add_argument("--on", choices=["test", "valid"], default="test")
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--set", action="append", help="PATH=VALUE of the spec; may be repeated")
    args = parser.parse_args()
    failed = 0
    print(f"{'data set':20} {'kind':8} {'metric':9} {'mean':>9} {'least':>9} {'most':>9} {'known':>9} {'goal':>9}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for item in DATA_SETS:
            if args.only and item.name not in args.only:
                continue
            parts = cut(Path(args.data), folder, item)
            rows = len(parts["valid" if args.on == "valid" else "test"].read_text().splitlines()) - (not item.names)
            for kind in args.kind or ["linear", "dnn", "wide_deep", "init"]:
                if kind != "init" and not (ROOT / "examples" / item.name / f"{kind}.pbtxt").exists():
                    continue
                metrics = measure(args.mlc, item, kind, args, parts, folder)
                values = [m[item.metric] for m in metrics]
                if not values:
                    continue
                mean = statistics.mean(values)
                known = item.linear if kind in ("linear", "init") else item.dnn if kind == "dnn" else None
                line = f"{item.name:20} {kind:8} {item.metric:9} {mean:9.4f} {min(values):9.4f} {max(values):9.4f}"
                if known is not None:
                    goal = limit(item, kind, known, standard_error(item, metrics, rows))
                    good = mean <= goal if item.lower_is_better else mean >= goal
                    failed += not good
                    line += f" {known:9.4f} {goal:9.4f} {'' if good else '  MISSED'}"
                print(line, flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
