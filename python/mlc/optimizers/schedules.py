"""Learning rates that change over the steps: Keras' schedules, as descriptions that are written into the model.

`step` is the global step before its increment.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import operator
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from mlc._text_format import Block
from mlc.errors import UnsupportedError

__all__ = [
    "CosineDecay", "CosineDecayRestarts", "ExponentialDecay", "InverseTimeDecay", "LearningRateSchedule", "LinearCosineDecay",
    "NaturalExpDecay", "PiecewiseConstantDecay", "PolynomialDecay", "Warmup",
]  # fmt: skip


def check_positive(value: float, what: str) -> float:
    """A number above 0; ValueError names `what`."""
    number = float(value)
    if not 0 < number < float("inf"):
        raise ValueError(f"{what} must be a finite number above 0; found {value!r}")
    return number


def check_least(value: float, what: str) -> float:
    """A finite number of at least 0; ValueError names `what`."""
    number = float(value)
    if not 0 <= number < float("inf"):
        raise ValueError(f"{what} must be a finite number of at least 0; found {value!r}")
    return number


def _check_steps(value: int, what: str = "decay_steps") -> int:
    number = operator.index(value)
    if number < 1:
        raise ValueError(f"{what} must be at least 1; found {value!r}")
    return number


class LearningRateSchedule(ABC):
    """Base of all schedules."""

    @property
    @abstractmethod
    def base_rate(self) -> float:
        """The learning rate that the schedule changes."""

    @abstractmethod
    def to_block(self) -> Block:
        """The spec's LearningRateSchedule message."""


@dataclass(frozen=True)
class _Decay(LearningRateSchedule):
    """A schedule that begins with initial_learning_rate."""

    initial_learning_rate: float

    def __post_init__(self) -> None:
        check_least(self.initial_learning_rate, "initial_learning_rate")

    @property
    def base_rate(self) -> float:
        return float(self.initial_learning_rate)


@dataclass(frozen=True)
class ExponentialDecay(_Decay):
    """initial_learning_rate * decay_rate^(step / decay_steps); staircase: the quotient is rounded down."""

    decay_steps: int
    decay_rate: float
    staircase: bool = False

    def to_block(self) -> Block:
        block = Block(decay_steps=_check_steps(self.decay_steps), decay_rate=check_positive(self.decay_rate, "decay_rate"))
        return Block(exponential_decay=block.add("staircase", self.staircase or None))


@dataclass(frozen=True)
class InverseTimeDecay(_Decay):
    """initial_learning_rate / (1 + decay_rate * step / decay_steps); staircase: the quotient is rounded down."""

    decay_steps: int
    decay_rate: float
    staircase: bool = False

    def to_block(self) -> Block:
        block = Block(decay_steps=_check_steps(self.decay_steps), decay_rate=float(self.decay_rate))
        return Block(inverse_time_decay=block.add("staircase", self.staircase or None))


@dataclass(frozen=True)
class PolynomialDecay(_Decay):
    """From initial_learning_rate to end_learning_rate by (1 - step / decay_steps)^power; cycle: again and again, each
    time over more steps."""

    decay_steps: int
    end_learning_rate: float = 0.0001
    power: float = 1.0
    cycle: bool = False

    def to_block(self) -> Block:
        block = Block(
            decay_steps=_check_steps(self.decay_steps),
            end_learning_rate=float(self.end_learning_rate),
            power=check_positive(self.power, "power"),
        )
        return Block(polynomial_decay=block.add("cycle", self.cycle or None))


@dataclass(frozen=True)
class CosineDecay(_Decay):
    """Half a cosine from initial_learning_rate to alpha times it, over decay_steps.

    Keras' warmup_target and warmup_steps put the cosine off until the warm-up is over, which the model has not:
    UnsupportedError names `Warmup`.
    """

    decay_steps: int
    alpha: float = 0.0
    warmup_target: float | None = None
    warmup_steps: int = 0

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.warmup_target is not None or self.warmup_steps:
            raise UnsupportedError(
                "CosineDecay: there are no warmup_target and warmup_steps; "
                "Warmup(CosineDecay(rate, decay_steps), warmup_steps) grows to the cosine while it falls"
            )

    def to_block(self) -> Block:
        return Block(cosine_decay=Block(decay_steps=_check_steps(self.decay_steps), alpha=float(self.alpha)))


@dataclass(frozen=True)
class CosineDecayRestarts(_Decay):
    """Half a cosine from initial_learning_rate to alpha times it, over first_decay_steps; then again and again, each time
    over t_mul times the steps and from m_mul times the height."""

    first_decay_steps: int
    t_mul: float = 2.0
    m_mul: float = 1.0
    alpha: float = 0.0

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_steps(self.first_decay_steps, "first_decay_steps")
        if not 1 <= self.t_mul <= 1e6:
            raise ValueError(f"t_mul must be in [1, 1e6]; found {self.t_mul!r}")
        check_least(self.m_mul, "m_mul")
        if not 0 <= self.alpha <= 1:
            raise ValueError(f"alpha must be in [0, 1]; found {self.alpha!r}")

    def to_block(self) -> Block:
        return Block(
            cosine_decay_restarts=Block(
                first_decay_steps=operator.index(self.first_decay_steps),
                t_mul=float(self.t_mul),
                m_mul=float(self.m_mul),
                alpha=float(self.alpha),
            )
        )


@dataclass(frozen=True)
class LinearCosineDecay(_Decay):
    """initial_learning_rate * ((alpha + 1 - f) * (1 + cos(2 * pi * num_periods * f)) / 2 + beta), f = step / decay_steps,
    at most 1: train.linear_cosine_decay, of which Keras has no class."""

    decay_steps: int
    num_periods: float = 0.5
    alpha: float = 0.0
    beta: float = 0.001

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_steps(self.decay_steps)
        check_positive(self.num_periods, "num_periods")
        check_least(self.alpha, "alpha")
        check_least(self.beta, "beta")

    def to_block(self) -> Block:
        return Block(
            linear_cosine_decay=Block(
                decay_steps=operator.index(self.decay_steps),
                num_periods=float(self.num_periods),
                alpha=float(self.alpha),
                beta=float(self.beta),
            )
        )


@dataclass(frozen=True)
class NaturalExpDecay(_Decay):
    """initial_learning_rate * e^(-decay_rate * step / decay_steps), the quotient rounded down with staircase:
    train.natural_exp_decay, of which Keras has no class."""

    decay_steps: int
    decay_rate: float
    staircase: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        _check_steps(self.decay_steps)
        check_least(self.decay_rate, "decay_rate")

    def to_block(self) -> Block:
        block = Block(decay_steps=operator.index(self.decay_steps), decay_rate=float(self.decay_rate))
        return Block(natural_exp_decay=block.add("staircase", self.staircase or None))


@dataclass(frozen=True)
class PiecewiseConstantDecay(LearningRateSchedule):
    """values[i] while step <= boundaries[i]; values has one element more than boundaries.

    Raises ValueError where the numbers of both do not fit, or boundaries do not grow.
    """

    boundaries: Sequence[int]
    values: Sequence[float]

    def __post_init__(self) -> None:
        steps, rates = tuple(map(operator.index, self.boundaries)), tuple(map(float, self.values))
        if len(steps) != len(rates) - 1:
            raise ValueError(
                "The length of boundaries should be 1 less than the length of values. "
                f"Received: boundaries={steps} of length {len(steps)}, and values={rates} of length {len(rates)}."
            )
        if not steps or any(low >= high for low, high in pairwise(steps)):
            raise ValueError(f"boundaries must be steps that grow; found {steps}")
        if any(not 0 <= rate < float("inf") for rate in rates):
            raise ValueError(f"values must be finite numbers of at least 0; found {rates}")
        object.__setattr__(self, "boundaries", steps)
        object.__setattr__(self, "values", rates)

    @property
    def base_rate(self) -> float:
        # The values are the rates; the optimizer's own, which the spec asks to be above 0, plays no part.
        return next((value for value in self.values if value > 0), 1.0)

    def to_block(self) -> Block:
        return Block(piecewise_constant=Block(boundaries=self.boundaries, values=self.values))


@dataclass(frozen=True)
class Warmup(LearningRateSchedule):
    """mlc's own: grows linearly, over warmup_steps, to what learning_rate, a number or a schedule, would be."""

    learning_rate: float | LearningRateSchedule
    warmup_steps: int

    def __post_init__(self) -> None:
        _check_steps(self.warmup_steps, "warmup_steps")
        if isinstance(self.learning_rate, Warmup):
            raise ValueError("Warmup of a Warmup: expected a number or another schedule")
        if not isinstance(self.learning_rate, LearningRateSchedule):
            check_least(self.learning_rate, "learning_rate")

    @property
    def base_rate(self) -> float:
        rate = self.learning_rate
        return rate.base_rate if isinstance(rate, LearningRateSchedule) else float(rate)

    def to_block(self) -> Block:
        block = self.learning_rate.to_block() if isinstance(self.learning_rate, LearningRateSchedule) else Block()
        return block.add("warmup_steps", self.warmup_steps)
