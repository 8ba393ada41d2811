"""What the tests of canned Estimators share: variables that are given, losses and metrics of NumPy, summaries."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import inspect
import json
import struct
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mlc import estimator, optimizers
from mlc.estimator.specs import warm_start

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "Inputs"))
import events

FROZEN = optimizers.SGD(0.0)
"""Moves nothing: what a step tells is what the given variables make of its rows."""
STEP = 100
"""The global step of given variables."""

TWO_NUMBERS = np.linspace(0.0, 2.0, 20, dtype=np.float32).reshape(10, 2)
FOUR_NUMBERS = np.linspace(0.0, 2.0, 40, dtype=np.float32).reshape(10, 4)
NUMBERS = np.array([1.0, 2.0, 3.0, 4.0], dtype=np.float32)

Variables = Mapping[str, Any]
InputFn = Callable[[], Any]


def with_head(make: Callable[..., Any], head: Callable[..., Any]) -> Callable[..., Any]:
    """A constructor that takes the arguments of a head, and the Estimator's own, in the place of a head."""
    names = inspect.signature(head).parameters.keys()

    def of_arguments(*positional: Any, **arguments: Any) -> Any:
        told = {name: arguments.pop(name) for name in names & arguments.keys()}
        return make(head(**told), *positional, **arguments)

    return of_arguments


def write_tensors(path: Path, tensors: Variables) -> None:
    """Writes float32 tensors as a safetensors file."""
    header: dict[str, Any] = {}
    data = b""
    for name, value in tensors.items():
        array = np.ascontiguousarray(value, np.float32)
        end = len(data) + array.nbytes
        header[name] = {"dtype": "F32", "shape": list(array.shape), "data_offsets": [len(data), end]}
        data += array.tobytes()
    text = json.dumps(header).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + data)


def starting_with(model: estimator.Estimator, variables: Variables) -> estimator.Estimator:
    """The Estimator, with variables that begin with these values: a baseline, too, whose constructor has no argument."""
    path = Path(model.model_dir + ".safetensors")
    write_tensors(path, variables)
    if model.model_fn is not None:
        return estimator.Estimator(model.model_fn, model.model_dir, model.config, warm_start_from=str(path))
    described = replace(model._model.model, warm_start=warm_start(str(path)))
    return estimator.Estimator(described, model.model_dir, model.config)


def with_variables(
    model: estimator.Estimator, variables: Variables, input_fn: InputFn, step: int = STEP
) -> estimator.Estimator:
    """The Estimator, whose optimizer is FROZEN, with a checkpoint of these values after `step` steps."""
    starting_with(model, variables).train(input_fn, steps=step)
    return model


class Losses(estimator.SessionRunHook):
    """The loss of each step."""

    def __init__(self) -> None:
        self.losses: list[float] = []

    def before_run(self, context: Any) -> estimator.SessionRunArgs:
        return estimator.SessionRunArgs("loss")

    def after_run(self, context: Any, values: Any) -> None:
        self.losses.append(float(values.results))


def losses_of(model: estimator.Estimator, input_fn: InputFn, steps: int) -> list[float]:
    """The losses of so many steps of training."""
    hook = Losses()
    model.train(input_fn, steps=steps, hooks=[hook])
    assert len(hook.losses) == steps
    return hook.losses


def summaries_of(model: estimator.Estimator) -> list[dict[str, float]]:
    """The numbers of the summaries of training by tag, a dict for each step that has the loss."""
    found: dict[int, dict[str, float]] = {}
    for path in sorted(Path(model.model_dir).glob("events.out.tfevents.*")):
        for record in events.records(str(path)):
            event = events.event(record)
            for tag, value in event.get("values", {}).items():
                if not isinstance(value, dict):
                    found.setdefault(event["step"], {})[tag] = float(value)
    return [values for _, values in sorted(found.items()) if "loss" in values]


def assert_metrics(found: Mapping[str, float], expected: Mapping[str, float], rtol: float = 1e-6) -> None:
    """Of the metrics those that TensorFlow has; mlc's own stand beside them."""
    assert set(expected) <= set(found)
    np.testing.assert_allclose([found[key] for key in expected], list(expected.values()), rtol=rtol, atol=1e-6)


def assert_variables(model: estimator.Estimator, step: int, expected: Variables) -> None:
    """The newest checkpoint is of this step and has these variables; a tuple stands for a shape."""
    assert model.get_variable_value("global_step") == step
    for name, value in expected.items():
        found = model.get_variable_value(name)
        if isinstance(value, tuple):
            assert found.shape == value, name
        else:
            np.testing.assert_array_equal(found, np.asarray(value, np.float32), err_msg=name)


def softmax(logits: Any) -> np.ndarray:
    """Shares of each row's classes."""
    powers = np.exp(np.asarray(logits, np.float64))
    return powers / powers.sum(axis=-1, keepdims=True)


def sigmoid(x: Any) -> np.ndarray:
    return 1 / (1 + np.exp(-np.asarray(x, np.float64)))


def cross_entropies(logits: Any, labels: Sequence[float]) -> np.ndarray:
    """The loss of each row: of one logit the sigmoid's, with labels from 0 to 1, of several the softmax's."""
    logits = np.asarray(logits, np.float64)
    if logits.shape[1] == 1:
        shares, labels = sigmoid(logits[:, 0]), np.asarray(labels, np.float64)
        return -labels * np.log(shares) - (1 - labels) * np.log1p(-shares)
    return -np.log(softmax(logits)[np.arange(len(logits)), np.asarray(labels)])


def class_predictions(logits: Sequence[float], vocabulary: Sequence[str] | None) -> dict[str, Any]:
    """The predictions of a row by a classifier."""
    several = [0.0, *logits] if len(logits) == 1 else list(logits)
    names = [name.encode() for name in vocabulary or map(str, range(len(several)))]
    best = int(np.argmax(several))
    found = {
        "class_ids": [best], "all_class_ids": list(range(len(several))), "classes": [names[best]],
        "all_classes": names, "logits": list(logits), "probabilities": softmax(several),
    }  # fmt: skip
    return found | ({"logistic": sigmoid(logits)} if len(logits) == 1 else {})


def assert_predictions(found: Mapping[str, Any], expected: Mapping[str, Any]) -> None:
    """The predictions of a row: the same keys, texts alike, numbers close."""
    assert set(found) == set(expected)
    for key, value in expected.items():
        if isinstance(value[0], bytes):
            assert list(found[key]) == value, key
        else:
            np.testing.assert_allclose(found[key], value, rtol=1e-5, atol=1e-6, err_msg=key)


def assert_whole_use(
    model: estimator.Estimator, inputs: Sequence[InputFn], steps: int, key: str, shape: tuple[int, ...], directory: Path
) -> None:
    """Trains, evaluates, predicts and exports, with an input_fn for each of the first three."""
    train, evaluate, predict = inputs
    model.train(train, steps=steps)
    scores = model.evaluate(evaluate)
    assert scores["global_step"] == steps
    assert np.isfinite(scores["loss"])
    assert np.array([row[key] for row in model.predict(predict)]).shape == shape
    assert Path(model.export_saved_model(directory).decode()).is_dir()


def numpy_inputs(x: Any, y: Any, batch_size: int = 10) -> list[InputFn]:
    """input_fns of arrays for training, evaluation and prediction."""
    make = estimator.inputs.numpy_input_fn
    return [
        make({"x": x}, y, batch_size, num_epochs=None, shuffle=True),
        make({"x": x}, y, batch_size, shuffle=False),
        make({"x": x}, None, batch_size, shuffle=False),
    ]


def pandas_inputs(x: Any, y: Any, batch_size: int = 10) -> list[InputFn]:
    """The same of a data frame with a column x."""
    pandas = pytest.importorskip("pandas")
    frame, labels, make = pandas.DataFrame({"x": x}), pandas.Series(y), estimator.inputs.pandas_input_fn
    return [
        make(frame, labels, batch_size, num_epochs=None, shuffle=True),
        make(frame, labels, batch_size, shuffle=False),
        make(frame, None, batch_size, shuffle=False),
    ]
