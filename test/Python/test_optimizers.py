"""Optimizers and schedules: their numbers beside the formulas in double precision, and in both kinds of Estimators."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import numpy as np
import pytest

from mlc import data, estimator, losses, ops, optimizers, train, variables
from mlc import feature_column as fc
from mlc.errors import ModelError
from mlc.estimator import EstimatorSpec
from mlc.optimizers import schedules

F = np.float32
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(200, 4)).astype(F)


def rows():
    return data.Dataset.from_arrays({"x": X}).repeat().batch(50)


def make(model_fn, tmp_path):
    return estimator.Estimator(model_fn, str(tmp_path / "m"), config=estimator.RunConfig(tf_random_seed=1))


def _quadratic(tmp_path, optimizer, steps=5, shape=(3,)):
    """The variable after some steps on sum(w^2) / 2, whose gradient is w."""
    start = np.array([1.0, -2.0, 3.0], F)

    def model_fn(features, labels, mode):
        w = variables.get_variable("w", shape, initializer=start)
        loss = ops.sum(ops.square(w)) * 0.5 + ops.mean(features["x"]) * 0.0
        return EstimatorSpec(mode, loss=loss, train_op=optimizer().minimize(loss))

    model = make(model_fn, tmp_path).train(rows, steps=steps)
    return start.astype(np.float64), model.get_variable_value("w")


def _iterate(start, rule, steps=5):
    w, state = start, {}
    for t in range(1, steps + 1):
        w = rule(w, w, state, t)
    return w


def _adam(epsilon):
    def rule(w, g, s, t):
        s["m"] = 0.9 * s.get("m", 0) + 0.1 * g
        s["v"] = 0.999 * s.get("v", 0) + 0.001 * g * g
        return w - 0.1 * np.sqrt(1 - 0.999**t) / (1 - 0.9**t) * s["m"] / (np.sqrt(s["v"]) + epsilon)

    return rule


def _momentum(nesterov):
    def rule(w, g, s, t):
        s["a"] = 0.9 * s.get("a", 0) + g
        return w - 0.1 * (g + 0.9 * s["a"] if nesterov else s["a"])

    return rule


def _adagrad(epsilon):
    def rule(w, g, s, t):
        s["a"] = s.get("a", 0.1) + g * g
        return w - 0.1 * g / (np.sqrt(s["a"]) + epsilon)

    return rule


def _rmsprop(w, g, s, t):
    s["s"] = 0.9 * s.get("s", 1.0) + 0.1 * g * g
    s["m"] = 0.5 * s.get("m", 0) + 0.1 * g / np.sqrt(s["s"] + 1e-10)
    return w - s["m"]


def _ftrl(w, g, s, t):
    n = s.get("n", 0.1)
    z = s.get("z", 0.0) + g - (np.sqrt(n + g * g) - np.sqrt(n)) / 0.1 * w
    s["n"], s["z"] = n + g * g, z
    return -z / (np.sqrt(n + g * g) / 0.1)


def _ftrl_beta(w, g, s, t):
    n = s.get("n", 0.1)
    z = s.get("z", 0.0) + g + 2 * 0.05 * w - (np.sqrt(n + g * g) - np.sqrt(n)) / 0.1 * w
    s["n"], s["z"] = n + g * g, z
    return np.where(np.abs(z) <= 0.2, 0, (np.sign(z) * 0.2 - z) / ((0.5 + np.sqrt(n + g * g)) / 0.1 + 2 * 0.3))


def _amsgrad(w, g, s, t):
    s["m"] = 0.9 * s.get("m", 0) + 0.1 * g
    s["v"] = 0.5 * s.get("v", 0) + 0.5 * g * g
    s["most"] = np.maximum(s.get("most", 0), s["v"])
    return w - 0.1 * np.sqrt(1 - 0.5**t) / (1 - 0.9**t) * s["m"] / (np.sqrt(s["most"]) + 1e-7)


def _adamax(w, g, s, t):
    s["m"] = 0.9 * s.get("m", 0) + 0.1 * g
    s["u"] = np.maximum(0.5 * s.get("u", 0), np.abs(g))
    return w - 0.1 / (1 - 0.9**t) * s["m"] / (s["u"] + 1e-7)


def _nadam(growth):
    def momentum(t):
        return 0.9 * (1 - 0.5 * 0.96 ** (growth * t))

    def rule(w, g, s, t):
        s["m"] = 0.9 * s.get("m", 0) + 0.1 * g
        s["v"] = 0.999 * s.get("v", 0) + 0.001 * g * g
        s["product"] = s.get("product", 1) * momentum(t)
        ahead = (1 - momentum(t)) * g / (1 - s["product"]) + momentum(t + 1) * s["m"] / (1 - s["product"] * momentum(t + 1))
        return w - 0.1 * ahead / (np.sqrt(s["v"] / (1 - 0.999**t)) + 1e-7)

    return rule


def _adadelta(rate, rho, epsilon):
    def rule(w, g, s, t):
        s["a"] = rho * s.get("a", 0) + (1 - rho) * g * g
        u = g * np.sqrt(s.get("d", 0) + epsilon) / np.sqrt(s["a"] + epsilon)
        s["d"] = rho * s.get("d", 0) + (1 - rho) * u * u
        return w - rate * u

    return rule


def _by(rate):
    """Gradient descent by a rate that depends on the steps done."""
    return lambda w, g, s, t: w - rate(t - 1) * g


def _natural(step):
    return 0.1 * np.exp(-0.5 * step / 2)


def _natural_stairs(step):
    return 0.1 * np.exp(-0.5 * (step // 2))


def _restarts(factor):
    def rate(step):
        begin, length, height = 0, 2, 1.0
        while step >= begin + length:
            begin, length, height = begin + length, length * factor, height * 0.5
        return 0.1 * (0.9 * height * (1 + np.cos(np.pi * (step - begin) / length)) / 2 + 0.1)

    return rate


def _linear_cosine(step):
    done = min(step, 4) / 4
    return 0.1 * ((0.2 + 1 - done) * (1 + np.cos(np.pi * 3 * done)) / 2 + 0.05)


@pytest.mark.parametrize(
    ("optimizer", "rule"),
    [
        (lambda: train.GradientDescentOptimizer(0.1), lambda w, g, s, t: w - 0.1 * g),
        (lambda: optimizers.SGD(0.1), lambda w, g, s, t: w - 0.1 * g),
        (lambda: train.MomentumOptimizer(0.1, 0.9), _momentum(False)),
        (lambda: train.MomentumOptimizer(0.1, 0.9, use_nesterov=True), _momentum(True)),
        (lambda: optimizers.SGD(0.1, momentum=0.9), _momentum(False)),
        (lambda: train.AdamOptimizer(0.1), _adam(1e-8)),
        (lambda: optimizers.Adam(0.1), _adam(1e-7)),
        (lambda: train.AdagradOptimizer(0.1), _adagrad(0.0)),
        (lambda: optimizers.Adagrad(0.1), _adagrad(1e-7)),
        (lambda: train.RMSPropOptimizer(0.1, momentum=0.5), _rmsprop),
        (lambda: train.FtrlOptimizer(0.1), _ftrl),
        (lambda: train.FtrlOptimizer(0.1, beta=0.5, l1_regularization_strength=0.2, l2_regularization_strength=0.3, l2_shrinkage_regularization_strength=0.05), _ftrl_beta),
        (lambda: optimizers.Ftrl(0.1, beta=0.5, l1_regularization_strength=0.2, l2_regularization_strength=0.3, l2_shrinkage_regularization_strength=0.05), _ftrl_beta),
        (lambda: optimizers.Adam(0.1, beta_2=0.5, amsgrad=True), _amsgrad),
        (lambda: optimizers.Adamax(0.1, beta_2=0.5), _adamax),
        (lambda: optimizers.Nadam(0.1), _nadam(0.004)),
        (lambda: optimizers.Nadam(0.1, schedule_decay=1.0), _nadam(1.0)),
        (lambda: optimizers.Adadelta(1.0), _adadelta(1.0, 0.95, 1e-7)),
        (lambda: train.AdadeltaOptimizer(), _adadelta(0.001, 0.95, 1e-8)),
        (lambda: train.AdadeltaOptimizer(10.0, rho=0.5, epsilon=0.01), _adadelta(10.0, 0.5, 0.01)),
        (lambda: optimizers.SGD(schedules.NaturalExpDecay(0.1, 2, 0.5)), _by(_natural)),
        (lambda: optimizers.SGD(schedules.NaturalExpDecay(0.1, 2, 0.5, staircase=True)), _by(_natural_stairs)),
        (lambda: train.GradientDescentOptimizer(train.natural_exp_decay(0.1, train.get_global_step(), 2, 0.5)), _by(_natural)),
        (lambda: train.GradientDescentOptimizer(train.natural_exp_decay(0.1, train.get_global_step(), 2, 0.5, staircase=True)), _by(_natural_stairs)),
        (lambda: optimizers.SGD(schedules.CosineDecayRestarts(0.1, 2, m_mul=0.5, alpha=0.1)), _by(_restarts(2))),
        (lambda: optimizers.SGD(schedules.CosineDecayRestarts(0.1, 2, t_mul=1.0, m_mul=0.5, alpha=0.1)), _by(_restarts(1))),
        (lambda: train.GradientDescentOptimizer(train.cosine_decay_restarts(0.1, train.get_global_step(), 2, m_mul=0.5, alpha=0.1)), _by(_restarts(2))),
        (lambda: train.GradientDescentOptimizer(train.cosine_decay_restarts(0.1, train.get_global_step(), 2, 1.0, 0.5, 0.1)), _by(_restarts(1))),
        (lambda: optimizers.SGD(schedules.LinearCosineDecay(0.1, 4, 1.5, 0.2, 0.05)), _by(_linear_cosine)),
        (lambda: train.GradientDescentOptimizer(train.linear_cosine_decay(0.1, train.get_global_step(), 4, 1.5, 0.2, 0.05)), _by(_linear_cosine)),
        (lambda: optimizers.SGD(schedules.ExponentialDecay(0.1, 2, 0.5)), lambda w, g, s, t: w - 0.1 * 0.5 ** ((t - 1) / 2) * g),
        (lambda: optimizers.SGD(schedules.PiecewiseConstantDecay([1, 3], [0.1, 0.2, 0.3])), lambda w, g, s, t: w - (0.1 if t < 3 else 0.2 if t < 5 else 0.3) * g),
        (lambda: optimizers.SGD(schedules.Warmup(0.1, 4)), lambda w, g, s, t: w - 0.1 * min(1, t / 4) * g),
        (lambda: train.GradientDescentOptimizer(train.exponential_decay(0.1, train.get_global_step(), 2, 0.5, staircase=True)), lambda w, g, s, t: w - 0.1 * 0.5 ** ((t - 1) // 2) * g),
        (lambda: train.GradientDescentOptimizer(train.polynomial_decay(0.1, train.get_global_step(), 4)), lambda w, g, s, t: w - ((0.1 - 1e-4) * (1 - min(t - 1, 4) / 4) + 1e-4) * g),
        (lambda: train.GradientDescentOptimizer(train.cosine_decay(0.1, train.get_global_step(), 4)), lambda w, g, s, t: w - 0.05 * (1 + np.cos(np.pi * min(t - 1, 4) / 4)) * g),
        (lambda: train.GradientDescentOptimizer(train.piecewise_constant(train.get_global_step(), [1, 3], [0.1, 0.2, 0.3])), lambda w, g, s, t: w - (0.1 if t < 3 else 0.2 if t < 5 else 0.3) * g),
        (lambda: optimizers.SGD(0.1, clipnorm=1.0), lambda w, g, s, t: w - 0.1 * g / max(1, np.linalg.norm(g))),
        (lambda: optimizers.SGD(0.1, clipvalue=0.5), lambda w, g, s, t: w - 0.1 * np.clip(g, -0.5, 0.5)),
    ],
)  # fmt: skip
def test_update_rules(tmp_path, optimizer, rule):
    start, found = _quadratic(tmp_path, optimizer)
    np.testing.assert_allclose(found, _iterate(start, rule), rtol=5e-6)


def test_gradients_that_the_user_changes(tmp_path):
    class Half:
        def minimize(self, loss):
            optimizer = train.GradientDescentOptimizer(0.1)
            pairs = [(gradient * 0.5, variable) for gradient, variable in optimizer.compute_gradients(loss)]
            clipped, _ = train.clip_by_global_norm([gradient for gradient, _ in pairs], 1.0)
            return optimizer.apply_gradients(zip(clipped, [variable for _, variable in pairs], strict=True))

    start, found = _quadratic(tmp_path, Half)
    expected = _iterate(start, lambda w, g, s, t: w - 0.1 * (g / 2) / max(1, np.linalg.norm(g / 2)))
    np.testing.assert_allclose(found, expected, rtol=5e-6)


def test_rows_of_a_table_have_sparse_gradients(tmp_path):
    ids = np.array([[1, 2], [2, 5], [1, 7]])

    def model_fn(features, labels, mode):
        table = variables.get_variable("table", [100, 3], initializer="ones")
        loss = ops.sum(ops.gather(table, features["ids"]))
        (gradient,) = ops.gradients(loss, table)
        assert gradient.is_rows
        return EstimatorSpec(mode, loss=loss, train_op=optimizers.SGD(0.5).apply_gradients([(gradient, table)]))

    model = make(model_fn, tmp_path)
    model.train(lambda: data.Dataset.from_arrays({"ids": ids}).batch(3), steps=1)
    expected = np.ones((100, 3), F)
    np.subtract.at(expected, ids.ravel(), F(0.5))
    np.testing.assert_array_equal(model.get_variable_value("table"), expected)


def test_two_optimizers_in_one_step(tmp_path):
    """As of a GAN: each moves the variables of its scope, and both see what was before the step."""

    def model_fn(features, labels, mode):
        with variables.variable_scope("a"):
            a = variables.get_variable("w", [], initializer=1.0)
        with variables.variable_scope("b"):
            b = variables.get_variable("w", [], initializer=2.0)
        loss_a, loss_b = a * b, -a * b + ops.mean(features["x"]) * 0.0
        first = train.GradientDescentOptimizer(0.1).minimize(loss_a, var_list=variables.trainable_variables("a"))
        second = train.AdamOptimizer(0.1).minimize(loss_b, var_list=variables.trainable_variables("b"))
        return EstimatorSpec(mode, loss=loss_a + loss_b, train_op=train.group(first, second))

    model = make(model_fn, tmp_path).train(rows, steps=1)
    assert model.get_variable_value("a/w") == pytest.approx(1 - 0.1 * 2)
    assert model.get_variable_value("b/w") == pytest.approx(2 + 0.1, rel=1e-5)


def test_alternating_steps(tmp_path):
    def model_fn(features, labels, mode):
        a = variables.get_variable("a", [], initializer=0.0)
        b = variables.get_variable("b", [], initializer=0.0)
        loss = (a - 1.0) ** 2 + (b - 1.0) ** 2 + ops.mean(features["x"]) * 0.0
        even = ops.equal(train.get_global_step() % 2, 0)
        ops.cond(even, lambda: a.assign_add(1.0), lambda: b.assign_add(10.0))
        return EstimatorSpec(mode, loss=loss, train_op=train.no_op())

    model = make(model_fn, tmp_path).train(rows, steps=5)
    assert model.get_variable_value("a") == 3 and model.get_variable_value("b") == 20


# Variables and layers


NEW_RULES = [
    lambda: optimizers.Adadelta(1.0),
    lambda: optimizers.Adamax(0.05),
    lambda: optimizers.Nadam(0.05),
    lambda: optimizers.Nadam(schedules.Warmup(schedules.CosineDecayRestarts(0.05, 7), 3), schedule_decay=1.0),
    lambda: optimizers.Adam(schedules.NaturalExpDecay(0.05, 10, 0.5), amsgrad=True, global_clipnorm=0.5),
    lambda: optimizers.Ftrl(schedules.LinearCosineDecay(0.3, 20), beta=0.5),
]


@pytest.mark.parametrize("optimizer", NEW_RULES)
def test_a_model_of_tables_trains_as_the_canned_one(tmp_path, optimizer):
    """Most steps touch few rows, so that those without a gradient count."""
    features = {"x": X[:, 0], "job": RANDOM.choice(["clerk", "smith", "cook"], 200), "zip": RANDOM.integers(0, 50, 200)}
    labels = RANDOM.normal(size=200).astype(F)
    columns = [
        fc.numeric_column("x"), fc.categorical_column_with_vocabulary_list("job", ["clerk", "smith"], num_oov_buckets=2),
        fc.categorical_column_with_identity("zip", 60),
    ]  # fmt: skip

    def model_fn(features, labels, mode):
        loss = losses.mean_squared_error(labels[:, None], fc.linear_model(features, columns))
        return EstimatorSpec(mode, loss=loss, train_op=optimizer().minimize(loss))

    def batches():
        return data.Dataset.from_arrays(features, labels).repeat().batch(10)

    config = estimator.RunConfig(log_step_count_steps=1)
    canned = estimator.LinearRegressor(columns, str(tmp_path / "canned"), optimizer=optimizer(), config=config)
    found = []
    for model in (estimator.Estimator(model_fn, str(tmp_path / "own"), config=config), canned):
        steps = {}
        model._run_training(batches, 30, None, on_event=lambda e, steps=steps: steps.update({e["step"]: e["loss"]} if e["event"] == "step" else {}))
        found.append([steps[step] for step in sorted(steps)])
    assert found[0][-1] != found[0][0]
    np.testing.assert_allclose(found[0], found[1], rtol=2e-6)
    for line in optimizer().to_block().text().splitlines():
        assert line.strip() in canned.to_spec()


def test_two_nadams_keep_two_products(tmp_path):
    def model_fn(features, labels, mode):
        a = variables.get_variable("a", [], initializer=1.0)
        b = variables.get_variable("b", [], initializer=1.0)
        loss = a * a + b * b + ops.mean(features["x"]) * 0.0
        first = optimizers.Nadam(0.1, beta_1=0.5).minimize(loss, var_list=[a])
        second = optimizers.Nadam(0.1, beta_1=0.8).minimize(loss, var_list=[b])
        return EstimatorSpec(mode, loss=loss, train_op=train.group(first, second))

    model = make(model_fn, tmp_path).train(rows, steps=1)
    growth = 1 - 0.5 * 0.96**0.004
    assert model.get_variable_value("Nadam/momentum_cache") == pytest.approx(0.5 * growth, rel=1e-6)
    assert model.get_variable_value("Nadam_1/momentum_cache") == pytest.approx(0.8 * growth, rel=1e-6)


def test_restarts_do_not_shrink(tmp_path):
    def model_fn(features, labels, mode):
        w = variables.get_variable("w", [], initializer=1.0)
        rate = train.cosine_decay_restarts(0.1, train.get_global_step(), 10, t_mul=0.5)
        return EstimatorSpec(mode, loss=w * w, train_op=train.GradientDescentOptimizer(rate).minimize(w * w))

    with pytest.raises(ModelError, match="t_mul must be at least 1; found 0.5"):
        make(model_fn, tmp_path).train(rows, steps=1)
