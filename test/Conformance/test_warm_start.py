"""What the tests of canned Estimators in tf.estimator 2.15 say of warm starts."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import canned
import numpy as np
from dnn import COMBINED_FILE, DNN_FILE, DNN_HEAD_FILE
from linear import LINEAR_FILE, LINEAR_HEAD_FILE
from upstream import Kind, cases

from mlc import estimator, initializers
from mlc import feature_column as fc

FEATURES = {
    "age": [[23.0], [31.0]], "age_in_years": [[23.0], [31.0]], "occupation": [["doctor"], ["consultant"]],
    "city": [["Palo Alto"], ["Mountain View"]], "locality": [["Palo Alto"], ["Mountain View"]],
}  # fmt: skip


def rows() -> Any:
    return FEATURES, [0, 1]


def city(key: str = "city") -> Any:
    column = fc.categorical_column_with_vocabulary_list(key, vocabulary_list=["Mountain View", "Palo Alto"])
    return fc.embedding_column(column, dimension=5)


Make = Callable[..., estimator.Estimator]


def named(prefix: str) -> Callable[[str], Make]:
    """The classes PREFIXClassifier and PREFIXRegressor."""
    return lambda kind: getattr(estimator, f"{prefix}{kind}")


def of_head(make: Make) -> Callable[[str], Make]:
    """An Estimator of the head of a classifier of several classes, or of a regressor."""
    heads = {"Classifier": estimator.MultiClassHead, "Regressor": estimator.RegressionHead}
    return lambda kind: canned.with_head(make, heads[kind])


def linear(constructor: Callable[[str], Make]) -> Make:
    def make(kind: str, model_dir: Path, optimizer: Any, column: Any = None, **arguments: Any) -> estimator.Estimator:
        columns = [column or fc.numeric_column("age")]
        return constructor(kind)(columns, str(model_dir), optimizer=optimizer, **arguments)

    return make


def dnn(constructor: Callable[[str], Make]) -> Make:
    def make(kind: str, model_dir: Path, optimizer: Any, column: Any = None, **arguments: Any) -> estimator.Estimator:
        return constructor(kind)([256, 128], [column or city()], str(model_dir), optimizer=optimizer, **arguments)

    return make


def combined(kind: str, model_dir: Path, optimizer: Any, **arguments: Any) -> estimator.Estimator:
    make = getattr(estimator, f"DNNLinearCombined{kind}")
    return make(
        str(model_dir), linear_feature_columns=[fc.numeric_column("age")], linear_optimizer=optimizer,
        dnn_feature_columns=[city()], dnn_optimizer=optimizer, dnn_hidden_units=[256, 128], **arguments,
    )  # fmt: skip


LINEAR = [
    Kind("linear", LINEAR_FILE, "Linear{}V2Test", linear(named("Linear"))),
    Kind("linear_of_head", LINEAR_HEAD_FILE, "LinearEstimator{}Test", linear(of_head(estimator.LinearEstimator))),
]
DNN = [
    Kind("dnn", DNN_FILE, "DNN{}V2Test", dnn(named("DNN"))),
    Kind("dnn_of_head", DNN_HEAD_FILE, "DNNEstimator{}Test", dnn(of_head(estimator.DNNEstimator))),
]
COMBINED = [Kind("combined", COMBINED_FILE, "DNNLinearCombined{}Test", combined)]


def trained(make: Make, directory: Path, *arguments: Any, **more: Any) -> estimator.Estimator:
    """An Estimator of one step of gradient descent."""
    model = make(*arguments[:1], directory, "SGD", *arguments[1:], **more)
    return model.train(rows, max_steps=1)


def assert_equal(one: estimator.Estimator, other: estimator.Estimator) -> None:
    """All variables are equal."""
    names = one.get_variable_names()
    assert other.get_variable_names() == names
    for name in names:
        np.testing.assert_array_equal(one.get_variable_value(name), other.get_variable_value(name), err_msg=name)


@cases(
    (
        [*LINEAR, *DNN, *COMBINED],
        "WarmStarting",
        {
            "test_classifier_basic_warm_starting": ("Classifier", {"n_classes": 4}),
            "test_regressor_basic_warm_starting": ("Regressor", {}),
        },
    )
)
def test_all_variables(kind: Kind, case: Any, tmp_path: Path) -> None:
    name, arguments = case
    old = trained(kind.make, tmp_path / "old", name, **arguments)
    new = kind.make(name, tmp_path / "new", canned.FROZEN, warm_start_from=old.model_dir, **arguments)
    assert_equal(old, new.train(rows, max_steps=1))


@cases(
    (LINEAR, "WarmStarting", {"test_warm_starting_selective_variables": ".*(age).*"}),
    (DNN, "WarmStarting", {"test_warm_starting_selective_variables": ".*(city).*"}),
    (COMBINED, "WarmStarting", {"test_warm_starting_selective_variables": ".*(dnn).*"}),
)
def test_some_variables(kind: Kind, case: str, tmp_path: Path) -> None:
    old = trained(kind.make, tmp_path / "old", "Classifier", n_classes=4)
    settings = estimator.WarmStartSettings(old.model_dir, vars_to_warm_start=case)
    config = estimator.RunConfig(tf_random_seed=5)
    new = kind.make(
        "Classifier", tmp_path / "new", canned.FROZEN, warm_start_from=settings, n_classes=4, config=config
    ).train(rows, max_steps=1)
    for name in set(new.get_variable_names()) - {"global_step"}:
        before, now = old.get_variable_value(name), new.get_variable_value(name)
        if re.match(case, name):
            np.testing.assert_array_equal(now, before, err_msg=name)
        elif "kernel" in name:
            assert np.abs(now - before).max() > 0.01, name
        else:
            np.testing.assert_array_equal(now, np.zeros_like(now), err_msg=name)


@cases(
    (LINEAR, "WarmStarting", {"test_warm_starting_with_naming_change": (fc.numeric_column, "age_in_years", "age")}),
    (DNN, "WarmStarting", {"test_warm_starting_with_naming_change": (city, "locality", "city")}),
)
def test_variables_of_other_names(kind: Kind, case: Any, tmp_path: Path) -> None:
    column, before, now = case
    old = trained(kind.make, tmp_path / "old", "Classifier", column(before), n_classes=4)
    (previous,) = (name for name in old.get_variable_names() if before in name)
    settings = estimator.WarmStartSettings(
        old.model_dir, var_name_to_prev_var_name={previous.replace(before, now): previous}
    )
    new = kind.make("Classifier", tmp_path / "new", canned.FROZEN, column(now), n_classes=4, warm_start_from=settings)
    new.train(rows, max_steps=1)
    assert len(new.get_variable_names()) == len(old.get_variable_names())
    for name in old.get_variable_names():
        np.testing.assert_array_equal(new.get_variable_value(name.replace(before, now)), old.get_variable_value(name))


EMBEDDING = "dnn/input_from_feature_columns/input_layer/occupation_embedding/embedding_weights"
WEIGHTS = "linear/linear_model/occupation/weights"


@cases(
    (
        LINEAR,
        "WarmStarting",
        {"test_warm_starting_with_vocab_remapping_and_partitioning": (WEIGHTS, lambda column: column)},
    ),
    (
        DNN,
        "WarmStarting",
        {"test_warm_starting_with_vocab_remapping": (EMBEDDING, lambda column: fc.embedding_column(column, dimension=2))},
    ),
)
def test_rows_go_to_their_terms(kind: Kind, case: Any, tmp_path: Path) -> None:
    """The column of the second model is that of the new terms, which tells them here."""
    variable, of_ids = case

    def occupation(name: str, terms: list[str]) -> Any:
        path = tmp_path / name
        path.write_text("\n".join(terms))
        return fc.categorical_column_with_vocabulary_file("occupation", str(path), vocabulary_size=len(terms))

    before = occupation("old_terms", ["doctor", "lawyer", "consultant"])
    now = occupation("new_terms", ["doctor", "consultant", "engineer"])
    old = trained(kind.make, tmp_path / "old", "Classifier", of_ids(before), n_classes=4)
    info = estimator.VocabInfo(
        new_vocab=now.vocabulary_file, new_vocab_size=now.vocabulary_size, num_oov_buckets=now.num_oov_buckets,
        old_vocab=before.vocabulary_file, old_vocab_size=before.vocabulary_size,
        backup_initializer=initializers.RandomUniform(0.39, 0.39),
    )  # fmt: skip
    settings = estimator.WarmStartSettings(
        old.model_dir, vars_to_warm_start=None, var_name_to_vocab_info={variable: info}
    )
    new = kind.make(
        "Classifier", tmp_path / "new", canned.FROZEN, of_ids(now), n_classes=4, warm_start_from=settings,
        config=estimator.RunConfig(tf_random_seed=5),
    )  # fmt: skip
    new.train(rows, max_steps=1)
    rows_before, rows_now = old.get_variable_value(variable), new.get_variable_value(variable)
    np.testing.assert_array_equal(rows_now[0], rows_before[0])
    np.testing.assert_array_equal(rows_now[1], rows_before[2])
    np.testing.assert_allclose(rows_now[2], np.full_like(rows_now[2], 0.39), rtol=1e-6)
    for name in set(new.get_variable_names()) - {"global_step", variable}:
        value = new.get_variable_value(name)
        if "kernel" in name:
            assert np.abs(value - old.get_variable_value(name)).max() > 0.01, name
        else:
            np.testing.assert_array_equal(value, np.zeros_like(value), err_msg=name)
