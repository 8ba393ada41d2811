"""Recurrent models as tf.estimator's tests make them: given variables, and what these make of sequences."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import canned
import numpy as np

from mlc import estimator

CELL = "rnn_model/rnn/simple_rnn_cell"
EMBEDDINGS = "sequence_features/{}/embedding_weights"
"""Of the name of a column."""


def cell_variables(kernel: Any, recurrent: Any, bias: Any) -> dict[str, Any]:
    """Variables of a simple cell under their names."""
    return {f"{CELL}/kernel": kernel, f"{CELL}/recurrent_kernel": recurrent, f"{CELL}/bias": bias}


def logits_variables(kernel: Any, bias: Any) -> dict[str, Any]:
    return {"rnn_model/logits/kernel": kernel, "rnn_model/logits/bias": bias}


def last_outputs(rows: Sequence[Any], cell: Mapping[str, Any]) -> np.ndarray:
    """What a simple cell has after the last step of each row; rows are lists of steps, steps lists of numbers."""
    kernel, recurrent, bias = (np.asarray(value, np.float64) for value in cell.values())
    found = np.zeros((len(rows), len(bias)))
    for i, steps in enumerate(rows):
        for step in steps:
            found[i] = np.tanh(np.asarray(step) @ kernel + found[i] @ recurrent + bias)
    return found


def assert_steps(
    columns: Any, features: Mapping[str, Any], rows: Sequence[Any], directory: Path, context: Any = (),
    variables: canned.Variables | None = None,
) -> None:  # fmt: skip
    """These are the steps that an RNNEstimator has of each row, of sequences and context, with values of variables.

    Its cell weights each number of a step in another way and is far from the bounds of tanh: other numbers, other
    orders and other lengths have other outputs.
    """
    width = max(len(step) for steps in rows for step in steps)
    random = np.random.default_rng(0)
    scale = 0.5 / max(abs(number) for steps in rows for step in steps for number in step)
    cell = cell_variables(
        random.uniform(0.3, 1, (width, width)) * scale, random.uniform(0.3, 1, (width, width)) / (2 * width),
        random.uniform(0.1, 0.3, width),
    )  # fmt: skip
    head = estimator.RegressionHead(label_dimension=width)
    model = estimator.RNNEstimator(head, columns, context, units=[width], model_dir=str(directory / "m"))
    given = {**cell, **logits_variables(np.eye(width), np.zeros(width)), **(variables or {})}
    found = [row["predictions"] for row in canned.starting_with(model, given).predict(lambda: features)]
    np.testing.assert_allclose(found, last_outputs(rows, cell), rtol=1e-5, atol=1e-6)
