# regularization.py A B: fails unless two logs of training, as JSON, have steps with equal losses and regularization losses, to
# 1e-4, and evaluations whose loss is about the average_loss and the regularization_loss, which are above 0.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import sys


def read(path):
    with open(path) as file:
        events = [json.loads(line) for line in file if line.startswith("{")]
    return [e for e in events if e["event"] == "step"], [e["metrics"] for e in events if e["event"] == "eval"]


def near(a, b, tolerance):
    return abs(a - b) <= tolerance * max(abs(a), abs(b))


(steps, metrics), (others, _) = read(sys.argv[1]), read(sys.argv[2])
if not steps or len(steps) != len(others) or not metrics:
    sys.exit("the logs have no steps, no evaluations or not as many")
for a, b in zip(steps, others):
    for key in ("loss", "regularization_loss"):
        if not near(a[key], b[key], 1e-4):
            sys.exit(f"step {a['step']}: {key} is {a[key]} and {b[key]}")
    if not 0 < a["regularization_loss"] < a["loss"]:
        sys.exit(f"step {a['step']}: regularization_loss {a['regularization_loss']} of a loss of {a['loss']}")
for m in metrics:
    # average_loss weighs rows, loss batches, of which the last is short.
    if m["regularization_loss"] <= 0 or not near(m["loss"], m["average_loss"] + m["regularization_loss"], 1e-3):
        sys.exit(f"evaluation: {m}")
