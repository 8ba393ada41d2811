"""Writes protobuf text format: messages as trees of fields, with strings escaped."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

from mlc.errors import SpecError

_WIDTH = 100
"""A message that fits into so many columns stands in one line."""
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}


class Symbol(str):
    """The name of an enum's value, which is written without quotes."""


Scalar = str | bytes | bool | int | float


def quote(text: str | bytes) -> str:
    """`text` as a string of the format. Bytes that are no UTF-8, and control characters, are written in octal.

    Raises SpecError for a str that has no UTF-8 form (a lone surrogate).
    """
    if isinstance(text, bytes):
        # What is no UTF-8 becomes surrogates, which are written as the bytes that they stand for.
        text = text.decode("utf-8", "surrogateescape")
    else:
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise SpecError(f"{text!r} is no text: {error.reason}") from None
    return '"' + "".join(map(_escape, text)) + '"'


def _escape(character: str) -> str:
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:
        return f"\\{code - 0xDC00:03o}"
    if code < 0x20 or code == 0x7F:
        return _ESCAPES.get(character, f"\\{code:03o}")
    return _ESCAPES.get(character, character)


def _scalar(value: Scalar) -> str:
    if isinstance(value, Symbol):
        return str(value)
    if isinstance(value, (str, bytes)):
        return quote(value)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    number = float(value)
    if not math.isfinite(number):
        raise SpecError(f"a number of a model is {number}; expected a finite one")
    # 1.0 is a double as 1 is; specs are written by hand without the point.
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else repr(number)


class Block:
    """A message: fields in the order in which they are added. An absent value (None) adds nothing."""

    def __init__(self, **fields: Scalar | Block | Iterable[Scalar] | None) -> None:
        self._fields: list[tuple[str, Scalar | Block | list[Scalar]]] = []
        for name, value in fields.items():
            self.add(name, value)

    def add(self, name: str, value: Scalar | Block | Iterable[Scalar] | None) -> Block:
        """Adds a field: a scalar, a message, or a list of scalars, which may be empty. Returns the block itself."""
        if isinstance(value, (str, bytes, bool, int, float, Block)):
            self._fields.append((name, value))
        elif value is not None:
            self._fields.append((name, list(value)))
        return self

    def __bool__(self) -> bool:
        return bool(self._fields)

    def text(self) -> str:
        """The message as the content of a file, a field in each line or more."""
        return "".join(f"{line}\n" for line in self._lines(""))

    def _inline(self) -> str:
        """All fields in one line."""
        return "  ".join(_one_line(name, value) for name, value in self._fields)

    def _lines(self, indent: str) -> Iterator[str]:
        for name, value in self._fields:
            line = indent + _one_line(name, value)
            if len(line) <= _WIDTH or not isinstance(value, (Block, list)):
                yield line
            elif isinstance(value, Block):
                yield f"{indent}{name} {{"
                yield from value._lines(indent + "  ")
                yield f"{indent}}}"
            else:
                yield f"{indent}{name}: ["
                yield from _wrapped([_scalar(v) for v in value], indent + "  ")
                yield f"{indent}]"


def _one_line(name: str, value: Scalar | Block | list[Scalar]) -> str:
    if isinstance(value, Block):
        inner = value._inline()
        return f"{name} {{ {inner} }}" if inner else f"{name} {{}}"
    if isinstance(value, list):
        return f"{name}: [" + ", ".join(map(_scalar, value)) + "]"
    return f"{name}: {_scalar(value)}"


def _wrapped(words: list[str], indent: str) -> Iterator[str]:
    """The elements of a list, as many to a line as fit."""
    line = indent
    for number, text in enumerate(words):
        word = text + ("," if number + 1 < len(words) else "")
        if line != indent and len(line) + len(word) + 1 > _WIDTH:
            yield line
            line = indent
        line += (" " if line != indent else "") + word
    yield line
