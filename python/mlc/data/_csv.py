"""Datasets of CSV files: names and types of their columns, told or inferred from the first rows."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from mlc import _engine
from mlc._dtypes import TEXT, dtype_name
from mlc.data._dataset import LabelName
from mlc.data._files import Field, FileDataset, FilePattern, Files, check_count, check_patterns, file_dataset
from mlc.errors import DataError, UnsupportedError, did_you_mean

_TYPES = ("int32", "int64", "float32", "float64", TEXT)
"""From the one that the fewest texts are values of to the one that all are."""
_ALL_ROWS = 2**62
_COMPRESSIONS = {None: "AUTO", "": "AUTO", "AUTO": "AUTO", "NONE": "NONE", "GZIP": "GZIP", "ZSTD": "ZSTD"}


def csv_dataset(
    file_pattern: FilePattern,
    label_name: LabelName | None = None,
    *,
    column_names: Sequence[str] | None = None,
    column_defaults: Sequence[Any] | Mapping[str, Any] | None = None,
    select_columns: Sequence[str | int] | None = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str | Iterable[str] = "",
    header: bool = True,
    skip_initial_space: bool = False,
    comment: Iterable[str] = (),
    skip_lines: int = 0,
    separators: Mapping[str, str] | None = None,
    strip: str | Mapping[str, str] = "",
    compression_type: str | None = None,
    max_bad_rows: int = 0,
    num_rows_for_inference: int | None = 100,
    missing_is_zero: bool = False,
) -> FileDataset:
    """What Dataset.from_csv returns, and make_csv_dataset with `missing_is_zero`."""
    patterns = check_patterns(file_pattern)
    if column_names is None and not header:
        raise ValueError("Cannot infer column names without a header line: give column_names")
    settings = {
        "header": header and column_names is None,
        "field_delim": _check_byte(field_delim, "field_delim"),
        "use_quote_delim": bool(use_quote_delim),
        "skip_initial_space": bool(skip_initial_space),
        "comment": list(comment),
        # Names that are given stand for those of the header, which is a line.
        "skip_lines": check_count(skip_lines, "skip_lines", 0) + (header and column_names is not None),
        "compression": check_compression(compression_type),
        "max_bad_rows": check_count(max_bad_rows, "max_bad_rows", 0),
    }
    if column_names is not None:
        settings["column_names"] = _check_names(column_names)
    missing = [text for text in ([na_value] if isinstance(na_value, str) else na_value) if text]
    format_text = json.dumps({"csv": settings, "columns": []})
    rows = _ALL_ROWS if num_rows_for_inference is None else num_rows_for_inference
    rows = 0 if isinstance(column_defaults, Sequence) else check_count(rows, "num_rows_for_inference", 0)
    names, first = _engine.first_rows(patterns, format_text, rows)
    selected = _selected(select_columns, names)
    told = _told_fields(column_defaults, [names[number] for number in selected])
    fields: dict[str, Field] = {}
    for number in selected:
        name = names[number]
        if names.count(name) > 1:
            raise DataError(f"the files have two columns '{name}'; expected names that differ", key=name)
        separator = (separators or {}).get(name)
        cut = _check_strip(strip if isinstance(strip, str) else strip.get(name, ""), name)
        found = told.get(name) or _inferred_field((row[number] for row in first), missing, missing_is_zero, cut)
        if separator is not None:
            found = Field(TEXT, several=True, separator=_check_byte(separator, f"separators['{name}']"))
        fields[name] = replace(found, strip=cut)
    for argument, by_name in (("separators", separators), ("strip", None if isinstance(strip, str) else strip)):
        for name in by_name or {}:
            if name not in fields:
                raise DataError(f"{argument}: the files have no column '{name}'; found {', '.join(fields)}", key=name)
    return file_dataset(Files(patterns, fields, {"csv": settings, "missing": missing}), label_name)


def _check_byte(text: Any, what: str) -> str:
    if not isinstance(text, str) or len(text) != 1 or not text.isascii() or text in '"\n\r\0':
        raise ValueError(f"{what} must be one character of ASCII, no quote and no end of a line; found {text!r}")
    return text


def _check_strip(text: Any, name: str) -> str:
    if not isinstance(text, str) or not text.isascii() or "\0" in text:
        raise ValueError(f"strip of '{name}' must be characters of ASCII; found {text!r}")
    return text


def check_compression(compression_type: str | None) -> str:
    """The name of a compression as a manifest has it; None and "": by the first bytes of each file."""
    name = compression_type.upper() if isinstance(compression_type, str) else compression_type
    if name not in _COMPRESSIONS:
        raise UnsupportedError(f"compression_type {compression_type!r}; expected None, 'GZIP', 'ZSTD' or 'NONE'")
    return _COMPRESSIONS[name]


def _check_names(column_names: Sequence[str]) -> list[str]:
    names = list(column_names)
    for name in names:
        if not isinstance(name, str) or not name:
            raise ValueError(f"column_names must be texts that are not empty; found {name!r}")
        if names.count(name) > 1:
            raise ValueError(f"column_names has '{name}' twice")
    if not names:
        raise ValueError("column_names is empty; expected the names of all fields of a row")
    return names


def _selected(select_columns: Sequence[str | int] | None, names: Sequence[str]) -> list[int]:
    """Numbers of the columns to read, in the order of the files."""
    if select_columns is None:
        return list(range(len(names)))
    numbers = set()
    for each in select_columns:
        if isinstance(each, str):
            if each not in names:
                hint = did_you_mean(each, names)
                text = f"select_columns: the files have no column '{each}'; found {', '.join(names)}"
                raise DataError(text + (f"; {hint}" if hint else ""), key=each)
            numbers.add(names.index(each))
        elif 0 <= each < len(names):
            numbers.add(int(each))
        else:
            raise DataError(f"select_columns: there is no column {each}; expected 0 to {len(names) - 1}")
    if not numbers:
        raise ValueError("select_columns is empty; expected a column at least")
    return sorted(numbers)


def _told_fields(column_defaults: Sequence[Any] | Mapping[str, Any] | None, names: Sequence[str]) -> dict[str, Field]:
    """What column_defaults say, by name."""
    if column_defaults is None:
        return {}
    if isinstance(column_defaults, Mapping):
        for name in column_defaults:
            if name not in names:
                hint = did_you_mean(name, names)
                text = f"column_defaults: the files have no column '{name}'"
                raise DataError(text + (f"; {hint}" if hint else ""), key=name)
        return {name: _told_field(name, value) for name, value in column_defaults.items()}
    if len(column_defaults) != len(names):
        count = len(column_defaults)
        raise ValueError(f"column_defaults has {count} entries; expected {len(names)}, one for each column")
    return {name: _told_field(name, value) for name, value in zip(names, column_defaults, strict=True)}


def _told_field(name: str, value: Any) -> Field:
    """A dtype: a value must be there; a value: it stands for a missing one and tells the dtype."""
    what = f"column_defaults of '{name}'"
    if isinstance(value, (str, bytes)):
        # A text that names a dtype is a dtype: a default text of that name is given as bytes.
        if isinstance(value, bytes) or value not in _TYPES:
            return Field(TEXT, default=value.decode() if isinstance(value, bytes) else value)
        return Field(value, required=True)
    array = None if isinstance(value, type) or hasattr(value, "as_numpy_dtype") else np.asarray(value)
    if array is None or isinstance(value, np.dtype):
        dtype = dtype_name(value, what)
        if dtype not in _TYPES:
            raise ValueError(f"{what}: dtype {dtype}; expected one of {', '.join(_TYPES)}")
        return Field(dtype, required=True)
    if array.size != 1:
        raise ValueError(f"{what} is {value!r}; expected a dtype or one value")
    default = array.reshape(-1)[0]
    if array.dtype.kind in "USO":
        return Field(TEXT, default=default.decode() if isinstance(default, bytes) else str(default))
    # Numbers of Python are int32 and float32, as TensorFlow has them.
    dtype = str(array.dtype)
    if not isinstance(value, (np.ndarray, np.generic)):
        dtype = {"i": "int32", "f": "float32"}.get(array.dtype.kind, dtype)
    if dtype == "int32" and not -(2**31) <= int(default) < 2**31:
        dtype = "int64"
    if dtype not in _TYPES:
        raise ValueError(f"{what} is {value!r}; expected a number or a text")
    return Field(dtype, default=repr(default.item()))


def _inferred_field(cells: Iterable[bytes], missing: Sequence[str], missing_is_zero: bool, strip: str) -> Field:
    """The narrowest type that all cells, without `strip` at their ends, are values of, those that are missing left out;
    without any, texts."""
    marks = {"", *missing}
    rank = -1
    for cell in cells:
        text = cell.decode("utf-8", "replace").strip(strip) if strip else cell.decode("utf-8", "replace")
        if text not in marks:
            rank = max(rank, next(number for number, each in enumerate(_TYPES) if _is_value(text, each)))
    dtype = _TYPES[rank]
    return Field(dtype, default="0" if missing_is_zero and dtype != TEXT else None)


def _is_value(text: str, dtype: str) -> bool:
    if dtype == TEXT:
        return True
    if "_" in text:  # which Python's numbers may have
        return False
    try:
        if dtype.startswith("int"):
            return -(2 ** (int(dtype[3:]) - 1)) <= int(text) < 2 ** (int(dtype[3:]) - 1)
        return math.isfinite(float(text)) and abs(float(text)) <= float(np.finfo(dtype).max)
    except ValueError:
        return False


def make_csv_dataset(
    file_pattern: FilePattern,
    batch_size: int,
    column_names: Sequence[str] | None = None,
    column_defaults: Sequence[Any] | None = None,
    label_name: str | None = None,
    select_columns: Sequence[str | int] | None = None,
    field_delim: str = ",",
    use_quote_delim: bool = True,
    na_value: str = "",
    header: bool = True,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: int | None = None,
    num_parallel_reads: int | None = None,
    sloppy: bool = False,
    num_rows_for_inference: int | None = 100,
    compression_type: str | None = None,
    ignore_errors: bool = False,
    encoding: str = "utf-8",
) -> FileDataset:
    """As tf.data.experimental.make_csv_dataset: batches of CSV files, repeated without end if num_epochs is None.

    Args:
      file_pattern: a path or pattern, or a list of them.
      batch_size: rows of a batch.
      column_names: of all fields of a row, in the place of those of the header.
      column_defaults: for each column (of select_columns, if given) the value that stands for a missing one, which
        tells the type, too; or a dtype: a missing value is an error. None: types are inferred, and missing numbers are
        0.
      label_name: the column of labels, which then is no feature; None: there are none.
      select_columns: names or numbers of the columns to read; None: all.
      field_delim, use_quote_delim, na_value, header: the form of the files; na_value is a text that is missing.
      num_epochs: passes over the files.
      shuffle, shuffle_seed: all rows are taken in another order in each pass of training.
      shuffle_buffer_size, prefetch_buffer_size, num_parallel_reads, sloppy: of TensorFlow's pipeline; without effect,
        as all rows are shuffled, and the runtime reads ahead.
      num_rows_for_inference: rows that types are inferred from; None: all.
      compression_type: None: by the first bytes of each file; "GZIP", "ZSTD" or "NONE".
      ignore_errors: rows with an error are left out, and counted in a line of the log.
      encoding: "utf-8".

    Returns:
      A Dataset with batches.

    Raises:
      DataError: no file, no such column, or a first row with another number of fields.
      UnsupportedError: another encoding or compression.
    """
    if encoding.lower() not in ("utf-8", "utf8"):
        raise UnsupportedError(f"encoding {encoding!r}; expected 'utf-8'")
    dataset = csv_dataset(
        file_pattern,
        label_name,
        column_names=column_names,
        column_defaults=column_defaults,
        select_columns=select_columns,
        field_delim=field_delim,
        use_quote_delim=use_quote_delim,
        na_value=na_value,
        header=header,
        compression_type=compression_type,
        max_bad_rows=_ALL_ROWS if ignore_errors else 0,
        num_rows_for_inference=num_rows_for_inference,
        missing_is_zero=True,
    )
    return arranged(dataset, batch_size, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)


def arranged(
    dataset: FileDataset,
    batch_size: int,
    num_epochs: int | None,
    shuffle: bool,
    shuffle_buffer_size: int,
    seed: int | None,
    drop_remainder: bool = False,
) -> Any:
    """The rows shuffled, repeated and in batches, as TensorFlow's make_..._dataset have it."""
    shuffled = dataset.shuffle(shuffle_buffer_size, seed) if shuffle else dataset
    return shuffled.repeat(num_epochs).batch(batch_size, drop_remainder)
