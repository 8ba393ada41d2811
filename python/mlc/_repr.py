"""What an Estimator shows of itself: a line, and a table for notebooks."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import html
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mlc import _engine, errors
from mlc.variables import GLOBAL_STEP

if TYPE_CHECKING:
    from mlc.estimator.estimator import Estimator

_BYTES = {"f16": 2, "bf16": 2, "f32": 4, "f64": 8, "i1": 1, "bool": 1}
_MOST_ROWS = 60


@dataclass(frozen=True)
class Layer:
    """Variables whose names have a part in common, as those of a dense layer have.

    Attributes:
      name: that part.
      shapes: of the variables by the rest of their names, with dtypes: "f32 [4, 30]".
      parameters: elements of them that are no integers.
      slots: bytes of their optimizer slots.
      size: bytes of all.
    """

    name: str
    shapes: tuple[str, ...]
    parameters: int
    slots: int
    size: int


def layers(variables: Mapping[str, tuple[str, list[int]]]) -> list[Layer]:
    """Layers of the variables of a checkpoint: dtype and shape by name. A name below that of another is its slot's."""
    groups: dict[str, list[str]] = {}
    slots: dict[str, list[str]] = {}
    for name in variables:
        parent, _, leaf = name.rpartition("/")
        if parent in variables:
            slots.setdefault(parent.rpartition("/")[0] or parent, []).append(name)
        else:
            groups.setdefault(parent or leaf, []).append(name)
    found = []
    for group, names in groups.items():
        shapes = tuple(f"{name.rpartition('/')[2]} {_shape(*variables[name])}" for name in names)
        of_slots = sum(_size(*variables[name]) for name in slots.get(group, ()))
        size = sum(_size(*variables[name]) for name in names) + of_slots
        found.append(Layer(group, shapes, sum(_parameters(*variables[name]) for name in names), of_slots, size))
    return found


def _shape(dtype: str, shape: list[int]) -> str:
    return f"{dtype} {shape}" if shape else dtype


def _parameters(dtype: str, shape: list[int]) -> int:
    """Elements of a variable that may be trained; integers count something."""
    return 0 if dtype.startswith("i") else math.prod(shape)


def _size(dtype: str, shape: list[int]) -> int:
    width = _BYTES.get(dtype) or int(dtype.lstrip("fiu")) // 8
    return width * math.prod(shape)


def bytes_text(count: int) -> str:
    """ "1.2 MiB"."""
    value, units = float(count), ["B", "KiB", "MiB", "GiB", "TiB"]
    while value >= 1024 and len(units) > 1:
        value, units = value / 1024, units[1:]
    return f"{count} B" if units[0] == "B" else f"{value:.3g} {units[0]}"


def _state(estimator: Estimator) -> tuple[int, list[Layer]] | None:
    """The newest checkpoint's step and layers; None without one, or where it cannot be read."""
    try:
        step = max(_engine.checkpoints(estimator.model_dir), default=-1)
        return (step, layers(_engine.variables(estimator.model_dir, step))) if step >= 0 else None
    except errors.MlcError:
        return None  # what shows a thing does not fail; its use tells


def text(estimator: Estimator) -> str:
    """ "DNNClassifier(model_dir='m', step=300, parameters=483, state=3.8 KiB)"."""
    kind = type(estimator).__name__
    model_fn = getattr(estimator.model_fn, "__name__", None)
    facts = [f"model_fn={model_fn}"] if model_fn else []
    facts.append(f"model_dir={estimator.model_dir!r}")
    state = _state(estimator)
    if state is None:
        facts.append("no checkpoint")
    else:
        step, found = state
        facts += [f"step={step}", f"parameters={sum(layer.parameters for layer in found)}"]
        facts.append(f"state={bytes_text(sum(layer.size for layer in found))}")
    return f"{kind}({', '.join(facts)})"


def html_text(estimator: Estimator) -> str:
    """The same as a table: layers with shapes, parameters and bytes, and the newest evaluations."""
    kind = html.escape(type(estimator).__name__)
    head = f"<b>{kind}</b> <span style='color: gray'>{html.escape(estimator.model_dir)}</span>"
    state = _state(estimator)
    if state is None:
        return f"<div>{head}<br>no checkpoint yet: its variables are made when it is trained</div>"
    step, found = state
    total = sum(layer.parameters for layer in found)
    size = sum(layer.size for layer in found)
    lines = [head, f"step {step:,} &nbsp; {total:,} parameters &nbsp; {bytes_text(size)} with optimizer slots"]
    return f"<div>{'<br>'.join(lines)}{_table(found)}{_newest_evaluation(estimator)}</div>"


def _table(found: list[Layer]) -> str:
    cells = []
    found = [layer for layer in found if layer.name != GLOBAL_STEP]  # it is told
    for layer in found[:_MOST_ROWS]:
        shapes = "<br>".join(html.escape(shape) for shape in layer.shapes)
        cells.append((html.escape(layer.name), shapes, f"{layer.parameters:,}", bytes_text(layer.size)))
    left, right = "text-align: left; vertical-align: top", "text-align: right; vertical-align: top"
    rows = "".join(
        f"<tr><td style='{left}'>{name}</td><td style='{left}'>{shapes}</td><td style='{right}'>{count}</td>"
        f"<td style='{right}'>{size}</td></tr>"
        for name, shapes, count, size in cells
    )
    more = f"<tr><td colspan='4'>and {len(found) - _MOST_ROWS} more</td></tr>" if len(found) > _MOST_ROWS else ""
    return (
        f"<table><thead><tr><th style='{left}'>layer</th><th style='{left}'>variables</th><th style='{right}'>parameters</th>"
        f"<th style='{right}'>state</th></tr></thead><tbody>{rows}{more}</tbody></table>"
    )


def _newest_evaluation(estimator: Estimator) -> str:
    """Lines for the newest evaluation of each name that this object has made."""
    lines: list[str] = []
    for name, by_step in estimator._evaluations.items():
        step = max(by_step)
        numbers = [(key, value) for key, value in by_step[step].items() if key != "global_step" and isinstance(value, (int, float))]
        told = " &nbsp; ".join(f"{html.escape(key)} {value:.4g}" for key, value in sorted(numbers))
        lines.append(f"{html.escape(f'evaluation {name}'.strip())} at step {step:,}: {told}")
    return "<br>".join(lines)
