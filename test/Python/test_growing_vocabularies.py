"""Training that goes on with more terms than the checkpoint has."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlc import data, estimator, losses, optimizers, train
from mlc import feature_column as fc
from mlc.errors import CheckpointError, SpecError

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


@pytest.mark.parametrize("terms", [("smith", "nurse"), ("nurse", "pilot"), ("nurse", "smith", "pilot")])
def test_terms_whose_weights_lie_among_others_stay(terms: tuple[str, ...], tmp_path: Path) -> None:
    """Of an indicator, beside which the same column may have a table; of a cross; and of the two classes of one logit."""

    def dense(column: Any) -> list[Any]:
        return [fc.indicator_column(column)]

    def also(column: Any) -> list[Any]:
        return [fc.embedding_column(column, 2), fc.indicator_column(column)]

    for number, columns in enumerate((dense, also)):
        directory = tmp_path / str(number)
        estimator.DNNClassifier([3], columns(listed("nurse", "smith")), directory).train(rows(["nurse", "smith"]))
        with pytest.raises(CheckpointError, match="job.terms' has other terms, whose weights in 'job_indicator' are rows among"):
            estimator.DNNClassifier([3], columns(listed(*terms)), directory).train(rows(["nurse", "smith"]))
    cross = lambda *terms: [fc.crossed_column([listed(*terms), fc.bucketized_column(fc.numeric_column("x"), [1.0])], 9)]  # noqa: E731
    seen = lambda: data.Dataset.from_arrays({"job": ["nurse", "smith"], "x": [0.0, 2.0]}, [0, 1]).batch(2)  # noqa: E731
    estimator.LinearClassifier(cross("nurse", "smith"), tmp_path / "cross").train(seen)
    with pytest.raises(CheckpointError, match="job.terms' has other terms, and no variable has a row or column"):
        estimator.LinearClassifier(cross(*terms), tmp_path / "cross").train(seen)


def test_two_classes_do_not_change_places(tmp_path: Path) -> None:
    def classes(*names: str) -> estimator.Estimator:
        return estimator.LinearClassifier([fc.numeric_column("x")], tmp_path, label_vocabulary=list(names))

    seen = lambda: data.Dataset.from_arrays({"x": [0.0, 2.0]}, ["no", "yes"]).batch(2)  # noqa: E731
    classes("no", "yes").train(seen)
    with pytest.raises(CheckpointError, match="label_vocabulary' has other terms"):
        classes("yes", "no").train(seen)


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


def own(column: Any, directory: Path, width: int = 2) -> estimator.Estimator:
    """A model_fn of an embedding, and a linear model, of a column."""

    def model_fn(features: Any, labels: Any, mode: str) -> estimator.EstimatorSpec:
        deep = fc.input_layer(features, [fc.embedding_column(column, width)])
        logits = deep[:, :1] + fc.linear_model(features, [column])
        if mode == estimator.ModeKeys.PREDICT:
            return estimator.EstimatorSpec(mode, predictions={"logits": logits})
        loss = losses.sigmoid_cross_entropy(labels[:, None], logits)
        return estimator.EstimatorSpec(mode, loss=loss, train_op=train.AdamOptimizer(0.1).minimize(loss))

    return estimator.Estimator(model_fn, str(directory), estimator.RunConfig(tf_random_seed=4))


OWN = "input_layer/job_embedding/embedding_weights"


def test_rows_of_a_model_fn_go_where_their_terms_are(tmp_path: Path) -> None:
    first = own(listed("nurse", "smith"), tmp_path).train(rows(["nurse", "smith"]))
    before = {name: first.get_variable_value(name) for name in first.get_variable_names()}
    grown = own(listed("pilot", "smith", "nurse"), tmp_path)
    grown.train(rows(["smith", "nurse"]), steps=1)
    assert grown.get_variable_value("global_step") == 11
    same = own(listed("nurse", "smith"), tmp_path / "same")
    same.train(rows(["nurse", "smith"]))
    same.train(rows(["smith", "nurse"]), steps=1)
    for name, shape in ((OWN, (3, 2)), (f"{OWN}/Adam", (3, 2)), ("linear_model/job/weights", (3, 1))):
        found = grown.get_variable_value(name)
        assert found.shape == shape and before[name].shape[0] == 2
        np.testing.assert_allclose(found[[2, 1]], same.get_variable_value(name), rtol=1e-6)
    grown.train(rows(["pilot", "nurse"]))
    assert grown.get_variable_value("global_step") == 21


def test_another_vocabulary_of_a_model_fn_is_refused(tmp_path: Path) -> None:
    """Of as many terms, too, where shapes say nothing."""
    trained = own(listed("nurse", "smith"), tmp_path).train(rows(["nurse", "smith"]))
    other = own(listed("smith", "nurse"), tmp_path)
    text = r"(?s)checkpoint of another model.*vocabulary/job.terms \[\"nurse\", \"smith\"\] -> \[\"smith\", \"nurse\"\]"
    text += ".*help: another model_dir, or the model that was trained there"
    with pytest.raises(CheckpointError, match=text):
        other.evaluate(rows(["nurse"]), steps=1)
    with pytest.raises(CheckpointError, match=text):
        next(iter(other.predict(rows(["nurse"]))))
    assert trained.evaluate(rows(["nurse", "smith"]), steps=1)["global_step"] == 10
    with pytest.raises(CheckpointError, match="lost 'smith'"):
        own(listed("nurse", "pilot"), tmp_path).train(rows(["nurse"]))
    with pytest.raises(SpecError, match=r"(?s)f32\[2, 2\] there, f32\[3, 3\] in this model.*only vocabularies may have changed"):
        own(listed("nurse", "smith", "pilot"), tmp_path, width=3).train(rows(["nurse"]))


def test_warm_starts_of_a_model_fn_know_terms(tmp_path: Path) -> None:
    first = own(listed("nurse", "smith"), tmp_path / "first").train(rows(["nurse", "smith"]))
    start = estimator.WarmStartSettings(str(tmp_path / "first"), vars_to_warm_start=[OWN])
    second = own(listed("smith", "clerk", "nurse"), tmp_path / "second")
    second = estimator.Estimator(second.model_fn, str(tmp_path / "second"), second.config, warm_start_from=start)
    second.train(rows(["clerk"]), steps=1)
    np.testing.assert_allclose(
        second.get_variable_value(OWN)[[2, 0]], first.get_variable_value(OWN), rtol=1e-6
    )


def test_evaluations_of_a_canned_one_advise_what_python_has(tmp_path: Path) -> None:
    model(listed("nurse", "smith"), tmp_path).train(rows(["nurse", "smith"]))
    with pytest.raises(CheckpointError, match="(?s)checkpoint of another model.*help: another model_dir, or the model that was"):
        model(listed("smith", "nurse"), tmp_path).evaluate(rows(["nurse"]), steps=1)
