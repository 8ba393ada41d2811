# norm.py FILE PREFIX LOW HIGH: fails unless the norm of all numbers of the tensors of a safetensors file whose names begin
# with PREFIX lies in [LOW, HIGH].
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math
import sys

import weights

path, prefix, low, high = sys.argv[1:]
names = [name for name in weights.header(path)[0] if name.startswith(prefix)]
if not names:
    sys.exit(f"{path} has no tensor {prefix}*")
norm = math.sqrt(sum(x * x for name in names for x in weights.read(path, name)[1]))
print("norm of", len(names), "tensors:", norm)
if not float(low) <= norm <= float(high):
    sys.exit(f"norm {norm} is not in [{low}, {high}]")
