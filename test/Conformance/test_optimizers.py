"""What canned/optimizers_test_v2.py of tf.estimator 2.15 says of the argument `optimizer`."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from upstream import restates

from mlc import estimator, optimizers
from mlc import feature_column as fc

TEST = "estimator/canned/optimizers_test_v2.py::GetOptimizerInstanceV2::"


@restates(TEST + "test_unsupported_name")
def test_unsupported_name() -> None:
    with pytest.raises(ValueError, match="Unsupported optimizer name: unsupported_name"):
        optimizers.get("unsupported_name")


@pytest.mark.parametrize(
    "name",
    [
        pytest.param("Adagrad", marks=restates(TEST + "test_adagrad_but_no_learning_rate")),
        pytest.param("Adam", marks=restates(TEST + "test_adam_but_no_learning_rate")),
    ],
)
def test_default_rate(name: str, tmp_path: Path) -> None:
    """A name is the optimizer with its own rate, 0.001: both train the same bits."""
    kernels = []
    for number, optimizer in enumerate([name, getattr(optimizers, name)(0.001)]):
        model = estimator.DNNRegressor(
            [2], [fc.numeric_column("x")], str(tmp_path / str(number)), optimizer=optimizer,
            config=estimator.RunConfig(tf_random_seed=1),
        )  # fmt: skip
        model.train(lambda: ({"x": [[1.0], [2.0]]}, [[3.0], [4.0]]), steps=3)
        kernels.append(model.get_variable_value("dnn/logits/kernel"))
    np.testing.assert_array_equal(*kernels)
    assert isinstance(optimizers.get(name), getattr(optimizers, name))


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        pytest.param(name, kind, marks=restates(TEST + f"test_{name.lower()}"))
        for name, kind in [
            ("Adagrad", optimizers.Adagrad), ("Adam", optimizers.Adam), ("Ftrl", optimizers.Ftrl),
            ("RMSProp", optimizers.RMSprop), ("SGD", optimizers.SGD),
        ]
    ],
)  # fmt: skip
def test_names(name: str, kind: type[optimizers.Optimizer]) -> None:
    assert type(optimizers.get(name)) is kind
    assert kind(learning_rate=0.1).learning_rate == pytest.approx(0.1)  # type: ignore[call-arg]


@restates(TEST + "test_object", TEST + "test_callable", TEST + "test_lambda")
def test_optimizers_and_functions() -> None:
    given = optimizers.SGD(0.5)

    def make() -> optimizers.Optimizer:
        return given

    assert optimizers.get(given) is given
    assert optimizers.get(make) is given
    assert optimizers.get(lambda: make()) is given


@restates(TEST + "test_object_invalid", TEST + "test_callable_returns_invalid")
def test_other_objects() -> None:
    for given in [(1, 2, 3), lambda: (1, 2, 3)]:
        with pytest.raises(ValueError, match="The given object is not an .*Optimizer instance"):
            optimizers.get(given)
