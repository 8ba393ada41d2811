"""What hooks feed: a step computes what it computes of an input that has these values."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import numpy as np
import pytest

from mlc import data, estimator, layers, losses, metrics, ops, train
from mlc import feature_column as fc
from mlc.errors import DataError, UnsupportedError
from mlc.estimator import EstimatorSpec, ModeKeys

F = np.float32
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(48, 3)).astype(F)
TAGS = [["a"], ["b", "c", "a"], [], ["d"]] * 12
LABELS = (X[:, 0] > 0).astype(np.int64)
OTHER_X = RANDOM.normal(size=(16, 3)).astype(F)
OTHER_TAGS = [["c", "b"], [], ["a"], ["d", "d", "a"]] * 4
OTHER_LABELS = RANDOM.integers(0, 2, 16)


class Feeding(train.SessionRunHook):
    """Feeds what feeds(number of the batch, from 0) returns."""

    def __init__(self, feeds, fetches=None):
        self.feeds, self.fetches, self.number, self.seen = feeds, fetches, 0, []

    def before_run(self, run_context):
        self.number += 1
        return train.SessionRunArgs(self.fetches, feed_dict=self.feeds(self.number - 1))

    def after_run(self, run_context, run_values):
        self.seen.append(run_values.results)


class Model:
    """tensors: the features and labels of the last trace."""

    def __init__(self):
        self.tensors = {}

    def __call__(self, features, labels, mode):
        logits = layers.dense(layers.dense(features["x"], 4, activation="tanh"), 2)
        self.tensors = {"x": features["x"], "labels": labels, "logits": logits}
        if mode == ModeKeys.PREDICT:
            return EstimatorSpec(mode, predictions={"logits": logits})
        loss = losses.sparse_softmax_cross_entropy(labels, logits)
        op = train.AdamOptimizer(0.1).minimize(loss) if mode == ModeKeys.TRAIN else None
        return EstimatorSpec(mode, loss=loss, train_op=op, eval_metric_ops={"accuracy": metrics.accuracy(labels, ops.argmax(logits))})


def features_of(kind):
    return {"x": X} if kind == "model_fn" else {"x": X, "tags": TAGS}


def make(tmp_path, kind, name="m"):
    config = estimator.RunConfig(str(tmp_path / name), tf_random_seed=1)
    if kind == "model_fn":
        return estimator.Estimator(Model(), config=config)
    tags = fc.embedding_column(fc.categorical_column_with_hash_bucket("tags", 20), 4)
    columns = [fc.numeric_column("x", shape=3), tags]
    return estimator.DNNClassifier([4], columns, optimizer=train.AdamOptimizer(0.1) if kind == "tf1" else "Adagrad", config=config)


def batches(kind, changed=None, labelled=True):
    """The batches of 16 rows, of which those in `changed` have other values."""
    for number in range(3):
        rows = slice(16 * number, 16 * number + 16)
        features, labels = {name: values[rows] for name, values in features_of(kind).items()}, LABELS[rows]
        for name, value in ((changed or {}).get(number) or {}).items():
            if name in features:
                features[name] = value
            else:
                labels = value
        yield (features, labels) if labelled else features


def dataset(kind, labelled=True):
    return data.Dataset.from_arrays(features_of(kind), LABELS if labelled else None).batch(16)


def label_of(kind):
    return "labels" if kind == "model_fn" else "label"


def same_variables(first, second):
    for name in first.get_variable_names():
        np.testing.assert_array_equal(first.get_variable_value(name), second.get_variable_value(name), err_msg=name)


def changes(kind):
    """What is fed at which batch: none at the first one, so that feeding begins later."""
    changed = {1: {"x": OTHER_X}, 2: {label_of(kind): OTHER_LABELS}}
    if kind != "model_fn":
        changed[1]["tags"] = OTHER_TAGS
    return changed


@pytest.mark.parametrize("kind", ["model_fn", "canned"])
@pytest.mark.parametrize("source", [batches, dataset])
@pytest.mark.parametrize("begin", [0, 1])
def test_training(tmp_path, kind, source, begin):
    changed = {number - 1 + begin: fed for number, fed in changes(kind).items()}
    model = make(tmp_path, kind)
    hook = Feeding(changed.get, "loss")
    model.train(lambda: source(kind), hooks=[hook])
    reference = make(tmp_path, kind, "reference")
    noting = Feeding(lambda number: None, "loss")
    reference.train(lambda: batches(kind, changed), hooks=[noting])
    assert hook.seen == noting.seen and len(hook.seen) == 3
    same_variables(model, reference)


@pytest.mark.parametrize("kind", ["model_fn", "canned"])
@pytest.mark.parametrize("source", [batches, dataset])
def test_evaluation_and_prediction(tmp_path, kind, source):
    changed = changes(kind)
    model = make(tmp_path, kind).train(lambda: dataset(kind))
    found = model.evaluate(lambda: source(kind), hooks=[Feeding(changed.get)])
    assert found == model.evaluate(lambda: batches(kind, changed))
    assert found != model.evaluate(lambda: source(kind))
    fed = {1: changed[1]}
    found = list(model.predict(lambda: source(kind, labelled=False), hooks=[Feeding(fed.get)]))
    expected = list(model.predict(lambda: batches(kind, fed, labelled=False)))
    key = "logits"
    np.testing.assert_array_equal([row[key] for row in found], [row[key] for row in expected])
    assert len(found) == 48


def test_tensors_and_names_of_features(tmp_path):
    for number, key in enumerate([lambda fn: fn.tensors["x"], lambda fn: "x", lambda fn: "x:0"]):
        model = make(tmp_path, "model_fn", str(number))
        hook = Feeding(lambda at: {key(model.model_fn): OTHER_X, "labels": OTHER_LABELS}, "loss")  # noqa: B023
        model.train(lambda: batches("model_fn"), hooks=[hook], steps=2)
        reference = make(tmp_path, "model_fn", f"r{number}")
        reference.train(lambda: iter([({"x": OTHER_X}, OTHER_LABELS)] * 2))
        same_variables(model, reference)


def test_feeding_begins_while_fetches_grow(tmp_path):
    model = make(tmp_path, "model_fn")

    class Both(Feeding):
        def before_run(self, run_context):
            self.number += 1
            fetches = "loss" if self.number == 1 else ("loss", model.model_fn.tensors["x"])
            return train.SessionRunArgs(fetches, feed_dict={"x": OTHER_X} if self.number == 2 else None)

    hook = Both(None)
    model.train(lambda: batches("model_fn"), hooks=[hook])
    np.testing.assert_array_equal(hook.seen[1][1], OTHER_X)
    np.testing.assert_array_equal(hook.seen[2][1], X[32:])


def test_files(tmp_path):
    """Rows of CSV files, which the runtime reads, are fed as those of arrays."""
    path = tmp_path / "rows.csv"
    path.write_text("a,y\n" + "".join(f"{row[0]},{label}\n" for row, label in zip(X, LABELS, strict=True)))

    def model_of(name):
        columns = [fc.numeric_column("a")]
        return estimator.LinearClassifier(columns, config=estimator.RunConfig(str(tmp_path / name), tf_random_seed=1))

    fed = {"a": OTHER_X[:, 1], "label": OTHER_LABELS}
    model = model_of("m").train(lambda: data.Dataset.from_csv(str(path), label_name="y").batch(16), hooks=[Feeding(lambda at: fed)])
    reference = model_of("reference").train(lambda: iter([({"a": fed["a"]}, OTHER_LABELS)] * 3))
    same_variables(model, reference)


def test_several_hooks_feed_each_its_own(tmp_path):
    model = make(tmp_path, "model_fn")
    hooks = [Feeding(lambda at: {"x": OTHER_X}), train.FeedFnHook(lambda: {"labels": OTHER_LABELS})]
    model.train(lambda: dataset("model_fn"), hooks=hooks, steps=2)
    reference = make(tmp_path, "model_fn", "reference").train(lambda: iter([({"x": OTHER_X}, OTHER_LABELS)] * 2))
    same_variables(model, reference)
    with pytest.raises(RuntimeError, match="Same tensor is fed by two hooks: 'x', by Feeding and FeedFnHook"):
        model.train(lambda: dataset("model_fn"), hooks=[hooks[0], train.FeedFnHook(lambda: {"x": OTHER_X})], steps=1)


@pytest.mark.parametrize("kind", ["model_fn", "canned"])
@pytest.mark.parametrize(
    ("feeds", "error", "text"),
    [
        ({"xx": OTHER_X}, DataError, r"Feeding: feed_dict has the key 'xx', which is no feature or label of the batch; there are 'x'.*did you mean 'x'"),
        ({"x": OTHER_X[:3]}, DataError, r"(?s)array 'x' has 3 examples.*expected: 16, as the batch has"),
        ({"x": OTHER_X[:, :2]}, DataError, r"Feeding: feed_dict: feature 'x': found rows of the shape \(2,\); expected"),
        ({"x": ["a"] * 16}, DataError, r"Feeding: feed_dict: feature 'x'.*"),
        ({3: OTHER_X}, TypeError, "Feeding: feed_dict has the key 3; expected the name or the Tensor"),
        ([3], TypeError, r"Feeding: feed_dict is \[3\]; expected a dict"),
    ],
)  # fmt: skip
def test_what_cannot_be_fed(tmp_path, kind, feeds, error, text):
    with pytest.raises(error, match=text):
        make(tmp_path, kind).train(lambda: dataset(kind), hooks=[Feeding(lambda at: feeds)], steps=1)


def test_what_a_step_computes_is_not_fed(tmp_path):
    model = make(tmp_path, "model_fn")
    with pytest.raises(UnsupportedError, match="which a step computes; expected a feature or a label of the batch"):
        model.train(lambda: dataset("model_fn"), hooks=[Feeding(lambda at: {model.model_fn.tensors["logits"]: X})], steps=1)
    with pytest.raises(UnsupportedError, match="FinalOpsHook: final_ops_feed_dict"):
        train.FinalOpsHook("loss", {"x": OTHER_X})


def test_feeds_of_a_session(tmp_path):
    """Variables and the step, which a session tells, depend on no batch: names of feeds are checked, and that is all."""
    model = make(tmp_path, "model_fn")
    found = []

    class Running(train.SessionRunHook):
        def after_run(self, run_context, run_values):
            found.append(run_context.session.run("global_step", feed_dict={"x": OTHER_X}))
            if len(found) == 2:
                run_context.session.run("global_step", feed_dict={"y": OTHER_X})

    with pytest.raises(DataError, match="session.run: feed_dict has the key 'y'"):
        model.train(lambda: dataset("model_fn"), hooks=[Running()])
    assert found == [1, 2]


def test_rows_that_vary_in_size(tmp_path):
    def model_fn(features, labels, mode):
        mean = ops.sum(features["x"], axis=1)[:, None]
        loss = losses.mean_squared_error(labels[:, None], layers.dense(mean, 1))
        return EstimatorSpec(mode, loss=loss, train_op=train.GradientDescentOptimizer(0.001).minimize(loss))

    def rows(size):
        return np.arange(4 * size, dtype=F).reshape(4, size)

    def model_of(name):
        return estimator.Estimator(model_fn, str(tmp_path / name), config=estimator.RunConfig(tf_random_seed=1))

    y = np.ones(4, F)
    hook = Feeding(lambda at: {"x": rows(7)} if at == 1 else None)
    model = model_of("m").train(lambda: iter([({"x": rows(n)}, y) for n in (3, 5, 2)]), hooks=[hook])
    reference = model_of("reference").train(lambda: iter([({"x": rows(n)}, y) for n in (3, 7, 2)]))
    same_variables(model, reference)
    with pytest.raises(DataError, match=r"found rows of the shape \(2,\); expected \(3,\), as the batches have"):
        model_of("one").train(lambda: iter([({"x": rows(3)}, y)] * 3), hooks=[Feeding(lambda at: {"x": rows(2)})])
