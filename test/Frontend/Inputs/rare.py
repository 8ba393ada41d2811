#!/usr/bin/env python3
"""rare.py FILE: 200 rows with a ticket each, of which most come once, and a few in every other case.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import sys

with open(sys.argv[1], "w") as table:
    print("ticket,once,x,y", file=table)
    for i in range(200):
        ticket = f"A{i * 7919 % 9973}" if i < 140 else f"B{i // 2}"
        once = f"C{i}" if i % 2 else ""
        print(f"{ticket},{once},{i * 37 % 101},{'yes' if i * 37 % 101 > 40 else 'no'}", file=table)
