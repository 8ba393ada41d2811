"""Batches whose rows have sizes that vary from batch to batch, as padded sequences have."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import json
import logging
import os
import subprocess
import sys

import numpy as np
import pytest

from mlc import data, estimator, layers, losses, metrics, ops, optimizers, runtime, train, variables
from mlc import feature_column as fc
from mlc.errors import DataError, ModelError, UnsupportedError
from mlc.estimator import EstimatorSpec, ModeKeys

F = np.float32
RNG = np.random.default_rng(3)
WORDS = 50


def make_batches(lengths, rows=6):
    """Batches (features, labels): tokens padded to `length`, weights of 1 where there is one, labels."""
    found = []
    for length in lengths:
        tokens = RNG.integers(1, WORDS, size=(rows, length))
        mask = (np.arange(length) < RNG.integers(1, length + 1, size=(rows, 1))).astype(F)
        found.append(({"tokens": tokens * mask.astype(np.int64), "mask": mask}, (tokens[:, 0] % 2).astype(np.int64)))
    return found


def padded(batches, length):
    """The same batches, padded to one length: what they compute is the same, but for rounding."""
    def pad(array):
        return np.pad(array, [(0, 0), (0, length - array.shape[1])])

    return [({key: pad(value) for key, value in features.items()}, labels) for features, labels in batches]


class Model:
    """A bag of words: the mean of the embeddings of a row's tokens."""

    def __init__(self, hooks=False):
        self.shapes, self.hooks, self.tensors = [], hooks, {}

    def __call__(self, features, labels, mode):
        tokens, mask = features["tokens"], features["mask"]
        self.shapes.append((mode, tokens.shape))
        words = layers.embedding(tokens, WORDS, 8) * mask[:, :, None]
        mean = ops.sum(words, axis=1) / ops.sum(mask, axis=1)[:, None]
        logits = layers.dense(mean, 2)
        self.tensors = {"mean": mean}
        ops.identity(mean, name="mean")
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(mode, predictions={"logits": logits})
        loss = losses.sparse_softmax_cross_entropy(labels, logits)
        op = train.AdamOptimizer(0.05).minimize(loss) if mode == ModeKeys.TRAIN else None
        hooks = [train.LoggingTensorHook({"mean": mean}, every_n_iter=1, formatter=lambda v: f"mean of {v['mean'].shape}")]
        return EstimatorSpec(
            mode, loss=loss, train_op=op, training_hooks=hooks if self.hooks else None,
            eval_metric_ops={"accuracy": metrics.accuracy(labels, ops.argmax(logits))},
        )  # fmt: skip


def make(tmp_path, model_fn, name="m", **config):
    return estimator.Estimator(model_fn, str(tmp_path / name), config=estimator.RunConfig(tf_random_seed=1, **config))


def same_variables(first, second, exact=True):
    for name in second.get_variable_names():
        one, other = first.get_variable_value(name), second.get_variable_value(name)
        if exact:
            np.testing.assert_array_equal(one, other, err_msg=name)
        else:
            np.testing.assert_allclose(one, other, rtol=2e-5, atol=2e-6, err_msg=name)


def generator(batches):
    return lambda: iter(batches)


@pytest.mark.parametrize("lengths", [[5, 7, 3, 7, 12, 1], [4, 4, 4, 9, 2, 4], [4, 4, 4, 4, 4, 8]])
def test_training(tmp_path, caplog, lengths):
    batches = make_batches(lengths)
    model_fn = Model()
    with caplog.at_level(logging.INFO, "mlc"):
        model = make(tmp_path, model_fn).train(generator(batches))
    assert sum("of any size" in record.message for record in caplog.records) == 1
    assert model.get_variable_value("global_step") == len(lengths)
    assert model_fn.shapes[-1] == ("train", (None, None))
    if lengths[0] != lengths[1]:
        assert model_fn.shapes == [("train", (None, None))]  # the second batch told before anything was compiled
    # Beside the same batches padded to one length.
    reference = make(tmp_path, Model(), "reference").train(generator(padded(batches, 12)))
    same_variables(model, reference, exact=False)


def test_breaks_change_no_bit(tmp_path):
    """Sizes that turn out to vary at the fourth batch, beside a model that knew it before."""
    lengths = [4, 4, 4, 9, 2, 4, 7]
    batches = make_batches(lengths)
    broken = make(tmp_path, Model(), "broken").train(generator(batches))
    known = make(tmp_path, Model(), "known")
    list(known.predict(generator([batches[0], batches[3]])))  # tells sizes, trains nothing
    model_fn = known.model_fn
    model_fn.shapes.clear()
    known.train(generator(batches))
    assert model_fn.shapes == [("train", (None, None))]
    same_variables(broken, known)


def test_hooks_go_on(tmp_path, caplog):
    lengths = [4, 4, 4, 9, 2, 4]
    seen = []

    class Noting(train.SessionRunHook):
        begun = 0

        def begin(self):
            self.begun += 1

        def before_run(self, run_context):
            return train.SessionRunArgs(("mean", "loss", "global_step"))

        def after_run(self, run_context, run_values):
            seen.append(run_values.results)

    hook = Noting()
    with caplog.at_level(logging.INFO, "mlc"):
        make(tmp_path, Model(hooks=True)).train(generator(make_batches(lengths)), hooks=[hook])
    assert [int(step) for _, _, step in seen] == [1, 2, 3, 4, 5, 6] and hook.begun == 1
    # A hook of the model_fn is made anew with the model.
    assert sum(record.message == "mean of (6, 8)" for record in caplog.records) == 6


def test_tensors_that_hooks_keep_are_told(tmp_path):
    model_fn = Model()

    class Keeping(train.SessionRunHook):
        def begin(self):
            self.mean = model_fn.tensors["mean"]

        def before_run(self, run_context):
            return train.SessionRunArgs(self.mean)

    with pytest.raises(UnsupportedError, match="Keeping asks for <Tensor.*give it a name"):
        make(tmp_path, model_fn).train(generator(make_batches([4, 4, 4, 9])), hooks=[Keeping()])
    # Where the first two batches tell, there is no trace before.
    make(tmp_path, model_fn, "told").train(generator(make_batches([4, 9, 4])), hooks=[Keeping()])


def test_evaluation_and_prediction(tmp_path):
    batches = make_batches([4, 4, 9, 2])
    model = make(tmp_path, Model()).train(generator(batches[:2]))
    whole = padded(batches, 9)
    together = {key: np.concatenate([f[key] for f, _ in whole]) for key in ("tokens", "mask")}
    labels = np.concatenate([labels for _, labels in whole])
    reference = make(tmp_path, Model())
    expected = reference.evaluate(lambda: data.Dataset.from_arrays(together, labels).batch(6))
    assert model.evaluate(generator(batches)) == pytest.approx(expected, rel=1e-5)
    assert make(tmp_path, Model()).evaluate(generator(batches), steps=3)["global_step"] == 2
    found = list(make(tmp_path, Model()).predict(generator([features for features, _ in batches])))
    expected = list(reference.predict(lambda: data.Dataset.from_arrays(together).batch(6)))
    np.testing.assert_allclose([row["logits"] for row in found], [row["logits"] for row in expected], rtol=1e-5, atol=1e-6)


def test_a_predictor_takes_rows_of_any_size(tmp_path):
    batches = make_batches([4, 9, 4])
    model = make(tmp_path, Model()).train(generator(batches[:1]), steps=1)
    predictor = model.predictor()
    expected = list(model.predict(generator([features for features, _ in batches]), yield_single_examples=False))
    for (features, _), rows in zip(batches, expected, strict=True):
        np.testing.assert_allclose(predictor(features)["logits"], rows["logits"], rtol=1e-6)


def test_train_and_evaluate(tmp_path):
    batches = make_batches([4, 4, 4, 9, 2, 4])
    model = make(tmp_path, Model(), save_checkpoints_steps=2)
    spec = estimator.EvalSpec(generator(batches[:5]), steps=None)
    found, _ = estimator.train_and_evaluate(model, estimator.TrainSpec(generator(batches), max_steps=6), spec)
    assert found == model.evaluate(generator(batches[:5]))
    assert 6 in model.evaluations() and 2 in model.evaluations()


# Exports


def test_exports_take_rows_of_any_size(tmp_path):
    model = make(tmp_path, Model()).train(generator(make_batches([4, 9, 4])))
    path = os.fsdecode(model.export_saved_model(tmp_path / "exports"))
    served = runtime.load(path)
    inputs, outputs = served.signature.inputs, served.signature.outputs
    assert inputs["tokens"].shape == inputs["mask"].shape == (None,) and outputs["logits"].shape == (2,)
    for features, _ in make_batches([4, 9, 1, 12]):
        (expected,) = model.predict(generator([features]), yield_single_examples=False)
        np.testing.assert_array_equal(served(features)["logits"], expected["logits"])
    # The command predicts files of arrays, in numbers that read back exactly.
    np.savez(tmp_path / "rows.npz", **features)
    command = [sys.executable, "-m", "mlc", "predict", path, "--predict_files", str(tmp_path / "rows.npz")]
    lines = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    np.testing.assert_array_equal(np.array([json.loads(line)["logits"] for line in lines], F), expected["logits"])
    assert served({name: column[:0] for name, column in features.items()})["logits"].shape == (0, 2)
    with pytest.raises(DataError, match=r"array 'mask' is f32\[6, 5\]: its dimension 1 is 5(?s:.*)expected: 4"):
        served({"tokens": np.zeros((6, 4), np.int64), "mask": np.ones((6, 5), F)})
    with pytest.raises(DataError, match=r"feature 'tokens': found an array \[6\]; expected \[rows, \?\]"):
        served({"tokens": np.zeros(6, np.int64), "mask": np.ones((6, 5), F)})


def test_exports_of_outputs_that_vary(tmp_path):
    """Predictions of each step, and texts of any number in a row."""

    def model_fn(features, labels, mode):
        x = features["x"] * variables.get_variable("w", [2], initializer=np.array([1.5, -2.0], F))
        n = ops.sum(ops.where(features["t"] == "a", 1.0, 0.0), axis=1)
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(mode, predictions={"y": x, "n": n})
        loss = losses.mean_squared_error(labels, ops.sum(x, axis=[1, 2]) + n)
        return EstimatorSpec(mode, loss=loss, train_op=train.GradientDescentOptimizer(0.01).minimize(loss))

    batches = [{"x": np.ones((2, size, 2), F), "t": [["a", "b"], ["a"]] if size == 3 else [["a"], []]} for size in (3, 1, 4)]
    model = make(tmp_path, model_fn).train(lambda: iter([(batch, np.ones(2, F)) for batch in batches]))
    expected = list(model.predict(lambda: iter(batches), yield_single_examples=False))
    served = runtime.load(model.export_saved_model(tmp_path / "exports"))
    assert served.signature.outputs["y"].shape == (None, 2)
    for batch, rows in zip(batches, expected, strict=True):
        found = served(batch)
        np.testing.assert_array_equal(found["y"], rows["y"])
        np.testing.assert_array_equal(found["n"], rows["n"])


def test_exports_of_a_recurrent_net(tmp_path):
    word = fc.sequence_categorical_column_with_hash_bucket("word", 100)
    tagger = estimator.RNNClassifier(
        [fc.embedding_column(word, 8)], units=[4], return_sequences=True, config=estimator.RunConfig(str(tmp_path / "m"), tf_random_seed=1)
    )
    words = [["a", "very", "good", "film"], ["not", "good"], ["good"], ["not", "a", "good", "film"]]
    labels = [[0, 0, 0, 1], [0, 1], [1], [0, 0, 0, 1]]
    tagger.train(lambda: iter([({"word": words}, labels), ({"word": words[1:3]}, labels[1:3])] * 3))
    served = runtime.load(tagger.export_saved_model(tmp_path / "exports"))
    for rows in (words, words[1:3], [["film"] * 7, ["a"]]):
        (expected,) = tagger.predict(lambda rows=rows: {"word": rows}, yield_single_examples=False)
        found = served({"word": rows})
        assert list(found) == list(expected)
        for name, value in expected.items():
            np.testing.assert_array_equal(found[name], value, err_msg=name)


def test_dimensions_that_differ_from_each_other(tmp_path):
    """Sizes that were equal in the first batches, and are not in a later one, are of different dimension symbols."""

    def model_fn(features, labels, mode):
        total = ops.sum(features["a"], axis=1) + ops.sum(features["b"], axis=1)
        w = layers.dense(total[:, None], 1)
        loss = losses.mean_squared_error(labels[:, None], w)
        return EstimatorSpec(mode, loss=loss, train_op=train.GradientDescentOptimizer(0.001).minimize(loss))

    def batches():
        for a, b in ((3, 3), (5, 5), (4, 4), (2, 6), (6, 1)):
            yield {"a": np.ones((4, a), F), "b": np.ones((4, b), F)}, np.ones(4, F)

    model = make(tmp_path, model_fn).train(batches)
    assert model.get_variable_value("global_step") == 5


def test_a_model_that_needs_one_size(tmp_path):
    def model_fn(features, labels, mode):
        loss = losses.mean_squared_error(labels[:, None], layers.dense(features["x"], 1))
        return EstimatorSpec(mode, loss=loss, train_op=train.GradientDescentOptimizer(0.001).minimize(loss))

    def batches(sizes):
        for size in sizes:
            yield {"x": np.ones((4, size), F)}, np.ones(4, F)

    with pytest.raises(DataError, match=r"(?s)batch 3 of the input: feature 'x' has rows of the shape \(2,\).*layers.dense"):
        make(tmp_path, model_fn).train(lambda: batches([3, 3, 2]))
    with pytest.raises(DataError, match=r"feature 'x': found rows of the shape \(3, 1\)"):
        make(tmp_path, model_fn, "n").train(lambda: iter([({"x": np.ones((4, 3), F)}, np.ones(4, F)), ({"x": np.ones((4, 3, 1), F)}, np.ones(4, F))]))


def test_texts_of_any_number(tmp_path):
    def model_fn(features, mode):
        return EstimatorSpec(mode, predictions=ops.sum(ops.where(features["t"] == "a", 1.0, 0.0), axis=1))

    batches = [{"t": [["a", "b"], ["a"]]}, {"t": [["a", "a", "a"], []]}, {"t": [["b"], ["c"]]}]
    found = list(make(tmp_path, model_fn).predict(lambda: iter(batches)))
    np.testing.assert_array_equal(found, [1, 1, 3, 0, 0, 0])


def test_sequences_with_labels_for_each_step(tmp_path):
    """A recurrent net whose labels and mask vary with its features, beside the same batches padded to one length."""
    rng = np.random.default_rng(1)
    batches = []
    for length in (5, 7, 3, 9, 2):
        n = rng.integers(1, length + 1, size=4)
        batches.append(({"x": rng.normal(size=(4, length, 3)).astype(F), "n": n}, rng.integers(0, 2, size=(4, length))))

    def model_fn(features, labels, mode):
        out, _ = layers.dynamic_rnn(layers.LSTMCell(6), features["x"], sequence_length=features["n"])
        logits = layers.dense(out, 2)
        classes = ops.argmax(logits)
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(mode, predictions={"classes": classes})
        mask = ops.sequence_mask(features["n"], features["x"], "float32")
        loss = losses.sparse_softmax_cross_entropy(labels, logits, weights=mask)
        op = train.AdamOptimizer(0.01).minimize(loss) if mode == ModeKeys.TRAIN else None
        return EstimatorSpec(mode, loss=loss, train_op=op, eval_metric_ops={"accuracy": metrics.accuracy(labels, classes, mask)})

    def longer(array):
        return np.pad(array, [(0, 0), (0, 9 - array.shape[1])] + [(0, 0)] * (array.ndim - 2))

    whole = [({"x": longer(f["x"]), "n": f["n"]}, longer(labels)) for f, labels in batches]
    model = make(tmp_path, model_fn).train(generator(batches))
    reference = make(tmp_path, model_fn, "reference").train(generator(whole))
    same_variables(model, reference, exact=False)
    assert model.evaluate(generator(batches)) == pytest.approx(reference.evaluate(generator(whole)), rel=1e-4)
    shapes = [rows["classes"].shape for rows in model.predict(generator(batches), yield_single_examples=False)]
    assert shapes == [labels.shape for _, labels in batches]


def test_masks_of_sizes_that_a_batch_knows(tmp_path):
    def model_fn(features, mode):
        mask = ops.sequence_mask(features["n"], features["x"])
        return EstimatorSpec(mode, predictions={"mask": mask})

    batches = [{"n": np.array([0, 2, 9]), "x": np.zeros((3, length, 2), F)} for length in (4, 1, 6)]
    found = make(tmp_path, model_fn).predict(generator(batches), yield_single_examples=False)
    for batch, rows in zip(batches, found, strict=True):
        np.testing.assert_array_equal(rows["mask"], np.arange(batch["x"].shape[1]) < batch["n"][:, None])

    def with_a_number(features, mode):
        return EstimatorSpec(mode, predictions=ops.sequence_mask(features["n"], ops.shape(features["x"])[1]))

    with pytest.raises(ModelError, match="the padded Tensor"):
        list(make(tmp_path, with_a_number, "n").predict(generator(batches)))


# The signature in the model_dir


def test_another_process_knows_the_features(tmp_path):
    batches = make_batches([4, 9, 2])
    model = make(tmp_path, Model()).train(generator(batches))
    expected = list(model.predict(generator([batches[0][0]])))
    fresh = make(tmp_path, Model())  # which has seen no batch
    found = fresh.predictor()(batches[0][0])["logits"]
    np.testing.assert_array_equal(found, [row["logits"] for row in expected])
    assert "df.symbols = array<i64: 0, 1>" in fresh.to_df()
    # Sizes that turned out to vary on the way are there, too; what only predicts writes nothing.
    make(tmp_path, Model(), "late").train(generator(make_batches([4, 4, 4, 9])))
    before = (tmp_path / "late" / "features.json").read_text()
    assert "-1" in before
    list(make(tmp_path, Model(), "late").predict(generator([{"tokens": f["tokens"], "mask": f["mask"]} for f, _ in batches])))
    assert (tmp_path / "late" / "features.json").read_text() == before


def test_a_damaged_signature_is_told(tmp_path):
    make(tmp_path, Model()).train(generator(make_batches([4])))
    path = tmp_path / "m" / "features.json"
    for text in ("{}", "[", '{"format": 2}', '{"format": 1, "features": 3, "labels": null}'):
        path.write_text(text)
        with pytest.raises(DataError, match="features.json"):
            make(tmp_path, Model()).predictor()


def test_gradients_of_several_unknown_sizes_that_become_one(tmp_path):
    """What is reshaped back has two sizes that only a batch knows."""
    random = np.random.default_rng(0)
    batches = [random.normal(size=(2, time, 3)).astype(np.float32) for time in (2, 3, 5)]

    def model_fn(features, labels, mode):
        factors = variables.get_variable("factors", [3], initializer="ones")
        rows = ops.reshape(features["x"] * factors, [-1, 3])
        kept = ops.boolean_mask(rows, rows[:, 0] > 0.0)
        loss = ops.sum(ops.square(rows)) + ops.sum(kept)
        return EstimatorSpec(mode, loss=loss, train_op=optimizers.SGD(0.01).minimize(loss))

    model = estimator.Estimator(model_fn, str(tmp_path / "m"))
    model.train(lambda: iter([({"x": x}, np.zeros(2)) for x in batches]))
    expected = np.ones(3, np.float32)
    for x in batches:
        rows = x.reshape(-1, 3)
        expected = expected - 0.01 * (2 * expected * np.square(rows).sum(0) + rows[rows[:, 0] > 0].sum(0))
    np.testing.assert_allclose(model.get_variable_value("factors"), expected, rtol=1e-5)
