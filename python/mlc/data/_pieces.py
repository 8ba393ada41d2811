"""Datasets that are decoded in Python piece by piece, some pieces ahead in threads, and never held in memory whole."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

import numpy as np

from mlc.data._dataset import Dataset, FirstRows, LabelName, label_columns, pop_label
from mlc.errors import DataError

Columns = dict[str, np.ndarray]
Convert = Callable[[Mapping[str, Any], Any], Columns]
"""Makes arrays of the native side of features and labels."""

_THREADS = 4
"""That decode, and pieces that are decoded ahead, at most."""
_BUFFER_ROWS = 100_000


class Pieces(ABC):
    """Parts of files, one after the other: row groups, or lines. Methods are called from several threads."""

    rows: Sequence[int]
    """Of each piece, at least one."""

    @abstractmethod
    def read(self, number: int, keys: Sequence[str]) -> Mapping[str, Any]:
        """Those columns of a piece. Raises DataError."""

    @abstractmethod
    def place(self, number: int) -> str:
        """Where a piece is, for messages."""

    @abstractmethod
    def head(self) -> Mapping[str, Any]:
        """All columns of some first rows. Raises DataError."""


@dataclass(frozen=True, eq=False)
class PieceDataset(Dataset):
    """Rows of files, as Dataset.from_parquet and Dataset.from_libsvm make it; `features` and `labels` are the first
    rows.

    A shuffled pass of training takes the pieces in another order and mixes the rows of neighbours, `buffer_rows` at
    least.
    """

    pieces: Pieces = field(kw_only=True)
    label_name: LabelName | None = field(default=None, kw_only=True)
    buffer_rows: int = field(default=_BUFFER_ROWS, kw_only=True)

    def __post_init__(self) -> None:
        """Nothing: the rows are checked where they are read."""

    def __len__(self) -> int:
        """Number of rows."""
        return sum(self.pieces.rows)

    def shuffle(
        self, buffer_size: int | None = None, seed: int | None = None, reshuffle_each_iteration: bool | None = None
    ) -> PieceDataset:
        """The rows in another order in each pass of training: pieces (row groups) first, then rows of neighbours.

        Args:
          buffer_size: rows that are mixed at least; None: 100,000. So many are held in memory, and a piece more.
          seed, reshuffle_each_iteration: as of Dataset.shuffle.
        """
        shuffled = super().shuffle(buffer_size, seed, reshuffle_each_iteration)
        assert isinstance(shuffled, PieceDataset)
        return shuffled if buffer_size is None else replace(shuffled, buffer_rows=int(buffer_size))

    def batches(
        self, convert: Convert, keys: Sequence[str], passes: int | None, order: Order | None = None
    ) -> PieceBatches:
        """The batches of a run.

        Args:
          convert: makes arrays of the native side.
          keys: of the features to read; those that the files lack are left to `convert`.
          passes: over the rows; None: without end.
          order: of training; None: that of the files.

        Raises DataError: the first rows cannot be read as the model's columns.
        """
        with_label = label_columns(self.label_name)
        names = [*dict.fromkeys((*(key for key in keys if key in self.features), *with_label))]
        if not names:
            names = list(self.features)[:1]  # for the number of rows

        def read(number: int) -> Columns:
            try:
                columns = dict(self.pieces.read(number, names))
                labels = None if self.label_name is None else pop_label(columns, self.label_name, "the files have")
                return convert(columns, labels)
            except DataError as error:
                text = f"{self.pieces.place(number)}: {error}"
                raise DataError(text, error.messages, error.exit_code, key=error.key, row=error.row) from None

        convert(self.features, self.labels)
        assert self.batch_size is not None
        return PieceBatches(
            PieceReader(read, self.pieces.rows, self.batch_size, self.drop_remainder, passes, order)
        )


class Order(NamedTuple):
    """How training goes through pieces."""

    begin: int
    """The batch that it begins with, counted from the first one of the first pass."""
    seed: int | None
    """Of shuffled passes; None: the pieces in their order."""
    buffer_rows: int


class _Window(NamedTuple):
    """Pieces whose rows are mixed."""

    pieces: tuple[int, ...]
    skipped: int
    """Rows, after the mixing, that were read before."""
    key: tuple[int, int] | None
    """Pass and number of a window that is mixed; None: it is not."""
    ends_pass: bool


class PieceBatches:
    """Batches of pieces that threads decode ahead: a function that gives the rows of the next ones, None at the end.

    The native side cuts them into batches of `batch_rows`, of which the last may be shorter where a pass ends.

    The threads end with the batches, and where nobody refers to it any more.
    """

    is_resumed = True
    """The first batch is the one that Order says."""

    def __init__(self, reader: PieceReader) -> None:
        # Apart from this object: no cycle of references keeps threads and rows.
        self._reader = reader
        self.batch_rows = reader.batch_size
        self.first_rows = FirstRows()
        self._batches: Iterator[Columns] | None = None

    def __call__(self) -> Columns | None:
        if self._batches is None:
            self._batches = self._reader.batches()
        columns = next(self._batches, None)
        if columns is not None:
            self.first_rows.note(columns)
        return columns

    def rewind(self) -> None:
        """The next batch is the first one again."""
        self._batches = None


@dataclass(frozen=True, eq=False)
class PieceReader:
    """Reads pieces, in windows whose rows are mixed, and cuts them into batches."""

    read: Callable[[int], Columns]
    """Decodes a piece, by its number."""
    rows: Sequence[int]
    """Of each piece."""
    batch_size: int
    drop_remainder: bool
    passes: int | None
    """None: without end."""
    order: Order | None
    """None: the pieces in their order, from the first one on."""

    def _windows(self) -> Iterator[_Window]:
        total = sum(self.rows)
        per_pass = total // self.batch_size if self.drop_remainder else -(-total // self.batch_size)
        if per_pass == 0:
            return
        begin, seed, buffer_rows = self.order or Order(0, None, 0)
        number, skipped = begin // per_pass, begin % per_pass * self.batch_size
        end = None if self.passes is None else number + self.passes
        while end is None or number < end:
            order = list(range(len(self.rows)))
            if seed is not None:
                order = np.random.default_rng([seed, number]).permutation(len(self.rows)).tolist()
            pieces: list[int] = []
            count, mixed = 0, 0
            for place, piece in enumerate(order):
                pieces.append(piece)
                count += self.rows[piece]
                is_last = place + 1 == len(order)
                if seed is not None and count < buffer_rows and not is_last:
                    continue
                if skipped < count or is_last:
                    key = None if seed is None else (number, mixed)
                    yield _Window(tuple(pieces), min(skipped, count), key, is_last)
                skipped = max(0, skipped - count)
                pieces, count, mixed = [], 0, mixed + 1
            number += 1

    def _read_ahead(self, pool: ThreadPoolExecutor) -> Iterator[tuple[_Window, list[Columns]]]:
        """The windows with the columns of their pieces. A window and as many pieces as there are threads are decoded
        ahead."""
        windows = self._windows()
        waiting: deque[tuple[_Window, list[Future[Columns]]]] = deque()
        try:
            while True:
                while len(waiting) < 2 or sum(len(futures) for _, futures in waiting) <= _threads():
                    window = next(windows, None)
                    if window is None:
                        break
                    waiting.append((window, [pool.submit(self.read, piece) for piece in window.pieces]))
                if not waiting:
                    return
                window, futures = waiting.popleft()
                parts = [future.result() for future in futures]
                futures.clear()  # which would hold what the caller lets go
                yield window, parts
        finally:
            for _, futures in waiting:
                for future in futures:
                    future.cancel()

    def batches(self) -> Iterator[Columns]:
        """The rows of batches, from the first one on, as many at once as are there."""
        seed = None if self.order is None else self.order.seed
        size = self.batch_size
        with ThreadPoolExecutor(_threads(), thread_name_prefix="mlc-data") as pool:
            left: Columns | None = None
            for window, parts in self._read_ahead(pool):
                columns = _joined(parts)
                parts.clear()
                if window.key is not None:
                    order = np.random.default_rng([seed or 0, *window.key]).permutation(_count(columns))
                    columns = {name: array[order[window.skipped :]] for name, array in columns.items()}
                elif window.skipped:
                    columns = {name: array[window.skipped :] for name, array in columns.items()}
                if left is not None:
                    columns = _joined([left, columns])
                count = _count(columns)
                whole = count if window.ends_pass and not self.drop_remainder else count - count % size
                if whole:
                    yield {name: array[:whole] for name, array in columns.items()}
                left = None
                if whole < count and not window.ends_pass:
                    left = {name: array[whole:].copy() for name, array in columns.items()}


def _threads() -> int:
    return min(_THREADS, len(os.sched_getaffinity(0)))


def _count(columns: Columns) -> int:
    return len(next(iter(columns.values())))


def _joined(parts: Sequence[Columns]) -> Columns:
    """The rows of all parts. Lists of values, [rows, k], get the longest k."""
    if len(parts) == 1:
        return parts[0]
    # Weights of values that are none are numbers; other numbers that are no values are NaN.
    return {
        name: _joined_arrays([part[name] for part in parts], 0.0 if name.endswith(".weight") else np.nan)
        for name in parts[0]
    }


def _joined_arrays(arrays: Sequence[np.ndarray], no_number: float) -> np.ndarray:
    widths = {array.shape[1:] for array in arrays}
    if len(widths) > 1:
        width = max(shape[0] for shape in widths)
        arrays = [_padded(array, width, no_number) for array in arrays]
    if len({array.dtype.kind for array in arrays}) > 1:  # texts of numpy beside objects
        arrays = [array.astype(object) for array in arrays]
    return np.concatenate(arrays)


def _padded(array: np.ndarray, width: int, no_number: float) -> np.ndarray:
    """Rows with values that are none after their own."""
    filler: Any = {"i": -1, "f": no_number}.get(array.dtype.kind, "" if array.dtype.kind in "UO" else b"")
    return np.pad(array, ((0, 0), (0, width - array.shape[1])), constant_values=filler)


def piece_dataset(pieces: Pieces, label_name: LabelName | None) -> PieceDataset:
    """The rows of pieces; the column of that name is the label. DataError if there is none."""
    features = dict(pieces.head())
    if label_name is None:
        return PieceDataset(features, pieces=pieces)
    labels = pop_label(features, label_name, "the files have")
    return PieceDataset(features, labels, pieces=pieces, label_name=label_name)
