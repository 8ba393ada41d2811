"""several_heads.py same HEAD ALL ONE: fails unless evaluation (ALL.json) and predictions (ALL.jsonl) of a model of several heads are for
HEAD those of a model of that head alone (ONE.json, ONE.jsonl).
several_heads.py sum HEAD=WEIGHT ALL: fails unless the loss is the sum of those of the heads, of HEAD times WEIGHT.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import math
import sys


def lines(path):
    with open(path, encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def close(a, b):
    if isinstance(a, list):
        return len(a) == len(b) and all(map(close, a, b))
    return a == b if isinstance(a, str) else math.isclose(a, b, rel_tol=2e-6, abs_tol=1e-6)


def same(found, expected, named):
    for whole, one in zip(found, expected, strict=True):
        for key, value in one.items():
            if key != "global_step" and not close(whole[named(key)], value):
                sys.exit(f"{named(key)} is {whole[named(key)]}, expected {value}")


if sys.argv[1] == "same":
    head, every, one = sys.argv[2:]
    same(lines(every + ".json"), lines(one + ".json"), lambda key: f"{key}/{head}")
    same(lines(every + ".jsonl"), lines(one + ".jsonl"), lambda key: f"{head}/{key}")
else:
    head, weight = sys.argv[2].split("=")
    (metrics,) = lines(sys.argv[3] + ".json")
    losses = {key: value for key, value in metrics.items() if key.startswith("loss/")}
    total = sum(value * (float(weight) if key == f"loss/{head}" else 1) for key, value in losses.items())
    if len(losses) != 6 or not close(metrics["loss"], total):
        sys.exit(f"the loss is {metrics['loss']}, expected {total} of {losses}")
