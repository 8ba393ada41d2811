"""Functions that move elements: shapes, slices, gathers; with NumPy's names where it has them."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any

import numpy as np

from mlc import df
from mlc._build import as_tensor, describe, is_tensor
from mlc._build import constant as make_constant
from mlc._build import dtype_name_of
from mlc._graph import current, model_error
from mlc.errors import ModelError, ModelTypeError
from mlc.ops._broadcast import tensors, to_shape
from mlc.ops._reduce import cumsum, one_axis
from mlc.tensor import Tensor

# Constants


def constant(value: Any, dtype: Any = None) -> Tensor:
    """A constant of a value: a number, text or array. Python's floats and numpy's float64 become float32 without a dtype."""
    return make_constant(value, None if dtype is None else dtype_name_of(dtype), exact=dtype is not None)


def zeros(shape: Sequence[int], dtype: Any = "float32") -> Tensor:
    """Zeros of a shape."""
    return full(shape, 0, dtype)


def ones(shape: Sequence[int], dtype: Any = "float32") -> Tensor:
    """Ones of a shape."""
    return full(shape, 1, dtype)


def full(shape: Sequence[int] | int, value: Any, dtype: Any = "float32") -> Tensor:
    """One value everywhere. The shape may have Tensors among its sizes, as that of a batch."""
    sizes = [shape] if isinstance(shape, int) or is_tensor(shape) else list(shape)
    scalar = make_constant(value, dtype_name_of(dtype), exact=True)
    if not any(is_tensor(size) for size in sizes):
        known = tuple(operator.index(size) for size in sizes)
        return df.broadcast(scalar, dimensions=[], type_=(scalar.dtype, known)) if known else scalar
    target = [None if is_tensor(size) else operator.index(size) for size in sizes]
    return df.dynamic_broadcast(
        scalar, stack([as_tensor(size, "int64") for size in sizes]), dimensions=[], type_=(scalar.dtype, target)
    )


def _like(x: Any, value: float, dtype: Any) -> Tensor:
    tensor = as_tensor(x)
    scalar = make_constant(value, tensor.dtype if dtype is None else dtype_name_of(dtype), exact=True)
    return to_shape(scalar, tensor.shape, [tensor])


def zeros_like(x: Any, dtype: Any = None) -> Tensor:
    """Zeros of the shape of x, and of its dtype if none is given."""
    return _like(x, 0, dtype)


def ones_like(x: Any, dtype: Any = None) -> Tensor:
    """Ones of the shape of x, and of its dtype if none is given."""
    return _like(x, 1, dtype)


def arange(start: int, limit: int | None = None, delta: int = 1, dtype: Any = "int64") -> Tensor:
    """Numbers from start to below limit, each larger by delta; of one argument from 0 to below it."""
    low, high = (0, start) if limit is None else (start, limit)
    return constant(np.arange(low, high, delta), dtype)


def one_hot(indices: Any, depth: int, on_value: float = 1.0, off_value: float = 0.0, dtype: Any = "float32") -> Tensor:
    """on_value at each index along a new last axis of `depth` elements, else off_value; all off for other indices."""
    ids = _ids(indices, "one_hot")
    return df.one_hot(ids, on=float(on_value), off=float(off_value), type_=(dtype_name_of(dtype), [*ids.shape, depth]))


# Shapes


def shape(x: Any) -> Tensor:
    """The sizes of the dimensions, as an int64 vector: those of a batch, too."""
    return df.shape(as_tensor(x))


def identity(x: Any, name: str | None = None) -> Tensor:
    """x as a Tensor. Hooks may fetch it by `name`, within the scopes that are open."""
    tensor = as_tensor(x)
    if name is not None:
        trace = current()
        trace.named[trace.unique_name(trace.scope + name)] = tensor
    return tensor


def reshape(x: Any, shape: Any) -> Tensor:
    """The elements in their order under another shape.

    Args:
      shape: sizes, one of which may be -1: what the others leave. A Tensor among them is a size that a batch knows.
    """
    tensor = as_tensor(x)
    sizes = [shape] if isinstance(shape, int) else list(shape)
    if any(is_tensor(size) for size in sizes):
        target = [None if is_tensor(n) or n == -1 else operator.index(n) for n in sizes]
        return df.dynamic_reshape(tensor, stack([as_tensor(n, "int64") for n in sizes]), type_=(tensor.dtype, target))
    known: list[int | None] = [None if n is None else operator.index(n) for n in sizes]
    if -1 in known:
        rest = math.prod(n for n in known if n not in (None, -1))  # type: ignore[misc]
        unknown = [n for n in tensor.shape if n is None]
        if not unknown and rest:
            total = math.prod(n or 0 for n in tensor.shape)
            known[known.index(-1)] = total // rest
        else:
            known[known.index(-1)] = None
    if len([n for n in tensor.shape if n is None]) > 1:
        vector = [(-1 if n is None else n) for n in known]
        return df.dynamic_reshape(tensor, make_constant(np.array(vector, np.int64)), type_=(tensor.dtype, known))
    return df.reshape(tensor, type_=(tensor.dtype, known))


def expand_dims(x: Any, axis: int) -> Tensor:
    """A dimension of 1 more, at `axis` of the result."""
    tensor = as_tensor(x)
    place = axis if axis >= 0 else tensor.ndim + 1 + axis
    return _same_elements(tensor, [*tensor.shape[:place], 1, *tensor.shape[place:]])


def squeeze(x: Any, axis: Any = None) -> Tensor:
    """Without dimensions of 1: those of `axis`, or all."""
    tensor = as_tensor(x)
    if axis is None:
        dropped = [d for d, n in enumerate(tensor.shape) if n == 1]
    else:
        listed = [axis] if isinstance(axis, int) else list(axis)
        dropped = [one_axis(tensor, a, "squeeze") for a in listed]
        if any(tensor.shape[d] not in (1, None) for d in dropped):
            raise model_error(f"squeeze: axes {listed} are not all of size 1\n{describe([tensor])}", ModelError)
    return _same_elements(tensor, [n for d, n in enumerate(tensor.shape) if d not in dropped])


def _same_elements(tensor: Tensor, shape: Sequence[int | None]) -> Tensor:
    return df.reshape(tensor, type_=(tensor.dtype, shape))


def transpose(x: Any, axes: Sequence[int] | None = None) -> Tensor:
    """The dimensions in another order: dimension i of the result is dimension axes[i]; None: the reverse order."""
    tensor = as_tensor(x)
    order = range(tensor.ndim - 1, -1, -1) if axes is None else [one_axis(tensor, a, "transpose") for a in axes]
    return df.transpose(tensor, permutation=list(order))


def broadcast_to(x: Any, shape: Sequence[int]) -> Tensor:
    """x repeated to a shape, by NumPy's rules."""
    return to_shape(as_tensor(x), tuple(shape))


def concatenate(values: Sequence[Any], axis: int = 0) -> Tensor:
    """The values, Tensors of equal sizes elsewhere, one after the other along an axis."""
    found = tensors(list(values), "concatenate")
    return found[0] if len(found) == 1 else df.concat(found, axis=one_axis(found[0], axis, "concatenate"))


def stack(values: Sequence[Any], axis: int = 0) -> Tensor:
    """The values, Tensors of one shape, along a new axis."""
    found = tensors(list(values), "stack")
    return df.stack(found, axis=axis if axis >= 0 else found[0].ndim + 1 + axis)


def unstack(x: Any, axis: int = 0) -> list[Tensor]:
    """The slices along an axis, whose size is known."""
    tensor = as_tensor(x)
    place = one_axis(tensor, axis, "unstack")
    size = tensor.shape[place]
    if size is None:
        raise model_error(f"unstack: the size of axis {axis} is not known\n{describe([tensor])}", ModelError)
    return [_take_one(tensor, place, i) for i in range(size)]


def split(x: Any, sections: int | Sequence[int], axis: int = 0) -> list[Tensor]:
    """Parts along an axis whose size is known: `sections` equal ones, or ones of the sizes listed there."""
    tensor = as_tensor(x)
    place = one_axis(tensor, axis, "split")
    size = tensor.shape[place]
    if size is None:
        raise model_error(f"split: the size of axis {axis} is not known\n{describe([tensor])}", ModelError)
    if isinstance(sections, int):
        if size % sections:
            raise model_error(f"split: {size} elements are no {sections} equal parts\n{describe([tensor])}", ModelError)
        sizes = [size // sections] * sections
    else:
        sizes = list(sections)
    types = [(tensor.dtype, [*tensor.shape[:place], n, *tensor.shape[place + 1 :]]) for n in sizes]
    return df.split(tensor, axis=place, types=types)


def tile(x: Any, multiples: Sequence[int]) -> Tensor:
    """x repeated multiples[d] times along axis d."""
    return df.tile(as_tensor(x), multiples=list(multiples))


def pad(x: Any, paddings: Sequence[Sequence[int]], value: float = 0.0) -> Tensor:
    """`paddings[d]` = (before, after) elements of `value` more along each axis."""
    tensor = as_tensor(x)
    before, after = [operator.index(p[0]) for p in paddings], [operator.index(p[1]) for p in paddings]
    return df.pad(tensor, make_constant(value, tensor.dtype, exact=True), low=before, high=after)


def flip(x: Any, axis: int | Sequence[int]) -> Tensor:
    """The elements in reverse order along axes."""
    tensor = as_tensor(x)
    listed = [axis] if isinstance(axis, int) else list(axis)
    return df.reverse(tensor, axes=sorted(one_axis(tensor, a, "flip") for a in listed))


# Indices


def _ids(x: Any, what: str) -> Tensor:
    tensor = as_tensor(x, "int64")
    if "int" not in tensor.dtype:
        raise model_error(f"{what}: indices are {tensor.type_string}; expected integers", ModelTypeError)
    return tensor if tensor.dtype == "int64" else df.cast(tensor, type_=("int64", tensor.shape))


def gather(x: Any, indices: Any, axis: int = 0) -> Tensor:
    """Slices of x along an axis at indices, whose dimensions take the axis' place.

    Of a Variable's rows (axis 0) the gradient is sparse: an optimizer touches the rows of the batch.
    """
    ids = _ids(indices, "gather")
    rows = getattr(x, "gather_rows", None)
    if rows is not None and axis == 0:
        tensor: Tensor = rows(ids)
        return tensor
    operand = as_tensor(x)
    return df.gather(operand, ids, axes=[one_axis(operand, axis, "gather")])


def take_along_axis(x: Any, indices: Any, axis: int = -1) -> Tensor:
    """x[.., indices[..], ..] along an axis; both have equal sizes elsewhere."""
    tensor = as_tensor(x)
    return df.take_along_axis(tensor, _ids(indices, "take_along_axis"), axis=one_axis(tensor, axis, "take_along_axis"))


def boolean_mask(x: Any, mask: Any) -> Tensor:
    """The rows of x for which the mask holds."""
    return df.boolean_mask(as_tensor(x), as_tensor(mask))


def top_k(x: Any, k: int = 1) -> tuple[Tensor, Tensor]:
    """The k largest elements along the last axis, largest first, and their positions."""
    values, positions = df.top_k(as_tensor(x), k=k)
    return values, positions


def sort(x: Any, axis: int = -1, descending: bool = False) -> Tensor:
    """The elements in order along an axis, the smallest first, or with `descending` the largest."""
    tensor = as_tensor(x)
    return df.sort([tensor], axis=one_axis(tensor, axis, "sort"), descending=descending)[0]


def argsort(x: Any, axis: int = -1, descending: bool = False) -> Tensor:
    """The positions of the elements in the order of sort along an axis, as int64; descending: the largest first."""
    tensor = as_tensor(x)
    return df.argsort(tensor, axis=one_axis(tensor, axis, "argsort"), descending=descending)


def sequence_mask(lengths: Any, maxlen: Any, dtype: Any = "bool") -> Tensor:
    """[.., maxlen]: whether a position is below the length, for lengths of integers [..].

    maxlen: a number; or where only a batch knows it the padded Tensor [.., maxlen, ..] itself.
    """
    from mlc.ops._elementwise import cast

    ids = _ids(lengths, "sequence_mask")
    if not is_tensor(maxlen):
        return cast(df.sequence_mask(ids, type_=("bool", [*ids.shape, maxlen])), dtype)
    padded = as_tensor(maxlen)
    if padded.ndim <= ids.ndim:
        raise model_error(
            "sequence_mask: maxlen is a Tensor without a dimension after those of lengths; expected a number, or the "
            f"padded Tensor [.., maxlen, ..] itself\n{describe([ids, padded])}"
        )
    row = padded[(slice(None),) * (ids.ndim + 1) + (0,) * (padded.ndim - ids.ndim - 1)]
    positions = cumsum(ones_like(row, "int64"), axis=ids.ndim, exclusive=True)
    return cast(positions < expand_dims(ids, -1), dtype)


def index(tensor: Tensor, key: Any) -> Tensor:
    """tensor[key]: integers, slices, None, ..., a mask, or for one axis a list, array or Tensor of integers."""
    if isinstance(key, (list, np.ndarray)):
        key = _positions(tensor, 0, key)
    if is_tensor(key):
        chosen = as_tensor(key)
        return boolean_mask(tensor, chosen) if chosen.dtype == "bool" else gather(tensor, chosen)
    keys = list(key) if isinstance(key, tuple) else [key]
    used = len([k for k in keys if k is not None and k is not Ellipsis])
    if used > tensor.ndim or len([k for k in keys if k is Ellipsis]) > 1:
        raise model_error(f"there are more indices than dimensions\n{describe([tensor])}", ModelError)
    place = next((i for i, k in enumerate(keys) if k is Ellipsis), len(keys))
    keys[place : place + 1] = [slice(None)] * (tensor.ndim - used)
    _check_lists(keys)
    result, axis = tensor, 0
    for each in keys:
        if each is None:
            result = expand_dims(result, axis)
            axis += 1
        elif isinstance(each, slice):
            result = _take_range(result, axis, each)
            axis += 1
        elif _is_list(each):
            chosen = _ids(each if is_tensor(each) else _positions(result, axis, each), "index")
            result = gather(result, chosen, axis)
            axis += chosen.ndim
        else:
            result = _take_one(result, axis, _integer(each))
    return result


def _is_list(key: Any) -> bool:
    return is_tensor(key) or isinstance(key, (list, np.ndarray))


def _check_lists(keys: Sequence[Any]) -> None:
    """ModelError for what numpy would not do axis by axis."""
    lists = [place for place, key in enumerate(keys) if _is_list(key)]
    if len(lists) > 1:
        raise model_error("several axes have lists of indices; expected one: index twice, or use ops.take_along_axis")
    numbers = [place for place, key in enumerate(keys) if key is not None and not isinstance(key, slice)]
    if lists and numbers[-1] - numbers[0] >= len(numbers):
        raise model_error("a list and a number as indices have a slice between them; expected to index twice")


def _positions(tensor: Tensor, axis: int, key: Any) -> Any:
    """A list or array of indices of an axis as a constant: those below 0 count from its end, and a mask is of it."""
    array = np.asarray(key)
    size = tensor.shape[axis]
    if array.dtype == bool:
        if array.ndim != 1 or size not in (None, len(array)):
            raise model_error(f"a mask has the shape {array.shape}, and axis {axis} {size} elements\n{describe([tensor])}", ModelError)
        array = np.flatnonzero(array)
    if array.dtype.kind not in "iu" and array.size:
        raise model_error(f"an index is {key!r}; expected integers, slices, None, ... or a Tensor", ModelTypeError)
    array = array.astype(np.int64)
    if size is None and (array < 0).any():
        raise model_error(f"an index counts from the end of axis {axis}, whose size is not known\n{describe([tensor])}", ModelError)
    if size is not None and ((array < -size) | (array >= size)).any():
        raise model_error(f"indices {key!r} are not all within axis {axis} of {size} elements\n{describe([tensor])}", ModelError)
    return make_constant(np.where(array < 0, array + (size or 0), array))


def _integer(key: Any) -> int:
    try:
        return operator.index(key)
    except TypeError:
        raise model_error(
            f"an index is {key!r}; expected integers, slices, None, ... or a Tensor", ModelTypeError
        ) from None


def _slice(tensor: Tensor, axis: int, start: int, size: int, stride: int = 1) -> Tensor:
    starts, sizes, strides = [0] * tensor.ndim, [-1] * tensor.ndim, [1] * tensor.ndim
    starts[axis], sizes[axis], strides[axis] = start, size, stride
    return df.slice(tensor, starts=starts, sizes=sizes, strides=strides)


def _take_one(tensor: Tensor, axis: int, number: int) -> Tensor:
    size = tensor.shape[axis]
    rest = [n for d, n in enumerate(tensor.shape) if d != axis]
    if size is None and number < 0:
        last = df.reshape(df.size(tensor, dimensions=[axis]), type_=("int64", [1]))
        return _without(df.gather(tensor, last + number, axes=[axis]), axis, rest)
    if size is not None and not -size <= number < size:
        raise model_error(f"index {number} is not within axis {axis} of {size} elements\n{describe([tensor])}", ModelError)
    start = number + size if size is not None and number < 0 else number
    return _without(_slice(tensor, axis, start, 1), axis, rest)


def _without(tensor: Tensor, axis: int, rest: Sequence[int | None]) -> Tensor:
    """The tensor without an axis of size 1, of which `rest` are the other sizes."""
    assert tensor.shape[axis] == 1
    return _same_elements(tensor, rest)


def _take_range(tensor: Tensor, axis: int, key: slice) -> Tensor:
    if key == slice(None):
        return tensor
    size = tensor.shape[axis]
    stride = 1 if key.step is None else _integer(key.step)
    if stride < 1:
        if key == slice(None, None, -1):
            return flip(tensor, axis)
        if size is None or stride == 0:
            raise model_error(f"a slice has the step {stride}; expected 1 or more, or x[::-1]\n{describe([tensor])}", ModelError)
        chosen = range(size)[slice(*(None if b is None else _integer(b) for b in (key.start, key.stop, stride)))]
        backwards = flip(tensor, axis)
        return _slice(backwards, axis, size - 1 - chosen.start if chosen else 0, len(chosen), -stride)
    if size is not None:
        start, stop, stride = slice(
            *(None if b is None else _integer(b) for b in (key.start, key.stop, stride))
        ).indices(size)
        return _slice(tensor, axis, start, len(range(start, stop, stride)), stride)
    start = 0 if key.start is None else _integer(key.start)
    if start < 0 or (key.stop is not None and _integer(key.stop) < 0):
        raise model_error(
            f"a slice counts from the end of axis {axis}, whose size is not known\n{describe([tensor])}", ModelError
        )
    stop_at = -1 if key.stop is None else len(range(start, _integer(key.stop), stride))
    return _slice(tensor, axis, start, stop_at, stride)
