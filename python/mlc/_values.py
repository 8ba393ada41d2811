"""Turns one column of what users pass (arrays, lists, columns of data frames) into an array that the native side reads.

Results are C-contiguous, in the machine's (little-endian) byte order, without missing values: numbers as float32,
float64, int32, int64 or bool, texts as numpy's 'S' or 'U' or as object arrays of str and bytes. What is so already is
not copied. Rows count from 0 in messages.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np

from mlc._frames import Values, Where, column_values

_NUMPY = {"FLOAT32": np.float32, "FLOAT64": np.float64, "INT32": np.int32, "INT64": np.int64, "BOOL": np.bool_}
_KINDS = {
    "b": "bools", "i": "integers", "u": "integers", "f": "floats", "c": "complex numbers", "U": "text", "S": "text",
    "T": "text", "M": "dates", "m": "time spans", "V": "records",
}  # fmt: skip

_SEVERAL_NUMBERS = "several in a step are for a model_fn, and for RNN Estimators with return_sequences"
_SEVERAL_IN_A_STEP = "several in a step are of columns of sequences, and of data that has them from the first rows on"


def row_count(value: Any, where: Where) -> int:
    """Rows of a column as users pass it."""
    try:
        return len(value)
    except TypeError:
        raise where.error(describe(value), "one value for each row") from None


def describe(value: Any) -> str:
    """What an object is, briefly, for a message."""
    if value is None or isinstance(value, (str, bytes, bool, int, float)):
        text = repr(value)
        return text if len(text) <= 60 else text[:57] + "..."
    if isinstance(value, np.ndarray):
        return f"an array of {value.dtype} with the shape {value.shape}"
    name = type(value).__name__
    return f"a{'n' if name[0] in 'AEIOaeio' else ''} {name}"


def is_missing(value: Any) -> bool:
    """Whether an object stands for no value: None, NaN, pandas' NA and NaT."""
    if value is None:
        return True
    if isinstance(value, (float, np.floating)):
        return math.isnan(value)
    pandas = sys.modules.get("pandas")
    return pandas is not None and (value is pandas.NA or value is pandas.NaT)


def _is_row(value: Any) -> bool:
    """Whether an object holds the values of one row."""
    return isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim > 0)


# What users pass -> Values


def to_values(value: Any, where: Where) -> Values:
    """An array of `value`: of numpy, pandas, polars, pyarrow, anything with __array__, a list or a tuple (nested for several values).

    Raises DataError: a single value, or what has no rows.
    """
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(value, pandas.DataFrame):
        return _stack([to_values(value.iloc[:, number], where) for number in range(value.shape[1])], where)
    column = column_values(value, where)
    if column is not None:
        return column
    masked = sys.modules.get("numpy.ma")  # what nobody imported, nobody made an array of; importing takes 20 ms
    if masked is not None and isinstance(value, masked.MaskedArray):
        return Values(np.asarray(value.data), masked.getmaskarray(value))
    if isinstance(value, (list, tuple)):
        return Values(_from_list(value))
    if isinstance(value, (str, bytes, dict, set)) or value is None:
        raise where.error(describe(value), "an array with one value for each row")
    array = np.asarray(value)
    if array.ndim == 0:
        raise where.error(describe(value), "an array with one value for each row")
    return Values(array)


def _from_list(value: Sequence[Any]) -> np.ndarray:
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        array = np.empty(len(value), dtype=object)
        array[:] = value
        return array
    # numpy makes texts of numbers beside texts, and the longest text tells the size of all: objects stay what they are.
    return np.array(value, dtype=object) if array.dtype.kind in "US" and len(value) else array


def _stack(columns: list[Values], where: Where) -> Values:
    """The columns of a DataFrame that is one feature, side by side: [rows, columns]."""
    if not columns:
        raise where.error("a DataFrame without columns", "one value or more for each row")
    missing = None
    if any(column.missing is not None for column in columns):
        none = np.zeros(len(columns[0].array), dtype=bool)
        missing = np.stack([none if c.missing is None else c.missing for c in columns], axis=1)
    arrays = [column.array for column in columns]
    if len({array.dtype.kind for array in arrays}) > 1 and any(array.dtype.kind in "OUST" for array in arrays):
        arrays = [array.astype(object) for array in arrays]
    return Values(np.stack(arrays, axis=1), missing)


def has_several(values: Values) -> bool:
    """Whether rows have, or may have, more than one value: [rows, k] with k != 1, or lists as rows."""
    array = values.array
    if array.ndim > 1:
        return array.size != len(array)
    return array.dtype.kind == "O" and any(_is_row(row) for row in array)


def has_several_in_steps(values: Values) -> bool:
    """Whether steps of rows have, or may have, other numbers of values than one: [rows, steps, k] with k != 1, or lists
    in the lists of rows, of which one has not one value."""
    array = values.array
    if array.ndim > 2:
        return array.shape[2:] != (1,)
    if array.dtype.kind != "O":
        return False
    rows = array if array.ndim > 1 else (row for row in array if _is_row(row))
    return any(len(step) != 1 for row in rows for step in row if _is_row(step))


def values_of_steps(values: Values) -> Values:
    """The values of each row, one step's after the other's, without what is missing."""
    return Values(_rows_of([[value for step in row for value in step] for row in _steps(values)]))


def lengths_of_steps(values: Values) -> np.ndarray:
    """How many values each step of each row has, rows being lists. As in TensorFlow a row ends with its last step that has
    one."""
    return _rows_of([[len(step) for step in row] for row in _steps(values)])


def _rows_of(rows: list[list[Any]]) -> np.ndarray:
    array = np.empty(len(rows), dtype=object)
    for number, row in enumerate(rows):
        array[number] = row
    return array


def _steps(values: Values) -> list[list[list[Any]]]:
    """The values of each step of each row; one that is no list is a step of its own."""
    array, missing = values
    if missing is not None:
        array = np.where(missing, None, array.astype(object))
    found = []
    for row in array:
        steps = [[v for v in _listed(step) if not _is_no_value(v)] for step in _listed(row)]
        while steps and not steps[-1]:
            steps.pop()
        found.append(steps)
    return found


def _is_no_value(value: Any) -> bool:
    return is_missing(value) or (isinstance(value, (str, bytes)) and len(value) == 0) or (
        isinstance(value, (int, np.integer)) and value == -1
    )  # fmt: skip


def is_text(values: Values) -> bool:
    """Whether the values are texts, as far as the first one tells."""
    kind = values.array.dtype.kind
    return kind in "UST" or (kind == "O" and any(isinstance(v, (str, bytes)) for v in values.array.flat[:1]))


# Values -> numbers


def numbers(
    values: Values, dtype: str, shape: tuple[int, ...], default: tuple[float, ...] | None, where: Where
) -> np.ndarray:
    """Numbers of `dtype` (FLOAT32, FLOAT64, INT32, INT64), [rows, *shape].

    Args:
      shape: dimensions of a row; () for one number, which may be given as [rows] or [rows, 1].
      default: one number for each element of a row, row-major, in the place of missing ones (NaN too); None: a missing
        number is an error.

    Raises DataError: no numbers, another number of elements, a missing, infinite or too large number, or a fraction in
    a column of integers.
    """
    array, missing = values
    rows = len(array)
    if array.dtype.kind == "O":
        array, missing = _objects_to_numbers(array, missing, where)
    if array.dtype.kind not in "biuf":
        raise where.error(_KINDS.get(array.dtype.kind, str(array.dtype)), "numbers")
    elements = math.prod(shape)
    if array.size != rows * elements:
        found = f"rows of the shape {array.shape[1:]}" if array.ndim > 1 else "one number per row"
        raise where.error(found, f"rows of the shape {shape}" if shape else "one number per row")
    array = array.reshape(rows, *shape)
    absent = None if missing is None else missing.reshape(array.shape)
    if array.dtype.kind == "f":
        nan = np.isnan(array)
        if nan.any():
            absent = nan if absent is None else absent | nan
    if absent is not None and absent.any():
        if default is None:
            row = int(np.argwhere(absent)[0][0])
            raise where.error("no value (None, nan or NA)", _numbers_expected(where), row)
        fill = np.asarray(default, dtype=np.float64).reshape(shape)
        array = np.where(absent, fill, array)
    return _cast(array, np.dtype(_NUMPY[dtype]), where)


def steps(values: Values, dtype: str, where: Where) -> np.ndarray:
    """Any number of numbers of `dtype`, a type of floats, for each row: [rows, k]; NaN, which is no value, for what is
    missing and after short rows.

    Raises DataError as `numbers` does.
    """
    array, missing = values
    if array.dtype.kind == "O":
        array, missing = _objects_to_numbers(padded(array, None, steps=True), missing, where)
    if array.dtype.kind not in "biuf":
        raise where.error(_KINDS.get(array.dtype.kind, str(array.dtype)), "numbers")
    if array.ndim > 2 and array.shape[2:] != (1,):
        raise where.error(f"rows of the shape {array.shape[1:]}", f"a list of numbers per row; {_SEVERAL_NUMBERS}")
    array = array.reshape(len(array), -1)
    absent = np.isnan(array) if array.dtype.kind == "f" else np.zeros(array.shape, bool)
    if missing is not None:
        absent |= missing.reshape(array.shape)
    result = _cast(np.where(absent, 0, array), np.dtype(_NUMPY[dtype]), where)
    result[absent] = np.nan
    return result


def _numbers_expected(where: Where) -> str:
    return "a number" + (", or a default_value of its numeric_column" if where.role == "feature" else "")


def _cast(array: np.ndarray, dtype: np.dtype, where: Where) -> np.ndarray:
    """The numbers in another dtype, which holds them: floats may be rounded, nothing else changes."""
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        row = int(np.argwhere(~np.isfinite(array))[0][0])
        raise where.error("an infinite number", "a finite one", row)
    with np.errstate(over="ignore", invalid="ignore"):
        result = np.ascontiguousarray(array, dtype=dtype)
    if dtype.kind == "f":
        lost = ~np.isfinite(result) if array.dtype.kind == "f" and array.dtype.itemsize > dtype.itemsize else None
    elif array.dtype.kind in "iub" and array.dtype.itemsize < dtype.itemsize:
        lost = None
    else:
        # Of a number out of range, or a fraction, something else comes back; 2^63 and above come back as negative.
        lost = (result != array) | ((result < 0) != (array < 0))
    if lost is not None and lost.any():
        place = tuple(np.argwhere(lost)[0])
        raise where.error(describe(array[place].item()), f"a number that {dtype.name} holds", int(place[0]))
    return result


def _objects_to_numbers(
    array: np.ndarray, missing: np.ndarray | None, where: Where
) -> tuple[np.ndarray, np.ndarray | None]:
    """Python's numbers, in an array of objects, as int64 or float64."""
    if array.ndim == 1 and any(_is_row(row) for row in array):
        # A row that is missing lacks all of its numbers.
        lengths = {number: len(row) if _is_row(row) else 1 for number, row in enumerate(array) if not is_missing(row)}
        first, width = next(iter(lengths.items()))
        odd = next((number for number, length in lengths.items() if length != width), None)
        if odd is not None:
            raise where.error(f"{lengths[odd]} numbers", f"{width}, as row {first} has", odd)
        array = np.array([list(row) if number in lengths else [None] * width for number, row in enumerate(array)], dtype=object)
        missing = None if missing is None else np.repeat(missing[:, None], width, axis=1)
    absent = np.fromiter((is_missing(v) for v in array.flat), dtype=bool, count=array.size).reshape(array.shape)
    absent = absent if missing is None else absent | missing
    kinds = set(map(type, array[~absent].flat))
    for kind in kinds:
        if not issubclass(kind, (bool, int, float, np.bool_, np.integer, np.floating)):
            place = next(np.argwhere([type(v) is kind for v in array.flat]).flat)
            row = int(np.unravel_index(place, array.shape)[0])
            raise where.error(describe(array.flat[place]), _numbers_expected(where), row)
    floats = any(issubclass(kind, (float, np.floating)) for kind in kinds)
    try:
        plain = np.where(absent, 0, array).astype(np.float64 if floats else np.int64)
    except OverflowError:
        raise where.error("an integer of more than 64 bits", "a number that int64 holds") from None
    return plain, absent if absent.any() else None


def _is_without_values(array: np.ndarray) -> bool:
    """Whether these are lists that all are empty, of which numpy makes floats."""
    return array.ndim == 2 and array.size == 0 and array.dtype.kind == "f"


# Values -> ids


def integers(values: Values, several: bool, where: Where) -> np.ndarray:
    """int64 ids, [rows], or [rows, k] if `several`; -1, which is no value, for what is missing and after short rows.

    Raises DataError: no integers (floats are none), or several in a row where one is expected.
    """
    array, missing = values
    if _is_without_values(array):
        array = np.full((len(array), 1), -1)
    if array.dtype.kind == "O":
        array, missing = _objects_to_numbers(padded(array, -1, steps=True), missing, where)
    if array.dtype.kind not in "iu":
        found = _KINDS.get(array.dtype.kind, str(array.dtype))
        hint = "; missing ones as -1 or in a pandas Int64 column" if array.dtype.kind == "f" else ""
        raise where.error(found, f"integers, as the column's dtype is{hint}")
    array = _check_rank(array, several, where)
    if missing is not None:
        array = np.where(missing.reshape(array.shape), -1, array)
    return _cast(array, np.dtype(np.int64), where)


# Values -> texts


def texts(values: Values, several: bool, where: Where) -> np.ndarray:
    """Texts, [rows], or [rows, k] if `several`; '', which is no value, for what is missing and after short rows.

    An array of numpy's 'S' or 'U', else of objects, each a str or bytes.
    Raises DataError: no texts, or several in a row where one is expected.
    """
    array, missing = values
    if _is_without_values(array):
        array = np.full((len(array), 1), "")
    if array.dtype.kind == "T":
        array = array.astype(object)  # in which missing texts are its na_object
    if array.dtype.kind == "O":
        array = padded(array, "", steps=True)
    elif array.dtype.kind not in "US":
        found = _KINDS.get(array.dtype.kind, str(array.dtype))
        hint = "; or give the column an integer dtype" if array.dtype.kind in "iu" else ""
        raise where.error(found, f"text{hint}")
    array = _check_rank(array, several, where)
    if missing is not None and missing.any():
        array = np.where(missing.reshape(array.shape), "", array.astype(object))
    if array.dtype.kind in "US":
        return np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    return check_texts(array, where)


def check_texts(array: np.ndarray, where: Where) -> np.ndarray:
    """Objects that all are str or bytes; those that stand for no value become ''."""
    kinds = set(map(type, array.flat))
    if all(issubclass(kind, (str, bytes)) for kind in kinds):
        return np.ascontiguousarray(array)
    result = np.array(array, dtype=object, order="C")
    for place, value in enumerate(result.flat):
        if isinstance(value, (str, bytes)):
            continue
        if not is_missing(value):
            row = int(np.unravel_index(place, result.shape)[0])
            raise where.error(f"{describe(value)} ({type(value).__name__})", "text", row)
        result.flat[place] = ""
    return result


def padded(array: np.ndarray, filler: Any, steps: bool = False) -> np.ndarray:
    """Rows that are lists as [rows, k], where k is the length of the longest; a row that is None has no value. With `steps`
    elements of rows may be lists, too: [rows, steps, k]."""
    if array.ndim != 1 or not any(_is_row(row) for row in array):
        return array
    rows = [_listed(row) for row in array]
    longest = max(1, *map(len, rows))
    if not steps or not any(_is_row(step) for row in rows for step in row):
        result = np.full((len(rows), longest), filler, dtype=object)
        for number, row in enumerate(rows):
            result[number, : len(row)] = row
        return result
    parts = [[_listed(step) for step in row] for row in rows]
    result = np.full((len(rows), longest, max(1, *(len(step) for row in parts for step in row))), filler, dtype=object)
    for number, row in enumerate(parts):
        for place, step in enumerate(row):
            result[number, place, : len(step)] = step
    return result


def _listed(row: Any) -> list[Any]:
    return list(row) if _is_row(row) else [] if is_missing(row) else [row]


def _check_rank(array: np.ndarray, several: bool, where: Where) -> np.ndarray:
    """[rows] or [rows, k], as `several` says."""
    if array.ndim > 2 and not (several and array.shape[2:] == (1,)):
        expected = f"one value, or a list of values, per row; {_SEVERAL_IN_A_STEP}"
        raise where.error(f"rows of the shape {array.shape[1:]}", expected)
    if several:
        return array.reshape(len(array), -1)
    if array.size != len(array):
        raise where.error(f"{array.shape[1]} values per row", "one value per row, as in the data that came first")
    return array.reshape(len(array))
