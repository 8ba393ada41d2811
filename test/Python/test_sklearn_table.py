"""Tables as users pass them, and the arrays that a network reads of them."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

pytest.importorskip("sklearn", reason="scikit-learn, on which mlc.sklearn stands, is not installed")

import scipy.sparse
from mlc.sklearn import MLCClassifier
from mlc.sklearn._table import TableEncoder, read_rows

ROWS = 40
AGE = np.arange(ROWS, dtype=float)
JOB = np.array(["clerk", "smith", "cook", None] * 10, dtype=object)


def encoded(train, table=None, names=None):
    rows = read_rows(train, MLCClassifier())
    encoder = TableEncoder(rows)
    table = rows if table is None else read_rows(table, MLCClassifier())
    return encoder, encoder.inputs(table, names or [f"x{i}" for i in range(10)])


def test_numbers_have_mean_0_and_deviation_1():
    table = np.random.default_rng(0).normal(7, 3, (500, 2)) * [1, 1e200]
    _, arrays = encoded(table)
    assert arrays["x"].dtype == np.float32
    np.testing.assert_allclose(arrays["x"].mean(axis=0), 0, atol=1e-6)
    np.testing.assert_allclose(arrays["x"].std(axis=0), 1, rtol=1e-6)


def test_skewed_numbers_go_through_a_logarithm():
    table = np.concatenate([np.zeros(500), [1e6]])[:, None]
    encoder, arrays = encoded(table)
    assert encoder.numbers.logs.tolist() == [0]
    assert encoder.inputs(read_rows([[-5.0]], None), ["x0"])["x"][0] == arrays["x"][0]  # below 0 counts as 0


def test_a_missing_number_is_the_mean_beside_an_indicator():
    table = np.array([[1.0, 5.0], [np.nan, 6.0], [3.0, 7.0]])
    encoder, arrays = encoded(table)
    np.testing.assert_allclose(arrays["x"][:, 2], [0, 1, 0])
    assert arrays["x"][1, 0] == 0
    # A column without missing ones in training has no indicator.
    np.testing.assert_allclose(encoder.inputs(read_rows([[1.0, np.nan]], None), ["x0", "x1"])["x"][:, 1:], [[0, 0]])


def test_a_constant_column_is_0():
    _, arrays = encoded(np.full((5, 1), 0.1))
    np.testing.assert_array_equal(arrays["x"], 0)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, lambda columns: pd.DataFrame(columns).astype({"job": "category"})])
def test_frames_of_numbers_and_categories(make):
    encoder, arrays = encoded(make({"age": AGE, "job": JOB.tolist()}))
    assert arrays["x"].shape == (ROWS, 1)
    assert len(encoder.categories[1]) == 4  # a missing one is a category, too
    assert len(set(arrays["c0"][:4])) == 4
    new = make({"age": [1.0, 2.0, 3.0], "job": ["pilot", "cook", None]})
    assert encoder.inputs(read_rows(new, None), ["age", "job"])["c0"].tolist() == [4, arrays["c0"][2], arrays["c0"][3]]


def test_a_category_that_comes_once_counts_as_unknown():
    jobs = np.array(["clerk"] * 30 + ["smith"] * 9 + ["king"], dtype=object)
    _, arrays = encoded(pd.DataFrame({"job": jobs}))
    assert arrays["c0"][-1] == 2
    assert "x" not in arrays


def test_nullable_and_boolean_columns_are_numbers():
    frame = pd.DataFrame({"n": pd.array([1, None, 3], dtype="Int64"), "b": [True, False, True], "o": [1, 2.5, None]})
    frame["o"] = frame["o"].astype(object)
    rows = read_rows(frame, None)
    np.testing.assert_array_equal(rows.matrix, [[1, 1, 1], [np.nan, 0, 2.5], [3, 1, np.nan]])


def test_texts_in_arrays_are_categories():
    table = np.array([["a", 1], ["b", 2], ["a", 3]], dtype=object)
    encoder, arrays = encoded(table)
    assert arrays["x"].shape == (3, 1)
    assert arrays["c0"].tolist() == [0, 1, 0]
    assert encoded([["a", 1], ["b", 2], ["a", 3]])[1]["c0"].tolist() == [0, 1, 0]


def test_a_column_of_another_kind_is_told_by_its_name():
    encoder, _ = encoded(pd.DataFrame({"age": AGE, "job": JOB}))
    with pytest.raises(ValueError, match="column 'age' has categories; expected numbers"):
        encoder.inputs(read_rows(pd.DataFrame({"age": ["old"], "job": ["cook"]}), None), ["age", "job"])
    with pytest.raises(ValueError, match="column 'job' has numbers; expected categories"):
        encoder.inputs(read_rows(pd.DataFrame({"age": [1.0], "job": [7.0]}), None), ["age", "job"])
    encoder, _ = encoded(pd.DataFrame({"age": AGE}))
    with pytest.raises(ValueError, match="column 'age' has categories"):
        encoder.inputs(read_rows(pd.DataFrame({"age": ["old"]}), None), ["age"])


def test_dates_are_refused():
    with pytest.raises(ValueError, match="'day'.*datetime64.*expected numbers, texts or categories"):
        read_rows(pd.DataFrame({"day": pd.to_datetime(["2026-01-01"])}), None)


def test_arrays_of_dates_are_refused():
    for dates in (np.array([["2020-01-01"]] * 3, "M8[D]"), np.array([[1]] * 3, "m8[s]")):
        with pytest.raises(ValueError, match=r"X is an array of .*64\[.\]; expected numbers"):
            read_rows(dates, None)


def test_what_is_masked_is_missing():
    table = np.arange(6.0).reshape(3, 2)
    masked = np.ma.masked_array(table, table == 2)
    np.testing.assert_array_equal(read_rows(masked, None).matrix, np.where(table == 2, np.nan, table))
    words = np.ma.masked_array([["a"], ["b"]], [[False], [True]])
    assert read_rows(words, None).columns[0].tolist() == ["a", None]


def test_a_sparse_matrix_of_many_columns_stays_sparse():
    matrix = scipy.sparse.random(50, 5000, density=0.01, format="csr", random_state=0)
    matrix = scipy.sparse.vstack([matrix, matrix, scipy.sparse.csr_matrix((1, 5000))]).tocsr()
    encoder, arrays = encoded(matrix)
    assert arrays["words"].shape[1] == np.diff(matrix.indptr).max()
    assert (arrays["words"][-1] == -1).all()
    # Every value is there once, divided by the root of the mean of its column's squares.
    lengths = (arrays["words"] >= 0).sum(axis=1)
    np.testing.assert_array_equal(lengths, np.diff(matrix.indptr))
    assert encoder.words.count == (np.bincount(matrix.indices, minlength=5000) > 1).sum()
    # Dense rows, and new columns, are read the same.
    dense = encoder.inputs(read_rows(matrix[:3].toarray(), None), [])
    np.testing.assert_allclose(np.sort(dense["word_weights"].sum(axis=1)), np.sort(arrays["word_weights"][:3].sum(axis=1)), rtol=1e-5)


def test_a_sparse_matrix_of_few_columns_is_dense():
    matrix = scipy.sparse.random(50, 10, density=0.2, format="csc", random_state=0)
    _, arrays = encoded(matrix)
    np.testing.assert_allclose(arrays["x"], encoded(matrix.toarray())[1]["x"])
