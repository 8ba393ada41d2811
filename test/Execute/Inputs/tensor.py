# tensor.py FILE TENSOR NUMBER...: fails unless a tensor of f32 of a safetensors file has these numbers, to 1e-6 of each; INDEX=NUMBER
# gives one element, all that are not given are 0.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import array
import json
import struct
import sys

path, name, *wanted = sys.argv[1:]
with open(path, "rb") as file:
    (size,) = struct.unpack("<Q", file.read(8))
    tensor = json.loads(file.read(size))[name]
    begin, end = tensor["data_offsets"]
    file.seek(8 + size + begin)
    found = array.array("f", file.read(end - begin))
assert tensor["dtype"] == "F32", tensor
expected = dict(enumerate(wanted)) if wanted and "=" not in wanted[0] else dict(item.split("=") for item in wanted)
expected = {int(index): float(number) for index, number in expected.items()}
for index, x in enumerate(found):
    y = expected.pop(index, 0.0)
    if not abs(x - y) <= 1e-6 * max(1, abs(y)):
        sys.exit(f"{name}[{index}] is {x}, expected {y}")
if expected:
    sys.exit(f"{name} has {len(found)} numbers")
