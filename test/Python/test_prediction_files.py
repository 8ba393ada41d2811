"""predict_files: the rows of predict, in files."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import csv
import json
import os
from pathlib import Path

import numpy as np
import pytest

import mlc
from mlc import data, estimator, ops
from mlc import feature_column as fc
from mlc.errors import DataError, UnsupportedError

ROWS = 300
X = np.random.default_rng(3).normal(size=ROWS).astype(np.float32)
WORDS = np.array(["yes", "no", "don't, \"know\""])[np.arange(ROWS) % 3]


def inputs() -> data.Dataset:
    return data.Dataset.from_arrays({"x": X, "id": np.arange(ROWS)}).batch(64)


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> estimator.DNNClassifier:
    made = estimator.DNNClassifier(
        [4], [fc.numeric_column("x")], tmp_path_factory.mktemp("model"), n_classes=3,
        label_vocabulary=["yes", "no", "don't, \"know\""],
    )  # fmt: skip
    return made.train(lambda: data.Dataset.from_arrays({"x": X}, WORDS).batch(100))


def test_csv(model: estimator.DNNClassifier, tmp_path: Path) -> None:
    output = tmp_path / "out.csv"
    model.predict_files(inputs, output, predict_keys=["probabilities", "classes"])
    expected = list(model.predict(inputs))
    with open(output, newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == ROWS
    for row, prediction in zip(rows, expected, strict=True):
        assert [np.float32(row[f"probabilities_{i}"]) for i in range(3)] == prediction["probabilities"].tolist()
        assert row["classes"].encode() == prediction["classes"][0]
        assert len(row) == 4


def test_lines_replace_an_older_file(model: estimator.DNNClassifier, tmp_path: Path) -> None:
    output = tmp_path / "out.jsonl"
    output.write_text("old")
    model.predict_files(inputs, output)
    rows = [json.loads(line) for line in output.read_text().splitlines()]
    assert [row["class_ids"] for row in rows] == [p["class_ids"].tolist() for p in model.predict(inputs)]
    assert os.listdir(tmp_path) == ["out.jsonl"]


def test_parquet(model: estimator.DNNClassifier, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    model.predict_files(inputs, tmp_path / "out.parquet")
    found = parquet.read_table(tmp_path / "out.parquet").to_pydict()
    expected = list(model.predict(inputs, yield_single_examples=False))
    for key in expected[0]:
        values = np.concatenate([batch[key] for batch in expected]).tolist()
        assert found[key] == ([[text.decode() for text in row] for row in values] if key in ("classes", "all_classes") else values)
    assert os.listdir(tmp_path) == ["out.parquet"]


def test_files_keep_their_columns_and_tell_bad_rows(model: estimator.DNNClassifier, tmp_path: Path) -> None:
    path = tmp_path / "in.csv"
    path.write_text("name,x\na,1.5\nb,oops\nc,-2\n")

    def files() -> data.Dataset:
        return data.Dataset.from_csv(path).batch(2)

    with pytest.raises(DataError, match="oops"):
        model.predict_files(files, tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()
    model.predict_files(files, tmp_path / "out.csv", predict_keys="class_ids", forward_features="x", on_bad_row="skip")
    lines = (tmp_path / "out.csv").read_text().splitlines()
    assert lines[0] == "x,class_ids" and [line.split(",")[0] for line in lines[1:]] == ["1.5", "-2"]


def test_sizes_that_vary(tmp_path: Path) -> None:
    def model_fn(features, labels, mode):  # type: ignore[no-untyped-def]
        return estimator.EstimatorSpec(mode, predictions={"sum": ops.sum(features["x"], axis=1)})

    model = estimator.Estimator(model_fn, tmp_path / "model")

    def batches():  # type: ignore[no-untyped-def]
        for size in (2, 2, 2, 3):
            yield {"x": np.ones([4, size], np.float32)}

    with pytest.raises(UnsupportedError, match="takes rows of one size"):
        model.predict_files(batches, tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()
    parquet = pytest.importorskip("pyarrow.parquet")
    model.predict_files(batches, tmp_path / "out.parquet")
    assert parquet.read_table(tmp_path / "out.parquet").to_pydict() == {"sum": [2.0] * 12 + [3.0] * 4}


def test_mistakes(model: estimator.DNNClassifier, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"ends in '.cvs'; expected .csv, .jsonl, .parquet; did you mean '.csv'"):
        model.predict_files(inputs, tmp_path / "out.cvs")
    with pytest.raises(ValueError, match="on_bad_row must be one of fail, skip, null; found 'drop'"):
        model.predict_files(inputs, tmp_path / "out.csv", on_bad_row="drop")
    with pytest.raises(ValueError, match="leave repeat"):
        model.predict_files(lambda: inputs().repeat(2), tmp_path / "out.csv")
    with pytest.raises(mlc.errors.MlcError, match="probs"):
        model.predict_files(inputs, tmp_path / "out.csv", predict_keys="probs")
    with pytest.raises(OSError):
        model.predict_files(inputs, tmp_path / "no" / "out.parquet")
    assert os.listdir(tmp_path) == []
