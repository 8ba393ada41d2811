"""class Tensor: a value of a model that is being traced."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from mlc._graph import model_error
from mlc.errors import ModelTypeError

if TYPE_CHECKING:
    from mlc._graph import Trace

Shape = tuple[int | None, ...]


class Tensor:
    """A value that the model computes for each batch. There are no numbers in it while a model_fn runs.

    It has NumPy's operators and indexing, with NumPy's broadcasting; numbers and arrays beside it become constants of
    its dtype. Tensors of two dtypes do not mix: `astype` converts.

    Attributes:
      dtype: "float32", "int64", "bool", "string", ...
      shape: sizes of the dimensions; None is one that only a batch knows, as the number of its rows.
      is_rows: it is the gradient of a table that is only gathered from: the touched rows of `shape`.
    """

    __slots__ = ("dtype", "is_rows", "number", "shape", "trace")
    __array_priority__ = 100  # numpy's operators leave Tensors to ours

    def __init__(self, trace: Trace, number: int, dtype: str, shape: Shape, is_rows: bool = False) -> None:
        """See mlc.ops, whose functions make Tensors."""
        self.trace = trace
        self.number = number
        self.dtype = dtype
        self.shape = shape
        self.is_rows = is_rows

    @property
    def ndim(self) -> int:
        """The number of dimensions."""
        return len(self.shape)

    @property
    def type_string(self) -> str:
        """dtype and shape: "float32[?, 4]"."""
        return f"{self.dtype}[{', '.join('?' if n is None else str(n) for n in self.shape)}]"

    def __repr__(self) -> str:
        return f"<Tensor {self.type_string}{' rows' if self.is_rows else ''}>"

    # What Python would do with numbers that are not there

    def _refuse(self, what: str, instead: str) -> Any:
        raise model_error(f"{what}: a Tensor has no value while the model is traced; {instead}", ModelTypeError)

    def __bool__(self) -> bool:
        return bool(self._refuse(f"the truth of {self!r} was asked for, as by if, while or and",
                                 "use ops.where, ops.cond or ops.while_loop"))  # fmt: skip

    def __len__(self) -> int:
        if not self.shape:
            raise model_error("a scalar has no len()", ModelTypeError)
        if self.shape[0] is None:
            return int(self._refuse(f"len() of {self!r}", "ops.shape(x)[0] is the number of rows, as a Tensor"))
        return self.shape[0]

    def __iter__(self) -> Iterator[Tensor]:
        if not self.shape:
            raise model_error("a scalar cannot be iterated over", ModelTypeError)
        if self.shape[0] is None:
            self._refuse(f"a loop over the rows of {self!r}", "use ops.scan or ops.while_loop")
        return iter(self._ops().unstack(self))

    def __array__(self, *_: Any, **__: Any) -> Any:
        return self._refuse(f"numpy was given {self!r}", "use the function of mlc.ops of this name")

    def __array_function__(self, function: Any, types: Any, arguments: Any, keywords: Any) -> Any:
        # numpy.mean and others call a method of the same name, with arguments that ours has not.
        name = function.__name__
        there = f"ops.{name}" if hasattr(self._ops(), name) else "a function of mlc.ops"
        return self._refuse(f"numpy.{name} was given {self!r}", f"use {there}")

    def __float__(self) -> float:
        return float(self._refuse(f"float() of {self!r}", "use astype"))

    def __int__(self) -> int:
        return int(self._refuse(f"int() of {self!r}", "use astype"))

    def __index__(self) -> int:
        return int(self._refuse(f"{self!r} was used as an index or a size of Python", "use ops of mlc.ops"))

    __hash__ = object.__hash__

    @staticmethod
    def _ops() -> Any:
        from mlc import ops

        return ops

    # Operators

    def __add__(self, other: Any) -> Tensor:
        return self._ops().add(self, other)  # type: ignore[no-any-return]

    def __radd__(self, other: Any) -> Tensor:
        return self._ops().add(other, self)  # type: ignore[no-any-return]

    def __sub__(self, other: Any) -> Tensor:
        return self._ops().subtract(self, other)  # type: ignore[no-any-return]

    def __rsub__(self, other: Any) -> Tensor:
        return self._ops().subtract(other, self)  # type: ignore[no-any-return]

    def __mul__(self, other: Any) -> Tensor:
        return self._ops().multiply(self, other)  # type: ignore[no-any-return]

    def __rmul__(self, other: Any) -> Tensor:
        return self._ops().multiply(other, self)  # type: ignore[no-any-return]

    def __truediv__(self, other: Any) -> Tensor:
        return self._ops().divide(self, other)  # type: ignore[no-any-return]

    def __rtruediv__(self, other: Any) -> Tensor:
        return self._ops().divide(other, self)  # type: ignore[no-any-return]

    def __floordiv__(self, other: Any) -> Tensor:
        return self._ops().floor_divide(self, other)  # type: ignore[no-any-return]

    def __rfloordiv__(self, other: Any) -> Tensor:
        return self._ops().floor_divide(other, self)  # type: ignore[no-any-return]

    def __mod__(self, other: Any) -> Tensor:
        return self._ops().mod(self, other)  # type: ignore[no-any-return]

    def __rmod__(self, other: Any) -> Tensor:
        return self._ops().mod(other, self)  # type: ignore[no-any-return]

    def __pow__(self, other: Any) -> Tensor:
        return self._ops().power(self, other)  # type: ignore[no-any-return]

    def __rpow__(self, other: Any) -> Tensor:
        return self._ops().power(other, self)  # type: ignore[no-any-return]

    def __matmul__(self, other: Any) -> Tensor:
        return self._ops().matmul(self, other)  # type: ignore[no-any-return]

    def __rmatmul__(self, other: Any) -> Tensor:
        return self._ops().matmul(other, self)  # type: ignore[no-any-return]

    def __neg__(self) -> Tensor:
        return self._ops().negative(self)  # type: ignore[no-any-return]

    def __abs__(self) -> Tensor:
        return self._ops().abs(self)  # type: ignore[no-any-return]

    def __eq__(self, other: object) -> Tensor:  # type: ignore[override]
        return self._ops().equal(self, other)  # type: ignore[no-any-return]

    def __ne__(self, other: object) -> Tensor:  # type: ignore[override]
        return self._ops().not_equal(self, other)  # type: ignore[no-any-return]

    def __lt__(self, other: Any) -> Tensor:
        return self._ops().less(self, other)  # type: ignore[no-any-return]

    def __le__(self, other: Any) -> Tensor:
        return self._ops().less_equal(self, other)  # type: ignore[no-any-return]

    def __gt__(self, other: Any) -> Tensor:
        return self._ops().greater(self, other)  # type: ignore[no-any-return]

    def __ge__(self, other: Any) -> Tensor:
        return self._ops().greater_equal(self, other)  # type: ignore[no-any-return]

    def __and__(self, other: Any) -> Tensor:
        return self._ops().logical_and(self, other)  # type: ignore[no-any-return]

    def __or__(self, other: Any) -> Tensor:
        return self._ops().logical_or(self, other)  # type: ignore[no-any-return]

    def __xor__(self, other: Any) -> Tensor:
        return self._ops().logical_xor(self, other)  # type: ignore[no-any-return]

    def __invert__(self) -> Tensor:
        return self._ops().logical_not(self)  # type: ignore[no-any-return]

    def __getitem__(self, key: Any) -> Tensor:
        return self._ops().index(self, key)  # type: ignore[no-any-return]

    # Methods of numpy's arrays

    def astype(self, dtype: Any) -> Tensor:
        """The elements as another dtype."""
        return self._ops().cast(self, dtype)  # type: ignore[no-any-return]

    def reshape(self, *shape: Any) -> Tensor:
        """See ops.reshape."""
        return self._ops().reshape(self, shape[0] if len(shape) == 1 else shape)  # type: ignore[no-any-return]

    def transpose(self, *axes: Any) -> Tensor:
        """See ops.transpose."""
        given = axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes or None
        return self._ops().transpose(self, given)  # type: ignore[no-any-return]

    @property
    def T(self) -> Tensor:
        """The dimensions in reverse order."""
        return self.transpose()

    def sum(self, axis: Any = None, keepdims: bool = False) -> Tensor:
        """See ops.sum."""
        return self._ops().sum(self, axis, keepdims)  # type: ignore[no-any-return]

    def mean(self, axis: Any = None, keepdims: bool = False) -> Tensor:
        """See ops.mean."""
        return self._ops().mean(self, axis, keepdims)  # type: ignore[no-any-return]

    def max(self, axis: Any = None, keepdims: bool = False) -> Tensor:
        """See ops.max."""
        return self._ops().max(self, axis, keepdims)  # type: ignore[no-any-return]

    def min(self, axis: Any = None, keepdims: bool = False) -> Tensor:
        """See ops.min."""
        return self._ops().min(self, axis, keepdims)  # type: ignore[no-any-return]

    def argmax(self, axis: int = -1) -> Tensor:
        """See ops.argmax."""
        return self._ops().argmax(self, axis)  # type: ignore[no-any-return]
