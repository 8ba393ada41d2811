"""Parquet files, by pyarrow: a row group is a piece."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mlc.data._dataset import LabelName, label_columns
from mlc.data._pieces import PieceDataset, Pieces, piece_dataset
from mlc.data._remote import arrow_filesystem
from mlc.errors import DataError, did_you_mean

_HEAD_ROWS = 100
_LONGEST_TEXT = 256
"""Bytes of texts that an array of one size for all holds."""


def _pyarrow() -> Any:
    """The module. ImportError that says what needs it."""
    try:
        import pyarrow
        import pyarrow.dataset
    except ImportError as error:
        raise ImportError(f"Parquet files are read by pyarrow, which cannot be imported: {error}") from None
    return pyarrow


class RowGroups(Pieces):
    """The row groups of a dataset of pyarrow."""

    def __init__(self, dataset: Any, columns: Sequence[str]) -> None:
        self._arrow = _pyarrow()
        self._schema, self._columns = dataset.schema, list(columns)
        groups = [group for fragment in dataset.get_fragments() for group in fragment.split_by_row_group()]
        counts = [sum(info.num_rows for info in group.row_groups) for group in groups]
        self._groups = [group for group, count in zip(groups, counts, strict=True) if count]
        self.rows = [count for count in counts if count]

    def _taken(self, number: int, keys: Sequence[str], rows: int | None) -> Any:
        options = {"schema": self._schema, "columns": list(keys), "use_threads": False}
        if rows is not None:
            options["batch_size"] = rows
        try:
            scanner = self._arrow.dataset.Scanner.from_fragment(self._groups[number], **options)
            return scanner.to_table() if rows is None else scanner.head(rows)
        except (OSError, self._arrow.ArrowException) as error:
            raise DataError(str(error)) from None

    def read(self, number: int, keys: Sequence[str]) -> Mapping[str, Any]:
        table = self._taken(number, keys, None)
        return {key: _column(self._arrow, table.column(key)) for key in keys}

    def place(self, number: int) -> str:
        group = self._groups[number]
        return f"{group.path}: row group {', '.join(str(info.id) for info in group.row_groups)}"

    def head(self) -> Mapping[str, Any]:
        table = self._taken(0, self._columns, _HEAD_ROWS)
        return dict(zip(self._columns, table.columns, strict=True))


def _column(arrow: Any, column: Any) -> Any:
    """Texts of a few bytes as an array of numpy, which takes no object for each; others as they are.

    A text that is missing is '', which is no value.
    """
    types, dtype = arrow.types, column.type
    is_text = types.is_string(dtype) or types.is_large_string(dtype)
    if not is_text and not (types.is_dictionary(dtype) and types.is_string(dtype.value_type)):
        return column
    encoded = column if types.is_dictionary(dtype) else column.dictionary_encode()
    encoded = encoded.combine_chunks()
    if isinstance(encoded, arrow.ChunkedArray):
        return column
    texts = [b"" if text is None else text.encode() for text in encoded.dictionary.to_pylist()]
    if any(len(text) > _LONGEST_TEXT or text.endswith(b"\0") for text in texts):
        return column
    codes = np.asarray(encoded.indices.fill_null(len(texts)))
    return np.array([*texts, b""])[codes]


def parquet_dataset(
    path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    label_name: LabelName | None = None,
    *,
    columns: Sequence[str] | None = None,
    filesystem: Any = None,
    partitioning: Any = "hive",
) -> PieceDataset:
    """What Dataset.from_parquet returns."""
    arrow = _pyarrow()
    paths = [path] if isinstance(path, (str, os.PathLike)) else list(path)
    if not paths:
        raise DataError("path is an empty list; expected a file, a directory or a list of them")
    filesystem, found = arrow_filesystem([os.fspath(each) for each in paths], filesystem)
    source = found[0] if len(found) == 1 else found
    try:
        dataset = arrow.dataset.dataset(source, format="parquet", filesystem=filesystem, partitioning=partitioning)
        names = _selected(columns, label_name, dataset.schema.names)
        groups = RowGroups(dataset, names)
    except (OSError, arrow.ArrowException) as error:
        raise DataError(f"{', '.join(map(str, paths))}: {error}") from None
    if not groups.rows:
        raise DataError(f"{', '.join(map(str, paths))}: there is no row; expected one at least")
    return piece_dataset(groups, label_name)


def _selected(columns: Sequence[str] | None, label_name: LabelName | None, names: Sequence[str]) -> list[str]:
    for name in names:
        if names.count(name) > 1:
            raise DataError(f"the files have two columns '{name}'; expected names that differ", key=name)
    if columns is None:
        return list(names)
    for name in columns:
        if name not in names:
            hint = did_you_mean(name, names)
            text = f"columns: the files have no column '{name}'; found {', '.join(names)}"
            raise DataError(text + (f"; {hint}" if hint else ""), key=name)
    wanted = {*columns, *label_columns(label_name)}
    return [name for name in names if name in wanted]
