"""Compares numbers, one on each line, with the last row of a CSV file, as float32.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import struct
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    lines = file.read().split()
with open(sys.argv[2], encoding="utf-8") as file:
    cells = file.read().splitlines()[-1].split(",")
found, expected = ([struct.pack("f", float(text)) for text in texts] for texts in (lines, cells))
if found != expected:
    sys.exit(f"found {lines}, expected {cells}")
print(f"{len(found)} values are equal")
