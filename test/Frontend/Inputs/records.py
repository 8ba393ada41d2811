#!/usr/bin/env python3
"""records.py TABLE.csv FILE: the table as TFRecord of tf.Example; numbers are float lists, `tags` is cut at '|', empty
cells are no features. records.py --zstd IN OUT: two frames of zstd.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import csv
import ctypes
import struct
import sys


def crc32c(data: bytes) -> int:
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data: bytes) -> bytes:
    crc = crc32c(data)
    return struct.pack("<I", ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF)


def field(number: int, data: bytes) -> bytes:
    size, head = len(data), bytes([number << 3 | 2])
    while size >= 128:
        head += bytes([size & 127 | 128])
        size >>= 7
    return head + bytes([size]) + data


def feature(name: str, cell: str) -> bytes:
    try:
        return field(2, field(1, struct.pack("<f", float(cell))))
    except ValueError:
        texts = cell.split("|") if name == "tags" else [cell]
        return field(1, b"".join(field(1, text.encode()) for text in texts))


def record(row: dict) -> bytes:
    entries = [field(1, field(1, name.encode()) + field(2, feature(name, cell))) for name, cell in row.items() if cell]
    data = field(1, b"".join(entries))
    size = struct.pack("<Q", len(data))
    return size + masked(size) + data + masked(data)


def zstd(data: bytes) -> bytes:
    library = ctypes.CDLL("libzstd.so.1")
    out = ctypes.create_string_buffer(len(data) + 1000)
    library.ZSTD_compress.restype = ctypes.c_size_t
    size = library.ZSTD_compress(out, ctypes.c_size_t(len(out)), data, ctypes.c_size_t(len(data)), 3)
    return out.raw[:size]


if sys.argv[1] == "--zstd":
    data = open(sys.argv[2], "rb").read()
    packed = zstd(data[: len(data) // 2]) + zstd(data[len(data) // 2 :])
else:
    packed = b"".join(record(row) for row in csv.DictReader(open(sys.argv[1], newline="")))
open(sys.argv[-1], "wb").write(packed)
