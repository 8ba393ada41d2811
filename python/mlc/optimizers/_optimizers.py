"""Update rules: classes with Keras' arguments, which write themselves as a spec's Optimizer."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from mlc._text_format import Block
from mlc.errors import UnsupportedError
from mlc.optimizers.schedules import LearningRateSchedule, check_least, check_positive

if TYPE_CHECKING:
    from mlc._graph import Operation
    from mlc.tensor import Tensor
    from mlc.variables import Variable

Rate = float | LearningRateSchedule | None


def _check_share(value: float, what: str, closed: bool = False) -> float:
    """A number of [0, 1), or of [0, 1] if `closed`."""
    number = float(value)
    if not (0 <= number < 1 or (closed and number == 1)):
        raise ValueError(f"{what} must be in [0, 1{']' if closed else ')'}; found {value!r}")
    return number


class Optimizer:
    """An update rule with its numbers. Immutable.

    A learning_rate of None is the default of the part of the model that the optimizer trains, as a name ('Adagrad') in
    place of an optimizer has it. clipnorm bounds the norm of each variable's gradient, clipvalue each element,
    global_clipnorm the norm of all gradients together; one of them may be given.
    """

    def __init__(
        self,
        rule: str,
        learning_rate: Rate | Callable[[], float],
        numbers: dict[str, Any],
        clipnorm: float | None,
        clipvalue: float | None,
        global_clipnorm: float | None,
        name: str,
    ) -> None:
        if callable(learning_rate):
            raise UnsupportedError(
                f"{name}: learning_rate cannot be a function: the rate is compiled; "
                "expected a number or one of mlc.optimizers.schedules"
            )
        if learning_rate is not None and not isinstance(learning_rate, LearningRateSchedule):
            learning_rate = check_least(learning_rate, f"{name}: learning_rate")
        clips = {"clip_by_norm": clipnorm, "clip_by_value": clipvalue, "clip_by_global_norm": global_clipnorm}
        if sum(bound is not None for bound in clips.values()) > 1:
            raise ValueError(f"{name}: only one of clipnorm, clipvalue and global_clipnorm can be set")
        self.name = name
        self.learning_rate: Rate = learning_rate
        self._rule = rule
        self._numbers = numbers
        self._lazy = False
        self._clips = {field: check_positive(bound, field) for field, bound in clips.items() if bound is not None}

    @property
    def rule(self) -> str:
        """The field of the spec's Optimizer message that it is."""
        return self._rule

    def to_block(self) -> Block:
        """The spec's Optimizer message."""
        rate = self.learning_rate
        schedule = None
        if isinstance(rate, LearningRateSchedule):
            schedule = rate.to_block()
            rate = rate.base_rate
        block = Block(**{self._rule: Block(learning_rate=rate, **self._numbers)}, schedule=schedule)
        for field, bound in self._clips.items():
            block.add(field, bound)
        return block

    # In a model_fn

    def compute_gradients(self, loss: Any, var_list: Any = None) -> list[tuple[Tensor, Variable]]:
        """Gradients of a scalar loss and the variables that they are of: `var_list`, or all trainable ones so far."""
        from mlc._graph import model_error
        from mlc.gradients import gradients
        from mlc.variables import trainable_variables

        variables = trainable_variables() if var_list is None else list(var_list)
        if not variables:
            raise model_error("there are no variables to train; expected a loss that depends on some")
        return list(zip(gradients(loss, variables), variables, strict=True))

    def apply_gradients(self, grads_and_vars: Any, global_step: Any = None) -> Operation:
        """Moves variables by gradients, as compute_gradients returns them, changed or not.

        `global_step` is for code that was written for TensorFlow: each step of training counts it, once.
        """
        from mlc.optimizers import _updates

        rate = 0.001 if self.learning_rate is None else self.learning_rate
        pairs = list(grads_and_vars)
        return _updates.apply(self.name, self._rule, rate, self._numbers, self._clips, pairs, self._lazy)

    def minimize(self, loss: Any, var_list: Any = None, global_step: Any = None) -> Operation:
        """Moves variables so that the loss becomes less: compute_gradients, then apply_gradients.

        Of variables that are only gathered from, the rows of the batch alone have gradients.
        """
        from mlc._graph import Operation, current

        if current().mode != "train":
            return Operation(f"{self.name}.minimize")  # an EstimatorSpec of another mode leaves its train_op alone
        if getattr(var_list, "name", None) == "global_step":
            var_list, global_step = None, var_list  # the order of TensorFlow 1: minimize(loss, global_step)
        return self.apply_gradients(self.compute_gradients(loss, var_list), global_step)

    def __repr__(self) -> str:
        numbers = {"learning_rate": self.learning_rate, **self._numbers, **self._clips}
        return f"{type(self).__name__}(" + ", ".join(f"{k}={v!r}" for k, v in numbers.items()) + ")"


class SGD(Optimizer):
    """w -= learning_rate * g; with momentum v = momentum * v - learning_rate * g, w += v, or with nesterov
    w += momentum * v - learning_rate * g."""

    def __init__(
        self,
        learning_rate: Rate = 0.01,
        momentum: float = 0.0,
        nesterov: bool = False,
        name: str = "SGD",
        *,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
    ) -> None:
        share = _check_share(momentum, "momentum", closed=True)
        # Without momentum nesterov changes nothing: both take the plain step.
        rule = "momentum" if share else "sgd"
        numbers = {"momentum": share, "use_nesterov": nesterov or None} if share else {}
        super().__init__(rule, learning_rate, numbers, clipnorm, clipvalue, global_clipnorm, name)


class Adagrad(Optimizer):
    """a += g^2, w -= learning_rate * g / (sqrt(a) + epsilon); a begins with initial_accumulator_value."""

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        initial_accumulator_value: float = 0.1,
        epsilon: float = 1e-7,
        name: str = "Adagrad",
        *,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
    ) -> None:
        numbers = {
            "initial_accumulator_value": check_least(initial_accumulator_value, "initial_accumulator_value"),
            "epsilon": check_least(epsilon, "epsilon"),
        }
        super().__init__("adagrad", learning_rate, numbers, clipnorm, clipvalue, global_clipnorm, name)


class Adadelta(Optimizer):
    """Moving averages a of g^2 and d of u^2, with the decay rho; u = g * sqrt(d + epsilon) / sqrt(a + epsilon),
    w -= learning_rate * u. The paper's learning rate is 1."""

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        rho: float = 0.95,
        epsilon: float = 1e-7,
        name: str = "Adadelta",
        *,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
    ) -> None:
        numbers = {"rho": _check_share(rho, "rho"), "epsilon": check_least(epsilon, "epsilon")}
        super().__init__("adadelta", learning_rate, numbers, clipnorm, clipvalue, global_clipnorm, name)


class Adam(Optimizer):
    """Moving averages m of g and v of g^2, with decays beta_1 and beta_2; w -= rate * m / (sqrt(v) + epsilon). With
    amsgrad the largest v so far takes the place of v there."""

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        amsgrad: bool = False,
        name: str = "Adam",
        *,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
    ) -> None:
        numbers = {
            "beta1": _check_share(beta_1, "beta_1"),
            "beta2": _check_share(beta_2, "beta_2"),
            "epsilon": check_least(epsilon, "epsilon"),
            "amsgrad": bool(amsgrad) or None,
        }
        super().__init__("adam", learning_rate, numbers, clipnorm, clipvalue, global_clipnorm, name)


class Adamax(Optimizer):
    """A moving average m of g with the decay beta_1; u = max(beta_2 * u, |g|); w -= rate * m / (u + epsilon)."""

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        name: str = "Adamax",
        *,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
    ) -> None:
        numbers = {
            "beta1": _check_share(beta_1, "beta_1"),
            "beta2": _check_share(beta_2, "beta_2"),
            "epsilon": check_least(epsilon, "epsilon"),
        }
        super().__init__("adamax", learning_rate, numbers, clipnorm, clipvalue, global_clipnorm, name)


class Nadam(Optimizer):
    """Adam, with its beta_2 and epsilon, and the momentum of Nesterov, beta_1 * (1 - 0.96^(schedule_decay * t) / 2) at step t.

    Where Keras refuses a schedule of the learning rate, it is one here.
    """

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        beta_1: float = 0.9,
        beta_2: float = 0.999,
        epsilon: float = 1e-7,
        name: str = "Nadam",
        *,
        schedule_decay: float = 0.004,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
    ) -> None:
        numbers = {
            "beta1": _check_share(beta_1, "beta_1"),
            "beta2": _check_share(beta_2, "beta_2"),
            "epsilon": check_least(epsilon, "epsilon"),
            "schedule_decay": check_least(schedule_decay, "schedule_decay"),
        }
        super().__init__("nadam", learning_rate, numbers, clipnorm, clipvalue, global_clipnorm, name)


class RMSprop(Optimizer):
    """s = rho * s + (1 - rho) * g^2; w -= learning_rate * g / (sqrt(s) + epsilon); centered: by the variance of g;
    with momentum v = momentum * v + what is subtracted, w -= v."""

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        rho: float = 0.9,
        momentum: float = 0.0,
        epsilon: float = 1e-7,
        centered: bool = False,
        name: str = "RMSprop",
        *,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
    ) -> None:
        numbers = {
            "decay": _check_share(rho, "rho"),
            "momentum": _check_share(momentum, "momentum", closed=True),
            "epsilon": check_least(epsilon, "epsilon"),
            "centered": centered or None,
        }
        super().__init__("rms_prop", learning_rate, numbers, clipnorm, clipvalue, global_clipnorm, name)


class Ftrl(Optimizer):
    """Follow the regularized leader (McMahan et al. 2013): steps of learning_rate / a^-learning_rate_power, where a, from
    initial_accumulator_value on, sums g^2. l1_regularization_strength makes weights 0, l2_regularization_strength and
    l2_shrinkage_regularization_strength (of the loss, and of the gradient alone) make them small; beta keeps first steps small."""

    def __init__(
        self,
        learning_rate: Rate = 0.001,
        learning_rate_power: float = -0.5,
        initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0,
        l2_regularization_strength: float = 0.0,
        name: str = "Ftrl",
        l2_shrinkage_regularization_strength: float = 0.0,
        beta: float = 0.0,
        *,
        clipnorm: float | None = None,
        clipvalue: float | None = None,
        global_clipnorm: float | None = None,
    ) -> None:
        if learning_rate_power > 0:
            raise ValueError(f"learning_rate_power must be at most 0; found {learning_rate_power}")
        numbers = {
            "learning_rate_power": float(learning_rate_power),
            "initial_accumulator_value": check_least(initial_accumulator_value, "initial_accumulator_value"),
            "l1_regularization_strength": check_least(l1_regularization_strength, "l1_regularization_strength"),
            "l2_regularization_strength": check_least(l2_regularization_strength, "l2_regularization_strength"),
            "l2_shrinkage_regularization_strength": check_least(
                l2_shrinkage_regularization_strength, "l2_shrinkage_regularization_strength"
            ),
            "beta": check_least(beta, "beta") or None,
        }
        super().__init__("ftrl", learning_rate, numbers, clipnorm, clipvalue, global_clipnorm, name)


_BY_NAME: dict[str, type[Optimizer]] = {
    "Adagrad": Adagrad,
    "Adam": Adam,
    "Ftrl": Ftrl,
    "RMSProp": RMSprop,
    "SGD": SGD,
}
"""The names that canned Estimators take in place of an optimizer."""


def get(optimizer: Any) -> Optimizer:
    """The optimizer that an argument of a canned Estimator stands for.

    Args:
      optimizer: an Optimizer; one of the names Adagrad, Adam, Ftrl, RMSProp and SGD, which leave the learning rate to
        the part of the model; or a function without arguments that returns an Optimizer.

    Raises:
      ValueError: it is something else.
    """
    if isinstance(optimizer, str):
        if optimizer not in _BY_NAME:
            names = ", ".join(_BY_NAME)
            raise ValueError(f"Unsupported optimizer name: {optimizer}. Supported names are: {names}")
        return _BY_NAME[optimizer](learning_rate=None)  # type: ignore[call-arg]
    if not isinstance(optimizer, Optimizer) and callable(optimizer):
        optimizer = optimizer()
    if not isinstance(optimizer, Optimizer):
        raise ValueError(f"The given object is not an mlc.optimizers.Optimizer instance. Given: {optimizer!r}")
    return optimizer
