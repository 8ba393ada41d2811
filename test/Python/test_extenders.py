"""Estimators with more metrics, hooks that stop early, warm starts, and losses of many classes, of model_fns."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import numpy as np
import pytest

from mlc import data, estimator, initializers, layers, losses, metrics, ops, optimizers, train, variables
from mlc import feature_column as fc
from mlc.errors import DataError, ModelError, UnsupportedError
from mlc.estimator import EstimatorSpec, ModeKeys

F = np.float32
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(100, 3)).astype(F)
LABELS = (X[:, 0] > 0).astype(np.int64)


def model_fn(features, labels, mode):
    logits = layers.dense(features["x"], 2)
    loss = losses.sparse_softmax_cross_entropy(labels, logits)
    op = optimizers.SGD(0.5).minimize(loss)
    predictions = {"class": ops.argmax(logits)}
    return EstimatorSpec(mode, predictions=predictions, loss=loss, train_op=op, eval_metric_ops={"one": metrics.mean(1.0)})


def rows():
    return data.Dataset.from_arrays({"x": X}, LABELS).repeat().batch(20)


def one_pass():
    return data.Dataset.from_arrays({"x": X}, LABELS).batch(20)


def make(tmp_path, name="m", function=model_fn, **arguments):
    return estimator.Estimator(function, str(tmp_path / name), config=estimator.RunConfig(tf_random_seed=1), **arguments)


def test_add_metrics(tmp_path):
    def metric_fn(labels, predictions):
        return {"accuracy": metrics.accuracy(labels, predictions["class"]), "one": metrics.mean(2.0)}

    model = estimator.add_metrics(make(tmp_path), metric_fn).train(rows, steps=50)
    found = model.evaluate(one_pass)
    assert found["accuracy"] > 0.9 and found["one"] == 2
    with pytest.raises(ValueError, match="not expected args"):
        estimator.add_metrics(model, lambda label: {})
    with pytest.raises(ModelError, match="'loss', which every evaluation has by itself"):
        estimator.add_metrics(model, lambda: {"loss": metrics.mean(1.0)}).evaluate(one_pass)


def wide(tmp_path, **arguments):
    columns = [fc.numeric_column("x", shape=3), fc.categorical_column_with_hash_bucket("word", 10)]
    config = estimator.RunConfig(tf_random_seed=1, save_checkpoints_steps=10)
    return estimator.LinearClassifier(columns, str(tmp_path / "m"), config=config, **arguments)


WORDS = np.array(["a", "b", "", "c"] * 25)
ROWS = {"x": X, "word": WORDS, "w": np.linspace(0, 1, 100), "tags": [["a"] * (i % 3) for i in range(100)]}


def all_rows(batch=20):
    return data.Dataset.from_arrays(ROWS, LABELS).batch(batch)


def by_weight(labels, predictions, features):
    correct = ops.equal(predictions["class_ids"][:, 0], labels)
    return {
        "weighted": metrics.mean(correct, features["w"]), "precision": metrics.mean(7.0),
        "has_word": metrics.mean(ops.not_equal(features["word"], "")),
    }  # fmt: skip


def test_add_metrics_to_a_canned_estimator(tmp_path):
    plain = wide(tmp_path).train(lambda: all_rows().repeat(), steps=20)
    before = plain.evaluate(all_rows)
    model = estimator.add_metrics(plain, by_weight)
    classes = np.array([row["class_ids"][0] for row in plain.predict(all_rows)])
    weighted = np.sum((classes == LABELS) * ROWS["w"]) / np.sum(ROWS["w"])
    added = {"weighted": pytest.approx(weighted, rel=1e-6), "precision": 7, "has_word": 0.75}
    assert model.evaluate(all_rows) == before | added
    assert model.evaluate(lambda: all_rows(7), name="other")["weighted"] == added["weighted"]
    batches = lambda: iter([({**ROWS, "tags": None}, LABELS)])  # noqa: E731
    assert model.evaluate(batches)["weighted"] == added["weighted"]
    assert model.predictor()({"x": X[:1], "word": ["a"]})["class_ids"].shape == (1, 1)
    # More of them, and none of the model's.
    more = estimator.add_metrics(model, lambda config: {"seed": metrics.mean(float(config.tf_random_seed))})
    assert more.evaluate(all_rows)["seed"] == 1 and more.evaluate(all_rows)["has_word"] == 0.75
    assert more.train(lambda: all_rows().repeat(), steps=1).evaluate(all_rows)["global_step"] == 21
    with pytest.raises(KeyError, match="no key of the features.*did you mean 'word'"):
        estimator.add_metrics(plain, lambda features: {"a": metrics.mean(features["words"])}).evaluate(all_rows)
    with pytest.raises(KeyError, match="'class' is no key of the predictions; found .*'class_ids'"):
        estimator.add_metrics(plain, lambda predictions: {"a": metrics.mean(predictions["class"])}).evaluate(all_rows)
    with pytest.raises(TypeError, match="returned None; expected a dict of metrics by name"):
        estimator.add_metrics(plain, lambda: None).evaluate(all_rows)
    with pytest.raises(UnsupportedError, match="'tags' is string of the shape"):
        estimator.add_metrics(plain, lambda features: {"a": metrics.mean(features["tags"])}).evaluate(all_rows)
    with pytest.raises(DataError, match="'w'"):
        model.evaluate(lambda: data.Dataset.from_arrays({"x": X, "word": WORDS}, LABELS).batch(20))


def test_added_metrics_while_a_canned_estimator_trains(tmp_path):
    model = estimator.add_metrics(wide(tmp_path), by_weight)
    exporter = estimator.LatestExporter("latest")
    hook = estimator.stop_if_higher_hook(model, "has_word", 0.5, run_every_secs=None, run_every_steps=1)
    spec = estimator.TrainSpec(lambda: all_rows().repeat(), max_steps=40, hooks=[hook])
    metrics_of, _ = estimator.train_and_evaluate(model, spec, estimator.EvalSpec(all_rows, exporters=exporter))
    assert metrics_of["has_word"] == 0.75
    found = model.metric_values("weighted")
    assert list(found) == [10, 11] and model.get_variable_value("global_step") == 11
    best = max(found, key=lambda step: found[step])
    assert str(model.best_checkpoint("weighted", higher_is_better=True)).endswith(f"ckpt-{best:010d}")
    assert list((tmp_path / "m" / "export" / "latest").iterdir())


def test_added_metrics_of_several_heads_and_files(tmp_path):
    heads = [estimator.MultiClassHead(3, name="sign"), estimator.RegressionHead(name="size")]
    columns = [fc.numeric_column("x", shape=3)]
    model = estimator.LinearEstimator(estimator.MultiHead(heads), columns, str(tmp_path / "m"))
    labels = {"sign": LABELS, "size": X[:, 1]}

    def metric_fn(labels, predictions):
        error = ops.abs(predictions["size", "predictions"][:, 0] - labels["size"])
        return {"mae": metrics.mean(error), "accuracy/sign": metrics.mean(labels["sign"])}

    found = estimator.add_metrics(model, metric_fn).evaluate(lambda: data.Dataset.from_arrays({"x": X}, labels).batch(30))
    assert found["mae"] == pytest.approx(np.abs(X[:, 1]).mean(), rel=1e-5)
    assert found["accuracy/sign"] == pytest.approx(LABELS.mean())
    path = tmp_path / "rows.csv"
    path.write_text("a,b,y\n" + "".join(f"{a},{2 * a},{a % 2}\n" for a in range(10)))
    of_files = estimator.LinearClassifier([fc.numeric_column("a")], str(tmp_path / "files"))
    of_files = estimator.add_metrics(of_files, lambda features: {"b": metrics.mean(features["b"])})
    assert of_files.evaluate(lambda: data.Dataset.from_csv(path, "y").batch(4))["b"] == 9


def test_added_metrics_keep_a_warm_start(tmp_path):
    first = make(tmp_path, "1").train(rows, steps=20)
    warm = make(tmp_path, "2", warm_start_from=str(tmp_path / "1"))
    model = estimator.add_metrics(warm, lambda: {"two": metrics.mean(2.0)})
    assert model.evaluate(one_pass)["loss"] == first.evaluate(one_pass)["loss"]


def test_early_stopping(tmp_path):
    config = estimator.RunConfig(save_checkpoints_steps=10)

    def stopped_at(name, make_hook):
        model = estimator.Estimator(model_fn, str(tmp_path / name), config=config)
        spec = estimator.TrainSpec(rows, max_steps=200, hooks=[make_hook(model)])
        estimator.train_and_evaluate(model, spec, estimator.EvalSpec(one_pass))
        return model.get_variable_value("global_step")

    assert stopped_at("a", lambda m: estimator.stop_if_lower_hook(m, "loss", 0.3, run_every_secs=None, run_every_steps=1)) < 200
    assert stopped_at("b", lambda m: estimator.stop_if_no_decrease_hook(m, "one", 30, run_every_secs=None, run_every_steps=1)) < 60
    assert stopped_at("c", lambda m: estimator.stop_if_higher_hook(m, "loss", 1e9, run_every_secs=None, run_every_steps=1)) == 200
    with pytest.raises(ValueError, match="no metric 'losss'"):
        stopped_at("d", lambda m: estimator.stop_if_lower_hook(m, "losss", 0.3, run_every_secs=None, run_every_steps=1))
    with pytest.raises(ValueError, match="Only one of"):
        estimator.make_early_stopping_hook(make(tmp_path), lambda: True, run_every_steps=5)
    calls = []
    model = make(tmp_path, "e")
    hook = estimator.make_early_stopping_hook(model, lambda: calls.append(1) or len(calls) == 3, None, 5)
    assert model.train(rows, hooks=[hook], steps=100).get_variable_value("global_step") == 11


def test_the_best_checkpoint(tmp_path):
    def model_fn_of_steps(features, labels, mode):
        spec = model_fn(features, labels, mode)
        with pytest.raises(ValueError, match="mode of EstimatorSpec cannot be changed"):
            spec._replace(mode="other")
        step = ops.cast(train.get_or_create_global_step(), "float32")
        # 400, 100, 0, 100 at steps 10, 20, 30, 40.
        return spec._replace(eval_metric_ops={"from_30": metrics.mean((step - 30.0) * (step - 30.0))})

    config = estimator.RunConfig(tf_random_seed=1, save_checkpoints_steps=10, keep_checkpoint_max=3)
    model = estimator.Estimator(model_fn_of_steps, str(tmp_path / "m"), config=config)
    assert model.best_checkpoint() is None
    estimator.train_and_evaluate(model, estimator.TrainSpec(rows, 40), estimator.EvalSpec(one_pass))
    assert model.metric_values("from_30") == {10: 400, 20: 100, 30: 0, 40: 100}
    best = model.best_checkpoint("from_30")
    assert best is not None and best.endswith("ckpt-0000000030")
    assert model.evaluate(one_pass, checkpoint_path=best)["global_step"] == 30
    # That of step 10 is gone, and of those that are left 20 is the first of two.
    assert str(model.best_checkpoint("from_30", higher_is_better=True)).endswith("ckpt-0000000020")
    assert str(model.best_checkpoint()).endswith("ckpt-0000000040")
    assert model.best_checkpoint(name="other") is None
    with pytest.raises(ValueError, match="no metric 'from_3'.*did you mean 'from_30'"):
        model.best_checkpoint("from_3")


def test_evaluations_of_earlier_processes(tmp_path):
    config = estimator.RunConfig(tf_random_seed=1, save_checkpoints_steps=10)

    def again(name="m"):
        return estimator.Estimator(model_fn, str(tmp_path / name), config=config)

    first = again()
    estimator.train_and_evaluate(first, estimator.TrainSpec(rows, 30), [estimator.EvalSpec(one_pass), estimator.EvalSpec(one_pass, name="b")])
    # An object that has evaluated nothing knows what event files tell.
    second = again()
    for name in (None, "b"):
        found = second.metric_values("loss", name)
        assert list(found) == [10, 20, 30] and list(found.values()) == pytest.approx(list(first.metric_values("loss", name).values()))
    assert second.evaluations()[20]["global_step"] == 20 and second.evaluations("other") == {}
    assert second.best_checkpoint() == first.best_checkpoint() is not None
    # Its own are as they are, and earlier ones need not have a metric of theirs.
    more = estimator.add_metrics(second, lambda: {"new": metrics.mean(3.0)})
    more.evaluate(one_pass)
    assert more.metric_values("new") == {30: 3.0} and list(more.metric_values("one")) == [10, 20, 30]
    with pytest.raises(ValueError, match="no metric 'ones'; found .*did you mean 'one'"):
        again().metric_values("ones")
    # Hooks count from them: 30 steps after step 10 are over at the first evaluation here.
    third = again()
    hook = estimator.stop_if_no_decrease_hook(third, "one", 30, run_every_secs=None, run_every_steps=1)
    estimator.train_and_evaluate(third, estimator.TrainSpec(rows, 200, hooks=[hook]), estimator.EvalSpec(one_pass))
    assert third.get_variable_value("global_step") == 41
    # eval_dir is that of a name, or of another model.
    for directory in (third.eval_dir("b"), str(tmp_path / "m" / "eval")):
        fourth = again("n")
        hook = estimator.stop_if_higher_hook(fourth, "one", 0.5, eval_dir=directory, run_every_secs=None, run_every_steps=1)
        assert fourth.train(rows, hooks=[hook], steps=5).get_variable_value("global_step") in (1, 2)
    hook = estimator.stop_if_lower_hook(fourth, "one", 0.5, str(tmp_path / "m" / "eval"), run_every_secs=None, run_every_steps=1)
    assert fourth.train(rows, hooks=[hook], steps=5).get_variable_value("global_step") == 7


def test_warm_start(tmp_path):
    first = make(tmp_path, "1").train(rows, steps=20)
    second = make(tmp_path, "2", warm_start_from=str(tmp_path / "1"))
    assert second.evaluate(one_pass)["loss"] == first.evaluate(one_pass)["loss"]
    assert second.train(rows, steps=1).get_variable_value("global_step") == 1
    begin = estimator.Estimator(model_fn, str(tmp_path / "2")).evaluate(
        one_pass, checkpoint_path=str(tmp_path / "2" / "ckpt-0000000000")
    )
    assert begin["loss"] == first.evaluate(one_pass)["loss"]
    settings = estimator.WarmStartSettings(str(tmp_path / "1"), vars_to_warm_start=["dense/bias"])
    third = make(tmp_path, "3", warm_start_from=settings).train(rows, steps=1)
    kernel = estimator.Estimator(model_fn, str(tmp_path / "3"))
    assert third is not None and kernel.evaluate(one_pass, checkpoint_path=str(tmp_path / "3" / "ckpt-0000000000"))["loss"] != begin["loss"]


def test_matrices_as_first_values(tmp_path):
    def with_matrices(features, labels, mode):
        for name, shape in (("wide", [3, 8]), ("tall", [2, 4, 3])):
            variables.get_variable(name, shape, initializer=initializers.Orthogonal(gain=2.0))
        variables.get_variable("identity", [3, 4], initializer="identity")
        return EstimatorSpec(mode, loss=ops.mean(features["x"]), train_op=train.no_op())

    model = make(tmp_path, function=with_matrices).train(rows, steps=1)
    wide, tall = model.get_variable_value("wide"), model.get_variable_value("tall").reshape(8, 3)
    np.testing.assert_allclose(wide @ wide.T, 4 * np.eye(3), atol=1e-5)
    np.testing.assert_allclose(tall.T @ tall, 4 * np.eye(3), atol=1e-5)
    np.testing.assert_array_equal(model.get_variable_value("identity"), np.eye(3, 4, dtype=F))
    again = make(tmp_path, "again", function=with_matrices).train(rows, steps=1)
    np.testing.assert_array_equal(again.get_variable_value("wide"), wide)

    def of_a_vector(features, labels, mode):
        variables.get_variable("v", [3], initializer="orthogonal")

    with pytest.raises(ModelError, match="Orthogonal is of matrices"):
        make(tmp_path, "vector", function=of_a_vector).train(rows, steps=1)


@pytest.mark.parametrize("loss_of", [losses.sampled_softmax_loss, losses.nce_loss])
def test_losses_of_many_classes(tmp_path, loss_of):
    classes = RANDOM.integers(0, 40, 400)
    features = np.eye(40, dtype=F)[classes] + 0.1 * RANDOM.normal(size=(400, 40)).astype(F)

    def many(features, labels, mode):
        weights = variables.get_variable("weights", [40, 40], initializer="zeros")
        biases = variables.get_variable("biases", [40], initializer="zeros")
        hidden = features["x"]
        if mode == ModeKeys.TRAIN:
            loss = ops.mean(loss_of(weights, biases, labels, hidden, num_sampled=8, num_classes=40))
            return EstimatorSpec(mode, loss=loss, train_op=optimizers.Adagrad(1.0).minimize(loss))
        logits = hidden @ ops.transpose(weights) + biases
        loss = losses.sparse_softmax_cross_entropy(labels, logits)
        accuracy = metrics.accuracy(labels, ops.argmax(logits))
        return EstimatorSpec(mode, loss=loss, eval_metric_ops={"accuracy": accuracy})

    dataset = data.Dataset.from_arrays({"x": features}, classes)
    model = make(tmp_path, function=many).train(lambda: dataset.shuffle().repeat().batch(50), steps=100)
    assert model.evaluate(lambda: dataset.batch(50))["accuracy"] > 0.95
