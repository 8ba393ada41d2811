"""LibSVM files: a label and pairs of index and value in each line. Some megabytes of lines are a piece."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import re
import warnings
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from mlc.data._files import FilePattern, check_count, check_patterns, matching_files
from mlc.data._pieces import PieceDataset, Pieces, piece_dataset
from mlc.errors import DataError, UnsupportedError

LABEL = "label"
_PIECE_BYTES = 4 << 20
_HEAD_ROWS = 100
_COMMENT = re.compile(rb"#[^\n]*")
_PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")


class _Part(NamedTuple):
    """Lines of a file, from a byte on. `line` counts from 1."""

    path: str
    begin: int
    size: int
    line: int


class _Rows(NamedTuple):
    labels: np.ndarray
    indices: np.ndarray
    """Of all rows, one after the other, as in the file; so are values."""
    values: np.ndarray
    lengths: np.ndarray
    """Pairs of each row."""


class Lines(Pieces):
    """The lines of LibSVM files."""

    def __init__(self, paths: Sequence[str], n_features: int | None, first_index: int) -> None:
        self._n_features, self._first_index = n_features, first_index
        self._integral = False
        self._parts: list[_Part] = []
        self.rows: list[int] = []
        for path in paths:
            self._find_parts(path)

    def _find_parts(self, path: str) -> None:
        """Cuts a file into pieces between lines, and counts the rows of each."""
        with open(path, "rb") as file:
            begin, line, left = 0, 1, b""
            while True:
                block = file.read(_PIECE_BYTES)
                if begin == 0 and block.startswith(_PACKED):
                    raise UnsupportedError(f"{path}: LibSVM files are read as they are; unpack the file first")
                text = left + block
                end = len(text) if not block else text.rfind(b"\n") + 1
                if end:
                    rows = _count_rows(text[:end])
                    if rows:
                        self._parts.append(_Part(path, begin, end, line))
                        self.rows.append(rows)
                    line += text.count(b"\n", 0, end)
                    begin += end
                left = text[end:]
                if not block:
                    return

    def read(self, number: int, keys: Sequence[str]) -> Mapping[str, Any]:
        part = self._parts[number]
        with open(part.path, "rb") as file:
            file.seek(part.begin)
            text = file.read(part.size)
        if len(text) != part.size:
            raise DataError(f"the file has {part.begin + len(text)} bytes; it was larger when it was opened")
        columns = self._columns(self._parsed(part, text), part)
        return {key: columns[key] for key in keys}

    def place(self, number: int) -> str:
        part = self._parts[number]
        return f"{part.path}: rows from line {part.line} on"

    def head(self) -> Mapping[str, Any]:
        part = self._parts[0]
        with open(part.path, "rb") as file:
            file.seek(part.begin)
            text = file.read(part.size)
        lines = text.split(b"\n")
        first = next(number for number, line in enumerate(lines) if _count_rows(line))
        rows = self._parsed(part, b"\n".join(lines[: first + _HEAD_ROWS]))
        self._integral = bool((rows.labels == np.rint(rows.labels)).all())
        return self._columns(rows, part)

    def _parsed(self, part: _Part, text: bytes) -> _Rows:
        """The numbers of lines. DataError names the line that has something else."""
        rows = _parse(text)
        if rows is None:
            raise _bad_line(part, text)
        last = None if self._n_features is None else self._first_index + self._n_features - 1
        bad = (rows.indices < self._first_index) | (rows.indices != np.rint(rows.indices))
        if last is not None:
            bad |= rows.indices > last
        if bad.any():
            pair = int(np.argmax(bad))
            row = int(np.searchsorted(np.cumsum(rows.lengths), pair, side="right"))
            first = self._first_index
            expected = f"an integer from {first} on" if last is None else f"one from {first} to {last}"
            found = f"{rows.indices[pair]:g}"
            raise DataError(f"{part.path}:{_line_of(part, text, row)}: found the index {found}; expected {expected}")
        return rows

    def _columns(self, rows: _Rows, part: _Part) -> dict[str, np.ndarray]:
        count = len(rows.labels)
        labels = rows.labels.astype(np.float32)
        if self._integral:
            labels = rows.labels.astype(np.int64)
            if (labels != rows.labels).any():
                row = int(np.argmax(labels != rows.labels))
                raise DataError(
                    f"{part.path}: found the label {rows.labels[row]:g}; expected an integer, as the first rows have",
                    key=LABEL,
                )
        places = rows.indices.astype(np.int64) - self._first_index
        owners = np.repeat(np.arange(count), rows.lengths)
        if self._n_features is not None:
            dense = np.zeros((count, self._n_features), dtype=np.float32)
            dense[owners, places] = rows.values
            return {"features": dense, LABEL: labels}
        width = max(2, int(rows.lengths.max(initial=0)))
        slots = np.arange(len(owners)) - np.repeat(np.cumsum(rows.lengths) - rows.lengths, rows.lengths)
        indices = np.full((count, width), -1, dtype=np.int64)
        values = np.zeros((count, width), dtype=np.float32)
        indices[owners, slots], values[owners, slots] = places, rows.values
        return {"indices": indices, "values": values, LABEL: labels}


def _bytes_of(text: bytes) -> tuple[np.ndarray, np.ndarray]:
    """Bytes without comments, and which of them are blanks."""
    data = np.frombuffer(text, dtype=np.uint8)
    return data, (data == 32) | ((data >= 9) & (data <= 13))


def _count_rows(text: bytes) -> int:
    """Lines that are neither empty nor comments."""
    if b"#" in text:
        text = _COMMENT.sub(b"", text)
    data, blank = _bytes_of(text)
    ends = np.flatnonzero(data == 10)
    words = np.flatnonzero(~blank)
    return len(np.unique(np.searchsorted(ends, words)))


def _parse(text: bytes) -> _Rows | None:
    """The numbers of lines; None: one of them is no row."""
    if b"#" in text:
        text = _COMMENT.sub(b"", text)
    data, blank = _bytes_of(text)
    begins = np.flatnonzero(~blank & np.concatenate([[True], blank[:-1]]))
    # Of each word the line, and whether it is the line's first; of each colon the word.
    line_of = np.searchsorted(np.flatnonzero(data == 10), begins)
    is_first = np.concatenate([[True], line_of[1:] != line_of[:-1]])[: len(begins)]
    colons = np.flatnonzero(data == 58)
    word_of = np.searchsorted(begins, colons, side="right") - 1
    # Each word but the first of a line has one colon, and there are no others.
    if not np.array_equal(word_of, np.flatnonzero(~is_first)):
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            numbers = np.fromstring(text.replace(b":", b" "), dtype=np.float64, sep=" ")
        except (ValueError, DeprecationWarning):
            return None
    if len(numbers) != len(begins) + len(colons) or not np.isfinite(numbers).all():
        return None
    rows = np.flatnonzero(is_first)
    lengths = np.diff(np.append(rows, len(begins))) - 1
    label_places = rows + np.cumsum(lengths) - lengths
    pairs = np.delete(numbers, label_places).reshape(-1, 2)
    return _Rows(numbers[label_places], pairs[:, 0], pairs[:, 1], lengths)


def _bad_line(part: _Part, text: bytes) -> DataError:
    """The error of the first line that is no row."""
    for number, line in enumerate(text.split(b"\n")):
        if _count_rows(line) and _parse(line) is None:
            shown = line.decode("utf-8", "replace").strip()
            shown = repr(shown if len(shown) <= 60 else shown[:57] + "...")
            expected = "'label index:value ...', finite numbers"
            return DataError(f"{part.path}:{part.line + number}: found {shown}; expected {expected}")
    raise AssertionError("lines that are rows were taken for none")


def _line_of(part: _Part, text: bytes, row: int) -> int:
    """The line of a row."""
    found = [number for number, line in enumerate(text.split(b"\n")) if _count_rows(line)]
    return part.line + found[row]


def libsvm_dataset(
    file_pattern: FilePattern, n_features: int | None = None, *, zero_based: bool = False
) -> PieceDataset:
    """What Dataset.from_libsvm returns."""
    if n_features is not None:
        check_count(n_features, "n_features")
    lines = Lines(matching_files(check_patterns(file_pattern)), n_features, 0 if zero_based else 1)
    if not lines.rows:
        raise DataError("the files have no row; expected one at least")
    return piece_dataset(lines, LABEL)
