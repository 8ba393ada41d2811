"""Docstrings, which are Markdown, as reStructuredText for autodoc: to_rst(lines)."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import re

# The sections that napoleon takes apart; what is below one is indented without being code.
SECTIONS = re.compile(r"(Args|Attributes|Raises|Returns|Yields):$")
ITEM = re.compile(r"([-*]|\d+\.) ")


def _inline(text: str) -> str:
    """Code of one backtick has two in reStructuredText; what is markup there and none in Markdown is escaped."""
    parts = re.split(r"(`[^`]+`)", text)
    for i, part in enumerate(parts):
        if part.startswith("`"):
            parts[i] = f"``{part[1:-1]}``"
            # Code ends at a blank or a mark: a letter after it needs an empty escape.
            if i + 1 < len(parts) and re.match(r"\w", parts[i + 1]):
                parts[i] += "\\ "
        else:
            parts[i] = re.sub(r"([\\*|])|_(?!\w)", lambda m: "\\" + m[0], part)
    return "".join(parts)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def to_rst(lines: list[str]) -> list[str]:
    """Fenced and indented blocks become literal ones, all else is text. Sections are left for napoleon."""
    # Names of arguments that go on in the next line are one item.
    lines = re.sub(r"(?m)^( +[\w*, ]+,)\n +(?=[\w*, ]+:)", r"\1 ", "\n".join(lines)).split("\n")
    out: list[str] = []
    in_section = False
    i = 0
    while i < len(lines):
        line = lines[i]
        fence = re.match(r"( *)```(\w*)", line)
        if fence:
            end = next((j for j in range(i + 1, len(lines)) if lines[j].strip() == "```"), len(lines))
            out += ["", f"{fence[1]}.. code-block:: {fence[2] or 'text'}", "", *("   " + code for code in lines[i + 1 : end]), ""]
            i = end + 1
            continue
        if line.strip() and _indent(line) == 0:
            in_section = bool(SECTIONS.match(line))
        if line.endswith(":") and _indent(line) == 0 and not SECTIONS.match(line) and i + 1 < len(lines) and _indent(lines[i + 1]) == 2:
            # Arguments that several functions have: a list of names.
            out += [_inline(line), ""]
            i += 1
            while i < len(lines) and _indent(lines[i]) >= 2:
                name = re.match(r"  ([\w*, ]+): (.*)", lines[i])
                out.append(f"* **{_inline(name[1])}** -- {_inline(name[2])}" if name else "  " + _inline(lines[i].strip()))
                i += 1
            out.append("")
            continue
        follows_blank = i > 0 and not lines[i - 1].strip()
        item_before = any(ITEM.match(before.lstrip()) for before in lines[max(0, i - 3) : i])
        if line.strip() and _indent(line) >= 2 and follows_blank and not in_section and not item_before:
            end = i
            while end < len(lines) and (not lines[end].strip() or _indent(lines[end]) >= 2):
                end += 1
            out += [".. code-block:: python", "", *("   " + code for code in lines[i:end]), ""]
            i = end
            continue
        # A line of an item that goes on is indented: without that "- x" is a minus.
        if line.startswith("- ") and i + 1 < len(lines) and re.match(r"[^\s-]", lines[i + 1]):
            out.append("\\" + _inline(line))
        else:
            out.append(line if SECTIONS.match(line) else _inline(line))
        i += 1
    return out
