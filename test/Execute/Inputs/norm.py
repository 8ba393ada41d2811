# norm.py FILE PREFIX LOW HIGH: fails unless the norm of all numbers of the tensors of a safetensors file whose names begin
# with PREFIX lies in [LOW, HIGH].
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import array
import json
import math
import struct
import sys

path, prefix, low, high = sys.argv[1:]
with open(path, "rb") as file:
    (size,) = struct.unpack("<Q", file.read(8))
    header = json.loads(file.read(size))
    data = file.read()
names = [name for name in header if name.startswith(prefix)]
if not names:
    sys.exit(f"{path} has no tensor {prefix}*")
total = 0.0
for name in names:
    begin, end = header[name]["data_offsets"]
    if header[name]["dtype"] != "F32":
        sys.exit(f"{name} is {header[name]['dtype']}")
    total += sum(x * x for x in array.array("f", data[begin:end]))
norm = math.sqrt(total)
print("norm of", len(names), "tensors:", norm)
if not float(low) <= norm <= float(high):
    sys.exit(f"norm {norm} is not in [{low}, {high}]")
