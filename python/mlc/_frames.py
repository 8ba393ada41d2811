"""Columns of data frames and tables: of pandas, polars and pyarrow, none of which is loaded here.

Each becomes an array and a mask of what is missing, so that integers beside missing ones stay integers. Of columns of
numbers without missing ones the memory is that of the frame, where it is in one piece.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from mlc.errors import DataError, column_text, data_error

_EXPECTED = "numbers, texts or categories; convert it to one of them"


@dataclass(frozen=True)
class Where:
    """The column that a message is about: its key, and what it is ("feature", "label", "label of head", "weight")."""

    key: str
    role: str = "feature"

    @property
    def text(self) -> str:
        """What messages call it."""
        return column_text(self.key, self.role)

    def error(self, found: str, expected: str, row: int | None = None) -> DataError:
        """The error that names column and row, what was found and what was expected."""
        return data_error(self.key, found, expected, row, self.role)


class Values(NamedTuple):
    """A column as an array whose first dimension counts rows, and which of its elements are missing (None: none)."""

    array: np.ndarray
    missing: np.ndarray | None = None


def frame_columns(value: Any) -> dict[str, Any] | None:
    """The columns by name of a DataFrame of pandas or polars, or a Table or RecordBatch of pyarrow; None: of none.

    Raises DataError: two columns of a table have one name. (Those of pandas are one feature of several values.)
    """
    arrow = sys.modules.get("pyarrow")
    if arrow is not None and isinstance(value, (arrow.Table, arrow.RecordBatch)):
        columns = dict(zip(value.column_names, value.columns))
        for name in columns if len(columns) < len(value.columns) else ():
            if value.column_names.count(name) > 1:
                raise DataError(f"the table has two columns '{name}'; expected names that differ", key=name)
        return columns
    if type(value).__name__ == "DataFrame" and hasattr(value, "columns"):
        return {str(name): value[name] for name in value.columns}
    return None


def column_values(value: Any, where: Where) -> Values | None:
    """The values of a column of pandas, polars or pyarrow; None: `value` is none of them.

    Raises DataError: a dtype that is no number, text or category.
    """
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(value, (pandas.Series, pandas.Index, pandas.api.extensions.ExtensionArray)):
        return _of_pandas(pandas, value, where)
    arrow = sys.modules.get("pyarrow")
    if arrow is not None and isinstance(value, (arrow.Array, arrow.ChunkedArray)):
        return _of_arrow(arrow, value, where)
    polars = sys.modules.get("polars")
    if polars is not None and isinstance(value, polars.Series):
        return _of_polars(polars, value, where)
    return None


def _values(array: np.ndarray, missing: np.ndarray) -> Values:
    return Values(array, missing if missing.any() else None)


def _of_categories(categories: Values, codes: np.ndarray, missing: np.ndarray) -> Values:
    """The categories that codes stand for; the codes of missing ones may be anything."""
    if len(categories.array) == 0:
        return Values(np.full(len(codes), None, dtype=object))
    codes = np.where(missing, 0, codes)
    if categories.missing is not None:
        missing = missing | categories.missing[codes]
    return _values(categories.array[codes], missing)


def _of_pandas(pandas: Any, value: Any, where: Where) -> Values:
    dtype = value.dtype
    if isinstance(dtype, pandas.CategoricalDtype):
        codes = np.asarray(value.codes if hasattr(value, "codes") else value.cat.codes)
        return _of_categories(_of_pandas(pandas, dtype.categories, where), codes, codes < 0)
    if isinstance(dtype, np.dtype):
        return Values(np.asarray(value))
    types = pandas.api.types
    if types.is_bool_dtype(dtype):
        array = value.to_numpy(dtype=bool, na_value=False)
    elif types.is_unsigned_integer_dtype(dtype):
        array = value.to_numpy(dtype=np.uint64, na_value=0)
    elif types.is_integer_dtype(dtype):
        array = value.to_numpy(dtype=np.int64, na_value=0)
    elif types.is_float_dtype(dtype):
        array = value.to_numpy(dtype=np.float64, na_value=np.nan)
    elif types.is_string_dtype(dtype):
        array = value.to_numpy(dtype=object, na_value=None)
    else:
        raise where.error(f"a pandas column of {dtype}", _EXPECTED)
    return _values(array, np.asarray(value.isna()))


def _of_arrow(arrow: Any, value: Any, where: Where) -> Values:
    if isinstance(value, arrow.ChunkedArray):
        value = value.chunk(0) if value.num_chunks == 1 else value.combine_chunks()
        if isinstance(value, arrow.ChunkedArray):  # more texts than one array holds
            parts = [_of_arrow(arrow, chunk, where) for chunk in value.chunks]
            masks = [np.zeros(len(p.array), bool) if p.missing is None else p.missing for p in parts]
            return _values(np.concatenate([part.array for part in parts]), np.concatenate(masks))
    types, dtype = arrow.types, value.type
    missing = np.asarray(value.is_null())
    if types.is_dictionary(dtype):
        codes = np.asarray(value.indices.fill_null(0))
        return _of_categories(_of_arrow(arrow, value.dictionary, where), codes, missing)
    if types.is_null(dtype):
        return Values(np.full(len(value), None, dtype=object))
    if types.is_boolean(dtype) or types.is_integer(dtype):
        filler = False if types.is_boolean(dtype) else 0
        return _values(np.asarray(value.fill_null(filler) if missing.any() else value), missing)
    if types.is_floating(dtype) or _is_arrow_text(types, dtype):
        return _values(value.to_numpy(zero_copy_only=False), missing)
    if types.is_list(dtype) or types.is_large_list(dtype) or types.is_fixed_size_list(dtype):
        width = dtype.list_size if types.is_fixed_size_list(dtype) else None
        lengths = np.asarray(value.value_lengths().fill_null(0))
        return _of_lists(_of_arrow(arrow, value.flatten(), where), lengths, missing, width)
    raise where.error(f"an Arrow column of {dtype}", _EXPECTED)


def _is_arrow_text(types: Any, dtype: Any) -> bool:
    kinds = ("string", "large_string", "string_view", "binary", "large_binary", "binary_view")
    return any(getattr(types, f"is_{kind}")(dtype) for kind in kinds)


def _of_lists(elements: Values, lengths: np.ndarray, missing: np.ndarray, width: int | None) -> Values:
    """Rows that are lists: [rows, width] where all have that many, else an array of objects, None where one is missing.

    Args:
      elements: those of all rows, one row after the other.
      lengths: of each row; 0 of a missing one.
      width: of lists of a fixed size.
    """
    flat = elements.array
    if width is not None and not missing.any():
        shape = (len(lengths), width, *flat.shape[1:])
        return Values(flat.reshape(shape), None if elements.missing is None else elements.missing.reshape(shape))
    if elements.missing is not None:
        flat = flat.astype(object)
        flat[elements.missing] = None
    rows = np.empty(len(lengths), dtype=object)
    begin = 0
    for number, end in enumerate(np.cumsum(lengths).tolist()):
        rows[number] = None if missing[number] else flat[begin:end]
        begin = end
    return Values(rows)


def _of_polars(polars: Any, value: Any, where: Where) -> Values:
    dtype = value.dtype
    missing = value.is_null().to_numpy()
    if isinstance(dtype, (polars.Categorical, polars.Enum)):
        return _values(value.cast(polars.String).to_numpy(), missing)
    if dtype == polars.Boolean or dtype.is_integer():
        return _values(value.fill_null(False if dtype == polars.Boolean else 0).to_numpy(), missing)
    if dtype.is_float():
        return _values(value.to_numpy(), missing)
    if dtype in (polars.String, polars.Binary):
        return _values(value.to_numpy(), missing)
    if dtype == polars.Null:
        return Values(np.full(len(value), None, dtype=object))
    if isinstance(dtype, (polars.List, polars.Array)):
        lengths = (value.list.len() if isinstance(dtype, polars.List) else value.arr.len()).fill_null(0)
        elements = _of_polars(polars, value.filter(lengths > 0).explode(), where)
        width = dtype.size if isinstance(dtype, polars.Array) else None
        return _of_lists(elements, lengths.to_numpy(), missing, width)
    raise where.error(f"a polars column of {dtype}", _EXPECTED)
