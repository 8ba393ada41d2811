#!/usr/bin/env python3
"""table.py FILE: a table of 400 rows with a column for each rule of spec init, in tabs and gzip.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import gzip
import sys

names = ["number", "same", "nothing", "extra", "leak", "skewed", "code", "many", "tags", "text", "w", "y"]
with gzip.open(sys.argv[1], "wt") as table:
    print("\t".join(names), file=table)
    for i in range(400):
        yes = i % 3 == 0
        row = ["NA" if i == 7 else f"{i % 37 * 0.5}", "c", "", f"{i}", f"{'up' if yes else 'down'}{i % 2}",
               "1000000" if i == 11 else f"{i % 5}", f"{i % 5}", f"name {i % 150}", "|".join(f"t{i % k}" for k in (2, 3, 11)), f"case {i} of {i % 5} says {i % 7} or {i % 9}", f"{1 + i % 2}",
               ("yes" if yes else "no") + ("." if i >= 300 else "")]
        print("\t".join(row), file=table)
