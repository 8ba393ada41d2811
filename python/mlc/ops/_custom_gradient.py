"""Functions with a gradient of their own."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from mlc._build import as_tensor, build, check_usable, tensor_of
from mlc._graph import current, model_error, type_text
from mlc._nest import flatten, pack
from mlc.ops._broadcast import to_shape
from mlc.tensor import Tensor


def custom_gradient(function: Callable[..., Any]) -> Callable[..., Any]:
    """Decorates a function of Tensors that returns its result and the function of its gradient, as tf.custom_gradient.

        @ops.custom_gradient
        def reverse(x):  # the identity, whose gradient is turned around
            return x, lambda upstream: -upstream

    The gradient's function gets the gradients of the outputs of floats and returns one for each argument of floats. What
    it uses of what the function computed is computed again for it. The function makes no variables; a Tensor from
    outside that a gradient should reach has to be an argument.
    """

    @functools.wraps(function)
    def wrapped(*arguments: Any) -> Any:
        return _call(function, [as_tensor(argument) for argument in arguments])

    return wrapped


def _types(tensors: Sequence[Tensor]) -> list[str]:
    return [type_text(tensor.dtype, tensor.shape) for tensor in tensors]


def _floats(tensors: Sequence[Tensor]) -> list[Tensor]:
    return [tensor for tensor in tensors if "float" in tensor.dtype]


def _call(function: Callable[..., Any], operands: list[Tensor]) -> Any:
    trace = current()
    check_usable(trace, operands, "custom_gradient")
    what = getattr(function, "__name__", "custom_gradient")
    names = trace.names()
    with trace.graph.region(_types(operands)) as numbers:
        inner = [tensor_of(trace, number) for number in numbers]
        outputs, _ = _forward(function, inner, what)
        results = [as_tensor(value) for value in flatten(outputs)]
        check_usable(trace, results, what)
        trace.graph.end_region("df.yield", [*results, *inner])
    # The same names again: what is random is the same in both.
    trace.take_names(names)
    with trace.graph.region(_types([*operands, *_floats(results)])) as numbers:
        given = [tensor_of(trace, number) for number in numbers]
        _, gradient = _forward(function, given[: len(operands)], what)
        found = [each for each in flatten(gradient(*given[len(operands) :])) if each is not None]
        trace.graph.end_region("df.yield", _checked(found, _floats(operands), what))
    attributes = (("residuals", "i64", len(operands)),)
    made = build("df.custom_gradient", (operands,), "*", attributes, None, False, regions=2)
    return pack(outputs, made[: len(results)])


def _forward(function: Callable[..., Any], inner: list[Tensor], what: str) -> tuple[Any, Callable[..., Any]]:
    result = function(*inner)
    if not (isinstance(result, tuple) and len(result) == 2 and callable(result[1])):
        raise model_error(f"{what} returns {result!r}; expected its result and the function of its gradient")
    return result


def _checked(found: Sequence[Any], like: Sequence[Tensor], what: str) -> list[Tensor]:
    if len(found) != len(like):
        raise model_error(f"the gradient of {what} gives {len(found)} Tensors; expected {len(like)}, one for each argument")
    tensors = [as_tensor(value, wanted.dtype) for value, wanted in zip(found, like, strict=True)]
    check_usable(current(), tensors, f"the gradient of {what}")
    for tensor, wanted in zip(tensors, like, strict=True):
        if tensor.dtype != wanted.dtype or (tensor.ndim and tensor.shape != wanted.shape):
            raise model_error(f"the gradient of {what} gives {tensor!r} for an argument {wanted!r}")
    return [to_shape(tensor, wanted.shape, [wanted]) for tensor, wanted in zip(tensors, like, strict=True)]
