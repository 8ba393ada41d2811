#!/usr/bin/env python3
"""Wide and deep on census data: does a person earn more than 50K a year?

    census_wide_deep.py [MODEL_DIR]

Shows feature columns (numbers, vocabularies, hashes, crosses, embeddings), training rows that the runtime reads from a CSV file, a data
frame to evaluate on, an evaluation and an export at each checkpoint. Called again with the same MODEL_DIR it goes on where it was.
Needs pandas. Based on the tutorial of Cheng et al., "Wide & Deep Learning for Recommender Systems" (2016).
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys
import tempfile
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

# Numbers, brought to about the same size.
age = fc.numeric_column("age", normalizer_fn=fc.zscore(38.6, 13.6))
numbers = [
    age,
    fc.numeric_column("education_num", normalizer_fn=fc.zscore(10.1, 2.6)),
    fc.numeric_column("capital_gain", normalizer_fn=fc.log1p()),
    fc.numeric_column("capital_loss", normalizer_fn=fc.log1p()),
    fc.numeric_column("hours_per_week", normalizer_fn=fc.zscore(40.4, 12.3)),
]
# Categories: a list where one knows it, else a hash.
relationship = fc.categorical_column_with_vocabulary_list(
    "relationship", ["Husband", "Not-in-family", "Wife", "Own-child", "Unmarried", "Other-relative"]
)
hashed = {key: fc.categorical_column_with_hash_bucket(key, 200) for key in ("workclass", "education", "marital_status", "occupation", "native_country")}
decade = fc.bucketized_column(fc.numeric_column("age"), [20, 30, 40, 50, 60])

# The wide part remembers combinations, the deep part finds what they have in common.
wide = [relationship, *hashed.values(), decade, fc.crossed_column(["education", "occupation"], 2000)]
deep = [*numbers, fc.indicator_column(relationship), *(fc.embedding_column(column, 8) for column in hashed.values())]


def train_rows():
    rows = data.Dataset.from_csv(DATA / "adult-train.csv", "income_bracket", column_names=COLUMNS, header=False, skip_initial_space=True, na_value="?")
    return rows.shuffle().repeat().batch(128)


test = pd.read_csv(DATA / "adult-test.csv", names=COLUMNS, skipinitialspace=True, na_values="?")
test["income_bracket"] = test["income_bracket"].str.rstrip(".")  # the labels of this file end in a full stop


def test_rows():
    return data.Dataset.from_frame(test, "income_bracket").batch(1024)


model = estimator.DNNLinearCombinedClassifier(
    sys.argv[1] if len(sys.argv) > 1 else tempfile.mkdtemp(),
    linear_feature_columns=wide,
    dnn_feature_columns=deep,
    dnn_hidden_units=[64, 32],
    dnn_optimizer=mlc.optimizers.Adam(0.001),
    dnn_dropout=0.1,
    label_vocabulary=["<=50K", ">50K"],
    config=estimator.RunConfig(tf_random_seed=1, save_checkpoints_steps=500),
)
best = estimator.BestExporter("best", metric="auc", larger_is_better=True)
metrics, exports = estimator.train_and_evaluate(
    model, estimator.TrainSpec(train_rows, max_steps=1500), estimator.EvalSpec(test_rows, steps=None, exporters=best)
)
for step, found in sorted(model.evaluations().items()):
    print(f"step {step:5}: accuracy {found['accuracy']:.4f}, auc {found['auc']:.4f}, loss {found['average_loss']:.4f}")
print("exported:", *(path.decode() for path in exports))
assert metrics["accuracy"] > 0.84 and metrics["auc"] > 0.89
