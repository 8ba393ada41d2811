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


def example(**features: Any) -> bytes:
    """A serialized tf.Example: arrays of float32 and int64, and lists of bytes, by key."""
    entries = b""
    for key, values in features.items():
        if isinstance(values, np.ndarray) and values.dtype == np.float32:
            feature = _field(2, _field(1, values.astype("<f4").tobytes()))
        elif isinstance(values, np.ndarray):
            feature = _field(3, _field(1, b"".join(_varint(int(v)) for v in values)))
        else:
            feature = _field(1, b"".join(_field(1, v) for v in values))
        entries += _field(1, _field(1, key.encode()) + _field(2, feature))
    return _field(1, entries)


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
