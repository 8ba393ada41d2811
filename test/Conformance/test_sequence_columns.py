"""Columns of sequences as tf.feature_column 2.15 tests them, in sequence_feature_column_test.py.

What a column makes of features is told by an RNNEstimator with given variables.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rnn import EMBEDDINGS, assert_steps
from upstream import restates

from mlc import feature_column as fc


def says(group: str, *tests: str) -> pytest.MarkDecorator:
    return restates(*(f"feature_column/sequence_feature_column_test.py::{group}::{test}" for test in tests))


# Numbers


@says("SequenceNumericColumnTest", "test_defaults")
def test_defaults_of_numbers() -> None:
    column = fc.sequence_numeric_column("aaa")
    found = (column.key, column.name, column.shape, column.default_value, column.dtype, column.normalizer_fn)
    assert found == ("aaa", "aaa", (1,), 0.0, "float32", None)


@says("SequenceNumericColumnTest", "test_parents")
def test_parents_of_numbers() -> None:
    assert list(fc.sequence_numeric_column(key="my-key").parents) == ["my-key"]


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        pytest.param(
            {"shape": [1.0]}, TypeError, "dimension of shape must be an integer; found 1.0",
            marks=says("SequenceNumericColumnTest", "test_shape_must_be_positive_integer"), id="float",
        ),
        pytest.param(
            {"shape": [0]}, ValueError, "dimension of shape must be at least 1; found 0",
            marks=says("SequenceNumericColumnTest", "test_shape_must_be_positive_integer"), id="zero",
        ),
        pytest.param(
            {"dtype": "string"}, ValueError, "dtype must be convertible to float",
            marks=says("SequenceNumericColumnTest", "test_dtype_is_convertible_to_float"), id="text",
        ),
        pytest.param(
            {"normalizer_fn": "NotACallable"}, TypeError, "must be a callable",
            marks=says("SequenceNumericColumnTest", "test_normalizer_fn_must_be_callable"), id="normalizer",
        ),
    ],
)  # fmt: skip
def test_refused_numbers(arguments: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        fc.sequence_numeric_column("aaa", **arguments)


@says("SequenceNumericColumnTest", "test_sequence_length_with_empty_rows")
def test_steps_of_numbers(tmp_path: Path) -> None:
    rows = [[], [0.0, 1.0], [2.0], [], [3.0], []]
    steps = [[[number] for number in row] for row in rows]
    assert_steps([fc.sequence_numeric_column("aaa")], {"aaa": rows}, steps, tmp_path)


# Ids


@says("SequenceIndicatorColumnTest", "test_sequence_length_with_empty_rows")
def test_steps_of_indicators(tmp_path: Path) -> None:
    column = fc.indicator_column(fc.sequence_categorical_column_with_identity("aaa", 3))
    rows = [[], [2], [0, 1], [], [1], []]
    assert_steps([column], {"aaa": rows}, [[np.eye(3)[i] for i in row] for row in rows], tmp_path)


SHARED = [[1.0, 2.0], [3.0, 5.0], [7.0, 11.0]]
# The rows of three tests, one after the other.
A_ROWS = [[2], [0, 1], [], [1], [2], [0, 1], [], [2], [0, 1], [], [1], []]
B_ROWS = [[1], [0, 2], [0], [], [0, 2], [1], [2], [], [], [], [1], [0, 1]]


@says(
    "SequenceSharedEmbeddingColumnTest", "test_get_sequence_dense_tensor", "test_sequence_length",
    "test_sequence_length_with_empty_rows",
)  # fmt: skip
@pytest.mark.parametrize(("place", "key", "rows"), [(0, "aaa", A_ROWS), (1, "bbb", B_ROWS)])
def test_steps_of_shared_embeddings(place: int, key: str, rows: Any, tmp_path: Path) -> None:
    """Columns of two keys, each in a model of its own, whose variable has one name and the same values."""
    parents = [fc.sequence_categorical_column_with_identity(name, 3) for name in ("aaa", "bbb")]
    column = fc.shared_embeddings(parents, dimension=2)[place]
    table = {EMBEDDINGS.format("aaa_bbb_shared_embedding"): SHARED}
    assert_steps([column], {key: rows}, [[SHARED[i] for i in row] for row in rows], tmp_path, variables=table)


# Context


@says("ConcatenateContextInputTest", "test_concatenate_context_input")
def test_context_is_part_of_each_step(tmp_path: Path) -> None:
    numbers, context = np.arange(12.0).reshape(2, 3, 2), np.arange(10.0).reshape(2, 5)
    steps = [
        [[0, 1, 0, 1, 2, 3, 4], [2, 3, 0, 1, 2, 3, 4], [4, 5, 0, 1, 2, 3, 4]],
        [[6, 7, 5, 6, 7, 8, 9], [8, 9, 5, 6, 7, 8, 9], [10, 11, 5, 6, 7, 8, 9]],
    ]
    assert_steps(
        [fc.sequence_numeric_column("a"), fc.sequence_numeric_column("b")],
        {"a": numbers[..., 0], "b": numbers[..., 1], "context": context},
        steps, tmp_path, [fc.numeric_column("context", shape=5)],
    )  # fmt: skip
