"""Feature columns in a model_fn, beside canned Estimators and numpy."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import numpy as np
import pytest

from mlc import data, estimator, layers, losses, ops, optimizers, train
from mlc import feature_column as fc
from mlc.errors import DataError, ModelError
from mlc.estimator import EstimatorSpec

F = np.float32
RANDOM = np.random.default_rng(0)
ROWS = 200
FEATURES = {
    "age": RANDOM.uniform(15, 90, ROWS),
    "vector": RANDOM.normal(size=(ROWS, 3)).astype(F),
    "job": RANDOM.choice(["clerk", "smith", "", "cook", "poet"], ROWS),
    "zip": RANDOM.integers(0, 50, ROWS),
    "tags": [list(RANDOM.choice(["a", "b", "c", "d"], RANDOM.integers(0, 4))) for _ in range(ROWS)],
}
FEATURES["weights"] = np.array([[w if i < len(tags) else 0 for i, w in enumerate(row)] for row, tags in
                                zip(RANDOM.uniform(0.1, 2, (ROWS, 3)), FEATURES["tags"], strict=True)])  # fmt: skip
LABELS = RANDOM.normal(size=ROWS).astype(F)
AGE = fc.numeric_column("age", normalizer_fn=fc.zscore(50, 20))
JOB = fc.categorical_column_with_vocabulary_list("job", ["clerk", "smith", "cook"], num_oov_buckets=2)
ZIP = fc.categorical_column_with_identity("zip", 60)
TAGS = fc.categorical_column_with_hash_bucket("tags", 20)


def computed(columns, features=None, layer=fc.input_layer):
    """What the layer makes of features, with the first values of its variables."""

    def model_fn(features, mode):
        return EstimatorSpec(mode, predictions=layer(features, columns))

    dataset = data.Dataset.from_arrays(features or FEATURES).batch(64)
    model = estimator.Estimator(model_fn)
    return np.array(list(model.predict(lambda: dataset)))


def test_columns_without_variables():
    columns = [
        fc.numeric_column("age", normalizer_fn=lambda x: ops.log(x) / 2), fc.numeric_column("vector", shape=3),
        fc.indicator_column(ZIP), fc.bucketized_column(fc.numeric_column("age"), [30, 60]),
    ]  # fmt: skip
    found = computed(columns)
    age = FEATURES["age"].astype(F)
    buckets = np.eye(3, dtype=F)[np.digitize(age, [30, 60])]
    expected = np.concatenate([np.log(age)[:, None] / 2, buckets, FEATURES["vector"], np.eye(60, dtype=F)[FEATURES["zip"]]], 1)
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_values_that_are_none_or_several():
    job = computed([fc.indicator_column(JOB)])
    for row, text in zip(job, FEATURES["job"], strict=True):
        assert row.sum() == (text != "")
        if text in ("clerk", "smith", "cook"):
            assert row[["clerk", "smith", "cook"].index(text)] == 1
    tags = computed([fc.indicator_column(TAGS)])
    np.testing.assert_array_equal(tags.sum(1), [len(row) for row in FEATURES["tags"]])


@pytest.mark.parametrize("combiner", ["sum", "mean", "sqrtn"])
def test_a_linear_model_trains_as_the_canned_one(tmp_path, combiner):
    columns = [
        AGE, fc.numeric_column("vector", shape=3), JOB, ZIP, fc.bucketized_column(fc.numeric_column("age"), [30, 60]),
        fc.weighted_categorical_column(TAGS, "weights"), fc.crossed_column(["job", ZIP], 100),
        fc.crossed_column([fc.bucketized_column(fc.numeric_column("age"), [40]), "tags"], 100),
    ]  # fmt: skip

    def model_fn(features, labels, mode):
        found = fc.linear_model(features, columns, sparse_combiner=combiner)
        loss = losses.mean_squared_error(labels[:, None], found)
        return EstimatorSpec(mode, loss=loss, train_op=optimizers.Ftrl(0.1).minimize(loss))

    def rows():
        return data.Dataset.from_arrays(FEATURES, LABELS).repeat().batch(50)

    config = estimator.RunConfig(log_step_count_steps=1)
    own = estimator.Estimator(model_fn, str(tmp_path / "own"), config=config)
    canned = estimator.LinearRegressor(
        columns, model_dir=str(tmp_path / "canned"), optimizer=optimizers.Ftrl(0.1), sparse_combiner=combiner, config=config
    )
    found = []
    for model in (own, canned):
        steps = {}
        model._run_training(rows, 30, None, on_event=lambda e, steps=steps: steps.update({e["step"]: e["loss"]} if e["event"] == "step" else {}))
        found.append([steps[step] for step in sorted(steps)])
    np.testing.assert_allclose(found[0], found[1], rtol=2e-6)


def test_a_deep_model_of_embeddings_trains(tmp_path):
    shared = fc.shared_embeddings([ZIP, fc.categorical_column_with_identity("zip2", 60)], dimension=2)
    columns = [AGE, fc.embedding_column(JOB, 4, max_norm=1.0), fc.embedding_column(TAGS, 3, combiner="mean"), *shared]
    features = {**FEATURES, "zip2": FEATURES["zip"][::-1]}
    labels = (FEATURES["age"] > 50).astype(np.int64)

    def model_fn(features, labels, mode):
        net = fc.input_layer(features, columns)
        assert net.shape == (None, 1 + 4 + 3 + 2 + 2)
        logits = layers.dense(layers.dense(net, 8, activation="relu"), 2)
        loss = losses.sparse_softmax_cross_entropy(labels, logits)
        return EstimatorSpec(mode, loss=loss, train_op=train.AdamOptimizer(0.05).minimize(loss))

    model = estimator.Estimator(model_fn, str(tmp_path))
    dataset = data.Dataset.from_arrays(features, labels)
    model.train(lambda: dataset.shuffle().repeat().batch(50), steps=60)
    assert model.evaluate(lambda: dataset.batch(50))["loss"] < 0.2
    names = model.get_variable_names()
    assert {"input_layer/job_embedding/embedding_weights", "input_layer/tags_embedding/embedding_weights"} <= set(names)


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        ([ZIP], "wrap it with indicator_column or embedding_column"),
        ([], "must not be empty"),
        ([AGE, AGE], "two columns of the name 'age'"),
        ([fc.numeric_column("agee")], "did you mean 'age'?"),
        ([fc.numeric_column("vector", shape=2)], "has the shape (2,)"),
        ([fc.indicator_column(fc.categorical_column_with_identity("job", 5))], "is one of int64"),
        (["age"], "must be columns"),
    ],
)
def test_mistakes(columns, text):
    with pytest.raises(ModelError) as found:
        computed(columns)
    assert text in str(found.value)


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (fc.categorical_column_with_identity("n", 4, default_value=3), [1, 3, -1, 3]),
        (fc.categorical_column_with_hash_bucket("n", 5, "int64"), [4, 0, -1, 0]),
        (fc.categorical_column_with_hash_bucket("n", 1, "int64"), [0, 0, -1, 0]),
        (fc.categorical_column_with_vocabulary_list("n", [9, -2, 1], num_oov_buckets=1), [2, 1, -1, 0]),
    ],
)
def test_of_negative_numbers_only_minus_one_is_none(column, expected):
    """As TensorFlow 2.15 has them, and canned Estimators."""
    found = computed([fc.indicator_column(column)], {"n": np.array([1, -2, -1, 9])})
    ids = np.where(found.any(axis=1), found.argmax(axis=1), -1)
    assert ids.tolist() == expected


def test_terms_of_a_file(tmp_path):
    path = tmp_path / "numbers.txt"
    path.write_text("30\n-4\n7\n")
    column = fc.categorical_column_with_vocabulary_file("n", path, dtype="int64")
    found = computed([fc.indicator_column(column)], {"n": np.array([7, 30, -4, 8])})
    np.testing.assert_array_equal(found, np.eye(3)[[2, 0, 1, 0]] * [[1], [1], [1], [0]])
    path.write_text("30\nx\n7\n")
    with pytest.raises(ModelError, match="numbers.txt:2: found 'x'; expected an integer"):
        computed([fc.indicator_column(column)], {"n": np.array([7])})
    short = fc.categorical_column_with_vocabulary_file("n", path, vocabulary_size=4)
    with pytest.raises(ModelError, match="numbers.txt has 3 terms; expected vocabulary_size, 4"):
        computed([fc.indicator_column(short)], {"n": np.array(["7"])})


def test_what_no_vocabulary_has_is_a_value_of_a_cross(tmp_path):
    # Ids of TensorFlow 2.15: an unknown job is crossed as -1, one that is missing not at all.
    features = {"job": ["zzz", "clerk", "pilot", "", "clerk", "zzz"], "city": ["oslo", "oslo", "oslo", "oslo", "", ""]}
    expected = [33, 39, 33, None, 18, 54]
    column = fc.crossed_column([fc.categorical_column_with_vocabulary_list("job", ["clerk", "nurse"]), "city"], 60)
    found = computed([fc.indicator_column(column)], features)
    ids = [np.flatnonzero(row).tolist() for row in found]
    assert ids == [[] if each is None else [each] for each in expected]
    canned = estimator.LinearRegressor([column], str(tmp_path / "m"), optimizer=optimizers.SGD(1.0))
    canned.train(lambda: data.Dataset.from_arrays(features, np.ones(6, F)).batch(6), steps=1)
    weights = canned.get_variable_value("linear/linear_model/city_X_job/weights")[:, 0]
    np.testing.assert_allclose(weights, found.sum(0) / 3, atol=1e-6)


def test_each_layer_has_variables_of_its_own():
    shared = fc.shared_embeddings([ZIP, fc.categorical_column_with_identity("zip2", 60)], dimension=2)
    columns = [fc.embedding_column(JOB, 4), *shared]

    def twice(features, columns):
        return ops.stack([fc.input_layer(features, columns), fc.input_layer(features, columns)], axis=1)

    found = computed(columns, {**FEATURES, "zip2": FEATURES["zip"]}, twice)
    assert np.abs(found[:, 0, :4] - found[:, 1, :4]).max() > 0.01
    np.testing.assert_array_equal(found[:, 0, 4:], found[:, 1, 4:])


def test_a_bias_before_a_table_of_rows_of_its_shape(tmp_path):
    """The rate is repeated for both, which the compiler makes one value of."""

    def model_fn(features, labels, mode):
        found = fc.linear_model(features, [JOB]) + fc.linear_model(features, [ZIP])
        loss = losses.mean_squared_error(labels[:, None], found)
        return EstimatorSpec(mode, loss=loss, train_op=optimizers.SGD(0.1).minimize(loss))

    model = estimator.Estimator(model_fn, str(tmp_path / "m"))
    dataset = data.Dataset.from_arrays(FEATURES, LABELS)
    model.train(lambda: dataset.batch(ROWS), steps=1)
    step = 0.1 * 2 * LABELS.astype(np.float64) / ROWS
    expected = np.bincount(FEATURES["zip"], step, minlength=60)
    np.testing.assert_allclose(model.get_variable_value("linear_model_1/zip/weights")[:, 0], expected, rtol=1e-4, atol=1e-7)
    np.testing.assert_allclose(model.get_variable_value("linear_model/bias_weights"), [step.sum()], rtol=1e-4)


def test_an_id_out_of_range_ends_the_run():
    with pytest.raises(DataError, match="59"):
        computed([fc.indicator_column(fc.categorical_column_with_identity("zip", 40))], {"zip": np.array([3, 59])})
