#!/usr/bin/env python3
"""Cuts a text into windows of characters for char_rnn.mlir: an array text of [windows, length + 1], i64, the characters by their place
among all that occur in the text, sorted. Each window begins with the last character of the one before it.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    windows.py TEXT OUT.npz [BEGIN END [LENGTH]]     of the part from BEGIN to END of the text, shares of 1; default: 0 1 64
"""
import array
import os
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from npz import write_npy


def main():
    if len(sys.argv) not in (3, 5, 6):
        sys.exit(__doc__)
    with open(sys.argv[1], encoding="utf-8") as file:
        text = file.read()
    begin, end = (float(share) for share in sys.argv[3:5]) if len(sys.argv) > 3 else (0.0, 1.0)
    length = int(sys.argv[5]) if len(sys.argv) > 5 else 64
    number = {character: i for i, character in enumerate(sorted(set(text)))}
    part = [number[character] for character in text[int(len(text) * begin) : int(len(text) * end)]]
    windows = (len(part) - 1) // length
    if windows < 1:
        sys.exit(f"{sys.argv[1]}: {len(part)} characters; expected more than {length}")
    rows = array.array("q")
    for i in range(windows):
        rows.extend(part[i * length : (i + 1) * length + 1])
    if sys.byteorder == "big":
        rows.byteswap()
    with zipfile.ZipFile(sys.argv[2], "w") as archive:
        write_npy(archive, "text", "<i8", (windows, length + 1), rows.tobytes())
    print(f"{windows} windows of {length} characters, {len(number)} different ones")


if __name__ == "__main__":
    main()
