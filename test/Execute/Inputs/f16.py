"""Checks what 40 steps of precision f16_mixed left: a scale below the first one, good steps since, and finite numbers.

Usage: f16.py FILE.safetensors
"""
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import math
import struct
import sys

with open(sys.argv[1], "rb") as file:
    (size,) = struct.unpack("<Q", file.read(8))
    header = json.loads(file.read(size))
    data = file.read()
values = {}
for name, what in header.items():
    if name == "__metadata__":
        continue
    begin, end = what["data_offsets"]
    code = {"F32": "f", "I64": "q"}[what["dtype"]]
    values[name] = struct.unpack(f"<{(end - begin) // struct.calcsize(code)}{code}", data[begin:end])
(scale,), (good,), (step,) = values["loss_scale"], values["loss_scale/good_steps"], values["global_step"]
assert step == 40, step
assert 0 < scale < 32768 and math.frexp(scale)[0] == 0.5, scale
assert 0 < good < 40, good
assert all(abs(x) < 1e30 for name, all_values in values.items() for x in all_values), "not finite"
print(f"scale {scale}, {good} good steps")
