"""Arrays as a .npz file, without numpy: for the scripts of the examples.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import struct


def write_npy(archive, name, kind, dims, data):
    """Adds the array `name` to `archive`, a zipfile.ZipFile that is written: its dtype as numpy's descr ("<f4"), its shape, its bytes."""
    header = f"{{'descr': '{kind}', 'fortran_order': False, 'shape': ({', '.join(map(str, dims))},)}}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    archive.writestr(name + ".npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode() + data)
