"""What a model_fn shows in TensorBoard beside the loss."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from typing import Any

from mlc import ops
from mlc._build import as_tensor, describe
from mlc._graph import current, model_error
from mlc.tensor import Tensor


def scalar(name: str, tensor: Any) -> None:
    """Shows a tensor, a scalar, under `name` with each summary of training; in other modes nothing.

    Raises ModelError if it is no scalar of numbers, or the name is taken.
    """
    value = as_tensor(tensor)
    if value.shape or value.dtype in ("string", "bool"):
        raise model_error(f"summary '{name}': expected a scalar of numbers\n{describe([value])}")
    _show(name, value, current().scalars)


def histogram(name: str, values: Any) -> None:
    """Shows how the elements of `values`, a Tensor or Variable, are spread, under `name` with each summary of training; in
    other modes nothing. The buckets are TensorFlow's; one element is shown as a scalar. Tasks of a cluster, runs of several
    GPUs, trainers and modules of the Estimator leave it out, with a warning.

    Raises ModelError if it is no Tensor of numbers, or the name is taken.
    """
    value = as_tensor(values)
    if value.dtype in ("string", "bool"):
        raise model_error(f"summary '{name}': expected numbers\n{describe([value])}")
    _show(name, value, current().histograms)


def _show(name: str, value: Tensor, shown: dict[str, Tensor]) -> None:
    trace = current()
    tag = trace.scope + name
    if tag in trace.scalars or tag in trace.histograms or tag == "loss":
        raise model_error(f"summary '{tag}' is there already")
    if trace.mode == "train":
        shown[tag] = ops.cast(value, "float32")
