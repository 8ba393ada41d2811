"""Terms of vocabulary files: texts with a term on each line, and TFRecord files, compressed by gzip, with one in each record."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import gzip
import struct
import zlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mlc.errors import SpecError

if TYPE_CHECKING:
    from mlc.feature_column._types import VocabularyFileCategoricalColumn

TEXT, TFRECORD_GZIP = "text", "tfrecord_gzip"


def _records(path: str) -> Iterator[bytes]:
    """The records of a TFRecord file. SpecError if it is damaged: gzip has a checksum of all of it."""
    number = 0
    try:
        with gzip.open(path, "rb") as file:
            while head := file.read(12):
                (length,) = struct.unpack("<Q4x", head)
                record = file.read(length)
                if len(record) < length or len(file.read(4)) < 4:
                    raise EOFError
                yield record
                number += 1
    except (EOFError, struct.error, zlib.error, gzip.BadGzipFile, OverflowError, MemoryError) as error:
        if isinstance(error, gzip.BadGzipFile) and number == 0:
            raise SpecError(f"{path} is no gzip file; expected a TFRecord file, compressed by gzip") from None
        raise SpecError(f"{path}: record {number} is cut off or damaged") from None


def _lines(path: str) -> Iterator[bytes]:
    with open(path, "rb") as file:
        for line in file:
            yield line.removesuffix(b"\n").removesuffix(b"\r")


def _terms(path: str, file_format: str) -> Iterator[bytes]:
    return _records(path) if file_format == TFRECORD_GZIP else _lines(path)


def count_terms(path: str, file_format: str) -> int:
    """How many terms a file has. OSError if it cannot be read, SpecError if it is damaged."""
    return sum(1 for _ in _terms(path, file_format))


def read_terms(column: VocabularyFileCategoricalColumn) -> list[bytes] | list[int]:
    """The terms that a column takes of its file, texts or integers.

    Raises SpecError: there are too few, one is no integer where the column is one of integers, the file is damaged.
    """
    path, size = column.vocabulary_file, column.vocabulary_size
    texts: list[bytes] = []
    for term in _terms(path, column.file_format):
        if len(texts) == size:
            break
        texts.append(term)
    if len(texts) < size:
        raise SpecError(f"column '{column.key}': {path} has {len(texts)} terms; expected vocabulary_size, {size}, or more")
    if column.dtype == "string":
        return texts
    return [_integer(text, column, number) for number, text in enumerate(texts)]


def _integer(text: bytes, column: VocabularyFileCategoricalColumn, number: int) -> int:
    try:
        return int(text)
    except ValueError:
        raise SpecError(
            f"column '{column.key}': {column.vocabulary_file}:{number + 1}: found '{text.decode(errors='replace')}'; "
            f"expected an integer, as dtype is {column.dtype}"
        ) from None
