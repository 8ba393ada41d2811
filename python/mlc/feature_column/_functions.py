"""Functions of users that a spec takes: a normalizer_fn, traced into a df module of its own."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlc import ops
from mlc._build import as_tensor, tensor_of
from mlc._graph import Graph, model_error, type_text


def normalizer_text(key: str, normalizer: Callable[[Any], Any], shape: Sequence[int], declared: Sequence[int]) -> str:
    """The df module of a normalizer_fn: of float32 [rows, *declared] to as many.

    Args:
      key: of the column.
      normalizer: gets a Tensor [rows, *shape], as in TensorFlow.
      declared: the shape of a row in the spec; [1] of a single number.

    Raises ModelError: the function gives other shapes, or makes variables; it shows the line. What it raises itself
    comes through.
    """
    graph = Graph()
    whole = (None, *declared)
    with graph.function("normalizer", "other", "train", [("x", type_text("float32", whole), "")]) as (trace, numbers):
        x = ops.reshape(tensor_of(trace, numbers[0]), [-1, *shape])
        found = as_tensor(normalizer(x))
        if found.shape != x.shape:
            raise model_error(f"normalizer_fn of '{key}' makes {found!r} of {x!r}; expected as many numbers of each row")
        if graph.variables:
            raise model_error(f"normalizer_fn of '{key}' makes the variable '{next(iter(graph.variables))}'; expected a function of the numbers alone")
        graph.end_function([("x", ops.reshape(ops.cast(found, "float32"), [-1, *declared]))])
    graph.call(graph.builder.verify)
    return str(graph.builder.text(False))
