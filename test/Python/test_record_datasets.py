"""Datasets of records that Python decodes: tf.SequenceExamples, and tf.Examples with SparseFeatures."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from records import example, frame, sequence_example

from mlc import errors, estimator, io, optimizers
from mlc import feature_column as fc
from mlc.data import Dataset, _records, make_batched_features_dataset

ROWS = 60
WORDS = ["up", "down", "flat"]
CONTEXT = {"grows": io.FixedLenFeature([], "int64"), "age": io.FixedLenFeature([1], "float32")}
STEPS = {"word": io.VarLenFeature("string"), "price": io.FixedLenSequenceFeature([], "float32")}


def rows() -> list[tuple[list[str], list[float], int, float]]:
    random = np.random.default_rng(3)
    found = []
    for number in range(ROWS):
        words = random.choice(WORDS, random.integers(1, 7)).tolist()
        prices = np.round(random.normal(size=len(words)), 2).astype(np.float32).tolist()
        found.append((words, prices, int(words.count("up") > words.count("down")), float(number)))
    return found


def record(words: list[str], prices: list[float], grows: int, age: float) -> bytes:
    steps = {
        "word": [[word.encode()] for word in words], "price": [np.array([price], np.float32) for price in prices],
    }  # fmt: skip
    return sequence_example(steps, grows=np.array([grows]), age=np.array([age], np.float32))


@pytest.fixture
def pattern(tmp_path: Path) -> str:
    """Two files, one of them packed."""
    frames = [frame(record(*row)) for row in rows()]
    (tmp_path / "a.tfrecord").write_bytes(b"".join(frames[:40]))
    (tmp_path / "b.tfrecord").write_bytes(gzip.compress(b"".join(frames[40:])))
    return str(tmp_path / "*.tfrecord")


def sequences(pattern: str) -> Any:
    return Dataset.from_tfrecord(pattern, CONTEXT, "grows", sequence_features=STEPS)


def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_records, "_PIECE_BYTES", 700)


def batches(dataset: Any, begin: int = 0, seed: int | None = None) -> list[list[float]]:
    """The ages of the rows of each batch."""
    given, found = dataset.batches_from(begin, seed, True), []
    while (batch := given.next()) is not None:
        features, labels = batch
        assert len(features["word"]) == len(features["price"]) == len(labels) == len(features["age"])
        for word, price in zip(features["word"], features["price"], strict=True):
            assert len(word) == len(price)
        found.append(features["age"][:, 0].tolist())
    return found


def test_batches_in_the_order_of_the_files(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    small_pieces(monkeypatch)
    dataset = sequences(pattern)
    assert len(dataset) == ROWS and len(dataset.pieces.rows) > 4
    found = batches(dataset.batch(16))
    assert [len(batch) for batch in found] == [16, 16, 16, 12]
    assert sum(found, []) == list(range(ROWS))
    assert batches(dataset.batch(16, drop_remainder=True).repeat(2)) == found[:3] * 2
    assert batches(dataset.batch(16).repeat(1), begin=2) == [found[2], found[3], found[0], found[1]]
    given, _ = dataset.batch(4).batches_from(0, None, True).next() or ({}, None)
    words, prices, _, _ = rows()[0]
    assert given["word"][0] == [[word.encode()] for word in words]
    np.testing.assert_array_equal(given["price"][0], np.float32(prices))


def test_shuffled_batches_and_where_a_run_goes_on(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    small_pieces(monkeypatch)
    dataset = sequences(pattern).shuffle(buffer_size=20).repeat(2).batch(16)
    found = batches(dataset, seed=5)
    assert sorted(sum(found[:4], [])) == sorted(sum(found[4:], [])) == list(range(ROWS))
    assert found[:4] != found[4:]
    assert batches(dataset, begin=3, seed=5)[:5] == found[3:]
    assert batches(dataset, seed=6) != found


def model(directory: Path) -> estimator.RNNClassifier:
    word = fc.sequence_categorical_column_with_vocabulary_list("word", WORDS)
    return estimator.RNNClassifier(
        [fc.embedding_column(word, 4), fc.sequence_numeric_column("price")], [fc.numeric_column("age", normalizer_fn=fc.zscore(30, 20))],
        units=6, cell_type="gru", optimizer=optimizers.Adam(0.03), model_dir=str(directory),
        config=estimator.RunConfig(tf_random_seed=3),
    )  # fmt: skip


def test_a_recurrent_model_trains_on_it(pattern: str, tmp_path: Path) -> None:
    def shuffled() -> Any:
        return sequences(pattern).shuffle().repeat(60).batch(20)

    whole = model(tmp_path / "whole").train(shuffled)
    assert whole.evaluate(lambda: sequences(pattern).batch(16))["accuracy"] > 0.95
    parts = model(tmp_path / "parts")
    parts.train(shuffled, steps=70)
    parts.train(shuffled, max_steps=180)
    for name in whole.get_variable_names():
        np.testing.assert_array_equal(whole.get_variable_value(name), parts.get_variable_value(name), name)
    # What an input_fn parses is the same.
    features = {"word": [r[0] for r in rows()], "price": [r[1] for r in rows()], "age": np.float32([r[3] for r in rows()])}
    labels = np.array([row[2] for row in rows()])
    assert whole.evaluate(lambda: sequences(pattern).batch(ROWS)) == whole.evaluate(lambda: (features, labels), steps=1)
    predicted = [row["class_ids"][0] for row in whole.predict(lambda: sequences(pattern).batch(16))]
    assert np.mean(np.array(predicted) == labels) > 0.95
    with pytest.raises(ValueError, match="no end"):
        whole.evaluate(lambda: sequences(pattern).repeat().batch(16))


def test_outputs_of_each_step(pattern: str, tmp_path: Path) -> None:
    word = fc.sequence_categorical_column_with_vocabulary_list("word", WORDS)
    tagger = estimator.RNNEstimator(
        estimator.SequentialHeadWrapper(estimator.RegressionHead(), "mask"), [fc.embedding_column(word, 2)], units=4,
        return_sequences=True, model_dir=str(tmp_path), optimizer=optimizers.Adam(0.03),
    )  # fmt: skip

    def prices() -> Any:
        return Dataset.from_tfrecord(pattern, {}, "price", sequence_features=STEPS).shuffle(seed=1).repeat(4).batch(16)

    tagger.train(prices)
    assert np.isfinite(tagger.evaluate(prices)["average_loss"])


def test_what_is_wrong_with_records(tmp_path: Path) -> None:
    path = tmp_path / "x.tfrecord"
    good = [frame(record(*row)) for row in rows()[:3]]
    bad = sequence_example({"word": [[b"up"], [b"up"]], "price": [np.array([1], np.int64)]}, grows=np.array([1]), age=np.float32([1]))
    path.write_bytes(b"".join([*good, frame(bad)]))
    with pytest.raises(errors.DataError, match="x.tfrecord: record 4: feature 'price' is int64; expected float32"):
        sequences(str(path))
    path.write_bytes(b"".join(good)[:-1])
    with pytest.raises(errors.DataError, match="x.tfrecord"):
        sequences(str(path))
    path.write_bytes(b"".join(good))
    with pytest.raises(errors.DataError, match="no column 'grow' for labels.*did you mean 'grows'"):
        Dataset.from_tfrecord(str(path), CONTEXT, "grow", sequence_features=STEPS)
    with pytest.raises(ValueError, match="'age' stands in features and in sequence_features"):
        Dataset.from_tfrecord(str(path), CONTEXT, sequence_features={**STEPS, "age": io.VarLenFeature("float32")})
    with pytest.raises(errors.UnsupportedError, match=r"sequence_features\['word'\] is a FixedLenFeature"):
        Dataset.from_tfrecord(str(path), CONTEXT, sequence_features={"word": io.FixedLenFeature([], "string")})
    dataset = sequences(str(path)).batch(2)
    path.write_bytes(b"".join(good[1:] + good[:1]))
    with pytest.raises(errors.DataError, match="x.tfrecord: the file is not what it was"):
        batches(dataset)


# SparseFeature


SPARSE = {
    "tags": io.SparseFeature("place", "tag", "string", 10), "weights": io.SparseFeature("place", "weight", "float32", 10),
    "y": io.FixedLenFeature([], "int64"),
}  # fmt: skip


def sparse(places: list[int], tags: list[bytes], weights: list[float], y: int = 0) -> bytes:
    return example(place=np.array(places, np.int64), tag=tags, weight=np.float32(weights), y=np.array([y]))


def write(path: Path, *examples: bytes) -> str:
    path.write_bytes(b"".join(map(frame, examples)))
    return str(path)


def test_values_are_in_the_order_of_their_places(tmp_path: Path) -> None:
    path = write(tmp_path / "s", sparse([7, 2], [b"b", b"a"], [0.7, 0.2]), sparse([], [], []), sparse([9], [b"c"], [1]))
    given = Dataset.from_tfrecord(path, SPARSE, "y").batch(3).batches_from(0, None, True).next()
    assert given is not None
    assert [row.tolist() for row in given[0]["tags"]] == [[b"a", b"b"], [], [b"c"]]
    assert [row.tolist() for row in given[0]["weights"]] == [[np.float32(0.2), np.float32(0.7)], [], [1.0]]
    as_written = {**SPARSE, "tags": io.SparseFeature("place", "tag", "string", 10, already_sorted=True)}
    given = Dataset.from_tfrecord(path, as_written, "y").batch(3).batches_from(0, None, True).next()
    assert given is not None and given[0]["tags"][0].tolist() == [b"b", b"a"]
    context, _ = io.parse_single_sequence_example(
        example(i=np.array([1, 0, 1]), j=np.array([0, 4, 3]), v=np.array([5, 6, 7])),
        {"v": io.SparseFeature(["i", "j"], "v", "int64", [2, 5])},
    )
    assert context["v"].tolist() == [6, 5, 7]


def test_a_weighted_column_trains_on_it(tmp_path: Path) -> None:
    random = np.random.default_rng(1)
    examples, features, labels = [], {"tags": [], "weights": []}, []
    for _ in range(40):
        places = random.choice(10, 3, replace=False)
        tags, weights = [f"t{place}".encode() for place in places], random.uniform(0.5, 1, 3).astype(np.float32)
        labels.append(int(0 in places))
        examples.append(sparse(places.tolist(), tags, weights.tolist(), labels[-1]))
        order = np.argsort(places)
        features["tags"].append([tags[i].decode() for i in order])
        features["weights"].append(weights[order].tolist())
    path = write(tmp_path / "s.tfrecord", *examples)
    tags = fc.categorical_column_with_vocabulary_list("tags", [f"t{i}" for i in range(10)])

    def trained(name: str, input_fn: Any) -> np.ndarray:
        linear = estimator.LinearClassifier(
            [fc.weighted_categorical_column(tags, "weights")], str(tmp_path / name), optimizer=optimizers.Ftrl(0.5),
            config=estimator.RunConfig(tf_random_seed=1),
        )  # fmt: skip
        linear.train(input_fn)
        return linear.get_variable_value("linear/linear_model/tags_weighted_by_weights/weights")

    found = trained("records", lambda: make_batched_features_dataset(path, 40, SPARSE, label_key="y", num_epochs=20, shuffle=False))
    np.testing.assert_array_equal(found, trained("lists", lambda: iter([(features, np.array(labels))] * 20)))
    assert found[0] > 0 > found[1]


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        (sparse([1], [b"a", b"b"], [1, 1]), "record 2: sparse feature 'tags': 'place' has 1 places, 'tag' 2 values"),
        (sparse([1, 10], [b"a", b"b"], [1, 1]), "record 2: sparse feature 'tags': found the place 10.*one from 0 to 9"),
        (sparse([-1], [b"a"], [1]), "record 2: sparse feature 'tags': found the place -1"),
        (example(place=[b"x"], tag=[b"a"], weight=np.float32([1]), y=np.array([1])), "record 2: feature 'place' is string"),
    ],
)
def test_places_that_are_wrong(tmp_path: Path, wrong: bytes, words: str) -> None:
    with pytest.raises(errors.DataError, match=words):
        Dataset.from_tfrecord(write(tmp_path / "s.tfrecord", sparse([1], [b"a"], [1]), wrong), SPARSE, "y")


def test_sparse_features_that_are_none() -> None:
    with pytest.raises(ValueError, match="one for each index_key"):
        io.SparseFeature(["a", "b"], "v", "int64", 5)
    with pytest.raises(ValueError, match="at least 1"):
        io.SparseFeature("a", "v", "int64", 0)
    with pytest.raises(ValueError, match="must be keys"):
        io.SparseFeature([], "v", "int64", [])
    with pytest.raises(ValueError, match="must be an integer"):
        io.SparseFeature("a", "v", "int64", 1.5)
