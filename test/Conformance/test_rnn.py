"""Recurrent Estimators as tf.estimator 2.15 tests them, in canned/rnn_test.py."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import canned
import numpy as np
import pytest
from columns import computed
from rnn import CELL, cell_variables, logits_variables
from upstream import Kind, cases, restates

from mlc import data, estimator, layers, ops, optimizers
from mlc import feature_column as fc

sys.path.append(str(Path(__file__).resolve().parents[1] / "Python"))
from records import example, frame

FILE = "estimator/canned/rnn_test.py"
PRICE = fc.sequence_numeric_column("price")


def says(group: str, *tests: str) -> pytest.MarkDecorator:
    return restates(*(f"{FILE}::{group}::{test}" for test in tests))


def embedded_tokens() -> Any:
    return fc.embedding_column(fc.sequence_categorical_column_with_hash_bucket("tokens", 10), dimension=2)


# Cells


@pytest.mark.parametrize(
    "cell_type",
    [
        pytest.param(lambda units: object(), marks=says("RNNLayerFnTest", "testWrongClassProvided")),
        pytest.param("unknown-cell-name", marks=says("RNNLayerFnTest", "testWrongStringProvided")),
    ],
)
def test_no_cell(cell_type: Any) -> None:
    with pytest.raises(ValueError, match="cell_type must be one of 'simple_rnn', 'lstm', 'gru'"):
        estimator.RNNClassifier([PRICE], units=[10], cell_type=cell_type)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        pytest.param({"units": [1]}, {CELL: ((1, 1), (1, 1))}, marks=says("RNNLayerFnTest", "testDefaultCellProvided")),
        pytest.param(
            {"cell_type": "simple_rnn", "units": 1}, {CELL: ((1, 1), (1, 1))},
            marks=says("RNNLayerFnTest", "testDefaultCellProvided", "testSpecificLayerTypeProvided"),
        ),
        *(
            pytest.param(
                {"cell_type": cell, "units": 1}, {f"rnn_model/rnn/{cell}_cell": ((1, gates), (1, gates))},
                marks=says("RNNLayerFnTest", "testSpecificLayerTypeProvided"),
            )
            for cell, gates in (("gru", 3), ("lstm", 4))
        ),
        pytest.param(
            {"cell_type": "simple_rnn", "units": [1, 2]},
            {
                "rnn_model/rnn/stacked_rnn_cells/simple_rnn_cell": ((1, 1), (1, 1)),
                "rnn_model/rnn/stacked_rnn_cells/simple_rnn_cell_1": ((1, 2), (2, 2)),
            },
            marks=says("RNNLayerFnTest", "testMultipleCellsProvided"),
        ),
    ],
    ids=["default", "simple_rnn", "gru", "lstm", "stacked"],
)  # fmt: skip
def test_cells(arguments: Any, expected: Mapping[str, Any], tmp_path: Path) -> None:
    model = estimator.RNNClassifier([PRICE], model_dir=str(tmp_path / "m"), optimizer=canned.FROZEN, **arguments)
    model.train(lambda: ({"price": [[1.0]]}, [[1]]), steps=1)
    found = {name for name in model.get_variable_names() if name.startswith("rnn_model/rnn/")}
    assert found == {f"{cell}/{part}" for cell in expected for part in ("kernel", "recurrent_kernel", "bias")}
    for cell, (kernel, recurrent) in expected.items():
        assert model.get_variable_value(f"{cell}/kernel").shape == kernel
        assert model.get_variable_value(f"{cell}/recurrent_kernel").shape == recurrent


@says("RNNEstimatorInitTest", "testConflictingRNNCellFn")
@pytest.mark.parametrize("arguments", [{"units": [4, 2]}, {"cell_type": "lstm"}])
def test_units_beside_a_function_that_makes_cells(arguments: Any) -> None:
    with pytest.raises(ValueError, match="units and cell_type must not be specified when using rnn_cell_fn"):
        estimator.RNNClassifier([embedded_tokens()], rnn_cell_fn=lambda: "a cell", **arguments)


@says("RNNEstimatorInitTest", "testWrongOptimizerTypeProvided")
def test_no_optimizer() -> None:
    with pytest.raises(ValueError, match="The given object is not an mlc.optimizers.Optimizer instance"):
        estimator.RNNClassifier([embedded_tokens()], units=[1], optimizer=object())


@says("RNNEstimatorInitTest", "testNonSequentialHeadProvided")
def test_no_head_of_steps() -> None:
    with pytest.raises(ValueError, match="must be a SequentialHeadWrapper when `return_sequences` is set to True"):
        estimator.RNNEstimator(estimator.MultiClassHead(3), [embedded_tokens()], units=[1], return_sequences=True)


@says("RNNModelTest", "testModelWeights")
def test_variables(tmp_path: Path) -> None:
    tokens = fc.sequence_categorical_column_with_hash_bucket("seq-tokens", 1)
    context = fc.categorical_column_with_hash_bucket("tokens", 1)
    model = estimator.RNNClassifier(
        [fc.embedding_column(tokens, 1)], [fc.embedding_column(context, 1)], units=[2], model_dir=str(tmp_path / "m"),
        optimizer=canned.FROZEN,
    )  # fmt: skip
    model.train(lambda: ({"tokens": [["a"]], "seq-tokens": [["a"]]}, [[1]]), steps=1)
    found = {name: model.get_variable_value(name).shape for name in model.get_variable_names() if name != "global_step"}
    embeddings = [shape for name, shape in found.items() if name.endswith("embedding_weights")]
    assert len(found) == 7 and embeddings == [(1, 1), (1, 1)]
    canned.assert_variables(model, 1, {**cell_variables((2, 2), (2, 2), (2,)), **logits_variables((2, 1), (1,))})


# Logits

RECURRENT, BIAS = [[0.2, -0.3], [0.3, -0.4]], [0.2, 0.5]
ONE_NUMBER = cell_variables([[0.1, -0.2]], RECURRENT, BIAS)
ONE_LOGIT = logits_variables([[-1.0], [1.0]], [0.3])
THREE_LOGITS = logits_variables([[-1.0, 0.5, 0.2], [1.0, -0.3, 0.1]], [0.3, 0.4, 0.5])
ONE_ROW, SAME_LENGTHS, TWO_LENGTHS = [[10.0, 5.0]], [[10.0, 5.0], [2.0, 7.0]], [[10.0, 5.0], [2.0]]


def predicted(
    columns: Any, features: Any, variables: canned.Variables, directory: Path, context: Any = ()
) -> list[np.ndarray]:
    """What an Estimator with two units and these variables tells of each row: its logits."""
    head = estimator.RegressionHead(label_dimension=len(variables["rnn_model/logits/bias"]))
    model = estimator.RNNEstimator(head, columns, context, units=[2], model_dir=str(directory / "e"))
    return [row["predictions"] for row in canned.starting_with(model, variables).predict(lambda: features)]


@pytest.mark.parametrize(
    ("variables", "price", "steps"),
    [
        pytest.param(
            ONE_LOGIT, ONE_ROW, [[[-1.4388], [-0.6033]]], marks=says("RNNLogitFnTest", "testOneDimLogits"), id="one"
        ),
        pytest.param(
            THREE_LOGITS, ONE_ROW, [[[-1.4388, 1.0884, 0.5762], [-0.6033, 0.7777, 0.5698]]],
            marks=says("RNNLogitFnTest", "testMultiDimLogits"), id="three",
        ),
        pytest.param(
            THREE_LOGITS, SAME_LENGTHS,
            [
                [[-1.4388, 1.0884, 0.5762], [-0.6033, 0.7777, 0.5698]],
                [[0.0197, 0.5601, 0.5860], [-1.2473, 1.0170, 0.5745]],
            ],
            marks=says("RNNLogitFnTest", "testMultiExampleMultiDim"), id="two_rows",
        ),
    ],
)  # fmt: skip
def test_logits(variables: canned.Variables, price: Any, steps: Any, tmp_path: Path) -> None:
    """After the last step of an Estimator, and after each of a model_fn's cell with the same variables."""
    width = np.shape(steps)[-1]
    given = {**ONE_NUMBER, **variables}
    found = predicted([PRICE], {"price": price}, given, tmp_path)
    np.testing.assert_allclose(found, [row[-1] for row in steps], atol=1e-4)

    def function(features: Mapping[str, Any]) -> Any:
        outputs, _ = layers.dynamic_rnn(layers.RNNCell(2, name="cell"), ops.expand_dims(features["price"], -1))
        return layers.dense(outputs, width, name="logits")

    named = {name.replace(CELL, "cell").removeprefix("rnn_model/"): value for name, value in given.items()}
    found = computed(function, {"price": np.array(price, np.float32)}, tmp_path, named)
    np.testing.assert_allclose(found, steps, atol=1e-4)


def of_steps(directory: Path, **arguments: Any) -> estimator.Estimator:
    """An Estimator whose head is of each step, with the variables of one number and one logit."""
    model = estimator.RNNClassifier(
        [PRICE], units=[2], model_dir=str(directory / "m"), optimizer=canned.FROZEN, return_sequences=True,
        **{"label_vocabulary": None, **arguments},
    )  # fmt: skip
    return canned.starting_with(model, {**ONE_NUMBER, **ONE_LOGIT})


@says("RNNLogitFnTest", "testMultiExamplesDifferentLength")
def test_logits_of_rows_of_several_lengths(tmp_path: Path) -> None:
    """The last logits of a row that has ended stay."""
    found = predicted([PRICE], {"price": TWO_LENGTHS}, {**ONE_NUMBER, **ONE_LOGIT}, tmp_path)
    np.testing.assert_allclose(found, [[-0.6033], [0.0197]], atol=1e-4)
    rows = list(of_steps(tmp_path).predict(lambda: {"price": TWO_LENGTHS}))
    assert [row["sequence_mask"].tolist() for row in rows] == [[1, 1], [1, 0]]
    np.testing.assert_allclose(
        [row["logits"] for row in rows], [[[-1.4388], [-0.6033]], [[0.0197], [0.0197]]], atol=1e-4
    )


@pytest.mark.parametrize(
    ("mask", "expected"),
    [
        pytest.param(None, [[1, 1], [1, 0]], marks=says("ModelFnTest", "testSequentialMaskInHead")),
        pytest.param([[1, 1], [1, 1]], [[1, 1], [1, 1]], marks=says("ModelFnTest", "testSequentialMaskInHeadWithMasks")),
    ],
)
def test_the_head_gets_a_mask(mask: Any, expected: Any, tmp_path: Path) -> None:
    seen = []

    class Head(estimator.RegressionHead):
        def create_estimator_spec(self, features: Any, mode: str, logits: Any, *rest: Any, **more: Any) -> Any:
            seen.append(list(features))
            return super().create_estimator_spec(features, mode, logits, *rest, **more)

    head = estimator.SequentialHeadWrapper(Head(), sequence_length_mask="sequence_mask")
    model = estimator.RNNEstimator(head, [PRICE], units=[10], return_sequences=True, model_dir=str(tmp_path / "m"))
    features = {"price": [[10.0, 5.0], [4.0]], **({} if mask is None else {"sequence_mask": np.array(mask)})}
    found = [row["sequence_mask"].tolist() for row in model.predict(lambda: features)]
    assert found == expected
    assert seen == [["price", "sequence_mask"]]


CONTEXT_CELL = cell_variables([[0.1, -0.2], [1.0, 0.9]], RECURRENT, BIAS)
ON_SALE_CELL = cell_variables([[0.5, -0.5], [1.0, -1.0], [0.1, -0.2]], RECURRENT, BIAS)
ON_SALE = fc.indicator_column(fc.sequence_categorical_column_with_identity("on_sale", 2))


@pytest.mark.parametrize(
    ("columns", "context", "cell", "more", "logits"),
    [
        pytest.param(
            [PRICE], [fc.numeric_column("context")], CONTEXT_CELL, {"context": [[-0.5], [0.8]]}, [[-0.3662], [0.1414]],
            marks=says("RNNLogitFnTest", "testMultiExamplesWithContext"), id="context",
        ),
        pytest.param(
            [PRICE, ON_SALE], [], ON_SALE_CELL, {"on_sale": [[0, 1], [0]]}, [[-1.5056], [-0.7962]],
            marks=says("RNNLogitFnTest", "testMultiExamplesMultiFeatures"), id="two_columns",
        ),
    ],
)  # fmt: skip
def test_logits_of_several_columns(
    columns: Any, context: Any, cell: canned.Variables, more: Any, logits: Any, tmp_path: Path
) -> None:
    features = {"price": TWO_LENGTHS, **more}
    found = predicted(columns, features, {**cell, **ONE_LOGIT}, tmp_path, context)
    np.testing.assert_allclose(found, logits, atol=1e-4)


# Training


ONE_SENTENCE = {"tokens": [["the", "cat", "sat"]]}, [[1]]
TWO_SENTENCES = {"tokens": [["the", "cat", "sat"], ["dog", "barked"]], "w": [[1], [2]]}, [[1], [0]]


@pytest.mark.parametrize(
    ("rows", "arguments"),
    [
        pytest.param(
            rows, {"n_classes": classes, **arguments}, id=f"{name}{what}",
            marks=says("RNNClassifierTrainingTest", f"test{name}Class{what}"),
        )
        for what, rows, arguments in (
            ("FromScratchWithDefaultOptimizer", ONE_SENTENCE, {}),
            ("WithExampleWeight", TWO_SENTENCES, {"weight_column": "w"}),
        )
        for name, classes in (("Binary", 2), ("Multi", 4))
    ],
)  # fmt: skip
def test_first_steps(rows: Any, arguments: Any, tmp_path: Path) -> None:
    model = estimator.RNNClassifier([embedded_tokens()], units=[4, 2], model_dir=str(tmp_path / "m"), **arguments)
    model.train(lambda: rows, steps=10)
    logits = 1 if arguments["n_classes"] == 2 else arguments["n_classes"]
    expected: dict[str, tuple[int, ...]] = logits_variables((2, logits), (logits,))
    for layer, inputs, units in (("", 2, 4), ("_1", 4, 2)):
        cell = f"rnn_model/rnn/stacked_rnn_cells/simple_rnn_cell{layer}"
        shapes = {"kernel": (inputs, units), "recurrent_kernel": (units, units), "bias": (units,)}
        expected |= {f"{cell}/{part}": shape for part, shape in shapes.items()}
    canned.assert_variables(model, 10, expected)


@says("RNNClassifierTrainingTest", "testDefaultGradientClipping")
def test_bounds_of_gradients(tmp_path: Path) -> None:
    """The squares of a first gradient are what Adagrad adds to its 0.1."""
    for weight, is_bounded in ((1000.0, True), (1.0, False)):
        model = estimator.RNNClassifier(
            [PRICE], units=[2], n_classes=3, weight_column="w", model_dir=str(tmp_path / str(weight))
        )
        model.train(lambda weight=weight: ({"price": [[1.0]], "w": [weight]}, [[1]]), steps=1)
        for name in (f"{CELL}/kernel", f"{CELL}/bias", "rnn_model/logits/kernel", "rnn_model/logits/bias"):
            norm = np.sqrt(np.sum(model.get_variable_value(f"{name}/Adagrad") - 0.1))
            assert norm == pytest.approx(5.0, rel=1e-4) if is_bounded else 0 < norm < 4, name


# From given variables: what a step of training, evaluations and predictions tell

BINARY_METRICS = {
    "loss": 0.559831, "average_loss": 0.559831, "accuracy": 1.0, "prediction/mean": 0.429262, "label/mean": 0.5,
    "accuracy_baseline": 0.5, "recall": 1.0, "precision": 1.0, "auc": 1.0, "auc_precision_recall": 1.0,
}  # fmt: skip


def both_of(name: str) -> pytest.MarkDecorator:
    return restates(
        f"{FILE}::RNNClassifierTrainingTest::test{name}FromCheckpoint",
        f"{FILE}::RNNClassifierEvaluationTest::test{name}EvaluationMetrics",
    )


@pytest.mark.parametrize(
    ("classes", "price", "logits", "expected"),
    [
        pytest.param(2, TWO_LENGTHS, ONE_LOGIT, BINARY_METRICS, marks=both_of("BinaryClass"), id="binary"),
        pytest.param(
            3, SAME_LENGTHS, THREE_LOGITS, {"loss": 1.331465, "average_loss": 1.331466, "accuracy": 0.5},
            marks=both_of("MultiClass"), id="multi",
        ),
    ],
)  # fmt: skip
def test_losses_and_metrics(classes: int, price: Any, logits: canned.Variables, expected: Any, tmp_path: Path) -> None:
    model = estimator.RNNClassifier(
        [PRICE], units=[2], n_classes=classes, model_dir=str(tmp_path / "m"), optimizer=canned.FROZEN
    )

    def rows() -> Any:
        return {"price": price}, [[0], [1]]

    canned.with_variables(model, {**ONE_NUMBER, **logits}, rows)
    canned.assert_metrics(model.evaluate(rows, steps=1), {"global_step": canned.STEP, **expected}, rtol=1e-5)
    assert canned.losses_of(model, rows, 10) == pytest.approx([expected["loss"]] * 10, rel=1e-5)
    assert model.get_variable_value("global_step") == canned.STEP + 10


@pytest.mark.parametrize(
    ("classes", "variables", "logits"),
    [
        pytest.param(
            2, ONE_LOGIT, [-0.603282],
            marks=says("RNNClassifierPredictionTest", "testBinaryClassPredictions"), id="binary",
        ),
        pytest.param(
            3, THREE_LOGITS, [-0.603282, 0.777708, 0.569756],
            marks=says("RNNClassifierPredictionTest", "testMultiClassPredictions"), id="multi",
        ),
    ],
)  # fmt: skip
def test_predictions(classes: int, variables: canned.Variables, logits: Any, tmp_path: Path) -> None:
    names = [f"class_{i}" for i in range(classes)]
    model = estimator.RNNClassifier(
        [PRICE], units=[2], n_classes=classes, label_vocabulary=names, model_dir=str(tmp_path / "m"),
        optimizer=canned.FROZEN,
    )  # fmt: skip
    begun = canned.starting_with(model, {**ONE_NUMBER, **variables})
    (row,) = begun.predict(lambda: {"price": ONE_ROW})
    canned.assert_predictions(row, canned.class_predictions(logits, names))


ONE_OF_TWO = [[0, 1], [0]]
SEQUENTIAL_METRICS = {
    "loss": 0.651841, "average_loss": 0.651841, "accuracy": 1.0 / 3, "prediction/mean": 0.350085, "label/mean": 1.0 / 3,
    "accuracy_baseline": 2.0 / 3, "recall": 0.0, "precision": 0.0, "auc": 0.5, "auc_precision_recall": 0.30685282,
}  # fmt: skip


@pytest.mark.parametrize(
    ("arguments", "weights", "labels", "loss"),
    [
        pytest.param(
            {}, {}, ONE_OF_TWO, 0.651841,
            marks=says("RNNClassifierTrainingTest", "testBinaryClassFromCheckpointSequential"), id="plain",
        ),
        pytest.param(
            {"weight_column": "weights", "loss_reduction": "sum"}, {"weights": [[0.0, 0.5], [0.5]]}, [[0, 0], [1]],
            0.559831,
            marks=says("RNNClassifierTrainingTest", "testBinaryClassFromCheckpointSequentialWithWeights"), id="weights",
        ),
    ],
)  # fmt: skip
def test_losses_of_steps(arguments: Any, weights: Any, labels: Any, loss: float, tmp_path: Path) -> None:
    model = of_steps(tmp_path, **arguments)
    found = canned.losses_of(model, lambda: ({"price": TWO_LENGTHS, **weights}, labels), 10)
    assert found == pytest.approx([loss] * 10, rel=1e-5)
    assert model.get_variable_value("global_step") == 10


@says("RNNClassifierEvaluationTest", "testBinaryClassEvaluationMetricsSequential")
def test_metrics_of_steps(tmp_path: Path) -> None:
    found = of_steps(tmp_path).evaluate(lambda: ({"price": TWO_LENGTHS}, ONE_OF_TWO), steps=1)
    canned.assert_metrics(found, SEQUENTIAL_METRICS, rtol=1e-5)


@says("RNNClassifierPredictionTest", "testBinaryClassPredictionsSequential")
def test_predictions_of_steps(tmp_path: Path) -> None:
    model = of_steps(tmp_path, label_vocabulary=["class_0", "class_1"], sequence_mask="my-mask")
    (row,) = model.predict(lambda: {"price": ONE_ROW})
    assert row["my-mask"].tolist() == [1, 1]
    np.testing.assert_allclose(row["logits"], [[-1.438803], [-0.603282]], rtol=1e-5)
    np.testing.assert_allclose(row["logistic"], [[0.191731], [0.353593]], rtol=1e-5)
    np.testing.assert_allclose(row["probabilities"], [[0.808269, 0.191731], [0.646407, 0.353593]], rtol=1e-5)
    assert row["class_ids"].tolist() == [[0], [0]]
    assert row["classes"].tolist() == [[b"class_0"], [b"class_0"]]


# The whole use


def of_head(columns: Any, n_classes: int, **arguments: Any) -> estimator.Estimator:
    return estimator.RNNEstimator(estimator.MultiClassHead(n_classes), columns, **arguments)


KINDS = [
    Kind("classifier", FILE, "RNNClassifier{}Test", estimator.RNNClassifier),
    Kind("estimator", FILE, "RNNEstimator{}Test", of_head),
]
SENTENCES = ["dog", "cat", "bird", "the", "a", "sat", "flew", "slept"]


def array_inputs(_: Path) -> list[canned.InputFn]:
    """Sentences of three words each: an array has no others."""
    random = np.random.default_rng(0)
    tokens = np.array([random.choice(SENTENCES, 3, replace=False) for _ in range(10)])
    labels = random.integers(0, 3, 10)
    make = estimator.inputs.numpy_input_fn
    return [
        make({"tokens": tokens}, labels, 10, num_epochs=None, shuffle=True),
        make({"tokens": tokens}, labels, 10, shuffle=False),
        make({"tokens": tokens}, None, 10, shuffle=False),
    ]


def example_inputs(directory: Path) -> list[canned.InputFn]:
    """Sentences of any number of words, in a file of tf.Examples."""
    random = np.random.default_rng(0)
    path = directory / "rows.tfrecord"
    records = []
    for _ in range(10):
        words = random.choice(SENTENCES, random.integers(1, 9), replace=False)
        records.append(example(tokens=[word.encode() for word in words], label=random.integers(0, 3, 1)))
    path.write_bytes(b"".join(map(frame, records)))
    spec = estimator.classifier_parse_example_spec([embedded_tokens()], label_key="label", label_dtype="int64")
    features = {"tokens": spec["tokens"]}
    make = data.make_batched_features_dataset
    return [
        lambda: make(path, 10, spec, label_key="label"),
        lambda: make(path, 10, spec, label_key="label", num_epochs=1),
        lambda: make(path, 10, features, num_epochs=1),
    ]


@cases(
    (
        KINDS,
        "Integration",
        {
            "testNumpyInputFnStringOptimizer": (array_inputs, lambda: "Adam"),
            "testNumpyInputFnOptimizerInstance": (array_inputs, optimizers.Adam),
            "testParseExampleInputFn": (example_inputs, lambda: "Adam"),
        },
    )
)
def test_whole_use(kind: Kind, case: Any, tmp_path: Path) -> None:
    inputs, optimizer = case
    model = kind.make(
        [embedded_tokens()], n_classes=3, units=[4, 2], model_dir=str(tmp_path / "m"), optimizer=optimizer()
    )
    canned.assert_whole_use(model, inputs(tmp_path), 10, "probabilities", (10, 3), tmp_path)
