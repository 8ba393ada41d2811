# rows.py BEFORE AFTER SLOT=FACTOR...: fails unless, from one safetensors file to the other, row 0 of the table's slot SLOT is
# multiplied by FACTOR and not 0; `weights=moved` and `weights=kept` say whether the row itself changes. Row 1 always does.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

import weights

TABLE = "dnn/input_from_feature_columns/input_layer/id_embedding/embedding_weights"


def read(path, name):
    _, values = weights.read(path, name)
    return list(values[0:2]), list(values[2:4])


before, after, *expected = sys.argv[1:]
for what in expected:
    slot, factor = what.split("=")
    name = TABLE if slot == "weights" else f"{TABLE}/{slot}"
    (old, old_other), (new, new_other) = read(before, name), read(after, name)
    print(what, old, "->", new)
    if old_other == new_other or 0 in old:
        sys.exit(f"{name}: the step's own row is as before, or row 0 has zeros")
    if factor in ("moved", "kept"):
        if (old == new) != (factor == "kept"):
            sys.exit(f"{name}: row 0 goes from {old} to {new}")
    elif any(abs(b - float(factor) * a) > 1e-6 * abs(b) for a, b in zip(old, new)):
        sys.exit(f"{name}: row 0 goes from {old} to {new}; a factor of {factor} is right")
