"""Evaluations of what train has in memory, and the names of tf.estimator.experimental."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import numpy as np
import pytest

from mlc import data, estimator, layers, losses, metrics, ops, train
from mlc import feature_column as fc
from mlc.estimator import EstimatorSpec, experimental

F = np.float32
X = np.random.default_rng(0).normal(size=(64, 3)).astype(F)
LABELS = (X[:, 0] > 0).astype(np.int64)


def rows():
    return data.Dataset.from_arrays({"x": X}, LABELS).repeat().batch(16)


def test_rows():
    return data.Dataset.from_arrays({"x": X}, LABELS).batch(24)


test_rows.__test__ = False


def batches():
    for begin in range(0, 64, 24):
        yield {"x": X[begin : begin + 24]}, LABELS[begin : begin + 24]


def model_fn(features, labels, mode):
    logits = layers.dense(layers.dense(features["x"], 4, activation="relu"), 2)
    loss = losses.sparse_softmax_cross_entropy(labels, logits)
    op = train.AdamOptimizer(0.1).minimize(loss) if mode == "train" else None
    return EstimatorSpec(mode, loss=loss, train_op=op, eval_metric_ops={"accuracy": metrics.accuracy(labels, ops.argmax(logits))})


def traced(directory, **config):
    return estimator.Estimator(model_fn, str(directory), config=estimator.RunConfig(tf_random_seed=1, **config))


def canned(directory, **config):
    config = estimator.RunConfig(tf_random_seed=1, **config)
    return estimator.DNNClassifier([4], [fc.numeric_column("x", shape=3)], str(directory), config=config)


@pytest.mark.parametrize("make", [traced, canned])
@pytest.mark.parametrize("input_fn", [test_rows, batches])
def test_evaluations_in_memory(tmp_path, make, input_fn):
    hooked = make(tmp_path / "hooked")
    hook = experimental.InMemoryEvaluatorHook(hooked, input_fn, name="memory", every_n_iter=3)
    hooked.train(rows, hooks=[hook], steps=8)
    assert [int(path[-10:]) for path in [hooked.latest_checkpoint()]] == [8]
    found = hooked.evaluations("memory")
    # As in TensorFlow: at the start, each time that so many steps are done since the last one, at the end.
    assert sorted(found) == [0, 3, 6, 8]
    # Beside evaluations of checkpoints of the same steps.
    reference = make(tmp_path / "reference", save_checkpoints_steps=1, keep_checkpoint_max=20)
    reference.train(rows, steps=8)
    for step, metrics_ in found.items():
        path = f"{reference.model_dir}/ckpt-{step:010d}"
        assert metrics_ == reference.evaluate(input_fn, checkpoint_path=path)
    assert list((tmp_path / "hooked" / "eval_memory").iterdir())
    for name in reference.get_variable_names():
        np.testing.assert_array_equal(hooked.get_variable_value(name), reference.get_variable_value(name))


def test_with_hooks_of_its_own_and_early_stopping(tmp_path):
    calls = []

    class Noting(train.SessionRunHook):
        def before_run(self, run_context):
            return train.SessionRunArgs(("loss", "global_step"))

        def after_run(self, run_context, run_values):
            calls.append((int(run_values.results[1]), int(run_context.session.run("global_step"))))

    model = traced(tmp_path)
    memory = experimental.InMemoryEvaluatorHook(model, test_rows, steps=2, hooks=[Noting()], every_n_iter=2)
    stop = experimental.stop_if_higher_hook(model, "accuracy", 0.0, min_steps=4, run_every_secs=None, run_every_steps=1)
    model.train(rows, hooks=[memory, stop], steps=100)
    assert model.get_variable_value("global_step") == 4
    assert calls == [(step, step) for step in (0, 0, 2, 2, 4, 4, 4, 4)]


def test_wrong_arguments(tmp_path):
    model = traced(tmp_path)
    for count in (0, -1, None):
        with pytest.raises(ValueError, match="invalid every_n_iter"):
            experimental.InMemoryEvaluatorHook(model, test_rows, every_n_iter=count)


def test_stopping_at_a_checkpoint(tmp_path):
    model = traced(tmp_path)
    model.train(rows, hooks=[experimental.make_stop_at_checkpoint_step_hook(model, 5)], steps=50)
    assert model.get_variable_value("global_step") == 5
