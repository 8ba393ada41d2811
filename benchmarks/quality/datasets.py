# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The public data sets that quality is measured on, and how each is cut.

A set without a split of its own is cut by its rows: row i (from 0, without the header) is a test row if i % 5 == 4.
Hyper-parameters are chosen without the test rows: row i of train is a row of `valid` if i % 5 == 3, else of `fit`.
"""

import gzip
from dataclasses import dataclass
from pathlib import Path
from typing import Optional


@dataclass(frozen=True)
class DataSet:
    """One data set: where its rows lie, what is learned, and what is known to be reachable."""

    name: str
    train: str
    label: str
    #: File of test rows; None: every fifth row of `train`.
    test: Optional[str] = None
    #: Names of the fields; None: the file has a header.
    names: Optional[tuple] = None
    #: The metric that is compared, as the trainers call it.
    metric: str = "accuracy"
    #: What `mlc spec init` is told beside the label.
    init: tuple = ()
    #: Folder of files of another form, cut already, that the example's spec reads.
    own: Optional[str] = None
    #: Known results by kind of model: scikit-learn on the same rows (peers.py).
    linear: Optional[float] = None
    dnn: Optional[float] = None

    @property
    def lower_is_better(self) -> bool:
        return self.metric == "rmse"


CENSUS = (
    "age workclass fnlwgt education education_num marital_status occupation relationship race gender "
    "capital_gain capital_loss hours_per_week native_country income_bracket"
)
WINE = (
    "fixed_acidity volatile_acidity citric_acid residual_sugar chlorides free_sulfur_dioxide "
    "total_sulfur_dioxide density pH sulphates alcohol quality"
)
CREDIT = (
    "checking duration history purpose amount savings employment installment_rate status debtors residence "
    "property age other_plans housing credits job dependents telephone foreign risk"
)
HIGGS = "label " + " ".join(f"f{i}" for i in range(1, 29))

DATA_SETS = [
    DataSet("census", "census/adult-train.csv", "income_bracket", test="census/adult-test.csv",
            names=tuple(CENSUS.split()), linear=0.8519, dnn=0.8575),
    DataSet("iris", "iris_tf/iris_training.csv", "Species", test="iris_tf/iris_test.csv", linear=0.9667, dnn=0.9667),
    DataSet("abalone", "abalone/abalone.csv", "Rings", metric="rmse", init=("--task", "regression"), linear=2.188,
            dnn=2.0565),
    DataSet("california_housing", "california_housing/housing.csv", "median_house_value", metric="rmse",
            linear=68402, dnn=52839),
    DataSet("titanic", "titanic/train.csv", "Survived", linear=0.758, dnn=0.803),
    DataSet("wine", "wine_quality_white/winequality-white.csv", "quality", names=tuple(WINE.split()), metric="rmse",
            init=("--task", "regression"), linear=0.769, dnn=0.7107),
    DataSet("german_credit", "german_credit/german.csv", "risk", names=tuple(CREDIT.split()), linear=0.740,
            dnn=0.708),
    DataSet("penguins", "penguins/penguins_processed.csv", "species", own="penguins", linear=0.980, dnn=0.990),
    DataSet("higgs", "higgs/binary.train", "label", test="higgs/binary.test", names=tuple(HIGGS.split()),
            linear=0.662, dnn=0.672),
    DataSet("sst", "sst_binary/sst_binary_train_10k.csv", "label",   test="sst_binary/sst_binary_test.csv",
            linear=0.781),
]


def rows_of(path: Path) -> list:
    """The lines of a text file of rows, gzip or not, without empty ones."""
    opened = gzip.open(path, "rt", newline="") if path.suffix == ".gz" else open(path, newline="")
    with opened as file:
        # The test rows of census end in a full stop that its train rows lack.
        return [line.rstrip(".") for line in file.read().splitlines() if line]


def cut(data: Path, out: Path, item: DataSet) -> dict:
    """Writes train, test, fit and valid rows of a data set under out/name; returns their paths by these names."""
    rows = rows_of(data / item.train)
    header = [] if item.names else [rows.pop(0)]
    if item.test:
        train, test = rows, rows_of(data / item.test)[len(header):]
    else:
        train = [row for i, row in enumerate(rows) if i % 5 != 4]
        test = [row for i, row in enumerate(rows) if i % 5 == 4]
    parts = {
        "train": train,
        "test": test,
        "fit": [row for i, row in enumerate(train) if i % 5 != 3],
        "valid": [row for i, row in enumerate(train) if i % 5 == 3],
    }
    (out / item.name).mkdir(parents=True, exist_ok=True)
    paths = {}
    for part, lines in parts.items():
        paths[part] = out / item.name / f"{part}.csv"
        paths[part].write_text("\n".join(header + lines) + "\n")
    return paths
