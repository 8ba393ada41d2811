"""Parsing specs of tf.Examples, what is read by them, and models of such files, as tests of tf.estimator 2.15 have them.

What a spec reads is told by a linear model with an output for each term and number.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import gzip
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import canned
import numpy as np
import pytest
from columns import FILE, says
from dnn import COMBINED_FILE, DNN_FILE
from linear import CLASSIFIERS, REGRESSORS
from upstream import Kind, cases, restates

from mlc import data, estimator
from mlc import feature_column as fc
from mlc.io import FixedLenFeature, VarLenFeature

sys.path.append(str(Path(__file__).resolve().parents[1] / "Python"))
from records import example, frame

TEXTS, INTEGERS, FLOATS = (VarLenFeature(dtype) for dtype in ("string", "int64", "float32"))
ONE, PAIR = FixedLenFeature((1,), "float32"), FixedLenFeature((2,), "float32")
LABEL = FixedLenFeature((1,), "int64")


# Specs with labels

CLASSIFIER, REGRESSOR = "ClassifierParseExampleSpecV2", "RegressorParseExampleSpecV2"
MAKERS = {CLASSIFIER: estimator.classifier_parse_example_spec, REGRESSOR: estimator.regressor_parse_example_spec}
A, C = fc.numeric_column("a"), fc.numeric_column("c")
SEQUENCE_A = fc.sequence_numeric_column("a")


def of_labels(group: str, test: str) -> pytest.MarkDecorator:
    return restates(f"estimator/canned/parsing_utils_test.py::{group}::{test}")


def labelled(
    test: str, group: str, arguments: Any, label: Any, more: Any = None, column: Any = A, feature: Any = ONE
) -> Any:
    """A row of test_specs_of_labels."""
    expected = {"a": feature, "b": label, **(more or {})}
    return pytest.param(group, column, arguments, expected, id=f"{group}-{test}", marks=of_labels(group, test))


@pytest.mark.parametrize(
    ("group", "column", "arguments", "expected"),
    [
        labelled("test_string", CLASSIFIER, {"label_dtype": "string"}, FixedLenFeature((1,), "string")),
        labelled("test_label_default_value", CLASSIFIER, {"label_default": 0}, FixedLenFeature((1,), "int64", 0)),
        labelled("test_int64", REGRESSOR, {"label_dtype": "int64"}, LABEL),
        labelled("test_label_default_value", REGRESSOR, {"label_default": 0.0}, FixedLenFeature((1,), "float32", 0.0)),
        labelled("test_label_dimension", REGRESSOR, {"label_dimension": 3}, FixedLenFeature((3,), "float32")),
        *(
            row
            for group, label in ((CLASSIFIER, LABEL), (REGRESSOR, ONE))
            for row in (
                labelled("test_defaults", group, {}, label),
                labelled("test_weight_column_as_string", group, {"weight_column": "c"}, label, {"c": ONE}),
                labelled("test_weight_column_as_numeric_column", group, {"weight_column": C}, label, {"c": ONE}),
                labelled("test_non_v1_feature_column", group, {}, label, column=SEQUENCE_A, feature=FLOATS),
            )
        ),
    ],
)
def test_specs_of_labels(group: str, column: Any, arguments: Any, expected: Any) -> None:
    assert MAKERS[group](feature_columns=[column], label_key="b", **arguments) == expected


@pytest.mark.parametrize(
    ("group", "arguments", "text"),
    [
        pytest.param(group, arguments, text, marks=of_labels(group, test))
        for group in MAKERS
        for test, arguments, text in (
            ("test_label_key_should_not_be_used_as_feature", {"label_key": "a"}, "label should not be used as feature"),
            (
                "test_weight_column_should_not_be_used_as_feature", {"label_key": "b", "weight_column": A},
                "weight_column should not be used as feature",
            ),
            (
                "test_weight_column_should_be_a_numeric_column", {"label_key": "b", "weight_column": 3},
                "should be an instance of numeric_column",
            ),
        )
    ],
)  # fmt: skip
def test_refused_labels_and_weights(group: str, arguments: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        MAKERS[group](feature_columns=[A], **arguments)


# Specs of several columns

MAKE = "MakeParseExampleSpecTest"
NUMBERS = fc.numeric_column("key1", shape=2, default_value=0.0)
NUMBERS_SPEC = {"key1": FixedLenFeature((2,), "float32", (0.0, 0.0))}
HASHED = fc.categorical_column_with_hash_bucket("key2", 10)
INT_PAIR = FixedLenFeature((2,), "int32")
INT_BUCKETS = [fc.bucketized_column(fc.numeric_column(key, shape=2, dtype="int32"), [0, 1]) for key in ("a", "aaa")]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        pytest.param([], {}, marks=says(MAKE, "test_no_feature_columns")),
        pytest.param((NUMBERS,), NUMBERS_SPEC, marks=says(MAKE, "test_one_feature_column")),
        pytest.param((NUMBERS, HASHED), {**NUMBERS_SPEC, "key2": TEXTS}, marks=says(MAKE, "test_two_feature_columns")),
        pytest.param(
            (NUMBERS, fc.bucketized_column(NUMBERS, [0.0])), NUMBERS_SPEC,
            marks=says(MAKE, "test_equal_keys_equal_parse_spec"),
        ),
        pytest.param(
            (NUMBERS, fc.weighted_categorical_column(HASHED, "key3")), {**NUMBERS_SPEC, "key2": TEXTS, "key3": FLOATS},
            marks=says(MAKE, "test_multiple_features_dict"),
        ),
        pytest.param(
            [fc.numeric_column("aaa", shape=[2, 3], dtype="int32")], {"aaa": FixedLenFeature((2, 3), "int32")},
            marks=says("NumericColumnTest", "test_parse_spec"),
        ),
        pytest.param([INT_BUCKETS[1]], {"aaa": INT_PAIR}, marks=says("BucketizedColumnTest", "test_parse_spec")),
        pytest.param(
            [fc.crossed_column([INT_BUCKETS[0], "c"], 10)], {"a": INT_PAIR, "c": TEXTS},
            marks=says("CrossedColumnTest", "test_parse_spec"),
        ),
        pytest.param(
            [fc.categorical_column_with_hash_bucket("aaa", 10)], {"aaa": TEXTS},
            marks=says("HashedCategoricalColumnTest", "test_parse_spec_string"),
        ),
        pytest.param(
            [fc.categorical_column_with_hash_bucket("aaa", 10, dtype="int32")], {"aaa": VarLenFeature("int32")},
            marks=says("HashedCategoricalColumnTest", "test_parse_spec_int"),
        ),
    ],
)  # fmt: skip
def test_specs_of_columns(columns: Any, expected: Any) -> None:
    assert fc.make_parse_example_spec(columns) == expected


@pytest.mark.parametrize(
    ("columns", "text"),
    [
        pytest.param(
            (NUMBERS, "invalid_column"), "All feature_columns must be FeatureColumn instances.*invalid_column",
            marks=says(MAKE, "test_invalid_type"),
        ),
        pytest.param(
            (NUMBERS, fc.categorical_column_with_hash_bucket("key1", 10)),
            "feature_columns contain different parse_spec for key key1",
            marks=says(MAKE, "test_equal_keys_different_parse_spec"),
        ),
        *(
            pytest.param(
                [fc.weighted_categorical_column(fc.categorical_column_with_identity("aaa", 3), "aaa", dtype)],
                "Parse config.*already exists for aaa",
                marks=says("WeightedCategoricalColumnTest", "test_column_name_collision"),
            )
            for dtype in ("float32", "int64")
        ),
    ],
)  # fmt: skip
def test_refused_columns(columns: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        fc.make_parse_example_spec(columns)


# What a column's spec reads

TERMS, NUMBERED = ["omar", "stringer", "marlo"], (11, 21, 31)
PRICE = fc.numeric_column("price", shape=2)
DEFAULT_PRICE = fc.numeric_column("price", shape=2, default_value=11.0)
BUCKETS = fc.bucketized_column(PRICE, boundaries=[0, 50])
LISTED, ALSO_LISTED = (fc.categorical_column_with_vocabulary_list(key, TERMS) for key in ("aaa", "bbb"))
PRICES, OMAR = np.array([20.0, 110.0], np.float32), [b"omar", b"stringer"]
IDS = np.array([11, 21])


def vocabulary_file(directory: Path) -> Any:
    path = directory / "terms"
    path.write_text("\n".join(TERMS), encoding="utf-8")
    return [fc.categorical_column_with_vocabulary_file("aaa", str(path), 3)]


def packed_vocabulary_file(directory: Path) -> Any:
    path = directory / "terms.gz"
    path.write_bytes(gzip.compress(b"".join(frame(term.encode()) for term in TERMS)))
    return [fc.categorical_column_with_vocabulary_file("aaa", str(path), 3, file_format="tfrecord_gzip")]


def write_examples(path: Path, examples: Sequence[Mapping[str, Any]]) -> Path:
    path.write_bytes(b"".join(frame(example(**features)) for features in examples))
    return path


def reader(key: str, feature: Any, weights: str | None) -> tuple[Any, Any]:
    """A column that tells what is read under a key, and its weights in a linear model: an output for each term."""
    if isinstance(feature, FixedLenFeature):
        return fc.numeric_column(key, shape=feature.shape), np.eye(2)
    terms = TERMS if feature == TEXTS else IDS.tolist()
    column = fc.categorical_column_with_vocabulary_list(key, terms)
    return fc.weighted_categorical_column(column, weights) if weights else column, np.eye(len(terms))


def read(spec: Mapping[str, Any], path: Path, directory: Path) -> list[list[float]]:
    """What each Example of a file has by a spec: numbers, and how often each term is there, or its weight."""
    weights = next((key for key, feature in spec.items() if feature == FLOATS), None)
    readers = [reader(key, feature, weights) for key, feature in sorted(spec.items()) if key != weights]
    ends = np.cumsum([len(eye) for _, eye in readers])
    variables: dict[str, Any] = {"linear/linear_model/bias_weights": np.zeros(ends[-1])}
    for (column, eye), end in zip(readers, ends, strict=True):
        outputs = np.zeros((len(eye), ends[-1]))
        outputs[:, end - len(eye) : end] = eye
        variables[f"linear/linear_model/{column.name}/weights"] = outputs
    model = estimator.LinearRegressor([column for column, _ in readers], str(directory / "m"), int(ends[-1]))
    rows = data.Dataset.from_tfrecord(path, spec).batch(10)
    return [row["predictions"].tolist() for row in canned.starting_with(model, variables).predict(lambda: rows)]


AAA = ([{"aaa": OMAR}], [[1, 1, 0]])
INTEGER_AAA = ([{"aaa": IDS}], [[1, 1]])
ONE_PRICE = ([{"price": PRICES}], [[20, 110]])
READ: list[tuple[str, str, Any, Mapping[str, Any], tuple[Any, Any]]] = [
    ("NumericColumnTest", "test_parse_example_no_default_value", [PRICE], {"price": PAIR}, ONE_PRICE),
    (
        "NumericColumnTest", "test_parse_example_with_default_value", [DEFAULT_PRICE],
        {"price": FixedLenFeature((2,), "float32", (11.0, 11.0))},
        ([{"price": PRICES}, {"something_else": PRICES}], [[20, 110], [11, 11]]),
    ),
    ("BucketizedColumnTest", "test_parse_example", [BUCKETS], {"price": PAIR}, ONE_PRICE),
    (
        "CrossedColumnTest", "test_parse_example", [fc.crossed_column([BUCKETS, "wire"], 10)],
        {"price": PAIR, "wire": TEXTS}, ([{"price": PRICES, "wire": OMAR}], [[20, 110, 1, 1, 0]]),
    ),
    (
        "HashedCategoricalColumnTest", "test_parse_example", [fc.categorical_column_with_hash_bucket("aaa", 10)],
        {"aaa": TEXTS}, AAA,
    ),
    ("VocabularyFileCategoricalColumnTest", "test_parse_example", vocabulary_file, {"aaa": TEXTS}, AAA),
    (
        "VocabularyTfrecordGzipFileCategoricalColumnTest", "test_parse_example", packed_vocabulary_file, {"aaa": TEXTS},
        AAA,
    ),
    ("VocabularyListCategoricalColumnTest", "test_parse_example_string", [LISTED], {"aaa": TEXTS}, AAA),
    ("IndicatorColumnTest", "test_parse_example", [fc.indicator_column(LISTED)], {"aaa": TEXTS}, AAA),
    ("EmbeddingColumnTest", "test_parse_example", [fc.embedding_column(LISTED, 2)], {"aaa": TEXTS}, AAA),
    *(
        (
            "VocabularyListCategoricalColumnTest", "test_parse_example_int",
            [fc.categorical_column_with_vocabulary_list("aaa", NUMBERED, dtype)], {"aaa": VarLenFeature(dtype)},
            INTEGER_AAA,
        )
        for dtype in ("int64", "int32")
    ),
    (
        "IdentityCategoricalColumnTest", "test_parse_example", [fc.categorical_column_with_identity("aaa", 30)],
        {"aaa": INTEGERS}, INTEGER_AAA,
    ),
    (
        "SharedEmbeddingColumnTest", "test_parse_example", fc.shared_embeddings([LISTED, ALSO_LISTED], 2),
        {"aaa": TEXTS, "bbb": TEXTS}, ([{"aaa": OMAR, "bbb": [b"stringer", b"marlo"]}], [[1, 1, 0, 0, 1, 1]]),
    ),
    (
        "WeightedCategoricalColumnTest", "test_parse_example", [fc.weighted_categorical_column(LISTED, "weights")],
        {"aaa": TEXTS, "weights": FLOATS},
        ([{"aaa": OMAR, "weights": np.array([1.0, 10.0], np.float32)}], [[1, 10, 0]]),
    ),
]  # fmt: skip


@pytest.fixture(scope="module")
def already_read() -> dict[str, Any]:
    """What was read by a spec: that of several columns is one."""
    return {}


@pytest.mark.parametrize(
    ("columns", "spec", "case"),
    [
        pytest.param(columns, spec, case, id=f"{group}-{test}", marks=says(group, test))
        for group, test, columns, spec, case in READ
    ],
)
def test_read(columns: Any, spec: Any, case: Any, already_read: dict[str, Any], tmp_path: Path) -> None:
    examples, expected = case
    made = fc.make_parse_example_spec(columns(tmp_path) if callable(columns) else columns)
    assert made == spec
    if repr(made) not in already_read:
        already_read[repr(made)] = read(made, write_examples(tmp_path / "rows", examples), tmp_path)
    assert already_read[repr(made)] == expected


# The whole use


def example_inputs(path: Path, x: np.ndarray, y: np.ndarray) -> list[canned.InputFn]:
    """input_fns of a file of tf.Examples for training, evaluation and prediction."""
    write_examples(path, [{"x": row, "y": label} for row, label in zip(x, y, strict=True)])
    features = {"x": FixedLenFeature(x.shape[1:], "float32")}
    both = {**features, "y": FixedLenFeature(y.shape[1:], str(y.dtype))}
    make = data.make_batched_features_dataset
    return [
        lambda: make(path, 10, both, label_key="y"),
        lambda: make(path, 10, both, label_key="y", num_epochs=1, shuffle=False),
        lambda: make(path, 10, features, num_epochs=1, shuffle=False),
    ]


@cases(
    (REGRESSORS, "Integration", {"test_input_fn_from_parse_example": None}),
    (
        CLASSIFIERS,
        "Integration",
        {
            "test_binary_classes_input_fn_from_parse_example": 2,
            "test_multi_classes_input_fn_from_parse_example": 4,
        },
    ),
)
def test_linear_models_of_examples(kind: Kind, case: int | None, tmp_path: Path) -> None:
    x = canned.TWO_NUMBERS
    y, arguments, key = (
        (x, {"label_dimension": 2}, "predictions")
        if case is None
        else (np.ones((10, 1), np.int64), {"n_classes": case}, "classes")
    )
    model = kind.make([fc.numeric_column("x", shape=2)], str(tmp_path / "m"), **arguments)
    canned.assert_whole_use(model, example_inputs(tmp_path / "rows", x, y), 200, key, (10, y.shape[1]), tmp_path)


def dnn(name: str, column: Any, model_dir: str, **arguments: Any) -> estimator.Estimator:
    return getattr(estimator, f"DNN{name}")([2, 2], [column], model_dir, **arguments)


def combined(name: str, column: Any, model_dir: str, **arguments: Any) -> estimator.Estimator:
    return getattr(estimator, f"DNNLinearCombined{name}")(
        model_dir, linear_feature_columns=[column], dnn_feature_columns=[column], dnn_hidden_units=[2, 2], **arguments
    )


LAYERS = [Kind("dnn", DNN_FILE, "DNN{}Test", dnn), Kind("combined", COMBINED_FILE, "DNNLinearCombined{}Test", combined)]


@cases(
    (LAYERS[:1], "RegressorIntegration", {"test_input_fn_from_parse_example": "Regressor"}),
    (LAYERS[1:], "RegressorIntegration", {"test_input_fn_from_parse_example_basic": "Regressor"}),
    (LAYERS, "ClassifierIntegration", {"test_input_fn_from_parse_example": "Classifier"}),
)
def test_layers_of_examples(kind: Kind, case: str, tmp_path: Path) -> None:
    x = canned.TWO_NUMBERS
    column, model_dir = fc.numeric_column("x", shape=2), str(tmp_path / "m")
    if case == "Regressor":
        y, key, width, model = x, "predictions", 2, kind.make(case, column, model_dir, label_dimension=2)
    else:
        y = np.rint(x[:, :1]).astype(np.int64)
        key, width, model = "probabilities", 3, kind.make(case, column, model_dir, n_classes=3)
    canned.assert_whole_use(model, example_inputs(tmp_path / "rows", x, y), 10, key, (10, width), tmp_path)
