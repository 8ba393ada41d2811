"""Wide & deep on the census data with mlc's Estimators: rows, model and, as a program, one training that tells its rate.

    PYTHONPATH=build/python .venv/bin/python benchmarks/python/census.py --rows rows.npz --steps N [--evaluate]

Prints a line of JSON. tensorflow_census.py is the same with TensorFlow.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

import argparse
import json
import logging
import tempfile
from pathlib import Path

import numpy as np

from mlc import data, estimator
from mlc import feature_column as fc

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = ["age", "workclass", "fnlwgt", "education", "education_num", "marital_status", "occupation", "relationship",
           "race", "gender", "capital_gain", "capital_loss", "hours_per_week", "native_country", "income_bracket"]
TEXTS = ["workclass", "education", "marital_status", "occupation", "relationship", "race", "gender", "native_country"]
Z_SCORES = {"age": (38.58, 13.64), "education_num": (10.08, 2.57), "hours_per_week": (40.44, 12.35)}
LOGARITHMS = ["capital_gain", "capital_loss"]
NUMBERS = [*Z_SCORES, *LOGARITHMS]
LABELS = ["<=50K", ">50K"]
BATCH = 100


def wide_deep(model_dir: str) -> estimator.Estimator:
    hashed = [fc.categorical_column_with_hash_bucket(name, 100) for name in TEXTS]
    crossed = [fc.crossed_column(["education", "occupation"], 10000),
               fc.crossed_column(["native_country", "occupation"], 10000)]
    numbers = [fc.numeric_column(name, normalizer_fn=fc.zscore(*Z_SCORES[name])) for name in Z_SCORES]
    numbers += [fc.numeric_column(name, normalizer_fn=fc.log1p()) for name in LOGARITHMS]
    deep = numbers + [fc.embedding_column(column, 8) for column in hashed]
    return estimator.DNNLinearCombinedClassifier(
        model_dir, linear_feature_columns=hashed + crossed, dnn_feature_columns=deep, dnn_hidden_units=[100, 50],
        label_vocabulary=LABELS, config=estimator.RunConfig(tf_random_seed=1, save_summary_steps=0))


def write_rows(directory: Path) -> Path:
    """The training rows as arrays for both packages, and as CSV with a header beside them, for the trainer."""
    lines = (ROOT / "examples/census/data/adult-train.csv").read_text().splitlines()
    table = np.array([[cell.strip() for cell in line.split(",")] for line in lines if line.strip()])
    columns = {name: table[:, COLUMNS.index(name)] for name in (*NUMBERS, *TEXTS)}
    label = table[:, COLUMNS.index("income_bracket")]
    arrays = {name: column.astype(np.float32) if name in NUMBERS else column for name, column in columns.items()}
    np.savez(directory / "rows.npz", label=label, **arrays)
    csv = [",".join([*columns, "label"])] + [",".join(row) for row in zip(*columns.values(), label)]
    (directory / "rows.csv").write_text("\n".join(csv) + "\n")
    return directory / "rows.npz"


def read_rows(path: Path) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Features, texts as objects, which they are in a DataFrame, and labels."""
    arrays = {name: array if name in NUMBERS else array.astype(object) for name, array in np.load(path).items()}
    return arrays, arrays.pop("label")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=Path, required=True)
    parser.add_argument("--csv", type=Path, help="train on this file, which the runtime reads, and not on arrays")
    parser.add_argument("--steps", type=int, required=True)
    parser.add_argument("--evaluate", action="store_true")
    options = parser.parse_args()
    logging.getLogger("mlc").setLevel(logging.ERROR)
    features, labels = read_rows(options.rows)
    events: list[dict] = []
    with tempfile.TemporaryDirectory() as directory:
        model = wide_deep(directory)
        source = data.Dataset.from_arrays(features, labels) if options.csv is None else data.Dataset.from_csv(options.csv, "label")
        dataset = source.shuffle().repeat().batch(BATCH)
        model._run_training(lambda: dataset, options.steps, None, on_event=events.append)
        result = {"rate": options.steps / next(event["seconds"] for event in events if event["event"] == "done")}
        if options.evaluate:
            result["accuracy"] = model.evaluate(lambda: data.Dataset.from_arrays(features, labels).batch(1000))["accuracy"]
    print(json.dumps(result))


if __name__ == "__main__":
    main()
