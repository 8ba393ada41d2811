"""Models of one's own beside the same models in TensorFlow 2.15, as test/Recorded/record_model_fns.py recorded them: the
losses of 200 steps from the same first values on the same batches."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from mlc import df, estimator, layers, losses, ops, optimizers, train, variables
from mlc.estimator import EstimatorSpec

INPUTS = Path(__file__).parents[1] / "Recorded" / "Inputs"
sys.path.insert(0, str(INPUTS))
import model_fn_cases as cases  # noqa: E402

dense, softmax_loss = layers.dense, losses.sparse_softmax_cross_entropy


def linear(f):
    loss = losses.mean_squared_error(f["t"][:, None], dense(f["x"], 1))
    return loss, train.GradientDescentOptimizer(0.05).minimize(loss)


def mlp(f):
    hidden = dense(dense(f["x"], 12, activation=ops.relu), 8, activation=ops.tanh)
    loss = softmax_loss(f["y"], dense(hidden, 2))
    rate = train.exponential_decay(0.05, train.get_or_create_global_step(), 50, 0.8)
    return loss, train.MomentumOptimizer(rate, 0.9, use_nesterov=True).minimize(loss, train.get_global_step())


def conv(f):
    x = layers.conv2d(f["x"], 4, 3, padding="same", activation=ops.relu)
    x = layers.max_pooling(x, 2, 2)
    x = layers.conv2d(x, 6, 3, strides=2, padding="same", activation=ops.elu)
    x = layers.average_pooling(x, 2, 2)
    loss = softmax_loss(f["y"], dense(layers.flatten(x), 3))
    return loss, train.AdamOptimizer(0.005).minimize(loss)


def batch_norm(f):
    x = layers.conv2d(f["x"], 4, 3, use_bias=False)
    x = ops.relu(layers.batch_normalization(x, training=True))
    loss = softmax_loss(f["y"], dense(layers.flatten(x), 3))
    return loss, train.RMSPropOptimizer(0.002, momentum=0.5).minimize(loss)


def lstm(f):
    outputs, state = layers.dynamic_rnn(layers.LSTMCell(7), f["x"], sequence_length=f["n"])
    loss = softmax_loss(f["y"], dense(state[0], 2)) + 0.01 * ops.mean(ops.square(outputs))
    return loss, train.AdamOptimizer(0.01).minimize(loss)


def gru(f):
    outputs, _ = layers.dynamic_rnn(layers.GRUCell(6), f["x"])
    loss = softmax_loss(f["y"], dense(outputs[:, -1], 2))
    return loss, train.AdagradOptimizer(0.1).minimize(loss)


def two_heads(f):
    hidden = dense(f["x"], 10, activation=ops.relu)
    loss = softmax_loss(f["y"], dense(hidden, 2)) + 0.3 * losses.huber_loss(f["t"], dense(hidden, 1)[:, 0])
    for variable in variables.trainable_variables():
        if "kernel" in variable.name:
            loss = loss + 1e-3 * (ops.sum(ops.square(variable)) / 2)
    return loss, train.AdamOptimizer(0.01).minimize(loss)


def alternating(f):
    with variables.variable_scope("generator"):
        fake = dense(dense(f["x"], 8, activation=ops.relu), 2)
    real = f["x"][:, :2]

    def discriminate(x):
        with variables.variable_scope("discriminator", reuse=variables.AUTO_REUSE):
            return dense(dense(x, 8, activation=ops.leaky_relu, name="first"), 1, name="second")

    on_real, on_fake = discriminate(real), discriminate(fake)
    ones, zeros = ops.ones_like(on_real), ops.zeros_like(on_real)
    d_loss = losses.sigmoid_cross_entropy(ones, on_real) + losses.sigmoid_cross_entropy(zeros, on_fake)
    g_loss = losses.sigmoid_cross_entropy(ones, on_fake)
    d_vars, g_vars = variables.trainable_variables("discriminator"), variables.trainable_variables("generator")
    optimizers = train.AdamOptimizer(0.01), train.GradientDescentOptimizer(0.05)
    d_grads, g_grads = optimizers[0].compute_gradients(d_loss, d_vars), optimizers[1].compute_gradients(g_loss, g_vars)
    return d_loss + g_loss, train.group(optimizers[0].apply_gradients(d_grads), optimizers[1].apply_gradients(g_grads))


def sampled_softmax(f):
    hidden = dense(f["x"], 8, activation=ops.tanh)
    weights, biases = variables.get_variable("weights", [50, 8]), variables.get_variable("biases", [50])
    labels, sampled = f["y"][:, None], f["sampled"][:8]
    each = df.sampled_softmax_loss(
        hidden, labels, ops.gather(weights, labels), ops.gather(biases.value(), labels), ops.gather(weights, sampled),
        ops.gather(biases.value(), sampled), sampled, ops.zeros_like(labels, "float32") + 8 / 50.0,
        ops.full([8], 8 / 50.0), remove_accidental_hits=True,
    )  # fmt: skip
    loss = ops.mean(each)
    return loss, train.AdagradOptimizer(0.1).minimize(loss)


def metric_learning(f):
    e = ops.l2_normalize(dense(f["x"], 5), axis=1)
    squares = ops.sum(ops.square(e[:, None] - e[None]), axis=2)
    same = ops.equal(f["y"][:, None], f["y"][None]).astype("float32")
    loss = ops.mean(same * squares + (1 - same) * ops.square(ops.relu(1.0 - ops.sqrt(squares + 1e-6))))
    return loss, train.GradientDescentOptimizer(0.1).minimize(loss)


def wide_deep(f):
    table, weights = variables.get_variable("table", [30, 4]), variables.get_variable("weights", [30, 1])
    deep = dense(dense(ops.mean(ops.gather(table, f["ids"]), axis=1), 6, activation=ops.relu, name="h"), 1, name="o")
    wide = ops.sum(ops.gather(weights, f["ids"]), axis=1)
    loss = losses.sigmoid_cross_entropy(f["y"][:, None], deep + wide)
    ftrl = train.FtrlOptimizer(0.1, l1_regularization_strength=0.001)
    others = [v for v in variables.trainable_variables() if v is not weights]
    return loss, train.group(ftrl.minimize(loss, [weights]), train.AdagradOptimizer(0.05).minimize(loss, others))


def attention(f):
    q, k, v = (dense(f["x"], 4, use_bias=False, name=name) for name in "qkv")
    scores = ops.matmul(q, k, transpose_b=True) / 2.0
    mask = ops.sequence_mask(f["n"], 5)
    scores = ops.where(mask[:, None], scores, -1e9)
    mixed = ops.matmul(ops.softmax(scores), v)
    mean, variance = ops.mean(mixed, 2, keepdims=True), ops.var(mixed, 2, keepdims=True)
    normal = (mixed - mean) * ops.rsqrt(variance + 1e-3)
    loss = softmax_loss(f["y"], dense(normal[:, 0], 2))
    return loss, train.AdamOptimizer(0.01).minimize(loss)


def loop(f):
    kernel = variables.get_variable("kernel", [6, 6]).value()
    _, x = ops.while_loop(
        lambda i, x: i < 4, lambda i, x: (i + 1, x + 0.3 * ops.tanh(ops.matmul(x, kernel))), [0, f["x"]], 4
    )
    error = ops.mean(ops.square(x[:, 0] - f["t"]))
    loss = ops.cond(error > 3.0, lambda: 3.0 + 0.5 * (error - 3.0), lambda: error)
    return loss, train.GradientDescentOptimizer(0.02).minimize(loss)


def custom_gradient_clip(f):
    hidden = dense(f["x"], 8, activation=ops.selu)
    weights = (f["y"] + 1).astype("float32")
    loss = losses.absolute_difference(f["t"], dense(hidden, 1)[:, 0], weights=weights)
    optimizer = train.MomentumOptimizer(train.cosine_decay(0.02, train.get_or_create_global_step(), 150, 0.1), 0.8)
    grads, moved = zip(*optimizer.compute_gradients(loss), strict=True)
    clipped, _ = train.clip_by_global_norm(grads, 0.5)
    return loss, optimizer.apply_gradients(zip(clipped, moved, strict=True), train.get_global_step())


def nadam(f):
    hidden = dense(dense(f["x"], 12, activation=ops.relu), 8, activation=ops.tanh)
    loss = softmax_loss(f["y"], dense(hidden, 2))
    return loss, optimizers.Nadam(0.01).minimize(loss)


def linear_cosine(f):
    loss = softmax_loss(f["y"], dense(dense(f["x"], 12, activation=ops.tanh), 2))
    rate = train.linear_cosine_decay(0.1, train.get_global_step(), 150, 2.5, 0.1, 0.01)
    return loss, train.GradientDescentOptimizer(rate).minimize(loss)


def tables(f):
    table, weights = variables.get_variable("table", [30, 4]), variables.get_variable("weights", [30, 1])
    deep = dense(dense(ops.mean(ops.gather(table, f["ids"]), axis=1), 6, activation=ops.tanh, name="h"), 1, name="o")
    return losses.sigmoid_cross_entropy(f["y"][:, None], deep + ops.sum(ops.gather(weights, f["ids"]), axis=1))


def tables_adadelta(f):
    loss = tables(f)
    return loss, train.AdadeltaOptimizer(train.natural_exp_decay(2.0, train.get_global_step(), 50, 0.3)).minimize(loss)


def tables_adamax(f):
    loss = tables(f)
    return loss, optimizers.Adamax(optimizers.schedules.CosineDecayRestarts(0.02, 20, alpha=0.1)).minimize(loss)


def tables_amsgrad(f):
    loss = tables(f)
    return loss, optimizers.Adam(0.02, beta_2=0.9, amsgrad=True).minimize(loss)


def tables_ftrl_beta(f):
    loss = tables(f)
    rate = train.cosine_decay_restarts(0.2, train.get_global_step(), 30, m_mul=0.9, alpha=0.2)
    optimizer = train.FtrlOptimizer(rate, l1_regularization_strength=0.001, l2_shrinkage_regularization_strength=0.01, beta=0.5)
    return loss, optimizer.minimize(loss)


def tables_nadam(f):
    loss = tables(f)
    return loss, optimizers.Nadam(0.02).minimize(loss)


# Where names or forms of variables are others than in TensorFlow.


def _of_lstm(name, shape):
    """TensorFlow's kernel is both of ours, one below the other; its gates stand in the order i, g, f, o."""
    whole = cases.first_value("rnn/lstm_cell/kernel", [10, 28])
    if name.endswith("bias"):
        whole = cases.first_value("rnn/lstm_cell/bias", [28])[None]
    i, g, f, o = np.split(whole, 4, axis=1)
    ours = np.concatenate([i, f, g, o], axis=1)
    return {"kernel": ours[:3], "recurrent_kernel": ours[3:], "bias": ours[0]}[name.rpartition("/")[2]]


def first_value(name, shape):
    if name.startswith("lstm_cell/"):
        return _of_lstm(name, shape)
    if name.startswith("gru_cell/"):
        return cases.first_value("gru/" + name, shape)
    return cases.first_value(name, shape)


@pytest.fixture
def recorded_first_values(monkeypatch):
    """Trainable variables begin as in the recorded runs."""
    make = variables.make_variable

    def make_as_recorded(name, dtype, shape, initializer, trainable, lifetime="train"):
        if trainable and not name.endswith("gamma"):
            initializer = first_value(name, list(shape))
        return make(name, dtype, shape, initializer, trainable, lifetime)

    monkeypatch.setattr(variables, "make_variable", make_as_recorded)


RECORDED = json.loads((INPUTS / "model_fns.json").read_text())


@pytest.mark.parametrize("name", cases.CASES)
def test_losses_are_those_of_tensorflow(name, tmp_path, recorded_first_values):
    def model_fn(features, mode):
        loss, train_op = globals()[name](features)
        return EstimatorSpec(mode, loss=loss, train_op=train_op)

    def batches():
        for batch in cases.batches(name):
            # What is no column of rows is one here: repeated, since a batch has one number of rows.
            rows = len(batch["y"])
            yield {k: np.resize(a, (rows, *a.shape[1:])) if len(a) != rows else a for k, a in batch.items()}

    config = estimator.RunConfig(log_step_count_steps=1)
    model = estimator.Estimator(model_fn, str(tmp_path), config=config)
    found = {}
    model._run_training(batches, None, None, on_event=lambda e: found.update({e["step"]: e["loss"]} if e["event"] == "step" else {}))
    ours, theirs = np.array([found[step] for step in sorted(found)]), np.array(RECORDED[name]["losses"])
    assert len(ours) == cases.STEPS
    distance = np.abs(ours - theirs) / np.maximum(np.abs(theirs), 1e-6)
    assert distance[:20].max() < 1e-5, f"{distance[:20].max():.1e} at step {distance[:20].argmax()}"
    assert distance.max() < max(1e-5, 3 * RECORDED[name]["spread"]), f"{distance.max():.1e} at step {distance.argmax()}"
