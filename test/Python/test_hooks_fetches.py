"""Fetches that hooks ask for after the first step: the step is compiled again, and computes the same."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import itertools
import logging

import numpy as np
import pytest

from mlc import data, estimator, layers, losses, ops, optimizers, train, variables
from mlc.errors import ModelError
from mlc.estimator import EstimatorSpec

F = np.float32
X = np.random.default_rng(0).normal(size=(64, 3)).astype(F)
LABELS = (X[:, 0] > 0).astype(np.int64)


class Model:
    """A model_fn that keeps Tensors of its training step for hooks, and drops out, so that each step is another one."""

    def __init__(self):
        self.tensors = {}

    def __call__(self, features, labels, mode):
        hidden = layers.dropout(layers.dense(features["x"], 6, activation="tanh"), 0.3, training=mode == "train")
        loss = losses.sparse_softmax_cross_entropy(labels, layers.dense(hidden, 2))
        self.tensors = {"hidden": hidden, "loss": loss, "square": ops.square(hidden)}
        self.tensors |= {f"t{i}": loss * float(i) for i in range(12)}
        ops.identity(hidden, name="named")
        return EstimatorSpec(mode, loss=loss, train_op=optimizers.Adam(0.1).minimize(loss))


class Asking(train.SessionRunHook):
    """Asks for wanted(step), a function of the number of steps that it has seen."""

    def __init__(self, wanted):
        self.wanted, self.seen, self.begun = wanted, [], 0

    def begin(self):
        self.begun += 1

    def before_run(self, run_context):
        return train.SessionRunArgs(self.wanted(len(self.seen)))

    def after_run(self, run_context, run_values):
        self.seen.append(run_values.results)


def rows():
    return data.Dataset.from_arrays({"x": X}, LABELS).shuffle().repeat().batch(10)


def batches():
    while True:
        for begin in range(0, 60, 10):
            yield {"x": X[begin : begin + 10]}, LABELS[begin : begin + 10]


def make(tmp_path, model_fn, name, **config):
    return estimator.Estimator(model_fn, str(tmp_path / name), config=estimator.RunConfig(tf_random_seed=1, **config))


def same_variables(first, second):
    names = second.get_variable_names()
    assert first.get_variable_names() == names
    for name in names:
        np.testing.assert_array_equal(first.get_variable_value(name), second.get_variable_value(name), err_msg=name)


@pytest.mark.parametrize("input_fn", [rows, batches])
def test_the_step_computes_the_same_bits(tmp_path, caplog, input_fn):
    model_fn = Model()

    def wanted(seen):
        return {"loss": "loss", "more": model_fn.tensors["hidden"] if seen >= 3 else (), "step": "global_step"} | (
            {"kernel": "dense/kernel", "named": "named"} if seen >= 5 else {}
        )

    hook = Asking(wanted)
    with caplog.at_level(logging.INFO, "mlc"):
        grown = make(tmp_path, model_fn, "grown").train(input_fn, hooks=[hook], steps=20)
    lines = [record.message for record in caplog.records if "compiled again" in record.message]
    assert len(lines) == 2 and "'named'" in lines[1]
    plain_fn = Model()
    plain = Asking(lambda seen: {"loss": "loss", "hidden": plain_fn.tensors["hidden"], "kernel": "dense/kernel"})
    reference = make(tmp_path, plain_fn, "plain").train(input_fn, hooks=[plain], steps=20)
    same_variables(grown, reference)
    assert hook.begun == 1 and len(hook.seen) == 20
    assert [values["step"] for values in hook.seen] == list(range(1, 21))
    for number, (values, expected) in enumerate(zip(hook.seen, plain.seen, strict=True)):
        assert values["loss"] == expected["loss"]
        if number >= 3:
            np.testing.assert_array_equal(values["more"], expected["hidden"])
        if number >= 5:
            np.testing.assert_array_equal(values["kernel"], expected["kernel"])
            np.testing.assert_array_equal(values["named"], expected["hidden"])


def test_an_iterator_gives_each_batch_once(tmp_path):
    given = []

    def counted():
        for number, batch in enumerate(batches()):
            given.append(number)
            yield batch

    hook = Asking(lambda seen: "loss" if seen < 4 else ("loss", "named"))
    make(tmp_path, Model(), "m").train(counted, hooks=[hook], steps=9)
    assert given == list(range(9)) and len(hook.seen) == 9


def test_the_last_step_is_not_compiled_again_for(tmp_path, caplog):
    hook = Asking(lambda seen: "loss" if seen < 4 else "named")
    with caplog.at_level(logging.INFO, "mlc"):
        make(tmp_path, Model(), "m").train(rows, hooks=[hook], steps=4)
    assert not any("compiled again" in record.message for record in caplog.records)
    assert len(hook.seen) == 4


def test_asking_for_more_again_and_again_is_an_error(tmp_path):
    model_fn = Model()
    hook = Asking(lambda seen: model_fn.tensors[f"t{seen}"])
    with pytest.raises(ModelError, match=r"hooks ask for <?Tensor.*8 times again"):
        make(tmp_path, model_fn, "m").train(rows, hooks=[hook], steps=20)
    assert len(hook.seen) == 9


@pytest.mark.parametrize("text", ["nothing_like_it", "los"])
def test_a_name_that_is_none(tmp_path, text):
    hook = Asking(lambda seen: "loss" if seen < 2 else text)
    with pytest.raises(ModelError, match=f"a hook asks for '{text}', which is no name of the model"):
        make(tmp_path, Model(), "m").train(rows, hooks=[hook], steps=5)


def test_tensors_of_another_model(tmp_path):
    other = Model()
    make(tmp_path, other, "other").train(rows, steps=1)
    hook = Asking(lambda seen: "loss" if seen < 2 else other.tensors["hidden"])
    with pytest.raises(ModelError, match="a hook's fetches.*of another model"):
        make(tmp_path, Model(), "m").train(rows, hooks=[hook], steps=5)


def test_sessions_tell_variables_behind_the_step(tmp_path):
    class Reading(train.SessionRunHook):
        def __init__(self):
            self.kernels = []

        def before_run(self, run_context):
            return train.SessionRunArgs({"kernel": "dense/kernel"})

        def after_run(self, run_context, run_values):
            self.kernels.append((run_context.session.run("dense/kernel"), run_values.results["kernel"]))

    hook = Reading()
    make(tmp_path, Model(), "m").train(rows, hooks=[hook], steps=4)
    assert len(hook.kernels) == 4
    for live, fetched in hook.kernels:
        np.testing.assert_array_equal(live, fetched)
    assert not np.array_equal(hook.kernels[0][0], hook.kernels[3][0])


def test_asking_for_more_behind_the_last_batch_of_an_iterator(tmp_path):
    hook = Asking(lambda seen: "loss" if seen < 4 else "named")
    model = make(tmp_path, Model(), "m").train(lambda: itertools.islice(batches(), 4), hooks=[hook])
    assert model.get_variable_value("global_step") == 4 and len(hook.seen) == 4


def test_hooks_of_a_model_fn_that_ask_for_more(tmp_path):
    """Batches that were read ahead when the run is interrupted are not lost."""
    hooks = []

    def model_fn(features, labels, mode):
        loss = losses.mean_squared_error(labels, features["x"] * variables.get_variable("w", (), initializer=0.0))
        ops.identity(features["x"], name="x")
        hooks.append(Asking(lambda seen: "loss" if seen < 2 else ("loss", "x")))
        op = train.GradientDescentOptimizer(0.1).minimize(loss)
        return EstimatorSpec(mode, loss=loss, train_op=op, training_hooks=hooks)

    def numbers():
        for number in range(12):
            yield {"x": np.full(3, number, F)}, np.ones(3, F)

    model = make(tmp_path, model_fn, "m").train(numbers)
    assert model.get_variable_value("global_step") == 12 and len(hooks) == 1
    assert [float(x[0]) for _, x in hooks[0].seen[2:]] == list(range(2, 12))
