"""Rows that a predictor reads as they are, and rows that have to be converted: both give what predict() gives."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import sys
import threading
from typing import Any

import numpy as np
import pandas as pd
import pytest

from mlc import data, estimator, ops
from mlc import feature_column as fc
from mlc.errors import DataError
from mlc.estimator import EstimatorSpec

F = np.float32
RANDOM = np.random.default_rng(3)
X = RANDOM.normal(size=(40, 3)).astype(F)
AGE = RANDOM.integers(0, 100, size=40)
PLACE = RANDOM.integers(0, 6, size=40)
JOBS = np.array(["clerk", "smith", "cook", "öffner", ""] * 8)
FEATURES: dict[str, Any] = {"x": X, "age": AGE, "place": PLACE, "job": JOBS}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> estimator.Estimator:
    """A classifier of numbers (a vector, one with a default), ids and texts, with weights of rows in training."""
    place = fc.categorical_column_with_identity("place", 6)
    job = fc.categorical_column_with_hash_bucket("job", 50)
    columns = [fc.numeric_column("x", shape=3), fc.numeric_column("age", default_value=7.0),
               fc.embedding_column(place, 2), fc.embedding_column(job, 2)]  # fmt: skip
    directory = str(tmp_path_factory.mktemp("model"))
    made = estimator.DNNClassifier([8], columns, directory, n_classes=3, weight_column="weight")
    rows = {**FEATURES, "weight": np.ones(40, F)}
    made.train(lambda: data.Dataset.from_arrays(rows, AGE % 3).repeat().batch(10), steps=20)
    return made


@pytest.fixture(scope="module")
def predictor(model: estimator.Estimator) -> Any:
    return model.predictor()


def expected(model: estimator.Estimator, features: Any) -> dict[str, np.ndarray]:
    rows = data.Dataset.from_arrays(features)
    return next(iter(model.predict(lambda: rows.batch(len(rows)), yield_single_examples=False)))


def assert_same(found: dict[str, np.ndarray], wanted: dict[str, np.ndarray]) -> None:
    assert list(found) == list(wanted)
    for key, value in wanted.items():
        np.testing.assert_array_equal(found[key], value, strict=True)


def with_(**changed: Any) -> dict[str, Any]:
    """Rows 3 to 7, some columns of which are `changed`."""
    return {**{key: value[3:8] for key, value in FEATURES.items()}, **changed}


JOB = JOBS[3:8]
# What np.asarray makes of Python's numbers and texts is what lists are read as.
READY = {
    "arrays": with_(),
    "one row": {key: value[9:10] for key, value in FEATURES.items()},
    "another order, another key": dict(reversed([*with_(other=object()).items()])),
    "float64": with_(x=X[3:8].astype(np.float64) / 3, age=AGE[3:8] / 3),
    "small integers": with_(age=AGE[3:8].astype(np.int8), place=PLACE[3:8].astype(np.uint8)),
    "large integers": with_(age=np.array([2**62 + 1, -(2**62), 2**24 + 1, 0, 1]), place=PLACE[3:8].astype(np.uint64)),
    "bools": with_(age=AGE[3:8] > 50, x=X[3:8] > 0),
    "[rows, 1]": with_(age=AGE[3:8, None], place=PLACE[3:8, None], job=JOB[:, None]),
    "lists of numbers": with_(age=AGE[3:8].tolist(), place=PLACE[3:8].tolist()),
    "floats and ints": with_(age=[0.1, 2, 2**60 + 1, -3.5, 0]),
    "objects": with_(job=JOB.astype(object)),
    "bytes": with_(job=np.char.encode(JOB, "utf-8")),
    "list of texts": with_(job=JOB.tolist()),
    "texts of several types": with_(job=["clerk", b"cook", np.str_("smith"), "", "a" * 1000]),
    "zeros in texts": with_(job=["a\0b", "\0", b"\0\0", "b\0", ""]),
    "an unaligned array": with_(x=np.frombuffer(b"\1" + X[3:8].tobytes(), dtype=np.uint8)[1:].view(F).reshape(5, 3)),
}


@pytest.mark.parametrize("rows", READY.values(), ids=READY)
def test_rows_that_are_ready(model: estimator.Estimator, predictor: Any, rows: dict[str, Any]) -> None:
    read = predictor._predictions.of(rows)
    assert read is not None
    known = {key: value for key, value in rows.items() if key != "other"}
    assert_same(read, expected(model, known))
    assert_same(predictor(rows), read)


MASKED = np.ma.masked_array(AGE[3:8], mask=[0, 1, 0, 0, 0])
CONVERTED = {
    "big-endian numbers": with_(x=X[3:8].astype(">f4")),
    "big-endian texts": with_(job=JOB.astype(JOB.dtype.newbyteorder(">"))),
    "a part of each row": with_(x=np.hstack([X, X])[3:8, :3]),
    "columns first": with_(x=np.asfortranarray(X[3:8])),
    "every other row": with_(age=AGE[3:13:2]),
    "read backwards": with_(place=PLACE[3:8][::-1]),
    "half floats": with_(x=X[3:8].astype(np.float16)),
    "masked, which has a default": with_(age=MASKED),
    "nan, which has a default": with_(age=np.array([1, np.nan, 3, 4, 5])),
    "nan in a list": with_(age=[1.0, float("nan"), 3.0, 4.0, 5.0]),
    "None, which has a default": with_(age=[1, None, 3, 4, 5]),
    "None, which is no text": with_(job=np.array(["cook", None, "clerk", None, "smith"], dtype=object)),
    "nested lists": with_(x=X[3:8].tolist()),
    "tuples": with_(age=tuple(AGE[3:8].tolist())),
    "numbers as objects": with_(age=AGE[3:8].astype(object), place=PLACE[3:8].astype(object)),
    "other shapes of as many numbers": with_(age=AGE[3:8].reshape(5, 1, 1), x=X[3:8].reshape(5, 3, 1)),
    "Series": with_(age=pd.Series(AGE[3:8]), job=pd.Series(JOB)),
}


@pytest.mark.parametrize("rows", CONVERTED.values(), ids=CONVERTED)
def test_rows_that_are_converted(model: estimator.Estimator, predictor: Any, rows: dict[str, Any]) -> None:
    assert predictor._predictions.of(rows) is None
    assert_same(predictor(rows), expected(model, rows))


def test_rows_that_are_no_dict(model: estimator.Estimator, predictor: Any) -> None:
    class Halved(dict):
        def __getitem__(self, key: str) -> Any:
            value = super().__getitem__(key)
            return value if value.dtype.kind == "U" else value // 2

    assert_same(predictor(Halved(with_())), expected(model, with_(x=X[3:8] // 2, age=AGE[3:8] // 2, place=PLACE[3:8] // 2)))
    with pytest.raises(DataError, match="no key 'x'"):
        predictor(pd.DataFrame({"age": AGE, "place": PLACE, "job": JOBS}))


def converting(model: estimator.Estimator) -> Any:
    """A predictor that reads nothing as it is."""
    made = model.predictor()
    made._predictions.of = lambda features: None
    return made


class Unequal:
    """A key with the hash of "x" that cannot be compared."""

    def __hash__(self) -> int:
        return hash("x")

    def __eq__(self, other: object) -> bool:
        raise ArithmeticError("no comparison")


class NoText(Unequal, str):
    pass


WRONG = {
    "a missing key": {key: value for key, value in with_().items() if key != "place"},
    "no row": {key: value[:0] for key, value in FEATURES.items()},
    "fewer rows": with_(age=AGE[:4]),
    "one number": with_(age=3),
    "an array without rows": with_(age=np.array(3)),
    "texts for numbers": with_(age=JOB),
    "numbers for texts": with_(job=AGE[3:8]),
    "numbers in a list of texts": with_(job=["a", 1, "b", "c", "d"]),
    "texts in a list of numbers": with_(age=[1, "a", 2, 3, 4]),
    "a surrogate alone": with_(job=["\ud800", "a", "b", "c", "d"]),
    "bools for ids": with_(place=PLACE[3:8] > 2),
    "floats for ids": with_(place=PLACE[3:8].astype(F)),
    "a float in a list of ids": with_(place=[1, 2, 3.0, 4, 5]),
    "an id below all": with_(place=[1, -2, 3, 4, 5]),
    "an id above all": with_(place=np.array([1, 2, 3, 4, 6])),
    "more than int64": with_(place=np.array([1, 2, 3, 4, 2**63], dtype=np.uint64)),
    "more than int64 in a list": with_(place=[1, 2, 3, 4, 2**64]),
    "an int beyond all floats": with_(age=[1.5, 10**400, 1, 1, 1]),
    "nan without default": with_(x=np.full((5, 3), np.nan, F)),
    "infinite": with_(x=np.full((5, 3), np.inf, F)),
    "infinite where nan has a default": with_(age=[1.0, 2.0, 3.0, float("-inf"), 1.0]),
    "more than float32": with_(x=np.full((5, 3), 1e39)),
    "two numbers of three": with_(x=X[3:8, :2]),
    "transposed": with_(x=X[3:8].T),
    "complex": with_(x=X[3:8].astype(np.complex64)),
    "dates": with_(age=np.array(["2020-01-01"] * 5, dtype="datetime64[D]")),
    "records": with_(age=np.zeros(5, dtype=[("a", "f4")])),
    "a weight that is text": with_(weight=JOB),
    "no features": None,
    "a list": [with_()],
    "a key that is no text": {**with_(), 7: AGE[3:8]},
    "a text that cannot be compared": {NoText("x"): 1, **{key: value for key, value in with_().items() if key != "x"}},
    "a key that cannot be compared": {Unequal(): 1, **{key: value for key, value in with_().items() if key != "x"}},
}


@pytest.mark.parametrize("rows", WRONG.values(), ids=WRONG)
def test_rows_that_are_wrong(model: estimator.Estimator, rows: Any) -> None:
    """What is said is what is said without rows that are read as they are; the next call works."""
    own, other = model.predictor(), converting(model)
    told = []
    for each in (own, other):
        with pytest.raises(Exception) as raised:  # noqa: PT011 - which one, is compared
            each(rows)
        told.append((type(raised.value), str(raised.value)))
        assert_same(each(with_()), expected(model, with_()))
    assert told[0] == told[1]
    assert issubclass(told[0][0], (DataError, ArithmeticError))


def test_results_are_the_callers_own(predictor: Any) -> None:
    rows = with_(x=X[3:8].copy())
    first, again = predictor(rows), predictor(rows)
    kept = {key: value.copy() for key, value in first.items()}
    rows["x"][:] = 100
    predictor(with_(x=-X[3:8]))
    assert_same(first, kept)
    for key in ("logits", "classes"):
        first[key][:] = 0
        assert np.any(again[key] != first[key])
    # What is the same for each row is not copied for it, and cannot be changed.
    with pytest.raises(ValueError):
        first["all_class_ids"][0, 0] = 5
    with pytest.raises(ValueError):
        first["all_class_ids"].setflags(write=True)


def test_no_reference_is_kept_or_lost(predictor: Any) -> None:
    x, jobs, job = X[3:8].copy(), [f"job {i}" for i in range(5)], np.array([f"text {i}" for i in range(5)], dtype=object)
    objects = [x, jobs, jobs[2], job, job[2], "logits"]
    before = [sys.getrefcount(each) for each in objects]
    for wrong in (False, True):
        for _ in range(10):
            rows = with_(x=x, job=jobs if wrong else job)
            predictor._predictions.of(with_(x=x, place=[99] * 5) if wrong else rows)
            predictor(rows)
    del rows
    assert [sys.getrefcount(each) for each in objects] == before


def test_threads_at_once(model: estimator.Estimator) -> None:
    """Each with its own predictor, while the rows of the others are predicted, too."""
    wanted = [expected(model, {key: value[i : i + 1] for key, value in FEATURES.items()}) for i in range(40)]
    failures: list[BaseException] = []

    def call(first: int) -> None:
        try:
            own = model.predictor()
            for i in [*range(first, 40), *range(first)] * 25:
                texts = JOBS[i : i + 1] if i % 2 else [str(JOBS[i])]
                row = {"x": X[i : i + 1], "age": [int(AGE[i])], "place": PLACE[i : i + 1], "job": texts}
                assert_same(own(row), wanted[i])
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=call, args=(10 * number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures[0]


def test_random_numbers_are_those_of_a_stream_of_the_rows(tmp_path: Any) -> None:
    """Rows that are ready, and rows that are converted, come one after the other."""

    def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
        x = features["x"]
        return EstimatorSpec(mode, predictions=x + ops.random_normal_like(x))

    made = estimator.Estimator(model_fn, str(tmp_path), config=estimator.RunConfig(tf_random_seed=5))
    wanted = list(made.predict(lambda: ({"x": X[i : i + 2]} for i in range(0, 12, 2))))
    own = made.predictor({"x": X[:1]})
    assert len(np.unique(np.stack(wanted) - X[:12])) > 30
    for i in range(0, 12, 2):
        rows = X[i : i + 2] if i % 4 else np.asfortranarray(X[i : i + 2])
        np.testing.assert_array_equal(own({"x": rows}), wanted[i : i + 2])


def test_features_of_a_model_fn(tmp_path: Any) -> None:
    """Read as their dtype, whatever the values are: a model_fn may look for nan itself."""

    def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
        return EstimatorSpec(mode, predictions={"x": features["x"] + 1, "id": features["id"] * 2, "bit": features["bit"]})

    made = estimator.Estimator(model_fn, str(tmp_path))
    rows = {"x": X[:4], "id": AGE[:4].astype(np.int32), "bit": AGE[:4] > 50}
    own = made.predictor(rows)
    ready = [rows, {**rows, "x": X[:4].astype(np.float64)}, {**rows, "id": [1, 2, 3, 4]},
             {**rows, "x": np.full((4, 3), np.nan, F), "other": 1}]  # fmt: skip
    converted = [{**rows, "id": AGE[:4]}, {**rows, "x": X[:4].astype(np.float16)}, {**rows, "x": AGE[:12].reshape(4, 3)},
                 {**rows, "bit": [True, False, True, True]}]  # fmt: skip
    for each in ready + converted:
        found = own(each)
        np.testing.assert_array_equal(found["x"], np.asarray(each["x"]).astype(F) + F(1), strict=True)
        np.testing.assert_array_equal(found["id"], np.asarray(each["id"], np.int32) * 2, strict=True)
        np.testing.assert_array_equal(found["bit"], np.asarray(each["bit"]), strict=True)
    for each in ready:
        assert own._predictions.of(each) is not None
    for each in converted:
        assert own._predictions.of(each) is None
    with pytest.raises(DataError, match="int32, as the first data had"):
        own({**rows, "id": X[:4, 0]})


def test_features_that_are_one_array(tmp_path: Any) -> None:
    made = estimator.Estimator(lambda features, mode: EstimatorSpec(mode, predictions=features * 2), str(tmp_path))
    own = made.predictor(X)
    assert own._predictions.of(X[:2])["predictions"].shape == (2, 3)
    np.testing.assert_array_equal(own(X[:2]), X[:2] * 2, strict=True)
    np.testing.assert_array_equal(own(X.T[:, :2].T), X[:2] * 2, strict=True)
    with pytest.raises(DataError, match="the first data had one array"):
        own({"x": X})


def test_columns_of_several_values_are_converted(tmp_path: Any) -> None:
    tags = fc.indicator_column(fc.categorical_column_with_identity("tags", 5))
    made = estimator.DNNRegressor([4], [tags], model_dir=str(tmp_path))
    rows = {"tags": [[1, 2], [3], [4, 0]]}
    made.train(lambda: data.Dataset.from_arrays(rows, [0.0, 1.0, 2.0]).batch(3), steps=2)
    own = made.predictor()
    assert own._predictions.of(rows) is None
    assert_same(own(rows), expected(made, rows))
