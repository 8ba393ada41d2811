#!/usr/bin/env python3
# What counted.mlir counts.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: counted.py make FILE.npy | check FILE.safetensors STEPS EPOCHS

make: the identity. check: STEPS updates used every example EPOCHS times; with a fraction, a part of them once more.
"""
import json
import struct
import sys

import numpy


def main():
    if sys.argv[1] == "make":
        numpy.save(sys.argv[2], numpy.eye(256, dtype="<f4"))
        return 0
    with open(sys.argv[2], "rb") as file:
        header = json.loads(file.read(struct.unpack("<q", file.read(8))[0]))
        data = file.read()

    def variable(name, dtype):
        begin, end = header[name]["data_offsets"]
        return numpy.frombuffer(data[begin:end], dtype)

    uses, steps, epochs = -variable("w", "<f4"), int(sys.argv[3]), float(sys.argv[4])
    assert variable("global_step", "<i8") == [steps], variable("global_step", "<i8")
    assert uses.sum() == 16 * steps, uses.sum()
    assert set(uses) <= {numpy.floor(epochs), numpy.ceil(epochs)}, uses
    return 0


if __name__ == "__main__":
    sys.exit(main())
