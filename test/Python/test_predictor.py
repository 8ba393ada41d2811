"""Predictors: a checkpoint that stays in memory."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import threading

import numpy as np
import pytest

from mlc import data, estimator, layers, losses, optimizers
from mlc import feature_column as fc
from mlc.errors import CheckpointError, DataError, UnsupportedError
from mlc.estimator import EstimatorSpec

F = np.float32
X = np.random.default_rng(0).normal(size=(30, 3)).astype(F)
JOBS = np.array(["clerk", "smith", "cook"] * 10)
FEATURES = {"x": X, "job": JOBS}


def rows():
    return data.Dataset.from_arrays(FEATURES, X[:, 0]).repeat().batch(10)


def canned(tmp_path):
    job = fc.categorical_column_with_hash_bucket("job", 10)
    columns = [fc.numeric_column("x", shape=3), fc.embedding_column(job, 2)]
    return estimator.DNNRegressor([8], columns, model_dir=str(tmp_path), config=estimator.RunConfig(tf_random_seed=1))


def test_a_predictor_gives_what_predict_gives(tmp_path):
    model = canned(tmp_path)
    model.train(rows, steps=5)
    expected = next(iter(model.predict(lambda: data.Dataset.from_arrays(FEATURES).batch(30), yield_single_examples=False)))
    predictor = model.predictor()
    assert predictor.checkpoint == model.latest_checkpoint()
    np.testing.assert_array_equal(predictor(FEATURES)["predictions"], expected["predictions"])
    for i in (0, 7, 29):
        row = predictor({"x": X[i : i + 1], "job": [JOBS[i]]})
        np.testing.assert_array_equal(row["predictions"], expected["predictions"][i : i + 1])
    # What is trained meanwhile changes nothing.
    model.train(rows, steps=50)
    np.testing.assert_array_equal(predictor(FEATURES)["predictions"], expected["predictions"])
    assert np.any(model.predictor()(FEATURES)["predictions"] != expected["predictions"])
    old = model.predictor(checkpoint_path=predictor.checkpoint)
    np.testing.assert_array_equal(old(FEATURES)["predictions"], expected["predictions"])


def test_after_an_error_it_goes_on(tmp_path):
    column = fc.indicator_column(fc.categorical_column_with_identity("id", 5))
    model = estimator.DNNRegressor([4], [column], model_dir=str(tmp_path))
    model.train(lambda: data.Dataset.from_arrays({"id": [1, 2]}, [0.0, 1.0]).batch(2), steps=1)
    predictor = model.predictor()
    first = predictor({"id": [3]})["predictions"]
    with pytest.raises(DataError, match="9"):
        predictor({"id": [3, 9]})
    with pytest.raises(DataError, match="no key 'id'"):
        predictor({"ids": [3]})
    with pytest.raises(DataError, match="no row"):
        predictor({"id": np.array([], np.int64)})
    np.testing.assert_array_equal(predictor({"id": [3]})["predictions"], first)


def test_of_a_model_fn(tmp_path):
    def model_fn(features, labels, mode):
        y = layers.dense(features["x"], 1)
        loss = None if labels is None else losses.mean_squared_error(labels[:, None], y)
        train_op = None if labels is None else optimizers.SGD(0.1).minimize(loss)
        return EstimatorSpec(mode, predictions=y, loss=loss, train_op=train_op)

    model = estimator.Estimator(model_fn, str(tmp_path))
    with pytest.raises(UnsupportedError, match="nothing is known of the features"):
        model.predictor()
    initial = model.predictor({"x": X[:1]})
    assert initial.checkpoint is None and initial({"x": X}).shape == (30, 1)
    model.train(lambda: data.Dataset.from_arrays({"x": X}, X[:, 0]).repeat().batch(10), steps=50)
    assert np.abs(model.predictor()({"x": X})[:, 0] - X[:, 0]).max() < 0.5


def test_threads_and_checkpoints(tmp_path):
    model = canned(tmp_path)
    model.train(rows, steps=1)
    predictor = model.predictor()
    found = []

    def call():
        try:
            predictor(FEATURES)
        except RuntimeError as error:
            found.append(str(error))
        found.append(model.predictor()(FEATURES)["predictions"].shape)

    thread = threading.Thread(target=call)
    thread.start()
    thread.join()
    assert "make one in each thread" in found[0] and found[1] == (30, 1)
    with pytest.raises(CheckpointError):
        model.predictor(checkpoint_path=str(tmp_path / "none"))
