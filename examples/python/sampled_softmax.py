#!/usr/bin/env python3
"""What is bought next? Five thousand products, of which a step of training looks at a hundred.

    sampled_softmax.py

Shows SampledSoftmaxHead: a softmax over very many classes, of which training computes those of the rows and some that are drawn, and moves
these alone; evaluations and predictions are over all. The purchases are made up: four of five are of a kind that follows from the one before.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import time

import numpy as np

from mlc import data, estimator, layers, optimizers

PRODUCTS, GROUPS, PURCHASES = 5000, 50, 60000

# Product p is of the group p % 50. Of a group the products of small numbers are bought more often, so all numbers go by popularity.
random = np.random.default_rng(1)


def some_of(group):
    within = np.minimum(random.zipf(1.5, PURCHASES) - 1, PRODUCTS // GROUPS - 1)
    return within * GROUPS + group


bought = some_of(random.integers(GROUPS, size=PURCHASES))
goes_on = random.random(PURCHASES) < 0.8  # what follows is of the next group, or of any
after = some_of(np.where(goes_on, (bought + 1) % GROUPS, random.integers(GROUPS, size=PURCHASES)))


def model_fn(features, labels, mode, params):
    hidden = layers.embedding(features["bought"], PRODUCTS, 32)  # its gradient has the rows of the batch alone
    if params["sampled"]:
        # Log-uniform drawing takes classes of small numbers more often: number products by how popular they are.
        head = estimator.SampledSoftmaxHead(PRODUCTS, num_sampled=100)
        logits = hidden
    else:
        head = estimator.MultiClassHead(PRODUCTS)
        logits = layers.dense(hidden, PRODUCTS)
    return head.create_estimator_spec(features, mode, logits, labels, optimizer=optimizers.Adagrad(0.5))


def rows(begin, end):
    return data.Dataset.from_arrays({"bought": bought[begin:end]}, after[begin:end])


# What is reached without looking at what was bought before: the shares of the products.
shares = np.bincount(after, minlength=PRODUCTS) / PURCHASES
print(f"{'no model':>18}: accuracy {shares.max():.3f}, loss {-np.sum(shares * np.log(np.maximum(shares, 1e-12))):.3f}")
found = {}
for sampled in (True, False):
    model = estimator.Estimator(model_fn, params={"sampled": sampled}, config=estimator.RunConfig(tf_random_seed=1))
    begin = time.perf_counter()
    model.train(lambda: rows(0, 55000).shuffle().repeat(3).batch(256))
    seconds = time.perf_counter() - begin
    found[sampled] = model.evaluate(lambda: rows(55000, PURCHASES).batch(500))
    kind = "100 drawn classes" if sampled else "all classes"
    print(f"{kind:>18}: accuracy {found[sampled]['accuracy']:.3f}, loss {found[sampled]['average_loss']:.3f}, trained in {seconds:.1f} s")
assert found[True]["accuracy"] > 0.2 and found[True]["average_loss"] < found[False]["average_loss"] + 0.5
