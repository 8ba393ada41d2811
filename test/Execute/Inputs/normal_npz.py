# normal_npz.py FILE NAME N...: writes an .npz whose array NAME is of f32 and shape N..., normal numbers that are the same each time.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math
import random
import struct
import sys
import zipfile

path, name, shape = sys.argv[1], sys.argv[2], tuple(int(n) for n in sys.argv[3:])
random.seed(1)
header = repr({"descr": "<f4", "fortran_order": False, "shape": shape})
header += " " * (-(len(header) + 11) % 64) + "\n"
count = math.prod(shape)
with zipfile.ZipFile(path, "w") as archive:
    archive.writestr(f"{name}.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() +
                     struct.pack(f"<{count}f", *(random.gauss(0, 1) for _ in range(count))))
