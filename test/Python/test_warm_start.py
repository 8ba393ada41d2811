"""Variables of a model_fn that begin with those of another model whose vocabulary is another one, and named evaluations."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import numpy as np
import pytest

from mlc import _engine, data, estimator, initializers, losses, metrics, ops, train, variables
from mlc.errors import ModelError, SpecError
from mlc.estimator import EstimatorSpec

OLD, NEW = ["red", "green", "blue", "black"], ["white", "blue", "red", "pink", "green"]
CLASSES_OLD, CLASSES_NEW = ["a", "b", "c"], ["c", "a", "d"]


def model_of(words, classes, oov=1):
    def model_fn(features, labels, mode):
        table = variables.get_variable("words", (len(words) + oov, 3))
        logits = ops.gather(table, features["id"]) @ variables.get_variable("kernel", (3, len(classes)))
        loss = losses.sparse_softmax_cross_entropy(labels, logits)
        op = train.GradientDescentOptimizer(0.5).minimize(loss) if mode == "train" else None
        return EstimatorSpec(mode, loss=loss, train_op=op, eval_metric_ops={"accuracy": metrics.accuracy(labels, ops.argmax(logits))})

    return model_fn


def rows():
    ids = np.arange(12) % 4
    return data.Dataset.from_arrays({"id": ids}, ids % 3).repeat().batch(6)


def file_of(tmp_path, name, terms):
    path = tmp_path / name
    path.write_text("".join(f"{term}\n" for term in terms))
    return path


def settings(tmp_path, old, **changes):
    info = {
        "words": estimator.VocabInfo(file_of(tmp_path, "new", NEW), None, 1, file_of(tmp_path, "old", OLD)),
        "kernel": estimator.VocabInfo(
            file_of(tmp_path, "new_classes", CLASSES_NEW), None, 0, file_of(tmp_path, "old_classes", CLASSES_OLD), axis=1
        ),
    }  # fmt: skip
    return estimator.WarmStartSettings(old.model_dir, var_name_to_vocab_info=info | changes)


@pytest.fixture
def old(tmp_path):
    model = estimator.Estimator(model_of(OLD, CLASSES_OLD), str(tmp_path / "old_model"))
    return model.train(rows, steps=5)


def test_rows_and_columns_go_to_their_terms(tmp_path, old):
    new_fn = model_of(NEW, CLASSES_NEW)
    config = estimator.RunConfig(tf_random_seed=7)
    model = estimator.Estimator(new_fn, str(tmp_path / "new_model"), config, warm_start_from=settings(tmp_path, old))
    cold = estimator.Estimator(new_fn, str(tmp_path / "cold"), config)
    for each in (model, cold):
        each.train(rows, steps=1)

    def value(each, name):
        return _engine.variable(each.model_dir, 0, name)

    words, kernel = old.get_variable_value("words"), old.get_variable_value("kernel")
    found, initial = value(model, "words"), value(cold, "words")
    for row, term in enumerate([*NEW, "<oov>"]):
        known = term in OLD or term == "<oov>"
        expected = words[OLD.index(term) if term in OLD else len(OLD)] if known else initial[row]
        np.testing.assert_array_equal(found[row], expected, err_msg=term)
    found, initial = value(model, "kernel"), value(cold, "kernel")
    for column, term in enumerate(CLASSES_NEW):
        expected = kernel[:, CLASSES_OLD.index(term)] if term in CLASSES_OLD else initial[:, column]
        np.testing.assert_array_equal(found[:, column], expected, err_msg=term)
    # The same script again goes on.
    again = estimator.Estimator(new_fn, str(tmp_path / "new_model"), config, warm_start_from=settings(tmp_path, old))
    assert again.train(rows, steps=2).get_variable_value("global_step") == 3
    assert again.evaluate(rows, steps=2)["global_step"] == 3


def test_new_terms_begin_as_the_backup_initializer_says(tmp_path, old):
    info = estimator.VocabInfo(
        file_of(tmp_path, "new", NEW), None, 1, file_of(tmp_path, "old", OLD), backup_initializer=initializers.Constant(0.25)
    )
    new = estimator.Estimator(
        model_of(NEW, CLASSES_NEW), str(tmp_path / "new_model"), warm_start_from=settings(tmp_path, old, words=info)
    )
    new.train(rows, steps=1)
    words, found = old.get_variable_value("words"), _engine.variable(new.model_dir, 0, "words")
    for row, term in enumerate(NEW):
        expected = words[OLD.index(term)] if term in OLD else np.full(3, 0.25, np.float32)
        np.testing.assert_array_equal(found[row], expected, err_msg=term)



def test_wrong_vocabularies_are_told(tmp_path, old):
    def attempt(**changes):
        start = settings(tmp_path, old, **changes)
        estimator.Estimator(model_of(NEW, CLASSES_NEW), str(tmp_path / "new_model"), warm_start_from=start).train(rows, steps=1)

    new, before = tmp_path / "new", tmp_path / "old"
    with pytest.raises(ModelError, match="a VocabInfo is of 'wrods', which is no variable of the model; did you mean 'words'"):
        attempt(wrods=estimator.VocabInfo(new, None, 1, before))
    with pytest.raises(Exception, match="has 5 terms and OOV buckets; dimension 0 of @words is 6"):
        attempt(words=estimator.VocabInfo(new, None, 0, before))
    with pytest.raises(ModelError, match="new_vocab is None"):
        attempt(words=estimator.VocabInfo(None, None, 1, before))


def test_named_evaluations(tmp_path):
    config = estimator.RunConfig(tf_random_seed=1, save_checkpoints_steps=2)
    results = {}
    for name in (None, "test", "on-train"):
        model = estimator.Estimator(model_of(OLD, CLASSES_OLD), str(tmp_path / str(name)), config)
        spec = estimator.EvalSpec(rows, steps=2, name=name, exporters=None)
        results[name], _ = estimator.train_and_evaluate(model, estimator.TrainSpec(rows, max_steps=4), spec)
        assert sorted(model.evaluations(name)) == [2, 4]
        assert list((tmp_path / str(name) / (f"eval_{name}" if name else "eval")).iterdir())
        assert model.evaluate(rows, steps=2, name=name) == results[name]
    assert results[None] == results["test"] == results["on-train"]


def test_variables_that_had_another_name(tmp_path, old):
    def renamed(features, labels, mode):
        table = variables.get_variable("table", (len(OLD) + 1, 3))
        logits = ops.gather(table, features["id"]) @ variables.get_variable("kernel", (3, len(CLASSES_OLD)))
        loss = losses.sparse_softmax_cross_entropy(labels, logits)
        return EstimatorSpec(mode, loss=loss, train_op=train.GradientDescentOptimizer(0.0).minimize(loss))

    def started(name, **names):
        start = estimator.WarmStartSettings(old.model_dir, var_name_to_prev_var_name=names)
        return estimator.Estimator(renamed, str(tmp_path / name), warm_start_from=start)

    new = started("new", table="words").train(rows, steps=1)
    np.testing.assert_array_equal(new.get_variable_value("table"), old.get_variable_value("words"))
    np.testing.assert_array_equal(new.get_variable_value("kernel"), old.get_variable_value("kernel"))
    with pytest.raises(SpecError, match="(?s)lacks 'word'.*did you mean 'words'"):
        started("typo", table="word").train(rows, steps=1)
    with pytest.raises(SpecError, match="(?s)'tabel' is not warm started.*did you mean 'table'"):
        started("unknown", tabel="words").train(rows, steps=1)
