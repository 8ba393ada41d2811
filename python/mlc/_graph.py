"""The module that a model_fn is traced into: functions of df, state, names, and where things come from."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import contextlib
import functools
import linecache
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from mlc import _engine
from mlc.errors import ModelError

if TYPE_CHECKING:
    from mlc.tensor import Tensor
    from mlc.variables import Variable

_OURS = (os.path.dirname(__file__) + os.sep, contextlib.__file__, functools.__file__)
"""Where code is that users do not want to be pointed to."""
_T = TypeVar("_T")
NamedNumbers = list[tuple[str, int]]
"""Names and numbers of values of the builder."""

DTYPES = {
    "f16": "float16", "bf16": "bfloat16", "f32": "float32", "f64": "float64", "i1": "bool", "i8": "int8", "i16": "int16",
    "i32": "int32", "i64": "int64", "ui8": "uint8", "ui16": "uint16", "ui32": "uint32", "ui64": "uint64",
    "!df.string": "string",
}  # fmt: skip
"""Names of dtypes by the element types of df."""
ELEMENTS = {name: element for element, name in DTYPES.items()}


def type_text(dtype: str, shape: Sequence[int | None]) -> str:
    """The type of a tensor as MLIR writes it."""
    return f"tensor<{''.join('?x' if n is None else f'{n}x' for n in shape)}{ELEMENTS[dtype]}>"


def quote(text: str | bytes) -> str:
    """A string of MLIR."""
    content = text.encode() if isinstance(text, str) else text
    plain = all(0x20 <= byte < 0x7F and byte not in b'"\\' for byte in content)
    escaped = content.decode("ascii") if plain else "".join(
        chr(b) if 0x20 <= b < 0x7F and b not in b'"\\' else f"\\{b:02X}" for b in content
    )  # fmt: skip
    return f'"{escaped}"'


def symbol(name: str) -> str:
    """A reference to a symbol of MLIR."""
    return "@" + quote(name)


# Where things come from


@dataclass(frozen=True)
class Place:
    """A line of the user's program."""

    file: str
    line: int
    function: str

    def __str__(self) -> str:
        text = f"{self.file}:{self.line}, in {self.function}"
        source = linecache.getline(self.file, self.line).strip()
        return f"{text}: {source}" if source else text


def user_place() -> Place | None:
    """The innermost line of the stack that is not of this package; None if there is none."""
    frame = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        if not code.co_filename.startswith(_OURS):
            return Place(code.co_filename, frame.f_lineno, code.co_name)
        frame = frame.f_back  # type: ignore[assignment]
    return None


def place_of(function: Any) -> Place | None:
    """Where a function, or the class of what is called, was written; None: not in Python."""
    while isinstance(function, functools.partial):
        function = function.func
    function = getattr(function, "__wrapped__", function)
    code = getattr(function, "__code__", None) or getattr(getattr(type(function), "__call__", None), "__code__", None)
    return None if code is None else Place(code.co_filename, code.co_firstlineno, code.co_name)


def model_error(text: str, kind: type[ModelError] = ModelError, place: Place | None = None) -> ModelError:
    """The error of something wrong at the user's line (or at `place`)."""
    place = place or user_place()
    return kind(f"{text}\n    at {place}" if place else text)


# Functions


@dataclass
class Operation:
    """Something that a training step does. `parts`: the others that it stands for; `what`: its name, for messages."""

    what: str
    parts: tuple[Operation, ...] = ()
    place: Place | None = None

    def all_parts(self) -> Iterator[Operation]:
        """The operation, and all within."""
        yield self
        for part in self.parts:
            yield from part.all_parts()


class Trace:
    """One function of the module while it is traced: what a call of a model_fn for a mode becomes."""

    def __init__(self, graph: Graph, mode: str) -> None:
        self.graph = graph
        self.mode = mode
        self.scopes: list[str] = []
        self.variable_scopes: list[Any] = []
        self._names: dict[str, int] = {}
        self._taken: set[str] = set()
        self.updates: list[Operation] = []
        """What moves variables; a train_op has to hold all of it."""
        self.regularization: list[Tensor] = []
        self.losses: list[Tensor] = []
        self.scalars: dict[str, Tensor] = {}
        self.histograms: dict[str, Tensor] = {}
        """Summaries, by their tags."""
        self.named: dict[str, Tensor] = {}
        """Tensors that ops.identity gave a name."""
        self.read_whole: set[str] = set()
        """Names of variables that are read as a whole; gradients of others that are gathered are rows."""
        self.gathered: set[str] = set()
        self.layers: dict[str, int] = {}
        self.shared_tables: dict[Any, Variable] = {}
        """Tables that feature columns share, by the columns and the name."""
        self.used_variables: dict[str, Variable] = {}
        """Those that this function used, by name."""
        self.made: dict[Any, tuple[Any, Any]] = {}
        """What `once` keeps."""
        self.depth = 0
        """Regions around what is built next."""

    @property
    def scope(self) -> str:
        """The name scope, "" or ending in "/"."""
        return "".join(f"{scope}/" for scope in self.scopes)

    def unique_name(self, base: str) -> str:
        """`base`, or with "_1", "_2" and so on after it the first name that is new in this function."""
        name, count = base, self._names.get(base, 0)
        while name in self._taken:
            count += 1
            name = f"{base}_{count}"
        self._names[base] = count
        self._taken.add(name)
        return name

    def names(self) -> tuple[dict[str, int], set[str]]:
        """The names that are taken, for take_names."""
        return dict(self._names), set(self._taken)

    def take_names(self, names: tuple[dict[str, int], set[str]]) -> None:
        """Goes back to names that were taken before, so that what is traced again has the same."""
        self._names, self._taken = dict(names[0]), set(names[1])


@dataclass
class Graph:
    """A module while it is traced. One thread at a time traces into one."""

    builder: Any = field(default_factory=lambda: _engine.native_module().Builder())
    variables: dict[str, Variable] = field(default_factory=dict)
    vocabularies: dict[Any, str] = field(default_factory=dict)
    """Names of vocabularies by what they are of: columns, labels."""
    vocabulary_uses: dict[tuple[str, int], str] = field(default_factory=dict)
    """Names of vocabularies whose terms rows (axis 0) or columns (axis 1) of variables stand for."""
    initial_values: dict[str, Any] = field(default_factory=dict)
    """First values that are arrays, by the names of variables."""
    backups: dict[str, Any] = field(default_factory=dict)
    """Initializers that variables begin with instead of their own, by name: what a warm start has no values for."""
    trace: Trace | None = None
    seed: int = 0
    """Of first values that Python computes."""

    def close(self) -> None:
        """Gives back the module, which is megabytes: what was traced refers to itself, and stays until the garbage collector
        comes by. Nothing can be built in it, or asked of it, any more."""
        self.builder = None

    def call(self, method: Callable[..., _T], *arguments: Any, hint: Callable[[], str] | None = None) -> _T:
        """Calls a method of the builder for the user's line. Raises ModelError, which shows that line.

        Args:
          hint: text for the error, such as the shapes of operands.
        """
        place = user_place()
        if place is None:
            self.builder.set_origin("", 0)
        else:
            self.builder.set_origin(place.file, place.line)
        try:
            return method(*arguments)
        except _engine.native_module().NativeError as error:
            messages = error.args[1]
            text = "\n".join(str(message.get("message", "")) for message in messages) or str(error.args[0])
            if hint is not None:
                text += "\n" + hint()
            raise model_error(text, place=place) from None

    @contextlib.contextmanager
    def function(self, name: str, role: str, mode: str, arguments: Sequence[tuple[str, str, str]]) -> Iterator[Any]:
        """Traces a function. Gives its Trace and the numbers of its arguments; the caller ends it by end_function."""
        _stack().append(self)
        numbers = self.call(self.builder.begin_function, name, role, arguments)
        self.trace = Trace(self, mode)
        try:
            yield self.trace, numbers
        except BaseException:
            for _ in range(self.trace.depth + 1):
                self.builder.abandon()
            raise
        finally:
            self.trace = None
            _stack().pop()

    @contextlib.contextmanager
    def reopened(self, name: str, trace: Trace) -> Iterator[tuple[NamedNumbers, NamedNumbers]]:
        """Goes on with the function of that name and Trace, which was ended; the caller ends it again. Gives names and
        numbers of its arguments, and of the outputs that it had."""
        arguments, outputs = self.call(self.builder.reopen_function, name)
        _stack().append(self)
        self.trace = trace
        try:
            yield arguments, outputs
        except BaseException:
            self.builder.abandon()
            raise
        finally:
            self.trace = None
            _stack().pop()

    def end_function(self, outputs: Sequence[tuple[str, Tensor]]) -> None:
        """Ends the function with these outputs."""
        self.call(self.builder.end_function, [(name, tensor.number) for name, tensor in outputs])

    @contextlib.contextmanager
    def region(self, types: Sequence[str]) -> Iterator[list[int]]:
        """Builds a region with arguments of these types; the caller ends it by end_region, an error leaves it out."""
        trace = current()
        numbers = self.call(self.builder.begin_region, types)
        trace.depth += 1
        depth = trace.depth
        try:
            yield numbers
        except BaseException:
            if trace.depth == depth:
                self.builder.abandon()
                trace.depth -= 1
            raise

    def end_region(self, terminator: str, values: Sequence[Tensor]) -> None:
        """Ends the region by an op with these operands."""
        self.call(self.builder.end_region, terminator, [value.number for value in values])
        current().depth -= 1


_local = threading.local()


def _stack() -> list[Graph]:
    if not hasattr(_local, "stack"):
        _local.stack = []
    stack: list[Graph] = _local.stack
    return stack


def current() -> Trace:
    """The function that is being traced in this thread. RuntimeError outside of a model_fn."""
    stack = _stack()
    if not stack or stack[-1].trace is None:
        place = user_place()
        raise RuntimeError(
            "no model is being traced: ops, layers and variables are used in a model_fn, which mlc.estimator.Estimator "
            "calls" + (f"\n    at {place}" if place else "")
        )
    return stack[-1].trace


def once(parts: tuple[Any, ...], make: Callable[[], _T]) -> _T:
    """What make() returned for the same objects, or equal texts, earlier in this call of the model_fn.

    Nothing is kept of a branch or loop, whose Tensors end with it.
    """
    trace = current()
    key = tuple(part if isinstance(part, str) else id(part) for part in parts)
    if key not in trace.made:
        made = make()
        if trace.depth:
            return made
        trace.made[key] = (parts, made)  # the parts stay, and so do their ids
    result: _T = trace.made[key][1]
    return result


def is_tracing() -> bool:
    """Whether a model is being traced in this thread."""
    stack = _stack()
    return bool(stack) and stack[-1].trace is not None


@contextlib.contextmanager
def name_scope(name: str) -> Iterator[str]:
    """Names of variables and ops within begin with `name` and "/". Gives the scope, which ends in "/"."""
    trace = current()
    trace.scopes.append(name)
    try:
        yield trace.scope
    finally:
        trace.scopes.pop()
