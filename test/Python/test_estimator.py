"""Estimators without a native module: constructors, what each method asks of the engine, errors."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import inspect
import json
import logging
import os
from typing import Any

import numpy as np
import pytest
from conftest import FakeNative, NativeError

import mlc
from mlc import errors, estimator, optimizers
from mlc import feature_column as fc
from mlc.data import Dataset

AGE = fc.numeric_column("age")
X = {"age": np.arange(10, dtype=np.float32)}
Y = np.arange(10) % 2


def train_input() -> Dataset:
    return Dataset.from_arrays(X, Y).shuffle().repeat().batch(4)


def one_pass() -> Dataset:
    return Dataset.from_arrays(X, Y).batch(4)


def classifier(model_dir: Any, **arguments: Any) -> estimator.Estimator:
    return estimator.LinearClassifier([AGE], model_dir=str(model_dir), **arguments)


# Constructors

SIGNATURES = {
    "LinearClassifier": "feature_columns, model_dir=None, n_classes=2, weight_column=None, label_vocabulary=None, "
    "optimizer='Ftrl', config=None, warm_start_from=None, loss_reduction='sum_over_batch_size', sparse_combiner='sum'",
    "LinearRegressor": "feature_columns, model_dir=None, label_dimension=1, weight_column=None, optimizer='Ftrl', "
    "config=None, warm_start_from=None, loss_reduction='sum_over_batch_size', sparse_combiner='sum'",
    "DNNClassifier": "hidden_units, feature_columns, model_dir=None, n_classes=2, weight_column=None, "
    "label_vocabulary=None, optimizer='Adagrad', activation_fn='relu', dropout=None, config=None, "
    "warm_start_from=None, loss_reduction='sum_over_batch_size', batch_norm=False",
    "DNNRegressor": "hidden_units, feature_columns, model_dir=None, label_dimension=1, weight_column=None, "
    "optimizer='Adagrad', activation_fn='relu', dropout=None, config=None, warm_start_from=None, "
    "loss_reduction='sum_over_batch_size', batch_norm=False",
    "DNNLinearCombinedClassifier": "model_dir=None, linear_feature_columns=None, linear_optimizer='Ftrl', "
    "dnn_feature_columns=None, dnn_optimizer='Adagrad', dnn_hidden_units=None, dnn_activation_fn='relu', "
    "dnn_dropout=None, n_classes=2, weight_column=None, label_vocabulary=None, config=None, warm_start_from=None, "
    "loss_reduction='sum_over_batch_size', batch_norm=False, linear_sparse_combiner='sum'",
    "DNNLinearCombinedRegressor": "model_dir=None, linear_feature_columns=None, linear_optimizer='Ftrl', "
    "dnn_feature_columns=None, dnn_optimizer='Adagrad', dnn_hidden_units=None, dnn_activation_fn='relu', "
    "dnn_dropout=None, label_dimension=1, weight_column=None, config=None, warm_start_from=None, "
    "loss_reduction='sum_over_batch_size', batch_norm=False, linear_sparse_combiner='sum'",
    "BaselineClassifier": "model_dir=None, n_classes=2, weight_column=None, label_vocabulary=None, optimizer='Ftrl', "
    "config=None, loss_reduction='sum_over_batch_size'",
    "BaselineRegressor": "model_dir=None, label_dimension=1, weight_column=None, optimizer='Ftrl', config=None, "
    "loss_reduction='sum_over_batch_size'",
    "LinearEstimator": "head, feature_columns, model_dir=None, optimizer='Ftrl', config=None, sparse_combiner='sum', "
    "warm_start_from=None",
    "DNNEstimator": "head, hidden_units, feature_columns, model_dir=None, optimizer='Adagrad', activation_fn='relu', "
    "dropout=None, config=None, warm_start_from=None, batch_norm=False",
    "DNNLinearCombinedEstimator": "head, model_dir=None, linear_feature_columns=None, linear_optimizer='Ftrl', "
    "dnn_feature_columns=None, dnn_optimizer='Adagrad', dnn_hidden_units=None, dnn_activation_fn='relu', "
    "dnn_dropout=None, config=None, batch_norm=False, linear_sparse_combiner='sum'",
    "BaselineEstimator": "head, model_dir=None, optimizer='Ftrl', config=None",
    "BinaryClassHead": "weight_column=None, thresholds=None, label_vocabulary=None, "
    "loss_reduction='sum_over_batch_size', loss_fn=None, name=None",
    "MultiClassHead": "n_classes, weight_column=None, label_vocabulary=None, loss_reduction='sum_over_batch_size', "
    "loss_fn=None, name=None",
    "MultiLabelHead": "n_classes, weight_column=None, thresholds=None, label_vocabulary=None, "
    "loss_reduction='sum_over_batch_size', loss_fn=None, classes_for_class_based_metrics=None, name=None",
    "RegressionHead": "label_dimension=1, weight_column=None, loss_reduction='sum_over_batch_size', loss_fn=None, "
    "inverse_link_fn=None, name=None",
    "LogisticRegressionHead": "weight_column=None, loss_reduction='sum_over_batch_size', name=None",
    "PoissonRegressionHead": "label_dimension=1, weight_column=None, loss_reduction='sum_over_batch_size', "
    "compute_full_loss=True, name=None",
    "MultiHead": "heads, head_weights=None",
}


def test_an_activation_may_be_the_function() -> None:
    model = estimator.DNNClassifier([3], [AGE], "m", activation_fn=mlc.ops.tanh)
    assert "activation_fn: TANH" in model.to_spec()


@pytest.mark.parametrize("name", SIGNATURES)
def test_constructors_are_those_of_tf(name: str) -> None:
    parameters = inspect.signature(getattr(estimator, name)).parameters.values()
    plain = [p.name if p.default is p.empty else f"{p.name}={p.default!r}" for p in parameters]
    own = [] if name.endswith("Head") else ["compat='tf2'"]  # by keyword alone
    assert plain == [*SIGNATURES[name].split(", "), *own]


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: estimator.LinearClassifier([]), ValueError, "must not be empty"),
        (lambda: estimator.LinearClassifier(AGE), TypeError, "list of feature columns"),
        (lambda: estimator.LinearClassifier(["age"]), TypeError, "items must be columns"),
        (
            lambda: estimator.LinearClassifier([AGE, fc.numeric_column("age", 2)]),
            ValueError,
            "Duplicate feature column name",
        ),
        (lambda: estimator.LinearClassifier([AGE], n_classes=1), ValueError, "n_classes"),
        (lambda: estimator.LinearClassifier([AGE], label_vocabulary=["a"]), ValueError, "Length of label_vocabulary"),
        (lambda: estimator.LinearClassifier([AGE], label_vocabulary=[0, 1]), ValueError, "list of strings"),
        (lambda: estimator.LinearClassifier([AGE], optimizer="Nadam"), ValueError, "Supported names"),
        (lambda: estimator.LinearClassifier([AGE], loss_reduction="none"), ValueError, "Invalid loss_reduction"),
        (lambda: estimator.LinearClassifier([AGE], sparse_combiner="max"), ValueError, "sparse_combiner"),
        (lambda: estimator.DNNClassifier([3], [AGE], activation_fn="rellu"), ValueError, "did you mean 'relu'"),
        (lambda: estimator.LinearClassifier([AGE]).train((X, Y)), TypeError, "given a tuple; expected a function"),
        (lambda: estimator.LinearClassifier([AGE], weight_column=3), TypeError, "Weight column"),
        (
            lambda: estimator.LinearClassifier([AGE], weight_column=fc.numeric_column("w", normalizer_fn=fc.log1p())),
            NotImplementedError,
            "normalizer_fn",
        ),
        (lambda: estimator.LinearClassifier([AGE], config={}), ValueError, "instance of `RunConfig`"),
        (lambda: estimator.LinearClassifier([AGE], model_dir=""), ValueError, "non-empty"),
        (lambda: estimator.LinearRegressor([AGE], label_dimension=0), ValueError, "label_dimension"),
        (
            lambda: estimator.DNNClassifier([4], [fc.categorical_column_with_identity("id", 3)]),
            ValueError,
            "wrap it with indicator_column or embedding_column",
        ),
        (lambda: estimator.DNNClassifier([0], [AGE]), ValueError, "hidden_units must be integers of at least 1"),
        (lambda: estimator.DNNClassifier(4, [AGE]), TypeError, "list of integers"),
        (
            lambda: estimator.DNNClassifier([4], [AGE], activation_fn=max),
            ValueError,
            "expected None or one of the names relu",
        ),
        (lambda: estimator.DNNClassifier([4], [AGE], dropout=1), ValueError, "dropout must be in"),
        (lambda: estimator.DNNLinearCombinedClassifier(), ValueError, "must be defined"),
        (lambda: estimator.DNNLinearCombinedClassifier(dnn_feature_columns=[AGE]), ValueError, "dnn_hidden_units"),
        (lambda: estimator.Estimator(len), ValueError, "must include features argument"),
    ],
)
def test_constructors_refuse(make: Any, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        make()


def test_model_dir(caplog: pytest.LogCaptureFixture) -> None:
    config = estimator.RunConfig(model_dir="m")
    assert estimator.LinearRegressor([AGE], config=config).model_dir == "m"
    assert estimator.LinearRegressor([AGE], model_dir="m", config=config).config is config
    assert estimator.LinearRegressor([AGE], model_dir="n").config.model_dir == "n"
    with pytest.raises(ValueError, match="with different values"):
        estimator.LinearRegressor([AGE], model_dir="n", config=config)
    with caplog.at_level(logging.WARNING, "mlc"):
        assert os.path.isdir(estimator.LinearRegressor([AGE]).model_dir)
    assert "Using temporary folder as model directory" in caplog.text


def test_subclasses_have_a_constructor_alone() -> None:
    class Mine(estimator.LinearRegressor):
        def train(self, *arguments: Any, **named: Any) -> Any:
            raise AssertionError

    with pytest.raises(ValueError, match=r"cannot override members of Estimator.*'train'"):
        Mine([AGE], model_dir="m")


def test_an_optimizer_of_none_and_callables(tmp_path: Any) -> None:
    four = [fc.numeric_column(key) for key in "abcd"]
    assert "learning_rate: 0.2\n" in estimator.LinearRegressor(four, tmp_path, optimizer=None).to_spec()
    many = [fc.numeric_column(f"x{number}") for number in range(100)]
    assert "learning_rate: 0.1\n" in estimator.LinearRegressor(many, tmp_path, optimizer=None).to_spec()
    made = estimator.LinearRegressor(four, tmp_path, optimizer=lambda: optimizers.SGD(0.5))
    assert "sgd { learning_rate: 0.5 }" in made.to_spec()
    assert "activation_fn: LINEAR" in estimator.DNNRegressor([2], four, tmp_path, activation_fn=None).to_spec()


# Training


def test_train(native: FakeNative, tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    model = classifier(tmp_path)
    with caplog.at_level(logging.INFO, "mlc"):
        assert model.train(train_input, steps=5) is model
    call = native.last("train")
    assert call["options"]["steps"] == 5
    assert call["options"]["batch_size"] == 4
    assert call["options"]["model_dir"] == str(tmp_path)
    assert "train.shuffle=true" in call["options"]["settings"]
    assert np.shares_memory(call["data"].columns["age"], X["age"])
    assert call["data"].columns["label"].dtype == np.int64
    assert call["evals"] == {}
    assert "trained to step 5" in caplog.text
    assert "loss = inf, step = 5 (1234 examples/s)" in caplog.text
    assert "half of it" not in caplog.text
    assert "warning: a warning of the compiler" in caplog.text


def test_models_are_compiled_once(native: FakeNative, tmp_path: Any) -> None:
    classifier(tmp_path).train(train_input, steps=1)
    model = classifier(tmp_path)
    model.train(train_input, steps=1)
    model.evaluate(one_pass)
    list(model.predict(one_pass))
    assert len(native.specs) == 1
    model.evaluate(one_pass, name="other")  # a name is of events alone
    assert len(native.specs) == 1


def test_max_steps_that_are_reached_run_nothing(native: FakeNative, tmp_path: Any) -> None:
    model = classifier(tmp_path)
    model.train(train_input, max_steps=5)
    assert native.last("train")["options"]["max_steps"] == 5
    model.train(train_input, max_steps=5)
    assert len(native.calls) == 1


def test_each_call_goes_through_its_input_anew(native: FakeNative, tmp_path: Any) -> None:
    model = classifier(tmp_path)
    for _ in range(2):
        model.train(one_pass)
        assert native.last("train")["options"]["steps"] == 3
    model.train(one_pass, max_steps=8)
    assert native.last("train")["options"]["steps"] == 2
    model.train(lambda: (X, Y), steps=2)
    assert native.last("train")["options"]["batch_size"] == 10


def test_train_refuses(native: FakeNative, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    model = classifier(tmp_path)
    for arguments, error, text in (
        ({"steps": 1, "max_steps": 1}, ValueError, "Can not provide both steps and max_steps"),
        ({"steps": 0}, ValueError, "Must specify steps > 0, given: 0"),
        ({"max_steps": -1}, ValueError, "Must specify max_steps > 0"),
        ({"hooks": [object()]}, TypeError, "must be SessionRunHook instances"),
        ({"saving_listeners": [object()]}, TypeError, "must be a list of CheckpointSaverListener"),
    ):
        with pytest.raises(error, match=text):
            model.train(train_input, **arguments)
    model.train(train_input, hooks=[], steps=1)
    with pytest.raises(TypeError, match="`input_fn` must be callable"):
        model.train(5, steps=1)
    cluster = {"cluster": {"chief": ["a:1"], "ps": ["b:1"]}, "task": {"type": "chief", "index": 0}}
    monkeypatch.setenv("TF_CONFIG", json.dumps(cluster))
    with pytest.raises(errors.UnsupportedError, match=r"train_and_evaluate\(\) makes"):
        classifier(tmp_path).train(train_input, steps=1)


# Evaluation, prediction, export, variables


def test_evaluate(native: FakeNative, tmp_path: Any) -> None:
    model = classifier(tmp_path)
    native.metrics = {"loss": 0.5, "global_step": 7, "report/confusion": [[1]]}
    model.evaluate(one_pass)
    assert native.last("evaluate")["options"]["may_be_initial"] is True
    model.train(train_input, steps=5)
    assert model.evaluate(one_pass) == {"loss": 0.5, "global_step": 7}
    assert native.last("evaluate")["options"] == {
        "model_dir": str(tmp_path),
        "events": "",
        "settings": ["eval.batch_size=4"],
    }
    model.evaluate(one_pass, steps=2, name="test", checkpoint_path=f"{tmp_path}/ckpt-0000000005")
    assert native.last("evaluate")["options"] == {
        "model_dir": str(tmp_path),
        "settings": ["eval.batch_size=4", "eval.steps=2"],
        "events": "test",
        "checkpoint": f"{tmp_path}/ckpt-0000000005",
    }
    assert model.eval_dir() == f"{tmp_path}/eval"
    assert model.eval_dir("test") == f"{tmp_path}/eval_test"


def test_predict(native: FakeNative, tmp_path: Any) -> None:
    model = classifier(tmp_path)
    model.train(train_input, steps=5)
    features = lambda: Dataset.from_arrays(X).batch(4)  # noqa: E731
    rows = model.predict(features)
    assert not [name for name, _ in native.calls if name == "predict"]
    listed = list(rows)
    assert [row["logits"].tolist() for row in listed] == [[float(number)] for number in range(10)]
    assert listed[0]["classes"].tolist() == [b"1"]
    assert "label" not in native.last("predict")["data"].columns
    batches = list(model.predict(features, predict_keys=["logits", "nope"], yield_single_examples=False))
    assert [batch["logits"].shape for batch in batches] == [(4, 1), (4, 1), (2, 1)]
    assert set(batches[0]) == {"logits"}
    with pytest.raises(ValueError, match="Expected to run at least one output"):
        next(model.predict(features, predict_keys="nope"))
    twice = lambda: Dataset.from_arrays(X).repeat(2).batch(8, drop_remainder=True)  # noqa: E731
    assert len(list(model.predict(twice))) == 16
    endless = model.predict(lambda: Dataset.from_arrays(X).repeat().batch(10))
    assert [next(endless)["logits"][0] for _ in range(21)][-1] == 0
    assert len(list(model.predict(lambda: X))) == 10
    assert list(model.predict(lambda: Dataset.from_arrays({"age": []}).batch(4))) == []


def test_export_and_variables(native: FakeNative, tmp_path: Any) -> None:
    model = classifier(tmp_path / "m")
    assert model.latest_checkpoint() is None
    with pytest.raises(errors.CheckpointError, match="call train"):
        model.export_saved_model(tmp_path)
    with pytest.raises(errors.CheckpointError):
        model.get_variable_names()
    model.train(train_input, steps=5)
    assert model.latest_checkpoint() == f"{tmp_path}/m/ckpt-0000000005"
    assert model.export_saved_model(tmp_path / "out") == os.fsencode(f"{tmp_path}/out/1700000000")
    assert model.get_variable_names() == ["global_step", "linear/linear_model/bias_weights"]
    assert model.get_variable_value("linear/linear_model/bias_weights:0").tolist() == [5]
    assert model.get_variable_value("global_step") == 5
    with pytest.raises(errors.CheckpointError, match="did you mean 'linear/linear_model/bias_weights'"):
        model.get_variable_value("linear/linear_model/bias_weight")
    for arguments in ({"serving_input_receiver_fn": len}, {"assets_extra": {"a": "b"}}, {"as_text": True}):
        with pytest.raises(errors.UnsupportedError, match=next(iter(arguments))):
            model.export_saved_model(tmp_path, **arguments)
    with pytest.raises(errors.UnsupportedError, match="experimental_mode"):
        model.export_saved_model(tmp_path, experimental_mode="train")


def test_train_and_evaluate(native: FakeNative, tmp_path: Any) -> None:
    model = classifier(tmp_path)
    exporter = estimator.LatestExporter("latest")
    train_spec = estimator.TrainSpec(train_input, max_steps=5)
    eval_spec = estimator.EvalSpec(one_pass, steps=2, name="test", exporters=exporter)
    metrics, exports = estimator.train_and_evaluate(model, train_spec, eval_spec)
    assert metrics is not None
    assert np.isnan(metrics["loss"])
    assert metrics["global_step"] == 5
    assert exports == [b"/export/5"]
    call = native.last("train")
    assert list(call["evals"]) == ["test"]
    assert call["options"]["settings"][-5:] == [
        "eval.test.batch_size=4",
        "eval.test.steps=2",
        "eval.test.exporter.0.name=latest",
        "eval.test.exporter.0.kind=LATEST",
        "eval.test.exporter.0.exports_to_keep=5",
    ]
    # At its end already: the newest checkpoint is evaluated.
    assert estimator.train_and_evaluate(model, train_spec, eval_spec) == (native.metrics, [])
    with pytest.raises(TypeError, match="`estimator` must have type"):
        estimator.train_and_evaluate(3, train_spec, eval_spec)
    with pytest.raises(TypeError, match="`eval_spec` must have type"):
        estimator.train_and_evaluate(model, train_spec, train_spec)
    with pytest.raises(TypeError, match="SessionRunHook"):
        estimator.train_and_evaluate(model, estimator.TrainSpec(train_input, hooks=[1]), eval_spec)


# Errors


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("E0105", errors.SpecError),
        ("E0213", errors.SpecError),
        ("E0315", errors.DataError),
        ("E0402", errors.CheckpointError),
        ("E0501", errors.NanLossDuringTrainingError),
        ("E0502", errors.RunError),
        ("E0701", errors.CompileError),
        ("", errors.RunError),
    ],
)
def test_errors_of_the_native_side(native: FakeNative, tmp_path: Any, code: str, kind: type[Exception]) -> None:
    message = {
        "severity": "error", "code": code, "file": "<spec>", "line": 3, "column": 5, "message": "what was found",
        "path": "model.dnn", "expected": "what is right", "help": "do this", "count": 2,
        "related": [{"file": "<spec>", "line": 1, "label": "declared here"}],
    }  # fmt: skip
    native.failure = NativeError("1 error", [{"severity": "warning", "message": "a note", "code": "E0801"}, message], 3)
    with pytest.raises(kind) as raised:
        classifier(tmp_path).train(train_input, steps=1)
    error = raised.value
    assert isinstance(error, errors.MlcError)
    assert error.codes == ((code,) if code else ())
    assert error.exit_code == 3
    assert error.messages[1]["path"] == "model.dnn"
    head = f"error[{code}]" if code else "error"
    assert str(error).splitlines() == [
        "1 error",
        "warning[E0801]: a note",
        f"{head} <spec>:3:5: what was found",
        "    field: model.dnn",
        "    expected: what is right",
        "    help: do this",
        "    (found 2 times)",
        "    note: <spec>:1: declared here",
    ]


def test_a_text_that_has_all_is_not_repeated() -> None:
    text = "error[E0401]: no checkpoint\n    help: train first\n"
    error = errors.from_native(text, [{"severity": "error", "code": "E0401", "message": "no checkpoint"}], 2)
    assert str(error) == text.rstrip()
    assert errors.format_message({"message": "x", "text": "all of it\n"}) == "all of it"


def test_version(native: FakeNative) -> None:
    assert mlc.__version__ == "1.2.3"
