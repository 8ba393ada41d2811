# moments.py FILE TENSOR LOW HIGH MEAN DEVIATION: fails unless the numbers of a tensor of a safetensors file lie in [LOW, HIGH] and come
# near both ends, with that mean and deviation, within four standard errors.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math
import sys

import weights

path, name = sys.argv[1:3]
low, high, mean, deviation = map(float, sys.argv[3:])
_, values = weights.read(path, name)
n = len(values)
found = math.fsum(values) / n
spread = math.sqrt(math.fsum((x - found) ** 2 for x in values) / n)
kurtosis = math.fsum((x - found) ** 4 for x in values) / n / spread ** 4 if spread else 0
print(f"{name}: {n} numbers in [{min(values)}, {max(values)}], mean {found}, deviation {spread}")
near = (high - low) * 0.02
problems = []
if not (low <= min(values) <= low + near and high - near <= max(values) <= high):
    problems.append(f"range is not [{low}, {high}]")
if abs(found - mean) > 4 * deviation / math.sqrt(n):
    problems.append(f"mean is not {mean}")
if abs(spread - deviation) > 4 * deviation * math.sqrt(max(kurtosis - 1, 0) / (4 * n)):
    problems.append(f"deviation is not {deviation}")
sys.exit("; ".join(problems) or 0)
