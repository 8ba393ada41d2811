"""Texts on their way to the native side: of all types of arrays, few that are alike and many that are not."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mlc import data, estimator
from mlc import feature_column as fc
from mlc.errors import DataError

# More than are kept once, each twice; lengths from 0 to 40 bytes.
TEXTS = [f"{'ä' * (i % 7)}{i}{'x' * (i % 23)}" if i else "" for i in [*range(9000), *range(8999, -1, -1)]]
NUMBERED = {text: i for i, text in enumerate(TEXTS[:9000])}


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> estimator.Estimator:
    """A linear model with a weight for each text."""
    column = fc.categorical_column_with_vocabulary_list("text", TEXTS[1:9000])
    made = estimator.LinearRegressor([column], str(tmp_path_factory.mktemp("model")))
    labels = np.array([NUMBERED[text] % 100 for text in TEXTS], np.float32)
    rows = data.Dataset.from_arrays({"text": np.array(TEXTS, dtype=object)}, labels).repeat(20).batch(3000)
    return made.train(lambda: rows)


def predicted(model: estimator.Estimator, texts: Any) -> np.ndarray:
    rows = data.Dataset.from_arrays({"text": texts}).batch(1700)
    return np.concatenate([p["predictions"] for p in model.predict(lambda: rows, yield_single_examples=False)])


@pytest.mark.parametrize("kind", ["object", "U", "S", "list"])
def test_each_row_has_its_text(model: estimator.Estimator, kind: str) -> None:
    encoded = [text.encode() for text in TEXTS] if kind == "S" else TEXTS
    found = predicted(model, encoded if kind == "list" else np.array(encoded, dtype=kind))
    # Each text alone, read without any of the others. No text is no id: the bias alone.
    predictor = model.predictor()
    alone = np.stack([predictor({"text": [text]})["predictions"][0] for text in TEXTS[:9000]])
    np.testing.assert_array_equal(found, alone[[NUMBERED[text] for text in TEXTS]])
    assert len(np.unique(alone[1:])) > 90 and alone[0] == predictor({"text": ["none of them"]})["predictions"][0]


def test_a_character_that_is_none(model: estimator.Estimator) -> None:
    texts = ["1xx", "\ud800", "3x"]
    with pytest.raises(DataError, match=r"column 'text', row 1: found '\\ud800'; expected text that UTF-8 can encode") as told:
        predicted(model, np.array(texts, dtype=object))
    assert (told.value.key, told.value.row) == ("text", 1)
    with pytest.raises(DataError, match="record 2: array 'text' has a character that is none"):
        predicted(model, np.array(texts))
    with pytest.raises(DataError, match=r"found 'a\\udfffb'"):
        predicted(model, [["1xx"], ["a\udfffb"]])
