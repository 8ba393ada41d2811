"""Rows for similar.mlir: rows.py FILE.npz COUNT SEED. `similarity` is the cosine of `left`, times SCALE and clipped, with `right`.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import math
import os
import random
import struct
import sys
import zipfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import npz

SCALE = (1.0, 3.0, 0.5, 2.0)


def main(path, count, seed):
    numbers = random.Random(seed)
    left, right, similarity = [], [], []
    for _ in range(count):
        x, y = ([numbers.gauss(0, 1) for _ in SCALE] for _ in range(2))
        scaled = [a * b / math.sqrt(1 + (a * b) ** 2) for a, b in zip(x, SCALE)]
        left += x
        right += y
        similarity.append(sum(a * b for a, b in zip(scaled, y)) / (math.hypot(*scaled) * math.hypot(*y)))
    with zipfile.ZipFile(path, "w") as archive:
        for name, dims, values in (("left", [count, 4], left), ("right", [count, 4], right), ("similarity", [count], similarity)):
            npz.write_npy(archive, name, "<f4", dims, struct.pack(f"<{len(values)}f", *values))


main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
