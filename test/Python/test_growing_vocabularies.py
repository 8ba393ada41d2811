"""Training that goes on with more terms than the checkpoint has."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlc import data, estimator, optimizers
from mlc import feature_column as fc
from mlc.errors import CheckpointError

pytest.importorskip("mlc._native")

TABLE = "dnn/input_from_feature_columns/input_layer/job_embedding/embedding_weights"


def rows(jobs: list[str]) -> Any:
    return lambda: data.Dataset.from_arrays({"job": jobs}, [len(job) % 2 for job in jobs]).repeat(10).batch(len(jobs))


def model(column: Any, directory: Path, width: int = 4) -> estimator.Estimator:
    return estimator.DNNLinearCombinedClassifier(
        directory, [column], dnn_feature_columns=[fc.embedding_column(column, 2)], dnn_hidden_units=[width],
        dnn_optimizer=optimizers.Adam(0.1), config=estimator.RunConfig(tf_random_seed=4),
    )  # fmt: skip


def listed(*terms: str) -> Any:
    return fc.categorical_column_with_vocabulary_list("job", terms)


def test_rows_go_where_their_terms_are(tmp_path: Path) -> None:
    first = model(listed("nurse", "smith"), tmp_path).train(rows(["nurse", "smith"]))
    before = {name: first.get_variable_value(name) for name in first.get_variable_names()}
    grown = model(listed("pilot", "smith", "nurse"), tmp_path)
    grown.train(rows(["smith", "nurse"]), steps=1)
    assert grown.get_variable_value("global_step") == 11
    # A step without the new term: what a model that never heard of it makes of the same rows.
    same = model(listed("nurse", "smith"), tmp_path / "same")
    same.train(rows(["nurse", "smith"]))
    same.train(rows(["smith", "nurse"]), steps=1)
    for name, shape in ((TABLE, (3, 2)), (f"{TABLE}/Adam", (3, 2)), ("linear/linear_model/job/weights", (3, 1))):
        found = grown.get_variable_value(name)
        assert found.shape == shape and before[name].shape[0] == 2
        np.testing.assert_allclose(found[[2, 1]], same.get_variable_value(name), rtol=1e-6)
    grown.train(rows(["pilot", "nurse"]))
    assert grown.get_variable_value("global_step") == 21
    assert grown.evaluate(lambda: data.Dataset.from_arrays({"job": ["pilot", "nurse"]}, [1, 1]).batch(2))["accuracy"] == 1


def test_files_of_terms(tmp_path: Path) -> None:
    terms = tmp_path / "terms.txt"
    terms.write_text("nurse\nsmith\n")
    column = fc.categorical_column_with_vocabulary_file("job", str(terms), num_oov_buckets=2)
    model(column, tmp_path / "m").train(rows(["nurse", "smith", "clerk"]))
    terms.write_text("nurse\nsmith\nclerk\n")
    grown = model(fc.categorical_column_with_vocabulary_file("job", str(terms), num_oov_buckets=2), tmp_path / "m")
    grown.train(rows(["nurse", "clerk"]))
    assert grown.get_variable_value(TABLE).shape == (5, 2)
    assert grown.get_variable_value("global_step") == 20


def test_what_is_no_growth_is_refused(tmp_path: Path) -> None:
    model(listed("nurse", "smith"), tmp_path).train(rows(["nurse", "smith"]))
    with pytest.raises(CheckpointError, match="lost 'smith'"):
        model(listed("nurse", "pilot"), tmp_path).train(rows(["nurse"]))
    with pytest.raises(CheckpointError, match="(?s)hidden_units.*help: another model_dir, or warm_start_from"):
        model(listed("nurse", "smith", "pilot"), tmp_path, width=5).train(rows(["nurse"]))
