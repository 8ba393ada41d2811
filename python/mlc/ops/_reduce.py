"""Sums and the like over axes, products of matrices, with NumPy's names."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from typing import Any

from mlc import df
from mlc._build import as_tensor, describe
from mlc._graph import model_error
from mlc.errors import ModelError
from mlc.ops._broadcast import size_vector, tensors
from mlc.ops._elementwise import cast
from mlc.tensor import Tensor

Axis = int | Sequence[int] | None


def axes_of(tensor: Tensor, axis: Any, what: str) -> list[int]:
    """Axes as ascending numbers from 0 on; None are all of them. ModelError for one that is not there."""
    listed = range(tensor.ndim) if axis is None else [axis] if isinstance(axis, int) else list(axis)
    axes = set()
    for each in listed:
        number = operator.index(each)
        if not -tensor.ndim <= number < tensor.ndim:
            raise model_error(f"{what}: there is no axis {number}\n{describe([tensor])}", ModelError)
        axes.add(number % tensor.ndim)
    return sorted(axes)


def one_axis(tensor: Tensor, axis: int, what: str) -> int:
    """An axis as a number from 0 on."""
    return axes_of(tensor, operator.index(axis), what)[0]


def keep_dims(result: Tensor, operand: Tensor, axes: Sequence[int]) -> Tensor:
    """A reduced tensor with a size of 1 for each axis."""
    shape = [1 if d in axes else n for d, n in enumerate(operand.shape)]
    if len([n for n in shape if n is None]) > 1:
        sizes: list[Any] = [1 if d in axes else operand.shape[d] for d in range(operand.ndim)]
        vector = size_vector(tuple(sizes), [operand])
        return df.dynamic_reshape(result, vector, type_=(result.dtype, shape))
    return df.reshape(result, type_=(result.dtype, shape))


def _reduce(op: Callable[..., Tensor], x: Any, axis: Any, keepdims: bool, what: str) -> Tensor:
    tensor = as_tensor(x)
    axes = axes_of(tensor, axis, what)
    result = op(tensor, axes=axes)
    return keep_dims(result, tensor, axes) if keepdims else result


def sum(x: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:  # noqa: A001
    """The sum over axes; None: over all. Of bools it is how many hold, as int64."""
    tensor = as_tensor(x)
    return _reduce(df.reduce_sum, cast(tensor, "int64") if tensor.dtype == "bool" else tensor, axis, keepdims, "sum")


def mean(x: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The mean over axes; None: over all. Integers and bools are taken as float32."""
    tensor = as_tensor(x)
    return _reduce(df.reduce_mean, tensor if "float" in tensor.dtype else cast(tensor, "float32"), axis, keepdims, "mean")


def max(x: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:  # noqa: A001
    """The largest element over axes; None: over all."""
    return _reduce(df.reduce_max, x, axis, keepdims, "max")


def min(x: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:  # noqa: A001
    """The smallest element over axes; None: over all."""
    return _reduce(df.reduce_min, x, axis, keepdims, "min")


def prod(x: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The product over axes; None: over all."""
    return _reduce(df.reduce_prod, x, axis, keepdims, "prod")


def all(x: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:  # noqa: A001
    """Whether all hold, over axes; None: over all."""
    return _reduce(df.reduce_all, x, axis, keepdims, "all")


def any(x: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:  # noqa: A001
    """Whether one holds at least, over axes; None: over all."""
    return _reduce(df.reduce_any, x, axis, keepdims, "any")


def var(x: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The variance of the population over axes; None: over all."""
    return _reduce(df.reduce_variance, x, axis, keepdims, "var")


def std(x: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The square root of `var`."""
    return df.sqrt(var(x, axis, keepdims))


def logsumexp(x: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """log(sum(exp(x))) over axes; None: over all."""
    return _reduce(df.reduce_logsumexp, x, axis, keepdims, "logsumexp")


def norm(x: Any, axis: Axis = None, keepdims: bool = False) -> Tensor:
    """The square root of the sum of squares over axes; None: over all."""
    return _reduce(df.reduce_l2, x, axis, keepdims, "norm")


def argmax(x: Any, axis: int = -1) -> Tensor:
    """The first position of the largest element along an axis, as int64."""
    tensor = as_tensor(x)
    return df.argmax(tensor, axis=one_axis(tensor, axis, "argmax"))


def argmin(x: Any, axis: int = -1) -> Tensor:
    """The first position of the smallest element along an axis, as int64."""
    tensor = as_tensor(x)
    return df.argmin(tensor, axis=one_axis(tensor, axis, "argmin"))


def cumsum(x: Any, axis: int = 0, exclusive: bool = False, reverse: bool = False) -> Tensor:
    """Sums of the elements up to each one along an axis; exclusive: without that one; reverse: from the end on."""
    tensor = as_tensor(x)
    return df.cumsum(tensor, axis=one_axis(tensor, axis, "cumsum"), exclusive=exclusive, reverse=reverse)


def matmul(x: Any, y: Any, transpose_a: bool = False, transpose_b: bool = False) -> Tensor:
    """The product of matrices, [.., m, k] and [.., k, n]; leading dimensions are those of both, or y is one matrix.

    transpose_a and transpose_b exchange the last two dimensions of x and of y before."""
    left, right = tensors((x, y), "matmul")
    if left.ndim < 2 or right.ndim < 2:
        raise model_error(f"matmul: expected matrices\n{describe([left, right])}", ModelError)
    if left.ndim == right.ndim == 2:
        return df.matmul(left, right, transpose_a=transpose_a, transpose_b=transpose_b)
    if left.ndim == right.ndim:
        return df.batch_matmul(left, right, transpose_a=transpose_a, transpose_b=transpose_b)
    if right.ndim == 2 and not transpose_a:
        return df.dot_general(
            left, right, lhs_contracting=[left.ndim - 1], rhs_contracting=[1 if transpose_b else 0],
            type_=(left.dtype, [*left.shape[:-1], right.shape[0 if transpose_b else 1]]),
        )  # fmt: skip
    raise model_error(f"matmul: leading dimensions differ\n{describe([left, right])}", ModelError)


def tensordot(x: Any, y: Any, axes: int | tuple[Sequence[int], Sequence[int]] = 2) -> Tensor:
    """Sums of products over the last `axes` dimensions of x and the first of y, or over those listed of each."""
    left, right = tensors((x, y), "tensordot")
    if isinstance(axes, int):
        pair = list(range(left.ndim - axes, left.ndim)), list(range(axes))
    else:
        pair = [one_axis(left, a, "tensordot") for a in axes[0]], [one_axis(right, a, "tensordot") for a in axes[1]]
    shape = [n for d, n in enumerate(left.shape) if d not in pair[0]] + [n for d, n in enumerate(right.shape) if d not in pair[1]]
    return df.dot_general(left, right, lhs_contracting=pair[0], rhs_contracting=pair[1], type_=(left.dtype, shape))


def einsum(equation: str, *operands: Any) -> Tensor:
    """Sums of products of operands by an equation of subscripts, one of each operand: "bij,bjk->bik"."""
    return df.einsum(tensors(operands, "einsum"), equation=equation)
