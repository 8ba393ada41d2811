"""Broadcasting, by NumPy's rules, for ops whose operands have one shape."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlc import df
from mlc._build import as_tensor, describe, is_tensor
from mlc._graph import model_error
from mlc.errors import ModelError, ModelTypeError
from mlc.tensor import Shape, Tensor


def tensors(values: Sequence[Any], what: str, dtype: str | None = None) -> list[Tensor]:
    """Values as Tensors of one dtype: that of those that have one, else `dtype`. ModelTypeError where they differ."""
    like = next((value.dtype for value in values if is_tensor(value)), dtype)
    found = [as_tensor(value, like) for value in values]
    if any(tensor.dtype != found[0].dtype for tensor in found):
        raise model_error(
            f"{what}: operands are of different dtypes; convert one of them with astype\n{describe(found)}",
            ModelTypeError,
        )
    return found


def common_shape(operands: Sequence[Tensor], what: str) -> Shape:
    """The shape that operands are broadcast to. A size that is not known is taken for that of the others.

    Raises ModelError where sizes differ and neither is 1.
    """
    rank = max(operand.ndim for operand in operands)
    shape: list[int | None] = []
    for d in range(-rank, 0):
        sizes = {operand.shape[d] for operand in operands if operand.ndim >= -d} - {1}
        known = {size for size in sizes if size is not None}
        if len(known) > 1:
            raise model_error(
                f"{what}: shapes cannot be broadcast together: dimension {d} is {' and '.join(map(str, sorted(known)))}\n"
                f"{describe(operands)}",
                ModelError,
            )
        shape.append(next(iter(known)) if known else None if sizes else 1)
    return tuple(shape)


def _is_full(operand: Tensor, shape: Shape) -> bool:
    """Whether no dimension of the operand has to be repeated."""
    return operand.ndim == len(shape) and all(size != 1 or wanted == 1 for size, wanted in zip(operand.shape, shape, strict=True))


def size_vector(shape: Shape, operands: Sequence[Tensor]) -> Tensor:
    """A shape as an int64 vector, with sizes that are not known taken from operands that have them."""
    from mlc import ops

    sizes: list[Any] = []
    for d in range(-len(shape), 0):
        size: Any = shape[d]
        if size is None:
            operand = next(o for o in operands if o.ndim >= -d and o.shape[d] is None)
            size = df.size(operand, dimensions=[operand.ndim + d])
        sizes.append(size)
    return ops.stack([as_tensor(size, "int64") for size in sizes])


def to_shape(operand: Tensor, shape: Shape, others: Sequence[Tensor] = ()) -> Tensor:
    """The operand, repeated to a shape. `others` are tensors that have the sizes that are not known."""
    if _is_full(operand, shape):
        return operand
    offset = len(shape) - operand.ndim
    kept = [d for d in range(operand.ndim) if operand.shape[d] != 1 or shape[offset + d] == 1]
    squeezed = operand
    if len(kept) < operand.ndim:
        squeezed = df.reshape(operand, type_=(operand.dtype, [operand.shape[d] for d in kept]))
    places = [offset + d for d in kept]
    if all(size is not None for size in shape):
        return df.broadcast(squeezed, dimensions=places, type_=(operand.dtype, shape))
    like = next((other for other in others if _is_full(other, shape)), None)
    if like is not None:
        return df.broadcast(squeezed, like, dimensions=places, type_=(operand.dtype, like.shape))
    return df.dynamic_broadcast(
        squeezed, size_vector(shape, [operand, *others]), dimensions=places, type_=(operand.dtype, shape)
    )


def rows_first(operand: Tensor, rank: int) -> Tensor:
    """The operand with dimensions of 1 after its own up to `rank`: weights of rows, [n], beside [n, ..]."""
    if operand.ndim == 0 or operand.ndim >= rank:
        return operand
    return df.reshape(operand, type_=(operand.dtype, [*operand.shape, *[1] * (rank - operand.ndim)]))


def broadcast(values: Sequence[Any], what: str, dtype: str | None = None) -> list[Tensor]:
    """Values as Tensors of one dtype and one shape."""
    operands = tensors(values, what, dtype)
    return same_shape(operands, what)


def same_shape(operands: Sequence[Tensor], what: str) -> list[Tensor]:
    """Tensors, of whatever dtypes, as ones of one shape."""
    shape = common_shape(operands, what)
    return [to_shape(operand, shape, operands) for operand in operands]
