"""Predictions as files of any size: CSV and JSON lines by the runtime, Parquet by pyarrow."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import numpy as np

from mlc.errors import UnsupportedError, did_you_mean

TEXT_FORMATS = {".csv": "csv", ".jsonl": "jsonl"}
"""Formats that the runtime writes, by the ends of names."""
_ROWS_OF_GROUP = 1 << 16
ON_BAD_ROW = ("fail", "skip", "null")


def format_of(output: str) -> str:
    """"csv", "jsonl" or "parquet", by the end of the file's name. ValueError for other names."""
    end = os.path.splitext(output)[1].lower()
    formats = {**TEXT_FORMATS, ".parquet": "parquet"}
    if end not in formats:
        hint = did_you_mean(end, formats)
        raise ValueError(f"output '{output}': the name ends in '{end}'; expected {', '.join(formats)}" + (f"; {hint}" if hint else ""))
    return formats[end]


def write_parquet(output: str, batches: Iterable[Mapping[str, np.ndarray]]) -> None:
    """Writes batches of predictions as the file `output`, which appears when all are written.

    Numbers are columns of their dtype, rows of several numbers lists of a fixed size (of several dimensions such lists
    in each other), texts strings. ImportError without pyarrow; OSError where the file cannot be written.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError(f"Parquet files are written by pyarrow, which cannot be imported: {error}") from None
    unfinished = f"{output}.tmp"
    writer = None
    try:
        for group in _groups(batches):
            table = pyarrow.table({name: _column(pyarrow, array) for name, array in group.items()})
            if writer is None:
                writer = pyarrow.parquet.ParquetWriter(unfinished, table.schema)
            writer.write_table(table)
        if writer is None:
            raise UnsupportedError(f"output '{output}': the input has no row, and Parquet names the columns of its rows; expected one at least")
        writer.close()
        os.replace(unfinished, output)
    except BaseException:
        if writer is not None:
            writer.close()
        if os.path.exists(unfinished):
            os.remove(unfinished)
        raise


def _groups(batches: Iterable[Mapping[str, np.ndarray]]) -> Iterator[dict[str, np.ndarray]]:
    """Batches joined to groups of rows, as many as a reader takes at once."""
    kept: list[Mapping[str, np.ndarray]] = []
    rows = 0
    for batch in batches:
        kept.append(batch)
        rows += len(next(iter(batch.values())))
        if rows >= _ROWS_OF_GROUP:
            yield _joined(kept)
            kept, rows = [], 0
    if rows:
        yield _joined(kept)


def _joined(batches: list[Mapping[str, np.ndarray]]) -> dict[str, np.ndarray]:
    return {name: np.concatenate([batch[name] for batch in batches]) for name in batches[0]}


def _column(pyarrow: Any, array: np.ndarray) -> Any:
    flat = array.reshape(-1)
    if array.dtype.kind in "OSU":
        values = pyarrow.array(flat, pyarrow.binary())
        try:
            column = values.cast(pyarrow.string())
        except pyarrow.ArrowInvalid:  # classes may be any bytes
            column = values
    else:
        column = pyarrow.array(flat)
    for size in array.shape[:0:-1]:
        column = pyarrow.FixedSizeListArray.from_arrays(column, size)
    return column
