"""Pairs of words, and a sequence for each: the data of sampled.mlir and loop.mlir. usage: words.py DIRECTORY

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import random
import struct
import sys


def write(name, kind, shape, values):
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': {shape}}}\n".encode()
    with open(f"{sys.argv[1]}/{name}.npy", "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
        file.write(struct.pack(f"<{len(values)}{'q' if kind == '<i8' else 'f'}", *values))


generator = random.Random(5)
ROWS = 600
words = [min(int(generator.paretovariate(0.7)), 1000) - 1 for _ in range(ROWS)]
write("word", "<i8", (ROWS,), words)
write("next", "<i8", (ROWS,), [(word * 7 + 3) % 1000 for word in words])
# -1 pads.
write("sequence", "<i8", (ROWS, 5), [generator.choice([-1, (word * 3 + k) % 1000]) for word in words for k in range(5)])
write("y", "<f4", (ROWS,), [generator.uniform(-1, 1) for _ in range(ROWS)])
