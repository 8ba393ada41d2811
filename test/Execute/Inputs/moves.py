#!/usr/bin/env python3
"""moves.py DIRECTORY: train.csv, test.csv and bad.csv of moves up and down by some amount; the label says whether they
end above where they began. A row of bad.csv has one amount too many.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import random
import sys

random.seed(7)


def rows(count):
    for _ in range(count):
        moves = [random.choice(["up", "down", "flat"]) for _ in range(random.randint(0, 9))]
        sizes = [round(random.uniform(0.1, 3), 2) for _ in moves]
        end = sum({"up": size, "down": -size, "flat": 0}[move] for move, size in zip(moves, sizes, strict=True))
        yield moves, sizes, random.randint(20, 60), int(end > 0)


def write(name, of):
    with open(f"{sys.argv[1]}/{name}", "w") as file:
        print("move,size,age,label", file=file)
        for moves, sizes, age, label in of:
            print("|".join(moves), "|".join(map(str, sizes)), age, label, sep=",", file=file)


write("train.csv", rows(1500))
write("test.csv", rows(500))
bad = list(rows(3))
bad[1][1].append(1.5)
write("bad.csv", bad)
