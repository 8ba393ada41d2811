"""The signature of a model_fn's data: dtypes and shapes of features and labels, as the first batches have them."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import functools
import json
import math
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from mlc import _nest, _values
from mlc._engine import DirectColumn, FileSource
from mlc._frames import Where, frame_columns
from mlc.data import FileDataset
from mlc.errors import DataError, did_you_mean

_FILE = "features.json"
"""Of a model_dir: the signature of what the model was trained on."""


@dataclass(frozen=True)
class ArrayColumn:
    """A feature of a model_fn, or a label. `name` is that of the native side, `key` that of the user, for messages."""

    name: str
    key: str
    dtype: str
    shape: tuple[int, ...]
    """Of a row. -1, -2 and so on are sizes that batches have in common and do not keep: those of one number are equal
    in each batch."""
    role: str

    @property
    def known_shape(self) -> tuple[int | None, ...]:
        """The shape of a row, with None for sizes that only a batch knows."""
        return tuple(None if n < 0 else n for n in self.shape)

    @property
    def symbols(self) -> str:
        """The attribute of the argument that says which sizes are equal, as text; empty where all are known."""
        numbers = [0, *(-n for n in self.shape if n < 0)]
        return f"{{df.symbols = array<i64: {', '.join(map(str, numbers))}>}}" if len(numbers) > 1 else ""

    def convert(self, value: Any) -> np.ndarray:
        """`value`, as a user passes it, as the array that the native side reads, of any size. Raises DataError."""
        where = Where(self.key, self.role)
        array = _array(value, where)
        dtype = _dtype_of(array, where)
        if self.dtype == "string":
            if dtype != "string":
                raise where.error(f"an array of {array.dtype}", "text, as the first data had")
            result = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
        elif dtype == self.dtype or (dtype != "string" and np.can_cast(array.dtype, _numpy(self.dtype), "same_kind")):
            result = _cast(array, _numpy(self.dtype), where)
        else:
            raise where.error(f"an array of {array.dtype}", f"{self.dtype}, as the first data had")
        if result.ndim - 1 != len(self.shape):
            raise where.error(f"rows of the shape {result.shape[1:]}", f"{self.known_shape}, as the first data had")
        return result


def _cast(array: np.ndarray, dtype: np.dtype, where: Where) -> np.ndarray:
    """Numbers in another dtype of their kind. DataError: one is too large for it; infinite ones and NaN stay."""
    with np.errstate(over="ignore"):
        result = np.ascontiguousarray(array, dtype=dtype)
    if dtype.kind == "f" and array.dtype.itemsize > dtype.itemsize:
        lost = np.isinf(result) & np.isfinite(array)
        if lost.any():
            place = tuple(np.argwhere(lost)[0])
            raise where.error(str(array[place]), f"a number that {dtype.name} holds", int(place[0]))
    return result


def _numpy(dtype: str) -> np.dtype:
    return np.dtype(dtype)


def _array(value: Any, where: Where) -> np.ndarray:
    """A column as an array whose first dimension is the rows; texts as objects or 'U' or 'S'."""
    values = _values.to_values(value, where)
    array = values.array
    if array.dtype.kind == "O":
        array = _values.padded(array, _filler(array), steps=True)
        first = next((item for item in array.flat if not _values.is_missing(item)), "")
        array = _values.check_texts(array, where) if isinstance(first, (str, bytes)) else _numbers_of(array, where)
    if values.missing is not None and bool(np.any(values.missing)):
        if array.dtype.kind not in "OUS":
            row = int(np.flatnonzero(values.missing.reshape(len(array), -1).any(axis=1))[0])
            raise where.error("no value", "a number; fill what is missing before", row)
        array = np.where(values.missing, "", array).astype(object)
    return array


def _numbers_of(array: np.ndarray, where: Where) -> np.ndarray:
    """Objects of which the first is no text as numbers or bools. DataError names the first that is none."""
    try:
        result = np.array(array.tolist())
    except ValueError:
        raise where.error("rows of several shapes", "numbers or texts, of equally many in each row") from None
    if result.dtype.kind not in "OUS":
        return result
    for place, value in enumerate(array.flat):
        if isinstance(value, (bool, int, float, np.bool_, np.integer, np.floating)):
            continue
        row = int(np.unravel_index(place, array.shape)[0])
        if _values.is_missing(value):
            raise where.error("no value", "a number; fill what is missing before", row)
        raise where.error(_values.describe(value), "a number" if place else "numbers or texts", row)
    raise where.error("an integer of more than 64 bits", "a number that int64 holds")


def _filler(array: np.ndarray) -> Any:
    """What stands after short rows of lists: '', -1 or NaN, which is no value."""
    for item in _items(array.flat):
        return "" if isinstance(item, (str, bytes)) else -1 if isinstance(item, (int, np.integer)) else math.nan
    return ""


def _items(rows: Iterable[Any]) -> Iterator[Any]:
    """The elements of lists, and of lists in them."""
    for row in rows:
        if isinstance(row, (list, tuple, np.ndarray)):
            for item in row:
                yield from _items([item]) if isinstance(item, (list, tuple, np.ndarray)) else [item]


def _dtype_of(array: np.ndarray, where: Where) -> str:
    """What a Tensor of this array is: float64 becomes float32, as mlc's weights are."""
    kind = array.dtype.kind
    if kind in "OUS":
        return "string"
    if kind == "f":
        return "float16" if array.dtype.itemsize == 2 else "float32"
    if kind in "iu" or kind == "b":
        return "bool" if kind == "b" else array.dtype.newbyteorder("=").name
    raise where.error(f"an array of {array.dtype}", "numbers, bools or texts")


class SizesVary(Exception):
    """A batch whose rows have other sizes than those before: `columns` have unknown sizes there. `text` says what."""

    def __init__(self, columns: ArrayColumns, text: str) -> None:
        super().__init__(text)
        self.columns, self.text = columns, text


@dataclass(frozen=True)
class ArrayColumns:
    """The columns of a model_fn's features and labels, in the structures that it gets them in."""

    features: Any
    """A structure with an ArrayColumn in the place of each array; so are labels, or None."""
    labels: Any

    @functools.cached_property
    def columns(self) -> list[ArrayColumn]:
        """All of them."""
        return _nest.flatten(self.features) + ([] if self.labels is None else _nest.flatten(self.labels))

    @property
    def keys(self) -> list[str]:
        """Of the features."""
        return [column.key for column in _nest.flatten(self.features)]

    @property
    def direct(self) -> tuple[DirectColumn, ...]:
        """What the native side reads of rows to predict that are ready, as convert() would; () where it never can."""
        if any(size < 0 for column in _nest.flatten(self.features) for size in column.shape):
            return ()
        if isinstance(self.features, ArrayColumn):
            return ((None, self.features.name, "array"),)
        return tuple((key, column.name, "array") for key, column in self.features.items())

    @property
    def have_sizes(self) -> bool:
        """Whether rows have sizes, which could be others in another batch."""
        return any(column.shape for column in self.columns)

    def convert(self, features: Any, labels: Any, needs_labels: bool) -> dict[str, np.ndarray]:
        """Features and labels as arrays of the native side.

        Raises:
          DataError: which names key and row.
          SizesVary: rows have other sizes than the columns say.
        """
        arrays = _converted(self.features, _structure(features), "features")
        if needs_labels and self.labels is not None:
            if labels is None:
                raise DataError("there are no labels; the first data had some", key="labels")
            arrays |= _converted(self.labels, _structure(labels), "labels")
        rows = {len(array) for array in arrays.values()}
        if len(rows) > 1:
            counts = ", ".join(f"'{name}' has {len(array)}" for name, array in arrays.items())
            raise DataError(f"columns have different numbers of rows: {counts}")
        self._check_sizes({name: array.shape[1:] for name, array in arrays.items()})
        return arrays

    def fitted(self, features: Any, labels: Any, needs_labels: bool) -> tuple[ArrayColumns, dict[str, np.ndarray]]:
        """As convert, with columns that have unknown sizes where they have to."""
        try:
            return self, self.convert(features, labels, needs_labels)
        except SizesVary as change:
            return change.columns.fitted(features, labels, needs_labels)

    def source(self, dataset: FileDataset, needs_labels: bool, passes: int | None) -> FileSource:
        """How the native side reads the columns from files, `passes` times (None: without end). Raises DataError."""
        listed = _nest.flatten(self.features)
        keys = {column.name: column.key for column in listed}
        if needs_labels and self.labels is not None:
            if dataset.label_name is None:
                raise DataError("there are no labels; the first data had some", key="labels")
            listed += _nest.flatten(self.labels)
            keys |= _label_keys(self.labels, dataset.label_name)
        for column in listed:
            if None in column.known_shape:
                text = f"rows of '{column.key}' had several sizes, {column.known_shape}, which files do not have"
                raise DataError(text, key=column.key)
        found = {
            c.name: dataset.column(keys[c.name], "the model_fn", c.dtype, int(np.prod(c.shape)), False) for c in listed
        }
        return dataset.source(found, passes)

    def _check_sizes(self, found: Mapping[str, tuple[int, ...]]) -> None:
        sizes: dict[int, int] = {}
        for column in self.columns:
            for said, size in zip(column.shape, found.get(column.name, ()), strict=False):
                if size != (said if said >= 0 else sizes.setdefault(said, size)):
                    text = f"{column.role} '{column.key}' has rows of the shape {found[column.name]}"
                    raise SizesVary(self._with_sizes(found), f"{text}; before they had {column.known_shape}")

    def _with_sizes(self, found: Mapping[str, tuple[int, ...]]) -> ArrayColumns:
        """The columns with unknown sizes where `found` has others. Those that have always been equal are of one number."""
        numbers: dict[tuple[int, int], int] = {}

        def sized(column: ArrayColumn) -> ArrayColumn:
            shape = found.get(column.name)
            if shape is None:
                return column
            pairs = list(zip(column.shape, shape, strict=True))
            return replace(column, shape=tuple(
                said if said == size else numbers.setdefault((said, size), -1 - len(numbers)) for said, size in pairs
            ))  # fmt: skip

        def filled(structure: Any) -> Any:
            return _nest.pack(structure, [sized(column) for column in _nest.flatten(structure)])

        return ArrayColumns(filled(self.features), None if self.labels is None else filled(self.labels))

    def save(self, model_dir: str) -> None:
        """Writes the columns to the model_dir, for processes that have not seen data. Keys that are no texts: nothing."""
        parts = {"features": self.features, "labels": self.labels}
        if any(isinstance(part, Mapping) and not all(isinstance(key, str) for key in part) for part in parts.values()):
            return
        os.makedirs(model_dir, exist_ok=True)
        path = os.path.join(model_dir, _FILE)
        text = json.dumps({"format": 1} | {name: _written(part) for name, part in parts.items()}, indent=1)
        temporary = f"{path}.{os.getpid()}.tmp"
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        os.replace(temporary, path)


def saved_columns(model_dir: str) -> ArrayColumns | None:
    """What save() wrote; None without it. DataError for a file that is none of its."""
    path = os.path.join(model_dir, _FILE)
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
        if found["format"] != 1:
            raise DataError(f"{path}: format {found['format']!r}; expected 1: a newer mlc wrote it")
        return ArrayColumns(_read(found["features"]), _read(found["labels"]))
    except FileNotFoundError:
        return None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, DataError):
            raise
        raise DataError(f"{path}: found {error!r}; expected the signature of features that training writes") from None


def _written(part: Any) -> Any:
    if part is None:
        return None
    if isinstance(part, ArrayColumn):
        return {"column": [part.name, part.key, part.dtype, list(part.shape), part.role]}
    return {"keys": {key: _written(column) for key, column in part.items()}}


def _read(part: Any) -> Any:
    if part is None:
        return None
    if "column" in part:
        name, key, dtype, shape, role = part["column"]
        return ArrayColumn(str(name), str(key), str(dtype), tuple(map(int, shape)), str(role))
    return {key: _read(column) for key, column in part["keys"].items()}


def _structure(value: Any) -> Any:
    """What an input_fn gives, as a dict of columns where it is a DataFrame or a Table."""
    columns = frame_columns(value)
    return value if columns is None else columns


def _converted(columns: Any, values: Any, what: str) -> dict[str, np.ndarray]:
    if isinstance(columns, ArrayColumn):
        if isinstance(values, Mapping):
            raise DataError(f"{what} are a dict; the first data had one array", key=what)
        return {columns.name: columns.convert(values)}
    if not isinstance(values, Mapping):
        raise DataError(f"{what} are of type {type(values).__name__}; the first data had a dict", key=what)
    missing = [key for key in columns if key not in values]
    if missing:
        found = ", ".join(f"'{key}'" for key in values) or "none"
        hint = did_you_mean(missing[0], list(values))
        text = f"{what} have no key '{missing[0]}', which the first data had; found {found}"
        raise DataError(text + (f"; {hint}" if hint else ""), key=missing[0])
    return {column.name: column.convert(values[key]) for key, column in columns.items()}


def signature(features: Any, labels: Any) -> ArrayColumns:
    """The columns of data: dtypes and shapes are those of its arrays. Raises DataError."""
    taken: set[str] = set()
    found = _columns(_structure(features), "features", "feature", taken)
    return ArrayColumns(found, None if labels is None else _columns(_structure(labels), "labels", "label", taken))


def _columns(values: Any, whole: str, role: str, taken: set[str]) -> Any:
    if isinstance(values, Mapping):
        if not values:
            raise DataError(f"{whole} are empty; expected a column at least")
        if len({type(key) for key in values}) > 1:
            keys = ", ".join(map(repr, values))
            raise DataError(f"{whole} have keys of several types: {keys}; expected strings")
        return {key: _column(value, str(key), role, str(key) if role == "feature" else f"labels/{key}", taken)
                for key, value in values.items()}  # fmt: skip
    return _column(values, whole, role, whole, taken)


def _column(value: Any, key: str, role: str, name: str, taken: set[str]) -> ArrayColumn:
    where = Where(key, role)
    if isinstance(value, Mapping):
        raise where.error("a dict within a dict", "an array")
    array = _array(value, where)
    unique = name
    while unique in taken:
        unique += "_"
    taken.add(unique)
    return ArrayColumn(unique, key, _dtype_of(array, where), array.shape[1:], role)


def _label_keys(labels: Any, names: Any) -> dict[str, str]:
    """What files call the columns of labels, by the names of the native side; `labels` are those of the files."""
    if not isinstance(labels, Mapping):
        return {labels.name: names}
    return {column.name: names[key] for key, column in labels.items()}


def fits(found: Any, seen: Any) -> bool:
    """Whether columns have the structure of others, and each can be read as the one there."""
    if isinstance(found, ArrayColumn) or isinstance(seen, ArrayColumn):
        return (
            isinstance(found, ArrayColumn)
            and isinstance(seen, ArrayColumn)
            and len(found.shape) == len(seen.shape)
            and all(b < 0 or a == b for a, b in zip(found.shape, seen.shape, strict=True))
            and (found.dtype == seen.dtype or "string" not in (found.dtype, seen.dtype))
        )
    return all(key in found and fits(found[key], seen[key]) for key in seen)
