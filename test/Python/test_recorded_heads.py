"""Heads beside those of TensorFlow 2.15, as test/Recorded/record_heads.py recorded them: losses of training steps, metrics
and predictions, in a model_fn and in canned Estimators."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import json
import sys
from pathlib import Path

import first_values
import numpy as np
import pytest

from mlc import data, estimator, ops, optimizers, variables
from mlc import feature_column as fc

INPUTS = Path(__file__).parents[1] / "Recorded" / "Inputs"
sys.path.insert(0, str(INPUTS))
import head_cases as cases  # noqa: E402

RECORDED = json.loads((INPUTS / "heads.json").read_text())
FUNCTIONS = {"absolute": lambda labels, logits: ops.abs(labels - logits), "exp": ops.exp}
FEATURES = {"x": cases.X, "w": cases.WEIGHTS}


def make_head(case, **more):
    kind, arguments, _ = cases.CASES[case]
    arguments = {**arguments, **more}
    given = {key: FUNCTIONS.get(value, value) if isinstance(value, str) else value for key, value in arguments.items()}
    return getattr(estimator, kind)(**given)


def labels_of(case):
    return cases.LABELS[cases.CASES[case][2]]


def model_fn_of(head, units):
    def model_fn(features, labels, mode):
        kernel = variables.get_variable("kernel", initializer=cases.first_kernel(units))
        return head.create_estimator_spec(
            features, mode, features["x"] @ kernel, labels, optimizer=optimizers.SGD(cases.RATE),
            trainable_variables=[kernel], regularization_losses=[0.01 * ops.sum(ops.square(kernel))],
        )  # fmt: skip

    return model_fn


def written(value):
    if isinstance(value, np.ndarray):
        return [written(item) for item in value]
    return value.decode() if isinstance(value, bytes) else value


def check(model, labels, recorded, exact_keys):
    def rows():
        return data.Dataset.from_arrays(FEATURES, labels).batch(cases.BATCH)

    def compare_metrics(found, wanted):
        if exact_keys:
            assert set(found) == set(wanted)
        assert {key: found[key] for key in wanted} == pytest.approx(wanted, rel=2e-5, abs=1e-6)

    if "before" in recorded:
        compare_metrics(model.evaluate(rows), recorded["before"])
    losses = []
    on_event = lambda event: losses.append(event["loss"]) if event["event"] == "step" else None  # noqa: E731
    model._run_training(rows, None, None, on_event=on_event)
    assert losses == pytest.approx(recorded["losses"], rel=2e-5)
    compare_metrics(model.evaluate(rows), recorded["after"])
    found = [row for row, _ in zip(model.predict(rows), recorded["predictions"], strict=False)]
    for row, wanted in zip(found, recorded["predictions"], strict=True):
        row = {"|".join(key) if isinstance(key, tuple) else key: written(value) for key, value in row.items()}
        if not exact_keys:  # what is the same for all rows is told once by a canned Estimator, on demand
            wanted = {key: value for key, value in wanted.items() if "all_" not in key}
        assert row.keys() >= wanted.keys() and (not exact_keys or row.keys() == wanted.keys())
        for key, value in wanted.items():
            assert row[key] == (value if isinstance(value[0], str) else pytest.approx(value, rel=2e-5, abs=1e-6))


def make_config():
    return estimator.RunConfig(log_step_count_steps=1)


@pytest.mark.parametrize("case", cases.CASES)
def test_a_head_in_a_model_fn_is_that_of_tensorflow(case, tmp_path):
    head = make_head(case)
    model = estimator.Estimator(model_fn_of(head, head.logits_dimension), str(tmp_path), make_config())
    check(model, labels_of(case), RECORDED["model_fn"][case], exact_keys=True)


@pytest.mark.parametrize("form", ["one Tensor", "a dict"])
def test_a_multi_head_is_that_of_tensorflow(form, tmp_path):
    heads = [make_head(case) for case in cases.MULTI]
    head = estimator.MultiHead(heads, list(cases.MULTI.values()))
    traced = model_fn_of(head, head.logits_dimension)
    if form == "a dict":

        def traced(features, labels, mode):
            kernel = variables.get_variable("kernel", initializer=cases.first_kernel(head.logits_dimension))
            logits = features["x"] @ kernel
            return head.create_estimator_spec(
                features, mode, {"pair": logits[:, 1:], "first": logits[:, :1]}, labels,
                train_op_fn=optimizers.SGD(cases.RATE).minimize,
                regularization_losses=[0.01 * ops.sum(ops.square(kernel))],
            )  # fmt: skip

    model = estimator.Estimator(traced, str(tmp_path), make_config())
    labels = {part.name: labels_of(case) for part, case in zip(heads, cases.MULTI, strict=True)}
    check(model, labels, RECORDED["model_fn"]["multi"], exact_keys=True)


@pytest.mark.parametrize("case", cases.CANNED)
def test_a_linear_estimator_learns_as_that_of_tensorflow(case, tmp_path):
    columns = [fc.numeric_column("x", shape=(cases.FEATURES,))]
    model = estimator.LinearEstimator(make_head(case), columns, str(tmp_path), config=make_config())
    check(model, labels_of(case), RECORDED["linear"][case], exact_keys=False)


@pytest.mark.parametrize("case", cases.CANNED)
def test_a_baseline_estimator_learns_as_that_of_tensorflow(case, tmp_path):
    model = estimator.BaselineEstimator(make_head(case), str(tmp_path), config=make_config())
    check(model, labels_of(case), RECORDED["baseline"][case], exact_keys=False)


@pytest.mark.parametrize("kind", ["linear", "baseline", "dnn"])
def test_a_multi_head_in_a_canned_estimator_learns_as_that_of_tensorflow(kind, tmp_path):
    columns = [fc.numeric_column("x", shape=(cases.FEATURES,))]
    labels = {name: labels_of(case) for name, (case, _) in cases.SEVERAL.items()}

    def make(directory):
        heads = [make_head(case, name=name) for name, (case, _) in cases.SEVERAL.items()]
        head = estimator.MultiHead(heads, [weight for _, weight in cases.SEVERAL.values()])
        arguments = {"model_dir": str(tmp_path / directory), "config": make_config()}
        if kind == "baseline":
            return estimator.BaselineEstimator(head, **arguments)
        if kind == "linear":
            return estimator.LinearEstimator(head, columns, **arguments)
        return estimator.DNNEstimator(head, cases.HIDDEN_UNITS, columns, **arguments)

    model = make("m")
    if kind == "dnn":
        rows = data.Dataset.from_arrays(FEATURES, labels)
        path = first_values.save_first_values(make("names"), lambda: rows.batch(9), cases.first_value, tmp_path)
        first_values.begin_with(model, path)
    check(model, labels, RECORDED["several"][kind], exact_keys=False)
