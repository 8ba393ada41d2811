"""tf.SequenceExamples: a context of features, and lists of features, one for each step. Decodes what is serialized."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mlc._dtypes import TEXT
from mlc.errors import DataError, UnsupportedError, did_you_mean
from mlc.io import FixedLenFeature, FixedLenSequenceFeature, SparseFeature, VarLenFeature

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
"""Types of fields on the wire."""
_LISTS = {1: TEXT, 2: "float32", 3: "int64"}
"""The lists of a Feature, by the number of the field."""

Values = tuple[str, list[Any] | np.ndarray]
"""The dtype of a Feature's list, and its values."""


class _Damaged(Exception):
    """What is no message."""


def parse_single_sequence_example(
    serialized: bytes,
    context_features: Mapping[str, Any] | None = None,
    sequence_features: Mapping[str, Any] | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The context and the steps of one serialized tf.SequenceExample.

    Args:
      serialized: its bytes.
      context_features: by key FixedLenFeature: an array of its shape; VarLenFeature: an array of all values; SparseFeature:
        an array of its values, in the order of their places.
      sequence_features: by key FixedLenSequenceFeature: an array [steps, *shape], and VarLenFeature: a list of the values
        of each step, which are lists.

    Returns:
      Two dicts, by the keys of the arguments. Texts are bytes.

    Raises:
      DataError: no SequenceExample; a feature that is not there and has no default_value, has another dtype, or another
        number of values, or a SparseFeature has other numbers of places and values, or a place out of range.
      UnsupportedError: a feature of another kind.
    """
    try:
        context, lists = _decoded(bytes(serialized))
    except (_Damaged, UnicodeDecodeError) as error:
        raise DataError(f"found {error}; expected a serialized tf.SequenceExample of {len(serialized)} bytes") from None
    found = {key: _of_context(key, feature, context) for key, feature in (context_features or {}).items()}
    return found, {key: _of_steps(key, feature, lists) for key, feature in (sequence_features or {}).items()}


def parse_sequence_example(
    serialized: Sequence[bytes],
    context_features: Mapping[str, Any] | None = None,
    sequence_features: Mapping[str, Any] | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, np.ndarray]]:
    """As of parse_single_sequence_example, of several: columns of rows, for a batch.

    Returns:
      Columns of the context (arrays, or lists of arrays of VarLenFeature) and of the steps (lists of rows), and by the keys
      of the latter how many steps each row has, int64 [rows].
    """
    rows = []
    for number, each in enumerate(serialized):
        try:
            rows.append(parse_single_sequence_example(each, context_features, sequence_features))
        except DataError as error:
            raise DataError(f"row {number}: {error}", key=error.key, row=number) from None
    context = {
        key: np.stack([row[key] for row, _ in rows]) if isinstance(feature, FixedLenFeature) else [row[key] for row, _ in rows]
        for key, feature in (context_features or {}).items()
    }
    steps = {key: [row[key] for _, row in rows] for key in sequence_features or {}}
    return context, steps, {key: np.array([len(row) for row in column], np.int64) for key, column in steps.items()}


# What a spec makes of values


def _of_context(key: str, feature: Any, found: Mapping[str, Values]) -> np.ndarray:
    if isinstance(feature, VarLenFeature):
        return _array(_checked(key, feature.dtype, found.get(key)), feature.dtype)
    if isinstance(feature, SparseFeature):
        return _sparse(key, feature, found)
    if not isinstance(feature, FixedLenFeature):
        raise UnsupportedError(
            f"context_features['{key}'] is a {type(feature).__name__}; expected a FixedLenFeature, VarLenFeature or "
            "SparseFeature of mlc.io"
        )
    values = _checked(key, feature.dtype, found.get(key))
    if len(values) == 0 and feature.default_value is not None:
        return np.broadcast_to(_array(feature.default_value, feature.dtype), feature.shape).copy()
    if key not in found:
        raise _absent(key, found, "context")
    return _shaped(key, values, feature.dtype, feature.shape)


def _sparse(key: str, feature: SparseFeature, found: Mapping[str, Values]) -> np.ndarray:
    values = _array(_checked(feature.value_key, feature.dtype, found.get(feature.value_key)), feature.dtype)
    places = []
    for index_key, size in feature.places:
        index = _array(_checked(index_key, "int64", found.get(index_key)), "int64")
        if len(index) != len(values):
            raise DataError(
                f"sparse feature '{key}': '{index_key}' has {len(index)} places, '{feature.value_key}' {len(values)} values; "
                "expected a place for each value",
                key=key,
            )
        wrong = (index < 0) | (index >= size)
        if wrong.any():
            raise DataError(
                f"sparse feature '{key}': found the place {index[int(np.argmax(wrong))]} in '{index_key}'; expected one from 0 "
                f"to {size - 1}",
                key=key,
            )
        places.append(index)
    # The first key counts most; lexsort takes the last so.
    return values if feature.already_sorted else values[np.lexsort(places[::-1])]


def _of_steps(key: str, feature: Any, found: Mapping[str, list[Values]]) -> Any:
    if not isinstance(feature, (VarLenFeature, FixedLenSequenceFeature)):
        raise UnsupportedError(
            f"sequence_features['{key}'] is a {type(feature).__name__}; expected a FixedLenSequenceFeature or a VarLenFeature "
            "of mlc.io"
        )
    steps = [_checked(key, feature.dtype, step) for step in found.get(key, [])]
    if isinstance(feature, VarLenFeature):
        return [list(_array(step, feature.dtype).tolist()) for step in steps]
    if key not in found and not feature.allow_missing:
        raise _absent(key, found, "feature lists")
    if not steps:
        return _array([], feature.dtype).reshape(0, *feature.shape)
    return np.stack([_shaped(key, step, feature.dtype, feature.shape) for step in steps])


def _checked(key: str, dtype: str, values: Values | None) -> Any:
    """The values of a feature, none of one without a list. DataError: they are of another kind than the spec says."""
    if values is None or values[0] == "":
        return []
    expected = TEXT if dtype == TEXT else "float32" if dtype.startswith("float") else "int64"
    if values[0] != expected:
        raise DataError(f"feature '{key}' is {values[0]}; expected {expected}, as its parsing spec says", key=key)
    return values[1]


def _array(values: Any, dtype: str) -> np.ndarray:
    return np.array(values, dtype=object if dtype == TEXT else dtype)


def _shaped(key: str, values: Any, dtype: str, shape: tuple[int, ...]) -> np.ndarray:
    count = int(np.prod(shape))
    if len(values) != count:
        raise DataError(f"feature '{key}' has {len(values)} values; expected {count}, as the shape {shape} has", key=key)
    return _array(values, dtype).reshape(shape)


def _absent(key: str, found: Mapping[str, Any], where: str) -> DataError:
    hint = did_you_mean(key, found)
    names = ", ".join(f"'{name}'" for name in found) or "none"
    return DataError(f"the {where} have no '{key}'; found {names}" + (f"; {hint}" if hint else ""), key=key)


# The wire


def _decoded(serialized: bytes) -> tuple[dict[str, Values], dict[str, list[Values]]]:
    context: dict[str, Values] = {}
    lists: dict[str, list[Values]] = {}
    for number, kind, content in _fields(serialized):
        if kind != _BYTES or number not in (1, 2):
            continue
        for _, entry_kind, entry in _fields(content):
            if entry_kind != _BYTES:
                raise _Damaged("an entry that is no message")
            parts = {part: value for part, part_kind, value in _fields(entry) if part_kind == _BYTES}
            key, value = parts.get(1, b"").decode(), parts.get(2, b"")
            if number == 1:
                context[key] = _feature(value)
            else:
                lists[key] = [_feature(step) for part, step_kind, step in _fields(value) if (part, step_kind) == (1, _BYTES)]
    return context, lists


def _feature(content: bytes) -> Values:
    """The list of a Feature; "" and nothing for one without."""
    found: Values = ("", [])
    for number, kind, values in _fields(content):
        if kind != _BYTES or number not in _LISTS:
            continue
        dtype = _LISTS[number]
        if dtype == TEXT:
            found = dtype, [value for part, part_kind, value in _fields(values) if (part, part_kind) == (1, _BYTES)]
        elif dtype == "float32":
            raw = b"".join(value for part, _, value in _fields(values) if part == 1)
            if len(raw) % 4:
                raise _Damaged("a list of floats that ends within one")
            found = dtype, np.frombuffer(raw, "<f4")
        else:
            numbers: list[int] = []
            for part, part_kind, value in _fields(values):
                if part == 1:
                    numbers += _varints(value) if part_kind == _BYTES else [value]
            found = dtype, np.array(numbers, np.uint64).astype(np.int64)
    return found


def _fields(content: bytes) -> Iterator[tuple[int, int, Any]]:
    """Number, type and content of each field of a message: bytes, or the number of a varint."""
    place = 0
    while place < len(content):
        tag, place = _varint(content, place)
        number, kind = tag >> 3, tag & 7
        if kind == _VARINT:
            value, place = _varint(content, place)
            yield number, kind, value
            continue
        if kind == _BYTES:
            size, place = _varint(content, place)
        elif kind in (_FIXED32, _FIXED64):
            size = 4 if kind == _FIXED32 else 8
        else:
            raise _Damaged(f"a field of the type {kind}")
        if place + size > len(content):
            raise _Damaged("a field that is longer than what has it")
        yield number, kind, content[place : place + size]
        place += size


def _varint(content: bytes, place: int) -> tuple[int, int]:
    """A number, below 2^64, and where it ends."""
    value = shift = 0
    while True:
        if place >= len(content) or shift > 63:
            raise _Damaged("a number without an end")
        byte = content[place]
        value |= (byte & 127) << shift
        place, shift = place + 1, shift + 7
        if byte < 128:
            return value & 2**64 - 1, place


def _varints(content: bytes) -> list[int]:
    numbers, place = [], 0
    while place < len(content):
        number, place = _varint(content, place)
        numbers.append(number)
    return numbers
