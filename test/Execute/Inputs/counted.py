#!/usr/bin/env python3
# What counted.mlir counts.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: counted.py make FILE.npy | check FILE.safetensors STEPS EPOCHS

make: the identity. check: STEPS updates used every example EPOCHS times; with a fraction, a part of them once more.
"""
import json
import math
import struct
import sys


def main():
    if sys.argv[1] == "make":
        header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (256, 256)}\n"
        with open(sys.argv[2], "wb") as file:
            file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header)
            for row in range(256):
                file.write(struct.pack("<256f", *(float(row == column) for column in range(256))))
        return 0
    with open(sys.argv[2], "rb") as file:
        header = json.loads(file.read(struct.unpack("<q", file.read(8))[0]))
        data = file.read()

    def variable(name, dtype):
        begin, end = header[name]["data_offsets"]
        return [value for value, in struct.iter_unpack(dtype, data[begin:end])]

    uses, steps, epochs = [-value for value in variable("w", "<f")], int(sys.argv[3]), float(sys.argv[4])
    assert variable("global_step", "<q") == [steps], variable("global_step", "<q")
    assert sum(uses) == 16 * steps, sum(uses)
    assert set(uses) <= {math.floor(epochs), math.ceil(epochs)}, uses
    return 0


if __name__ == "__main__":
    sys.exit(main())
