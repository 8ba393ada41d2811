"""Optimizers with the names and defaults of TensorFlow 1, decays of the learning rate, the global step."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from mlc import ops
from mlc._build import as_tensor
from mlc._graph import Operation, current, model_error, user_place
from mlc.errors import ModelError, ModelTypeError
from mlc.optimizers import Optimizer
from mlc.tensor import Tensor
from mlc.variables import Variable, global_step


def get_global_step() -> Variable:
    """The number of steps done: a scalar of int64, which each step of training counts once, by itself."""
    return global_step()


get_or_create_global_step = get_global_step


def group(*operations: Any) -> Operation:
    """All of these operations as one: two optimizers in one step, in the order of the lines that made them."""
    parts = []
    for operation in operations:
        if not isinstance(operation, Operation):
            raise model_error(f"group: found {operation!r}; expected operations, such as minimize returns", ModelTypeError)
        parts.append(operation)
    return Operation("group", tuple(parts), user_place())


def no_op() -> Operation:
    """An operation that does nothing."""
    current()
    return Operation("no_op", (), user_place())


class _TrainOptimizer(Optimizer):
    """An optimizer of TensorFlow 1. learning_rate may be a scalar Tensor, too."""

    def __init__(self, rule: str, learning_rate: Any, numbers: dict[str, Any], name: str) -> None:
        is_tensor = isinstance(learning_rate, Tensor)
        super().__init__(rule, 1.0 if is_tensor else learning_rate, numbers, None, None, None, name)
        if is_tensor:
            self.learning_rate = learning_rate


class GradientDescentOptimizer(_TrainOptimizer):
    """w -= learning_rate * g."""

    def __init__(self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent") -> None:
        super().__init__("sgd", learning_rate, {}, name)


class MomentumOptimizer(_TrainOptimizer):
    """a = momentum * a + g; w -= learning_rate * a, or with use_nesterov learning_rate * (g + momentum * a)."""

    def __init__(
        self, learning_rate: Any, momentum: float, use_locking: bool = False, name: str = "Momentum",
        use_nesterov: bool = False,
    ) -> None:  # fmt: skip
        numbers = {"momentum": float(momentum), "nesterov": bool(use_nesterov), "rate_in_slot": False}
        super().__init__("momentum", learning_rate, numbers, name)


class AdagradOptimizer(_TrainOptimizer):
    """a += g^2, from initial_accumulator_value on; w -= learning_rate * g / sqrt(a)."""

    def __init__(
        self, learning_rate: Any, initial_accumulator_value: float = 0.1, use_locking: bool = False,
        name: str = "Adagrad",
    ) -> None:  # fmt: skip
        numbers = {"initial_accumulator_value": float(initial_accumulator_value), "epsilon": 0.0}
        super().__init__("adagrad", learning_rate, numbers, name)


class AdadeltaOptimizer(_TrainOptimizer):
    """a = rho * a + (1 - rho) * g^2; u = g * sqrt(d + epsilon) / sqrt(a + epsilon); d = rho * d + (1 - rho) * u^2;
    w -= learning_rate * u."""

    def __init__(
        self, learning_rate: Any = 0.001, rho: float = 0.95, epsilon: float = 1e-8, use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:  # fmt: skip
        super().__init__("adadelta", learning_rate, {"rho": float(rho), "epsilon": float(epsilon)}, name)


class AdamOptimizer(_TrainOptimizer):
    """Adam (Kingma and Ba 2014), with decays beta1 and beta2 of the averages and epsilon beside the root. Rows of a table without a gradient are moved, too; LazyAdamOptimizer leaves them."""

    def __init__(
        self, learning_rate: Any = 0.001, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
        use_locking: bool = False, name: str = "Adam",
    ) -> None:  # fmt: skip
        numbers = {"beta1": float(beta1), "beta2": float(beta2), "epsilon": float(epsilon)}
        super().__init__("adam", learning_rate, numbers, name)


class LazyAdamOptimizer(AdamOptimizer):
    """Adam that leaves rows of a table without a gradient alone, as tf.contrib.opt's of this name; arguments and keywords are
    those of AdamOptimizer."""

    def __init__(self, *arguments: Any, **keywords: Any) -> None:
        super().__init__(*arguments, **keywords)
        self._lazy = True


class RMSPropOptimizer(_TrainOptimizer):
    """s = decay * s + (1 - decay) * g^2; m = momentum * m + learning_rate * g / sqrt(s + epsilon); w -= m; s begins at 1;
    centered: by the variance of g."""

    def __init__(
        self, learning_rate: Any, decay: float = 0.9, momentum: float = 0.0, epsilon: float = 1e-10,
        use_locking: bool = False, centered: bool = False, name: str = "RMSProp",
    ) -> None:  # fmt: skip
        numbers = {
            "decay": float(decay), "momentum": float(momentum), "epsilon": float(epsilon), "centered": bool(centered),
            "initial_mean_square": 1.0, "always_momentum": True,
        }  # fmt: skip
        super().__init__("rms_prop", learning_rate, numbers, name)


class FtrlOptimizer(_TrainOptimizer):
    """Follow the regularized leader (McMahan et al. 2013); beta is that of the paper. learning_rate_power,
    initial_accumulator_value, l1_regularization_strength, l2_regularization_strength and l2_shrinkage_regularization_strength are
    as of mlc.optimizers.Ftrl."""

    def __init__(
        self, learning_rate: Any, learning_rate_power: float = -0.5, initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0, l2_regularization_strength: float = 0.0, use_locking: bool = False,
        name: str = "Ftrl", l2_shrinkage_regularization_strength: float = 0.0, beta: float | None = None,
    ) -> None:  # fmt: skip
        numbers = {
            "learning_rate_power": float(learning_rate_power),
            "initial_accumulator_value": float(initial_accumulator_value),
            "l1": float(l1_regularization_strength), "l2": float(l2_regularization_strength),
            "l2_shrinkage": float(l2_shrinkage_regularization_strength), "beta": None if beta is None else float(beta),
        }  # fmt: skip
        super().__init__("ftrl", learning_rate, numbers, name)


# Decays: scalars that depend on the step


def _step(step: Any) -> Tensor:
    return ops.cast(as_tensor(step), "float32")


def exponential_decay(
    learning_rate: Any, global_step: Any, decay_steps: float, decay_rate: float, staircase: bool = False
) -> Tensor:
    """learning_rate * decay_rate^(step / decay_steps), the exponent rounded down with staircase."""
    exponent = _step(global_step) / float(decay_steps)
    power = ops.power(ops.constant(decay_rate, "float32"), ops.floor(exponent) if staircase else exponent)
    return as_tensor(learning_rate, "float32") * power


def inverse_time_decay(
    learning_rate: Any, global_step: Any, decay_steps: float, decay_rate: float, staircase: bool = False
) -> Tensor:
    """learning_rate / (1 + decay_rate * step / decay_steps), the quotient rounded down with staircase."""
    quotient = _step(global_step) / float(decay_steps)
    return as_tensor(learning_rate, "float32") / (1.0 + decay_rate * (ops.floor(quotient) if staircase else quotient))


def natural_exp_decay(
    learning_rate: Any, global_step: Any, decay_steps: float, decay_rate: float, staircase: bool = False
) -> Tensor:
    """learning_rate * e^(-decay_rate * step / decay_steps), the quotient rounded down with staircase."""
    quotient = _step(global_step) / float(decay_steps)
    # The base is rounded before it is raised, as in TensorFlow.
    power = ops.power(ops.exp(ops.constant(-decay_rate, "float32")), ops.floor(quotient) if staircase else quotient)
    return as_tensor(learning_rate, "float32") * power


def polynomial_decay(
    learning_rate: Any, global_step: Any, decay_steps: float, end_learning_rate: float = 0.0001, power: float = 1.0,
    cycle: bool = False,
) -> Tensor:  # fmt: skip
    """(learning_rate - end) * (1 - min(step, decay_steps) / decay_steps)^power + end, for the end end_learning_rate; cycle:
    again and again, each time over more steps."""
    step = _step(global_step)
    span: Any = float(decay_steps)
    if cycle:
        span = span * ops.maximum(ops.ceil(step / span), 1.0)
    else:
        step = ops.minimum(step, span)
    left = 1.0 - step / span
    return (as_tensor(learning_rate, "float32") - end_learning_rate) * (left if power == 1 else left**power) + end_learning_rate


def cosine_decay(learning_rate: Any, global_step: Any, decay_steps: float, alpha: float = 0.0) -> Tensor:
    """learning_rate * ((1 - alpha) * (1 + cos(pi * min(step, decay_steps) / decay_steps)) / 2 + alpha)."""
    share = ops.minimum(_step(global_step), float(decay_steps)) / float(decay_steps)
    wave = 0.5 * (1.0 + ops.cos(share * math.pi))
    return as_tensor(learning_rate, "float32") * ((1.0 - alpha) * wave + alpha)


def cosine_decay_restarts(
    learning_rate: Any, global_step: Any, first_decay_steps: float, t_mul: float = 2.0, m_mul: float = 1.0,
    alpha: float = 0.0,
) -> Tensor:  # fmt: skip
    """Half a cosine from learning_rate to alpha times it, over first_decay_steps; then again and again, each time over t_mul
    times the steps and from m_mul times the height."""
    if not t_mul >= 1:
        raise model_error(f"cosine_decay_restarts: t_mul must be at least 1; found {t_mul!r}")
    done = _step(global_step) / float(first_decay_steps)
    if t_mul == 1:
        period = ops.floor(done)
        done = done - period
    else:
        # i periods have (1 - t^i) / (1 - t) times the steps of the first.
        t = ops.constant(t_mul, "float32")
        rest = 1.0 - t
        period = ops.floor(ops.log(1.0 - done * rest) / ops.log(t))
        length = t**period
        done = (done - (1.0 - length) / rest) / length
    wave = 0.5 * ops.constant(m_mul, "float32") ** period * (1.0 + ops.cos(done * math.pi))
    return as_tensor(learning_rate, "float32") * ((1.0 - alpha) * wave + alpha)


def linear_cosine_decay(
    learning_rate: Any, global_step: Any, decay_steps: float, num_periods: float = 0.5, alpha: float = 0.0,
    beta: float = 0.001,
) -> Tensor:  # fmt: skip
    """learning_rate * ((alpha + 1 - f) * (1 + cos(2 * pi * num_periods * f)) / 2 + beta), f = step / decay_steps, at most 1."""
    span = float(decay_steps)
    step = ops.minimum(_step(global_step), span)
    wave = 0.5 * (1.0 + ops.cos((2.0 * num_periods) * (step / span) * math.pi))
    return as_tensor(learning_rate, "float32") * ((alpha + (span - step) / span) * wave + beta)


def piecewise_constant(x: Any, boundaries: Sequence[float], values: Sequence[float]) -> Tensor:
    """values[i] while x <= boundaries[i]; there is one value more than boundaries."""
    if len(values) != len(boundaries) + 1:
        raise model_error(f"piecewise_constant: {len(boundaries)} boundaries need {len(boundaries) + 1} values; found {len(values)}", ModelError)
    step = as_tensor(x)
    rate = ops.constant(float(values[-1]), "float32")
    for boundary, value in reversed(list(zip(boundaries, values[:-1], strict=True))):
        bound = int(boundary) if "int" in step.dtype else float(boundary)
        rate = ops.where(step <= bound, float(value), rate)
    return rate


piecewise_constant_decay = piecewise_constant

# Gradients


def global_norm(tensors: Sequence[Any]) -> Tensor:
    """The square root of the sum of the squares of all elements of tensors; those that are None are left out."""
    total: Any = 0.0
    for tensor in tensors:
        if tensor is not None:
            total = ops.sum(ops.square(tensor)) + total
    return ops.sqrt(total)


def clip_by_global_norm(tensors: Sequence[Any], clip_norm: float) -> tuple[list[Any], Tensor]:
    """The tensors times min(1, clip_norm / global_norm), and that norm. For gradients of tables see an optimizer's
    global_clipnorm, which knows rows."""
    for tensor in tensors:
        if getattr(tensor, "is_rows", False):
            raise model_error(
                "clip_by_global_norm: a gradient is rows of a table; give global_clipnorm to an optimizer of mlc.optimizers"
            )
    norm = global_norm(tensors)
    # In TensorFlow's order of operations, for its rounding.
    factor = float(clip_norm) * ops.minimum(1.0 / norm, 1.0 / clip_norm)
    return [None if tensor is None else tensor * factor for tensor in tensors], norm


def clip_by_norm(tensor: Any, clip_norm: float) -> Tensor:
    """The tensor times min(1, clip_norm / its norm)."""
    return as_tensor(tensor) * (clip_norm / ops.maximum(global_norm([tensor]), clip_norm))
