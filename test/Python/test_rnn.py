"""Recurrent Estimators: beside TensorFlow 2.15 as test/Recorded/record_rnn.py recorded it, and what users may do wrong."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import first_values
import numpy as np
import pytest

from mlc import df, errors, estimator, layers, ops, optimizers, runtime
from mlc import feature_column as fc
from mlc.estimator._sequence_model import _outputs
from mlc.estimator.rnn import rnn_body
from mlc.feature_column._layers import checked
from mlc.feature_column._sequence_layer import steps_beside
from mlc.variables import variable_scope

INPUTS = Path(__file__).parents[1] / "Recorded" / "Inputs"
sys.path.insert(0, str(INPUTS))
import rnn_cases as cases  # noqa: E402

RECORDED = json.loads((INPUTS / "rnn.json").read_text())


def columns(has_more):
    word = fc.sequence_categorical_column_with_vocabulary_list("word", cases.WORDS)
    sequences, context = [fc.embedding_column(word, dimension=3)], []
    if has_more:
        sequences += [
            fc.sequence_numeric_column("price"),
            fc.indicator_column(fc.sequence_categorical_column_with_identity("id", 4)),
        ]
        city = fc.embedding_column(fc.categorical_column_with_identity("city", 5), dimension=2)
        context = [fc.numeric_column("age"), city]
    return sequences, context


def classifier(name, **arguments):
    cell, units, classes, optimizer, has_more = cases.CASES[name]
    if not isinstance(optimizer, str):
        optimizer = getattr(optimizers, optimizer[0])(**optimizer[1])
    sequences, context = columns(has_more)
    return estimator.RNNClassifier(
        sequences, context, units=units, cell_type=cell, n_classes=classes, optimizer=optimizer, **arguments
    )


@pytest.mark.parametrize("name", cases.CASES)
def test_losses_metrics_and_logits_are_those_of_tensorflow(name, tmp_path):
    batches = cases.batches(name)
    names = classifier(name, model_dir=str(tmp_path / "names"))
    path = first_values.save_first_values(names, lambda: iter(batches[:1]), cases.first_value, tmp_path)
    model = classifier(
        name, model_dir=str(tmp_path / "m"), config=estimator.RunConfig(log_step_count_steps=1)
    )
    first_values.begin_with(model, path)
    found = {}
    model._run_training(
        lambda: iter(batches), None, None,
        on_event=lambda e: found.update({e["step"]: e["loss"]} if e["event"] == "step" else {}),
    )  # fmt: skip
    recorded = RECORDED[name]
    ours, theirs = np.array([found[step] for step in sorted(found)]), np.array(recorded["losses"])
    assert len(ours) == cases.STEPS
    distance = np.abs(ours - theirs) / np.abs(theirs)
    assert distance.max() < 1e-5, f"{distance.max():.1e} at step {distance.argmax()}"
    metrics = model.evaluate(lambda: iter(batches[:3]))
    for key, value in recorded["metrics"].items():
        assert metrics[key] == pytest.approx(value, rel=2e-5, abs=1e-6), key
    logits = [p["logits"] for p in model.predict(lambda: iter([batches[0][0]]))]
    np.testing.assert_allclose(logits, recorded["logits"], rtol=1e-4, atol=1e-5)


def small(**arguments):
    """A model of a sequence of words and one of numbers, and its data."""
    word = fc.sequence_categorical_column_with_hash_bucket("word", 20)
    sequences = [fc.embedding_column(word, 2), fc.sequence_numeric_column("price")]
    model = estimator.RNNClassifier(sequences, units=[3], cell_type="gru", **arguments)
    features = {"word": [["a", "b"], [], ["c"]], "price": [[1.0, 2.0], [], [3.0]]}
    return model, features, np.array([1, 0, 1])


def train(model, features, labels):
    model.train(lambda: iter([(features, labels)] * 3))
    return model.get_variable_value("rnn_model/logits/kernel")


def test_rows_of_lists_and_padded_arrays_are_the_same():
    of_lists = train(*small(config=estimator.RunConfig(tf_random_seed=1)))
    model, _, labels = small(config=estimator.RunConfig(tf_random_seed=1))
    features = {
        "word": np.array([["a", "b"], ["", ""], ["c", ""]]),
        "price": np.array([[1.0, 2.0], [np.nan, np.nan], [3.0, np.nan]]),
    }
    np.testing.assert_array_equal(train(model, features, labels), of_lists)


def test_several_heads_of_a_recurrent_model():
    heads = [estimator.BinaryClassHead(name="up"), estimator.RegressionHead(name="sum")]
    sequence = fc.sequence_numeric_column("price")
    model = estimator.RNNEstimator(estimator.MultiHead(heads, [1, 0.5]), [sequence], units=[3], cell_type="gru")
    features = {"price": [[1.0, 2.0], [], [3.0]]}
    labels = {"up": np.array([1, 0, 1]), "sum": np.array([3.0, 0.0, 3.0])}
    model.train(lambda: iter([(features, labels)] * 3))
    assert model.get_variable_value("rnn_model/logits/kernel").shape == (3, 2)
    found = model.evaluate(lambda: iter([(features, labels)]))
    assert found["loss"] == pytest.approx(found["loss/up"] + 0.5 * found["loss/sum"])


def test_first_values_are_those_of_keras():
    model, features, labels = small(optimizer=optimizers.SGD(1e-9))
    model.train(lambda: iter([(features, labels)]))
    recurrent = model.get_variable_value("rnn_model/rnn/gru_cell/recurrent_kernel")
    np.testing.assert_allclose(recurrent @ recurrent.T, np.eye(3), atol=1e-5)
    lstm = estimator.RNNClassifier(
        [fc.sequence_numeric_column("price")], units=2, cell_type="lstm", optimizer=optimizers.SGD(1e-9)
    )
    lstm.train(lambda: iter([({"price": features["price"]}, labels)]))
    bias = lstm.get_variable_value("rnn_model/rnn/lstm_cell/bias")
    np.testing.assert_allclose(bias, [0, 0, 1, 1, 0, 0, 0, 0], atol=1e-6)


def test_trains_evaluates_predicts_and_exports(tmp_path):
    random = np.random.RandomState(0)
    lengths = random.randint(1, 9, 400)
    words = [random.choice(["up", "down", "flat"], n).tolist() for n in lengths]
    labels = np.array([int(row.count("up") > row.count("down")) for row in words])
    word = fc.sequence_categorical_column_with_vocabulary_list("word", ["up", "down", "flat"])
    model = estimator.RNNClassifier(
        [fc.embedding_column(word, 4)], units=8, cell_type="lstm", optimizer=optimizers.Adam(0.02),
        model_dir=str(tmp_path / "m"), config=estimator.RunConfig(tf_random_seed=3),
    )  # fmt: skip
    batches = [({"word": words[i : i + 40]}, labels[i : i + 40]) for i in range(0, 400, 40)]
    model.train(lambda: iter(batches * 15))
    assert model.evaluate(lambda: iter(batches))["accuracy"] > 0.95
    predictor = model.predictor()
    one = predictor({"word": [["down", "down", "up", "down"]]})
    assert one["class_ids"][0] == 0
    assert model.export_saved_model(str(tmp_path / "e"))


def test_other_heads(tmp_path):
    head = estimator.RegressionHead(label_dimension=2)
    model = estimator.RNNEstimator(head, [fc.sequence_numeric_column("price")], units=3, model_dir=str(tmp_path))
    features = {"price": [[1.0, 2.0], [], [3.0]]}
    model.train(lambda: iter([(features, np.ones((3, 2)))] * 2))
    rows = list(model.predict(lambda: iter([features])))
    assert [row["predictions"].shape for row in rows] == [(2,)] * 3


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        (lambda f: f.update(price=[[1.0], [], [3.0]]), errors.DataError, "as many as those of"),
        (lambda f: f.update(price=[["x"], [], [3.0]]), errors.DataError, "'price'"),
        (lambda f: f.update(price=[[np.inf, 1.0], [], [3.0]]), errors.DataError, "infinite"),
        (lambda f: f.update(price=np.zeros((3, 2, 2))), errors.DataError, "a list of numbers per row"),
        (lambda f: f.pop("price"), errors.DataError, "'price'"),
    ],
)
def test_wrong_data(change, error, words):
    model, features, labels = small()
    change(features)
    with pytest.raises(error, match=words):
        train(model, features, labels)


def test_steps_of_one_value_each():
    model, features, labels = small()
    train(model, features, labels)
    listed = {key: [[[each] for each in row] for row in features[key]] for key in features}
    assert model.evaluate(lambda: (listed, labels)) == model.evaluate(lambda: (features, labels))
    listed["word"] = [[["a", "b"]], [["a"]], []]
    with pytest.raises(errors.DataError, match="'word'.*several in a step are of columns of sequences, and of data that has"):
        model.evaluate(lambda: (listed, labels))


# Steps of several values


TOPICS = [
    [["plot"], ["music", "cast"], [], ["plot", "plot"]], [["cast", "unknown"], ["plot", "music", "cast"]], [["music"]], [],
    [[], [], ["cast"]],
]  # fmt: skip
PRICES = [[1.0, 2.0, 0.5, 3.0], [0.1, 0.2], [2.5], [], [1.0, 1.0, 0.3]]


def sequences_of_topics(combiner="mean"):
    topics = fc.sequence_categorical_column_with_vocabulary_list("topics", ["plot", "music", "cast"])
    embedding = fc.embedding_column(topics, 3, combiner=combiner)
    return [embedding, fc.indicator_column(topics), fc.sequence_numeric_column("price")]


def of_topics(return_sequences=False, combiner="mean", **arguments):
    """A model of topics, of which a step has any number."""
    arguments.setdefault("config", estimator.RunConfig(tf_random_seed=2))
    return estimator.RNNClassifier(
        sequences_of_topics(combiner), units=[4], cell_type="gru", optimizer=optimizers.Adam(0.05),
        return_sequences=return_sequences, **arguments,
    )  # fmt: skip


def traced(columns, optimizer):
    """A model_fn that does what the canned model does, with its names."""

    def model_fn(features, labels, mode):
        body = rnn_body(columns, (), [4], "gru", None, True, optimizer)
        head = estimator.BinaryClassHead()
        with variable_scope("sequence_features"):
            x, lengths = steps_beside(checked(columns, "columns", steps=True), features, True)
        with variable_scope("rnn_model"):
            with variable_scope("rnn"):
                outputs = _outputs(x, lengths, body)
            last = df.gather(outputs, ops.maximum(lengths - 1, 0), axes=[1], batch=[0])
            logits = layers.dense(ops.where(ops.expand_dims(lengths > 0, 1), last, 0.0), 1, name="logits")
        return head.create_estimator_spec(features, mode, logits, labels, optimizer=body.optimizer)

    return model_fn


@pytest.mark.parametrize("combiner", ["mean", "sum", "sqrtn"])
def test_several_values_in_a_step_are_those_of_a_model_fn(combiner, tmp_path):
    features, labels = {"topics": TOPICS, "price": PRICES}, np.array([1, 0, 1, 0, 1])
    names = of_topics(combiner=combiner, model_dir=str(tmp_path / "names"))
    path = first_values.save_first_values(names, lambda: iter([(features, labels)]), cases.first_value, tmp_path)
    canned = of_topics(combiner=combiner, model_dir=str(tmp_path / "canned"))
    own = estimator.Estimator(traced(sequences_of_topics(combiner), optimizers.Adam(0.05)), str(tmp_path / "own"))
    for model in (canned, own):
        first_values.begin_with(model, path)
        model.train(lambda: iter([(features, labels)] * 20))
    for name in canned.get_variable_names():
        np.testing.assert_allclose(canned.get_variable_value(name), own.get_variable_value(name), rtol=1e-5, atol=1e-6, err_msg=name)
    probabilities = [row["probabilities"] for row in canned.predict(lambda: features)]
    np.testing.assert_allclose(probabilities, [row["probabilities"] for row in own.predict(lambda: features)], rtol=1e-5)


def test_steps_of_several_values_as_arrays_and_in_later_batches():
    model = of_topics()
    labels = np.array([1, 0, 1, 0, 1])
    model.train(lambda: iter([({"topics": TOPICS, "price": PRICES}, labels)] * 3))
    of_lists = model.evaluate(lambda: ({"topics": TOPICS, "price": PRICES}, labels))
    padded = np.full((5, 4, 4), "", dtype=object)
    for i, row in enumerate(TOPICS):
        for j, step in enumerate(row):
            padded[i, j, : len(step)] = step
    assert model.evaluate(lambda: ({"topics": padded, "price": PRICES}, labels)) == of_lists
    flat = {
        "topics": [[value for step in row for value in step] for row in TOPICS], "price": PRICES,
        "topics.lengths": [[len(step) for step in row] for row in TOPICS],
    }  # fmt: skip
    assert model.evaluate(lambda: (flat, labels)) == of_lists
    single = [["plot", "cast"], [], ["music"], [], []]
    nested = [[[value] for value in row] for row in single]
    prices = [[1.0, 2.0], [], [3.0], [], []]
    one = model.evaluate(lambda: ({"topics": single, "price": prices}, labels))
    assert one == model.evaluate(lambda: ({"topics": nested, "price": prices}, labels))
    with pytest.raises(errors.DataError, match="as many as those of"):
        model.evaluate(lambda: ({"topics": TOPICS, "price": [[1.0], *PRICES[1:]]}, labels))


def test_steps_of_several_values_in_an_export(tmp_path):
    model = of_topics()
    features = {"topics": TOPICS, "price": PRICES}
    model.train(lambda: iter([(features, np.array([1, 0, 1, 0, 1]))] * 3))
    served = runtime.load(model.export_saved_model(str(tmp_path)))
    assert {"topics", "topics.lengths", "price"} == set(served.signature.inputs)
    assert "lengths_column" in model.to_spec()
    expected = model.predictor()(features)["probabilities"]
    np.testing.assert_array_equal(expected, [row["probabilities"] for row in model.predict(lambda: features)])


def test_the_spec_of_outputs_of_each_step_trains_the_same_model(tmp_path):
    labels = [[1, 0, 0, 1], [0, 1], [1], [], [0, 0, 1]]
    weights = [[1.0, 2.0, 0.5, 1.0], [1.0, 1.5], [0.1], [], [1.0, 1.0, 2.0]]
    features = {"topics": TOPICS, "price": PRICES, "w": weights}
    config = estimator.RunConfig(tf_random_seed=2, save_checkpoints_steps=1000)
    names = of_topics(return_sequences=True, weight_column="w", model_dir=str(tmp_path / "names"))
    path = first_values.save_first_values(names, lambda: iter([(features, labels)]), cases.first_value, tmp_path)
    model = of_topics(return_sequences=True, weight_column="w", model_dir=str(tmp_path / "traced"), config=config)
    first_values.begin_with(model, path)
    model.train(lambda: iter([(features, labels)] * 30))
    spec = model.to_spec()
    assert "return_sequences: true" in spec and 'lengths_column: "topics.lengths"' in spec
    rows = ["topics,topics.lengths,price,w,label"]
    for topics, price, weight, label in zip(TOPICS, PRICES, weights, labels, strict=True):
        cells = [[v for step in topics for v in step], [len(step) for step in topics], price, weight, label]
        rows.append(",".join("|".join(map(str, cell)) for cell in cells))
    (tmp_path / "rows.csv").write_text("\n".join(rows) + "\n")
    (tmp_path / "model.pbtxt").write_text(spec)
    changed = [f"train.warm_start.ckpt_to_initialize_from={path}", f"train.files={tmp_path}/rows.csv", "train.batch_size=5"]
    settings = [flag for setting in (*changed, "train.shuffle=false") for flag in ("--set", setting)]
    place = str(tmp_path / "compiled")
    mlc = [sys.executable, "-m", "mlc"]
    subprocess.run(
        [*mlc, "train", str(tmp_path / "model.pbtxt"), *settings, "--model_dir", place, "--max_steps", "30", "--quiet"], check=True
    )
    other = of_topics(return_sequences=True, weight_column="w", model_dir=place, config=config)
    for name in model.get_variable_names():  # sums over padded steps have another order
        np.testing.assert_allclose(
            model.get_variable_value(name), other.get_variable_value(name), rtol=2e-5, atol=1e-6, err_msg=name
        )
    found = subprocess.run(
        [*mlc, "evaluate", str(tmp_path / "model.pbtxt"), "--model_dir", place, "--eval_files", f"{tmp_path}/rows.csv", "--json"],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    metrics = json.loads(found.strip().splitlines()[-1])
    metrics = metrics.get("metrics", metrics)
    expected = model.evaluate(lambda: (features, labels), steps=1)
    for key in ("loss", "average_loss", "accuracy", "auc"):
        assert metrics[key] == pytest.approx(expected[key], rel=1e-5), key


def test_specs_of_outputs_of_each_step_that_are_none():
    labels = [[1, 0], [1]]
    masked = estimator.RNNClassifier([fc.sequence_numeric_column("p")], units=2, return_sequences=True)
    features = {"p": [[1.0, 2.0], [3.0]], "sequence_mask": np.array([[True, True], [True, False]])}
    masked.train(lambda: iter([(features, labels)] * 2))
    with pytest.raises(errors.UnsupportedError, match="'sequence_mask' tells which steps there are"):
        masked.to_spec()
    head = estimator.SequentialHeadWrapper(estimator.RegressionHead(loss_fn=lambda labels, logits: ops.abs(labels - logits)))
    own = estimator.RNNEstimator(head, [fc.sequence_numeric_column("p")], units=2, return_sequences=True)
    own.train(lambda: iter([({"p": [[1.0, 2.0], [3.0]]}, [[1.0, 0.0], [1.0]])] * 2))
    with pytest.raises(errors.UnsupportedError, match="loss_fn"):
        own.to_spec()


NUMBER = fc.sequence_numeric_column("p")
WORD = fc.sequence_categorical_column_with_hash_bucket("w", 9)


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        ({"sequence_feature_columns": [WORD], "units": 3}, ValueError, "is categorical"),
        ({"sequence_feature_columns": [fc.numeric_column("x")], "units": 3}, ValueError, "'x' is no sequence"),
        ({"sequence_feature_columns": [NUMBER], "units": 0}, ValueError, "units"),
        ({"sequence_feature_columns": [NUMBER]}, ValueError, "units must be set"),
        ({"sequence_feature_columns": [], "units": 3}, ValueError, "must not be empty"),
        ({"sequence_feature_columns": [NUMBER], "units": 3, "cell_type": "LSTM"}, ValueError, "'lstm'"),
        ({"sequence_feature_columns": [NUMBER], "context_feature_columns": [NUMBER], "units": 3}, ValueError, "sequence"),
        ({"sequence_feature_columns": [NUMBER], "units": 3, "rnn_cell_fn": object}, ValueError, "rnn_cell_fn"),
        ({"sequence_feature_columns": [NUMBER], "rnn_cell_fn": object}, errors.UnsupportedError, "dynamic_rnn"),
        ({"sequence_feature_columns": [fc.sequence_numeric_column("p", shape=(2,))], "units": 3}, errors.UnsupportedError,
         "several numbers for a step"),
    ],
)
def test_wrong_arguments(arguments, error, words):
    with pytest.raises(error, match=words):
        estimator.RNNClassifier(**arguments)


def test_sequences_stay_out_of_other_models():
    for column in (NUMBER, fc.embedding_column(WORD, 2), fc.indicator_column(WORD)):
        with pytest.raises(ValueError, match="is a sequence"):
            estimator.DNNClassifier([3], [column])
    with pytest.raises(ValueError, match="is a sequence"):
        estimator.LinearClassifier([WORD])
    with pytest.raises(ValueError, match="does not take sequences"):
        fc.crossed_column([fc.sequence_categorical_column_with_identity("i", 3), "x"], 9)
    with pytest.raises(ValueError, match="have no weights"):
        fc.weighted_categorical_column(WORD, "x")
