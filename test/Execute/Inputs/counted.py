#!/usr/bin/env python3
# What counted.mlir counts.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: counted.py make FILE.npy | check FILE.safetensors STEPS EPOCHS

make: the identity. check: STEPS updates used every example EPOCHS times; with a fraction, a part of them once more.
"""
import math
import struct
import sys

import weights


def main():
    if sys.argv[1] == "make":
        header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (256, 256)}\n"
        with open(sys.argv[2], "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
            for row in range(256):
                file.write(struct.pack("<256f", *(float(row == column) for column in range(256))))
        return 0
    path, steps, epochs = sys.argv[2], int(sys.argv[3]), float(sys.argv[4])
    uses = [-value for value in weights.read(path, "w")[1]]
    (step,) = weights.read(path, "global_step", "I64")[1]
    assert step == steps, step
    assert sum(uses) == 16 * steps, sum(uses)
    assert set(uses) <= {math.floor(epochs), math.ceil(epochs)}, uses
    return 0


if __name__ == "__main__":
    sys.exit(main())
