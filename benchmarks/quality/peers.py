#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What scikit-learn's linear model and multi-layer perceptron reach on the rows of run.py.

    benchmarks/.venv/bin/python benchmarks/quality/peers.py [--only NAME] [--seeds 5]

Numbers are standardized, categories one-hot, texts counts of words; missing numbers are the mean. The perceptron has
layers of 64 and 32; a regression's label is standardized.
"""

import argparse
import csv
import os
import statistics
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
from sklearn.compose import ColumnTransformer
from sklearn.compose import TransformedTargetRegressor
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

sys.path.insert(0, str(Path(__file__).parent))
from datasets import DATA_SETS, cut  # noqa: E402

#: Columns that tell nothing of a new row.
DROPPED = {"titanic": ("PassengerId", "Name", "Ticket", "Cabin"), "census": ("fnlwgt",)}
MISSING = ("", "?", "NA", "nan")


def read(path: Path, item) -> dict:
    """The columns of a file by name, as lists of text."""
    with open(path, newline="") as file:
        first = file.readline()
        file.seek(0)
        rows = list(csv.reader(file, delimiter="\t" if "\t" in first else ",", skipinitialspace=True))
    names = list(item.names) if item.names else rows.pop(0)
    return {name: [row[i] for row in rows] for i, name in enumerate(names) if name not in DROPPED.get(item.name, ())}


def is_number(cells: list) -> bool:
    """Whether all cells that are there are numbers."""
    try:
        [float(cell) for cell in cells if cell not in MISSING]
        return True
    except ValueError:
        return False


def matrix(columns: dict) -> np.ndarray:
    """Columns as one table of objects; numbers as float, missing ones as NaN."""
    table = []
    for cells in columns.values():
        number = is_number(cells)
        table.append([(np.nan if cell in MISSING else float(cell)) if number else cell for cell in cells])
    return np.array(table, dtype=object).T


def features(columns: dict) -> ColumnTransformer:
    """Standardized numbers, one-hot categories, counts of words."""
    parts = []
    for i, (name, cells) in enumerate(columns.items()):
        if is_number(cells):
            parts.append((name, make_pipeline(SimpleImputer(), StandardScaler()), [i]))
        elif len(set(cells)) > 0.9 * len(cells):
            parts.append((name, CountVectorizer(token_pattern=r"\S+"), i))
        else:
            parts.append((name, OneHotEncoder(handle_unknown="ignore"), [i]))
    return ColumnTransformer(parts)


def measure(item, seed: int, parts: dict) -> tuple:
    """The metric of the linear model and of the perceptron."""
    train, test = read(parts["train"], item), read(parts["test"], item)
    labels = [np.array(columns.pop(item.label)) for columns in (train, test)]
    found = []
    for kind in ("linear", "mlp"):
        if item.metric == "rmse":
            labels = [y.astype(float) for y in labels]
            model = LinearRegression() if kind == "linear" else TransformedTargetRegressor(
                MLPRegressor(hidden_layer_sizes=(64, 32), random_state=seed), transformer=StandardScaler())
        else:
            model = (LogisticRegression(max_iter=2000) if kind == "linear"
                     else MLPClassifier(hidden_layer_sizes=(64, 32), random_state=seed))
        model = make_pipeline(features(train), model).fit(matrix(train), labels[0])
        predicted = model.predict(matrix(test))
        found.append(float(np.sqrt(np.mean((predicted - labels[1]) ** 2))) if item.metric == "rmse"
                     else float(np.mean(predicted == labels[1])))
    return tuple(found)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=os.environ.get("MLC_TEST_DATA", "../shared/data"))
    parser.add_argument("--only", action="append", help="name of a data set; may be repeated")
    parser.add_argument("--seeds", type=int, default=5)
    args = parser.parse_args()
    # The perceptron says that it stopped at its number of epochs.
    warnings.filterwarnings("ignore")
    print(f"{'data set':20} {'metric':9} {'linear':>9} {'mlp mean':>9} {'least':>9} {'most':>9}")
    with tempfile.TemporaryDirectory() as folder:
        for item in DATA_SETS:
            if args.only and item.name not in args.only:
                continue
            parts = cut(args.data, Path(folder), item)
            found = [measure(item, seed, parts) for seed in range(1, args.seeds + 1)]
            mlp = [f[1] for f in found]
            print(f"{item.name:20} {item.metric:9} {found[0][0]:9.4f} {statistics.mean(mlp):9.4f} {min(mlp):9.4f} "
                  f"{max(mlp):9.4f}", flush=True)


if __name__ == "__main__":
    main()
