# tensor.py FILE TENSOR NUMBER...: fails unless a tensor of f32 of a safetensors file has these numbers, to 1e-6 of each; INDEX=NUMBER
# gives one element, all that are not given are 0.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import weights

path, name, *wanted = sys.argv[1:]
_, found = weights.read(path, name)
expected = dict(enumerate(wanted)) if wanted and "=" not in wanted[0] else dict(item.split("=") for item in wanted)
expected = {int(index): float(number) for index, number in expected.items()}
for index, x in enumerate(found):
    y = expected.pop(index, 0.0)
    if not abs(x - y) <= 1e-6 * max(1, abs(y)):
        sys.exit(f"{name}[{index}] is {x}, expected {y}")
if expected:
    sys.exit(f"{name} has {len(found)} numbers")
