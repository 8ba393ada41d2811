"""tf.SequenceExamples as tf.feature_column 2.15 tests them, in sequence_feature_column_integration_test.py."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import string
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from upstream import restates

from mlc import feature_column as fc
from mlc import io

sys.path.append(str(Path(__file__).resolve().parents[1] / "Python"))
from records import sequence_example

FILE = "feature_column/sequence_feature_column_integration_test.py"
LETTERS = [[b"a"], [b"b", b"c"], [b"d", b"e", b"f", b"g"]]
NUMBERS = [[2, 2], [4, 4, 4, 4], [6] * 6]
EXAMPLE = sequence_example(
    {
        "bytes_list": LETTERS, "int_list": [np.array(step) for step in NUMBERS],
        "float_list": [np.full(count, count, np.float32) for count in (1, 3, 5)],
    },
    float_ctx=np.array([123.6], np.float32), int_ctx=np.array([5]),
)  # fmt: skip


def of_file(directory: Path) -> Any:
    path = directory / "letters.txt"
    path.write_text(string.ascii_lowercase)
    return fc.sequence_categorical_column_with_vocabulary_file("bytes_list", str(path))


@pytest.mark.parametrize(
    ("make", "steps"),
    [
        pytest.param(
            make, steps,
            marks=restates(f"{FILE}::SequenceExampleParsingTest::test_seq_ex_in_sequence_categorical_column_with_{kind}"),
        )
        for kind, make, steps in (
            ("identity", lambda _: fc.sequence_categorical_column_with_identity("int_list", 10), NUMBERS),
            ("hash_bucket", lambda _: fc.sequence_categorical_column_with_hash_bucket("bytes_list", 10), LETTERS),
            (
                "vocabulary_list",
                lambda _: fc.sequence_categorical_column_with_vocabulary_list("bytes_list", list(string.ascii_lowercase)),
                LETTERS,
            ),
            ("vocabulary_file", of_file, LETTERS),
        )
    ],
)  # fmt: skip
def test_specs_of_columns_read_sequence_examples(make: Any, steps: Any, tmp_path: Path) -> None:
    column = make(tmp_path)
    of_context = [fc.categorical_column_with_identity("int_ctx", num_buckets=100), fc.numeric_column("float_ctx")]
    context, found = io.parse_single_sequence_example(
        EXAMPLE, fc.make_parse_example_spec(of_context), fc.make_parse_example_spec([column])
    )
    assert found == {column.key: steps}
    assert context["int_ctx"].tolist() == [5]
    assert context["float_ctx"].shape == (1,)
    assert context["float_ctx"][0] == np.float32(123.6)
