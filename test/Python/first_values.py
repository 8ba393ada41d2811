"""First values of a model's variables, as runs that were recorded have them."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import dataclasses
import json

from mlc._model import WarmStart

SLOTS = ("Adagrad", "Adam", "Adam_1", "Momentum", "Ftrl", "Ftrl_1")


def save_first_values(model, input_fn, first_value, directory):
    """A file of tensors: what `first_value` gives each trained variable of the model, which is trained for a step."""
    model.train(input_fn, steps=1)
    header, data = {}, b""
    for name in model.get_variable_names():
        if name == "global_step" or name.rpartition("/")[2] in SLOTS:
            continue
        value = first_value(name, model.get_variable_value(name).shape)
        header[name] = {"dtype": "F32", "shape": list(value.shape), "data_offsets": [len(data), len(data) + value.nbytes]}
        data += value.tobytes()
    text = json.dumps(header).encode()
    path = directory / "first.safetensors"
    path.write_bytes(len(text).to_bytes(8, "little") + text + data)
    return str(path)


def begin_with(model, path):
    """Makes the variables of an Estimator begin with the values of a file."""
    inner, start = model._model, WarmStart(path, (".*",))
    if hasattr(inner, "model"):
        inner.model = dataclasses.replace(inner.model, warm_start=start)
    else:
        inner.warm_start = start
