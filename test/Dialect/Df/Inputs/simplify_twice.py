"""Simplifies the df programs of the given files once and twice and compares the texts, and interprets them before and
after. Files that mlc-opt rejects are left out if they say that they expect it.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""
import re
import subprocess
import sys

SIMPLIFY = ["--df-simplify", "--cse"]


def run(arguments, text):
    return subprocess.run(["mlc-opt", "-", *arguments], input=text, capture_output=True, text=True, timeout=120)


def values(outcome):
    """What --df-interpret printed, without the module behind it."""
    return [line for line in outcome.stdout.splitlines() if re.match(r"@\w+$|  [0-9]+: |  @\w+", line)]


failures, simplified, interpreted = [], 0, 0
for path in sys.argv[1:]:
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if "expected-error" in text:
        continue
    for part in text.split("// -----"):
        once = run(SIMPLIFY, part)
        if once.returncode:
            # The input of a pass that is to fail, or that other tests pipe elsewhere, may be no module.
            if run([], part).returncode == 0:
                failures.append(f"{path}: does not simplify: {once.stderr}")
            continue
        simplified += 1
        twice = run(SIMPLIFY, once.stdout)
        if twice.stdout != once.stdout:
            failures.append(f"{path}: the second time changes something:\n{once.stdout}\n{twice.stdout}{twice.stderr}")
        before = run(["--df-interpret"], part)
        if before.returncode == 0 and values(before):
            interpreted += 1
            after = run(["--df-interpret"], once.stdout)
            if values(after) != values(before):
                failures.append(f"{path}: other values: {values(before)}\n{values(after)}\n{after.stderr}")
if simplified < 40 or interpreted < 20:
    failures.append(f"only {simplified} programs simplified, {interpreted} interpreted")
if failures:
    sys.exit("\n".join(failures))
print(f"{simplified} programs, the same twice, {interpreted} of the same values")
