#!/usr/bin/env python3
"""One model, two answers: does a person earn more than 50K, and how many hours do they work?

    two_heads.py

Shows a MultiHead of a classifier and a regression that share hidden layers, labels by the names of the heads, and predictions by (head, key).
Needs pandas.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from pathlib import Path

import pandas as pd

import mlc
from mlc import data, estimator
from mlc import feature_column as fc

DATA = Path(__file__).resolve().parents[1] / "census/data"
COLUMNS = (
    "age workclass fnlwgt education education_num marital_status occupation relationship race gender capital_gain capital_loss "
    "hours_per_week native_country income_bracket"
).split()
people = pd.read_csv(DATA / "adult-train.csv", names=COLUMNS, skipinitialspace=True, na_values="?")
labels = {"income": people.pop("income_bracket"), "hours": people.pop("hours_per_week").astype("float32")}

columns = [
    fc.numeric_column("age", normalizer_fn=fc.zscore(38.6, 13.6)),
    fc.numeric_column("education_num", normalizer_fn=fc.zscore(10.1, 2.6)),
    *(fc.embedding_column(fc.categorical_column_with_hash_bucket(key, 100), 8) for key in ("workclass", "occupation", "relationship", "gender")),
]
head = estimator.MultiHead(
    [estimator.BinaryClassHead(label_vocabulary=["<=50K", ">50K"], name="income"), estimator.RegressionHead(name="hours")],
    head_weights=[1.0, 0.002],  # a squared error of hours is some hundred times as large as a cross entropy
)
model = estimator.DNNEstimator(head, [64, 32], columns, optimizer=mlc.optimizers.Adam(0.003), config=estimator.RunConfig(tf_random_seed=1))


def rows(begin, end):
    return data.Dataset.from_arrays(people[begin:end], {name: column[begin:end] for name, column in labels.items()})


model.train(lambda: rows(0, 26000).shuffle().repeat(5).batch(128))
found = model.evaluate(lambda: rows(26000, len(people)).batch(1000))
print(f"income: accuracy {found['accuracy/income']:.3f}, auc {found['auc/income']:.3f}")
print(f"hours: rmse {found['rmse/hours']:.2f}, of always saying the mean {found['baseline/rmse/hours']:.2f}")
for row in model.predict(lambda: data.Dataset.from_arrays(people[26000:26003]).batch(3)):
    print(f"  earns more with probability {row['income', 'logistic'][0]:.2f}, works {row['hours', 'predictions'][0]:.0f} hours a week")
assert found["accuracy/income"] > 0.8 and found["rmse/hours"] < 0.95 * found["baseline/rmse/hours"]
