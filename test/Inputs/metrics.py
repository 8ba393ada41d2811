#!/usr/bin/env python3
"""metrics.py CONDITION...: reads one JSON object from stdin and checks conditions such as 'accuracy>=0.852'.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import re
import sys

metrics = json.loads(sys.stdin.readline())
failed = False
for condition in sys.argv[1:]:
    name, op, bound = re.fullmatch(r"(.+?)(>=|<=|==)(.+)", condition).groups()
    value = metrics[name]
    ok = {">=": value >= float(bound), "<=": value <= float(bound), "==": value == float(bound)}[op]
    print(f"{name} = {value} {op} {bound}: {'ok' if ok else 'FAILED'}")
    failed |= not ok
sys.exit(1 if failed else 0)
