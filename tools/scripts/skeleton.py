# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What new_op.py and new_pass.py share: insertions into files of the tree, in the format that check.sh asks for."""
import re
import shutil
import subprocess
import sys
import textwrap
from pathlib import Path

COLUMNS = 120


class Tree:
    """Changes of files under `root`; finish() formats those of C++."""

    def __init__(self, root: Path):
        self.root = root
        self.changed = set()

    def read(self, path: str) -> str:
        return (self.root / path).read_text()

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)
        self.changed.add(path)

    def create(self, path: str, text: str) -> None:
        if (self.root / path).exists():
            sys.exit(f"{path} exists")
        self.write(path, text)

    def insert(self, path: str, anchor: str, text: str, after: bool = True, end: str = "") -> None:
        """Puts `text` after (or before) the last line that matches `anchor`, or after the first line from there on that
        ends in `end`; fails if none does."""
        lines = self.read(path).splitlines(keepends=True)
        places = [i for i, line in enumerate(lines) if re.search(anchor, line)]
        if not places:
            sys.exit(f"{path}: nothing matches '{anchor}'")
        at = places[-1]
        while end and not lines[at].rstrip().endswith(end):
            at += 1
        at += after
        lines[at:at] = [text]
        self.write(path, "".join(lines))

    def substitute(self, path: str, pattern: str, replacement: str, optional: bool = False) -> None:
        text, count = re.subn(pattern, replacement, self.read(path), count=1)
        if count:
            self.write(path, text)
        elif not optional:
            sys.exit(f"{path}: nothing matches '{pattern}'")

    def finish(self) -> None:
        sources = [str(self.root / path) for path in sorted(self.changed) if path.endswith((".cpp", ".h"))]
        if not shutil.which("clang-format-22"):
            sys.exit("clang-format-22 is not installed (tools/scripts/setup.sh): run tools/scripts/check.sh --fix")
        subprocess.run(["clang-format-22", "-i", *sources], check=True)


def camel(name: str) -> str:
    return "".join(word.capitalize() for word in re.split(r"[_-]", name))


def wrapped(text: str, indent: int) -> str:
    """Lines of a description."""
    return textwrap.fill(text, COLUMNS, initial_indent=" " * indent, subsequent_indent=" " * indent,
                         break_long_words=False)


def quoted(text: str, indent: int) -> str:
    """String literals of TableGen, which stand beside each other where one would be too long."""
    parts = textwrap.wrap(text, COLUMNS - indent - 6, break_long_words=False, drop_whitespace=False)
    return ("\n" + " " * indent).join(f'"{part}"' for part in parts)
