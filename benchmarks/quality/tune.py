#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `mlc spec init`, then `mlc tune --trials N`, reaches over N, beside untuned gradient boosting.

    benchmarks/.venv/bin/python benchmarks/quality/tune.py                       N of 4, 16, 64 by cross-validation
    benchmarks/.venv/bin/python benchmarks/quality/tune.py --trials 8 --only wine --splits 2 --most 1000
    benchmarks/.venv/bin/python benchmarks/quality/tune.py --time 120 --tables all    the N that takes 120 s

Log loss, or rmse in original units, over the same splits of the training rows as init.py. 0 trials: the spec as spec init
wrote it. CPU seconds are those of init, tune, train and predict, whatever else runs: half of them are what two idle cores
take at least; --time is for a machine that does nothing else.
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
    parser.add_argument("--tables", choices=["rules", "unseen", "all"], default="rules",
                        help="those that the rules of spec init were made on, the others, or both")
    parser.add_argument("--trials", type=int, action="append", help="N; may be repeated")
    parser.add_argument("--time", type=int, action="append", help="seconds of a tune instead of N; may be repeated")
    parser.add_argument("--splits", type=int, default=FOLDS)
    parser.add_argument("--most", type=int, default=0, help="training rows of larger tables; 0: all")
    parser.add_argument("--cache", type=Path, help="file of the losses of boosting, as of init.py")
    args = parser.parse_args()
    warnings.filterwarnings("ignore")
    cache = json.loads(args.cache.read_text()) if args.cache and args.cache.exists() else {}
    tally = {}
    tunes = [("0", None), *((f"{n}", f"--trials {n}") for n in args.trials or ([] if args.time else [4, 16, 64])),
             *((f"{t} s", f"--time {t}") for t in args.time or [])]
    print(f"{'table':19} {'half':6} {'tune':>6} {'trials':>6} {'boosting':>9} {'mlc':>9} {'difference':>11} {'error':>9} "
          f"{'CPU s':>8}")
    for source in SOURCES:
        half = "rules" if source.name in RULES else "unseen"
        if source.name not in args.only if args.only else args.tables not in ("all", half):
            continue
        table = load(args.data, source)
        for name, tune in tunes:
            own, boosting, seconds, made = [], [], [], []
            for number in range(args.splits):
                train, test = split(table, number, "cv", args.most)
                key = f"cv {source.name} {number} {args.most} boosting"
                if key not in cache:
                    cache[key] = peer_loss("boosting", table, train, test, number)
                    if args.cache:
                        args.cache.write_text(json.dumps(cache))
                boosting.append(cache[key])
                options = SimpleNamespace(mlc=args.mlc, init=[], set=[], tune=tune, trials=0)
                with tempfile.TemporaryDirectory() as folder:
                    start = cpu_seconds()
                    own.append(own_loss(options, table, train, test, number, Path(folder))[0])
                    seconds.append(cpu_seconds() - start)
                made.append(options.trials)
            mean, error, good = verdict(own, boosting)
            tally.setdefault((half, name), []).append(good)
            print(f"{source.name:19} {half:6} {name:>6} {statistics.mean(made):6.0f} {statistics.mean(boosting):9.5g} "
                  f"{statistics.mean(own):9.5g} {mean:+11.4g} {error:9.4g} {statistics.mean(seconds):8.1f}"
                  f"{'' if good else '  WORSE'}", flush=True)
    for (half, name), good in tally.items():
        print(f"{half}, tune {name}: of {len(good)} tables not worse than boosting {sum(good)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
