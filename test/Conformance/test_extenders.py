"""Metrics that are added to a canned Estimator, as tf.estimator 2.15 tests them, in extenders_test.py."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from upstream import restates

from mlc import estimator, metrics
from mlc import feature_column as fc


def says(test: str) -> pytest.MarkDecorator:
    return restates(f"estimator/extenders_test.py::AddMetricsTest::{test}")


def linear(directory: Path) -> estimator.Estimator:
    return estimator.LinearClassifier([fc.numeric_column("x")], str(directory / "m"))


def one_row() -> Any:
    return {"x": [[[0.0]]]}, [[[1]]]


@says("test_should_add_metrics")
def test_metrics_beside_those_of_the_head(tmp_path: Path) -> None:
    def rows() -> Any:
        return {"x": np.arange(4.0)[:, None, None]}, np.ones((4, 1), np.int64)

    model = estimator.add_metrics(linear(tmp_path), lambda features: {"mean_x": metrics.mean(features["x"])})
    found = model.train(rows, steps=4).evaluate(rows)
    assert found["mean_x"] == 1.5
    assert "auc" in found


@says("test_should_error_out_for_not_recognized_args")
def test_an_argument_that_nobody_gives(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not_recognized"):
        estimator.add_metrics(linear(tmp_path), lambda features, not_recognized: {})


@pytest.mark.parametrize(
    "order",
    [
        pytest.param(("features", "predictions", "labels", "config"), marks=says("test_all_supported_args")),
        pytest.param(
            ("labels", "config", "features", "predictions"), marks=says("test_all_supported_args_in_different_order")
        ),
    ],
)
def test_arguments(order: tuple[str, ...], tmp_path: Path) -> None:
    seen: list[dict[str, Any]] = []
    names = ", ".join(order)
    metric_fn = eval(f"lambda {names}: seen.append(dict(zip(order, ({names})))) or {{}}", {"seen": seen, "order": order})
    model = estimator.add_metrics(linear(tmp_path), metric_fn)
    model.train(one_row, steps=1).evaluate(one_row)
    (given,) = seen
    assert "x" in given["features"]
    assert "logistic" in given["predictions"]
    assert given["labels"] is not None
    assert isinstance(given["config"], estimator.RunConfig)


@says("test_all_args_are_optional")
def test_no_argument(tmp_path: Path) -> None:
    model = estimator.add_metrics(linear(tmp_path), lambda: {"two": metrics.mean([2.0])})
    assert model.train(one_row, steps=1).evaluate(one_row)["two"] == 2


@says("test_overrides_existing_metrics")
def test_a_metric_of_the_head_is_replaced(tmp_path: Path) -> None:
    model = linear(tmp_path).train(one_row, steps=1)
    assert model.evaluate(one_row)["auc"] != 2
    assert estimator.add_metrics(model, lambda: {"auc": metrics.mean([2.0])}).evaluate(one_row)["auc"] == 2
