"""Several heads of one model_fn, and the head of very many classes."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import numpy as np
import pytest

from mlc import data, estimator, layers, ops, optimizers, train, variables
from mlc.errors import ModelError, UnsupportedError
from mlc.estimator import EstimatorSpec

F = np.float32
RANDOM = np.random.default_rng(4)
ROWS = 60
X = RANDOM.normal(size=(ROWS, 3)).astype(F)
W = RANDOM.uniform(0.1, 2.0, ROWS).astype(F)
COUNTS = RANDOM.poisson(2.0, ROWS)
KINDS = X.argmax(1)


def two_heads(features, labels, mode):
    head = estimator.MultiHead([estimator.MultiClassHead(3, name="kind"), estimator.PoissonRegressionHead(name="count")])
    logits = layers.dense(features["x"], head.logits_dimension)
    return head.create_estimator_spec(features, mode, logits, labels, optimizers.Adam(0.05))


def test_several_heads_train_predict_and_are_exported(tmp_path):
    model = estimator.Estimator(two_heads, str(tmp_path / "m"), estimator.RunConfig(tf_random_seed=1))
    labels = {"kind": KINDS, "count": COUNTS}
    model.train(lambda: data.Dataset.from_arrays({"x": X}, labels).repeat(40).batch(20))
    found = model.evaluate(lambda: data.Dataset.from_arrays({"x": X}, labels).batch(20))
    assert found["accuracy/kind"] > 0.9
    assert found["loss"] == pytest.approx(found["loss/kind"] + found["loss/count"], rel=1e-6)
    assert found["average_loss/count"] == pytest.approx(found["loss/count"], rel=1e-5)
    rows = data.Dataset.from_arrays({"x": X}).batch(20)
    all_of_row = next(iter(model.predict(lambda: rows)))
    assert {("kind", "class_ids"), ("count", "predictions")} <= set(all_of_row)
    keys = [("kind", "class_ids"), ("count", "logits")]
    assert set(next(iter(model.predict(lambda: rows, predict_keys=keys)))) == set(keys)
    predictor = model.predictor({"x": X[:1]})
    assert predictor({"x": X[:2]})["count", "predictions"].shape == (2, 1)
    assert b"e" in model.export_saved_model(str(tmp_path / "e"))


def test_losses_of_heads_with_names_are_summaries(tmp_path):
    class Fetched(train.SessionRunHook):
        def before_run(self, context):
            return train.SessionRunArgs(["loss", "loss/a", "loss/b", "regularization_loss"])

        def after_run(self, context, values):
            self.values = values.results

    def model_fn(features, labels, mode):
        head = estimator.MultiHead([estimator.RegressionHead(name="a"), estimator.RegressionHead(name="b")], [1.0, 3.0])
        logits = layers.dense(features["x"], 2)
        return head.create_estimator_spec(
            features, mode, logits, labels, optimizers.SGD(0.1),
            regularization_losses=[ops.constant(0.25), ops.constant(0.5)],
        )  # fmt: skip

    hook = Fetched()
    rows = data.Dataset.from_arrays({"x": X}, {"a": W, "b": X[:, 0]}).batch(ROWS)
    estimator.Estimator(model_fn, str(tmp_path)).train(lambda: rows, hooks=[hook])
    total, of_a, of_b, penalty = hook.values
    assert penalty == 0.75 and total == pytest.approx(of_a + 3 * of_b + penalty, rel=1e-6)


@pytest.mark.parametrize(
    ("logits", "labels", "text"),
    [
        (lambda x: x, {"a": W, "b": W}, r"individual logits dimensions: \[1, 1\]. .* should equal 2"),
        (lambda x: {"a": x[:, :1]}, {"a": W, "b": W}, r"logits has missing values for head\(s\): \['b'\]"),
        (lambda x: {"a": x[:, :1], "b": x[:, :1]}, {"a": W, "bb": W}, r"labels has missing .*\['b'\]; found \['a', 'bb'\]"),
        (lambda x: x[:, :2], W, "labels must be a dict by the names of the heads"),
    ],
)
def test_what_several_heads_miss_is_told(logits, labels, text, tmp_path):
    head = estimator.MultiHead([estimator.RegressionHead(name="a"), estimator.RegressionHead(name="b")])

    def model_fn(features, labels, mode):
        return head.create_estimator_spec(features, mode, logits(features["x"]), labels)

    with pytest.raises(ModelError, match=text.replace("has missing", "(has|have) missing")):
        estimator.Estimator(model_fn, str(tmp_path)).evaluate(lambda: data.Dataset.from_arrays({"x": X}, labels).batch(9))


def test_a_subclass_with_another_loss_is_trained_and_evaluated_by_it(tmp_path):
    class Doubled(estimator.RegressionHead):
        def loss(self, labels, logits, features=None, mode=None, regularization_losses=None):
            return super().loss(labels, logits, features, mode, regularization_losses) * 2.0

    def of(head, labels):
        def model_fn(features, labels, mode):
            bias = variables.get_variable("bias", [1], initializer="zeros")
            return head.create_estimator_spec(features, mode, features["x"] * 0.0 + bias, labels, optimizers.SGD(0.25))

        rows = data.Dataset.from_arrays({"x": X[:, :1]}, labels).batch(ROWS)
        model = estimator.Estimator(model_fn, str(tmp_path / head.name))
        before = model.evaluate(lambda: rows)["loss"]
        model.train(lambda: rows)
        return before, model.get_variable_value("bias")[0]

    alone = of(Doubled(name="alone"), W)
    assert alone[0] == pytest.approx(2 * np.mean(W**2), rel=1e-5) and alone[1] == pytest.approx(W.mean(), rel=1e-5)
    assert of(estimator.MultiHead([Doubled(name="several")]), {"several": W}) == pytest.approx(alone, rel=1e-6)


def test_keys_of_predictions_that_have_one_name_are_told(tmp_path):
    def model_fn(features, labels, mode):
        return EstimatorSpec(mode, predictions={("a", "b"): features["x"], "a/b": features["x"]})

    with pytest.raises(ModelError, match="have one name, 'a/b'"):
        list(estimator.Estimator(model_fn, str(tmp_path)).predict(lambda: data.Dataset.from_arrays({"x": X}).batch(9)))


# Many classes


def test_a_sampled_softmax_learns_and_evaluates_with_all_classes(tmp_path):
    classes, size = 300, 8
    centers = RANDOM.normal(size=(classes, size)).astype(F) * 3
    labels = np.minimum(RANDOM.zipf(1.5, 3000), classes) - 1
    x = centers[labels] + RANDOM.normal(size=(3000, size)).astype(F)
    head = estimator.SampledSoftmaxHead(classes, 20, "w", name="words")

    def model_fn(features, labels, mode):
        return head.create_estimator_spec(
            features, mode, features["x"], labels, optimizers.Adagrad(0.3), trainable_variables=[]
        )

    features = {"x": x, "w": np.ones(len(x), F)}
    model = estimator.Estimator(model_fn, str(tmp_path), estimator.RunConfig(tf_random_seed=1))
    rows = data.Dataset.from_arrays(features, labels)
    before = model.evaluate(lambda: rows.batch(500))
    model.train(lambda: rows.shuffle().repeat(10).batch(50))
    found = model.evaluate(lambda: rows.batch(500))
    weights, biases = model.get_variable_value("words/weights"), model.get_variable_value("words/biases")
    assert weights.shape == (classes, size) and biases.shape == (classes,)
    logits = x @ weights.T + biases
    each = np.log(np.exp(logits - logits.max(1, keepdims=True)).sum(1)) + logits.max(1) - logits[np.arange(len(x)), labels]
    assert found["average_loss/words"] == pytest.approx(each.mean(), rel=1e-4) == found["loss"]
    assert found["accuracy/words"] == pytest.approx((logits.argmax(1) == labels).mean(), abs=1e-3)
    assert found["accuracy/words"] > 0.8 > before["accuracy/words"] + 0.5
    row = next(iter(model.predict(lambda: rows.batch(500))))
    np.testing.assert_allclose(row["logits"], logits[0], rtol=1e-4, atol=1e-4)
    assert set(row) == {"logits", "probabilities", "class_ids", "classes"}


def test_a_step_of_a_sampled_softmax_moves_the_rows_of_its_classes_alone(tmp_path):
    def model_fn(features, labels, mode):
        head = estimator.SampledSoftmaxHead(500, 5, sampler="uniform")
        return head.create_estimator_spec(features, mode, layers.dense(features["x"], 4), labels, optimizers.SGD(1.0))

    config = estimator.RunConfig(tf_random_seed=1, save_checkpoints_steps=1)
    model = estimator.Estimator(model_fn, str(tmp_path), config)
    rows = data.Dataset.from_arrays({"x": X[:4]}, np.array([7, 7, 400, 499])).batch(4)
    model.train(lambda: rows)
    first = model.get_variable_value("sampled_softmax/weights")
    model.train(lambda: rows)
    moved = np.flatnonzero(np.any(model.get_variable_value("sampled_softmax/weights") != first, axis=1))
    assert {7, 400, 499} <= set(moved) and len(moved) <= 3 + 5


def test_a_sampled_softmax_takes_a_hidden_layer(tmp_path):
    head = estimator.SampledSoftmaxHead(500, 5)
    with pytest.raises(UnsupportedError, match="takes the last hidden layer, of any size"):
        _ = head.logits_dimension

    def model_fn(features, labels, mode):
        return head.create_estimator_spec(features, mode, features["x"], labels)

    rows = data.Dataset.from_arrays({"x": np.zeros((ROWS, 2, 3), F)}, KINDS).batch(ROWS)
    with pytest.raises(ModelError, match=r"takes the last hidden layer, \[rows, size\]; found float32\[\?, 2, 3\]"):
        estimator.Estimator(model_fn, str(tmp_path)).evaluate(lambda: rows)


def test_a_sampled_softmax_is_a_part_of_several_heads(tmp_path):
    heads = [estimator.SampledSoftmaxHead(50, 5, name="word"), estimator.RegressionHead(name="size")]
    head = estimator.MultiHead(heads, [1.0, 0.1])

    def model_fn(features, labels, mode):
        hidden = layers.dense(features["x"], 6, activation="tanh")
        logits = {"word": hidden, "size": layers.dense(hidden, 1)}
        return head.create_estimator_spec(features, mode, logits, labels, optimizers.Adam(0.02))

    labels = {"word": np.arange(ROWS) % 50, "size": W}
    rows = data.Dataset.from_arrays({"x": X}, labels)
    model = estimator.Estimator(model_fn, str(tmp_path)).train(lambda: rows.repeat(3).batch(20))
    found = model.evaluate(lambda: rows.batch(20))
    assert found["loss"] == pytest.approx(found["loss/word"] + 0.1 * found["loss/size"], rel=1e-5)
    assert next(iter(model.predict(lambda: rows.batch(20))))["word", "probabilities"].shape == (50,)
