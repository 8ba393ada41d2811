"""Heads of tf.estimator, and rows that they learn: for test/Recorded/record_heads.py and test/Python/test_recorded_heads.py.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import numpy as np

ROWS, BATCH, FEATURES, RATE = 96, 16, 3, 0.1
VOCABULARY = ["low", "mid", "high"]

_random = np.random.RandomState(7)
X = _random.normal(size=(ROWS, FEATURES)).astype(np.float32)
WEIGHTS = _random.uniform(0.1, 2.0, ROWS).astype(np.float32)
_scores = X @ _random.normal(size=(FEATURES, 3)).astype(np.float32) + _random.normal(size=(ROWS, 3)).astype(np.float32)
_classes = _scores.argmax(1)
_marks = (_scores > 0.3).astype(np.int64)
_shares = np.round(1 / (1 + np.exp(-_scores[:, 0])), 2).astype(np.float32)
_counts = _random.poisson(np.exp(_scores[:, :2] / 3)).astype(np.float32)

LABELS = {
    "binary": (_scores[:, 0] > 0).astype(np.int64),
    "binary_text": np.where(_scores[:, 0] > 0, "yes", "no"),
    "shares": _shares,
    "classes": _classes,
    "class_texts": np.array(VOCABULARY)[_classes][:, None],
    "marks": _marks,
    "sets": np.where(_marks > 0, np.array(VOCABULARY), ""),
    "number": _scores[:, 0],
    "numbers": _scores[:, :2],
    "count": _counts[:, 0],
    "counts": _counts,
}

# By name: the class, its arguments, its labels. "absolute" and "exp" stand for functions.
CASES = {
    "binary": ("BinaryClassHead", {"thresholds": [0.25, 0.5, 0.7]}, "binary"),
    "binary_weighted": ("BinaryClassHead", {"weight_column": "w", "thresholds": [0.3], "name": "first"}, "binary"),
    "binary_text": ("BinaryClassHead", {"label_vocabulary": ["no", "yes"], "loss_reduction": "sum"}, "binary_text"),
    "shares": ("BinaryClassHead", {"weight_column": "w", "thresholds": [0.4]}, "shares"),
    "binary_loss_fn": ("BinaryClassHead", {"loss_fn": "absolute", "weight_column": "w"}, "binary"),
    "classes": ("MultiClassHead", {"n_classes": 3}, "classes"),
    "class_texts": ("MultiClassHead", {"n_classes": 3, "weight_column": "w", "label_vocabulary": VOCABULARY}, "class_texts"),
    "marks": ("MultiLabelHead", {"n_classes": 3, "weight_column": "w", "thresholds": [0.25, 0.5],
                                 "classes_for_class_based_metrics": [0, 2]}, "marks"),
    "sets": ("MultiLabelHead", {"n_classes": 3, "label_vocabulary": VOCABULARY, "loss_reduction": "sum",
                                "classes_for_class_based_metrics": ["mid"]}, "sets"),
    "number": ("RegressionHead", {}, "number"),
    "numbers": ("RegressionHead", {"label_dimension": 2, "weight_column": "w", "name": "pair"}, "numbers"),
    "number_linked": ("RegressionHead", {"loss_fn": "absolute", "inverse_link_fn": "exp"}, "number"),
    "logistic": ("LogisticRegressionHead", {"weight_column": "w"}, "shares"),
    "count": ("PoissonRegressionHead", {"weight_column": "w"}, "count"),
    "counts": ("PoissonRegressionHead", {"label_dimension": 2, "compute_full_loss": False}, "counts"),
}  # fmt: skip
CANNED = [name for name, (_, arguments, _) in CASES.items() if not {"loss_fn", "inverse_link_fn", "name"} & set(arguments)]
# The parts of a MultiHead, with the factors of their losses.
MULTI = {"binary_weighted": 1.5, "numbers": 0.5}
# Those of one in canned Estimators, by name: the case, and the factor.
SEVERAL = {
    "first": ("binary_weighted", 1.5), "kind": ("class_texts", 1.0), "pair": ("numbers", 0.5), "some": ("marks", 2.0),
    "times": ("count", 0.25), "rate": ("logistic", 1.0),
}  # fmt: skip
HIDDEN_UNITS = [4]


def first_value(name, shape):
    """What a variable of a DNN begins with."""
    return (0.5 * np.random.RandomState(len(name)).normal(size=shape)).astype(np.float32)


def first_kernel(units):
    """The kernel of the model's logits."""
    return (0.5 * np.random.RandomState(units).normal(size=(FEATURES, units))).astype(np.float32)
