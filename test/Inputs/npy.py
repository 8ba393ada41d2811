"""Files of arrays without numpy.

    npy.py write FILE TYPE SHAPE VALUE...      a .npy file
    npy.py show FILE                           what a .npy file holds
    npy.py column ROWS.csv COLUMN FILE TYPE    a column of a CSV file with a header as .npy; cells 'a|b' give rows of two
    npy.py npz FILE NAME=FILE.npy...           an archive of them; FILE.npz:deflate compresses
    npy.py safetensors FILE NAME=FILE.npy...   the same as safetensors

TYPE is numpy's: '<f4', '<i8', '|S5', '<U5', ... SHAPE is '2x3', or '-' for a scalar.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import ast
import csv
import json
import struct
import sys
import zipfile

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


def parts(path):
    """Header and elements."""
    with open(path, "rb") as file:
        data = file.read()
    length = struct.unpack_from("<H", data, 8)[0]
    return ast.literal_eval(data[10:10 + length].decode()), data[10 + length:]


def show(path):
    header, body = parts(path)
    length = len(open(path, "rb").read()) - len(body) - 10
    kind = header["descr"]
    if kind[1] == "S":
        width = int(kind[2:])
        values = [body[i:i + width].rstrip(b"\0").decode() for i in range(0, len(body), width)]
    else:
        values = list(struct.unpack(f"<{len(body) // int(kind[2:])}{CODES[kind[1:]]}", body))
    print(f"{kind} {header['shape']} aligned {(10 + length) % 64 == 0} {values}")


def column(rows, name, path, kind):
    with open(rows, encoding="utf-8", newline="") as file:
        cells = [row[name].split("|") for row in csv.DictReader(file)]
    width = f"x{len(cells[0])}" if len(cells[0]) > 1 else ""
    write(path, kind, f"{len(cells)}{width}", *(value for cell in cells for value in cell))


def npz(path, *members):
    path, _, how = path.partition(":")
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED if how else zipfile.ZIP_STORED) as archive:
        for member in members:
            name, source = member.split("=")
            archive.write(source, name + ".npy")


def safetensors(path, *members):
    types = {"<f4": "F32", "<f8": "F64", "<i4": "I32", "<i8": "I64", "|b1": "BOOL", "|u1": "U8"}
    header, data = {}, b""
    for member in members:
        name, source = member.split("=")
        info, body = parts(source)
        header[name] = {"dtype": types[info["descr"]], "shape": list(info["shape"]),
                        "data_offsets": [len(data), len(data) + len(body)]}
        data += body
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    with open(path, "wb") as file:
        file.write(struct.pack("<Q", len(text)) + text + data)


if __name__ == "__main__":
    {"write": write, "show": show, "column": column, "npz": npz, "safetensors": safetensors}[sys.argv[1]](*sys.argv[2:])
