"""What a generator may do wrong in its second batch: told with the batch, the key and what was expected, for a canned
Estimator and for a model_fn; and what only looks wrong."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlc import estimator, layers, losses, ops, train
from mlc import feature_column as fc
from mlc.errors import DataError, ModelError, ModelTypeError, NanLossDuringTrainingError

pytest.importorskip("mlc._native")

X = np.arange(6, dtype=np.float32)
W = np.array(["a", "b"] * 3)
Y = np.array([0, 1] * 3)


def canned(directory: Path) -> estimator.Estimator:
    words = fc.categorical_column_with_vocabulary_list("w", ["a", "b"])
    return estimator.DNNClassifier([3], [fc.numeric_column("x"), fc.indicator_column(words)], directory)


def model_fn(features: Any, labels: Any, mode: str) -> estimator.EstimatorSpec:
    known = ops.cast(features["w"] == "a", "float32")
    y = layers.dense(ops.stack([ops.cast(features["x"], "float32"), known], axis=1), 1)
    loss = losses.mean_squared_error(ops.reshape(ops.cast(labels, "float32"), [-1, 1]), y)
    return estimator.EstimatorSpec(mode, loss=loss, train_op=train.GradientDescentOptimizer(0.1).minimize(loss))


def own(directory: Path) -> estimator.Estimator:
    return estimator.Estimator(model_fn, directory)


def changed(**columns: Any) -> Any:
    return {"x": X, "w": W, **columns}, Y


FEATURE = "batch 2 of the input: feature 'x'"
WRONG: dict[str, tuple[Any, str, str]] = {
    "shape": (changed(x=np.ones([6, 2])), rf"{FEATURE}: found rows of the shape \(2,\); expected one number", r"\(2,\); expected \(\), as"),
    "text": (changed(x=W), f"{FEATURE}: found text; expected numbers", f"{FEATURE}: found an array of <U1; expected float32"),
    "no key": (({"w": W}, Y), "batch 2 of the input: features have no key 'x', which numeric_column 'x' needs; found 'w'",
               "batch 2 of the input: features have no key 'x', which the first data had; found 'w'"),
    "None": (changed(x=None), f"{FEATURE}: found None; expected an array", f"{FEATURE}: found None; expected an array"),
    "no batch": (None, "batch 2 .* dictionary of columns by key. Given type: NoneType", "batch 2 .* of type NoneType; the first data had a dict"),
    "a number": (3, "batch 2 .* dictionary of columns by key. Given type: int", "batch 2 .* of type int; the first data had a dict"),
    "objects": (changed(x=np.array([1, "a", None, 2.0, 3, 4], object)), f"{FEATURE}, row 1: found 'a'", f"{FEATURE}, row 1: found 'a'; expected a number"),
    "words": (changed(w=["a", 1, None, "b", "a", "b"]), "batch 2 .*feature 'w', row 1: found 1", "batch 2 .*feature 'w', row 1: found 1"),
    "a hole": (changed(x=[1, 2, None, 4, 5, 6]), f"{FEATURE}, row 2: found no value", f"{FEATURE}, row 2: found no value"),
    "large": (changed(x=np.where(X == 3, 1e300, X.astype(float))), f"{FEATURE}, row 3: found 1e.300; expected", f"{FEATURE}, row 3: found 1e.300; expected"),
    "a bignum": (changed(x=[10**30] * 6), f"{FEATURE}: found an integer of more", f"{FEATURE}: found an integer of more"),
    "rows": (({"x": X, "w": W}, Y[:3]), "batch 2 .*label has 3 rows; expected 6", "batch 2 .*different numbers of rows: 'x' has 6"),
    "dates": (changed(x=np.array(["2020-01-01"] * 6, "datetime64[D]")), f"{FEATURE}: found dates", f"{FEATURE}: found an array of datetime64"),
    "complex": (changed(x=X.astype(complex)), f"{FEATURE}: found complex numbers", f"{FEATURE}: found an array of complex128"),
    "scalar": (changed(x=np.float32(3)), f"{FEATURE}: found a float32; expected an array", f"{FEATURE}: found a float32; expected an array"),
    "no labels": (({"x": X, "w": W}, None), "batch 2 .*there are no labels", "batch 2 .*there are no labels"),
}  # fmt: skip


def with_second(batch: Any) -> Any:
    def batches() -> Iterator[Any]:
        yield changed()
        yield batch
        yield changed()

    return batches


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_batch_is_named(name: str, tmp_path: Path) -> None:
    batch, *texts = WRONG[name]
    for model, text in zip((canned(tmp_path / "canned"), own(tmp_path / "own")), texts, strict=True):
        with pytest.raises(DataError, match=text):
            model.train(with_second(batch))


def test_wrong_numbers(tmp_path: Path) -> None:
    labels = Y.astype(float)
    labels[2] = np.nan
    with pytest.raises(DataError, match="batch 2 of the input: label, row 2: found no value"):
        canned(tmp_path / "a").train(with_second(({"x": X, "w": W}, labels)))
    with pytest.raises(DataError, match="batch 2 of the input, row 0: .*label 'label': 5 is out of range") as raised:
        canned(tmp_path / "b").train(with_second(({"x": X, "w": W}, Y + 5)))
    assert raised.value.row == 0
    model = canned(tmp_path / "e")
    with pytest.raises(DataError, match="batch 2 of the input, row 1: .*label 'label': -1 is out of range"):
        model.evaluate(with_second(({"x": X, "w": W}, -Y)))
    infinite = np.where(X == 2, np.inf, X)
    with pytest.raises(DataError, match=f"{FEATURE}, row 2: found an infinite number"):
        canned(tmp_path / "c").train(with_second(changed(x=infinite)))
    with pytest.raises(NanLossDuringTrainingError, match="the loss is .* at step 2"):
        own(tmp_path / "d").train(with_second(changed(x=infinite)))


@pytest.mark.parametrize("make", [canned, own])
def test_what_an_iterator_raises_comes_through(make: Any, tmp_path: Path) -> None:
    def batches() -> Iterator[Any]:
        yield changed()
        raise OSError("the disk is gone")

    with pytest.raises(OSError, match="the disk is gone"):
        make(tmp_path).train(batches)


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt, SystemExit])
def test_predictions_do_not_end_without_a_word(error: type[BaseException], tmp_path: Path) -> None:
    model = canned(tmp_path)
    model.train(lambda: iter([changed()]))

    def batches() -> Iterator[Any]:
        yield changed()[0]
        raise error("no more")

    with pytest.raises(error, match="no more"):
        list(model.predict(batches))


@pytest.mark.parametrize("make", [canned, own])
@pytest.mark.parametrize(
    ("batch", "steps"),
    [
        (changed(z=X), 3),
        (({"x": np.repeat(X, 2)[::2], "w": W[::-1][::-1]}, np.repeat(Y, 2)[::2]), 3),
        (({"x": X.astype(">f8"), "w": W.astype(">U1")}, Y.astype(">i4")), 3),
        (({"x": X[:0], "w": W[:0]}, Y[:0]), 2),
    ],
    ids=["a key more", "not contiguous", "big-endian", "no row"],
)
def test_what_only_looks_wrong(make: Any, batch: Any, steps: int, tmp_path: Path) -> None:
    found, expected = make(tmp_path / "found"), make(tmp_path / "expected")
    found.train(with_second(batch))
    expected.train(lambda: iter([changed()] * steps))
    for name in expected.get_variable_names():
        np.testing.assert_array_equal(found.get_variable_value(name), expected.get_variable_value(name))


def test_missing_words_of_a_model_fn_are_empty(tmp_path: Path) -> None:
    model, expected = own(tmp_path / "a"), own(tmp_path / "b")
    model.train(lambda: iter([({"x": X, "w": np.array([None, "a", np.nan, "b", "a", b"b"], object)}, Y)]))
    expected.train(lambda: iter([({"x": X, "w": ["", "a", "", "b", "a", "b"]}, Y)]))
    for name in expected.get_variable_names():
        np.testing.assert_array_equal(model.get_variable_value(name), expected.get_variable_value(name))


@pytest.mark.parametrize(
    ("features", "text"),
    [
        ({"x": X, 3: X}, "features have keys of several types: 'x', 3; expected strings"),
        ({"x": np.array(3.0)}, r"feature 'x': found an array of float64 with the shape \(\); expected one value for each row"),
        ({"x": None}, "feature 'x': found None; expected one value for each row"),
    ],
)
def test_a_first_batch_that_is_none(features: Any, text: str, tmp_path: Path) -> None:
    with pytest.raises(DataError, match=text):
        own(tmp_path).train(lambda: (features, Y), steps=1)


def test_what_an_op_meets_is_told_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"'df.sub' at .*test_bad_input.py:\d+.* must be equally large"):
        own(tmp_path / "a").train(lambda: iter([({"x": X, "w": W}, np.stack([Y, Y], 1))]))
    with pytest.raises(ModelError, match=r"'df.string_to_number' at .*test_bad_input.py:\d+.* row 0: 'a' is no number"):
        own(tmp_path / "b").train(lambda: iter([({"x": X, "w": W}, W)]))


def test_functions_of_numpy_are_told(tmp_path: Path) -> None:
    def with_numpy(features: Any, labels: Any, mode: str) -> Any:
        return np.mean(features["x"])

    with pytest.raises(ModelTypeError, match=r"numpy.mean was given <Tensor .*use ops.mean\n.*with_numpy: return np.mean"):
        estimator.Estimator(with_numpy, tmp_path).train(lambda: iter([changed()]))
