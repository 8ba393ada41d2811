"""The df programs of test files, what mlc-opt makes of them and what the interpreter computes.
SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception"""
import re
import subprocess
import sys

SPLIT = "// -----\n"


def programs_of(paths):
    """Pairs of a file's path and a program in it. Files that expect errors are left out."""
    programs = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            text = file.read()
        if "expected-error" not in text:
            programs += [(path, part) for part in text.split("// -----")]
    return programs


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
    """What --df-interpret prints, without the module after it; it goes to stdout at once, so each has a process."""
    outcome = run(["--df-interpret"], text)
    lines = [line for line in outcome.stdout.splitlines() if re.match(r"@\w+$|  [0-9]+: |  @\w+", line)]
    return lines if outcome.returncode == 0 else [], outcome.stderr
