#!/usr/bin/env python3
"""Two optimizers in one step: a generator and a discriminator that learn against each other.

    gan.py

Shows train.group of two minimize() of different variables, scopes with reuse, and random numbers of a step. The generator is to make pairs
of numbers on a circle out of noise (Goodfellow et al., "Generative Adversarial Networks", 2014).
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import numpy as np

from mlc import data, estimator, layers, losses, ops, train, variables

random = np.random.default_rng(1)
angle = random.uniform(0, 2 * np.pi, 4096)
circle = (2 * np.stack([np.cos(angle), np.sin(angle)], 1) + random.normal(scale=0.05, size=(4096, 2))).astype(np.float32)


def generator(noise):
    with variables.variable_scope("generator"):
        x = layers.dense(noise, 32, activation="relu")
        return layers.dense(layers.dense(x, 32, activation="relu"), 2)


def discriminator(x, reuse=None):
    with variables.variable_scope("discriminator", reuse=reuse):
        x = layers.dense(x, 32, activation="leaky_relu", name="first")
        x = layers.dense(x, 32, activation="leaky_relu", name="second")
        return layers.dense(x, 1, name="logit")


def model_fn(features, labels, mode):
    real = features["point"]
    made = generator(ops.random_normal_like(ops.concatenate([real, real], axis=1)))  # four random numbers for each row
    if mode == estimator.ModeKeys.PREDICT:
        return estimator.EstimatorSpec(mode, predictions={"point": made})
    of_real, of_made = discriminator(real), discriminator(made, reuse=True)
    tells = losses.sigmoid_cross_entropy(ops.ones_like(of_real), of_real) + losses.sigmoid_cross_entropy(ops.zeros_like(of_made), of_made)
    fools = losses.sigmoid_cross_entropy(ops.ones_like(of_made), of_made)
    if mode == estimator.ModeKeys.EVAL:
        return estimator.EstimatorSpec(mode, loss=fools)
    # Each has variables of its own; both see what was before the step.
    first = train.AdamOptimizer(0.001, beta1=0.5).minimize(tells, var_list=variables.trainable_variables("discriminator"))
    second = train.AdamOptimizer(0.001, beta1=0.5).minimize(fools, var_list=variables.trainable_variables("generator"))
    return estimator.EstimatorSpec(mode, loss=fools, train_op=train.group(first, second))


model = estimator.Estimator(model_fn, config=estimator.RunConfig(tf_random_seed=1))
for _ in range(4):
    model.train(lambda: data.Dataset.from_arrays({"point": circle}).shuffle().repeat().batch(128), steps=1000)
    points = np.stack([row["point"] for row in model.predict(lambda: data.Dataset.from_arrays({"point": circle[:1000]}).batch(1000))])
    radius = np.hypot(*points.T)
    sides = np.histogram(np.arctan2(points[:, 1], points[:, 0]), bins=8, range=(-np.pi, np.pi))[0] / 1000
    print(f"radius {radius.mean():.2f} +- {radius.std():.2f} (to be 2.00 +- 0.05); shares of the eight sides: {' '.join(f'{s:.2f}' for s in sides)}")
assert abs(radius.mean() - 2) < 0.3 and radius.std() < 0.6 and sides.min() > 0.01
