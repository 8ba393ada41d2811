#!/usr/bin/env python3
"""Writes images and labels in IDX format (.gz or plain) as CSV: columns image, its pixels separated by '|', and digit. With the ending
.npz instead as arrays: image, f32 in [0, 1] of [rows, pixels], and digit, i64 of [rows].

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    convert.py IMAGES LABELS OUT.csv|OUT.npz [FIRST [LAST]]     rows FIRST to LAST - 1, counted from 0; default: all
"""
import gzip
import math
import os
import struct
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from npz import write_npy


def read_idx(path):
    """The dimensions and the bytes of an IDX file of unsigned bytes."""
    with open(path, "rb") as file:
        data = file.read()
    if data[:2] == b"\x1f\x8b":
        data = gzip.decompress(data)
    if data[:3] != b"\0\0\x08":
        sys.exit(f"{path}: no IDX file of unsigned bytes")
    rank = data[3]
    dims = struct.unpack(f">{rank}I", data[4 : 4 + 4 * rank])
    values = data[4 + 4 * rank :]
    if len(values) != math.prod(dims):
        sys.exit(f"{path}: {len(values)} bytes of data; expected {math.prod(dims)}")
    return dims, values


def main():
    if not 4 <= len(sys.argv) <= 6:
        sys.exit(__doc__)
    (rows, *shape), pixels = read_idx(sys.argv[1])
    (count,), labels = read_idx(sys.argv[2])
    if rows != count:
        sys.exit(f"{rows} images and {count} labels; expected as many")
    first = int(sys.argv[4]) if len(sys.argv) > 4 else 0
    last = int(sys.argv[5]) if len(sys.argv) > 5 else rows
    size = math.prod(shape)
    os.makedirs(os.path.dirname(sys.argv[3]) or ".", exist_ok=True)
    last = min(last, rows)
    if sys.argv[3].endswith(".npz"):
        scaled = [struct.pack("<f", value / 255) for value in range(256)]
        with zipfile.ZipFile(sys.argv[3], "w") as archive:
            image = b"".join(scaled[value] for value in pixels[first * size : last * size])
            write_npy(archive, "image", "<f4", (last - first, size), image)
            digits = struct.pack(f"<{last - first}q", *labels[first:last])
            write_npy(archive, "digit", "<i8", (last - first,), digits)
        return
    with open(sys.argv[3], "w", encoding="ascii") as out:
        out.write("image,digit\n")
        for row in range(first, last):
            image = pixels[row * size : (row + 1) * size]
            out.write("|".join(map(str, image)) + f",{labels[row]}\n")


if __name__ == "__main__":
    main()
