"""What canned/linear_estimator_test.py, dnn_estimator_test.py and dnn_linear_combined_estimator_test.py say of whole uses."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from pathlib import Path
from typing import Any

import canned
from dnn import DNN_HEAD_FILE
from linear import COMBINED_HEAD_FILE, LINEAR_HEAD_FILE
from upstream import Kind, cases

from mlc import estimator, optimizers
from mlc import feature_column as fc

COLUMNS = [fc.numeric_column("x", shape=2)]
FTRL, ADAGRAD = optimizers.Ftrl(0.01), optimizers.Adagrad(0.01)


def linear(head: estimator.Head, model_dir: str, has_optimizers: bool) -> estimator.Estimator:
    arguments: dict[str, Any] = {"optimizer": FTRL} if has_optimizers else {}
    return estimator.LinearEstimator(head, COLUMNS, model_dir, **arguments)


def dnn(head: estimator.Head, model_dir: str, has_optimizers: bool) -> estimator.Estimator:
    arguments: dict[str, Any] = {"optimizer": ADAGRAD} if has_optimizers else {}
    return estimator.DNNEstimator(head, (2, 2), COLUMNS, model_dir, **arguments)


def combined(head: estimator.Head, model_dir: str, has_optimizers: bool) -> estimator.Estimator:
    arguments: dict[str, Any] = {"dnn_optimizer": ADAGRAD, "linear_optimizer": FTRL} if has_optimizers else {}
    return estimator.DNNLinearCombinedEstimator(
        head, model_dir, COLUMNS, dnn_feature_columns=COLUMNS, dnn_hidden_units=(2, 2), **arguments
    )


KINDS = [
    Kind("linear", LINEAR_HEAD_FILE, "LinearEstimator{}Test", linear),
    Kind("dnn", DNN_HEAD_FILE, "DNNEstimator{}Test", dnn),
    Kind("combined", COMBINED_HEAD_FILE, "DNNLinearCombinedEstimator{}Test", combined),
]


@cases((KINDS, "Integration", {"test_numpy_input_fn": False, "test_numpy_input_fn_with_optimizer_instance": True}))
def test_use(kind: Kind, case: bool, tmp_path: Path) -> None:
    model = kind.make(estimator.RegressionHead(label_dimension=2), str(tmp_path / "m"), case)
    x = canned.TWO_NUMBERS
    canned.assert_whole_use(model, canned.numpy_inputs(x, x), 10, "predictions", (10, 2), tmp_path)
