"""What an export gives under which names: ClassificationOutput, RegressionOutput and PredictOutput of tf.estimator.export.

    EstimatorSpec(mode, predictions=predictions, export_outputs={
        "serving_default": export.ClassificationOutput(scores=probabilities),
        "embedding": export.PredictOutput({"vector": hidden}),
    })

An exported model has one function, which gives the outputs of all signatures; its signature.json says which are whose.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mlc._build import as_tensor, is_tensor
from mlc._graph import model_error
from mlc.errors import ModelTypeError
from mlc.tensor import Tensor

__all__ = ["ClassificationOutput", "ExportOutput", "PredictOutput", "RegressionOutput"]

DEFAULT = "serving_default"
"""The signature that is taken where none is named."""


class ExportOutput:
    """Base of what a signature gives.

    Attributes:
      method: how servers call it: "classify", "regress" or "predict".
      outputs: Tensors by the keys of the signature.
    """

    method: str
    outputs: dict[str, Tensor]


def _tensor(value: Any, what: str, dtypes: str) -> Tensor:
    if not is_tensor(value):
        raise model_error(f"{what} is {value!r}; expected a Tensor", ModelTypeError)
    tensor = as_tensor(value)
    if dtypes and dtypes not in tensor.dtype:
        expected = "text" if dtypes == "string" else "floats"
        raise model_error(f"{what} must be a {expected} Tensor; found {tensor!r}", ModelTypeError)
    return tensor


class ClassificationOutput(ExportOutput):
    """Classes of rows: scores, floats [rows, classes], and classes, their names [rows, classes], one of them at least."""

    method = "classify"

    def __init__(self, scores: Any = None, classes: Any = None) -> None:
        self.outputs = {}
        if scores is not None:
            self.outputs["scores"] = _tensor(scores, "Classification scores", "float")
        if classes is not None:
            self.outputs["classes"] = _tensor(classes, "Classification classes", "string")
        if not self.outputs:
            raise model_error("At least one of scores and classes must be set.", ModelTypeError)


class RegressionOutput(ExportOutput):
    """The number of each row: value, floats [rows] or [rows, 1]."""

    method = "regress"

    def __init__(self, value: Any) -> None:
        self.outputs = {"outputs": _tensor(value, "Regression output value", "float")}


class PredictOutput(ExportOutput):
    """Tensors of any kind by key; one alone has the key "output"."""

    method = "predict"

    def __init__(self, outputs: Any) -> None:
        given = outputs if isinstance(outputs, Mapping) else {"output": outputs}
        for key in given:
            if not isinstance(key, str):
                raise model_error(f"Prediction output key must be a string; got {key!r}.", ModelTypeError)
        self.outputs = {key: _tensor(value, f"Prediction output '{key}'", "") for key, value in given.items()}


def checked_outputs(export_outputs: Any) -> dict[str, ExportOutput]:
    """The signatures that an EstimatorSpec gives, one of them the default, by name. ModelError for what is none."""
    if export_outputs is None:
        return {}
    if not isinstance(export_outputs, Mapping):
        raise model_error(f"`export_outputs` must be dict, received: {export_outputs!r}", ModelTypeError)
    for name, output in export_outputs.items():
        if not isinstance(output, ExportOutput):
            raise model_error(
                f"Values in `export_outputs` must be ExportOutput objects. Given: {{{name!r}: {output!r}}}", ModelTypeError
            )
        if not isinstance(name, str) or not name:
            raise model_error(f"Keys in `export_outputs` must be names; found {name!r}", ModelTypeError)
    found = dict(export_outputs)
    if len(found) == 1:
        found.setdefault(DEFAULT, next(iter(found.values())))
    if found and DEFAULT not in found:
        raise model_error(
            "Multiple `export_outputs` were provided, but none of them is specified as the default. Do this by naming one "
            f"of them '{DEFAULT}'."
        )
    return found


def named_outputs(signatures: Mapping[str, ExportOutput]) -> tuple[list[tuple[str, Tensor]], dict[str, dict[str, str]]]:
    """The outputs of all signatures, each Tensor once, and their names by the keys of each signature.

    The default signature's keys are the names; what another one has besides is SIGNATURE/KEY.
    """
    names: dict[int, str] = {}
    outputs: list[tuple[str, Tensor]] = []
    keys: dict[str, dict[str, str]] = {}
    for signature in sorted(signatures, key=lambda name: name != DEFAULT):
        keys[signature] = {}
        for key, tensor in signatures[signature].outputs.items():
            if tensor.number not in names:
                names[tensor.number] = key if signature == DEFAULT else f"{signature}/{key}"
                outputs.append((names[tensor.number], tensor))
            keys[signature][key] = names[tensor.number]
    return outputs, keys


_RECEIVERS = (
    "ServingInputReceiver", "TensorServingInputReceiver", "build_parsing_serving_input_receiver_fn",
    "build_raw_serving_input_receiver_fn",
)  # fmt: skip

if not TYPE_CHECKING:  # whose tools know what is there

    def __getattr__(name: str) -> Any:
        hint = ": an exported model takes the features by their keys; leave serving_input_receiver_fn out" if name in _RECEIVERS else ""
        raise AttributeError(f"module 'mlc.estimator.export' has no attribute '{name}'{hint}", name=name, obj=sys.modules[__name__])
