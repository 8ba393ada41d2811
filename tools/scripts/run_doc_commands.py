#!/usr/bin/env python3
"""Runs the commands of a page of documentation: `run_doc_commands.py PAGE DIRECTORY`.

A fenced block after the line `<!-- tested -->` is run by bash in DIRECTORY, where `examples` is that of the repository; a command that
fails ends the run. A block after `<!-- output -->` is what the tested block before it prints (both streams): its lines in their
order, `...` stands for anything in a line.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import re
import subprocess
import sys


def blocks(lines):
    """(kind, language, line number, text) of the marked blocks."""
    kind = None
    number = 0
    while number < len(lines):
        line = lines[number].strip()
        if re.fullmatch(r"<!-- (tested|output) -->", line):
            kind = line.split()[1]
        elif line.startswith("```"):
            end = next(i for i in range(number + 1, len(lines)) if lines[i].strip() == "```")
            if kind:
                yield kind, line[3:], number + 2, lines[number + 1:end]
            kind, number = None, end
        elif line and kind:
            sys.exit(f"line {number + 1}: expected a block after '<!-- {kind} -->'")
        number += 1


def matches(pattern, line):
    return re.fullmatch(".*".join(re.escape(part) for part in pattern.rstrip().split("...")), line.rstrip())


def check_output(page, number, expected, printed):
    rest = list(printed)
    for offset, pattern in enumerate(expected):
        while rest and not matches(pattern, rest[0]):
            rest.pop(0)
        if not rest:
            sys.exit(f"{page}:{number + offset}: not printed: {pattern}\nprinted:\n" + "\n".join(printed))
        rest.pop(0)


def main():
    page, directory = sys.argv[1:]
    examples = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
    os.makedirs(directory, exist_ok=True)
    link = os.path.join(directory, "examples")
    if not os.path.islink(link):
        os.symlink(os.path.realpath(examples), link)
    with open(page, encoding="utf-8") as file:
        lines = file.read().splitlines()
    ran, printed = 0, None
    for kind, language, number, text in blocks(lines):
        if language == "python":
            sys.exit(f"{page}:{number}: a block of Python; expected one that bash runs, or this page in test/Python/test_docs.py")
        if kind == "output":
            if printed is None:
                sys.exit(f"{page}:{number}: output of no tested block")
            check_output(page, number, text, printed)
            printed = None
            continue
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", "\n".join(text)], cwd=directory, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        printed = done.stdout.splitlines()
        if done.returncode:
            sys.exit(f"{page}:{number}: exit {done.returncode}\n{done.stdout}")
        ran += 1
    if ran == 0:
        sys.exit(f"{page}: no block is marked as tested")
    print(f"{page}: {ran} blocks ran")


if __name__ == "__main__":
    main()
