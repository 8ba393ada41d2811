"""What an optimizer does in a step of a traced model: est.apply_gradients, with its numbers as settings of the run."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mlc._build import as_tensor, check_usable, number_text
from mlc._graph import Operation, current, model_error, quote, symbol, user_place
from mlc.errors import ModelError, ModelTypeError
from mlc.optimizers import schedules
from mlc.tensor import Tensor
from mlc.variables import Variable, global_step

_SETTINGS = {
    "sgd": (), "momentum": ("momentum",), "adagrad": ("epsilon",), "adadelta": ("rho", "epsilon"),
    "adam": ("beta1", "beta2", "epsilon"), "adamax": ("beta1", "beta2", "epsilon"),
    "nadam": ("beta1", "beta2", "epsilon", "schedule_decay"), "rms_prop": ("decay", "epsilon"),
    "ftrl": ("l1", "l2", "l2_shrinkage", "beta"),
}  # fmt: skip
"""Numbers of a rule that a start may change, besides the learning rate; the others are compiled in."""
_NAMES = {
    "use_nesterov": "nesterov", "l1_regularization_strength": "l1", "l2_regularization_strength": "l2",
    "l2_shrinkage_regularization_strength": "l2_shrinkage",
}  # fmt: skip
"""Fields of a spec's Optimizer that est calls otherwise."""


def _value(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return f"{number_text(value)} : f64"


def _setting(prefix: str, name: str, value: float) -> str:
    text = f"{value} : i64" if isinstance(value, int) and not isinstance(value, bool) else _value(value)
    return f"<{quote(f'{prefix}.{name}')} = {text}>"


def rule_text(rule: str, rate: float, numbers: Mapping[str, Any], prefix: str) -> str:
    """The update rule as an attribute of est."""
    named = {_NAMES.get(name, name): value for name, value in numbers.items() if value is not None}
    if rule == "momentum":
        named = {"nesterov": False, "rate_in_slot": True, **named}
    elif rule == "rms_prop":
        momentum, always = named.pop("momentum", 0.0), named.pop("always_momentum", False)
        named["centered"] = bool(named.get("centered"))
        named = {"initial_mean_square": 0.0, **named}
        if momentum or always:
            named["momentum"] = momentum
    parts = [f"learning_rate = {_setting(prefix, 'learning_rate', float(rate))}"]
    for name, value in named.items():
        parts.append(f"{name} = {_setting(prefix, name, value) if name in _SETTINGS[rule] else _value(value)}")
    return f"#est.{rule}<{', '.join(parts)}>"


def schedule_text(schedule: schedules.LearningRateSchedule, prefix: str) -> str:
    """`decay = ..` and `warmup_steps = ..` of an est optimizer."""
    if isinstance(schedule, schedules.Warmup):
        parts = [f"warmup_steps = {_setting(prefix, 'warmup_steps', schedule.warmup_steps)}"]
        inner = schedule.learning_rate
        if isinstance(inner, schedules.LearningRateSchedule):
            parts.insert(0, schedule_text(inner, prefix))
        return ", ".join(parts)
    kinds = {
        schedules.ExponentialDecay: ("exponential_decay", ("decay_steps", "decay_rate"), ("staircase",)),
        schedules.InverseTimeDecay: ("inverse_time_decay", ("decay_steps", "decay_rate"), ("staircase",)),
        schedules.PolynomialDecay: ("polynomial_decay", ("decay_steps", "end_learning_rate"), ("power", "cycle")),
        schedules.CosineDecay: ("cosine_decay", ("decay_steps", "alpha"), ()),
        schedules.NaturalExpDecay: ("natural_exp_decay", ("decay_steps", "decay_rate"), ("staircase",)),
        schedules.CosineDecayRestarts: (
            "cosine_decay_restarts", ("first_decay_steps", "m_mul", "alpha"), ("t_mul",)
        ),
        schedules.LinearCosineDecay: ("linear_cosine_decay", ("decay_steps", "alpha", "beta"), ("num_periods",)),
    }
    if isinstance(schedule, schedules.PiecewiseConstantDecay):
        boundaries, values = ", ".join(map(str, schedule.boundaries)), ", ".join(map(number_text, schedule.values))
        return f"decay = #est.piecewise_constant<boundaries = [{boundaries}], values = [{values}]>"
    name, settings, fixed = kinds[type(schedule)]
    parts = []
    for field in settings:
        value = getattr(schedule, field)
        number = int(value) if field.endswith("decay_steps") else float(value)
        # "beta" is a number of Ftrl, too.
        parts.append(f"{field} = {_setting(f'{prefix}.{name}', field, number)}")
    parts += [f"{field} = {_value(getattr(schedule, field))}" for field in fixed]
    return f"decay = #est.{name}<{', '.join(parts)}>"


def apply(
    name: str,
    rule: str,
    rate: Any,
    numbers: Mapping[str, Any],
    clips: Mapping[str, float],
    pairs: Sequence[tuple[Any, Any]],
    lazy: bool,
) -> Operation:
    """Moves variables by their gradients.

    Args:
      name: of the optimizer; its settings begin with it.
      rate: a number, a schedule, or a scalar Tensor.
      pairs: gradients and variables; a gradient of None leaves its variable out.

    Raises:
      ModelError: there is no gradient, or something else than a Variable.
    """
    trace = current()
    present = [(gradient, variable) for gradient, variable in pairs if gradient is not None]
    if not present:
        raise model_error(f"{name}: there are no gradients for any variable", ModelError)
    if trace.mode != "train":
        return Operation(f"{name}.apply_gradients", place=user_place())  # which an EstimatorSpec of this mode leaves alone
    for _, variable in present:
        if not isinstance(variable, Variable):
            raise model_error(f"{name}: found {variable!r}; expected a Variable", ModelTypeError)
    gradients = [as_tensor(gradient, "float32") for gradient, _ in present]
    prefix = trace.unique_name(name)
    extra = ""
    operands = [*gradients, global_step().value()]
    base = rate
    if isinstance(rate, Tensor):
        operands.append(rate)
        base = 1.0
    elif isinstance(rate, schedules.LearningRateSchedule):
        extra = ", " + schedule_text(rate, prefix)
        base = rate.base_rate
    for clip, bound in clips.items():
        extra += f", {clip} = {_setting(prefix, clip, float(bound))}"
    check_usable(trace, operands, name)
    names = ", ".join(symbol(variable.name) for _, variable in present)
    segments = f"array<i32: {len(gradients)}, 1, {1 if isinstance(rate, Tensor) else 0}>"
    attributes = (
        f"{{variables = [{names}], optimizer = #est.optimizer<rule = {rule_text(rule, base, numbers, prefix)}{extra}>, "
        f"operandSegmentSizes = {segments}{', lazy' if lazy else ''}}}"
    )
    trace.graph.call(trace.graph.builder.op, "est.apply_gradients", [t.number for t in operands], attributes, [], 0)
    update = Operation(f"{name}.apply_gradients", place=user_place())
    trace.updates.append(update)
    return update
