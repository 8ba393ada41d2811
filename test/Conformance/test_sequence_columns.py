"""Columns of sequences as tf.feature_column 2.15 tests them, in sequence_feature_column_test.py.

What a column makes of features is told by an RNNEstimator with given variables, and in a model_fn by sequence_input_layer.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from columns import computed
from rnn import EMBEDDINGS, assert_steps
from upstream import restates

from mlc import feature_column as fc
from mlc import ops
from mlc.feature_column._sequence_layer import ids_of_steps

NAN = np.nan


def says(group: str, *tests: str) -> pytest.MarkDecorator:
    return restates(*(f"feature_column/sequence_feature_column_test.py::{group}::{test}" for test in tests))


# Numbers


@says("SequenceNumericColumnTest", "test_defaults")
def test_defaults_of_numbers() -> None:
    column = fc.sequence_numeric_column("aaa")
    found = (column.key, column.name, column.shape, column.default_value, column.dtype, column.normalizer_fn)
    assert found == ("aaa", "aaa", (1,), 0.0, "float32", None)


@says("SequenceNumericColumnTest", "test_shape_saved_as_tuple")
def test_shape_of_a_step() -> None:
    assert fc.sequence_numeric_column("aaa", shape=[1, 2]).shape == (1, 2)


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


def steps_of(column: Any, values: Any, directory: Path) -> tuple[Any, Any]:
    """The numbers of each step that a column makes, and the lengths of rows."""
    found = computed(
        lambda given: dict(zip(("steps", "lengths"), fc.sequence_input_layer(given, [column]), strict=True)),
        {"aaa": np.asarray(values)}, directory,
    )  # fmt: skip
    assert found["lengths"].dtype == np.int64
    return found["steps"].tolist(), found["lengths"].tolist()


TWO_PAIRS = [[20.0, 3.0], [5.0, NAN]], [[3.0, NAN], [8.0, NAN]]
EIGHT = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
FOUR = [10.0, 11.0, 12.0, 13.0]


def with_gaps(numbers: list[float]) -> list[float]:
    """No number after each."""
    return [each for number in numbers for each in (number, NAN)]


@pytest.mark.parametrize(
    ("shape", "values", "steps"),
    [
        pytest.param(
            (1,), [[0.0, 1.0], [10.0, NAN]], [[[0], [1]], [[10], [0]]],
            marks=says("SequenceNumericColumnTest", "test_get_sequence_dense_tensor"), id="2d",
        ),
        pytest.param(
            (1,), TWO_PAIRS, [[[20], [3], [5], [0]], [[3], [0], [8], [0]]],
            marks=says("SequenceNumericColumnTest", "test_get_sequence_dense_tensor"), id="3d",
        ),
        pytest.param(
            (2, 2), [EIGHT, FOUR + [NAN] * 4], [[EIGHT[:4], EIGHT[4:]], [FOUR, [0] * 4]],
            marks=says("SequenceNumericColumnTest", "test_get_dense_tensor_multi_dim"), id="2d_of_matrices",
        ),
        pytest.param(
            (2, 2), [[with_gaps(EIGHT[:4]), with_gaps(EIGHT[4:])], [with_gaps(FOUR), [NAN] * 8]],
            [
                [[0, 0, 1, 0], [2, 0, 3, 0], [4, 0, 5, 0], [6, 0, 7, 0]],
                [[10, 0, 11, 0], [12, 0, 13, 0], [0] * 4, [0] * 4],
            ],
            marks=says("SequenceNumericColumnTest", "test_get_dense_tensor_multi_dim"), id="3d_of_matrices",
        ),
    ],
)  # fmt: skip
def test_numbers_of_each_step(shape: Any, values: Any, steps: Any, tmp_path: Path) -> None:
    """A step's numbers lie in one row of the layer, whatever their shape."""
    assert steps_of(fc.sequence_numeric_column("aaa", shape=shape), values, tmp_path)[0] == steps


@says("SequenceNumericColumnTest", "test_get_sequence_dense_tensor_with_normalizer_fn")
def test_a_normalizer_sees_absent_steps(tmp_path: Path) -> None:
    def two_more(x: Any) -> Any:
        """Of step i in row i."""
        rows, steps = (ops.cumsum(ops.ones_like(x), axis=axis) for axis in (0, 1))
        return x + ops.where(ops.equal(rows, steps), 2.0, 0.0)

    column = fc.sequence_numeric_column("aaa", normalizer_fn=two_more)
    assert steps_of(column, [[0.0, 1.0], [10.0, NAN]], tmp_path)[0] == [[[2], [1]], [[10], [2]]]


@says("SequenceNumericColumnTest", "test_sequence_length")
@pytest.mark.parametrize(
    ("shape", "values", "lengths"),
    [
        ((1,), [[2.0, NAN], [0.0, 1.0]], [1, 2]),
        ((1,), [[[2.0, NAN], [NAN, NAN]], [[0.0, 1.0], [2.0, NAN]]], [1, 2]),
        ((2,), [[2.0, NAN], [0.0, 1.0]], [1, 1]),
        ((2,), [[[2.0, NAN], [NAN, NAN]], [[0.0, 1.0], [2.0, NAN]]], [1, 2]),
    ],
)
def test_numbers_of_steps(shape: Any, values: Any, lengths: Any, tmp_path: Path) -> None:
    assert steps_of(fc.sequence_numeric_column("aaa", shape=shape), values, tmp_path)[1] == lengths


# Ids


TEXTS_2D = [["marlo", ""], ["skywalker", "omar"]], [[[2], [-1]], [[-1], [0]]]
TEXTS_3D = (
    [[["", "", "omar"], [""] * 3, [""] * 3], [["skywalker", "", ""], [""] * 3, ["marlo", "", ""]]],
    [[[-1, -1, 0], [-1] * 3, [-1] * 3], [[-1] * 3, [-1] * 3, [2, -1, -1]]],
)
IDS_2D = [[1, -1], [2, 0]], [[[1], [-1]], [[2], [0]]]
IDS_3D = [[[-1, -1, 6], [-1] * 3, [-1] * 3], [[7, -1, -1], [-1] * 3, [8, -1, -1]]]
NAMES = ["omar", "stringer", "marlo"]


def of_file(directory: Path) -> Any:
    path = directory / "names.txt"
    path.write_text("\n".join(NAMES))
    return fc.sequence_categorical_column_with_vocabulary_file("aaa", str(path), vocabulary_size=3)


@pytest.mark.parametrize(
    ("make", "values", "ids"),
    [
        pytest.param(make, *each, marks=says(f"SequenceCategoricalColumnWith{kind}Test", "test_get_sparse_tensors"))
        for kind, make, several in (
            ("Identity", lambda _: fc.sequence_categorical_column_with_identity("aaa", 9), (IDS_2D, (IDS_3D, IDS_3D))),
            ("VocabularyFile", of_file, (TEXTS_2D, TEXTS_3D)),
            (
                "VocabularyList", lambda _: fc.sequence_categorical_column_with_vocabulary_list("aaa", NAMES),
                (TEXTS_2D, TEXTS_3D),
            ),
        )
        for each in several
    ],
)  # fmt: skip
def test_ids_of_steps(make: Any, values: Any, ids: Any, tmp_path: Path) -> None:
    column = make(tmp_path)
    found = computed(lambda given: ids_of_steps(column, given)[0], {"aaa": np.array(values)}, tmp_path)
    assert found.tolist() == ids


@says("SequenceCategoricalColumnWithHashBucketTest", "test_get_sparse_tensors")
@pytest.mark.parametrize("values", [[["omar", ""], ["stringer", "marlo"]], TEXTS_3D[0]], ids=["2d", "3d"])
def test_hashed_ids_of_steps(values: Any, tmp_path: Path) -> None:
    column = fc.sequence_categorical_column_with_hash_bucket("aaa", 10)
    found = computed(lambda given: ids_of_steps(column, given)[0], {"aaa": np.array(values)}, tmp_path)
    assert (found >= 0).tolist() == (np.array(values).reshape(found.shape) != "").tolist()
    assert found.max() < 10


@pytest.mark.parametrize(
    ("ids", "steps", "lengths"),
    [
        pytest.param(
            [[2, -1], [0, 1], [-1, -1], [1, -1]],
            [[[0, 0, 1], [0] * 3], [[1, 0, 0], [0, 1, 0]], [[0] * 3, [0] * 3], [[0, 1, 0], [0] * 3]], [1, 2, 0, 1],
            marks=says("SequenceIndicatorColumnTest", "test_get_sequence_dense_tensor", "test_sequence_length"), id="2d",
        ),
        pytest.param(
            [[[2, -1], [-1, -1]], [[0, 1], [2, -1]], [[-1, -1], [-1, -1]], [[1, -1], [2, 2]]],
            [[[0, 0, 1], [0] * 3], [[1, 1, 0], [0, 0, 1]], [[0] * 3, [0] * 3], [[0, 1, 0], [0, 0, 2]]], [1, 2, 0, 2],
            marks=says("SequenceIndicatorColumnTest", "test_get_sequence_dense_tensor", "test_sequence_length"), id="3d",
        ),
    ],
)  # fmt: skip
def test_counts_of_each_step(ids: Any, steps: Any, lengths: Any, tmp_path: Path) -> None:
    column = fc.indicator_column(fc.sequence_categorical_column_with_identity("aaa", 3))
    assert steps_of(column, ids, tmp_path) == (steps, lengths)


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
