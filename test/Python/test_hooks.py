"""Hooks and listeners of training: what they are given, in which order, and how they end it."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import logging

import numpy as np
import pytest

from mlc import data, estimator, layers, losses, ops, optimizers, summary, train, variables
from mlc import feature_column as fc
from mlc.errors import ModelError, NanLossDuringTrainingError, UnsupportedError
from mlc._hooks import ALL_STEPS, first_awaited
from mlc.estimator import EstimatorSpec
from mlc.estimator._hooked import HookedRun

F = np.float32
X = np.random.default_rng(0).normal(size=(64, 3)).astype(F)
LABELS = (X[:, 0] > 0).astype(np.int64)


def rows():
    return data.Dataset.from_arrays({"x": X}, LABELS).repeat().batch(16)


class Model:
    """A model_fn that keeps Tensors of its training step for hooks."""

    def __init__(self, hooks=()):
        self.hooks = hooks
        self.tensors = {}

    def __call__(self, features, labels, mode):
        hidden = layers.dense(features["x"], 4, activation="tanh")
        logits = layers.dense(hidden, 2)
        loss = losses.sparse_softmax_cross_entropy(labels, logits)
        summary.scalar("twice", loss * 2)
        self.tensors = {"hidden": ops.identity(hidden, name="hidden"), "loss": loss, "labels": labels}
        return EstimatorSpec(mode, loss=loss, train_op=optimizers.Adam(0.1).minimize(loss), training_hooks=self.hooks)


class Noting(train.SessionRunHook):
    """Notes its calls, and what it is given for `fetches`, a function that is called when it begins."""

    def __init__(self, fetches, calls=None, name=""):
        self.make, self.calls, self.name = fetches, [] if calls is None else calls, name
        self.values = []

    def begin(self):
        self.calls.append(f"{self.name}begin")
        self.fetches = self.make()

    def after_create_session(self, session, coord):
        self.calls.append(f"{self.name}create {session.run('global_step')}")

    def before_run(self, run_context):
        self.calls.append(f"{self.name}before")
        return train.SessionRunArgs(self.fetches)

    def after_run(self, run_context, run_values):
        self.calls.append(f"{self.name}after")
        self.values.append(run_values.results)

    def end(self, session):
        self.calls.append(f"{self.name}end {session.run('global_step')}")


def make(tmp_path, model_fn, name="m"):
    return estimator.Estimator(model_fn, str(tmp_path / name), config=estimator.RunConfig(tf_random_seed=1))


def test_values_come_in_the_structure_of_the_fetches(tmp_path):
    model_fn = Model()
    hook = Noting(lambda: {"t": [model_fn.tensors["hidden"], model_fn.tensors["labels"]], "n": ("loss", "twice", "hidden"),
                           "step": train.get_global_step(), "kernel": "dense/kernel"})  # fmt: skip
    model = make(tmp_path, model_fn).train(rows, hooks=[hook], steps=3)
    assert len(hook.values) == 3
    last = hook.values[-1]
    hidden, labels = last["t"]
    assert hidden.shape == (16, 4) and hidden.dtype == F
    np.testing.assert_array_equal(labels, LABELS[32:48])
    loss, twice, named = last["n"]
    assert twice == pytest.approx(2 * loss) and np.shape(loss) == ()
    np.testing.assert_array_equal(named, hidden)
    assert [value["step"] for value in hook.values] == [1, 2, 3]
    np.testing.assert_array_equal(last["kernel"], model.get_variable_value("dense/kernel"))


def test_fetches_change_no_bit(tmp_path):
    model_fn = Model()
    with_hooks = make(tmp_path, model_fn, "with").train(rows, hooks=[Noting(lambda: model_fn.tensors["hidden"])], steps=20)
    without = make(tmp_path, model_fn, "without").train(rows, steps=20)
    for name in without.get_variable_names():
        np.testing.assert_array_equal(with_hooks.get_variable_value(name), without.get_variable_value(name))


def test_order_of_calls(tmp_path):
    calls = []
    first, second = Noting(lambda: "loss", calls, "1 "), Noting(lambda: None, calls, "2 ")
    make(tmp_path, Model(hooks=[second])).train(rows, hooks=[first], steps=2)
    assert calls == [
        "1 begin", "2 begin", "1 create 0", "2 create 0", "1 before", "2 before", "1 after", "2 after", "1 before",
        "2 before", "1 after", "2 after", "1 end 2", "2 end 2",
    ]  # fmt: skip
    # Where the input ends, hooks are asked once more, as in TensorFlow, which finds its end then.
    calls.clear()
    once = lambda: data.Dataset.from_arrays({"x": X}, LABELS).batch(64)  # noqa: E731
    make(tmp_path, Model()).train(once, hooks=[first])
    assert calls == ["1 begin", "1 create 2", "1 before", "1 after", "1 before", "1 end 3"]


def test_stopping(tmp_path):
    model = make(tmp_path, Model()).train(rows, hooks=[train.StopAtStepHook(num_steps=5)], steps=50)
    assert model.get_variable_value("global_step") == 5
    model.train(rows, hooks=[train.StopAtStepHook(num_steps=5)], steps=50)
    assert model.get_variable_value("global_step") == 10
    model.train(rows, hooks=[train.StopAtStepHook(last_step=12)])
    assert model.get_variable_value("global_step") == 12
    with pytest.raises(ValueError, match="Exactly one"):
        train.StopAtStepHook()


def test_logging(tmp_path, caplog):
    model_fn = Model()
    hook = train.LoggingTensorHook({"loss": "loss"}, every_n_iter=2, at_end=True)
    text = train.LoggingTensorHook(["loss"], every_n_iter=3, formatter=lambda values: f"L{len(values)}")
    with caplog.at_level(logging.INFO, "mlc"):
        make(tmp_path, model_fn).train(rows, hooks=[hook, text], steps=5)
    lines = [record.message for record in caplog.records if record.message.startswith("loss = 0") or record.message == "L1"]
    assert sum("sec)" in line for line in lines) == 2 and lines.count("L1") == 2
    with pytest.raises(ValueError, match="exactly one of every_n_iter"):
        train.LoggingTensorHook(["loss"])


def test_tensors_in_a_list_are_logged_each(tmp_path, caplog):
    def logged(features, labels, mode):
        weights = variables.get_variable("w", [3, 1], initializer="ones")
        y = features["x"][:, :3] @ weights
        loss, size = ops.mean(ops.square(y)), ops.identity(ops.mean(ops.abs(y)), name="size")
        hook = train.LoggingTensorHook([loss, size, ops.sum(y), weights, "loss"], every_n_iter=1)
        return EstimatorSpec(mode, loss=loss, train_op=optimizers.SGD(0.1).minimize(loss), training_hooks=[hook])

    with caplog.at_level(logging.INFO, "mlc"):
        make(tmp_path, logged).train(rows, steps=1)
    (line,) = [record.getMessage() for record in caplog.records if "tensor_0 = " in record.getMessage()]
    assert [part.split(" = ")[0].strip() for part in line.split(", ") if " = " in part] == ["tensor_0", "size", "tensor_2", "w", "loss"]


def _diverging(features, labels, mode):
    logits = layers.dense(features["x"], 1)
    loss = ops.mean(ops.log(logits - 1e6))
    return EstimatorSpec(mode, loss=loss, train_op=optimizers.SGD(0.1).minimize(loss))


def test_a_loss_that_is_nan(tmp_path):
    with pytest.raises(NanLossDuringTrainingError):
        make(tmp_path, _diverging, "1").train(rows, steps=5)
    with pytest.raises(NanLossDuringTrainingError, match="Model diverged"):
        make(tmp_path, _diverging, "2").train(rows, hooks=[train.NanTensorHook("loss")], steps=5)
    model = make(tmp_path, _diverging, "3")
    model.train(rows, hooks=[train.NanTensorHook("loss", fail_on_nan_loss=False)], steps=5)
    assert model.get_variable_value("global_step") == 1


def test_listeners_of_checkpoints(tmp_path):
    class Listener(train.CheckpointSaverListener):
        def __init__(self):
            self.calls = []

        def begin(self):
            self.calls.append("begin")

        def before_save(self, session, step):
            self.calls.append(f"before {step}")

        def after_save(self, session, step):
            self.calls.append(f"after {step} {session.run('dense/bias').shape}")
            return step == 4

        def end(self, session, step):
            self.calls.append(f"end {step}")

    listener = Listener()
    config = estimator.RunConfig(save_checkpoints_steps=2)
    model = estimator.Estimator(Model(), str(tmp_path), config=config)
    model.train(rows, saving_listeners=[listener], steps=100)
    assert listener.calls[:3] == ["begin", "before 0", "after 0 (4,)"]
    assert "after 4 (4,)" in listener.calls and listener.calls[-1].startswith("end ")
    assert 4 <= model.get_variable_value("global_step") <= 8


def test_what_a_hook_raises_ends_training(tmp_path):
    class Failing(train.SessionRunHook):
        ended = False

        def after_run(self, run_context, run_values):
            raise KeyError("of the hook")

        def end(self, session):
            self.ended = True

    hook = Failing()
    with pytest.raises(KeyError, match="of the hook"):
        make(tmp_path, Model()).train(rows, hooks=[hook], steps=5)
    assert not hook.ended


@pytest.mark.parametrize(
    ("fetches", "kind", "text"),
    [
        (lambda model_fn: "los", ModelError, "did you mean 'loss'?"),
        (lambda model_fn: 3, TypeError, "Fetch argument 3 has invalid type"),
    ],
)
def test_fetches_that_are_none(tmp_path, fetches, kind, text):
    model_fn = Model()
    with pytest.raises(kind) as found:
        make(tmp_path, model_fn).train(rows, hooks=[Noting(lambda: fetches(model_fn))], steps=1)
    assert text in str(found.value)


def test_sessions_are_refused(tmp_path):
    class Running(train.SessionRunHook):
        def after_run(self, run_context, run_values):
            run_context.session.graph  # noqa: B018

    with pytest.raises(UnsupportedError, match="a session has no graph"):
        make(tmp_path, Model()).train(rows, hooks=[Running()], steps=1)
    with pytest.raises(TypeError, match="must be SessionRunHook"):
        make(tmp_path, Model()).train(rows, hooks=[object()], steps=1)
    with pytest.raises(TypeError, match="CheckpointSaverListener"):
        make(tmp_path, Model()).train(rows, saving_listeners=[object()], steps=1)


def test_hooks_that_a_module_leaves_out_are_told(tmp_path, caplog):
    def model_fn(features, labels, mode):
        total = ops.sum(features["x"], axis=1) * variables.get_variable("w", [])
        if mode == "infer":
            return EstimatorSpec(mode, predictions=total)
        loss = losses.mean_squared_error(labels, total)
        op = train.GradientDescentOptimizer(0.1).minimize(loss) if mode == "train" else None
        return EstimatorSpec(mode, loss=loss, train_op=op, training_hooks=[Noting(lambda: "loss")])

    model = make(tmp_path, model_fn).train(lambda: ({"x": np.ones((2, 3), F)}, np.ones(2, F)), steps=1)
    with caplog.at_level("WARNING", "mlc"):
        model.to_df()
        assert "to_df: training_hooks of the EstimatorSpec are left out" in caplog.text
        caplog.clear()
        model.to_df(["infer"])
        assert not caplog.records


def test_canned_estimators_have_hooks(tmp_path):
    model = estimator.DNNClassifier([4], [fc.numeric_column("x", shape=3)], model_dir=str(tmp_path))
    hook = Noting(lambda: {"loss": "loss", "step": train.get_global_step()})
    model.train(rows, hooks=[hook], steps=3)
    assert [value["step"] for value in hook.values] == [1, 2, 3] and hook.values[0]["loss"] > 0
    with pytest.raises(UnsupportedError, match="a model_fn has Tensors to fetch"):
        model.train(rows, hooks=[Noting(lambda: "hidden")], steps=1)


def test_hooks_with_generators(tmp_path):
    def batches():
        while True:
            yield {"x": X[:8]}, LABELS[:8]

    hook = Noting(lambda: "loss")
    make(tmp_path, Model()).train(batches, hooks=[hook, train.StopAtStepHook(last_step=4)])
    assert len(hook.values) == 4


def test_steps_that_are_awaited_are_those_after_which_a_hook_may_do_anything():
    known = [
        train.LoggingTensorHook({"loss": "loss"}, every_n_iter=2), train.StepCounterHook(), train.FinalOpsHook("loss"),
        train.NanTensorHook("loss"), train.SummarySaverHook(1, output_dir="d", summary_op="loss"), train.SessionRunHook(),
    ]  # fmt: skip

    class Logging(train.LoggingTensorHook):
        pass

    patched = train.StepCounterHook()
    patched.after_run = lambda context, values: context.request_stop()
    others = [
        train.NanTensorHook("loss", fail_on_nan_loss=False), train.ProfilerHook(1), train.FeedFnHook(dict), Noting(list),
        Logging({"loss": "loss"}, every_n_iter=2), patched,
    ]  # fmt: skip
    stop = train.StopAtStepHook(last_step=7)
    for hook in known:
        assert first_awaited(hook) == ALL_STEPS, hook
        run = HookedRun([hook, stop], [], "m", 0)
        assert run.first_awaited == 7
    for hook in others:
        assert first_awaited(hook) == 0, hook
        assert HookedRun([stop, hook], [], "m", 0).first_awaited == 0
    # What listeners ask for ends the run; a cluster's steps, and batches of evaluations, are awaited in any case.
    assert HookedRun([stop], [train.CheckpointSaverListener()], "m", 0).first_awaited == 0
    assert HookedRun([stop], [], "m", 0, in_cluster=True).first_awaited == 0
    assert HookedRun([stop], [], "m", 0, trains=False).first_awaited == 0
