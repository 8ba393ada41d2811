"""Branches and loops in a model: Python's own are over when the model is compiled."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlc import df
from mlc._build import as_tensor, build, check_usable, describe, tensor_of
from mlc._graph import Operation, Trace, current, model_error, type_text, user_place
from mlc._nest import flatten, pack
from mlc.errors import ModelTypeError
from mlc.tensor import Tensor


def _type(tensor: Tensor) -> str:
    return type_text(tensor.dtype, tensor.shape)


def _arguments(trace: Trace, numbers: Sequence[int]) -> list[Tensor]:
    return [tensor_of(trace, number) for number in numbers]


def _yield(terminator: str, values: Sequence[Any], what: str, like: Sequence[Tensor] | None = None) -> list[Tensor]:
    """Ends a region with values, as Tensors of the types of `like`. ModelError where their number or types differ."""
    trace = current()
    if like is not None and len(values) != len(like):
        raise model_error(f"{what} returns {len(values)} values; expected {len(like)}")
    tensors = [as_tensor(v, None if like is None else like[i].dtype) for i, v in enumerate(values)]
    check_usable(trace, tensors, what)
    for i, tensor in enumerate(tensors):
        if like is not None and (tensor.dtype, tensor.shape) != (like[i].dtype, like[i].shape):
            if tensor.dtype == like[i].dtype and _agree(tensor, like[i]):
                tensors[i] = df.cast_shape(tensor, type_=(tensor.dtype, like[i].shape))
                continue
            raise model_error(
                f"{what} returns {tensor.type_string} where {like[i].type_string} is expected"
            )
    trace.graph.end_region(terminator, tensors)
    return tensors


def _agree(one: Tensor, other: Tensor) -> bool:
    return one.ndim == other.ndim and all(
        a == b or a is None or b is None for a, b in zip(one.shape, other.shape, strict=True)
    )


def cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any]) -> Any:
    """What true_fn returns if `pred` holds, a scalar of bool, else what false_fn does; only one of both runs.

    Both return Tensors of equal dtypes and shapes, in a structure (a tuple, list or dict) that is the same; or nothing, or
    operations, as branches that assign variables or apply gradients do: of two optimizers that alternate the result is the
    train_op.
    """
    trace = current()
    condition = as_tensor(pred)
    if condition.dtype != "bool" or condition.shape:
        raise model_error(f"cond: pred is {condition.type_string}; expected a scalar of bool", ModelTypeError)
    structure: Any = None
    like: list[Tensor] | None = None
    operations: list[Operation] = []
    for name, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        with trace.graph.region([]):
            result = function()
            operations += [result] if isinstance(result, Operation) else []
            values = [] if _is_nothing(result) else flatten(result)
            like = _yield("df.yield", values, f"cond: {name}", like)
            structure = result if name == "true_fn" else structure
    results = build("df.if", (condition,), ".", (), None, False, regions=2)
    if operations:
        return Operation("cond", tuple(operations), user_place())
    return pack(structure, results) if results else None


def _is_nothing(result: Any) -> bool:
    return result is None or isinstance(result, Operation)


def while_loop(
    cond: Callable[..., Any],
    body: Callable[..., Any],
    loop_vars: Sequence[Any],
    maximum_iterations: int | None = None,
) -> Any:
    """Runs `body` as long as `cond` holds, both called with the loop's variables; the variables' last values.

    Args:
      cond: returns a scalar of bool.
      body: returns the next values of the variables, of the same dtypes and shapes, in the structure of loop_vars.
      loop_vars: a list or tuple: first values, Tensors or structures of them.
      maximum_iterations: ends the loop. Gradients through it need this number.
    """
    trace = current()
    inits = [as_tensor(value) for value in flatten(list(loop_vars))]
    check_usable(trace, inits, "while_loop")
    types = [_type(tensor) for tensor in inits]
    with trace.graph.region(types) as numbers:
        holds = as_tensor(cond(*pack(list(loop_vars), _arguments(trace, numbers))))
        if holds.dtype != "bool" or holds.shape:
            raise model_error(f"while_loop: cond returns {holds.type_string}; expected a scalar of bool", ModelTypeError)
        _yield("df.condition", [holds], "while_loop: cond")
    with trace.graph.region(types) as numbers:
        arguments = pack(list(loop_vars), _arguments(trace, numbers))
        result = body(*arguments)
        _yield("df.yield", flatten(list(result) if len(arguments) > 1 or isinstance(result, (list, tuple)) else [result]),
               "while_loop: body", inits)  # fmt: skip
    results = build("df.while", (inits,), "*", (("max_iterations", "i64", maximum_iterations),), None, False, regions=2)
    packed = pack(list(loop_vars), results)
    return tuple(packed) if len(packed) > 1 else packed[0]


def scan(
    fn: Callable[..., Any],
    elems: Any,
    initializer: Any,
    reverse: bool = False,
    count: Any = None,
    outputs: bool = False,
) -> Any:
    """Runs `fn(state, row)` over the rows (first dimension) of `elems`; the states after each row, stacked.

    Args:
      fn: returns the next state, of the structure, dtypes and shapes of `initializer`; with `outputs` a pair of it and
        of what is stacked in its place.
      elems: a Tensor, or a structure of Tensors with equally many rows.
      initializer: the first state.
      reverse: from the last row to the first.
      count: a scalar of int64: only so many rows; the rest of what is stacked is 0.
      outputs: returns a pair: the last state, and the outputs of all rows, stacked.
    """
    trace = current()
    sequences = [as_tensor(value) for value in flatten(elems)]
    inits = [as_tensor(value) for value in flatten(initializer)]
    if not sequences or any(not sequence.shape for sequence in sequences):
        raise model_error(f"scan: expected elems with rows\n{describe(sequences)}")
    check_usable(trace, [*inits, *sequences], "scan")
    types = [_type(t) for t in inits] + [type_text(s.dtype, s.shape[1:]) for s in sequences]
    with trace.graph.region(types) as numbers:
        arguments = _arguments(trace, numbers)
        result = fn(pack(initializer, arguments[: len(inits)]), pack(elems, arguments[len(inits) :]))
        if outputs and not (isinstance(result, tuple) and len(result) == 2):
            raise model_error(f"scan: fn returns {result!r}; expected a pair of the next state and the row's output")
        following, rows = result if outputs else (result, result)
        values = _checked_state(flatten(following), inits)
        flat_rows = values if not outputs else [as_tensor(value) for value in flatten(rows)]
        check_usable(trace, [*values, *flat_rows], "scan: fn")
        trace.graph.end_region("df.yield", [*values, *flat_rows])
    operands = (inits, sequences, None if count is None else as_tensor(count, "int64"))
    results = build("df.scan", operands, "**?", (("reverse", "unit", reverse),), None, True, regions=1)
    stack = pack(rows, results[len(inits) :])
    return (pack(initializer, results[: len(inits)]), stack) if outputs else stack


def _checked_state(values: Sequence[Any], like: Sequence[Tensor]) -> list[Tensor]:
    if len(values) != len(like):
        raise model_error(f"scan: fn returns a state of {len(values)} values; expected {len(like)}")
    tensors = [as_tensor(v, t.dtype) for v, t in zip(values, like, strict=True)]
    for tensor, wanted in zip(tensors, like, strict=True):
        if tensor.dtype != wanted.dtype or not _agree(tensor, wanted):
            raise model_error(f"scan: fn returns {tensor.type_string} as the state {wanted.type_string}")
    return tensors
