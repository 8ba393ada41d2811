"""TFRecord files that Python decodes: of tf.SequenceExamples, and of tf.Examples with SparseFeatures."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from mlc import _engine
from mlc._sequence_example import parse_single_sequence_example
from mlc.data._dataset import Batches, Dataset, LabelName, label_columns, pop_label
from mlc.data._files import FilePattern, check_patterns, matching_files
from mlc.data._pieces import Columns, Order, PieceDataset, PieceReader, Pieces
from mlc.errors import DataError
from mlc.io import FixedLenFeature

_PIECE_BYTES = 1 << 20
_HEAD_ROWS = 100
_FRAME_BYTES = 16
"""Of a record, besides its own: its size, and a checksum of both."""
_PACKED = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd")


class _Part(NamedTuple):
    """Records of a file, one after the other. `first` counts from 0. A packed file is one part, which is read whole."""

    path: str
    begin: int
    sizes: tuple[int, ...]
    first: int
    is_packed: bool


class Records(Pieces):
    """The records of TFRecord files, about a megabyte in each piece. All are read once, for their checksums."""

    def __init__(
        self, paths: Sequence[str], context_features: Mapping[str, Any], sequence_features: Mapping[str, Any]
    ) -> None:
        self._context, self._steps = dict(context_features), dict(sequence_features)
        self._parts: list[_Part] = []
        for path in paths:
            self._find_parts(path)
        self.rows = [len(part.sizes) for part in self._parts]

    def _find_parts(self, path: str) -> None:
        with open(path, "rb") as file:
            is_packed = file.read(4).startswith(_PACKED)
        begin, first, sizes, bytes_ = 0, 0, [], 0
        for record in _engine.records([path]):
            sizes.append(len(record))
            bytes_ += len(record) + _FRAME_BYTES
            if bytes_ >= _PIECE_BYTES and not is_packed:
                self._parts.append(_Part(path, begin, tuple(sizes), first, is_packed))
                begin, first, sizes, bytes_ = begin + bytes_, first + len(sizes), [], 0
        if sizes:
            self._parts.append(_Part(path, begin, tuple(sizes), first, is_packed))

    def read(self, number: int, keys: Sequence[str]) -> Mapping[str, Any]:
        return self._decoded(number, None)

    def place(self, number: int) -> str:
        return self._parts[number].path

    def head(self) -> Mapping[str, Any]:
        return self._decoded(0, _HEAD_ROWS)

    def column(self, key: str, rows: Sequence[Any]) -> Any:
        """What the rows of a feature are as a column of a batch: an array, or a list of rows of any lengths."""
        return np.stack(rows) if isinstance(self._context.get(key), FixedLenFeature) else list(rows)

    def _decoded(self, number: int, count: int | None) -> Columns:
        """The features of records, arrays of objects, each what its record has. DataError names the record."""
        part = self._parts[number]
        records = list(itertools.islice(_records_of(part), count))
        columns = {key: np.empty(len(records), dtype=object) for key in (*self._context, *self._steps)}
        for row, record in enumerate(records):
            try:
                found = parse_single_sequence_example(record, self._context, self._steps)
            except DataError as error:
                raise DataError(f"record {part.first + row + 1}: {error}", key=error.key) from None
            for key, value in (*found[0].items(), *found[1].items()):
                columns[key][row] = value
        return columns


def _records_of(part: _Part) -> Iterator[bytes]:
    if part.is_packed:
        yield from _engine.records([part.path])
        return
    with open(part.path, "rb") as file:
        file.seek(part.begin)
        content = file.read(sum(part.sizes) + _FRAME_BYTES * len(part.sizes))
    place = 12
    for size in part.sizes:
        if int.from_bytes(content[place - 12 : place - 4], "little") != size or place + size + 4 > len(content):
            raise DataError("the file is not what it was when it was opened")
        yield content[place : place + size]
        place += size + _FRAME_BYTES


@dataclass(frozen=True, eq=False)
class RecordDataset(PieceDataset):
    """Rows of tf.SequenceExamples, or of tf.Examples with SparseFeatures, as Dataset.from_tfrecord makes it.

    Batches are padded for themselves: lists of rows reach the model as they are. A `train` that goes on begins with the
    batch that follows, in the order of the pass.
    """

    pieces: Records = field(kw_only=True)

    def batches_from(self, begin: int, seed: int | None, trains: bool) -> Batches:
        """The batches of a run.

        Args:
          begin: the number of the first one, counted from that of the first pass.
          seed: of a shuffled pass, where the Dataset has none.
          trains: a shuffled Dataset is shuffled.
        """
        return Batches(self._stream(begin, seed, trains), self.epochs)

    def _stream(self, begin: int, seed: int | None, trains: bool) -> Iterator[tuple[Any, Any]]:
        assert self.batch_size is not None
        order = Order(begin, (seed or 0) if self.shuffled and trains else None, self.buffer_rows)

        def read(number: int) -> Columns:
            try:
                return dict(self.pieces.read(number, ()))
            except DataError as error:
                text = f"{self.pieces.place(number)}: {error}"
                raise DataError(text, error.messages, error.exit_code, key=error.key) from None

        reader = PieceReader(read, self.pieces.rows, self.batch_size, self.drop_remainder, None, order)
        size = self.batch_size
        left = None if self.epochs is None else self.epochs * self.batches_per_epoch
        for columns in reader.batches() if left != 0 else ():
            count = len(next(iter(columns.values())))
            for start in range(0, count, size):
                yield _batch(self.pieces, {k: v[start : start + size] for k, v in columns.items()}, self.label_name)
                if left is not None and (left := left - 1) == 0:
                    return


def _batch(records: Records, columns: Columns, label_name: LabelName | None) -> tuple[dict[str, Any], Any]:
    features = {key: records.column(key, rows) for key, rows in columns.items()}
    return features, None if label_name is None else pop_label(features, label_name, "the records have")


def record_dataset(
    file_pattern: FilePattern, context_features: Mapping[str, Any], sequence_features: Mapping[str, Any],
    label_key: LabelName | None,
) -> Dataset:  # fmt: skip
    """The rows of records. DataError: no record, one that is damaged or lacks a feature, or no label_key."""
    for key in context_features:
        if key in sequence_features:
            raise ValueError(f"'{key}' stands in features and in sequence_features; expected a key in one of them")
    for key in label_columns(label_key):
        pop_label(dict.fromkeys((*context_features, *sequence_features)), key, "the records have")
    records = Records(matching_files(check_patterns(file_pattern)), context_features, sequence_features)
    if not records.rows:
        raise DataError("the files have no record; expected one at least")
    try:
        head = dict(records.head())
    except DataError as error:
        raise DataError(f"{records.place(0)}: {error}", key=error.key) from None
    features, labels = _batch(records, head, label_key)
    return RecordDataset(features, labels, pieces=records, label_name=label_key)
