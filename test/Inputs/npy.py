"""Arrays of .npy files without numpy: `npy.py write FILE TYPE SHAPE VALUE...` and `npy.py show FILE`.

TYPE is numpy's: '<f4', '<i8', '|S5', '<U5', ... SHAPE is '2x3', or '-' for a scalar.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import ast
import struct
import sys

CODES = {"f2": "e", "f4": "f", "f8": "d", "i1": "b", "i2": "h", "i4": "i", "i8": "q", "u1": "B", "u2": "H", "u4": "I",
         "u8": "Q", "b1": "?"}


def encode(kind, text):
    if kind[1] == "S":
        return text.encode().ljust(int(kind[2:]), b"\0")
    if kind[1] == "U":
        return text.ljust(int(kind[2:]), "\0").encode("utf-32-le")
    number = float(text) if kind[1] == "f" else int(text)
    return struct.pack(kind[0].replace("|", "<") + CODES[kind[1:]], number)


def write(path, kind, shape, *values):
    dims = () if shape == "-" else tuple(int(dim) for dim in shape.split("x"))
    header = repr({"descr": kind, "fortran_order": False, "shape": dims}) + "\n"
    with open(path, "wb") as file:
        file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode())
        file.write(b"".join(encode(kind, value) for value in values))


def show(path):
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack_from("<H", data, 8)[0]
    header = ast.literal_eval(data[10:10 + length].decode())
    kind, body = header["descr"], data[10 + length:]
    if kind[1] == "S":
        width = int(kind[2:])
        values = [body[i:i + width].rstrip(b"\0").decode() for i in range(0, len(body), width)]
    else:
        values = list(struct.unpack(f"<{len(body) // int(kind[2:])}{CODES[kind[1:]]}", body))
    print(f"{kind} {header['shape']} aligned {(10 + length) % 64 == 0} {values}")


if __name__ == "__main__":
    {"write": write, "show": show}[sys.argv[1]](*sys.argv[2:])
