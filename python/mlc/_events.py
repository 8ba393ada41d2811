"""Reads scalars of event files, as TensorBoard does."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import glob
import os
import re
import struct
from collections.abc import Iterable, Iterator
from typing import BinaryIO

from mlc.errors import DataError

Curves = dict[str, list[tuple[int, float]]]
"""By the names of tags (step, value), steps ascending."""

_EVAL = re.compile(r"eval(_.+)?")
# Numbers of fields of Event, Summary, Summary.Value and SessionLog, and SessionLog's START.
_STEP, _SUMMARY, _SESSION_LOG = 2, 5, 7
_VALUE, _TAG, _SIMPLE_VALUE, _STATUS, _START = 1, 1, 2, 1, 1


def runs(model_dir: str) -> dict[str, Curves]:
    """The curves of a model_dir: of training under "train", of evaluations under "eval", "eval_<name>"."""
    found = {"train": _of_directory(model_dir)}
    for entry in sorted(os.listdir(model_dir) if os.path.isdir(model_dir) else ()):
        if _EVAL.fullmatch(entry) and os.path.isdir(os.path.join(model_dir, entry)):
            found[entry] = _of_directory(os.path.join(model_dir, entry))
    return {name: curves for name, curves in found.items() if curves}


def evaluations(file_pattern: str) -> dict[int, dict[str, float]]:
    """The metrics of the evaluations of event files, by step; numbers are of float32, as these have them."""
    found: dict[int, dict[str, float]] = {}
    for tag, curve in _of_files(glob.glob(file_pattern)).items():
        for step, value in curve:
            found.setdefault(step, {"global_step": step})[tag] = value
    return found


def _of_directory(directory: str) -> Curves:
    """The curves of the event files of a directory."""
    return _of_files(glob.glob(os.path.join(glob.escape(directory), "*.tfevents.*")))


def _of_files(paths: Iterable[str]) -> Curves:
    """The curves of event files, in the order of their names. A run that goes on takes the place of what the one before it
    had said of later steps."""
    curves: dict[str, dict[int, float]] = {}
    for path in sorted(paths):
        with open(path, "rb") as file:
            try:
                for step, is_start, values in _events(file):
                    if is_start:
                        curves = {tag: {s: v for s, v in curve.items() if s < step} for tag, curve in curves.items()}
                    for tag, value in values:
                        curves.setdefault(tag, {})[step] = value
            except (struct.error, IndexError, UnicodeDecodeError) as error:
                raise DataError(f"{path}: found {error}; expected an event file of TensorBoard: it is damaged") from None
    return {tag: sorted(curve.items()) for tag, curve in curves.items() if curve}


def _events(file: BinaryIO) -> Iterator[tuple[int, bool, list[tuple[str, float]]]]:
    """Step, whether a session starts, and scalars of each event; up to one that is not complete, as of a run that goes on."""
    end = os.fstat(file.fileno()).st_size
    while len(head := file.read(12)) == 12:
        (size,) = struct.unpack("<Q", head[:8])
        if size + 4 > end - file.tell():
            return
        record = file.read(size + 4)
        step, is_start, values = 0, False, []
        for number, value in _fields(record[:size]):
            if number == _STEP and isinstance(value, int):
                step = value
            elif number == _SESSION_LOG and isinstance(value, bytes):
                is_start = dict(_fields(value)).get(_STATUS) == _START
            elif number == _SUMMARY and isinstance(value, bytes):
                values = [scalar for n, v in _fields(value) if n == _VALUE and isinstance(v, bytes) for scalar in _scalar(v)]
        yield step, is_start, values


def _scalar(value: bytes) -> Iterator[tuple[str, float]]:
    """The tag and the number of a Summary.Value that is a scalar."""
    found = dict(_fields(value))
    tag, number = found.get(_TAG), found.get(_SIMPLE_VALUE)
    if isinstance(tag, bytes) and isinstance(number, float):
        yield tag.decode(), number


def _fields(message: bytes) -> Iterator[tuple[int, int | float | bytes]]:
    """Numbers and values of the fields of a protobuf message: varints, floats of 4 bytes, doubles, and bytes."""
    place = 0
    while place < len(message):
        key, place = _varint(message, place)
        number, kind = key >> 3, key & 7
        value: int | float | bytes
        if kind == 0:
            value, place = _varint(message, place)
        elif kind == 1:
            (value,) = struct.unpack_from("<d", message, place)
            place += 8
        elif kind == 5:
            (value,) = struct.unpack_from("<f", message, place)
            place += 4
        else:
            size, place = _varint(message, place)
            value = message[place : place + size]
            place += size
        yield number, value


def _varint(message: bytes, place: int) -> tuple[int, int]:
    """A number of variable length, and the place after it."""
    result = shift = 0
    while True:
        byte = message[place]
        place += 1
        result |= (byte & 0x7F) << shift
        if byte < 0x80:
            return result, place
        shift += 7
