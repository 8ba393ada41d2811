"""What layers have in common: scopes with names of their own, activations, regularizers."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from mlc import ops
from mlc._build import as_tensor, describe
from mlc._graph import current, model_error
from mlc.errors import ModelError
from mlc.tensor import Tensor
from mlc.variables import Regularizer, get_variable, get_variable_scope, variable_scope

ACTIVATIONS: dict[str, Callable[[Any], Tensor]] = {
    "relu": ops.relu, "relu6": ops.relu6, "sigmoid": ops.sigmoid, "tanh": ops.tanh, "elu": ops.elu, "selu": ops.selu,
    "gelu": ops.gelu, "swish": ops.swish, "softplus": ops.softplus, "softsign": ops.softsign, "softmax": ops.softmax,
    "leaky_relu": ops.leaky_relu, "exponential": ops.exp, "linear": ops.identity,
}  # fmt: skip


def activate(x: Tensor, activation: Any, layer: str) -> Tensor:
    """An activation: a function of Tensors, a name, or None for the identity."""
    if activation is None:
        return x
    if callable(activation):
        result: Tensor = activation(x)
        return result
    if activation not in ACTIVATIONS:
        raise model_error(
            f"{layer}: activation {activation!r} is not known; expected a function, or one of {', '.join(ACTIVATIONS)}"
        )
    return ACTIVATIONS[activation](x)


def with_bias(y: Tensor, use_bias: bool, initializer: Any, regularizer: Regularizer | None, trainable: bool) -> Tensor:
    """y + the variable bias, of as many numbers as the last dimension of y, which is known, has; or y."""
    if not use_bias:
        return y
    return y + get_variable("bias", [y.shape[-1]], y.dtype, initializer, regularizer, trainable)


@contextmanager
def layer_scope(name: str | None, default: str, reuse: Any = None) -> Iterator[str]:
    """The variable scope of a layer: of `name`, or of `default` with the first free number."""
    trace = current()
    if name is None:
        outer = get_variable_scope().name
        key = f"{outer}/{default}" if outer else default
        count = trace.layers.get(key, 0)
        trace.layers[key] = count + 1
        name = f"{default}_{count}" if count else default
    with variable_scope(name, reuse=reuse) as scope:
        yield scope.name


def floats_of(x: Any, layer: str, least_rank: int = 2) -> Tensor:
    """x as a Tensor of floats with a batch. ModelError for others."""
    tensor = as_tensor(x)
    if "float" not in tensor.dtype or tensor.ndim < least_rank:
        raise model_error(f"{layer}: expected floats of at least {least_rank} dimensions\n{describe([tensor])}")
    return tensor


def known_size(tensor: Tensor, axis: int, layer: str) -> int:
    """The size of an axis, which variables depend on. ModelError if it is not known."""
    size = tensor.shape[axis]
    if size is None:
        raise model_error(f"{layer}: the size of dimension {axis} is not known, and variables depend on it\n{describe([tensor])}")
    return size


def l2_regularizer(scale: float) -> Regularizer:
    """scale / 2 times the sum of squares, as in TensorFlow's contrib and tf.nn.l2_loss."""
    return lambda w: ops.sum(ops.square(w)) * (float(scale) / 2)


def l1_regularizer(scale: float) -> Regularizer:
    """scale times the sum of absolute values."""
    return lambda w: ops.sum(ops.abs(w)) * float(scale)


__all__ = ["ACTIVATIONS", "ModelError", "activate", "floats_of", "known_size", "l1_regularizer", "l2_regularizer", "layer_scope"]
