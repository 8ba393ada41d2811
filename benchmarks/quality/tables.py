# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The tables of the test data that have a task, as lists of rows of text, and their cuts."""

import csv
import gzip
import hashlib
import random
from dataclasses import dataclass, field
from pathlib import Path
from typing import Callable, Optional

from datasets import CENSUS, CREDIT, HIGGS, WINE

FOLDS = 5


@dataclass
class Table:
    """A table: names of columns, the label's among them, rows to train on and rows to test on."""
    name: str
    label: str
    regression: bool
    columns: list
    train: list
    test: list


@dataclass
class Source:
    """How a table is read. Rows without a file of test rows are cut: row i is a test row if i % 5 == 4."""
    name: str
    label: str
    read: Callable
    regression: bool = False
    files: tuple = ()
    names: Optional[str] = None
    options: dict = field(default_factory=dict)


def text_rows(path: Path, names: Optional[str]) -> tuple:
    """Names and rows of delimited text."""
    with open(path, newline="") as file:
        first = file.readline()
        file.seek(0)
        # The test rows of census end in a full stop that its train rows lack.
        rows = [[cell.strip() for cell in row] for row in
                csv.reader(file, delimiter="\t" if "\t" in first else ",", skipinitialspace=True) if row]
    return (names.split(), rows) if names else (rows[0], rows[1:])


def read_text(data: Path, source: Source) -> tuple:
    names, train = text_rows(data / source.files[0], source.names)
    test = text_rows(data / source.files[1], source.names)[1] if len(source.files) > 1 else None
    for row in (test or []) + train:
        row[-1] = row[-1].rstrip(".")
    return names, train, test


def read_taxi(data: Path, source: Source) -> tuple:
    """Chicago's taxis: does the tip exceed a fifth of the fare?"""
    names, rows, _ = read_text(data, source)
    tips, fare = names.index("tips"), names.index("fare")
    out = [row[:tips] + row[tips + 1:] + [str(int(float(row[tips]) > 0.2 * float(row[fare] or 0)))] for row in rows]
    return names[:tips] + names[tips + 1:] + ["big_tip"], out, None


def read_libsvm(data: Path, source: Source) -> tuple:
    """Text of `label index:value ...` with indices up to 126."""
    def rows_of(path: Path) -> list:
        rows = []
        for line in path.read_text().splitlines():
            label, *cells = line.split()
            row = ["0"] * 126
            for cell in cells:
                index, value = cell.split(":")
                row[int(index) - 1] = value
            rows.append(row + [label])
        return rows
    names = [f"f{i}" for i in range(1, 127)] + ["edible"]
    return names, *(rows_of(data / file) for file in source.files)


def read_idx(data: Path, source: Source) -> tuple:
    """Images of digits: a column per pixel."""
    pixels, labels = (gzip.decompress((data / file).read_bytes()) for file in source.files)
    rows = [[str(p) for p in pixels[16 + 784 * i: 16 + 784 * (i + 1)]] + [str(labels[8 + i])] for i in range(3000)]
    return [f"p{i}" for i in range(784)] + ["digit"], rows, None


def varint(data: bytes, at: int) -> tuple:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at


def fields(data: bytes) -> list:
    """Number and value of each field of a serialized message."""
    import struct
    at, found = 0, []
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 2:
            size, at = varint(data, at)
            found.append((tag >> 3, data[at:at + size]))
            at += size
        elif tag & 7 == 5:
            found.append((tag >> 3, struct.unpack("<f", data[at:at + 4])[0]))
            at += 4
        else:
            value, at = varint(data, at)
            found.append((tag >> 3, value))
    return found


def cell_of(feature: bytes) -> str:
    """The one value of a tf.Feature, or nothing."""
    import struct
    for kind, values in fields(feature):
        for _, value in fields(values):
            if kind == 1:
                return value.decode()
            if kind == 2:
                return repr(struct.unpack("<f", value[:4])[0]) if isinstance(value, bytes) else repr(value)
            if not isinstance(value, bytes):
                return str(value)
            number = varint(value, 0)[0]
            return str(number - (1 << 64) if number >> 63 else number)
    return ""


def read_examples(data: Path, source: Source) -> tuple:
    """tf.Examples with one value per feature."""
    def examples(path: Path) -> list:
        packed, at, found = gzip.decompress(path.read_bytes()), 0, []
        while at < len(packed):
            size = int.from_bytes(packed[at:at + 8], "little")
            entries = [dict(fields(entry)) for _, features in fields(packed[at + 12:at + 12 + size])
                       for _, entry in fields(features)]
            found.append({entry[1].decode(): cell_of(entry[2]) for entry in entries})
            at += 16 + size
        return found
    train, test = (examples(data / file) for file in source.files)
    names = sorted(train[0])
    return names, *([[row.get(name, "") for name in names] for row in rows] for rows in (train, test))


SOURCES = [
    Source("census", "income_bracket", read_text, files=("census/adult-train.csv", "census/adult-test.csv"),
           names=CENSUS),
    Source("iris", "Species", read_text, files=("iris_tf/iris_training.csv", "iris_tf/iris_test.csv")),
    Source("abalone", "Rings", read_text, True, ("abalone/abalone.csv",)),
    Source("california_housing", "median_house_value", read_text, True, ("california_housing/housing.csv",)),
    Source("titanic", "Survived", read_text, files=("titanic/train.csv",)),
    Source("wine", "quality", read_text, files=("wine_quality_white/winequality-white.csv",), names=WINE),
    Source("german_credit", "risk", read_text, files=("german_credit/german.csv",), names=CREDIT),
    Source("penguins", "species", read_text, files=("penguins/penguins_processed.csv",)),
    Source("chicago_taxi", "big_tip", read_taxi, files=("chicago_taxi/data.csv",)),
    Source("criteo", "label", read_text, files=("criteo/criteo_sample.txt",)),
    Source("movielens", "rating", read_text, files=("movielens/movielens_sample.txt",)),
    Source("higgs", "label", read_text, files=("higgs/binary.train", "higgs/binary.test"), names=HIGGS),
    Source("agaricus", "edible", read_libsvm, files=("agaricus/agaricus.txt.train", "agaricus/agaricus.txt.test")),
    Source("mnist", "digit", read_idx, files=("mnist/t10k-images-idx3-ubyte.gz", "mnist/t10k-labels-idx1-ubyte.gz")),
    Source("sst", "label", read_text, files=("sst_binary/sst_binary_train_10k.csv", "sst_binary/sst_binary_test.csv")),
    Source("estimator_taxi", "tips_xf", read_examples,
           files=("tf/estimator_taxi/transformed_train.tfrecord.gz", "tf/estimator_taxi/transformed_eval.tfrecord.gz")),
]

#: The rules of spec init were made on these; the others were not looked at.
RULES = sorted((source.name for source in SOURCES),
               key=lambda name: hashlib.sha256(name.encode()).hexdigest())[:len(SOURCES) // 2]


def load(data: Path, source: Source) -> Table:
    names, train, test = source.read(data, source)
    if test is None:
        train, test = ([row for i, row in enumerate(train) if (i % 5 == 4) == out] for out in (False, True))
    return Table(source.name, source.label, source.regression, names, train, test)


def folds(rows: list, name: str) -> list:
    """The rows cut into FOLDS parts by chance, the same each time."""
    order = list(range(len(rows)))
    random.Random(name).shuffle(order)
    return [[rows[i] for i in sorted(order[k::FOLDS])] for k in range(FOLDS)]


def split(table: Table, number: int, on: str, most: int = 0) -> tuple:
    """Rows to train on and rows to measure on: of the training rows all folds but one, and on "cv" that one, on "test"
    the fold of that number of the test rows. `most`: training rows are cut to so many before."""
    rows = table.train
    if most and len(rows) > most:
        rows = random.Random(table.name).sample(rows, most)
    parts = folds(rows, table.name)
    train = [row for k, part in enumerate(parts) if k != number for row in part]
    return train, parts[number] if on == "cv" else folds(table.test, table.name)[number]


def write(path: Path, table: Table, rows: list) -> None:
    with open(path, "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(table.columns)
        writer.writerows(rows)
