"""Runs functions of Tensors, compiled, on arrays."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import functools
import tempfile

import numpy as np

from mlc import data, estimator, ops, train
from mlc.estimator import EstimatorSpec


@functools.cache
def _untrained() -> str:
    """A model_dir with a checkpoint of no variables but the step."""

    def model_fn(features, labels, mode):
        return EstimatorSpec(mode, loss=ops.mean(features["x"]), train_op=train.no_op())

    directory = tempfile.mkdtemp()
    dataset = data.Dataset.from_arrays({"x": np.zeros(1, np.float32)}, np.zeros(1, np.float32)).batch(1)
    estimator.Estimator(model_fn, directory).train(lambda: dataset, steps=1)
    return directory


def compute(function, *arrays):
    """What `function`, traced, compiled and run, makes of arrays, each of whose first dimension is the batch."""

    def model_fn(features, mode):
        return EstimatorSpec(mode, predictions=function(*[features[f"a{i}"] for i in range(len(arrays))]))

    features = {f"a{i}": array for i, array in enumerate(arrays)}
    dataset = data.Dataset.from_arrays(features).batch(len(arrays[0]))
    model = estimator.Estimator(model_fn, _untrained())
    (batch,) = model.predict(lambda: dataset, yield_single_examples=False)
    return batch

