"""upstream_passes.py CHANGED INTERPRETED FILE...: runs passes of MLIR that know nothing of df over the df programs of
the files, each pass alone and all of them one after the other: what a pass makes of a program that verifies verifies,
and the interpreter computes of it what it computes of the program as written. Fails, too, if fewer than CHANGED
programs were changed or fewer than INTERPRETED of these had values.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""
import sys

from df_programs import programs_of, run, run_each, values

PASSES = ["--sccp", "--loop-invariant-code-motion", "--cse", "--canonicalize", "--inline", "--symbol-dce",
          "--control-flow-sink"]

programs = programs_of(sys.argv[3:])
parsed = run_each([], [text for _, text in programs])
programs = [(path, text) for (path, _), text in zip(programs, parsed) if text]
texts = [text for _, text in programs]
changed, interpreted, failures, before = set(), set(), [], {}
for passes in [[each] for each in PASSES] + [PASSES + PASSES]:
    for i, ((path, text), after) in enumerate(zip(programs, run_each(passes, texts))):
        if not after:
            failures.append(f"{path}: {' '.join(passes)} breaks it: {run(passes, text).stderr}\n{text}")
            continue
        if after == text:
            continue
        changed.add(i)
        if i not in before:
            before[i], _ = values(text)
        if before[i]:
            interpreted.add(i)
            found, why = values(after)
            if found != before[i]:
                failures.append(f"{path}: {' '.join(passes)}: other values: {before[i]}\n{found}\n{why}\n{after}")
if len(changed) < int(sys.argv[1]) or len(interpreted) < int(sys.argv[2]):
    failures.append(f"only {len(changed)} programs changed, {len(interpreted)} of them interpreted")
if failures:
    sys.exit("\n".join(failures))
print(f"{len(programs)} programs, {len(changed)} changed, {len(interpreted)} of them of the same values")
