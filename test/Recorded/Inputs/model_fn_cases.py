"""Data and first values of the models in model_fns.json: functions of names alone, for TensorFlow and mlc alike.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import zlib

import numpy as np

STEPS = 200
F = np.float32


def _random(name):
    return np.random.RandomState(zlib.crc32(name.encode()) & 0x7FFFFFFF)


def first_value(name, shape):
    """What a variable begins with: small numbers, of less spread the more inputs there are."""
    fan = np.prod(shape[:-1]) if len(shape) > 1 else 16.0
    return (_random(name).normal(size=shape) * (0.8 / np.sqrt(fan))).astype(F)


def batches(name):
    """STEPS batches of a model: arrays by key."""
    random = _random("data of " + name)
    return [_BATCHES[name](random) for _ in range(STEPS)]


def _table(random, rows=16, columns=6):
    x = random.normal(size=(rows, columns)).astype(F)
    return x, (x[:, 0] + x[:, 1] * x[:, 2] > 0).astype(np.int64)


def _numbers(random):
    x, y = _table(random)
    return {"x": x, "y": y, "t": (x[:, 0] - 2 * x[:, 3] + 0.1 * random.normal(size=len(x))).astype(F)}


def _images(random):
    return {"x": random.normal(size=(8, 8, 8, 2)).astype(F), "y": random.randint(0, 3, 8)}


def _sequences(random):
    x = random.normal(size=(8, 5, 3)).astype(F)
    return {"x": x, "n": random.randint(1, 6, 8), "y": (x[:, 0, 0] > 0).astype(np.int64)}


def _ids(random):
    return {"ids": random.randint(0, 30, (12, 4)), "y": random.randint(0, 2, 12)}


def _few_ids(random):
    """Most rows of a table are in none of a step's lists."""
    ids = np.minimum(random.geometric(0.15, (6, 3)) - 1, 29)
    return {"ids": ids, "y": (ids.sum(axis=1) % 5 < 2).astype(np.int64)}


def _many_classes(random):
    x, _ = _table(random)
    return {"x": x, "y": random.randint(0, 50, 16), "sampled": random.choice(50, 8, replace=False)}


_BATCHES = {
    "linear": _numbers, "mlp": _numbers, "conv": _images, "batch_norm": _images, "lstm": _sequences, "gru": _sequences,
    "two_heads": _numbers, "alternating": _numbers, "sampled_softmax": _many_classes, "metric_learning": _numbers,
    "wide_deep": _ids, "attention": _sequences, "loop": _numbers, "custom_gradient_clip": _numbers,
    "nadam": _numbers, "linear_cosine": _numbers, "tables_adadelta": _few_ids, "tables_adamax": _few_ids,
    "tables_amsgrad": _few_ids, "tables_ftrl_beta": _few_ids, "tables_nadam": _few_ids,
}
CASES = list(_BATCHES)
