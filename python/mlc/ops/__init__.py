# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Functions of Tensors, for model_fns: NumPy's names where NumPy has the function, else TensorFlow's.

    from mlc import ops

    hidden = ops.relu(ops.matmul(x, kernel) + bias)
    probabilities = ops.softmax(hidden)

Numbers and arrays beside Tensors become constants; shapes are broadcast by NumPy's rules. The first dimension of what
comes from features is the batch, whose size (None in a Tensor's shape) only a run knows. mlc.df has the ops that these
are made of.

What several have as arguments:
  axis: a dimension, negative ones from the last on; of reductions several, or None: all.
  keepdims: a dimension that is reduced stays, with the size 1.
  dtype: a name such as "float32", or numpy's.
  padding: "valid", "same", or (before, after) of each spatial dimension.
  name: hooks and messages have it; random numbers are a function of it.

Dtypes do not mix, but Python's numbers take that of the Tensor beside them. What does not fit is a ModelError, or a
ModelTypeError of a dtype, at the line of the model_fn.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from mlc._graph import name_scope
from mlc.gradients import gradients
from mlc.ops._control import cond, scan, while_loop
from mlc.ops._custom_gradient import custom_gradient
from mlc.ops._elementwise import (
    abs, add, cast, ceil, clip, cos, divide, divide_no_nan, elu, equal, erf, exp, expm1, floor, floor_divide, gelu,
    greater, greater_equal, isfinite, isnan, leaky_relu, less, less_equal, log, log1p, logical_and, logical_not,
    logical_or, logical_xor, maximum, minimum, mod, multiply, negative, not_equal, power, reciprocal, relu, relu6, round,
    rsqrt, selu, sigmoid, sign, sin, softplus, softsign, sqrt, square, squared_difference, subtract, swish, tan, tanh,
    where,
)  # fmt: skip
from mlc.ops._nn import (
    attention, avg_pool, conv, conv_transpose, dropout, l2_normalize, log_softmax, max_pool, moments,
    random_normal_like, random_uniform_like, softmax, stop_gradient,
)  # fmt: skip
from mlc.ops._reduce import (
    all, any, argmax, argmin, cumsum, einsum, logsumexp, matmul, max, mean, min, norm, prod, std, sum, tensordot, var,
)  # fmt: skip
from mlc.ops._shape import (
    arange, argsort, boolean_mask, broadcast_to, concatenate, constant, expand_dims, flip, full, gather, identity,
    index, one_hot, ones, ones_like, pad, reshape, sequence_mask, shape, sort, split, squeeze, stack, take_along_axis,
    tile, top_k, transpose, unstack, zeros, zeros_like,
)  # fmt: skip
from mlc.tensor import Tensor

__all__ = [
    "Tensor", "abs", "add", "all", "any", "arange", "argmax", "argmin", "argsort", "attention", "avg_pool",
    "boolean_mask", "broadcast_to", "cast", "ceil", "clip", "concatenate", "cond", "constant", "conv", "conv_transpose",
    "cos", "cumsum", "custom_gradient", "divide", "divide_no_nan", "dropout", "einsum", "elu", "equal", "erf", "exp", "expand_dims",
    "expm1", "flip", "floor", "floor_divide", "full", "gather", "gelu", "gradients", "greater", "greater_equal",
    "identity", "index", "isfinite", "isnan", "l2_normalize", "leaky_relu", "less", "less_equal", "log", "log1p",
    "log_softmax", "logical_and", "logical_not", "logical_or", "logical_xor", "logsumexp", "matmul", "max", "max_pool",
    "maximum", "mean", "min", "minimum", "mod", "moments", "multiply", "name_scope", "negative", "norm", "not_equal",
    "one_hot", "ones", "ones_like", "pad", "power", "prod", "random_normal_like", "random_uniform_like", "reciprocal",
    "relu", "relu6", "reshape", "round", "rsqrt", "scan", "selu", "sequence_mask", "shape", "sigmoid", "sign", "sin",
    "softmax", "softplus", "softsign", "sort", "split", "sqrt", "square", "squared_difference", "squeeze", "stack",
    "std", "stop_gradient", "subtract", "sum", "swish", "take_along_axis", "tan", "tanh", "tensordot", "tile", "top_k",
    "transpose", "unstack", "var", "where", "while_loop", "zeros", "zeros_like",
]  # fmt: skip

_OF_TENSORFLOW = {
    "clip_by_value": "clip", "concat": "concatenate", "fill": "full", "floordiv": "floor_divide", "floormod": "mod", "pow": "power", "range": "arange",
    "reduce_euclidean_norm": "norm", "reduce_variance": "var", "reverse": "flip",
}  # fmt: skip
"""What else TensorFlow calls otherwise than NumPy: beside these the reductions, reduce_sum and so on."""


if not TYPE_CHECKING:  # whose tools know what is there

    def __getattr__(name: str) -> Any:
        other = _OF_TENSORFLOW.get(name, name.removeprefix("reduce_"))
        hint = f"; '{other}' is its name here" if other != name and other in __all__ else ""
        raise AttributeError(f"module 'mlc.ops' has no attribute '{name}'{hint}", name=name, obj=sys.modules[__name__])
