# matrices.py FILE TENSOR identity|orthogonal GAIN: fails unless a matrix of a safetensors file is GAIN times the identity (rows and
# columns may differ in number), or its columns or rows, whichever are fewer, are orthogonal and of length GAIN; a random one has
# elements of either sign in each of them.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import math
import sys

import weights

path, name, kind, gain = sys.argv[1:4] + [float(sys.argv[4])]
(rows, columns), values = weights.read(path, name)
matrix = [values[r * columns : (r + 1) * columns] for r in range(rows)]
if kind == "identity":
    wrong = [(r, c) for r in range(rows) for c in range(columns) if matrix[r][c] != (gain if r == c else 0)]
    sys.exit(f"{name}: {wrong}" if wrong else 0)
vectors = matrix if rows <= columns else list(zip(*matrix))
for i, x in enumerate(vectors):
    if min(x) > 0 or max(x) < 0:
        sys.exit(f"{name}: vector {i} has one sign")
    for j, y in enumerate(vectors):
        found = math.fsum(a * b for a, b in zip(x, y))
        if abs(found - (gain * gain if i == j else 0)) > 2e-6 * gain * gain:
            sys.exit(f"{name}: product of {i} and {j} is {found}")
