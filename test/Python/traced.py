"""Runs functions of Tensors, compiled, on arrays."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import tempfile

from mlc import data, estimator
from mlc.estimator import EstimatorSpec


def compute(function, *arrays):
    """What `function`, traced, compiled and run, makes of arrays, each of whose first dimension is the batch."""

    def model_fn(features, mode):
        return EstimatorSpec(mode, predictions=function(*[features[f"a{i}"] for i in range(len(arrays))]))

    features = {f"a{i}": array for i, array in enumerate(arrays)}
    dataset = data.Dataset.from_arrays(features).batch(len(arrays[0]))
    model = estimator.Estimator(model_fn, tempfile.mkdtemp())
    (batch,) = model.predict(lambda: dataset, yield_single_examples=False)
    return batch

