"""Where variables begin: the initializers of Keras, as descriptions that are written into the model."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any, ClassVar

from mlc._text_format import Block, Symbol

__all__ = [
    "Constant", "GlorotNormal", "GlorotUniform", "HeNormal", "HeUniform", "Identity", "Initializer", "LecunNormal",
    "LecunUniform", "Ones", "Orthogonal", "RandomNormal", "RandomUniform", "TruncatedNormal", "VarianceScaling", "Zeros", "get",
]  # fmt: skip


@dataclass(frozen=True)
class Initializer:
    """Base of all. Numbers are drawn by the model's own generator, from the seed of the run; there is no seed here."""

    _field: ClassVar[str] = ""
    """The field of a spec's Initializer; its fields have the names of the attributes."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, (int, float)) and not math.isfinite(value):
                raise ValueError(f"{type(self).__name__}: {field.name} must be finite; found {value}")

    def to_block(self) -> Block:
        """The spec's Initializer message."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}
        return Block(**{self._field: Block(**values)})


@dataclass(frozen=True)
class Zeros(Initializer):
    """All 0."""

    _field = "zeros"


@dataclass(frozen=True)
class Ones(Initializer):
    """All 1."""

    _field = "ones"


@dataclass(frozen=True)
class Constant(Initializer):
    """Every element has one value."""

    _field = "constant"
    value: float = 0.0


@dataclass(frozen=True)
class RandomUniform(Initializer):
    """Uniform over [minval, maxval)."""

    minval: float = -0.05
    maxval: float = 0.05

    def to_block(self) -> Block:
        return Block(uniform=Block(min=self.minval, max=self.maxval))


@dataclass(frozen=True)
class _Normal(Initializer):
    mean: float = 0.0
    stddev: float = 0.05

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.stddev > 0:
            raise ValueError(f"{type(self).__name__}: stddev must be above 0; found {self.stddev}")


@dataclass(frozen=True)
class RandomNormal(_Normal):
    """A normal distribution of this mean and stddev."""

    _field = "normal"


@dataclass(frozen=True)
class TruncatedNormal(_Normal):
    """A normal distribution of this mean and stddev, redrawn beyond two of these."""

    _field = "truncated_normal"


@dataclass(frozen=True)
class GlorotUniform(Initializer):
    """Uniform within sqrt(6 / (fan_in + fan_out)) of 0."""

    _field = "glorot_uniform"


@dataclass(frozen=True)
class GlorotNormal(Initializer):
    """Truncated normal of variance 2 / (fan_in + fan_out)."""

    _field = "glorot_normal"


@dataclass(frozen=True)
class HeUniform(Initializer):
    """Uniform within sqrt(6 / fan_in) of 0."""

    _field = "he_uniform"


@dataclass(frozen=True)
class HeNormal(Initializer):
    """Truncated normal of variance 2 / fan_in."""

    _field = "he_normal"


@dataclass(frozen=True)
class LecunUniform(Initializer):
    """Uniform within sqrt(3 / fan_in) of 0."""

    _field = "lecun_uniform"


@dataclass(frozen=True)
class LecunNormal(Initializer):
    """Truncated normal of variance 1 / fan_in."""

    _field = "lecun_normal"


@dataclass(frozen=True)
class VarianceScaling(Initializer):
    """Around 0 with the variance scale / fan: mode "fan_in", "fan_out" or "fan_avg"; distribution "truncated_normal",
    "untruncated_normal" or "uniform"."""

    scale: float = 1.0
    mode: str = "fan_in"
    distribution: str = "truncated_normal"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.scale > 0:
            raise ValueError(f"VarianceScaling: scale must be above 0; found {self.scale}")
        if self.mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"VarianceScaling: mode must be fan_in, fan_out or fan_avg; found {self.mode!r}")
        if self.distribution not in ("truncated_normal", "untruncated_normal", "uniform"):
            raise ValueError(
                "VarianceScaling: distribution must be truncated_normal, untruncated_normal or uniform; "
                f"found {self.distribution!r}"
            )

    def to_block(self) -> Block:
        mode, distribution = Symbol(self.mode.upper()), Symbol(self.distribution.upper())
        return Block(variance_scaling=Block(scale=self.scale, mode=mode, distribution=distribution))


@dataclass(frozen=True)
class Identity(Initializer):
    """The gain where the row is the column, else 0."""

    _field = "identity"
    gain: float = 1.0


@dataclass(frozen=True)
class Orthogonal(Initializer):
    """Of the columns or rows, whichever are fewer, each has the length of the gain and is orthogonal to the others."""

    _field = "orthogonal"
    gain: float = 1.0


_ALL = (
    Zeros, Ones, Constant, RandomUniform, RandomNormal, TruncatedNormal, GlorotUniform, GlorotNormal, HeUniform,
    HeNormal, LecunUniform, LecunNormal, VarianceScaling, Identity, Orthogonal,
)  # fmt: skip
_BY_NAME = {kind.__name__.lower(): kind for kind in _ALL}


def get(initializer: Any) -> Initializer:
    """The initializer itself, or the one that a name stands for: "glorot_uniform", "GlorotUniform".

    Raises ValueError, with all names, for anything else.
    """
    if isinstance(initializer, Initializer):
        return initializer
    kind = _BY_NAME.get(initializer.replace("_", "").lower()) if isinstance(initializer, str) else None
    if kind is None:
        names = ", ".join(k.__name__ for k in _ALL)
        raise ValueError(f"initializer {initializer!r} is not known; expected one of mlc.initializers: {names}")
    return kind()
