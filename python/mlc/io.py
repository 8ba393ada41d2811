"""What the features of a tf.Example are, as tf.io has it: parsing specs, dicts of these by key.

    spec = mlc.feature_column.make_parse_example_spec(columns)
    spec["label"] = mlc.io.FixedLenFeature([], "int64")

Of serialized tf.SequenceExamples parse_sequence_example and parse_single_sequence_example make features.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import operator
from collections import namedtuple
from typing import TYPE_CHECKING, Any

from mlc._dtypes import TEXT, dtype_name, is_number

if TYPE_CHECKING:
    from mlc._sequence_example import parse_sequence_example, parse_single_sequence_example

__all__ = [
    "FixedLenFeature", "FixedLenSequenceFeature", "ParsingSpec", "SparseFeature", "VarLenFeature",
    "parse_sequence_example", "parse_single_sequence_example",
]  # fmt: skip


def _dtype(dtype: Any, what: str) -> str:
    name = dtype_name(dtype, what)
    if name != TEXT and not is_number(name):
        raise ValueError(f"{what}: dtype {name} is none of a tf.Example; expected one of numbers, or {TEXT}")
    return name


class FixedLenFeature(namedtuple("FixedLenFeature", ["shape", "dtype", "default_value"])):
    """As many values in each example.

    Attributes:
      shape: of a row, a tuple; () is one value.
      dtype: "float32", "int64" or "string", the lists that a tf.Example has; other numbers are read from these, too.
      default_value: stands for all values of an example without any: one, or a list of the shape; None: they must be
        there.
    """

    __slots__ = ()

    def __new__(cls, shape: Any, dtype: Any, default_value: Any = None) -> FixedLenFeature:
        """`shape` is a list or tuple of sizes. Raises ValueError for a size below 1, and for another dtype."""
        try:
            sizes = tuple(operator.index(size) for size in shape)
        except TypeError:
            raise ValueError(f"FixedLenFeature: shape must be a list of integers; found {shape!r}") from None
        if any(size < 1 for size in sizes):
            raise ValueError(f"FixedLenFeature: sizes must be at least 1; found {shape!r}")
        return super().__new__(cls, sizes, _dtype(dtype, "FixedLenFeature"), default_value)


class VarLenFeature(namedtuple("VarLenFeature", ["dtype"])):
    """Any number of values in each example: `dtype` is as that of a FixedLenFeature."""

    __slots__ = ()

    def __new__(cls, dtype: Any) -> VarLenFeature:
        """Raises ValueError for another dtype."""
        return super().__new__(cls, _dtype(dtype, "VarLenFeature"))


class SparseFeature(namedtuple("SparseFeature", ["index_key", "value_key", "dtype", "size", "already_sorted"])):
    """Any number of values in each example, at places that another feature tells; a row has them in the order of places.

    Attributes:
      index_key: the feature of the places, integers, or a list of features, of places of several dimensions.
      value_key: the feature of the values, as many.
      dtype: of the values, as of a FixedLenFeature.
      size: places are from 0 to below it; of several dimensions a list.
      already_sorted: the values of each example are in the order of places.
    """

    __slots__ = ()

    def __new__(
        cls, index_key: Any, value_key: str, dtype: Any, size: Any, already_sorted: bool = False
    ) -> SparseFeature:
        """Raises ValueError for a size below 1, another dtype, and other numbers of sizes than of keys."""
        keys = (index_key,) if isinstance(index_key, str) else tuple(index_key)
        try:
            sizes = tuple(operator.index(each) for each in (size if isinstance(size, (list, tuple)) else (size,)))
        except TypeError:
            raise ValueError(f"SparseFeature: size must be an integer, or a list of them; found {size!r}") from None
        if not keys or not all(isinstance(key, str) for key in keys) or not isinstance(value_key, str):
            raise ValueError(
                f"SparseFeature: index_key and value_key must be keys of features; found {index_key!r}, {value_key!r}"
            )
        if len(keys) != len(sizes) or any(each < 1 for each in sizes):
            raise ValueError(f"SparseFeature: size must be at least 1, one for each index_key; found {size!r} for {keys}")
        return super().__new__(cls, index_key, value_key, _dtype(dtype, "SparseFeature"), size, bool(already_sorted))

    @property
    def places(self) -> tuple[tuple[str, int], ...]:
        """The features of the places, each with its size."""
        keys = (self.index_key,) if isinstance(self.index_key, str) else tuple(self.index_key)
        sizes = self.size if isinstance(self.size, (list, tuple)) else (self.size,)
        return tuple((key, operator.index(size)) for key, size in zip(keys, sizes, strict=True))


class FixedLenSequenceFeature(namedtuple("FixedLenSequenceFeature", ["shape", "dtype", "allow_missing"])):
    """As many values in each step of a tf.SequenceExample.

    Attributes:
      shape, dtype: of a step, as of a FixedLenFeature.
      allow_missing: an example without the feature has no steps; else it is an error.
    """

    __slots__ = ()

    def __new__(cls, shape: Any, dtype: Any, allow_missing: bool = False) -> FixedLenSequenceFeature:
        """Raises ValueError for a size below 1, and for another dtype."""
        step = FixedLenFeature(shape, dtype)
        return super().__new__(cls, step.shape, step.dtype, bool(allow_missing))


ParsingSpec = dict[str, FixedLenFeature | VarLenFeature | SparseFeature]
"""What to read of each tf.Example, by key."""


def __getattr__(name: str) -> Any:
    # With numpy, which specs do not need.
    if name in ("parse_sequence_example", "parse_single_sequence_example"):
        from mlc import _sequence_example

        return getattr(_sequence_example, name)
    raise AttributeError(f"module 'mlc.io' has no attribute '{name}'")
