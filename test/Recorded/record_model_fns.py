#!/usr/bin/env python3
"""Records the losses that TensorFlow 2.15 trains models of its own graph language with, in Inputs/model_fns.json; those of
runs with several threads, and with the rows of batches in another order, tell how far TensorFlow is from itself.

  benchmarks/setup_tensorflow.sh
  benchmarks/.venv-tf/bin/python test/Recorded/record_model_fns.py [CASE...]

With names of cases only those are recorded anew. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "Inputs"))
import model_fn_cases as cases
import numpy as np
import tensorflow as tf

v1 = tf.compat.v1
v1.disable_eager_execution()
dense = v1.layers.dense
softmax_loss = v1.losses.sparse_softmax_cross_entropy
legacy = tf.keras.optimizers.legacy


def linear(f):
    loss = v1.losses.mean_squared_error(f["t"][:, None], dense(f["x"], 1))
    return loss, v1.train.GradientDescentOptimizer(0.05).minimize(loss)


def mlp(f):
    hidden = dense(dense(f["x"], 12, activation=tf.nn.relu), 8, activation=tf.tanh)
    loss = softmax_loss(f["y"], dense(hidden, 2))
    rate = v1.train.exponential_decay(0.05, v1.train.get_or_create_global_step(), 50, 0.8)
    return loss, v1.train.MomentumOptimizer(rate, 0.9, use_nesterov=True).minimize(loss, v1.train.get_global_step())


def conv(f):
    x = v1.layers.conv2d(f["x"], 4, 3, padding="same", activation=tf.nn.relu)
    x = v1.layers.max_pooling2d(x, 2, 2)
    x = v1.layers.conv2d(x, 6, 3, strides=2, padding="same", activation=tf.nn.elu)
    x = v1.layers.average_pooling2d(x, 2, 2)
    loss = softmax_loss(f["y"], dense(v1.layers.flatten(x), 3))
    return loss, v1.train.AdamOptimizer(0.005).minimize(loss)


def batch_norm(f):
    x = v1.layers.conv2d(f["x"], 4, 3, use_bias=False)
    x = tf.nn.relu(v1.layers.batch_normalization(x, training=True))
    loss = softmax_loss(f["y"], dense(v1.layers.flatten(x), 3))
    with tf.control_dependencies(v1.get_collection(v1.GraphKeys.UPDATE_OPS)):
        return loss, v1.train.RMSPropOptimizer(0.002, momentum=0.5).minimize(loss)


def lstm(f):
    cell = v1.nn.rnn_cell.LSTMCell(7)
    outputs, state = v1.nn.dynamic_rnn(cell, f["x"], sequence_length=f["n"], dtype=tf.float32)
    loss = softmax_loss(f["y"], dense(state.h, 2)) + 0.01 * tf.reduce_mean(tf.square(outputs))
    return loss, v1.train.AdamOptimizer(0.01).minimize(loss)


def gru(f):
    outputs = tf.keras.layers.GRU(6, reset_after=True, return_sequences=True, name="gru")(f["x"])
    loss = softmax_loss(f["y"], dense(outputs[:, -1], 2))
    return loss, v1.train.AdagradOptimizer(0.1).minimize(loss)


def two_heads(f):
    hidden = dense(f["x"], 10, activation=tf.nn.relu)
    loss = softmax_loss(f["y"], dense(hidden, 2)) + 0.3 * v1.losses.huber_loss(f["t"], dense(hidden, 1)[:, 0])
    loss += 1e-3 * sum(tf.nn.l2_loss(v) for v in v1.trainable_variables() if "kernel" in v.name)
    return loss, v1.train.AdamOptimizer(0.01).minimize(loss)


def alternating(f):
    """A generator of rows and a discriminator, each moved by an optimizer of its own."""
    with v1.variable_scope("generator"):
        fake = dense(dense(f["x"], 8, activation=tf.nn.relu), 2)
    real = f["x"][:, :2]

    def discriminate(x):
        with v1.variable_scope("discriminator", reuse=v1.AUTO_REUSE):
            return dense(dense(x, 8, activation=tf.nn.leaky_relu, name="first"), 1, name="second")

    on_real, on_fake = discriminate(real), discriminate(fake)
    ones, zeros = tf.ones_like(on_real), tf.zeros_like(on_real)
    d_loss = v1.losses.sigmoid_cross_entropy(ones, on_real) + v1.losses.sigmoid_cross_entropy(zeros, on_fake)
    g_loss = v1.losses.sigmoid_cross_entropy(ones, on_fake)
    d_vars, g_vars = v1.trainable_variables("discriminator"), v1.trainable_variables("generator")
    optimizers = v1.train.AdamOptimizer(0.01), v1.train.GradientDescentOptimizer(0.05)
    d_grads, g_grads = optimizers[0].compute_gradients(d_loss, d_vars), optimizers[1].compute_gradients(g_loss, g_vars)
    with tf.control_dependencies([g for g, _ in d_grads + g_grads]):  # both see what was before the step
        return d_loss + g_loss, tf.group(optimizers[0].apply_gradients(d_grads), optimizers[1].apply_gradients(g_grads))


def sampled_softmax(f):
    hidden = dense(f["x"], 8, activation=tf.tanh)
    weights, biases = v1.get_variable("weights", [50, 8]), v1.get_variable("biases", [50])
    expected = tf.fill([16, 1], 8 / 50.0), tf.fill([8], 8 / 50.0)
    each = tf.nn.sampled_softmax_loss(weights, biases, f["y"][:, None], hidden, 8, 50, sampled_values=(f["sampled"], *expected),
                                      remove_accidental_hits=True)
    loss = tf.reduce_mean(each)
    return loss, v1.train.AdagradOptimizer(0.1).minimize(loss)


def metric_learning(f):
    """Contrastive: rows of one class are near, others at least a margin away."""
    e = tf.nn.l2_normalize(dense(f["x"], 5), axis=1)
    squares = tf.reduce_sum(tf.square(e[:, None] - e[None]), axis=2)
    same = tf.cast(tf.equal(f["y"][:, None], f["y"][None]), tf.float32)
    loss = tf.reduce_mean(same * squares + (1 - same) * tf.square(tf.nn.relu(1.0 - tf.sqrt(squares + 1e-6))))
    return loss, v1.train.GradientDescentOptimizer(0.1).minimize(loss)


def wide_deep(f):
    table, weights = v1.get_variable("table", [30, 4]), v1.get_variable("weights", [30, 1])
    deep = dense(dense(tf.reduce_mean(tf.gather(table, f["ids"]), axis=1), 6, activation=tf.nn.relu, name="h"), 1, name="o")
    wide = tf.reduce_sum(tf.gather(weights, f["ids"]), axis=1)
    loss = v1.losses.sigmoid_cross_entropy(f["y"][:, None], deep + wide)
    wide_op = v1.train.FtrlOptimizer(0.1, l1_regularization_strength=0.001).compute_gradients(loss, [weights])
    others = [v for v in v1.trainable_variables() if v is not weights]
    deep_op = v1.train.AdagradOptimizer(0.05).compute_gradients(loss, others)
    with tf.control_dependencies([tf.convert_to_tensor(g) for g, _ in wide_op + deep_op]):
        first = v1.train.FtrlOptimizer(0.1, l1_regularization_strength=0.001).apply_gradients(wide_op)
        return loss, tf.group(first, v1.train.AdagradOptimizer(0.05).apply_gradients(deep_op))


def attention(f):
    q, k, v = (dense(f["x"], 4, use_bias=False, name=name) for name in "qkv")
    scores = tf.matmul(q, k, transpose_b=True) / 2.0
    mask = tf.sequence_mask(f["n"], 5)
    scores = tf.where(tf.broadcast_to(mask[:, None], [8, 5, 5]), scores, -1e9 * tf.ones_like(scores))
    mixed = tf.matmul(tf.nn.softmax(scores), v)
    mean, variance = tf.nn.moments(mixed, axes=[2], keepdims=True)
    normal = (mixed - mean) * tf.math.rsqrt(variance + 1e-3)
    loss = softmax_loss(f["y"], dense(normal[:, 0], 2))
    return loss, v1.train.AdamOptimizer(0.01).minimize(loss)


def loop(f):
    """A layer that is applied as often as a loop says, with a branch in the loss."""
    kernel = v1.get_variable("kernel", [6, 6])
    _, x = tf.while_loop(lambda i, x: i < 4, lambda i, x: (i + 1, x + 0.3 * tf.tanh(tf.matmul(x, kernel))), [0, f["x"]])
    error = tf.reduce_mean(tf.square(x[:, 0] - f["t"]))
    loss = tf.cond(error > 3.0, lambda: 3.0 + 0.5 * (error - 3.0), lambda: error)
    return loss, v1.train.GradientDescentOptimizer(0.02).minimize(loss)


def custom_gradient_clip(f):
    hidden = dense(f["x"], 8, activation=tf.nn.selu)
    loss = v1.losses.absolute_difference(f["t"], dense(hidden, 1)[:, 0], weights=tf.cast(f["y"] + 1, tf.float32))
    optimizer = v1.train.MomentumOptimizer(v1.train.cosine_decay(0.02, v1.train.get_or_create_global_step(), 150, 0.1), 0.8)
    grads, variables = zip(*optimizer.compute_gradients(loss))
    clipped, _ = tf.clip_by_global_norm(grads, 0.5)
    return loss, optimizer.apply_gradients(zip(clipped, variables), v1.train.get_global_step())


def nadam(f):
    hidden = dense(dense(f["x"], 12, activation=tf.nn.relu), 8, activation=tf.tanh)
    return by_keras(legacy.Nadam(0.01), softmax_loss(f["y"], dense(hidden, 2)))


def linear_cosine(f):
    hidden = dense(f["x"], 12, activation=tf.tanh)
    rate = v1.train.linear_cosine_decay(0.1, v1.train.get_or_create_global_step(), 150, 2.5, 0.1, 0.01)
    return counted(v1.train.GradientDescentOptimizer(rate), softmax_loss(f["y"], dense(hidden, 2)))


def tables(f):
    table, weights = v1.get_variable("table", [30, 4]), v1.get_variable("weights", [30, 1])
    deep = dense(dense(tf.reduce_mean(tf.gather(table, f["ids"]), axis=1), 6, activation=tf.tanh, name="h"), 1, name="o")
    return v1.losses.sigmoid_cross_entropy(f["y"][:, None], deep + tf.reduce_sum(tf.gather(weights, f["ids"]), axis=1))


def tables_adadelta(f):
    rate = v1.train.natural_exp_decay(2.0, v1.train.get_or_create_global_step(), 50, 0.3)
    return counted(v1.train.AdadeltaOptimizer(rate), tables(f))


def tables_adamax(f):
    return by_keras(legacy.Adamax(tf.keras.optimizers.schedules.CosineDecayRestarts(0.02, 20, alpha=0.1)), tables(f))


def tables_amsgrad(f):
    return by_keras(legacy.Adam(0.02, beta_2=0.9, amsgrad=True), tables(f))


def tables_ftrl_beta(f):
    rate = v1.train.cosine_decay_restarts(0.2, v1.train.get_or_create_global_step(), 30, m_mul=0.9, alpha=0.2)
    optimizer = v1.train.FtrlOptimizer(rate, l1_regularization_strength=0.001, l2_shrinkage_regularization_strength=0.01, beta=0.5)
    return counted(optimizer, tables(f))


def tables_nadam(f):
    return by_keras(legacy.Nadam(0.02), tables(f))


def counted(optimizer, loss):
    return loss, optimizer.minimize(loss, v1.train.get_global_step())


def by_keras(optimizer, loss):
    """An optimizer of Keras counts the steps itself."""
    variables = v1.trainable_variables()
    return loss, optimizer.apply_gradients(zip(tf.gradients(loss, variables), variables))


def permuted(seed):
    """Puts the rows of a batch into another order; what is no column of rows stays."""

    def change(batch):
        order = np.random.RandomState(seed).permutation(len(batch["y"]))
        return {k: a if k == "sampled" else a[order] for k, a in batch.items()}

    return change


def losses_of(name, threads, change=lambda batch: batch):
    batches = [change(batch) for batch in cases.batches(name)]
    with tf.Graph().as_default():
        features = {k: v1.placeholder(a.dtype, a.shape) for k, a in batches[0].items()}
        loss, step = globals()[name](features)
        config = v1.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=threads)
        with v1.Session(config=config) as session:
            session.run(v1.global_variables_initializer())
            for variable in v1.trainable_variables():
                if "gamma" not in variable.name:
                    variable.load(cases.first_value(variable.op.name, variable.shape.as_list()), session)
            return [float(session.run([loss, step], {features[k]: a for k, a in batch.items()})[0]) for batch in batches]


def main():
    path = os.path.join(HERE, "Inputs", "model_fns.json")
    recorded = {}
    if sys.argv[1:]:
        with open(path) as file:
            recorded = {name: losses for name, losses in json.load(file).items() if name in cases.CASES}
    for name in sys.argv[1:] or cases.CASES:
        losses = losses_of(name, 1)
        others = np.array([losses_of(name, 4), *(losses_of(name, 1, permuted(seed)) for seed in range(32))])
        spread = float(np.max(np.abs(others - losses) / np.maximum(np.abs(losses), 1e-6)))
        print(f"{name}: {losses[0]:.6f} -> {losses[-1]:.6f}, differs from itself by {spread:.1e}")
        recorded[name] = {"losses": losses, "spread": spread}
    with open(path, "w") as file:
        json.dump(recorded, file, indent=0)
        file.write("\n")


if __name__ == "__main__":
    main()
