"""Columns of sequences in a model_fn, and recurrent Estimators that tell something of each step."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import numpy as np
import pytest

from mlc import data, estimator, layers, losses, metrics, ops, optimizers
from mlc import feature_column as fc
from mlc.errors import DataError, ModelError, UnsupportedError
from mlc.estimator import EstimatorSpec

NAN = np.nan


def steps_of(tmp_path, columns, features, name="m"):
    """What sequence_input_layer makes of features: steps and lengths."""

    def model_fn(features, mode):
        steps, lengths = fc.sequence_input_layer(features, columns)
        return EstimatorSpec(mode, predictions={"steps": steps, "lengths": lengths})

    model = estimator.Estimator(model_fn, str(tmp_path / name))
    (batch,) = model.predict(lambda: features, yield_single_examples=False)
    return batch["steps"].tolist(), batch["lengths"].tolist()


def test_steps_end_with_the_last_that_has_a_value(tmp_path):
    id_ = fc.indicator_column(fc.sequence_categorical_column_with_identity("id", 2))
    word = fc.indicator_column(fc.sequence_categorical_column_with_vocabulary_list("word", ["a", "b"]))
    price = fc.sequence_numeric_column("price", default_value=-3.0)
    features = {
        "id": np.array([[0, -1, 1], [1, -1, -1], [-1, -1, -1]]), "word": [["a", "?", "b"], ["c"], []],
        "price": np.array([[1, NAN, 2], [7, NAN, NAN], [NAN, NAN, NAN]]),
    }  # fmt: skip
    found, lengths = steps_of(tmp_path, [word, price, id_], features)
    assert lengths == [3, 1, 0]
    none = [0, 0, -3, 0, 0]
    assert found == [[[1, 0, 1, 1, 0], none, [0, 1, 2, 0, 1]], [[0, 1, 7, 0, 0], none, none], [none] * 3]


def test_values_of_one_step_are_combined(tmp_path):
    column = fc.sequence_categorical_column_with_hash_bucket("tags", 50)
    features = {"tags": [[["a", "b"], ["a"]], [[], ["b", "a", "a"], []], []]}
    found, lengths = steps_of(tmp_path, [fc.indicator_column(column)], features)
    marks = np.array(found)
    a = int(np.argmax(marks[0, 1]))
    b = next(i for i in np.flatnonzero(marks[0, 0]) if i != a)
    assert lengths == [2, 2, 0]
    assert marks[0, 0, [a, b]].tolist() == [1, 1] and marks[1, 1, [a, b]].tolist() == [2, 1]
    assert marks.sum() == 6
    for combiner, size in (("sum", 1.0), ("mean", 3.0), ("sqrtn", np.sqrt(3.0))):
        ids = fc.sequence_categorical_column_with_identity("id", 3)
        embedding = fc.embedding_column(ids, 1, combiner=combiner, initializer="ones")
        assert steps_of(tmp_path, [embedding], {"id": np.array([[[0, 1, 2], [1, -1, -1]]])}, combiner)[0] == [
            [[pytest.approx(3 / size)], [1]]
        ]


def test_what_does_not_fit(tmp_path):
    number = fc.sequence_numeric_column("n")
    with pytest.raises(ModelError, match="sequence_input_layer: 'x' is no sequence; input_layer takes it"):
        steps_of(tmp_path, [fc.numeric_column("x")], {"x": [1.0]})
    with pytest.raises(ModelError, match="floats, in which NaN is none"):
        steps_of(tmp_path, [number], {"n": np.array([[1, 2]])})
    with pytest.raises(ModelError, match=r"a multiple of 2"):
        steps_of(tmp_path, [fc.sequence_numeric_column("n", shape=(2,))], {"n": np.zeros((1, 3))})
    with pytest.raises(DataError, match="steps of 'n', which are as many as those of 'm' in each row"):
        steps_of(tmp_path, [number, fc.sequence_numeric_column("m")], {"n": np.zeros((2, 2)), "m": np.array([[1.0, NAN]] * 2)})


def test_a_model_fn_learns_of_sequences(tmp_path):
    """The last letter of a word of any length, of lists of letters."""
    random = np.random.default_rng(0)
    words = [random.choice(list("abc"), random.integers(1, 6)).tolist() for _ in range(300)]
    labels = np.array(["abc".index(word[-1]) for word in words])
    letter = fc.sequence_categorical_column_with_vocabulary_list("letters", ["a", "b", "c"])

    def model_fn(features, labels, mode):
        x, lengths = fc.sequence_input_layer(features, [fc.embedding_column(letter, 4)])
        _, state = layers.dynamic_rnn(layers.GRUCell(8), x, lengths)
        logits = layers.dense(state, 3)
        loss = losses.sparse_softmax_cross_entropy(labels, logits)
        op = optimizers.Adam(0.03).minimize(loss) if mode == "train" else None
        return EstimatorSpec(mode, loss=loss, train_op=op, eval_metric_ops={"accuracy": metrics.accuracy(labels, ops.argmax(logits))})

    def batches():
        for start in range(0, 300, 50):
            yield {"letters": words[start : start + 50]}, labels[start : start + 50]

    model = estimator.Estimator(model_fn, str(tmp_path / "m"), estimator.RunConfig(tf_random_seed=1))
    for _ in range(15):
        model.train(batches)
    assert model.evaluate(batches)["accuracy"] > 0.97


# A head of each step


def tagger(tmp_path, name="m", **arguments):
    word = fc.embedding_column(fc.sequence_categorical_column_with_identity("id", 4), 3)
    config = estimator.RunConfig(tf_random_seed=1)
    return estimator.RNNClassifier(
        [word], units=[8, 8], model_dir=str(tmp_path / name), n_classes=3, config=config, return_sequences=True,
        optimizer=optimizers.Adam(0.03), **arguments,
    )  # fmt: skip


def sequences():
    """Ids, and for each step how often its id was there before, at most twice."""
    random = np.random.default_rng(0)
    ids = [random.integers(0, 4, random.integers(1, 7)).tolist() for _ in range(200)]
    return ids, [[min(2, row[:i].count(each)) for i, each in enumerate(row)] for row in ids]


@pytest.mark.parametrize("cell", ["simple_rnn", "lstm", "gru"])
def test_labels_of_each_step(tmp_path, cell):
    ids, labels = sequences()

    def batches():
        for start in range(0, 200, 40):
            yield {"id": ids[start : start + 40]}, labels[start : start + 40]

    model = tagger(tmp_path, cell_type=cell)
    for _ in range(12):
        model.train(batches)
    assert model.evaluate(batches)["accuracy"] > 0.8
    # Other sizes than before.
    model.train(lambda: iter([({"id": ids[:40]}, labels[:40]), ({"id": [[1]]}, [[0]]), ({"id": [[1] * 9]}, [[0, 1] + [2] * 7])]))
    # The same rows, padded as an array: the same steps.
    longest = max(map(len, ids))
    padded = [np.array([row + [-1] * (longest - len(row)) for row in rows]) for rows in (ids, labels)]
    dataset = data.Dataset.from_arrays({"id": padded[0]}, padded[1]).batch(40)
    assert model.evaluate(lambda: dataset) == pytest.approx(model.evaluate(batches), rel=1e-5)
    rows = list(model.predict(lambda: iter([{"id": ids[:3]}])))
    lengths = [int(row["sequence_mask"].sum()) for row in rows]
    assert lengths == [len(row) for row in ids[:3]]
    assert rows[0]["probabilities"].shape == (max(lengths), 3) and rows[0]["class_ids"].shape == (max(lengths), 1)
    plain = estimator.RNNClassifier(
        [fc.embedding_column(fc.sequence_categorical_column_with_identity("id", 4), 3)], units=[8, 8], n_classes=3,
        cell_type=cell, model_dir=str(tmp_path / "plain"), optimizer=optimizers.Adam(0.03),
    )  # fmt: skip
    plain.train(lambda: ({"id": ids[:3]}, [0, 1, 2]), steps=1)
    assert plain.get_variable_names() == model.get_variable_names()
    for name in plain.get_variable_names():
        assert plain.get_variable_value(name).shape == model.get_variable_value(name).shape, name


def test_masks_and_weights_of_steps(tmp_path):
    ids, labels = [[0, 1, 2], [3]], [[0, 1, 2], [1]]
    model = tagger(tmp_path).train(lambda: ({"id": ids}, labels), steps=1)
    everything = model.evaluate(lambda: ({"id": ids}, labels))
    masked = tagger(tmp_path).evaluate(lambda: ({"id": ids, "sequence_mask": np.array([[1, 1, 0], [0, 0, 0]])}, labels))
    weighted = tagger(tmp_path, weight_column="w").evaluate(lambda: ({"id": ids, "w": [[1.0, 1.0, 0.0], [0.0]]}, labels))
    rows = list(model.predict(lambda: {"id": ids}))
    each = [-np.log(rows[i]["probabilities"][t, labels[i][t]]) for i, t in ((0, 0), (0, 1), (0, 2), (1, 0))]
    assert everything["average_loss"] == pytest.approx(np.mean(each), rel=1e-5)
    assert masked["average_loss"] == pytest.approx(np.mean(each[:2]), rel=1e-5)
    assert weighted["average_loss"] == pytest.approx(np.mean(each[:2]), rel=1e-5)
    # The mean over the steps, of which two have a weight of 0.
    assert weighted["loss"] == pytest.approx(np.sum(each[:2]) / 4, rel=1e-5)


def test_labels_that_lack_steps(tmp_path):
    model = tagger(tmp_path)
    with pytest.raises(DataError, match="record 2: steps of the row, for each of which labels have a value: 3"):
        model.evaluate(lambda: ({"id": [[1], [0, 1, 2]]}, [[0, 1], [0, 1]]))
    with pytest.raises(DataError, match="label: -1 is out of range"):
        tagger(tmp_path).evaluate(lambda: ({"id": [[1], [0, 1, 2]]}, [[0, 1, 2], [0, 1]]))
    with pytest.raises(ModelError, match="labels: expected at least two dimensions"):
        tagger(tmp_path).evaluate(lambda: ({"id": [[1], [0, 1, 2]]}, [0, 1]))


def test_heads_of_steps():
    word = fc.embedding_column(fc.sequence_categorical_column_with_identity("id", 4), 3)
    with pytest.raises(ValueError, match="must be a SequentialHeadWrapper"):
        estimator.RNNEstimator(estimator.RegressionHead(), [word], units=3, return_sequences=True)
    with pytest.raises(UnsupportedError, match="do not take a SequentialHeadWrapper"):
        estimator.RNNEstimator(estimator.SequentialHeadWrapper(estimator.RegressionHead()), [word], units=3)
    with pytest.raises(ValueError, match="MultiHead"):
        estimator.SequentialHeadWrapper(estimator.MultiHead([estimator.RegressionHead(name="a")]))
    with pytest.raises(TypeError, match="`sequence_mask` column must be a string"):
        estimator.SequentialHeadWrapper(estimator.RegressionHead(), 3)
    with pytest.raises(TypeError, match="Column must a string"):
        estimator.SequentialHeadWrapper(estimator.RegressionHead(), feature_columns=[3])


def test_numbers_and_a_context_of_steps(tmp_path):
    """A running mean of pairs of numbers, from another start."""
    random = np.random.default_rng(0)
    rows = [random.normal(size=(random.integers(1, 6), 2)).tolist() for _ in range(60)]
    start = random.normal(size=60).astype(np.float32)
    labels = [[start[i] + np.mean(np.array(row)[: t + 1, 0]) for t in range(len(row))] for i, row in enumerate(rows)]
    head = estimator.SequentialHeadWrapper(estimator.RegressionHead())
    model = estimator.RNNEstimator(
        head, [fc.sequence_numeric_column("pair", shape=(2,))], [fc.numeric_column("start")], units=[16], cell_type="gru",
        return_sequences=True, model_dir=str(tmp_path / "m"), optimizer=optimizers.Adam(0.02),
        config=estimator.RunConfig(tf_random_seed=1),
    )  # fmt: skip
    model.train(lambda: ({"pair": rows, "start": start}, labels), steps=200)
    found = model.evaluate(lambda: ({"pair": rows, "start": start}, labels))
    every = np.concatenate(labels)
    assert found["average_loss"] < 0.2 * every.var()
    assert found["label/mean"] == pytest.approx(every.mean(), rel=1e-4)
