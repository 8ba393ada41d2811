#!/usr/bin/env python3
"""A convolutional net for handwritten digits, written as a model_fn.

    mnist_conv.py DIRECTORY

DIRECTORY has t10k-images-idx3-ubyte.gz and t10k-labels-idx1-ubyte.gz of MNIST: 8,000 of these images are trained on, 2,000 are kept to test.
Shows layers, a loss, metrics and an optimizer of one's own, what differs between the modes, and predictions.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import gzip
import sys
from pathlib import Path

import numpy as np

from mlc import data, estimator, layers, losses, metrics, ops, train

if len(sys.argv) != 2:
    sys.exit(__doc__)
directory = Path(sys.argv[1])
pixels = np.frombuffer(gzip.decompress((directory / "t10k-images-idx3-ubyte.gz").read_bytes()), np.uint8, offset=16)
images = pixels.reshape(-1, 28, 28, 1).astype(np.float32) / 255
digits = np.frombuffer(gzip.decompress((directory / "t10k-labels-idx1-ubyte.gz").read_bytes()), np.uint8, offset=8).astype(np.int64)


def model_fn(features, labels, mode, params):
    x = layers.conv2d(features["image"], params["filters"], 5, padding="same", activation="relu")  # [rows, 28, 28, filters]
    x = layers.max_pooling(x, 2)
    x = layers.conv2d(x, 2 * params["filters"], 5, padding="same", activation="relu")
    x = layers.flatten(layers.max_pooling(x, 2))
    x = layers.dense(x, 64, activation="relu")
    x = layers.dropout(x, 0.3, training=mode == estimator.ModeKeys.TRAIN)
    logits = layers.dense(x, 10)
    digit = ops.argmax(logits)
    if mode == estimator.ModeKeys.PREDICT:
        return estimator.EstimatorSpec(mode, predictions={"digit": digit, "probabilities": ops.softmax(logits)})
    loss = losses.sparse_softmax_cross_entropy(labels, logits)
    if mode == estimator.ModeKeys.EVAL:
        return estimator.EstimatorSpec(mode, loss=loss, eval_metric_ops={"accuracy": metrics.accuracy(labels, digit)})
    rate = train.cosine_decay(0.002, train.get_global_step(), 250)
    return estimator.EstimatorSpec(mode, loss=loss, train_op=train.AdamOptimizer(rate).minimize(loss))


def rows(begin, end):
    return data.Dataset.from_arrays({"image": images[begin:end]}, digits[begin:end])


model = estimator.Estimator(model_fn, params={"filters": 8}, config=estimator.RunConfig(tf_random_seed=1))
model.train(lambda: rows(0, 8000).shuffle().repeat().batch(64), max_steps=250)
found = model.evaluate(lambda: rows(8000, 10000).batch(500))
print(f"after {found['global_step']} steps: accuracy {found['accuracy']:.4f} on 2,000 images")

least_sure = min(model.predict(lambda: rows(8000, 10000).batch(500)), key=lambda row: row["probabilities"].max())
print("the least sure prediction:", least_sure["digit"], "with probability", round(float(least_sure["probabilities"].max()), 3))
print(sum(model.get_variable_value(name).size for name in model.get_variable_names() if name.endswith(("kernel", "bias"))), "weights")
assert found["accuracy"] > 0.95
