"""Structures of tensors: tuples, lists and dicts of them, in each other."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any


def flatten(structure: Any) -> list[Any]:
    """What is in the structure, dicts in the order of their keys."""
    if isinstance(structure, Mapping):
        return [leaf for key in sorted(structure) for leaf in flatten(structure[key])]
    if isinstance(structure, (list, tuple)):
        return [leaf for item in structure for leaf in flatten(item)]
    return [structure]


def pack(structure: Any, values: Sequence[Any]) -> Any:
    """A structure of the same form with other values in it, in the order of flatten."""
    return _pack(structure, iter(values))


def _pack(structure: Any, values: Iterator[Any]) -> Any:
    if isinstance(structure, Mapping):
        packed = {key: _pack(structure[key], values) for key in sorted(structure)}
        return {key: packed[key] for key in structure}
    if isinstance(structure, tuple):
        items = [_pack(item, values) for item in structure]
        return type(structure)(*items) if hasattr(structure, "_fields") else tuple(items)
    if isinstance(structure, list):
        return [_pack(item, values) for item in structure]
    return next(values)
