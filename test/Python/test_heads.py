"""Heads: their arguments, and in a model_fn what they make of labels, weights and logits. What they compute is beside
TensorFlow in test_recorded_heads.py; here are NumPy's formulas and what is wrong."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import re

import numpy as np
import pytest

from mlc import data, estimator, layers, losses, metrics, ops, optimizers, train, variables
from mlc import feature_column as fc
from mlc.errors import DataError, ModelError, ModelTypeError, UnsupportedError
from mlc.estimator import EstimatorSpec, ModeKeys

F = np.float32
RANDOM = np.random.default_rng(3)
ROWS = 60
X = RANDOM.normal(size=(ROWS, 3)).astype(F)
W = RANDOM.uniform(0.1, 2.0, ROWS).astype(F)
TEXTS = np.array(["a", "b", "c"])


def evaluated(head, logits, labels, features=None, batch=ROWS, tmp_path=None, mode=ModeKeys.EVAL):
    """Metrics, or in PREDICT predictions, of a head with logits that are features."""

    def model_fn(features, labels, mode):
        return head.create_estimator_spec(features, mode, features["logits"], labels)

    model = estimator.Estimator(model_fn, str(tmp_path))
    columns = {"logits": np.asarray(logits, F), **(features or {})}
    if mode == ModeKeys.PREDICT:
        rows = data.Dataset.from_arrays(columns).batch(batch)
        return {k: v for part in model.predict(lambda: rows, yield_single_examples=False) for k, v in part.items()}
    return model.evaluate(lambda: data.Dataset.from_arrays(columns, labels).batch(batch))


def sigmoid_loss(labels, logits):
    return np.maximum(logits, 0) - logits * labels + np.log1p(np.exp(-np.abs(logits)))


# Arguments


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: estimator.BinaryClassHead(thresholds=[0.0]), ValueError, r"thresholds must be in \(0, 1\)"),
        (lambda: estimator.BinaryClassHead(thresholds=[float("nan")]), ValueError, r"thresholds must be in \(0, 1\)"),
        (lambda: estimator.BinaryClassHead(thresholds=0.5), ValueError, "list of numbers"),
        (lambda: estimator.BinaryClassHead(thresholds=[None]), ValueError, "Given: None"),
        (lambda: estimator.BinaryClassHead(thresholds=[0.5, 0.5000001]), ValueError, "metrics of one name, 0.5"),
        (lambda: estimator.BinaryClassHead(label_vocabulary="ab"), ValueError, "list of strings. Given type"),
        (lambda: estimator.BinaryClassHead(label_vocabulary=["a", 1]), ValueError, "found 1"),
        (lambda: estimator.BinaryClassHead(label_vocabulary=["a", "a"]), ValueError, "a label twice"),
        (lambda: estimator.BinaryClassHead(label_vocabulary=["a", "b", "c"]), ValueError, r"n_classes \(2\). Given: 3"),
        (lambda: estimator.BinaryClassHead(loss_reduction="none"), ValueError, "Invalid loss_reduction: none"),
        (lambda: estimator.BinaryClassHead(weight_column=1), TypeError, "string or NumericColumn"),
        (lambda: estimator.BinaryClassHead(loss_fn=lambda labels: labels), ValueError, "must contain argument: logits"),
        (lambda: estimator.BinaryClassHead(loss_fn=lambda labels, logits, x: 0), ValueError, r"unexpected args: \['x'\]"),
        (lambda: estimator.BinaryClassHead(loss_fn="mse"), ValueError, "a function of labels and logits; found 'mse'"),
        (lambda: estimator.BinaryClassHead(name=""), ValueError, "name of a head must be a text"),
        (lambda: estimator.MultiClassHead(2), ValueError, "n_classes must be an integer of at least 3; found 2"),
        (lambda: estimator.MultiClassHead(None), ValueError, "n_classes .*found None"),
        (lambda: estimator.MultiClassHead(True), ValueError, "n_classes .*found True"),
        (lambda: estimator.MultiClassHead(3.0), ValueError, "n_classes .*found 3.0"),
        (lambda: estimator.MultiLabelHead(1), ValueError, "n_classes must be an integer of at least 2"),
        (lambda: estimator.MultiLabelHead(3, classes_for_class_based_metrics=[3]), ValueError, r"range \[0, 2\]. Given: 3"),
        (lambda: estimator.MultiLabelHead(3, classes_for_class_based_metrics=[-1]), ValueError, r"Given: -1"),
        (lambda: estimator.MultiLabelHead(3, classes_for_class_based_metrics=["a"]), ValueError, "label_vocabulary must be"),
        (lambda: estimator.MultiLabelHead(3, classes_for_class_based_metrics=[1, 1]), ValueError, "has 1 twice"),
        (lambda: estimator.MultiLabelHead(2, None, None, ["a", "b"], classes_for_class_based_metrics=["c"]), ValueError,
         "'c' is not in the label_vocabulary"),
        (lambda: estimator.RegressionHead(0), ValueError, "label_dimension must be an integer of at least 1"),
        (lambda: estimator.RegressionHead(inverse_link_fn=3), ValueError, "inverse_link_fn must be a function"),
        (lambda: estimator.SampledSoftmaxHead(10, 10), ValueError, r"num_sampled must be below n_classes \(10\)"),
        (lambda: estimator.SampledSoftmaxHead(10, 3, sampler="zipf"), ValueError, "sampler must be one of log_uniform"),
        (lambda: estimator.MultiHead([]), ValueError, "Must specify heads"),
        (lambda: estimator.MultiHead([estimator.RegressionHead()]), ValueError, "must have name specified"),
        (lambda: estimator.MultiHead([estimator.RegressionHead(name="a")] * 2), ValueError, "two heads of the name 'a'"),
        (lambda: estimator.MultiHead([estimator.RegressionHead(name="a")], [1, 2]), ValueError, "must have the same size"),
        (lambda: estimator.MultiHead([estimator.RegressionHead(name="a")], [np.inf]), ValueError, "finite numbers; found inf"),
        (lambda: estimator.MultiHead([estimator.RegressionHead(name="a")], ["x"]), ValueError, "finite numbers; found 'x'"),
        (lambda: estimator.MultiHead(estimator.RegressionHead(name="a")), ValueError, "Must specify heads"),
        (lambda: estimator.MultiHead(["a"]), TypeError, "heads of mlc.estimator.*found 'a'"),
    ],
)  # fmt: skip
def test_what_a_constructor_refuses(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_properties():
    head = estimator.MultiClassHead(np.int64(4), loss_reduction="Reduction.SUM", name="x")
    assert (head.name, head.logits_dimension, head.loss_reduction) == ("x", 4, "sum")
    assert estimator.BinaryClassHead(loss_reduction="auto").loss_reduction == "sum_over_batch_size"
    regressions = estimator.RegressionHead(2, name="a"), estimator.PoissonRegressionHead(3, name="b")
    both = estimator.MultiHead(regressions)
    assert (both.name, both.logits_dimension, both.loss_reduction) == ("a_b", 5, "sum_over_batch_size")
    mixed = estimator.MultiHead([regressions[0], head])
    with pytest.raises(ValueError, match="must be the same for different heads"):
        _ = mixed.loss_reduction
    assert isinstance(regressions[1], estimator.RegressionHead) and isinstance(both, estimator.Head)


# In a model_fn


def test_logits_of_higher_rank_have_labels_and_weights_of_theirs(tmp_path):
    logits, labels = RANDOM.normal(size=(ROWS, 4, 3)).astype(F), RANDOM.integers(0, 3, (ROWS, 4))
    weights = RANDOM.uniform(0, 2, (ROWS, 4)).astype(F)
    found = evaluated(estimator.MultiClassHead(3, "w"), logits, labels, {"w": weights}, tmp_path=tmp_path / "e")
    each = np.log(np.exp(logits).sum(-1)) - np.take_along_axis(logits, labels[..., None], -1)[..., 0]
    right = logits.argmax(-1) == labels
    assert found["loss"] == pytest.approx((each * weights).sum() / each.size, rel=1e-5)
    assert found["average_loss"] == pytest.approx((each * weights).sum() / weights.sum(), rel=1e-5)
    assert found["accuracy"] == pytest.approx((right * weights).sum() / weights.sum(), rel=1e-6)
    of_texts = estimator.MultiClassHead(3, "w", list(TEXTS))
    assert evaluated(of_texts, logits, TEXTS[labels], {"w": weights}, tmp_path=tmp_path / "t") == found
    with pytest.raises(DataError, match="record 60: label: 'd' is not in the vocabulary"):
        wrong = np.append(TEXTS[labels[:-1]], [["a", "b", "d", "a"]], 0)
        evaluated(of_texts, logits, wrong, {"w": weights}, tmp_path=tmp_path / "u")
    made = evaluated(estimator.MultiClassHead(3), logits, None, tmp_path=tmp_path / "p", mode=ModeKeys.PREDICT)
    np.testing.assert_array_equal(made["class_ids"], logits.argmax(-1)[..., None])
    assert made["probabilities"].shape == (ROWS, 4, 3) and made["all_class_ids"].shape == (ROWS, 3)


def test_elements_of_a_regression_may_have_weights_of_their_own(tmp_path):
    logits, labels = RANDOM.normal(size=(ROWS, 2)).astype(F), RANDOM.normal(size=(ROWS, 2)).astype(F)
    weights = RANDOM.uniform(0, 2, (ROWS, 2)).astype(F)
    head = estimator.RegressionHead(2, "w", loss_reduction="mean")
    found = evaluated(head, logits, labels, {"w": weights}, tmp_path=tmp_path)
    wanted = (weights * (logits - labels) ** 2).sum() / weights.sum()
    assert found["loss"] == pytest.approx(wanted, rel=1e-5) == found["average_loss"]


def test_weights_may_be_integers_or_what_a_normalizer_makes_of_a_column(tmp_path):
    logits, labels = X[:, :1], (X[:, 1] > 0).astype(np.int64)
    counts = RANDOM.integers(0, 4, (ROWS, 1))
    each = sigmoid_loss(labels[:, None], logits)
    for column, weights in (("w", counts), (fc.numeric_column("w", normalizer_fn=lambda x: x * x), counts**2)):
        head = estimator.BinaryClassHead(column, loss_reduction="sum")
        found = evaluated(head, logits, labels, {"w": counts}, tmp_path=tmp_path / str(weights.sum()))
        assert found["loss"] == pytest.approx((each * weights).sum(), rel=1e-5)


def test_a_loss_fn_gets_what_it_asks_for(tmp_path):
    seen = []

    def squared(labels, logits, features, loss_reduction):
        seen.append((labels.type_string, logits.type_string, sorted(features), loss_reduction))
        return ops.square(labels - logits)

    labels = (X[:, 0] > 0).astype(np.int32)
    found = evaluated(estimator.BinaryClassHead(loss_fn=squared), X[:, :1], labels, tmp_path=tmp_path)
    assert seen[0] == ("float32[?, 1]", "float32[?, 1]", ["logits"], "sum_over_batch_size")
    assert found["loss"] == pytest.approx(((labels - X[:, 0]) ** 2).mean(), rel=1e-5)
    bad = estimator.BinaryClassHead(loss_fn=lambda labels, logits: ops.mean(logits))
    with pytest.raises(ModelError, match=r"loss_fn must return Tensor of shape \[D0, D1, ... DN, 1\]; found float32\[\]"):
        evaluated(bad, X[:, :1], labels, tmp_path=tmp_path / "2")
    bad = estimator.RegressionHead(inverse_link_fn=lambda x: x[:, 0])
    with pytest.raises(ModelError, match="inverse_link_fn returns"):
        evaluated(bad, X[:, :1], X[:, :1], tmp_path=tmp_path / "3")


def test_the_best_of_many_classes(tmp_path):
    """As tf.math.in_top_k: ties are for the label."""
    logits = RANDOM.normal(size=(ROWS, 8)).round(0).astype(F)  # many ties
    labels = RANDOM.integers(0, 8, ROWS)
    head = estimator.MultiClassHead(8, weight_column="w")
    found = evaluated(head, logits, labels, {"w": W}, batch=16, tmp_path=tmp_path / "m")
    above = (logits > logits[np.arange(ROWS), labels][:, None]).sum(1)
    assert found["top_5_accuracy"] == pytest.approx(np.average(above < 5, weights=W), rel=1e-6)
    assert "top_5_accuracy" not in evaluated(estimator.MultiClassHead(5), logits[:, :5], labels % 5, tmp_path=tmp_path / "five")


def test_bools_and_small_integers_are_labels(tmp_path):
    truths = X[:, 1] > 0
    wanted = sigmoid_loss(truths[:, None], X[:, :1]).mean()
    for i, labels in enumerate((truths, truths.astype(np.int8), truths.astype(np.uint16)[:, None], truths.astype(F))):
        found = evaluated(estimator.BinaryClassHead(), X[:, :1], labels, tmp_path=tmp_path / str(i))
        assert found["loss"] == pytest.approx(wanted, rel=1e-5)


def test_sets_of_texts_may_be_of_any_size(tmp_path):
    sets = [list(TEXTS[RANDOM.random(3) < 0.4]) for _ in range(ROWS)]
    marks = np.array([[text in row for text in TEXTS] for row in sets])
    head = estimator.MultiLabelHead(3, label_vocabulary=list(TEXTS))
    found = evaluated(head, X, sets, tmp_path=tmp_path / "sets")
    assert found["loss"] == pytest.approx(sigmoid_loss(marks, X).mean(), rel=1e-5)
    assert found == evaluated(head, X, marks, tmp_path=tmp_path / "marks")
    single = evaluated(head, X, np.resize(TEXTS, ROWS), tmp_path=tmp_path / "single")
    assert single["loss"] == pytest.approx(sigmoid_loss(np.resize(np.eye(3), (ROWS, 3)), X).mean(), rel=1e-5)


VOCABULARY = ["a", "b", "c"]


@pytest.mark.parametrize(
    ("head", "good", "bad", "text"),
    [
        (estimator.BinaryClassHead(), 1, 2, "label: 2 is out of range"),
        (estimator.BinaryClassHead(), 0.5, 1.25, "label, a number from 0 to 1: 1.25"),
        (estimator.BinaryClassHead(), 0.5, np.nan, "label, a number from 0 to 1: nan"),
        (estimator.BinaryClassHead(label_vocabulary=["a", "b"], name="spam"), "a", "c", "label of head 'spam': 'c' is not in"),
        (estimator.MultiClassHead(3), 2, -1, "label: -1 is out of range"),
        (estimator.MultiClassHead(3), 2, 2**40, f"label: {2**40} is out of range"),
        (estimator.MultiClassHead(3, label_vocabulary=VOCABULARY), "b", "B", "'B' is not in the vocabulary"),
        (estimator.MultiClassHead(3, label_vocabulary=VOCABULARY), "b", "", "'' is not in the vocabulary"),
        (estimator.MultiLabelHead(3), [0, 1, 1], [0, 2, 1], "0 or 1 for each class: 2"),
        (estimator.MultiLabelHead(3, label_vocabulary=VOCABULARY), ["a", ""], ["", "d"], "'d' is not in the vocabulary"),
        (estimator.LogisticRegressionHead(), 0.0, -0.5, "a number from 0 to 1: -0.5"),
        (estimator.PoissonRegressionHead(2), [0.0, 3.0], [1.0, -1.0], "a number of at least 0: -1"),
    ],
)
def test_a_label_out_of_range_is_told_with_its_row(head, good, bad, text, tmp_path):
    labels = np.array([good] * 7 + [bad] + [good] * 2)
    logits = np.zeros((10, head.logits_dimension))
    with pytest.raises(DataError, match=re.escape(text)) as caught:
        evaluated(head, logits, labels, batch=3, tmp_path=tmp_path)
    assert "record 8" in str(caught.value)


@pytest.mark.parametrize(
    ("head", "logits", "labels", "error", "text"),
    [
        (estimator.BinaryClassHead(), X, X[:, 0] > 0, ModelError, r"got float32\[\?, 3\]; expected the logits_dimension 1"),
        (estimator.BinaryClassHead(), X[:, 0], X[:, 0] > 0, ModelError, r"logits shape must be .* got float32\[\?\]"),
        (estimator.BinaryClassHead(), X[:, :1], None, ModelError, "You must provide a labels Tensor"),
        (estimator.BinaryClassHead(), X[:, :1], {"y": W}, ModelTypeError, r"labels are a dict of \['y'\]"),
        (estimator.BinaryClassHead(), X[:, :1], np.resize(TEXTS, ROWS), ModelTypeError, "give the head a label_vocabulary"),
        (estimator.BinaryClassHead(label_vocabulary=["a", "b"]), X[:, :1], X[:, 0] > 0, ModelTypeError, "should be string"),
        (estimator.MultiClassHead(3), X, W, ModelTypeError, r"Labels dtype should be integer. Instead got float32\[\?, 1\]"),
        (estimator.MultiClassHead(3), X, np.eye(3, dtype=int)[np.zeros(ROWS, int)], ModelError,
         r"Expected labels dimension=1.  Received 3(.|\n)*labels and logits: int64\[\?, 3\], float32\[\?, 3\]"),
        (estimator.MultiClassHead(3), X[:, None], np.zeros((ROWS, 2, 1), int), ModelError, "have different shapes"),
        (estimator.MultiLabelHead(3), X, np.zeros(ROWS, int), ModelError, r"expected \[.., 3\] of 0 and 1; of ids of classes"),
        (estimator.MultiLabelHead(3), X, np.resize(TEXTS, ROWS), ModelTypeError, "give the head a label_vocabulary"),
        (estimator.RegressionHead(2), X[:, :2], W, ModelError, "Expected labels dimension=2.  Received 1"),
        (estimator.RegressionHead(), X[:, :1], np.resize(TEXTS, ROWS), ModelTypeError, "expected numbers"),
        (estimator.BinaryClassHead("v"), X[:, :1], X[:, 0] > 0, ModelError, "no key 'v'; found 'logits', 'w'"),
        (estimator.BinaryClassHead("logits"), X[:, None, :1], X[:, :1] > 0, ModelError, None),
        (estimator.MultiClassHead(3, "logits"), X, X[:, 0] > 0, ModelError, r"weights shape must be \[D0, D1, ... DN\] or"),
    ],
)  # fmt: skip
def test_what_does_not_fit_is_told_with_the_line(head, logits, labels, error, text, tmp_path):
    if text is None:  # weights of the logits' shape are those of one logit
        assert np.isfinite(evaluated(head, logits, labels, tmp_path=tmp_path)["loss"])
        return
    with pytest.raises(error, match=text) as caught:
        evaluated(head, logits, labels, {"w": W}, tmp_path=tmp_path)
    assert "test_heads.py" in str(caught.value) and "head.create_estimator_spec" in str(caught.value)


def test_create_estimator_spec_checks_how_to_train(tmp_path):
    head = estimator.BinaryClassHead()
    sgd = optimizers.SGD(0.1)

    def error_of(**keywords):
        def model_fn(features, labels, mode):
            return head.create_estimator_spec(features, mode, layers.dense(features["x"], 1), labels, **keywords)

        model = estimator.Estimator(model_fn, str(tmp_path))
        with pytest.raises(ModelError) as caught:
            model.train(lambda: data.Dataset.from_arrays({"x": X}, W > 1).batch(10))
        return str(caught.value)

    assert "cannot both be None" in error_of()
    assert "cannot both be set" in error_of(optimizer=sgd, train_op_fn=sgd.minimize)
    assert "The given optimizer is 'Adam'; expected one of mlc.optimizers" in error_of(optimizer="Adam")
    assert "trainable_variables should be a list or a tuple" in error_of(optimizer=sgd, trainable_variables={})
    assert "update_ops should be a list or a tuple" in error_of(optimizer=sgd, update_ops=train.no_op)
    assert "Missing train_op" in error_of(train_op_fn=lambda loss: None)


def test_predictions_by_keys_and_metrics_of_ones_own(tmp_path):
    head = estimator.BinaryClassHead(name="h")

    def model_fn(features, labels, mode):
        logits = layers.dense(features["x"], 1)
        if mode == ModeKeys.PREDICT:
            with pytest.raises(ModelError, match="Prediction key must be in PredictionKeys, given: scores"):
                head.predictions(logits, ["scores"])
            return EstimatorSpec(mode, predictions=head.predictions(logits, ["classes", "logits"]))
        loss = head.loss(labels, logits, features, mode)
        names = head.metrics() | {"mine": metrics.mean(logits)}
        return EstimatorSpec(mode, loss=loss, eval_metric_ops=head.update_metrics(names, features, logits, labels))

    model = estimator.Estimator(model_fn, str(tmp_path))
    rows = data.Dataset.from_arrays({"x": X}, W > 1).batch(25)
    found = model.evaluate(lambda: rows)
    assert {"mine", "accuracy/h", "auc_precision_recall/h"} <= set(found) and "regularization_loss/h" not in found
    assert set(next(iter(model.predict(lambda: rows)))) == {"classes", "logits"}


def test_metrics_that_no_batch_was_given_to_are_told(tmp_path):
    head = estimator.RegressionHead()

    def model_fn(features, labels, mode):
        loss = head.loss(labels, features["x"][:, :1], features, mode)
        return EstimatorSpec(mode, loss=loss, eval_metric_ops=head.metrics())

    model = estimator.Estimator(model_fn, str(tmp_path))
    with pytest.raises(ModelTypeError, match=r"eval_metric_ops\['average_loss'\] is .*expected a metric"):
        model.evaluate(lambda: data.Dataset.from_arrays({"x": X}, W).batch(10))


def test_update_ops_run_and_losses_of_the_head_are_no_losses_of_the_module(tmp_path):
    head = estimator.RegressionHead()

    def model_fn(features, labels, mode):
        logits = layers.dense(features["x"], 1)
        seen = variables.get_variable("seen", [], initializer="zeros", trainable=False)
        spec = head.create_estimator_spec(
            features, mode, logits, labels, optimizers.SGD(0.1), update_ops=[seen.assign_add(1.0)]
        )  # fmt: skip
        assert losses.get_losses() == []
        return spec

    model = estimator.Estimator(model_fn, str(tmp_path))
    model.train(lambda: data.Dataset.from_arrays({"x": X}, W).batch(10), steps=4)
    assert model.get_variable_value("seen") == 4


def test_a_head_of_ones_own_has_create_estimator_spec(tmp_path):
    class Median(estimator.Head):
        name, logits_dimension, loss_reduction = "median", 1, "mean"

        def loss(self, labels, logits, features=None, mode=None, regularization_losses=None):
            return losses.absolute_difference(labels, logits)

        def predictions(self, logits, keys=None):
            return {"median": logits}

        def metrics(self, regularization_losses=None):
            return {}

        def update_metrics(self, eval_metrics, features, logits, labels, regularization_losses=None):
            return {"mae": metrics.mean_absolute_error(labels, logits)}

    def model_fn(features, labels, mode):
        bias = variables.get_variable("bias", [1], initializer="zeros")
        logits = ops.zeros_like(features["x"][:, :1]) + bias
        return Median().create_estimator_spec(features, mode, logits, labels, optimizers.SGD(0.02))

    rows = data.Dataset.from_arrays({"x": X}, W)
    model = estimator.Estimator(model_fn, str(tmp_path)).train(lambda: rows.repeat(150).batch(ROWS))
    assert model.get_variable_value("bias") == pytest.approx(np.median(W), abs=0.05)
    assert model.evaluate(lambda: rows.batch(ROWS))["mae"] == pytest.approx(np.abs(W - np.median(W)).mean(), abs=0.01)
    with pytest.raises(UnsupportedError, match="canned Estimators do not take a Median; a model_fn"):
        estimator.BaselineEstimator(Median())
