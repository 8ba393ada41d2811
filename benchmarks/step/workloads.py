"""The workloads of the step benchmark: their batches, their variables and their floating-point work.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import dataclasses
import pathlib

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
LEARNING_RATE = 0.05  # as in mlp.mlir and wide_deep.pbtxt
EPSILON = 1e-7

SPARSE, BUCKETS, DENSE, DIMENSION, ZIPF = 26, 100_000, 13, 16, 1.1


@dataclasses.dataclass(frozen=True)
class Workload:
    name: str
    source: pathlib.Path  # what mlc compiles
    layers: tuple  # widths, input first
    constant_inputs: int  # of the first layer: they need no gradient
    make_batches: object

    def flop(self, batch):
        """Of the products of one step: 2 for each weight and row in y = xW and in dW, and in dX where it is needed."""
        weights = sum(a * b for a, b in zip(self.layers, self.layers[1:]))
        return 2 * batch * (3 * weights - self.constant_inputs * self.layers[1])


def mlp_batches(batch):
    ring = 64  # different batches; a run goes through them in a circle
    rng = np.random.default_rng(1)
    image = rng.random((ring, batch, 784), np.float32)
    teacher = rng.standard_normal((784, 10), np.float32)
    return {"image": image, "label": ((image - 0.5) @ teacher).argmax(-1).astype(np.int64)}


def wide_deep_batches(batch):
    ring = 512  # so many that the rows they touch do not fit into caches
    rng = np.random.default_rng(1)
    cumulated = np.cumsum(np.arange(1, BUCKETS + 1) ** -ZIPF)
    tensors, score = {}, rng.standard_normal((ring, batch))
    for i in range(1, SPARSE + 1):
        rank = np.searchsorted(cumulated, rng.random((ring, batch)) * cumulated[-1])
        # Frequent ids lie anywhere in the table.
        ids = rng.permutation(BUCKETS)[np.minimum(rank, BUCKETS - 1)]
        tensors[f"C{i}"] = ids.astype(np.int64)
        score += 0.5 * rng.standard_normal(BUCKETS)[ids]
    for i in range(1, DENSE + 1):
        tensors[f"I{i}"] = rng.random((ring, batch), np.float32)
        score += rng.standard_normal() * (tensors[f"I{i}"] - 0.5)
    tensors["label"] = (score > 0).astype(np.int64)
    return tensors


WORKLOADS = {
    "mlp": Workload("mlp", HERE / "mlp.mlir", (784, 500, 200, 100, 10), 784, mlp_batches),
    "wide_deep": Workload("wide_deep", HERE / "wide_deep.pbtxt", (SPARSE * DIMENSION + DENSE, 512, 256, 64, 1), DENSE,
                          wide_deep_batches),
}
