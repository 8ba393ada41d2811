#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: same_events.py FILE FILE...

Compares what runs with --json told of steps and their end, and which checkpoints they made: the same, in the same order, but for times. That a checkpoint is durable is told when
it is, so between any steps.
"""
import json
import sys


def read(path):
    kept = ("event", "step", "loss", "reason", "exit", "examples")
    with open(path, encoding="utf-8") as lines:
        events = [json.loads(line) for line in lines]
    events = [{key: event[key] for key in kept if key in event} for event in events if "step" in event]
    return sorted(events, key=lambda event: event["event"] == "checkpoint")


def main():
    first, *others = (read(path) for path in sys.argv[1:])
    for other in others:
        if not first or first != other:
            sys.exit(f"{first}\nand\n{other}")


if __name__ == "__main__":
    main()
