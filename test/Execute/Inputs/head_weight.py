# head_weight.py WEIGHTED PLAIN FACTOR: fails unless the events of one run have FACTOR times the loss of the other's, in steps and in the
# last evaluation, and the same other metrics.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import sys


def events(path, kind):
    with open(path, encoding="utf-8") as file:
        return [event for event in map(json.loads, file) if event["event"] == kind]


weighted, plain, factor = sys.argv[1], sys.argv[2], float(sys.argv[3])
for kind in ("step", "eval"):
    one, other = events(weighted, kind), events(plain, kind)
    assert one and len(one) == len(other), (kind, len(one), len(other))
    for a, b in zip(one, other):
        a, b = a.get("metrics", a), b.get("metrics", b)
        for name in ("loss", "average_loss", "accuracy"):
            if name not in b:
                continue
            expected = b[name] * (factor if name == "loss" else 1)
            if abs(a[name] - expected) > 1e-6 * abs(expected):
                sys.exit(f"{kind}: {name} is {a[name]}, expected {expected}")
