"""What feature columns make of features, in a model_fn."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import canned
import numpy as np
import pytest
from upstream import restates

from mlc import estimator
from mlc import feature_column as fc
from mlc.estimator import EstimatorSpec
from mlc.feature_column._layers import _ids
from mlc.tensor import Tensor

FILE = "feature_column/feature_column_v2_test.py"


def says(group: str, *tests: str) -> pytest.MarkDecorator:
    """The mark of what restates tests of a class of feature_column_v2_test.py."""
    return restates(*(f"{FILE}::{group}::{test}" for test in tests))


def computed(
    function: Callable[[Mapping[str, Tensor]], Any], features: Mapping[str, Any], directory: Path, variables: Any = None
) -> Any:
    """What a function makes of features, compiled: an array of all rows, or a dict of such; with values of variables."""

    def model_fn(features: Any, mode: str) -> EstimatorSpec:
        return EstimatorSpec(mode, predictions=function(features))

    start = None
    if variables:
        path = directory / "given.safetensors"
        canned.write_tensors(path, variables)
        start = estimator.WarmStartSettings(str(path), [f"{re.escape(name)}$" for name in variables])
    model = estimator.Estimator(model_fn, str(directory / "m"), warm_start_from=start)
    (batch,) = model.predict(lambda: features, yield_single_examples=False)
    return batch


def ids_of(column: Any, features: Mapping[str, Any], directory: Path) -> list[list[int]]:
    """The ids of each row; -1: none."""
    found: list[list[int]] = computed(lambda given: _ids(column, given)[0], features, directory).tolist()
    return found


def dense_of(columns: Any, features: Mapping[str, Any], directory: Path, variables: Any = None) -> Any:
    """What input_layer makes of features."""
    return computed(lambda given: fc.input_layer(given, columns), features, directory, variables).tolist()


def linear_of(
    columns: Iterable[Any], features: Mapping[str, Any], directory: Path, weights: Mapping[str, Any], bias: Any = None,
    **arguments: Any,
) -> Any:  # fmt: skip
    """What linear_model makes of features with given weights by the names of columns; with none it is 0 everywhere."""
    listed = list(columns)

    def function(given: Mapping[str, Tensor]) -> Tensor:
        return fc.linear_model(given, listed, **arguments)

    untrained = computed(function, features, directory)
    np.testing.assert_array_equal(untrained, np.zeros_like(untrained))
    variables = {f"linear_model/{column}/weights": value for column, value in weights.items()}
    if bias is not None:
        variables["linear_model/bias_weights"] = bias
    return computed(function, features, directory, variables)
