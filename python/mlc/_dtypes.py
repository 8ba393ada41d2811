"""Names of dtypes: what users pass as dtype, and what a spec calls it."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from typing import Any

INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
FLOATS = ("float16", "float32", "float64")
TEXT = "string"

_ALIASES = {
    "str": TEXT, "str_": TEXT, "bytes": TEXT, "bytes_": TEXT, "object": TEXT, "object_": TEXT,
    "int": "int64", "float": "float64", "half": "float16", "double": "float64",
}  # fmt: skip


def dtype_name(dtype: Any, what: str) -> str:
    """The name of `dtype`: "string", "float32", "int64", ...

    Takes names, types of Python and of numpy, numpy's dtypes, and objects with such a `name`, as TensorFlow's are.
    Raises ValueError for others, which names `what`.
    """
    name = dtype if isinstance(dtype, str) else getattr(dtype, "__name__", None) or getattr(dtype, "name", None)
    name = _ALIASES.get(str(name), str(name))
    # numpy's dtypes of texts have names such as "str320".
    if getattr(dtype, "kind", "") in ("U", "S", "O", "T"):
        name = TEXT
    if name not in (TEXT, "bool", *INTEGERS, *FLOATS):
        raise ValueError(f"{what}: dtype {dtype!r} is not known; expected string, {', '.join(INTEGERS + FLOATS)}")
    return name


def is_integer(name: str) -> bool:
    """Whether the dtype of this name is one of integers (bool is none)."""
    return name in INTEGERS


def is_number(name: str) -> bool:
    """Whether the dtype of this name is one of integers or floats."""
    return name in INTEGERS or name in FLOATS


def spec_number(name: str) -> str:
    """What a spec calls the column of numbers with this dtype: the narrowest of its four that holds all of them."""
    if name in ("int8", "int16", "int32", "uint8", "uint16"):
        return "INT32"
    if name in INTEGERS:
        return "INT64"
    return "FLOAT64" if name == "float64" else "FLOAT32"
