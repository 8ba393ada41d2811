# Tensors of safetensors files, for the other scripts here. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import array
import json
import struct

CODES = {"F32": "f", "I64": "q"}


def header(path):
    """What the file tells of its tensors, by name, and where their bytes begin."""
    with open(path, "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        found = json.loads(file.read(size))
    found.pop("__metadata__", None)
    return found, 8 + size


def read(path, name, dtype="F32"):
    """Shape and numbers, row by row, of a tensor of this type."""
    tensors, start = header(path)
    if tensors[name]["dtype"] != dtype:
        raise TypeError(f"{name} of {path} is {tensors[name]['dtype']}, expected {dtype}")
    begin, end = tensors[name]["data_offsets"]
    with open(path, "rb") as file:
        file.seek(start + begin)
        return tensors[name]["shape"], array.array(CODES[dtype], file.read(end - begin))
