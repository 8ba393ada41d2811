"""Hooks of evaluations and predictions, and evaluations within training that Python runs."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import logging

import numpy as np
import pytest

from mlc import data, estimator, layers, losses, metrics, ops, optimizers, train
from mlc import feature_column as fc
from mlc.errors import UnsupportedError
from mlc.estimator import EstimatorSpec, ModeKeys

F = np.float32
X = np.random.default_rng(0).normal(size=(40, 3)).astype(F)
LABELS = (X[:, 0] > 0).astype(np.int64)


class Noting(train.SessionRunHook):
    """Notes its calls, and what it is given for fetches(number of batches seen)."""

    def __init__(self, name="", calls=None, fetches=lambda seen: None, stop=None):
        self.name, self.calls, self.fetches, self.stop = name, [] if calls is None else calls, fetches, stop
        self.seen = []

    def begin(self):
        self.calls.append(f"{self.name}begin")

    def after_create_session(self, session, coord):
        self.calls.append(f"{self.name}create")

    def before_run(self, run_context):
        self.calls.append(f"{self.name}before")
        return train.SessionRunArgs(self.fetches(len(self.seen)))

    def after_run(self, run_context, run_values):
        self.calls.append(f"{self.name}after")
        self.seen.append(run_values.results)
        if len(self.seen) == self.stop:
            run_context.request_stop()

    def end(self, session):
        self.calls.append(f"{self.name}end")


class Model:
    def __init__(self, hooks=()):
        self.hooks, self.tensors = list(hooks), {}

    def __call__(self, features, labels, mode):
        logits = layers.dense(features["x"], 2)
        self.tensors = {"logits": logits, "input": features["x"]}
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(mode, predictions={"logits": logits}, prediction_hooks=self.hooks)
        loss = losses.sparse_softmax_cross_entropy(labels, logits)
        self.tensors["loss"] = loss
        op = train.AdamOptimizer(0.1).minimize(loss) if mode == ModeKeys.TRAIN else None
        found = {"accuracy": metrics.accuracy(labels, ops.argmax(logits)), "auc": metrics.auc(labels, ops.softmax(logits)[:, 1])}
        return EstimatorSpec(mode, loss=loss, train_op=op, eval_metric_ops=found, evaluation_hooks=self.hooks)


def rows(repeat=False):
    dataset = data.Dataset.from_arrays({"x": X}, LABELS)
    return (dataset.repeat() if repeat else dataset).batch(16)


def batches():
    for begin in range(0, 40, 16):
        yield {"x": X[begin : begin + 16]}, LABELS[begin : begin + 16]


@pytest.fixture
def trained(tmp_path):
    model_fn = Model()
    model = estimator.Estimator(model_fn, str(tmp_path / "m"), config=estimator.RunConfig(tf_random_seed=1))
    return model.train(lambda: rows(True), steps=3), model_fn


START = ["u begin", "m begin", "u create", "m create"]
STEP = ["u before", "m before", "u after", "m after"]
# As TensorFlow 2.15 calls them.
ORDERS = [
    ({}, None, START + 3 * STEP + ["u before", "m before", "u end", "m end"]),
    ({"steps": 2}, None, START + 2 * STEP + ["u end", "m end"]),
    ({}, 1, START + STEP + ["u end", "m end"]),
]


@pytest.mark.parametrize("input_fn", [rows, batches])
@pytest.mark.parametrize(("arguments", "stop", "expected"), ORDERS)
def test_order_of_calls_of_evaluate(trained, input_fn, arguments, stop, expected):
    model, model_fn = trained
    calls = []
    model_fn.hooks = [Noting("m ", calls)]
    hook = Noting("u ", calls, lambda seen: ("loss", model_fn.tensors["logits"], "global_step"), stop)
    found = model.evaluate(input_fn, hooks=[hook], **arguments)
    assert calls == expected
    model_fn.hooks = []
    seen = len(hook.seen)
    assert found == model.evaluate(input_fn, steps=seen)
    assert all(step == 3 for _, _, step in hook.seen)
    assert [len(logits) for _, logits, _ in hook.seen] == [16, 16, 8][:seen]
    assert found["loss"] == pytest.approx(np.mean([loss for loss, _, _ in hook.seen]), rel=1e-6)


@pytest.mark.parametrize("input_fn", [rows, batches])
@pytest.mark.parametrize(("arguments", "stop", "expected"), [ORDERS[0], ORDERS[2]])
def test_order_of_calls_of_predict(trained, input_fn, arguments, stop, expected):
    model, model_fn = trained
    calls = []
    model_fn.hooks = [Noting("m ", calls)]
    hook = Noting("u ", calls, lambda seen: {"x": model_fn.tensors["input"], "l": "logits", "step": "global_step"}, stop)
    found = list(model.predict(input_fn, hooks=[hook]))
    assert calls == expected
    assert [set(row) for row in found] == [{"logits"}] * len(found)
    np.testing.assert_array_equal(np.concatenate([v["x"] for v in hook.seen]), X[: len(found)])
    np.testing.assert_array_equal(np.concatenate([v["l"] for v in hook.seen]), [row["logits"] for row in found])
    assert len(found) == (16 if stop else 40) and hook.seen[0]["step"] == 3


def test_a_prediction_that_is_given_up_does_not_end(trained):
    model, _ = trained
    hook = Noting()
    prediction = model.predict(rows, hooks=[hook])
    next(prediction)
    prediction.close()
    assert hook.calls == ["begin", "create", "before", "after"]


@pytest.mark.parametrize("input_fn", [rows, batches])
@pytest.mark.parametrize("steps", [None, 2])
def test_fetches_that_grow(trained, caplog, input_fn, steps):
    model, model_fn = trained
    hook = Noting(fetches=lambda seen: "loss" if seen == 0 else ("loss", model_fn.tensors["logits"]))
    with caplog.at_level(logging.INFO, "mlc"):
        found = model.evaluate(input_fn, hooks=[hook], steps=steps)
    assert sum("compiled again" in record.message for record in caplog.records) == 1
    assert found == model.evaluate(input_fn, steps=steps)
    assert [isinstance(values, tuple) for values in hook.seen] == [False] + [True] * (len(hook.seen) - 1)
    growing = Noting(fetches=lambda seen: "logits" if seen < 2 else model_fn.tensors["input"])
    predicted = list(model.predict(input_fn, hooks=[growing], yield_single_examples=False))
    plain = list(model.predict(input_fn, yield_single_examples=False))
    assert len(predicted) == len(plain) == 3
    for one, other in zip(predicted, plain, strict=True):
        np.testing.assert_array_equal(one["logits"], other["logits"])
    np.testing.assert_array_equal(growing.seen[2], X[32:])


def test_metrics_are_those_without_hooks_for_any_break(trained):
    """What metrics add up goes on after a break wherever it is."""
    model, model_fn = trained
    expected = model.evaluate(rows)
    for broken in (1, 2):
        hook = Noting(fetches=lambda seen, at=broken: "loss" if seen < at else model_fn.tensors["input"])
        assert model.evaluate(rows, hooks=[hook]) == expected


def test_fetches_that_grow_behind_the_last_batch(trained):
    model, model_fn = trained
    for input_fn in (rows, batches):
        hook = Noting(fetches=lambda seen: "loss" if seen < 3 else model_fn.tensors["logits"])
        assert model.evaluate(input_fn, hooks=[hook]) == model.evaluate(input_fn)
        hook = Noting(fetches=lambda seen: "logits" if seen < 3 else model_fn.tensors["input"])
        assert len(list(model.predict(input_fn, hooks=[hook]))) == 40


def test_canned_estimators(tmp_path):
    model = estimator.LinearClassifier([fc.numeric_column("x", shape=3)], model_dir=str(tmp_path))
    model.train(lambda: rows(True), steps=2)
    hook = Noting(fetches=lambda seen: {"step": "global_step"})
    assert model.evaluate(rows, hooks=[hook]) == model.evaluate(rows)
    assert [values["step"] for values in hook.seen] == [2, 2, 2]
    hook = Noting(fetches=lambda seen: ("probabilities", "global_step"))
    found = list(model.predict(rows, hooks=[hook]))
    np.testing.assert_array_equal(np.concatenate([v[0] for v in hook.seen]), [row["probabilities"] for row in found])
    with pytest.raises(UnsupportedError, match="'probability'.*probabilities"):
        list(model.predict(rows, hooks=[Noting(fetches=lambda seen: "probability")]))


@pytest.mark.parametrize("input_fn", [rows, batches])
@pytest.mark.parametrize("kind", ["plain", "regularized", "heads", "metrics"])
def test_losses_of_canned_estimators(tmp_path, input_fn, kind):
    """Those of batches, whose mean is the metric: with what regularizers add, as in training."""
    columns, config = [fc.numeric_column("x", shape=3)], estimator.RunConfig(str(tmp_path / "m"), tf_random_seed=1)

    def give():
        labels = {"a": LABELS, "b": 1 - LABELS} if kind == "heads" else LABELS
        for begin in range(0, 40, 16) if input_fn is batches else (0,):
            part = slice(begin, begin + (16 if input_fn is batches else 40))
            yield {"x": X[part]}, {k: v[part] for k, v in labels.items()} if kind == "heads" else labels[part]

    if kind == "heads":
        head = estimator.MultiHead([estimator.BinaryClassHead(name="a"), estimator.BinaryClassHead(name="b")], [1.0, 0.5])
        model = estimator.DNNEstimator(head, [4], columns, config=config)
    else:
        l2 = 0.3 if kind == "regularized" else 0.0
        model = estimator.LinearClassifier(columns, optimizer=optimizers.Ftrl(0.2, l2_regularization_strength=l2), config=config)
    if kind == "metrics":
        model = estimator.add_metrics(model, lambda labels: {"share": metrics.mean(labels)})
    model.train(give)
    hook = Noting(fetches=lambda seen: {"loss": "loss", "step": "global_step"})
    found = model.evaluate(give, hooks=[hook])
    assert found == model.evaluate(give)
    assert len(hook.seen) == (3 if input_fn is batches else 1) and hook.seen[0]["loss"].dtype == F
    assert found["loss"] == pytest.approx(np.mean([values["loss"] for values in hook.seen]), rel=1e-6)
    growing = Noting(fetches=lambda seen: "loss" if seen else None)  # later ones may ask for it, too
    assert model.evaluate(give, hooks=[growing]) == found and growing.seen[1:] == [v["loss"] for v in hook.seen[1:]]


def test_variables_of_canned_estimators(tmp_path):
    """After a step of training, and of the checkpoint where nothing trains."""
    model = estimator.LinearClassifier([fc.numeric_column("x", shape=3)], model_dir=str(tmp_path))
    weights = "linear/linear_model/x/weights"
    hook = Noting(fetches=lambda seen: {"weights": weights, "loss": "loss"})
    model.train(lambda: rows(True), hooks=[hook], steps=2)
    assert not np.array_equal(hook.seen[0]["weights"], hook.seen[1]["weights"])
    np.testing.assert_array_equal(hook.seen[1]["weights"], model.get_variable_value(weights))
    for run in (lambda hook: model.evaluate(rows, hooks=[hook]), lambda hook: list(model.predict(rows, hooks=[hook]))):
        hook = Noting(fetches=lambda seen: weights)
        run(hook)
        np.testing.assert_array_equal(hook.seen[0], model.get_variable_value(weights))
    with pytest.raises(UnsupportedError, match=f"'linear/linear_model/x/weight'.*{weights}.*did you mean '{weights}'"):
        model.train(lambda: rows(True), hooks=[Noting(fetches=lambda seen: "linear/linear_model/x/weight")], steps=2)
    with pytest.raises(UnsupportedError, match="'los'.*did you mean 'loss'"):
        model.train(lambda: rows(True), hooks=[Noting(fetches=lambda seen: "los")], steps=2)


def test_what_a_hook_raises(trained):
    model, _ = trained

    class Failing(Noting):
        def after_run(self, run_context, run_values):
            raise KeyError("of the hook")

    for call in (lambda hook: model.evaluate(rows, hooks=[hook]), lambda hook: list(model.predict(rows, hooks=[hook]))):
        hook = Failing()
        with pytest.raises(KeyError, match="of the hook"):
            call(hook)
        assert "end" not in hook.calls
        with pytest.raises(TypeError, match="must be SessionRunHook"):
            call(object())


def test_sessions_of_evaluations_tell_the_checkpoints_variables(trained):
    model, _ = trained
    first = model.latest_checkpoint()
    kernel = model.get_variable_value("dense/kernel")
    model.train(lambda: rows(True), steps=2)

    class Reading(Noting):
        def after_run(self, run_context, run_values):
            self.seen.append((run_context.session.run("dense/kernel"), run_context.session.run("global_step")))

    for evaluation in (lambda h: model.evaluate(rows, hooks=[h], checkpoint_path=first), lambda h: list(model.predict(rows, hooks=[h], checkpoint_path=first))):
        hook = Reading()
        evaluation(hook)
        for found, step in hook.seen:
            np.testing.assert_array_equal(found, kernel)
            assert step == 3


# Evaluations within training


def _train_and_evaluate(tmp_path, name, eval_input, hooks=None, model_hooks=(), exporters=None):
    model_fn = Model(model_hooks)
    config = estimator.RunConfig(tf_random_seed=1, save_checkpoints_steps=4)
    model = estimator.Estimator(model_fn, str(tmp_path / name), config=config)
    spec = estimator.EvalSpec(eval_input, steps=2, hooks=hooks, exporters=exporters)
    result = estimator.train_and_evaluate(model, estimator.TrainSpec(lambda: rows(True), max_steps=10), spec)
    return model, result


def test_train_and_evaluate_with_iterators_and_hooks(tmp_path):
    reference, (expected, _) = _train_and_evaluate(tmp_path, "reference", rows)
    assert sorted(reference.evaluations()) == [4, 8, 10]
    calls = []
    opened = []

    def generator():
        opened.append(1)
        yield from batches()

    hook = Noting(fetches=lambda seen: "loss")
    for number, (source, hooks, model_hooks) in enumerate(
        [(generator, None, ()), (rows, [hook], ()), (rows, None, [Noting("m ", calls)])]
    ):
        model, (found, exports) = _train_and_evaluate(tmp_path, f"m{number}", source, hooks, model_hooks)
        assert found == expected and exports == []
        assert model.evaluations() == reference.evaluations()
    assert len(opened) == 3 and len(hook.seen) == 6
    assert calls == 3 * (["m begin", "m create"] + 2 * ["m before", "m after"] + ["m end"])


def test_exporters_follow_evaluations_with_hooks(tmp_path):
    exporters = estimator.BestExporter("best", metric="accuracy", larger_is_better=True)
    _, (expected, _) = _train_and_evaluate(tmp_path, "reference", rows, exporters=exporters)
    model, (found, exports) = _train_and_evaluate(tmp_path, "hooked", batches, [Noting()], exporters=exporters)
    assert found == expected
    best, reference = (sorted((tmp_path / name / "export" / "best").iterdir()) for name in ("hooked", "reference"))
    assert len(best) == len(reference) == len(exports) > 0


def test_an_evaluation_that_raises_ends_training(tmp_path):
    def failing():
        yield from batches()
        raise KeyError("of the input")

    with pytest.raises(KeyError, match="of the input"):
        config = estimator.RunConfig(save_checkpoints_steps=4)
        model = estimator.Estimator(Model(), str(tmp_path / "m"), config=config)
        spec = estimator.EvalSpec(failing, steps=None)
        estimator.train_and_evaluate(model, estimator.TrainSpec(lambda: rows(True), max_steps=10), spec)
    assert model.latest_checkpoint().endswith("4")


def test_canned_estimators_train_and_evaluate_with_iterators(tmp_path):
    def run(name, source, hooks=None):
        config = estimator.RunConfig(tf_random_seed=1, save_checkpoints_steps=4)
        columns = [fc.numeric_column("x", shape=3)]
        model = estimator.LinearClassifier(columns, model_dir=str(tmp_path / name), config=config)
        exporters = [estimator.LatestExporter("latest"), estimator.FinalExporter("final")]
        spec = estimator.EvalSpec(source, steps=2, name="test", hooks=hooks, exporters=exporters)
        result = estimator.train_and_evaluate(model, estimator.TrainSpec(lambda: rows(True), max_steps=10), spec)
        return model, result

    reference, (expected, exports) = run("reference", rows)
    for name, source, hooks in (("iterator", batches, None), ("hooked", rows, [Noting(fetches=lambda seen: "global_step")])):
        model, (found, others) = run(name, source, hooks)
        assert found == expected and model.evaluations("test") == reference.evaluations("test")
        assert len(others) == len(exports) == 4
        assert list((tmp_path / name / "eval_test").iterdir())


def test_exports_take_no_batch_of_an_iterator(tmp_path):
    """An export has golden rows of data that can be read again: what an iterator gives is for the step alone."""
    given = []

    def endless():
        while True:
            for batch in batches():
                given.append(1)
                yield batch

    def run(name, exporters):
        given.clear()
        config = estimator.RunConfig(tf_random_seed=1, save_checkpoints_steps=4)
        model = estimator.Estimator(Model(), str(tmp_path / name), config=config)
        spec = estimator.EvalSpec(batches, steps=None, exporters=exporters)
        estimator.train_and_evaluate(model, estimator.TrainSpec(endless, max_steps=10), spec)
        assert len(given) == 10
        return model

    with_exports, without = run("with", estimator.LatestExporter("latest")), run("without", None)
    assert len(list((tmp_path / "with" / "export" / "latest").iterdir())) == 3
    for name in without.get_variable_names():
        np.testing.assert_array_equal(with_exports.get_variable_value(name), without.get_variable_value(name))
