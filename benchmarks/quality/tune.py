#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `mlc spec init`, then `mlc tune --trials N`, reaches over N, beside untuned gradient boosting.

    benchmarks/.venv/bin/python benchmarks/quality/tune.py                       N of 4, 16, 64 by cross-validation
    benchmarks/.venv/bin/python benchmarks/quality/tune.py --trials 8 --only wine --splits 2 --most 1000

Log loss, or rmse in original units, over the same splits of the training rows as init.py; tables that the rules of spec
init were made on. 0 trials: the spec as spec init wrote it. CPU seconds are those of init, tune, train and predict, whatever
else runs: half of them are what two idle cores take at least.
"""

import argparse
import json
import os
import resource
import statistics
import sys
import tempfile
import warnings
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).parent))
from init import ROOT, own_loss, peer_loss, verdict  # noqa: E402
from tables import FOLDS, RULES, SOURCES, load, split  # noqa: E402


def cpu_seconds() -> float:
    """Of the processes that have ended, and theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mlc", type=Path, default=ROOT / "build/bin/mlc")
    parser.add_argument("--data", type=Path, default=os.environ.get("MLC_TEST_DATA", ROOT / "../shared/data"))
    parser.add_argument("--only", action="append", help="name of a table; may be repeated")
    parser.add_argument("--trials", type=int, action="append", help="N; may be repeated")
    parser.add_argument("--splits", type=int, default=FOLDS)
    parser.add_argument("--most", type=int, default=0, help="training rows of larger tables; 0: all")
    parser.add_argument("--cache", type=Path, help="file of the losses of boosting, as of init.py")
    args = parser.parse_args()
    warnings.filterwarnings("ignore")
    cache = json.loads(args.cache.read_text()) if args.cache and args.cache.exists() else {}
    tally = {}
    print(f"{'table':19} {'trials':>6} {'boosting':>9} {'mlc':>9} {'difference':>11} {'error':>9} {'CPU s':>8}")
    for source in SOURCES:
        if source.name not in (args.only or RULES):
            continue
        table = load(args.data, source)
        for trials in [0, *(args.trials or [4, 16, 64])]:
            own, boosting, seconds = [], [], []
            for number in range(args.splits):
                train, test = split(table, number, "cv", args.most)
                key = f"cv {source.name} {number} {args.most} boosting"
                if key not in cache:
                    cache[key] = peer_loss("boosting", table, train, test, number)
                boosting.append(cache[key])
                options = SimpleNamespace(mlc=args.mlc, init=[], set=[], tune=f"--trials {trials}" if trials else None)
                with tempfile.TemporaryDirectory() as folder:
                    start = cpu_seconds()
                    own.append(own_loss(options, table, train, test, number, Path(folder))[0])
                    seconds.append(cpu_seconds() - start)
            mean, error, good = verdict(own, boosting)
            tally.setdefault(trials, []).append(good)
            print(f"{source.name:19} {trials:6} {statistics.mean(boosting):9.5g} {statistics.mean(own):9.5g} {mean:+11.4g} "
                  f"{error:9.4g} {statistics.mean(seconds):8.1f}{'' if good else '  WORSE'}", flush=True)
    for trials, good in tally.items():
        print(f"{trials} trials: of {len(good)} tables not worse than boosting {sum(good)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
