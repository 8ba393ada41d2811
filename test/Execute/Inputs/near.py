# near.py A B BOUND: fails unless the files of safetensors A and B have the same tensors, those of f32 to BOUND of each number or of 1.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import weights

left, right, bound = sys.argv[1], sys.argv[2], float(sys.argv[3])
tensors, others = weights.header(left)[0], weights.header(right)[0]
if tensors.keys() != others.keys():
    sys.exit(f"{left} has {sorted(tensors)}, {right} has {sorted(others)}")
compared = 0
for name, tensor in tensors.items():
    if tensor["dtype"] != "F32":
        continue
    for index, (x, y) in enumerate(zip(weights.read(left, name)[1], weights.read(right, name)[1])):
        if not abs(x - y) <= bound * max(1, abs(y)):
            sys.exit(f"{name}[{index}] is {x}, and {y} there")
        compared += 1
if not compared:
    sys.exit(f"{left} has no tensor of f32")
