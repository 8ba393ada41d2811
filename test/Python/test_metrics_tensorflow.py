"""Metrics that are arrays or of the k best, and a loss of pairs, beside what TensorFlow 2.15 made of the same numbers."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import numpy as np
import pytest

from mlc import data, estimator, losses, metrics, ops
from mlc.errors import ModelError
from mlc.estimator import EstimatorSpec, EvalSpec, TrainSpec

I = np.arange(60)
FEATURES = {
    "score": ((I * 37 % 61) / 61).astype(np.float32), "w": (1 + I % 3).astype(np.float32) / 2,
    "class": I * 5 % 4, "told": (I * 3 + I // 7) % 4, "row": (I % 3).astype(np.float32),
    "logits": ((np.arange(360).reshape(60, 6) * 29 % 97) / 97).astype(np.float32),
    "labels": np.stack([I % 6, (I + 1 + I % 4) % 6], 1),
    "a": ((np.arange(240).reshape(60, 4) * 13 % 31) / 31).astype(np.float32),
    "b": ((np.arange(240).reshape(60, 4) * 17 % 29) / 29).astype(np.float32),
}  # fmt: skip
LABELS = (I * 7 % 5 < 2).astype(np.int64)
THRESHOLDS = [0.2, 0.5, 0.8]

EXPECTED = {
    "true_positives_at_thresholds": [11.5, 6.0, 6.0],
    "false_positives_at_thresholds": [36.0, 24.0, 6.0],
    "true_negatives_at_thresholds": [0.0, 12.0, 30.0],
    "false_negatives_at_thresholds": [12.5, 18.0, 18.0],
    "precision_at_thresholds": [0.24210526049137115, 0.20000000298023224, 0.5],
    "recall_at_thresholds": [0.4791666567325592, 0.25, 0.25],
    "specificity_at_sensitivity": 0.0,
    "sensitivity_at_specificity": 0.25,
    "mean_iou": 0.15396063029766083,
    "recall_at_k": 0.4875,
    "recall_at_k_class": 0.5,
    "precision_at_k": 0.325,
    "precision_at_k_class": 0.21428571428571427,
    "average_precision_at_k": 0.3284722222222222,
    "recall_at_1_label": 0.26666666666666666,
}


def made(f, labels):
    at = {name: getattr(metrics, name)(labels, f["score"], THRESHOLDS, f["w"]) for name in EXPECTED if name.endswith("at_thresholds")}
    best = {"labels": f["labels"], "predictions": f["logits"], "k": 3, "weights": f["w"]}
    return at | {
        "specificity_at_sensitivity": metrics.specificity_at_sensitivity(labels, f["score"], 0.7, f["w"]),
        "sensitivity_at_specificity": metrics.sensitivity_at_specificity(labels, f["score"], 0.7, f["w"]),
        "mean_iou": metrics.mean_iou(f["class"], f["told"], 4, f["w"]),
        "recall_at_k": metrics.recall_at_k(**best), "recall_at_k_class": metrics.recall_at_k(class_id=2, **best),
        "precision_at_k": metrics.precision_at_k(**best), "precision_at_k_class": metrics.precision_at_k(class_id=2, **best),
        "average_precision_at_k": metrics.average_precision_at_k(**best),
        "recall_at_1_label": metrics.recall_at_k(f["class"], f["logits"], 2),
    }  # fmt: skip


def model_fn(features, labels, mode):
    loss = ops.mean(features["a"])
    if mode == "train":
        from mlc import train

        return EstimatorSpec(mode, loss=loss, train_op=train.no_op())
    more = {"of_elements": metrics.mean_tensor(ops.mean(features["a"], axis=0)), "grid": metrics.mean_tensor(ops.mean(features["a"]) * np.ones((2, 2)))}
    return EstimatorSpec(mode, loss=loss, eval_metric_ops=made(features, labels) | more)


def rows():
    return data.Dataset.from_arrays(FEATURES, LABELS).batch(20)


def test_metrics_as_tensorflow(tmp_path):
    model = estimator.Estimator(model_fn, str(tmp_path / "m"), config=estimator.RunConfig(save_checkpoints_steps=1))
    found, _ = estimator.train_and_evaluate(model, TrainSpec(rows, max_steps=2), EvalSpec(rows))
    for given in (found, model.evaluate(rows), model.evaluations()[2], estimator.Estimator(model_fn, str(tmp_path / "m")).evaluations()[2]):
        for name, expected in EXPECTED.items():
            assert np.shape(given[name]) == np.shape(expected), name
            np.testing.assert_allclose(given[name], expected, rtol=1e-6, atol=1e-7, err_msg=name)
        np.testing.assert_allclose(given["of_elements"], FEATURES["a"].mean(0), rtol=1e-5)
        assert given["grid"].shape == (2, 2)
    assert list(model.metric_values("mean_iou")) == [1, 2]


def test_an_array_among_added_metrics(tmp_path):
    from mlc import feature_column as fc

    model = estimator.LinearClassifier([fc.numeric_column("score")], str(tmp_path / "m")).train(rows, steps=1)
    added = estimator.add_metrics(
        model, lambda labels, predictions: {"at": metrics.recall_at_thresholds(labels, predictions["logistic"], [0.0, 1.0])}
    )
    np.testing.assert_allclose(added.evaluate(rows)["at"], [1.0, 0.0], atol=1e-6)


def test_pairs(tmp_path):
    def pairs(features, mode):
        one = losses.mean_pairwise_squared_error(features["a"], features["b"])
        other = losses.mean_pairwise_squared_error(features["a"], features["b"], features["row"])
        single = losses.mean_pairwise_squared_error(features["a"][:, :1], features["b"][:, :1])
        return EstimatorSpec(mode, predictions={"all": ops.stack([one, other, single])[None] + ops.zeros_like(features["row"])[:, None]})

    model = estimator.Estimator(pairs, str(tmp_path / "m"))
    found = next(model.predict(lambda: data.Dataset.from_arrays(FEATURES).batch(60)))["all"]
    np.testing.assert_allclose(found, [24.333587646484375, 27.557540893554688, 0.0], rtol=1e-5)

    def vectors(features, mode):
        losses.mean_pairwise_squared_error(features["row"], features["row"])

    with pytest.raises(ModelError, match="expected several elements in each row"):
        next(estimator.Estimator(vectors, str(tmp_path / "v")).predict(lambda: data.Dataset.from_arrays(FEATURES).batch(60)))
