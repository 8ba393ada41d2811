"""What a model_fn shows in TensorBoard beside the loss."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from typing import Any

from mlc import ops
from mlc._build import as_tensor, describe
from mlc._graph import current, model_error


def scalar(name: str, tensor: Any) -> None:
    """Shows a tensor, a scalar, under `name` with each summary of training; in other modes nothing.

    Raises ModelError if it is no scalar of numbers, or the name is taken.
    """
    trace = current()
    value = as_tensor(tensor)
    if value.shape or value.dtype in ("string", "bool"):
        raise model_error(f"summary '{name}': expected a scalar of numbers\n{describe([value])}")
    tag = trace.scope + name
    if tag in trace.scalars or tag == "loss":
        raise model_error(f"summary '{tag}' is there already")
    if trace.mode == "train":
        trace.scalars[tag] = ops.cast(value, "float32")
