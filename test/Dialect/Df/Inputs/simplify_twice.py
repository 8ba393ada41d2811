"""simplify_twice.py SIMPLIFIED INTERPRETED FILE...: simplifies the df programs of the files once and twice and compares
the texts, and interprets them before and after. Programs that mlc-opt rejects are left out. Fails, too, if fewer than
SIMPLIFIED programs were simplified or fewer than INTERPRETED had values.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""
import sys

from df_programs import programs_of, run, run_each, values

SIMPLIFY = ["--df-simplify", "--cse"]

programs = programs_of(sys.argv[3:])
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
