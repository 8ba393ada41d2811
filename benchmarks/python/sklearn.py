#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mlc.MLCClassifier and mlc.MLCRegressor with their defaults against scikit-learn's linear models and perceptrons.

    PYTHONPATH=build/python .venv/bin/python benchmarks/python/sklearn.py              cross-validation within the training
                                                                                       rows of the tables that the rules
                                                                                       of spec init are made on
    PYTHONPATH=build/python .venv/bin/python benchmarks/python/sklearn.py --on test    all tables, on their test rows
    PYTHONPATH=build/python .venv/bin/python benchmarks/python/sklearn.py --on bundled the tables that scikit-learn has
                                                                                       with it, by cross-validation
    PYTHONPATH=build/python .venv/bin/python benchmarks/python/sklearn.py --row        time of one row

Peers get standardized numbers and one-hot categories (benchmarks/quality/init.py), the estimators a DataFrame as it is.
Losses are log loss, or rmse; a ratio below 1 is better than the better of the two peers. A table is not worse if the mean
of the paired differences is at most their standard error. With `--on test` each reading of a table's test rows goes to
benchmarks/quality/test_readings.log.
"""

import argparse
import datetime
import json
import os
import statistics
import sys
import time
import warnings
from pathlib import Path

# This file is called as what it compares with.
sys.path = [path for path in sys.path if Path(path or ".").resolve() != Path(__file__).resolve().parent]
QUALITY = Path(__file__).resolve().parents[1] / "quality"
sys.path.insert(0, str(QUALITY))

import numpy as np  # noqa: E402
import pandas  # noqa: E402
from init import LEAST, kinds, log_loss, matrix, peer_loss, rmse, verdict  # noqa: E402
from peers import MISSING  # noqa: E402
import sklearn.datasets  # noqa: E402
from sklearn.feature_extraction.text import CountVectorizer  # noqa: E402
from tables import FOLDS, RULES, SOURCES, Source, Table, load, split  # noqa: E402

from mlc.sklearn import MLCClassifier, MLCRegressor  # noqa: E402

PEERS = ("linear", "mlp")
#: No rule was made on these; their names, and whether the label is a number.
BUNDLED = {"diabetes": True, "breast_cancer": False, "digits": False, "wine_recognition": False}


def bundled(name: str) -> Table:
    """A table of scikit-learn as rows of text, all of them to train on."""
    data = getattr(sklearn.datasets, "load_" + name.removesuffix("_recognition"))()
    rows = [[repr(float(cell)) for cell in row] + [str(label)] for row, label in zip(data.data, data.target)]
    columns = [str(each) for each in data.feature_names] + ["label"]
    return Table(name, "label", BUNDLED[name], columns, rows, [])


def frame(rows: list, names: list, kind: list) -> pandas.DataFrame:
    """Rows of text as a user would read them: numbers, and texts as they are."""
    columns = {}
    for i, name in enumerate(names):
        cells = [None if row[i] in MISSING else row[i] for row in rows]
        columns[name] = np.array(cells, dtype=float) if kind[i] == "number" else pandas.Series(cells, dtype=object)
    return pandas.DataFrame(columns)


def own_loss(table, train: list, test: list, seed: int, jobs: int, **arguments) -> tuple:
    """The loss of an estimator with its defaults, passes, and CPU seconds of fit."""
    at = table.columns.index(table.label)
    y, truth = [row[at] for row in train], [row[at] for row in test]
    x, z = ([row[:at] + row[at + 1:] for row in rows] for rows in (train, test))
    names = table.columns[:at] + table.columns[at + 1:]
    kind = kinds(x)
    if "text" in kind and kind.count(None) + kind.count("text") == len(kind):
        # Words are what a user of scikit-learn makes of a text.
        words = CountVectorizer(token_pattern=r"\S+")
        place = kind.index("text")
        given = [words.fit_transform([row[place] for row in x]), words.transform([row[place] for row in z])]
    else:
        given = [frame(x, names, kind), frame(z, names, kind)]
    if table.regression:
        y = np.array(y, float)
    model = (MLCRegressor if table.regression else MLCClassifier)(random_state=seed, n_jobs=jobs, **arguments)
    begin = time.process_time()
    model.fit(given[0], np.array(y))
    seconds = time.process_time() - begin
    if table.regression:
        return rmse(model.predict(given[1]), truth), model.n_iter_, seconds
    return log_loss(model.predict_proba(given[1]), list(model.classes_), truth), model.n_iter_, seconds


def one_row() -> None:
    """Microseconds of predict of one row of 8 numbers, and of peers."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier

    x = np.random.default_rng(0).normal(size=(2000, 8))
    y = (x[:, 0] + x[:, 1] ** 2 > 1).astype(int)
    for model in (MLCClassifier(max_iter=5), LogisticRegression(), MLPClassifier((128, 64), max_iter=5)):
        model.fit(x, y)
        row, times = x[:1], []
        for _ in range(2000):
            begin = time.perf_counter()
            model.predict(row)
            times.append(time.perf_counter() - begin)
        print(f"{type(model).__name__:20} {1e6 * statistics.median(times):8.1f} us a row")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("MLC_TEST_DATA"))
    parser.add_argument("--only", action="append", help="name of a table; may be repeated")
    parser.add_argument("--on", choices=["cv", "test", "bundled"], default="cv")
    parser.add_argument("--splits", type=int, default=FOLDS)
    parser.add_argument("--most", type=int, default=0, help="training rows of larger tables, for quick looks; 0: all")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--row", action="store_true", help="time of predict of one row")
    parser.add_argument("--set", action="append", default=[], help="NAME=VALUE of the estimator, in JSON; for --on cv")
    parser.add_argument("--cache", type=Path, help="file of the peers' losses, which stay the same")
    args = parser.parse_args()
    warnings.filterwarnings("ignore")
    if args.row:
        one_row()
        return 0
    if args.on == "test" and args.set:
        parser.error("test rows choose nothing: --on test goes without --set")
    if args.data is None and args.on != "bundled":
        parser.error("--data, or MLC_TEST_DATA, names the directory of the tables")
    arguments = {name: json.loads(value) for name, value in (each.split("=", 1) for each in args.set)}
    cache = json.loads(args.cache.read_text()) if args.cache and args.cache.exists() else {}
    sources = SOURCES if args.on != "bundled" else [Source(name, "label", None) for name in BUNDLED]
    chosen = args.only or (RULES if args.on == "cv" else [source.name for source in sources])
    tally = {}
    print(f"{'table':19}{'linear':>9} {'mlp':>9} {'mlc':>9}   ratio   difference   error   passes  CPU s")
    for source in sources:
        if source.name not in chosen:
            continue
        table = bundled(source.name) if args.on == "bundled" else load(args.data, source)
        if args.on == "test":
            with open(QUALITY / "test_readings.log", "a") as log:
                log.write(f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} {source.name} "
                          f"{len(table.test)} rows, mlc.sklearn\n")
        losses = {name: [] for name in (*PEERS, "mlc")}
        passes, seconds = [], []
        for number in range(args.splits):
            train, test = split(table, number, "test" if args.on == "test" else "cv", args.most)
            for peer in PEERS:
                key = f"{args.on} {source.name} {number} {args.most} {peer}"
                if key not in cache:
                    cache[key] = peer_loss(peer, table, train, test, number)
                losses[peer].append(cache[key])
            if args.cache:
                args.cache.write_text(json.dumps(cache))
            loss, epochs, spent = own_loss(table, train, test, number, args.jobs, **arguments)
            losses["mlc"].append(loss)
            passes.append(str(epochs))
            seconds.append(spent)
        means = {name: statistics.mean(values) for name, values in losses.items()}
        peer = min(PEERS, key=means.__getitem__)
        mean, error, good = verdict(losses["mlc"], losses[peer])
        half = tally.setdefault("rules" if source.name in RULES else "unseen", [0, 0])
        half[0] += 1
        half[1] += good
        print(f"{source.name:19}" + " ".join(f"{means[name]:9.5g}" for name in (*PEERS, "mlc")) +
              f" {means['mlc'] / max(means[peer], LEAST):7.3f}   {mean:+9.3g} {error:9.3g}"
              f"{'' if good else ' WORSE than ' + peer}   {' '.join(passes)}  {statistics.mean(seconds):.1f}", flush=True)
    for name, (tables, good) in tally.items():
        print(f"{name}: {good} of {tables} tables not worse than the better of linear and mlp")
    return 0


if __name__ == "__main__":
    sys.exit(main())
