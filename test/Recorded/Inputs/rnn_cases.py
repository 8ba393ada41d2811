"""Data and first values of the recurrent models in rnn.json: functions of names alone, for TensorFlow and mlc alike.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import model_fn_cases
import numpy as np

STEPS = 100
ROWS = 12
WORDS = [f"w{i}" for i in range(9)]
"""Terms of the vocabulary; the data has two others, too, which are no values but steps."""

# What each model is: cell, units, classes, optimizer (a name, or a name and numbers of one that is made), and whether it
# has numbers, indicators and a context beside its embedding.
CASES = {
    "simple_rnn": ("simple_rnn", [5], 2, "Adagrad", True),
    "lstm": ("lstm", [4], 2, "Adam", False),
    "stacked_lstm": ("lstm", [4, 3], 3, "Adagrad", True),
    "gru": ("gru", [6], 3, ("SGD", {"learning_rate": 0.05, "momentum": 0.9}), True),
    "stacked_gru": ("gru", [3, 4], 2, ("Ftrl", {"learning_rate": 0.05}), False),
}


def first_value(name, shape):
    """What a variable begins with."""
    return model_fn_cases.first_value(name, list(shape))


def batches(name):
    """STEPS batches of a model: (features, labels), sequences as lists of lists."""
    random = model_fn_cases._random("data of " + name)
    classes = CASES[name][2]
    return [_batch(random, classes) for _ in range(STEPS)]


def _batch(random, classes):
    # A row may have no step; lengths differ from batch to batch.
    lengths = random.randint(0, random.randint(2, 8), ROWS)
    lengths[0] = max(lengths[0], 1)
    words = [[(WORDS + ["x", "y"])[k] for k in random.randint(0, 11, n)] for n in lengths]
    ids = [random.randint(0, 4, n).tolist() for n in lengths]
    price = [np.round(random.normal(size=n), 3).tolist() for n in lengths]
    age = np.round(random.normal(size=ROWS), 3).astype(np.float32)
    city = random.randint(0, 5, ROWS)
    sums = [sum(row) + len(row) for row in price]
    labels = (np.digitize(sums, [1.5, 4.0]) % classes).astype(np.int64)
    return {"word": words, "id": ids, "price": price, "age": age, "city": city}, labels
