"""What a numeric_column can do to its numbers: functions that are written into the model, not Python that runs."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class ZScore:
    """(x - mean) / stddev."""

    mean: float
    stddev: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.mean) and math.isfinite(self.stddev) and self.stddev > 0):
            raise ValueError(f"zscore(mean={self.mean}, stddev={self.stddev}): expected finite numbers, stddev above 0")

    def __call__(self, x: Any) -> Any:
        """What the model computes, for arrays of numpy."""
        return (x - self.mean) / self.stddev


@dataclass(frozen=True)
class MinMax:
    """(x - min) / (max - min), not clipped."""

    min: float
    max: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.min) and math.isfinite(self.max) and self.min < self.max):
            raise ValueError(f"minmax(min={self.min}, max={self.max}): expected finite numbers, min below max")

    def __call__(self, x: Any) -> Any:
        """What the model computes, for arrays of numpy."""
        return (x - self.min) / (self.max - self.min)


@dataclass(frozen=True)
class Log1p:
    """log(1 + x)."""

    def __call__(self, x: Any) -> Any:
        """What the model computes, for arrays of numpy."""
        import numpy as np

        return np.log1p(x)


Normalizer = ZScore | MinMax | Log1p

Numbers = tuple[Any, ...]
"""Of each element of a row, nested as its dimensions are."""


@dataclass(frozen=True)
class ElementwiseScale:
    """(x - offset) / scale, of each element of a row its own: a function of a Tensor, which is traced."""

    name: str
    offset: Numbers
    scale: Numbers

    def __call__(self, x: Any) -> Any:
        """Of a Tensor, or an array of numpy, [rows, *shape]. ValueError: the shape is another one."""
        import numpy as np

        offset, scale = np.array(self.offset, np.float32), np.array(self.scale, np.float32)
        if tuple(x.shape[1:]) != offset.shape:
            raise ValueError(
                f"{self.name} has numbers for rows of the shape {offset.shape}; found a column of the shape {tuple(x.shape[1:])}"
            )
        return (x - offset) / scale


def zscore(mean: Any, stddev: Any) -> ZScore | ElementwiseScale:
    """A normalizer_fn: (x - mean) / stddev. stddev is above 0.

    Args:
      mean, stddev: numbers; of a column with a shape also arrays of it, one number for each element of a row.
    """
    if _is_scalar(mean) and _is_scalar(stddev):
        return ZScore(float(mean), float(stddev))
    means, deviations = _beside("zscore", mean, stddev)
    for each, deviation in zip(means.flat, deviations.flat, strict=True):
        ZScore(float(each), float(deviation))
    return ElementwiseScale("zscore", _nested(means), _nested(deviations))


def minmax(min: Any, max: Any) -> MinMax | ElementwiseScale:
    """A normalizer_fn: (x - min) / (max - min): 0 at min, 1 at max, not clipped.

    Args:
      min, max: numbers; of a column with a shape also arrays of it, one number for each element of a row.
    """
    if _is_scalar(min) and _is_scalar(max):
        return MinMax(float(min), float(max))
    lows, highs = _beside("minmax", min, max)
    for low, high in zip(lows.flat, highs.flat, strict=True):
        MinMax(float(low), float(high))
    return ElementwiseScale("minmax", _nested(lows), _nested(highs - lows))


def _is_scalar(value: Any) -> bool:
    return isinstance(value, (int, float)) or getattr(value, "shape", None) == ()


def _beside(name: str, one: Any, other: Any) -> Any:
    """Two arrays of float64 of one shape; a number stands for one of each element. ValueError: the shapes differ."""
    import numpy as np

    try:
        return np.broadcast_arrays(np.asarray(one, np.float64), np.asarray(other, np.float64))
    except ValueError:
        raise ValueError(
            f"{name}: expected numbers, or arrays of one shape; found shapes {np.shape(one)} and {np.shape(other)}"
        ) from None


def _nested(array: Any) -> Numbers:
    return tuple(_nested(each) if each.ndim else float(each) for each in array)


def log1p() -> Log1p:
    """A normalizer_fn: log(1 + x)."""
    return Log1p()
