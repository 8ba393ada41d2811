"""Parsing specs of tf.Examples: what TensorFlow 2.15 makes of the same columns."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mlc import feature_column as fc
from mlc.estimator import classifier_parse_example_spec, regressor_parse_example_spec
from mlc.io import FixedLenFeature, VarLenFeature

HASHED = fc.categorical_column_with_hash_bucket("h", 10)
LISTED = fc.categorical_column_with_vocabulary_list("v", [1, 2, 3])
AGE = fc.numeric_column("age")
ONE = FixedLenFeature(shape=(1,), dtype="float32")


@pytest.mark.parametrize(
    ("column", "expected"),
    [
        (fc.numeric_column("x", shape=2, default_value=1.5), {"x": FixedLenFeature((2,), "float32", (1.5, 1.5))}),
        (fc.numeric_column("n", dtype="int64"), {"n": FixedLenFeature((1,), "int64")}),
        (fc.numeric_column("d", dtype="float64"), {"d": FixedLenFeature((1,), "float64")}),
        (
            fc.numeric_column("s", shape=(2, 3), default_value=[[1, 2, 3], [4, 5, 6]]),
            {"s": FixedLenFeature((2, 3), "float32", ((1, 2, 3), (4, 5, 6)))},
        ),
        (HASHED, {"h": VarLenFeature("string")}),
        (fc.categorical_column_with_identity("i", 5), {"i": VarLenFeature("int64")}),
        (LISTED, {"v": VarLenFeature("int64")}),
        (fc.weighted_categorical_column(HASHED, "hw"), {"h": VarLenFeature("string"), "hw": VarLenFeature("float32")}),
        (
            fc.crossed_column(["h", "z", fc.bucketized_column(AGE, [1, 2])], 10),
            {"h": VarLenFeature("string"), "z": VarLenFeature("string"), "age": ONE},
        ),
        (fc.embedding_column(LISTED, 3), {"v": VarLenFeature("int64")}),
        (fc.indicator_column(HASHED), {"h": VarLenFeature("string")}),
        (fc.shared_embeddings([HASHED, fc.categorical_column_with_hash_bucket("g", 10)], 3)[0], {"h": VarLenFeature("string")}),
    ],
)  # fmt: skip
def test_spec_of_a_column(column: Any, expected: dict[str, Any]) -> None:
    assert fc.make_parse_example_spec([column]) == expected


def test_specs_of_several_columns() -> None:
    both = [AGE, fc.bucketized_column(AGE, [1, 2]), HASHED, fc.indicator_column(HASHED)]
    assert fc.make_parse_example_spec(both) == {"age": ONE, "h": VarLenFeature("string")}
    conflict = "feature_columns contain different parse_spec for key h. Given VarLenFeature.* and FixedLenFeature"
    with pytest.raises(ValueError, match=conflict):
        fc.make_parse_example_spec([fc.numeric_column("h"), HASHED])
    with pytest.raises(ValueError, match="must be FeatureColumn instances. Given: age"):
        fc.make_parse_example_spec(["age"])


def test_specs_with_labels() -> None:
    assert classifier_parse_example_spec([AGE], "y", weight_column="w") == {
        "age": ONE, "y": FixedLenFeature((1,), "int64"), "w": ONE,
    }  # fmt: skip
    assert classifier_parse_example_spec([AGE], "y", np.str_, "no")["y"] == FixedLenFeature((1,), "string", "no")
    label = regressor_parse_example_spec([AGE], "y", label_dimension=3, label_default=0.0)["y"]
    assert label == FixedLenFeature((3,), "float32", 0.0)
    for arguments, text in (
        ({"label_key": "age"}, "label should not be used as feature"),
        ({"label_key": None}, "label_key"),
        ({"label_key": "y", "weight_column": "age"}, "weight_column should not be used as feature"),
        ({"label_key": "y", "weight_column": HASHED}, "should be an instance of numeric_column"),
    ):
        with pytest.raises(ValueError, match=text):
            classifier_parse_example_spec([AGE], **arguments)


def test_features_are_values() -> None:
    assert FixedLenFeature([2, 3], np.float32) == FixedLenFeature((2, 3), "float32", None)
    assert FixedLenFeature([], int) != FixedLenFeature([1], int)
    assert VarLenFeature(bytes).dtype == "string"
    for make, text in (
        (lambda: FixedLenFeature([0], "int64"), "at least 1"),
        (lambda: FixedLenFeature(["a"], "int64"), "list of integers"),
        (lambda: VarLenFeature(bool), "dtype bool is none of a tf.Example; expected one of numbers, or string"),
    ):
        with pytest.raises(ValueError, match=text):
            make()


def test_sequences():
    word = fc.sequence_categorical_column_with_hash_bucket("word", 9)
    columns = [fc.embedding_column(word, 2), fc.sequence_numeric_column("price")]
    spec = fc.make_parse_example_spec(columns)
    assert spec == {"word": VarLenFeature("string"), "price": VarLenFeature("float32")}
