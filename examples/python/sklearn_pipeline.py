#!/usr/bin/env python3
"""Compiled models in the tools of scikit-learn: cross-validation beside another model, a pipeline, a search of settings.

    sklearn_pipeline.py

Shows that a data frame goes in as it is, with texts and missing values: what linear models of scikit-learn need encoders for, the model
learns of the columns itself. Needs pandas and scikit-learn.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from pathlib import Path

import pandas as pd
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV, cross_val_score, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder, StandardScaler

from mlc.sklearn import MLCClassifier

DATA = Path(__file__).resolve().parents[1] / "census/data"
COLUMNS = (
    "age workclass fnlwgt education education_num marital_status occupation relationship race gender capital_gain capital_loss "
    "hours_per_week native_country income_bracket"
).split()
people = pd.read_csv(DATA / "adult-train.csv", names=COLUMNS, skipinitialspace=True, na_values="?", nrows=2000)
x, y = people.drop(columns=["income_bracket", "fnlwgt"]), people["income_bracket"]

encoded = make_column_transformer(
    (StandardScaler(), list(x.select_dtypes("number"))),
    (make_pipeline(SimpleImputer(strategy="constant", fill_value="?"), OneHotEncoder(handle_unknown="ignore")), list(x.select_dtypes(exclude="number"))),
)
for name, model in {
    "LogisticRegression of encoded columns": make_pipeline(encoded, LogisticRegression(max_iter=1000)),
    "MLCClassifier of the frame": MLCClassifier(random_state=1),
}.items():
    scores = cross_val_score(model, x, y, cv=2, scoring="roc_auc")
    print(f"{name:>38}: auc {scores.mean():.3f} +- {scores.std():.3f}")

train_x, test_x, train_y, test_y = train_test_split(x, y, test_size=0.25, random_state=1)


def with_works_much(frame):
    return frame.assign(works_much=frame["hours_per_week"] > 45)


hours = FunctionTransformer(with_works_much)
search = GridSearchCV(make_pipeline(hours, MLCClassifier(random_state=1)), {"mlcclassifier__dropout": [0.0, 0.3]}, cv=2, scoring="roc_auc")
search.fit(train_x, train_y)
print("best of the search:", search.best_params_, f"with auc {search.best_score_:.3f}")
auc = search.score(test_x, test_y)
print(f"auc of rows that chose nothing: {auc:.3f}")
assert scores.mean() > 0.86 and auc > 0.85
