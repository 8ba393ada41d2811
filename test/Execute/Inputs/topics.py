#!/usr/bin/env python3
"""topics.py DIRECTORY: train.csv, test.csv and others of sequences whose steps have any number of moves, up and down; the
label of a step says whether they have ended above where they began, so far. Rows of lengths.csv, label.csv, weight.csv and
below.csv are wrong in one column: the second of each.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import random
import sys

random.seed(11)


def rows(count):
    for _ in range(count):
        steps = [[random.choice(["up", "down"]) for _ in range(random.randint(0, 3))] for _ in range(random.randint(0, 7))]
        at, labels = 0, []
        for step in steps:
            at += step.count("up") - step.count("down")
            labels.append(int(at > 0))
        yield {
            "move": [move for step in steps for move in step], "lengths": [len(step) for step in steps],
            "w": [round(random.uniform(0.5, 2), 2) for _ in steps], "label": labels,
        }  # fmt: skip


def write(name, of):
    with open(f"{sys.argv[1]}/{name}.csv", "w") as file:
        print("move,lengths,w,label", file=file)
        for row in of:
            print(*("|".join(map(str, values)) for values in row.values()), sep=",", file=file)


def wrong(name, change):
    found = [row for row in rows(40) if len(row["label"]) > 2][:3]
    change(found[1])
    write(name, found)


write("train", rows(1500))
write("test", rows(300))
wrong("lengths", lambda row: row["lengths"].append(1))
wrong("below", lambda row: row.update(lengths=[-2, *row["lengths"]]))
wrong("label", lambda row: row["label"].pop())
wrong("weight", lambda row: row["w"].append(1))
