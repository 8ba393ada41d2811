"""Estimators of model_fns: training, evaluation, prediction, scopes, losses, metrics, optimizers, and what is wrong."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import gc

import numpy as np
import pytest

import mlc
from mlc import _graph, data, df, estimator, initializers, layers, losses, metrics, ops, optimizers, summary, train, variables
from mlc.errors import CheckpointError, DataError, ModelError, ModelTypeError, UnsupportedError
from mlc.estimator import EstimatorSpec, ModeKeys

F = np.float32
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(200, 4)).astype(F)
LABELS = (X @ RANDOM.normal(size=(4, 3))).argmax(1)


def rows(batch=50, shuffle=True, repeat=None):
    dataset = data.Dataset.from_arrays({"x": X}, LABELS)
    dataset = dataset.shuffle() if shuffle else dataset
    return (dataset if repeat == 1 else dataset.repeat(repeat)).batch(batch)


def test_rows():
    return rows(shuffle=False, repeat=1)


test_rows.__test__ = False


def classifier(features, labels, mode, params):
    hidden = layers.dense(features["x"], params["units"], activation="relu")
    hidden = layers.dropout(hidden, 0.1, training=mode == ModeKeys.TRAIN)
    logits = layers.dense(hidden, 3, name="logits")
    classes = ops.argmax(logits)
    if mode == ModeKeys.PREDICT:
        return EstimatorSpec(mode, predictions={"class": classes, "probabilities": ops.softmax(logits)})
    loss = losses.sparse_softmax_cross_entropy(labels, logits)
    if mode == ModeKeys.EVAL:
        return EstimatorSpec(mode, loss=loss, eval_metric_ops={"accuracy": metrics.accuracy(labels, classes)})
    summary.scalar("accuracy", metrics.accuracy(labels, classes)[1])
    optimizer = train.AdamOptimizer(params.get("rate", 0.02))
    return EstimatorSpec(mode, loss=loss, train_op=optimizer.minimize(loss, global_step=train.get_global_step()))


def make(model_fn, tmp_path, params=None, seed=1):
    config = estimator.RunConfig(tf_random_seed=seed)
    return estimator.Estimator(model_fn, str(tmp_path / "m"), params=params, config=config)


def test_a_classifier_learns_and_predicts(tmp_path):
    model = make(classifier, tmp_path, {"units": 16})
    model.train(rows, steps=300)
    found = model.evaluate(test_rows)
    assert found["accuracy"] > 0.95 and found["global_step"] == 300 and found["loss"] < 0.3
    predictions = list(model.predict(test_rows))
    classes = np.array([p["class"] for p in predictions])
    assert np.mean(classes == LABELS) == pytest.approx(found["accuracy"])
    assert predictions[0]["probabilities"].shape == (3,)
    names = model.get_variable_names()
    assert {"dense/kernel", "dense/bias", "logits/kernel", "dense/kernel/Adam", "dense/kernel/Adam_1", "global_step"} <= set(names)
    assert model.get_variable_value("dense/kernel").shape == (4, 16)


def test_modules_do_not_wait_for_the_garbage_collector(tmp_path):
    # Each is megabytes: many evaluations in a loop would grow.
    model = make(classifier, tmp_path, {"units": 2})
    model.train(rows, steps=1)
    gc.collect()
    gc.disable()
    try:
        model.evaluate(test_rows)
        next(iter(model.predict(test_rows)))
        graphs = [each for each in gc.get_objects() if isinstance(each, _graph.Graph)]
    finally:
        gc.enable()
    assert [each for each in graphs if each.builder is not None] == []



def test_training_goes_on_and_repeats_bit_by_bit(tmp_path):
    once, twice = make(classifier, tmp_path / "1", {"units": 8}), make(classifier, tmp_path / "2", {"units": 8})
    once.train(rows, steps=40)
    twice.train(rows, steps=20).train(rows, steps=20)
    for name in once.get_variable_names():
        np.testing.assert_array_equal(once.get_variable_value(name), twice.get_variable_value(name))


def test_train_and_evaluate_with_exports(tmp_path):
    model = make(classifier, tmp_path, {"units": 8})
    found, exports = estimator.train_and_evaluate(
        model,
        estimator.TrainSpec(rows, max_steps=100),
        estimator.EvalSpec(test_rows, exporters=[estimator.FinalExporter("final", None)]),
    )
    assert found["accuracy"] > 0.6 and len(exports) == 1


def test_a_new_process_evaluates_and_predicts_what_another_one_trained(tmp_path):
    make(classifier, tmp_path, {"units": 8}).train(rows, steps=20)
    again = make(classifier, tmp_path, {"units": 8})
    assert len(list(again.predict(test_rows))) == 200
    assert again.evaluate(test_rows)["global_step"] == 20
    assert b"m" in again.export_saved_model(str(tmp_path / "m_export"))


def test_without_a_checkpoint_there_are_initial_values(tmp_path, caplog):
    start = np.full((4, 3), 0.5, F)

    def model_fn(features, labels, mode):
        logits = features["x"] @ variables.get_variable("kernel", initializer=start)
        loss = losses.sparse_softmax_cross_entropy(labels, logits) if labels is not None else None
        return EstimatorSpec(mode, loss=loss, predictions=logits)

    model = make(model_fn, tmp_path)
    found = model.evaluate(test_rows)
    assert found["loss"] == pytest.approx(np.log(3), rel=1e-6) and found["global_step"] == 0
    assert "no checkpoint to evaluate: the model has its initial values" in caplog.text
    np.testing.assert_allclose(np.array(list(model.predict(test_rows))), X @ start, rtol=1e-5)
    with pytest.raises(CheckpointError):
        model.evaluate(test_rows, checkpoint_path=str(tmp_path / "m" / "ckpt-0000000001"))
    with pytest.raises(CheckpointError, match="Couldn't find trained model"):
        model.export_saved_model(str(tmp_path / "export"))


def test_a_spec_may_have_all_arguments_in_every_mode(tmp_path):
    def model_fn(features, labels, mode):
        logits = layers.dense(features["x"], 3)
        loss = None if labels is None else losses.sparse_softmax_cross_entropy(labels, logits)
        train_op = None if labels is None else optimizers.Adam(0.05).minimize(loss)
        ops_ = None if labels is None else {"accuracy": metrics.accuracy(labels, ops.argmax(logits))}
        return EstimatorSpec(mode, predictions=logits, loss=loss, train_op=train_op, eval_metric_ops=ops_)

    model = make(model_fn, tmp_path).train(rows, steps=100)
    assert model.evaluate(test_rows)["accuracy"] > 0.8
    assert next(iter(model.predict(test_rows))).shape == (3,)


def test_another_model_of_the_model_dir_is_told(tmp_path):
    make(classifier, tmp_path, {"units": 8}).train(rows, steps=5)
    other = make(classifier, tmp_path, {"units": 9})
    for call in (lambda: other.train(rows, steps=1), lambda: other.evaluate(test_rows), lambda: list(other.predict(test_rows))):
        with pytest.raises(CheckpointError, match="dense/(bias|kernel)"):
            call()


def test_generators_and_structures_of_features(tmp_path):
    def model_fn(features, labels, mode):
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(mode, predictions=features * 2.0)
        loss = losses.mean_squared_error(labels["y"], layers.dense(features, 1)) + ops.mean(labels["z"]) * 0.0
        return EstimatorSpec(mode, loss=loss, train_op=optimizers.SGD(0.1).minimize(loss))

    def batches():
        while True:
            yield X.astype(np.float64)[:10], {"y": X[:10, 0], "z": np.ones(10)}

    model = make(model_fn, tmp_path).train(batches, steps=3)
    found = list(model.predict(lambda: data.Dataset.from_arrays(X[:3]).batch(2)))
    np.testing.assert_array_equal(found, X[:3] * 2)


# Variables and layers


def test_bfloat16_variables_are_told_as_float32(tmp_path):
    def model_fn(features, labels, mode):
        initial = initializers.RandomNormal(0.0, 1.0)
        half = variables.get_variable("half", [200], "bfloat16", initializer=initial, trainable=False)
        y = layers.dense(features["x"], 1) + ops.cast(half, "float32")[:1]
        loss = losses.mean_squared_error(ops.cast(labels[:, None], "float32"), y)
        return EstimatorSpec(mode, loss=loss, train_op=optimizers.SGD(0.1).minimize(loss))

    model = make(model_fn, tmp_path)
    model.train(rows, steps=1)
    found = model.get_variable_value("half")
    assert found.dtype == F and found.shape == (200,) and 0.8 < found.std() < 1.2
    # The lower half of their bits is zero.
    assert np.count_nonzero(found.view(np.uint32) & 0xFFFF) == 0


def test_optimizers_that_alternate(tmp_path):
    def alternates(features, labels, mode):
        found = []
        for name, optimizer in (("a", train.GradientDescentOptimizer(0.1)), ("b", train.MomentumOptimizer(0.05, 0.9))):
            weights = variables.get_variable(name, [4, 1], initializer="ones")
            loss = ops.mean(ops.square(features["x"] @ weights))
            found.append((loss, optimizer, optimizer.compute_gradients(loss, [weights])))
        (first, one, ours), (second, other, theirs) = found
        even = ops.equal(train.get_global_step() % 2, 0)
        train_op = ops.cond(even, lambda: one.apply_gradients(ours), lambda: other.apply_gradients(theirs))
        return EstimatorSpec(mode, loss=first + second, train_op=train_op)

    model = estimator.Estimator(alternates, str(tmp_path / "m")).train(lambda: rows(200, shuffle=False), steps=5)
    x = X.astype(np.float64)
    a, b, momentum = np.ones((4, 1)), np.ones((4, 1)), np.zeros((4, 1))
    for step in range(5):
        if step % 2 == 0:
            a -= 0.1 * 2 * x.T @ (x @ a) / 200
        else:
            momentum = 0.9 * momentum + 2 * x.T @ (x @ b) / 200
            b -= 0.05 * momentum
    np.testing.assert_allclose(model.get_variable_value("a"), a, rtol=1e-5)
    np.testing.assert_allclose(model.get_variable_value("b"), b, rtol=1e-5)
    np.testing.assert_allclose(model.get_variable_value("b/Momentum"), momentum, rtol=1e-5)


def test_scopes_share_variables(tmp_path):
    def model_fn(features, labels, mode):
        with variables.variable_scope("tower", initializer="zeros", reuse=variables.AUTO_REUSE):
            first = layers.dense(features["x"], 2, name="shared")
            second = layers.dense(features["x"] * 2.0, 2, name="shared")
        with variables.variable_scope("tower", reuse=True):
            assert variables.get_variable("shared/kernel", [4, 2]) is not None
        loss = ops.mean(first + second)
        return EstimatorSpec(mode, loss=loss, train_op=optimizers.SGD(0.1).minimize(loss))

    names = make(model_fn, tmp_path).train(rows, steps=1).get_variable_names()
    assert names == ["global_step", "tower/shared/bias", "tower/shared/kernel"]


def test_layers_have_names_as_in_tensorflow(tmp_path):
    def model_fn(features, labels, mode):
        image = ops.reshape(features["x"], [-1, 2, 2, 1])
        training = mode == ModeKeys.TRAIN
        x = layers.conv2d(image, 4, 2, padding="same", activation=ops.relu)
        x = layers.batch_normalization(x, training=training)
        x = layers.separable_conv2d(x, 3, 2, padding="same")
        x = layers.conv2d_transpose(x, 2, 2, strides=2)
        x = layers.max_pooling(x, 2)
        x = layers.layer_normalization(layers.flatten(x))
        with variables.variable_scope("more"):
            x = layers.dense(layers.dense(x, 3), 3, kernel_regularizer=layers.l2_regularizer(0.1))
        loss = losses.sparse_softmax_cross_entropy(labels, x) + losses.get_regularization_loss()
        if mode == ModeKeys.EVAL:
            return EstimatorSpec(mode, loss=loss)
        return EstimatorSpec(mode, loss=loss, train_op=optimizers.Adam(0.01).minimize(loss))

    model = make(model_fn, tmp_path).train(rows, steps=30)
    shapes = {name: model.get_variable_value(name).shape for name in model.get_variable_names() if "Adam" not in name}
    assert shapes == {
        "conv2d/kernel": (2, 2, 1, 4), "conv2d/bias": (4,), "batch_normalization/gamma": (4,),
        "batch_normalization/beta": (4,), "batch_normalization/moving_mean": (4,),
        "batch_normalization/moving_variance": (4,), "separable_conv2d/depthwise_kernel": (2, 2, 4, 1),
        "separable_conv2d/pointwise_kernel": (1, 1, 4, 3), "separable_conv2d/bias": (3,),
        "conv2d_transpose/kernel": (2, 2, 2, 3), "conv2d_transpose/bias": (2,), "layer_normalization/gamma": (8,),
        "layer_normalization/beta": (8,), "more/dense/kernel": (8, 3), "more/dense/bias": (3,),
        "more/dense_1/kernel": (3, 3), "more/dense_1/bias": (3,), "global_step": (),
    }  # fmt: skip
    assert np.any(model.get_variable_value("batch_normalization/moving_mean") != 0)
    assert model.evaluate(test_rows)["loss"] < 1.2


@pytest.mark.parametrize("cell", [layers.RNNCell, layers.GRUCell, layers.LSTMCell])
def test_recurrent_layers(tmp_path, cell):
    """The last of a sequence's numbers above 0 is told by what the cell remembers."""
    sequences = RANDOM.normal(size=(256, 6, 1)).astype(F)
    lengths = RANDOM.integers(2, 7, 256)
    first = (sequences[:, 0, 0] > 0).astype(np.int64)

    def model_fn(features, labels, mode):
        outputs, state = layers.dynamic_rnn(cell(12), features["s"], sequence_length=features["n"])
        last = state[0] if isinstance(state, tuple) else state
        logits = layers.dense(last, 2)
        loss = losses.sparse_softmax_cross_entropy(labels, logits)
        if mode == ModeKeys.EVAL:
            return EstimatorSpec(mode, loss=loss, eval_metric_ops={"accuracy": metrics.accuracy(labels, ops.argmax(logits))})
        return EstimatorSpec(mode, loss=loss, train_op=optimizers.Adam(0.02).minimize(loss))

    dataset = data.Dataset.from_arrays({"s": sequences, "n": lengths}, first)
    model = make(model_fn, tmp_path).train(lambda: dataset.shuffle().repeat().batch(64), steps=200)
    assert model.evaluate(lambda: dataset.batch(64))["accuracy"] > 0.95


def test_first_values(tmp_path):
    array = np.arange(6, dtype=F).reshape(2, 3)

    def model_fn(features, labels, mode):
        variables.get_variable("array", initializer=array)
        variables.get_variable("number", [2], initializer=3.0)
        variables.get_variable("normal", [1000], initializer=initializers.RandomNormal(1.0, 0.5))
        variables.get_variable("glorot", [30, 30])
        variables.get_variable("he", [30, 30], initializer="he_normal")
        variables.get_variable("whole", [2], dtype="int64", initializer=[1, 2])
        return EstimatorSpec(mode, loss=ops.mean(features["x"]), train_op=train.no_op())

    model = make(model_fn, tmp_path).train(rows, steps=1)
    np.testing.assert_array_equal(model.get_variable_value("array"), array)
    np.testing.assert_array_equal(model.get_variable_value("number"), [3, 3])
    np.testing.assert_array_equal(model.get_variable_value("whole"), [1, 2])
    assert model.get_variable_value("normal").mean() == pytest.approx(1, abs=0.1)
    assert abs(model.get_variable_value("glorot")).max() <= np.sqrt(6 / 60)
    assert model.get_variable_value("he").std() == pytest.approx(np.sqrt(2 / 30), rel=0.1)


# Losses and metrics


def _evaluated(tmp_path, make_metrics, features, labels=None, batch=7):
    def model_fn(features, labels, mode):
        if mode == ModeKeys.TRAIN:
            return EstimatorSpec(mode, loss=ops.mean(features["y"].astype("float32")), train_op=train.no_op())
        return EstimatorSpec(mode, loss=ops.constant(1.0), eval_metric_ops=make_metrics(features))

    dataset = data.Dataset.from_arrays(features).batch(batch)
    return make(model_fn, tmp_path).train(lambda: dataset, steps=1).evaluate(lambda: dataset)


def test_metrics_as_scikit_learn(tmp_path):
    sklearn = pytest.importorskip("sklearn.metrics")
    y, p, w = RANDOM.integers(0, 2, 100), RANDOM.random(100), RANDOM.random(100)
    t, q = RANDOM.normal(size=100), RANDOM.normal(size=100)
    classes, scores = RANDOM.integers(0, 5, 100), RANDOM.random((100, 5))
    features = {"y": y, "p": p, "w": w, "t": t, "q": q, "c": classes, "s": scores.astype(F)}

    def make_metrics(f):
        hard = f["p"] > 0.5
        return {
            "accuracy": metrics.accuracy(f["y"], hard.astype("int64"), f["w"]),
            "precision": metrics.precision(f["y"], hard, f["w"]),
            "recall": metrics.recall(f["y"], hard),
            "auc": metrics.auc(f["y"], f["p"], f["w"]),
            "pr": metrics.auc(f["y"], f["p"], curve="PR", summation_method="careful_interpolation"),
            "mse": metrics.mean_squared_error(f["t"], f["q"], f["w"]),
            "rmse": metrics.root_mean_squared_error(f["t"], f["q"]),
            "mae": metrics.mean_absolute_error(f["t"], f["q"]),
            "mean": metrics.mean(f["t"], f["w"]),
            "top2": metrics.top_k_accuracy(f["c"], f["s"], 2),
            "per_class": metrics.mean_per_class_accuracy(f["c"], ops.argmax(f["s"]), 5),
            "fn": metrics.false_negatives(f["y"], hard, f["w"]),
        }

    found = _evaluated(tmp_path, make_metrics, features)
    hard, w32 = (p > 0.5).astype(int), w.astype(F).astype(float)
    expected = {
        "accuracy": sklearn.accuracy_score(y, hard, sample_weight=w32),
        "precision": sklearn.precision_score(y, hard, sample_weight=w32),
        "recall": sklearn.recall_score(y, hard),
        "mse": sklearn.mean_squared_error(t, q, sample_weight=w32),
        "rmse": np.sqrt(sklearn.mean_squared_error(t, q)),
        "mae": sklearn.mean_absolute_error(t, q),
        "mean": np.average(t, weights=w32),
        "top2": sklearn.top_k_accuracy_score(classes, scores, k=2),
        "per_class": sklearn.balanced_accuracy_score(classes, scores.argmax(1)),
        "fn": w32[(y == 1) & (hard == 0)].sum(),
    }
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-6), name
    assert found["auc"] == pytest.approx(sklearn.roc_auc_score(y, p, sample_weight=w32), abs=3e-3)
    assert found["pr"] == pytest.approx(sklearn.average_precision_score(y, p), abs=2e-2)
    assert found["loss"] == 1


def test_metrics_as_numpy(tmp_path):
    y, p, w = RANDOM.integers(0, 2, 100), RANDOM.random(100).astype(F), RANDOM.random(100).astype(F)

    def make_metrics(f):
        hard = (f["p"] > 0.5).astype("int64")
        return {
            "shares": metrics.accuracy(f["p"], hard),  # predictions become what labels are
            "better": metrics.accuracy(f["y"], hard).then(lambda share: ops.maximum(share, 1.0 - share)),
            "roc": metrics.auc(f["y"], f["p"], f["w"], summation_method="interpolation"),
            "pr": metrics.auc(f["y"], f["p"], f["w"], curve="PR", summation_method="interpolation"),
            "careful": metrics.auc(f["y"], f["p"], f["w"], curve="PR", summation_method="careful_interpolation"),
            "nothing": metrics.auc(f["y"], f["p"], f["w"] * 0.0, summation_method="interpolation"),
        }

    found = _evaluated(tmp_path, make_metrics, {"y": y, "p": p, "w": w})
    right = np.mean((p > 0.5) == y)
    above = p[:, None] > np.array([-1e-7, *(np.arange(1, 199) / 199), 1 + 1e-7], F)
    true, false = ((w[:, None] * above * mask[:, None]).sum(0, dtype=float) for mask in (y, 1 - y))
    recall, fallout = true / w[y == 1].sum(dtype=float), false / w[y == 0].sum(dtype=float)
    area = np.sum((fallout[:-1] - fallout[1:]) * (recall[:-1] + recall[1:]) / 2)
    expected = {"shares": 0, "better": max(right, 1 - right), "roc": area, "nothing": 0}
    assert {name: found[name] for name in expected} == pytest.approx(expected, rel=1e-6)
    assert found["pr"] == found["careful"] > 0.3


def test_losses_and_their_reductions(tmp_path):
    y, p, w = RANDOM.integers(0, 2, 21), RANDOM.normal(size=21).astype(F), np.tile([0.0, 1.0, 2.0], 7)
    z = np.maximum(p, 0) - p * y + np.log1p(np.exp(-abs(p)))
    features = {"y": y, "p": p, "w": w}
    kinds = losses.Reduction

    def make_metrics(f):
        def loss(**keywords):
            return metrics.mean(losses.sigmoid_cross_entropy(f["y"], f["p"], **keywords))

        return {
            "plain": loss(), "weighted": loss(weights=f["w"]), "sum": loss(weights=f["w"], reduction=kinds.SUM),
            "mean": loss(weights=f["w"], reduction=kinds.MEAN), "size": loss(weights=f["w"], reduction=kinds.SUM_OVER_BATCH_SIZE),
            "mse": metrics.mean(losses.mean_squared_error(f["y"], f["p"])),
            "huber": metrics.mean(losses.huber_loss(f["y"], f["p"])),
            "hinge": metrics.mean(losses.hinge_loss(f["y"], f["p"])),
            "log": metrics.mean(losses.log_loss(f["y"], ops.sigmoid(f["p"]))),
        }  # fmt: skip

    found = _evaluated(tmp_path, make_metrics, features, batch=21)
    s, e = 1 / (1 + np.exp(-p)), abs(p - y)
    expected = {
        "plain": z.mean(), "weighted": (z * w).sum() / 14, "sum": (z * w).sum(), "mean": (z * w).sum() / w.sum(),
        "size": (z * w).mean(), "mse": (e**2).mean(), "huber": np.where(e < 1, e**2 / 2, e - 0.5).mean(),
        "hinge": np.maximum(0, 1 - (2 * y - 1) * p).mean(),
        "log": (-y * np.log(s + 1e-7) - (1 - y) * np.log(1 - s + 1e-7)).mean(),
    }  # fmt: skip
    for name, value in expected.items():
        assert found[name] == pytest.approx(value, rel=1e-5), name


# What is wrong


def _spec_of(make_spec):
    def model_fn(features, labels, mode):
        return make_spec(features["x"], labels, mode)

    return model_fn


@pytest.mark.parametrize(
    ("make_spec", "kind", "text"),
    [
        (lambda x, y, mode: None, ModelTypeError, "in model_fn: def model_fn(features, labels, mode):"),
        (lambda x, y, mode: None, ModelTypeError, "should return an EstimatorSpec; found None in mode 'train'"),
        (lambda x, y, mode: EstimatorSpec("eval", loss=ops.mean(x)), ModelError, "of mode 'eval'; it was called with mode 'train'\n    at "),
        (lambda x, y, mode: EstimatorSpec(mode, loss=ops.cast(ops.mean(x), "int64"), train_op=train.no_op()), ModelTypeError, "expected a scalar of floats"),
        (lambda x, y, mode: EstimatorSpec(mode, loss=ops.mean(x), train_op=train.no_op(), eval_metric_ops={1: 2}), ModelTypeError, "has the key 1; expected names"),
        (lambda x, y, mode: EstimatorSpec(mode, loss=ops.mean(x), train_op=train.no_op(), eval_metric_ops=[2]), ModelTypeError, "expected a dict of metrics"),
        (lambda x, y, mode: (layers.dense(x, 3), optimizers.SGD(0.1).minimize(1.0)), ModelTypeError, "gradients are those of 1.0; expected a Tensor"),
        (lambda x, y, mode: variables.get_variable("v", [-1]), ModelError, "expected sizes of at least 0"),
        (lambda x, y, mode: EstimatorSpec(mode, loss=ops.mean(x)), ModelError, "Missing train_op"),
        (lambda x, y, mode: EstimatorSpec(mode, loss=x, train_op=train.no_op()), ModelError, "Loss must be scalar"),
        (lambda x, y, mode: EstimatorSpec(mode, loss=1.0, train_op=train.no_op()), ModelTypeError, "expected a Tensor"),
        (lambda x, y, mode: EstimatorSpec(mode, loss=ops.mean(x), train_op=1), ModelTypeError, "train_op is 1"),
        (lambda x, y, mode: EstimatorSpec(mode, loss=ops.mean(x), train_op=optimizers.SGD(0.1).minimize(ops.mean(x))), ModelError, "no variables to train"),
        (lambda x, y, mode: (layers.dense(x, 3), optimizers.SGD(0.1).minimize(ops.mean(layers.dense(x, 1))), EstimatorSpec(mode, loss=ops.mean(x), train_op=train.no_op()))[-1], ModelError, "train_op leaves out what SGD"),
        (lambda x, y, mode: layers.dense(x, 0), ModelError, "units is 0"),
        (lambda x, y, mode: layers.dense(x, 3, activation="rulu"), ModelError, "relu"),
        (lambda x, y, mode: layers.dense(y, 3), ModelError, "expected floats"),
        (lambda x, y, mode: layers.dropout(x, 0.5, training="yes"), ModelError, "expected True or False"),
        (lambda x, y, mode: layers.dropout(x, 1.5, training=True), ModelError, "the rate is 1.5"),
        (lambda x, y, mode: [variables.get_variable("v", [2]) for _ in range(2)], ModelError, "is there already"),
        (lambda x, y, mode: variables.get_variable("v", [None, 2]), ModelError, "only a batch knows"),
        (lambda x, y, mode: variables.get_variable("v"), ModelError, "has no shape"),
        (lambda x, y, mode: variables.get_variable("v", [2], initializer="glorot"), ModelError, "initializer 'glorot'"),
        (lambda x, y, mode: ops.cond(ops.sum(x) > 0, lambda: layers.dense(x, 1), lambda: x), ModelError, "made in a branch or loop"),
        (lambda x, y, mode: variables.global_step().assign(1), ModelError, "global step is counted"),
        (lambda x, y, mode: losses.sparse_softmax_cross_entropy(x, layers.dense(x, 3)), ModelTypeError, "expected integers"),
        (lambda x, y, mode: losses.sparse_softmax_cross_entropy(y, layers.dense(x, 3)[:, 0]), ModelError, "labels and logits do not fit"),
        (lambda x, y, mode: losses.mean_squared_error(y, x, reduction="average"), ModelError, "reduction is 'average'"),
        (lambda x, y, mode: summary.scalar("s", x), ModelError, "expected a scalar"),
        (lambda x, y, mode: df.matmul(x, ops.constant(np.ones((3, 2), F))), ModelError, "operands: float32[?, 4], float32[3, 2]"),
        (lambda x, y, mode: df.conv(x, x, strides="a"), ModelTypeError, "strides is 'a'"),
    ],
)  # fmt: skip
def test_mistakes_of_a_model_fn(tmp_path, make_spec, kind, text):
    model = make(_spec_of(make_spec), tmp_path)
    with pytest.raises(kind) as found:
        model.train(rows, steps=1)
    assert text in str(found.value)
    if isinstance(found.value, ModelError):
        assert f"{__file__}:" in str(found.value)


def test_a_label_that_is_no_class_ends_the_run(tmp_path):
    model = make(classifier, tmp_path, {"units": 4})
    wrong = LABELS.copy()
    wrong[7] = 5
    with pytest.raises(DataError, match=r"5"):
        model.train(lambda: data.Dataset.from_arrays({"x": X}, wrong).batch(50))


def test_data_that_is_not_as_the_first(tmp_path):
    model = make(classifier, tmp_path, {"units": 4}).train(rows, steps=1)
    for features, text in (
        ({"y": X}, "'x' is no key of the data; found 'y'"),
        ({"x": X[:, :3]}, "variable 'dense/kernel' f32[4, 4] -> f32[3, 4]"),
        ({"x": X.astype(str)}, "dense: expected floats"),
    ):
        with pytest.raises((KeyError, CheckpointError, ModelError)) as found:
            model.train(lambda features=features: data.Dataset.from_arrays(features, LABELS).batch(50), steps=1)
        assert text in str(found.value)


def test_arguments_of_model_fns(tmp_path):
    with pytest.raises(ValueError, match="not expected args"):
        estimator.Estimator(lambda features, lables, mode: None, str(tmp_path))
    with pytest.raises(ValueError, match="does not include params"):
        estimator.Estimator(lambda features: None, str(tmp_path), params={"a": 1})
    with pytest.raises(ValueError, match="does not take labels"):
        make(lambda features, mode: None, tmp_path).train(rows, steps=1)


def test_the_module_is_text_for_the_command_line(tmp_path):
    model = make(classifier, tmp_path, {"units": 4})
    with pytest.raises(UnsupportedError, match="nothing is known of the features"):
        model.to_df()
    model.train(rows, steps=1)
    text = model.to_df()
    assert "est.apply_gradients" in text and "df.function @predict" in text and "loc(" not in text
    assert "mlc" in mlc.__all__ or "ops" in mlc.__all__
