"""tf.SequenceExamples in an input_fn, and what is wrong with bytes and specs."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import gzip

import numpy as np
import pytest
from records import frame, sequence_example

from mlc import data, errors, estimator, io, optimizers
from mlc import feature_column as fc

TAGS = [[[b"a", b"b"], [b"a"]], [[b"b"], [], [b"b", b"b"]]]
SIZES = [[0.5, 1.5], [2.0, 3.0, 4.0]]
EXAMPLES = [
    sequence_example(
        {"tags": tags, "size": [np.array([size], np.float32) for size in sizes]}, label=np.array([label, -1]),
        name=[f"row {label}".encode()],
    )
    for tags, sizes, label in zip(TAGS, SIZES, (3, 4), strict=True)
]  # fmt: skip
CONTEXT = {"label": io.FixedLenFeature([2], "int64"), "name": io.VarLenFeature("string")}
STEPS = {"tags": io.VarLenFeature("string"), "size": io.FixedLenSequenceFeature([], "float32")}


def test_columns_of_rows():
    context, steps, lengths = io.parse_sequence_example(EXAMPLES, CONTEXT, STEPS)
    assert context["label"].tolist() == [[3, -1], [4, -1]]
    assert [each.tolist() for each in context["name"]] == [[b"row 3"], [b"row 4"]]
    assert steps["tags"] == TAGS
    assert [each.tolist() for each in steps["size"]] == SIZES
    assert {key: value.tolist() for key, value in lengths.items()} == {"tags": [2, 3], "size": [2, 3]}


def test_what_is_not_there():
    default = {"weight": io.FixedLenFeature([], "float32", 2.5), "more": io.VarLenFeature("int64")}
    missing = {"none": io.FixedLenSequenceFeature([2], "int64", allow_missing=True), "other": io.VarLenFeature("int64")}
    context, steps = io.parse_single_sequence_example(EXAMPLES[0], default, missing)
    assert context["weight"] == 2.5 and context["more"].size == 0
    assert steps["none"].shape == (0, 2) and steps["other"] == []


@pytest.mark.parametrize(
    ("context", "steps", "words"),
    [
        ({"labels": io.FixedLenFeature([2], "int64")}, {}, "no 'labels'; found 'label', 'name'; did you mean 'label'"),
        ({"label": io.FixedLenFeature([], "int64")}, {}, r"'label' has 2 values; expected 1"),
        ({"label": io.FixedLenFeature([2], "float32")}, {}, "'label' is int64; expected float32"),
        ({}, {"sizes": io.FixedLenSequenceFeature([], "float32")}, "no 'sizes'.*did you mean 'size'"),
        ({}, {"tags": io.FixedLenSequenceFeature([], "string")}, "'tags' has 2 values; expected 1"),
    ],
)
def test_what_does_not_fit(context, steps, words):
    with pytest.raises(errors.DataError, match=words):
        io.parse_single_sequence_example(EXAMPLES[0], context, steps)
    with pytest.raises(errors.DataError, match=f"row 0: .*{words}"):
        io.parse_sequence_example(EXAMPLES, context, steps)


def test_bytes_that_are_no_example():
    for end in range(1, len(EXAMPLES[0])):
        try:
            io.parse_single_sequence_example(EXAMPLES[0][:end], {}, STEPS)
        except errors.DataError as error:
            assert "tf.SequenceExample" in str(error) or "'size'" in str(error)
    with pytest.raises(errors.DataError, match="expected a serialized tf.SequenceExample of 5 bytes"):
        io.parse_single_sequence_example(b"hello", {}, {})
    with pytest.raises(errors.UnsupportedError, match="expected a FixedLenSequenceFeature or a VarLenFeature"):
        io.parse_single_sequence_example(EXAMPLES[0], {}, {"tags": io.FixedLenFeature([], "string")})
    with pytest.raises(errors.UnsupportedError, match="context_features"):
        io.parse_single_sequence_example(EXAMPLES[0], STEPS, {})


def test_records_of_files(tmp_path):
    plain, packed = tmp_path / "a.tfrecord", tmp_path / "b.tfrecord.gz"
    plain.write_bytes(b"".join(map(frame, [*EXAMPLES, b""])))
    packed.write_bytes(gzip.compress(frame(b"last")))
    assert list(data.read_tfrecords([packed, tmp_path / "a*"])) == [*EXAMPLES, b"", b"last"]
    (tmp_path / "empty").write_bytes(b"")
    assert list(data.read_tfrecords(tmp_path / "empty")) == []
    damaged = tmp_path / "damaged"
    damaged.write_bytes(frame(EXAMPLES[0]) + frame(EXAMPLES[1])[:-1] + b"?")
    found = data.read_tfrecords(damaged)
    assert next(found) == EXAMPLES[0]
    with pytest.raises(errors.DataError, match="damaged: record 2"):
        next(found)
    with pytest.raises(errors.DataError, match="no file matches"):
        next(data.read_tfrecords(tmp_path / "none"))


def test_an_input_fn_of_sequence_examples(tmp_path):
    path = tmp_path / "rows.tfrecord"
    path.write_bytes(b"".join(map(frame, EXAMPLES)))
    tags = fc.indicator_column(fc.sequence_categorical_column_with_vocabulary_list("tags", ["a", "b"]))
    head = estimator.SequentialHeadWrapper(estimator.RegressionHead())
    model = estimator.RNNEstimator(
        head, [tags], units=[4], return_sequences=True, model_dir=str(tmp_path / "m"), optimizer=optimizers.Adam(0.05)
    )

    def batches():
        for _ in range(60):
            _, steps, _ = io.parse_sequence_example(list(data.read_tfrecords(path)), None, STEPS)
            yield {"tags": steps["tags"]}, steps["size"]

    first = model.evaluate(batches, steps=1)["loss"]
    assert model.train(batches).evaluate(batches, steps=1)["loss"] < first / 4
