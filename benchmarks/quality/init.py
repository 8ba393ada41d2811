#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `mlc spec init` writes, unedited, against scikit-learn with defaults, by log loss or rmse over five splits.

    benchmarks/.venv/bin/python benchmarks/quality/init.py                 cross-validation within the training rows of
                                                                           the tables that the rules are made on
    benchmarks/.venv/bin/python benchmarks/quality/init.py --set train.batch_size=64 --only wine --most 2000
    benchmarks/.venv/bin/python benchmarks/quality/init.py --on test       all tables, once, at the end

With `--on test` each split measures on a fifth of the test rows of its own, and each reading of a table's test rows goes
to benchmarks/quality/test_readings.log. A table is not worse if the mean of the paired differences is at most their
standard error.
"""

import argparse
import csv
import datetime
import json
import math
import os
import re
import statistics
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor
from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

sys.path.insert(0, str(Path(__file__).parent))
from peers import MISSING, is_number  # noqa: E402
from tables import FOLDS, RULES, SOURCES, load, split, write  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
PEERS = ("majority", "linear", "mlp", "boosting")
#: Below, a probability is this: the log loss of a class that a model never saw is not infinite.
LEAST = 1e-7


def kinds(train: list) -> list:
    """For each column: number, category, text, or None if it tells nothing of a new row."""
    found = []
    for cells in zip(*train):
        present = [cell for cell in cells if cell not in MISSING]
        distinct = len(set(present))
        if distinct < 2:
            found.append(None)
        elif is_number(cells):
            found.append("number")
        elif distinct > 0.9 * len(present):
            found.append("text" if sum(" " in cell for cell in present) > 0.9 * len(present) else None)
        else:
            found.append("category")
    return found


def matrix(rows: list, kind: list) -> np.ndarray:
    return np.array([[(np.nan if cell in MISSING else float(cell)) if kind[i] == "number" else cell
                      for i, cell in enumerate(row)] for row in rows], dtype=object)


def features(kind: list, trees: bool) -> ColumnTransformer:
    """For trees numbers and codes; else standardized numbers, one-hot categories, counts of words."""
    of = {k: [i for i, each in enumerate(kind) if each == k] for k in ("number", "category", "text")}
    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1)
    one_hot = OneHotEncoder(handle_unknown="ignore")
    parts = [("number", "passthrough" if trees else make_pipeline(SimpleImputer(), StandardScaler()), of["number"]),
             ("category", codes if trees else one_hot, of["category"])]
    parts += [(f"text{i}", CountVectorizer(token_pattern=r"\S+", max_features=300 if trees else None), i)
              for i in of["text"]]
    return ColumnTransformer([part for part in parts if part[2] != []], sparse_threshold=0 if trees else 0.3)


def log_loss(probabilities: np.ndarray, classes: list, labels: list) -> float:
    """Mean negative logarithm of what the true class was given."""
    place = {label: i for i, label in enumerate(classes)}
    given = [probabilities[row, place[label]] if label in place else 0 for row, label in enumerate(labels)]
    return float(-np.mean(np.log(np.clip(given, LEAST, 1))))


def rmse(predicted: np.ndarray, labels: list) -> float:
    return float(np.sqrt(np.mean((np.asarray(predicted) - np.array(labels, float)) ** 2)))


def peer_loss(peer: str, table, train: list, test: list, seed: int) -> float:
    at = table.columns.index(table.label)
    y, truth = [row[at] for row in train], [row[at] for row in test]
    if peer == "majority":
        if table.regression:
            return rmse(np.full(len(truth), np.mean(np.array(y, float))), truth)
        classes = sorted(set(y))
        share = np.array([y.count(each) / len(y) for each in classes])
        return log_loss(np.tile(share, (len(truth), 1)), classes, truth)
    x, z = ([row[:at] + row[at + 1:] for row in rows] for rows in (train, test))
    kind = kinds(x)
    target = np.array(y, float) if table.regression else np.array(y)
    if table.regression:
        model = {"linear": Ridge(), "boosting": HistGradientBoostingRegressor(random_state=seed),
                 "mlp": TransformedTargetRegressor(MLPRegressor(random_state=seed), transformer=StandardScaler())}[peer]
    else:
        model = {"linear": LogisticRegression(max_iter=2000), "mlp": MLPClassifier(random_state=seed),
                 "boosting": HistGradientBoostingClassifier(random_state=seed)}[peer]
    numbers = [matrix(rows, kind) for rows in (x, z)]
    model = make_pipeline(features(kind, peer == "boosting"), model).fit(numbers[0], target)
    if table.regression:
        return rmse(model.predict(numbers[1]), truth)
    return log_loss(model.predict_proba(numbers[1]), list(model.classes_), truth)


def call(command: list) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stderr}")
    return done.stdout


def own_loss(args, table, train: list, test: list, seed: int, folder: Path) -> tuple:
    """The loss of mlc's first spec, and how many steps it trained."""
    write(folder / "train.csv", table, train)
    write(folder / "test.csv", table, test)
    spec = folder / "spec.pbtxt"
    call([args.mlc, "spec", "init", folder / "train.csv", "--label", table.label, "-o", spec, "--force", *args.init])
    changes = [word for change in args.set for word in ("--set", change)]
    if args.tune:
        told = call([args.mlc, "tune", spec, "-o", folder / "tuned.pbtxt", "--force", "--quiet", "--json",
                     *args.tune.split()])
        args.trials = told.count('"event":"trial"')
        spec = folder / "tuned.pbtxt"
    model = folder / "model"
    subprocess.run(["rm", "-rf", model], check=True)
    events = call([args.mlc, "train", spec, "--model_dir", model, "--seed", seed, "--json", "--threads", 1, *changes])
    done = [json.loads(line) for line in events.splitlines() if '"event":"done"' in line][-1]
    best = done["best"][0]["step"] if isinstance(done.get("best"), list) else done["best"]["step"]
    out = folder / "out.csv"
    call([args.mlc, "predict", spec, "--model_dir", model, "--predict_files", folder / "test.csv", "--format", "csv",
          "--checkpoint", model / f"ckpt-{best:010}", "--keys", "predictions" if table.regression else "probabilities",
          "-o", out, "--threads", 1, *changes])
    with open(out, newline="") as file:
        given = np.array(list(csv.reader(file))[1:], float)
    truth = [row[table.columns.index(table.label)] for row in test]
    if table.regression:
        return rmse(given[:, 0], truth), best, done["step"]
    text = spec.read_text()
    named = re.search(r"label_vocabulary: \[(.*?)\]", text)
    classes = json.loads(f"[{named[1]}]") if named else [str(i) for i in range(given.shape[1])]
    return log_loss(given, classes, truth), best, done["step"]


def verdict(own: list, other: list) -> tuple:
    """Mean paired difference, its standard error, and whether that is not worse."""
    differences = [a - b for a, b in zip(own, other)]
    mean = statistics.mean(differences)
    error = statistics.stdev(differences) / math.sqrt(len(differences)) if len(differences) > 1 else 0
    return mean, error, mean <= error


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mlc", type=Path, default=ROOT / "build/bin/mlc")
    parser.add_argument("--data", type=Path, default=os.environ.get("MLC_TEST_DATA", ROOT / "../shared/data"))
    parser.add_argument("--only", action="append", help="name of a table; may be repeated")
    parser.add_argument("--on", choices=["cv", "test"], default="cv")
    parser.add_argument("--splits", type=int, default=FOLDS)
    parser.add_argument("--most", type=int, default=0, help="training rows of larger tables, for quick looks; 0: all")
    parser.add_argument("--set", action="append", default=[], help="PATH=VALUE of the spec; may be repeated")
    parser.add_argument("--init", action="append", default=[], help="a flag of spec init; may be repeated")
    parser.add_argument("--tune", help="flags of mlc tune, which then comes after spec init")
    parser.add_argument("--cache", type=Path, help="file of the peers' losses, which stay the same")
    args = parser.parse_args()
    if args.on == "test" and (args.set or args.init):
        parser.error("test rows choose nothing: --on test goes without --set and --init")
    warnings.filterwarnings("ignore")
    cache = json.loads(args.cache.read_text()) if args.cache and args.cache.exists() else {}
    chosen = args.only or (RULES if args.on == "cv" else [source.name for source in SOURCES])
    tally = {}
    print(f"{'table':19}{'majority':>9} {'linear':>9} {'mlp':>9} {'boosting':>9} {'mlc':>9}   difference   error")
    for source in SOURCES:
        if source.name not in chosen:
            continue
        table = load(args.data, source)
        if args.on == "test":
            with open(Path(__file__).parent / "test_readings.log", "a") as log:
                log.write(f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} {source.name} "
                          f"{len(table.test)} rows, tune: {args.tune or 'no'}\n")
        losses = {name: [] for name in (*PEERS, "mlc")}
        steps = []
        for number in range(args.splits):
            train, test = split(table, number, args.on, args.most)
            for peer in PEERS:
                key = f"{args.on} {source.name} {number} {args.most} {peer}"
                if key not in cache:
                    cache[key] = peer_loss(peer, table, train, test, number)
                losses[peer].append(cache[key])
            with tempfile.TemporaryDirectory() as folder:
                loss, best, last = own_loss(args, table, train, test, number, Path(folder))
            losses["mlc"].append(loss)
            steps.append(f"{best}/{last}")
            if args.cache:
                args.cache.write_text(json.dumps(cache))
        means = {name: statistics.mean(values) for name, values in losses.items()}
        peer = min(("linear", "mlp"), key=lambda name: means[name])
        mean, error, good = verdict(losses["mlc"], losses[peer])
        trivial = verdict(losses["mlc"], losses["majority"])[2]
        boosted = verdict(losses["mlc"], losses["boosting"])[2]
        half = tally.setdefault("rules" if source.name in RULES else "unseen", [0, 0, 0, 0])
        for i, value in enumerate((1, good, trivial, boosted)):
            half[i] += value
        print(f"{source.name:19}" + " ".join(f"{means[name]:9.5g}" for name in (*PEERS, "mlc")) +
              f"   {mean:+9.4g} {error:9.4g} {'' if good else ' WORSE than ' + peer}"
              f"{'' if trivial else ' WORSE than majority'}  best/last step {' '.join(steps)}", flush=True)
    for name, (tables, good, trivial, boosted) in tally.items():
        print(f"{name}: of {tables} tables not worse than linear and mlp {good}, than majority or mean {trivial}, "
              f"than boosting {boosted}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
