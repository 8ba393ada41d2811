"""Builds ops of df from Tensors, numbers and arrays."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np

from mlc._dtypes import dtype_name
from mlc._graph import DTYPES, ELEMENTS, Trace, current, model_error, quote, symbol, type_text
from mlc.errors import ModelTypeError
from mlc.tensor import Tensor

TensorLike = Any
"""A Tensor, a Variable, a number, a text, an array, or a list of these."""
TypeLike = tuple[str, Sequence[int | None]]
"""A dtype and a shape, in which None is a size that is not known."""


def build(
    op: str,
    values: Sequence[Any],
    forms: str,
    attributes: Sequence[tuple[str, str, Any]],
    types: Sequence[TypeLike] | None,
    segments: bool,
    regions: int = 0,
) -> list[Tensor]:
    """Adds an op to the function that is traced; its results.

    Args:
      values: operands: what converts to a Tensor, None for an optional one, a list for a variadic one, as `forms` says
        by ".", "?" and "*".
      attributes: name, how it is written, and value; None leaves one out.
      types: of the results, where the op does not infer them.
      segments: the op tells optional and variadic operands apart by an attribute.
      regions: number of regions, which were ended last.

    Raises:
      ModelError: the op refuses its operands. Shows the user's line and the operands.
    """
    trace = current()
    groups = _operands(values, forms)
    operands = [tensor for group in groups for tensor in group]
    check_usable(trace, operands, op)
    parts = [f"{name} = {written}" if written else name for name, written in _written(op, attributes)]
    if segments:
        parts.append(f"operandSegmentSizes = array<i32: {', '.join(str(len(group)) for group in groups)}>")
    texts = None if types is None else [type_text(dtype_name_of(dtype), shape) for dtype, shape in types]
    numbers = trace.graph.call(
        trace.graph.builder.op, op, [tensor.number for tensor in operands], "{" + ", ".join(parts) + "}", texts, regions,
        hint=lambda: describe(operands),
    )  # fmt: skip
    return [tensor_of(trace, number) for number in numbers]


def tensor_of(trace: Trace, number: int) -> Tensor:
    """The Tensor of a value of the builder."""
    element, shape, is_rows = trace.graph.builder.type_of(number)
    return Tensor(trace, number, DTYPES[element], tuple(None if n < 0 else n for n in shape), is_rows)


def describe(operands: Sequence[Tensor]) -> str:
    """Dtypes and shapes of operands, for messages."""
    return "    operands: " + (", ".join(operand.type_string for operand in operands) or "none")


def check_usable(trace: Trace, operands: Sequence[Tensor], what: str) -> None:
    """ModelError for a Tensor of another model or mode, or of a branch or loop that has ended."""
    for operand in operands:
        if operand.trace is not trace:
            where = "another model" if operand.trace.graph is not trace.graph else "another call of the model_fn"
            raise model_error(
                f"{what}: {operand!r} is of {where}; what a model_fn keeps from one call is of no use in the next one"
            )
        if not trace.graph.builder.is_visible(operand.number):
            raise model_error(
                f"{what}: {operand!r} was made in a branch or loop that has ended; return it from the branch's function, "
                "or carry it as a variable of the loop"
            )


def dtype_name_of(dtype: Any) -> str:
    """The name of a dtype that tensors may have: of a name, a type of Python or numpy, or an object with a name."""
    if dtype in ELEMENTS:
        return str(dtype)
    name = "bfloat16" if getattr(dtype, "name", None) == "bfloat16" else dtype_name(dtype, "dtype")
    return name


def _operands(values: Sequence[Any], forms: str) -> list[list[Tensor]]:
    """The Tensors of each operand; numbers among them take the dtype of the Tensors."""
    like = next((value.dtype for value in values if is_tensor(value)), None)
    groups = []
    for value, form in zip(values, forms, strict=True):
        if form == "*":
            items = list(value)
            own = next((item.dtype for item in items if is_tensor(item)), like)
            groups.append([as_tensor(item, own) for item in items])
        else:
            groups.append([] if value is None else [as_tensor(value, like)])
    return groups


def is_tensor(value: Any) -> bool:
    """Whether it is a Tensor or a Variable."""
    return isinstance(value, Tensor) or hasattr(value, "__mlc_tensor__")


def as_tensor(value: Any, dtype: str | None = None) -> Tensor:
    """The Tensor of a value: itself, a Variable's value, or a constant.

    Args:
      dtype: of numbers, which have none of their own: Python's, and numpy's arrays of float64 where it is another
        float. A Tensor keeps its dtype.

    Raises:
      ModelTypeError: it is no number, text, array, or list of such; or a number that `dtype` cannot hold.
    """
    if isinstance(value, Tensor):
        return value
    if hasattr(value, "__mlc_tensor__"):
        tensor: Tensor = value.__mlc_tensor__()
        return tensor
    if isinstance(value, (list, tuple)) and any(is_tensor(item) for item in value):
        from mlc import ops

        return ops.stack(value)
    return constant(value, dtype)


def constant(value: Any, dtype: str | None = None, exact: bool = False) -> Tensor:
    """A constant. See as_tensor; with `exact` the dtype is that of the result whatever the value is."""
    if value is None:
        hint = "labels are None in ModeKeys.PREDICT: return the EstimatorSpec of predictions before they are used"
        raise model_error(f"found None; expected a Tensor or numbers ({hint})", ModelTypeError)
    try:
        array = np.asarray(value)
    except ValueError as error:
        raise model_error(f"{value!r} is no tensor: {error}", ModelTypeError) from None
    if array.dtype.kind in "USO":
        return _text_constant(array)
    own = array.dtype.name
    is_python = not isinstance(value, (np.ndarray, np.generic))
    wanted = own
    if dtype is not None and (exact or is_python or (own == "float64" and "float" in dtype)):
        wanted = dtype
    elif is_python:
        wanted = {"float64": "float32", "int64": "int64"}.get(own, own)
    elif own == "float64" and dtype is None:
        wanted = "float32"
    if wanted not in ELEMENTS or wanted == "string":
        raise model_error(f"found {value!r}; expected a value of {dtype or 'numbers'}", ModelTypeError)
    if not exact and array.dtype.kind == "f" and "int" in wanted:
        raise model_error(f"found {value!r}; expected a value of {wanted}, as the other operand is", ModelTypeError)
    return _number_constant(array, wanted)


_READABLE = 16
"""Elements of constants that are written as decimals."""


def _number_constant(array: np.ndarray, dtype: str) -> Tensor:
    type_ = type_text(dtype, array.shape)
    if dtype == "bfloat16":
        bits = np.ascontiguousarray(array, dtype=np.float32).view(np.uint32).astype(np.uint64)
        bits = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)
        content = f'"0x{bits.tobytes().hex().upper()}"'
    elif dtype == "bool":
        truths = array.astype(bool)
        content = _nested(truths.tolist(), lambda truth: "true" if truth else "false")
    else:
        numbers = np.ascontiguousarray(array, dtype=dtype).reshape(array.shape)
        if numbers.size <= _READABLE and (numbers.dtype.kind != "f" or bool(np.isfinite(numbers).all())):
            write = number_text if numbers.dtype.kind == "f" else str
            return _constant(f"dense<{_nested(numbers.tolist(), write) if numbers.size else ''}> : {type_}")
        content = f'"0x{numbers.astype(numbers.dtype.newbyteorder("<")).tobytes().hex().upper()}"'
    if array.size == 0:
        content = ""
    return _constant(f"dense<{content}> : {type_}")


def _text_constant(array: np.ndarray) -> Tensor:
    def text(value: Any) -> str:
        if not isinstance(value, (str, bytes)):
            raise model_error(f"found {value!r} in an array of objects; expected texts", ModelTypeError)
        return quote(value)

    content = _nested(array.tolist(), text) if array.size else ""
    return _constant(f"dense<{content}> : {type_text('string', array.shape)}")


def _nested(value: Any, write: Callable[[Any], str]) -> str:
    if isinstance(value, list):
        return "[" + ", ".join(_nested(item, write) for item in value) + "]"
    return write(value)


def _constant(text: str) -> Tensor:
    trace = current()
    return tensor_of(trace, trace.graph.call(trace.graph.builder.op, "df.constant", [], f"{{value = {text}}}")[0])


# Vocabularies


def declare_vocabulary(
    key: Hashable, name: str, terms: Callable[[], Sequence[Any]], num_oov: int = 0, default_value: int = -1
) -> str:
    """The name of the vocabulary of `key`, which is declared once for a model.

    Args:
      key: what it is of: equal keys share it.
      name: it becomes vocabulary/<name>, or where that is taken has "_" after it.
      terms: gives its texts or integers, where it is not declared yet.
      num_oov, default_value: what df.lookup makes of other terms.
    """
    graph = current().graph
    if key in graph.vocabularies:
        return graph.vocabularies[key]
    full = f"vocabulary/{name}"
    while full in graph.vocabularies.values():
        full += "_"
    listed = ", ".join(f"{term} : i64" if isinstance(term, int) else quote(term) for term in terms())
    graph.call(
        graph.builder.declare, "df.vocabulary",
        f"{{sym_name = {symbol(full)[1:]}, terms = [{listed}], num_oov = {num_oov} : i64, "
        f"default_value = {default_value} : i64}}",
    )  # fmt: skip
    graph.vocabularies[key] = full
    return full


# Attributes


def number_text(value: float) -> str:
    """A number as MLIR reads a f64 back: hexadecimal where decimals do not say it."""
    number = float(value)
    if number != number or number in (float("inf"), float("-inf")):
        return "0x" + np.float64(number).view(np.uint64).item().to_bytes(8, "big").hex().upper()
    text = repr(number)
    return text if "." in text or "e" not in text else text.replace("e", ".0e")


def _integers(value: Any) -> str:
    return ", ".join(str(operator.index(item)) for item in value)


_WRITERS: dict[str, Callable[[Any], str]] = {
    "i64": lambda value: f"{operator.index(value)} : i64",
    "f64": lambda value: f"{number_text(value)} : f64",
    "string": quote,
    "i64s": lambda value: f"array<i64: {_integers(value)}>" if len(value) else "array<i64>",
    "f64s": lambda value: f"array<f64: {', '.join(map(number_text, value))}>" if len(value) else "array<f64>",
    "symbol": symbol,
    "symbols": lambda value: "[" + ", ".join(symbol(name) for name in value) + "]",
    "text": str,
}


def _written(op: str, attributes: Sequence[tuple[str, str, Any]]) -> list[tuple[str, str]]:
    """Names and texts of the attributes that are there; a unit has no text."""
    written = []
    for name, how, value in attributes:
        if value is None or (how == "unit" and not value):
            continue
        if how == "unit":
            written.append((name, ""))
        elif how.startswith("enum:"):
            written.append((name, f"#df.{how[5:]}<{value}>"))
        elif how.startswith("word:"):
            written.append((name, f"#df<{how[5:]} {value}>"))
        else:
            try:
                written.append((name, _WRITERS[how](value)))
            except (TypeError, ValueError, AttributeError):
                raise model_error(f"{op}: {name} is {value!r}; expected {how}", ModelTypeError) from None
    return written
