"""Gradients of a scalar with respect to variables and tensors."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlc import _graph
from mlc._build import as_tensor, check_usable, describe, is_tensor, tensor_of
from mlc._graph import current, model_error, symbol, type_text
from mlc.errors import ModelError, ModelTypeError
from mlc.tensor import Tensor
from mlc.variables import Variable


def gradients(loss: Any, xs: Any) -> list[Tensor]:
    """The derivatives of a scalar with respect to Variables and Tensors, one for each.

    The gradient of a Variable that this function only gathers rows of is these rows (`is_rows`), which optimizers take.
    What does not depend on a Tensor gives zeros for it. Gradients have gradients themselves.

    Args:
      loss: a scalar float.
      xs: a Variable or Tensor, or a list of these.
    """
    trace = current()
    if not is_tensor(loss):
        raise model_error(f"gradients are those of {loss!r}; expected a Tensor, a scalar of floats", ModelTypeError)
    if trace.depth:
        raise model_error(
            "gradients are made in a branch or loop; make them before it: compute_gradients of an optimizer, whose apply_gradients may "
            "stand in a branch"
        )
    scalar = as_tensor(loss)
    if scalar.shape or "float" not in scalar.dtype:
        raise model_error(
            f"gradients are those of {scalar.type_string}; expected a scalar float: reduce it by ops.mean or ops.sum",
            ModelTypeError,
        )
    listed: Sequence[Any] = xs if isinstance(xs, (list, tuple)) else [xs]
    variables = [x for x in listed if isinstance(x, Variable)]
    tensors = [x for x in listed if not isinstance(x, Variable)]
    if any(not isinstance(x, Tensor) for x in tensors):
        raise model_error(f"gradients with respect to {tensors!r}; expected Variables and Tensors", ModelTypeError)
    check_usable(trace, [scalar, *tensors], "gradients")
    for variable in variables:
        if variable.graph is not trace.graph or "float" not in variable.dtype:
            raise model_error(f"gradients with respect to {variable!r}; expected a variable of floats of this model", ModelError)
    types = [_type_of(trace, variable) for variable in variables]
    types += [type_text(tensor.dtype, tensor.shape) for tensor in tensors]
    names = "[" + ", ".join(symbol(variable.name) for variable in variables) + "]"
    numbers = trace.graph.call(
        trace.graph.builder.op, "df.gradients", [scalar.number, *(t.number for t in tensors)],
        f"{{variables = {names}}}", types, 0, hint=lambda: describe([scalar]),
    )  # fmt: skip
    found = [tensor_of(trace, number) for number in numbers]
    of_variables, of_tensors = iter(found[: len(variables)]), iter(found[len(variables) :])
    return [next(of_variables if isinstance(x, Variable) else of_tensors) for x in listed]


def _type_of(trace: _graph.Trace, variable: Variable) -> str:
    text = type_text(variable.dtype, variable.shape)
    only_gathered = variable.name in trace.gathered and variable.name not in trace.read_whole
    return f"!df.rows<{text}>" if only_gathered else text
