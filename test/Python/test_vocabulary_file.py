"""Vocabularies in TFRecord files: what canned Estimators and model_fns make of them, and damaged ones."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import gzip
import struct
from pathlib import Path
from typing import Any

import pytest

from mlc import estimator
from mlc import feature_column as fc
from mlc.errors import SpecError

TERMS = [b"omar", b"stringer", "mar\xe9".encode()]
DATA = b"".join(struct.pack("<QI", len(term), 0) + term + struct.pack("<I", 0) for term in TERMS)


def column(path: Path, **arguments: Any) -> Any:
    return fc.categorical_column_with_vocabulary_file("w", path, **arguments)


def test_terms_are_written_into_the_spec(tmp_path: Path) -> None:
    path = tmp_path / "words.tfrecord.gz"
    path.write_bytes(gzip.compress(DATA))
    words = column(path, vocabulary_size=2, num_oov_buckets=1)
    assert words.num_buckets == 3
    spec = estimator.LinearRegressor([words], str(tmp_path / "m")).to_spec()
    assert 'vocabulary_list: ["omar", "stringer"]' in spec
    assert "tfrecord" not in spec
    renamed = tmp_path / "words"
    path.rename(renamed)
    assert column(renamed, file_format="tfrecord_gzip").num_buckets == 3


def test_it_trains_as_a_list(tmp_path: Path) -> None:
    path = tmp_path / "words.tfrecord.gz"
    path.write_bytes(gzip.compress(DATA))
    listed = fc.categorical_column_with_vocabulary_list("w", [term.decode() for term in TERMS])
    rows = {"w": ["omar", "mar\xe9", "x"]}, [1.0, 2.0, 3.0]
    weights = []
    for number, each in enumerate([column(path), listed]):
        model = estimator.LinearRegressor([each], str(tmp_path / str(number))).train(lambda: rows, steps=3)
        weights.append(model.get_variable_value("linear/linear_model/w/weights").ravel().tolist())
    assert weights[0] == weights[1]
    assert weights[0][1] == 0


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (DATA, "is no gzip file"),
        (gzip.compress(DATA[:-1]), "record 2 is cut off"),
        (gzip.compress(DATA[:25]), "record 1 is cut off"),
        (gzip.compress(struct.pack("<QI", 2**62, 0) + b"omar"), "record 0 is cut off"),
        (gzip.compress(DATA)[:-12], "is cut off or damaged"),
        (gzip.compress(DATA)[:-6] + b"\0\0\0\0\0\0", "is cut off or damaged"),
    ],
)
def test_damaged_files(content: bytes, text: str, tmp_path: Path) -> None:
    path = tmp_path / "words.tfrecord.gz"
    path.write_bytes(content)
    with pytest.raises(SpecError, match=f"words.tfrecord.gz.*{text}"):
        column(path)
