"""Writes tf.Examples and TFRecord files, from their definitions."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import struct
from typing import Any

import numpy as np


def _varint(value: int) -> bytes:
    value &= 2**64 - 1
    found = b""
    while value > 127:
        found += bytes([value & 127 | 128])
        value >>= 7
    return found + bytes([value])


def _field(number: int, content: bytes) -> bytes:
    """A field of bytes, or of a message."""
    return _varint(number << 3 | 2) + _varint(len(content)) + content


def _feature(values: Any) -> bytes:
    if isinstance(values, np.ndarray) and values.dtype == np.float32:
        return _field(2, _field(1, values.astype("<f4").tobytes()))
    if isinstance(values, np.ndarray):
        return _field(3, _field(1, b"".join(_varint(int(v)) for v in values)))
    return _field(1, b"".join(_field(1, v) for v in values))


def _entry(key: str, value: bytes) -> bytes:
    return _field(1, _field(1, key.encode()) + _field(2, value))


def example(**features: Any) -> bytes:
    """A serialized tf.Example: arrays of float32 and int64, and lists of bytes, by key."""
    return _field(1, b"".join(_entry(key, _feature(values)) for key, values in features.items()))


def sequence_example(steps: dict[str, list[Any]], **context: Any) -> bytes:
    """A serialized tf.SequenceExample: of each step what example() takes, by key, and the context."""
    lists = b"".join(_entry(key, b"".join(_field(1, _feature(step)) for step in each)) for key, each in steps.items())
    return example(**context) + _field(2, lists)


def _crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def _masked(data: bytes) -> bytes:
    crc = _crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def frame(record: bytes) -> bytes:
    """The record as a TFRecord file has it."""
    size = struct.pack("<Q", len(record))
    return size + _masked(size) + record + _masked(record)
