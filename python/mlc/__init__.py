"""mlc: Estimators that are compiled to native code, with the names, defaults and meaning of tf.estimator 2.15.

    import mlc

    columns = [mlc.feature_column.numeric_column("age"), ...]
    model = mlc.estimator.DNNClassifier(hidden_units=[16], feature_columns=columns)
    model.train(lambda: mlc.data.Dataset.from_arrays(features, labels).shuffle().repeat().batch(32), steps=1000)

Everything below is loaded when it is first used, so that `import mlc` costs next to nothing.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import importlib
import os
import sys
from typing import TYPE_CHECKING, Any

from mlc import _clash

if TYPE_CHECKING:
    from mlc import data, df, errors, estimator, feature_column, initializers, io, layers, losses, metrics, ops
    from mlc import optimizers, ray, runtime, sklearn, summary, train, variables
    from mlc._launch import launch
    from mlc._plot import plot
    from mlc._progress import progress
    from mlc.sklearn import MLCClassifier as MLCClassifier  # which __all__ has not, see _SKLEARN
    from mlc.sklearn import MLCRegressor as MLCRegressor

    __version__: str

_MODULES = (
    "data", "df", "errors", "estimator", "feature_column", "initializers", "io", "layers", "losses", "metrics", "ops",
    "optimizers", "ray", "runtime", "summary", "train", "variables",
)  # fmt: skip

_FUNCTIONS = {"launch": "_launch", "plot": "_plot", "progress": "_progress"}
"""By the modules that have them."""

__all__ = [
    "__version__", "data", "df", "errors", "estimator", "feature_column", "initializers", "io", "launch", "layers",
    "losses", "metrics", "ops", "optimizers", "plot", "progress", "ray", "runtime", "summary", "train", "variables",
]  # fmt: skip


_clash.check(os.path.dirname(__file__))


_SKLEARN = ("MLCClassifier", "MLCRegressor")
"""What mlc.sklearn has, which needs scikit-learn: as that is optional, `from mlc import *` goes without."""


def __getattr__(name: str) -> Any:
    if name in _SKLEARN:
        return getattr(importlib.import_module("mlc.sklearn"), name)
    if name in _MODULES or name == "sklearn":
        return importlib.import_module(f"mlc.{name}")
    if name in _FUNCTIONS:
        return getattr(importlib.import_module(f"mlc.{_FUNCTIONS[name]}"), name)
    if name == "__version__":
        from mlc import _engine

        return _engine.version()
    # With name and obj Python itself tells the nearest name.
    raise AttributeError(f"module 'mlc' has no attribute '{name}'", name=name, obj=sys.modules[__name__])


def __dir__() -> list[str]:
    return sorted([*globals(), *_MODULES, *_FUNCTIONS, *_SKLEARN, "sklearn", "__version__"])
