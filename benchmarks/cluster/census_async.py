#!/usr/bin/env python3
"""The census example trained asynchronously: quality over several runs, and staleness. See benchmarks/README.md.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import itertools
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile

from cluster import CENSUS, Launch, add_build_dir, compile_trainer, show_load

GOALS = {"accuracy": 0.850, "auc": 0.903}


def show_staleness(runs):
    """Share of pushes by the number of updates since their pull, all runs together."""
    counts = [sum(column) for column in itertools.zip_longest(*(run["counts"] for run in runs), fillvalue=0)]
    total = sum(counts)
    print(f"staleness  mean {statistics.mean(run['mean'] for run in runs):.2f}, "
          f"at most {max(run['max'] for run in runs)}, of {total} pushes")
    for updates, count in enumerate(counts):
        if count:
            behind = " and more" if updates == 63 else ""
            print(f"  {updates:3}{behind} {count / total:7.2%}  {'#' * round(60 * count / max(counts))}")


def main():
    parser = argparse.ArgumentParser(description="Asynchronous training on the census data")
    add_build_dir(parser)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--servers", type=int, default=1)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--threads", type=int, default=1, help="of each training task")
    parser.add_argument("--spec", type=pathlib.Path, default=CENSUS)
    arguments = parser.parse_args()
    show_load()
    metrics, staleness = {name: [] for name in GOALS}, []
    with tempfile.TemporaryDirectory() as scratch:
        trainer = pathlib.Path(scratch) / "census"
        compile_trainer(arguments, arguments.spec, trainer)
        for run in range(arguments.runs):
            model = pathlib.Path(scratch) / f"m{run}"
            done = {}
            for _, event in Launch(arguments, trainer, ["train", "--model_dir", model, "--threads", arguments.threads, "--set",
                                                        f"run_config.seed={run + 1}"], arguments.workers, arguments.servers):
                if event["event"] == "done":
                    done = event
            staleness.append(done["staleness"])
            out = subprocess.run([trainer, "evaluate", "--model_dir", model, "--json"], check=True, capture_output=True,
                                 text=True).stdout
            result = json.loads(out)
            for name, values in metrics.items():
                values.append(result[name])
            print(f"run {run + 1}: " + "  ".join(f"{name} {values[-1]:.4f}" for name, values in metrics.items()) +
                  f"  staleness {done['staleness']['mean']:.2f}", flush=True)
    show_staleness(staleness)
    for name, values in metrics.items():
        mean = statistics.mean(values)
        print(f"{name:9} mean {mean:.4f} of {len(values)} runs, goal {GOALS[name]}: "
              f"{'reached' if mean >= GOALS[name] else 'MISSED'}")
    return int(any(statistics.mean(values) < GOALS[name] for name, values in metrics.items()))


if __name__ == "__main__":
    sys.exit(main())
