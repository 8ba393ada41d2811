"""Canned Estimators that take a head: what they compile to, their labels, and the heads that they refuse."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import re
import subprocess
import sys

import numpy as np
import pytest

from mlc import data, estimator, ops, optimizers
from mlc import feature_column as fc
from mlc.errors import DataError, UnsupportedError

F = np.float32
RANDOM = np.random.default_rng(5)
ROWS = 60
X = RANDOM.normal(size=(ROWS, 3)).astype(F)
W = RANDOM.uniform(0.1, 2.0, ROWS).astype(F)
KINDS = X.argmax(1)
COUNTS = np.abs(X[:, 0]).round()
TEXTS = np.array(["a", "b", "c"])


def two_heads(name="kind"):
    return [estimator.MultiClassHead(3, "w", list(TEXTS), name=name), estimator.PoissonRegressionHead(name="count")]


def test_a_canned_estimator_of_a_head_is_the_one_that_makes_the_head(tmp_path):
    columns = [fc.numeric_column("x", shape=(3,))]
    config = estimator.RunConfig(tf_random_seed=1)
    wide_deep = {"linear_feature_columns": columns, "dnn_feature_columns": columns, "dnn_hidden_units": [4], "config": config}
    pairs = [
        (estimator.DNNEstimator(estimator.BinaryClassHead("w"), [4], columns, str(tmp_path / "a"), config=config),
         estimator.DNNClassifier([4], columns, str(tmp_path / "b"), weight_column="w", config=config), (W > 1).astype(int)),
        (estimator.DNNEstimator(estimator.RegressionHead(2), [4], columns, str(tmp_path / "c"), dropout=0.5, config=config),
         estimator.DNNRegressor([4], columns, str(tmp_path / "d"), label_dimension=2, dropout=0.5, config=config), X[:, :2]),
        (estimator.DNNLinearCombinedEstimator(estimator.MultiClassHead(3), str(tmp_path / "e"), **wide_deep),
         estimator.DNNLinearCombinedClassifier(str(tmp_path / "f"), n_classes=3, **wide_deep), KINDS),
    ]  # fmt: skip
    for of_head, canned, labels in pairs:
        rows = data.Dataset.from_arrays({"x": X, "w": W}, labels)
        for model in (of_head, canned):
            model.train(lambda: rows.repeat(2).batch(7))  # noqa: B023
        names = canned.get_variable_names()
        assert of_head.get_variable_names() == names
        for name in names:
            np.testing.assert_array_equal(of_head.get_variable_value(name), canned.get_variable_value(name))
        assert of_head.evaluate(lambda: rows.batch(7)) == canned.evaluate(lambda: rows.batch(7))  # noqa: B023
        assert of_head.to_spec().split("\n", 1)[1] == canned.to_spec().split("\n", 1)[1]


def test_a_linear_model_of_columns_and_a_head_trains_the_bits_of_the_canned_one(tmp_path):
    columns = [fc.numeric_column("x", shape=(3,)), fc.categorical_column_with_identity("id", 5)]
    features = {"x": X, "id": RANDOM.integers(0, 5, ROWS), "w": W}

    def model_fn(features, labels, mode):
        logits = fc.linear_model(features, columns)
        return estimator.BinaryClassHead("w").create_estimator_spec(
            features, mode, logits, labels, optimizers.Ftrl(0.2)
        )

    labels = (X[:, 0] + W > 1).astype(int)
    canned = estimator.LinearEstimator(estimator.BinaryClassHead("w"), columns, str(tmp_path / "c"), optimizers.Ftrl(0.2))
    own = estimator.Estimator(model_fn, str(tmp_path / "o"))
    for model in (canned, own):
        model.train(lambda: data.Dataset.from_arrays(features, labels).repeat(3).batch(7))
    for name in own.get_variable_names():
        theirs = name if name == "global_step" else f"linear/{name}"
        np.testing.assert_array_equal(own.get_variable_value(name), canned.get_variable_value(theirs))


@pytest.mark.parametrize(
    ("head", "text"),
    [
        (estimator.BinaryClassHead("w", [0.25, 0.5], ["n", "y"], "sum"),
         'head { label: "label" weight_column: "w" loss_reduction: SUM '
         'binary_class { label_vocabulary: ["n", "y"] thresholds: [0.25, 0.5] } }'),
        (estimator.MultiClassHead(3), 'head { label: "label" multi_class { n_classes: 3 } }'),
        (estimator.MultiLabelHead(3, thresholds=[0.25, 0.5], classes_for_class_based_metrics=[2, 0]),
         'multi_label { n_classes: 3 thresholds: [0.25, 0.5] classes_for_class_based_metrics: ["2", "0"] }'),
        (estimator.RegressionHead(2, loss_reduction="mean"), "loss_reduction: MEAN regression { label_dimension: 2 }"),
        (estimator.LogisticRegressionHead(), 'head { label: "label" logistic_regression {} }'),
        (estimator.PoissonRegressionHead(), 'head { label: "label" poisson_regression {} }'),
        (estimator.PoissonRegressionHead(2, compute_full_loss=False),
         "poisson_regression { label_dimension: 2 compute_full_loss: false }"),
    ],
)  # fmt: skip
def test_heads_as_specs(head, text):
    found = estimator.LinearEstimator(head, [fc.numeric_column("x")]).to_spec()
    assert text in re.sub(r"\s+", " ", found)


def test_several_heads_as_a_spec():
    columns = [fc.numeric_column("x"), fc.numeric_column("label_kind"), fc.numeric_column("w")]
    found = estimator.LinearEstimator(estimator.MultiHead(two_heads(), [1, 0.5]), columns).to_spec()
    found = re.sub(r"\s+", " ", found)
    assert (
        'head { name: "kind" label: "label_kind_" weight_column: "w" '
        'multi_class { n_classes: 3 label_vocabulary: ["a", "b", "c"] } } '
        'head { name: "count" label: "label_count" head_weight: 0.5 poisson_regression {} }'
    ) in found
    assert 'column { name: "label_kind_" dtype: STRING } column { name: "label_count" dtype: FLOAT32 }' in found


def test_several_heads_train_the_bits_of_a_model_fn(tmp_path):
    columns = [fc.numeric_column("x", shape=(3,))]

    head = estimator.MultiHead(two_heads(), [1.0, 0.5])

    def model_fn(features, labels, mode):
        logits = fc.linear_model(features, columns, units=head.logits_dimension)
        return head.create_estimator_spec(features, mode, logits, labels, optimizers.Ftrl(0.2))

    rows = data.Dataset.from_arrays({"x": X, "w": W}, {"kind": TEXTS[KINDS], "count": COUNTS})
    canned = estimator.LinearEstimator(head, columns, str(tmp_path / "c"), optimizers.Ftrl(0.2))
    own = estimator.Estimator(model_fn, str(tmp_path / "o"))
    for model in (canned, own):
        model.train(lambda: rows.repeat(3).batch(7))
    for name in own.get_variable_names():
        theirs = name if name == "global_step" else f"linear/{name}"
        np.testing.assert_array_equal(own.get_variable_value(name), canned.get_variable_value(theirs))
    found, wanted = (model.evaluate(lambda: rows.batch(7)) for model in (canned, own))
    assert {key: found[key] for key in wanted} == pytest.approx(wanted, rel=1e-6)
    assert found["loss"] == pytest.approx(found["loss/kind"] + 0.5 * found["loss/count"])


def test_predictions_of_several_heads(tmp_path):
    model = estimator.DNNEstimator(estimator.MultiHead(two_heads()), [4], [fc.numeric_column("x", shape=(3,))], str(tmp_path))
    rows = data.Dataset.from_arrays({"x": X, "w": W}, {"kind": TEXTS[KINDS], "count": COUNTS})
    model.train(lambda: rows.batch(7))
    keys = [("kind", "classes"), ("count", "predictions"), ("kind", "all_classes")]
    row = next(model.predict(lambda: rows.batch(7), predict_keys=keys))
    assert list(row) == keys and row["kind", "classes"][0] in (b"a", b"b", b"c")
    assert row["kind", "all_classes"].tolist() == [b"a", b"b", b"c"]
    every = model.predictor()({"x": X[:2]})
    assert set(every) == {("count", key) for key in ("predictions", "logits")} | {
        ("kind", key) for key in ("logits", "probabilities", "class_ids", "classes", "all_class_ids", "all_classes")
    }
    np.testing.assert_allclose(every["count", "predictions"], np.exp(every["count", "logits"]), rtol=1e-6)
    with pytest.raises(ValueError, match="kind/predictions"):
        next(model.predict(lambda: rows.batch(7), predict_keys=[("kind", "predictions")]))


@pytest.mark.parametrize(
    ("labels", "text"),
    [
        (KINDS, "labels are of type ndarray; expected a dict by the names of the heads"),
        ({"kind": TEXTS[KINDS]}, "labels have no key 'count', the name of a head; found 'kind'"),
        ({"kind": TEXTS[KINDS], "counts": COUNTS}, "no key 'count'.*did you mean 'counts'"),
        ({"kind": TEXTS[KINDS], "count": X}, r"label of head 'count': found rows of the shape \(3,\)"),
        ({"kind": TEXTS[KINDS], "count": TEXTS[KINDS]}, "label of head 'count': found text"),
        ({"kind": KINDS, "count": COUNTS}, "label of head 'kind'"),
        ({"kind": np.array(["a", "d"] * (ROWS // 2)), "count": COUNTS}, "label 'label_kind'.*d"),
        ({"kind": TEXTS[KINDS], "count": -COUNTS - 1}, "label 'label_count', a number of at least 0"),
    ],
)
def test_labels_of_several_heads_that_are_wrong(labels, text, tmp_path):
    model = estimator.LinearEstimator(
        estimator.MultiHead(two_heads()), [fc.numeric_column("x", shape=(3,))], str(tmp_path)
    )
    with pytest.raises(DataError, match=text):
        model.train(lambda: iter([({"x": X, "w": W}, labels)]))


def test_an_only_head_takes_no_dict_of_labels(tmp_path):
    model = estimator.LinearEstimator(estimator.RegressionHead(), [fc.numeric_column("x", shape=(3,))], str(tmp_path))
    with pytest.raises(DataError, match="labels are a dict with the keys 'count'; expected one array"):
        model.train(lambda: iter([({"x": X}, {"count": COUNTS})]))


@pytest.mark.parametrize("form", ["marks", "floats", "ids", "equal lists", "texts", "one text"])
def test_labels_of_any_number_of_classes_in_a_canned_estimator(form, tmp_path):
    marks = (X > 0).astype(int)
    marks[:, 0] = 1  # no row is of no class, as lists of equal lengths need
    labels = {
        "marks": marks,
        "floats": marks.astype(float),
        "ids": [np.flatnonzero(row).tolist() for row in marks],
        "equal lists": [[0]] * ROWS,
        "texts": [TEXTS[row > 0].tolist() for row in marks],
        "one text": np.resize(TEXTS[:1], ROWS),
    }[form]
    if form in ("equal lists", "one text"):
        marks = np.resize(np.array([1, 0, 0]), (ROWS, 3))
    vocabulary = list(TEXTS) if "text" in form else None
    head = estimator.MultiLabelHead(3, label_vocabulary=vocabulary)
    model = estimator.LinearEstimator(head, [fc.numeric_column("x", shape=(3,))], str(tmp_path))
    model.train(lambda: data.Dataset.from_arrays({"x": X}, labels).repeat(5).batch(20))
    found = model.evaluate(lambda: data.Dataset.from_arrays({"x": X}, labels).batch(20))
    kernel = model.get_variable_value("linear/linear_model/x/weights")
    logits = X @ kernel + model.get_variable_value("linear/linear_model/bias_weights")
    losses = np.maximum(logits, 0) - logits * marks + np.log1p(np.exp(-np.abs(logits)))
    assert found["average_loss"] == pytest.approx(losses.mean(), rel=1e-4)


@pytest.mark.parametrize(
    ("labels", "text"),
    [
        (np.zeros((ROWS, 2), int), r"rows of the shape \(2,\); expected rows of the shape \(3,\)"),
        ([[0], [1, 3]] * (ROWS // 2), "3 is out of range"),
        ([[0.5], [1.0, 2.0]] * (ROWS // 2), "expected integers"),
        ([["a"], ["b", "c"]] * (ROWS // 2), "found 'a'; expected a number"),
        (np.full((ROWS, 3), 2), "0 or 1 for each class"),
    ],
)
def test_labels_of_any_number_of_classes_that_are_wrong(labels, text, tmp_path):
    model = estimator.BaselineEstimator(estimator.MultiLabelHead(3), str(tmp_path))
    with pytest.raises(DataError, match=text):
        model.train(lambda: data.Dataset.from_arrays({"x": X}, labels).batch(20))


def named(values, name):
    """Metrics under the names that they have with that of the head."""
    return {key if key in ("loss", "global_step") else f"{key}/{name}": value for key, value in values.items()}


@pytest.mark.parametrize(
    ("kind", "arguments", "labels"),
    [
        (estimator.BinaryClassHead, {"weight_column": "w", "thresholds": [0.3]}, (W > 1).astype(int)),
        (estimator.MultiClassHead, {"n_classes": 3}, KINDS),
        (estimator.MultiLabelHead, {"n_classes": 3, "classes_for_class_based_metrics": [1]}, (X > 0).astype(int)),
        (estimator.RegressionHead, {"label_dimension": 2}, X[:, :2]),
        (estimator.LogisticRegressionHead, {}, (X[:, 0] > 0).astype(F)),
        (estimator.PoissonRegressionHead, {}, COUNTS),
    ],
)
def test_metrics_of_an_only_head_with_a_name(kind, arguments, labels, tmp_path):
    columns = [fc.numeric_column("x", shape=(3,))]
    rows = data.Dataset.from_arrays({"x": X, "w": W}, labels)
    config = estimator.RunConfig(tf_random_seed=1)
    plain = estimator.DNNEstimator(kind(**arguments), [4], columns, str(tmp_path / "plain"), config=config)
    of_name = estimator.DNNEstimator(kind(name="up", **arguments), [4], columns, str(tmp_path / "named"), config=config)
    for model in (plain, of_name):
        model.train(lambda: rows.repeat(2).batch(7))
    assert 'name: "up"' in of_name.to_spec() and "name_in_metrics: true" in of_name.to_spec()
    found = of_name.evaluate(lambda: rows.batch(7))
    assert found == named(plain.evaluate(lambda: rows.batch(7)), "up")
    # As of the head in a model_fn, whose metrics are TensorFlow's.
    head = kind(name="up", **arguments)

    def model_fn(features, labels, mode):
        logits = fc.linear_model(features, columns, units=head.logits_dimension)
        return head.create_estimator_spec(features, mode, logits, labels, optimizer=optimizers.SGD(0.1))

    own = estimator.Estimator(model_fn, str(tmp_path / "own")).train(lambda: rows.batch(7))
    assert set(own.evaluate(lambda: rows.batch(7))) <= set(found)
    one, other = next(plain.predict(lambda: rows.batch(7))), next(of_name.predict(lambda: rows.batch(7)))
    assert list(one) == list(other)


def test_a_regularization_loss_of_a_head_with_a_name(tmp_path):
    path = tmp_path / "named.pbtxt"
    (tmp_path / "rows.csv").write_text("x,y\n1,1\n2,0\n3,1\n")
    path.write_text("""input { csv { header: true }  column { name: "x"  dtype: FLOAT32 }  column { name: "y"  dtype: INT64 } }
feature_column { numeric { key: "x" } }
model { linear { feature_columns: "x"  regularizer { l2: 0.1 } } }
head { name: "up"  label: "y"  binary_class {}  name_in_metrics: true }
train { files: "rows.csv"  max_steps: 3  batch_size: 3 }
eval { files: "rows.csv" }
""")
    mlc = [sys.executable, "-m", "mlc"]
    subprocess.run([*mlc, "train", str(path), "--model_dir", str(tmp_path / "m"), "--quiet"], check=True)
    found = subprocess.run([*mlc, "evaluate", str(path), "--model_dir", str(tmp_path / "m"), "--json"], check=True, capture_output=True, text=True).stdout
    assert "regularization_loss/up" in found and "average_loss/up" in found and '"loss"' in found


class Doubled(estimator.BinaryClassHead):
    def loss(self, *args, **kwargs):
        return 2.0 * super().loss(*args, **kwargs)


class Counts(estimator.LogisticRegressionHead):
    def _inverse_link(self, logits):
        return ops.exp(logits)


class OneHead(estimator.MultiHead):
    def predictions(self, logits, keys=None):
        return super().predictions(logits, keys)


class Named(estimator.BinaryClassHead):
    """The same head with a default of its own."""

    def __init__(self):
        super().__init__(weight_column="w")


def test_a_class_that_changes_no_method_is_the_head_that_it_is_made_of():
    assert Named().describe() == estimator.BinaryClassHead("w").describe()


@pytest.mark.parametrize(
    ("head", "text"),
    [
        (Doubled(), "do not take a Doubled, whose loss is not that of a BinaryClassHead; a model_fn"),
        (Counts(), "do not take a Counts, whose _inverse_link is not that of a LogisticRegressionHead"),
        (OneHead(two_heads()), "do not take a OneHead, whose predictions is not that of a MultiHead"),
        (estimator.MultiHead([*two_heads(), Doubled(name="d")]), "do not take a Doubled"),
        (estimator.BinaryClassHead(name="a/b"), "names without '/'.*found name='a/b'; a model_fn whose EstimatorSpec"),
        (estimator.BinaryClassHead(loss_fn=lambda labels, logits: logits), "cannot take loss_fn"),
        (estimator.RegressionHead(inverse_link_fn=ops.exp), "cannot take inverse_link_fn.*PoissonRegressionHead"),
        (estimator.BinaryClassHead(fc.numeric_column("w", normalizer_fn=ops.exp)), "weight_column 'w' has a normalizer_fn"),
        (estimator.MultiHead([estimator.RegressionHead(name="a")]), "of two heads or more.*; a model_fn"),
        (estimator.MultiHead(two_heads(), [1, 0]), "head_weights above 0; found 0.0 of 'count'"),
        (estimator.MultiHead(two_heads("a/b")), "without '/' in their names; found 'a/b'"),
        (estimator.MultiHead([*two_heads(), estimator.SampledSoftmaxHead(9, 3, name="s")]), "do not take a SampledSoftmaxHead"),
        (estimator.MultiHead([*two_heads(), estimator.RegressionHead(name="r", loss_fn=lambda labels, logits: logits)]),
         "cannot take loss_fn"),
        (estimator.SampledSoftmaxHead(9, 3), "do not take a SampledSoftmaxHead"),
    ],
)
def test_what_a_model_fn_alone_takes_is_refused_by_canned_estimators(head, text):
    columns = [fc.numeric_column("x")]
    for make in (
        lambda: estimator.LinearEstimator(head, columns),
        lambda: estimator.DNNEstimator(head, [2], columns),
        lambda: estimator.DNNLinearCombinedEstimator(head, linear_feature_columns=columns),
        lambda: estimator.BaselineEstimator(head),
    ):
        with pytest.raises(UnsupportedError, match=text):
            make()


def test_a_head_is_needed():
    with pytest.raises(TypeError, match="head must be a head of mlc.estimator.*found 'binary'"):
        estimator.BaselineEstimator("binary")


def test_a_canned_estimator_of_a_head_loads_no_ops():
    program = (
        "import sys; from mlc import estimator as e, feature_column as fc; "
        "e.LinearEstimator(e.MultiLabelHead(3, 'w', [0.5]), [fc.numeric_column('x')]).to_spec(); "
        "e.BaselineEstimator(e.PoissonRegressionHead()); "
        "e.BaselineEstimator(e.MultiHead([e.RegressionHead(name=n) for n in 'ab'])).to_spec(); "
        "assert not {'mlc.ops', 'mlc.df', 'mlc.metrics', 'mlc.losses'} & set(sys.modules), sorted(sys.modules)"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
