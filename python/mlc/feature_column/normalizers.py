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


def zscore(mean: float, stddev: float) -> ZScore:
    """A normalizer_fn: (x - mean) / stddev. stddev is above 0."""
    return ZScore(float(mean), float(stddev))


def minmax(min: float, max: float) -> MinMax:
    """A normalizer_fn: (x - min) / (max - min): 0 at min, 1 at max, not clipped."""
    return MinMax(float(min), float(max))


def log1p() -> Log1p:
    """A normalizer_fn: log(1 + x)."""
    return Log1p()
