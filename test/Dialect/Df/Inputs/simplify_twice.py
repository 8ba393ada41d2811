"""simplify_twice.py SIMPLIFIED INTERPRETED FILE...: simplifies the df programs of the files once and twice and compares
the texts, and interprets them before and after. Programs that mlc-opt rejects are left out. Fails, too, if fewer than
SIMPLIFIED programs were simplified or fewer than INTERPRETED had values.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""
import re
import subprocess
import sys

SIMPLIFY = ["--df-simplify", "--cse"]
SPLIT = "// -----\n"


def run(arguments, text):
    return subprocess.run(["mlc-opt", "-", *arguments], input=text, capture_output=True, text=True, timeout=120)


def run_each(arguments, texts):
    """What mlc-opt prints of each program, empty for one that it rejects. One process for all: it starts longer than it
    works."""
    outcome = run(["--split-input-file", *arguments], SPLIT.join(texts))
    outputs = outcome.stdout.split(SPLIT)
    if len(outputs) != len(texts):
        sys.exit(f"mlc-opt {' '.join(arguments)} ended with {outcome.returncode} after {len(outputs)} of {len(texts)} "
                 f"programs:\n{outcome.stderr[-4000:]}")
    return [output.strip() for output in outputs]


def values(text):
    """What --df-interpret prints, without the module behind it; it goes to stdout at once, so each has a process."""
    outcome = run(["--df-interpret"], text)
    lines = [line for line in outcome.stdout.splitlines() if re.match(r"@\w+$|  [0-9]+: |  @\w+", line)]
    return lines if outcome.returncode == 0 else [], outcome.stderr


programs = []
for path in sys.argv[3:]:
    with open(path, encoding="utf-8") as file:
        text = file.read()
    if "expected-error" not in text:
        programs += [(path, part) for part in text.split("// -----")]
failures, simplified, interpreted = [], 0, 0
texts = [text for _, text in programs]
parsed = run_each([], texts)
once = run_each(SIMPLIFY, texts)
twice = run_each(SIMPLIFY, once)
for (path, text), module, first, second in zip(programs, parsed, once, twice):
    if not first:
        # The input of a pass that is to fail, or that other tests pipe elsewhere, may be no module.
        if module:
            failures.append(f"{path}: does not simplify: {run(SIMPLIFY, text).stderr}")
        continue
    simplified += 1
    if second != first:
        failures.append(f"{path}: the second time changes something:\n{first}\n{second}")
    before, _ = values(text)
    if before:
        interpreted += 1
        after, why = values(first)
        if after != before:
            failures.append(f"{path}: other values: {before}\n{after}\n{why}")
if simplified < int(sys.argv[1]) or interpreted < int(sys.argv[2]):
    failures.append(f"only {simplified} programs simplified, {interpreted} interpreted")
if failures:
    sys.exit("\n".join(failures))
print(f"{simplified} programs, the same twice, {interpreted} of the same values")
