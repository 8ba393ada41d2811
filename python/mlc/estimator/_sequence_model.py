"""The model_fn of recurrent Estimators that tell something of each step: outputs of cells, masks, and a head of steps."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mlc import layers, ops
from mlc._columns import InputColumns, Observations, input_columns
from mlc._model import Model, RnnBody
from mlc.errors import UnsupportedError
from mlc.estimator.heads import SequentialHeadWrapper
from mlc.estimator.model_fn import EstimatorSpec
from mlc.estimator.specs import ModeKeys
from mlc.feature_column._layers import checked, dense_beside
from mlc.feature_column._sequence_layer import steps_beside
from mlc.tensor import Tensor
from mlc.variables import variable_scope

_CELLS: Mapping[str, Callable[[int, str], Any]] = {
    "simple_rnn": lambda units, name: layers.RNNCell(units, name, "orthogonal"),
    "lstm": lambda units, name: layers.LSTMCell(units, 0.0, name, "orthogonal", unit_forget_bias=True),
    "gru": lambda units, name: layers.GRUCell(units, name, "orthogonal"),
}


def sequence_model_fn(
    name: str, head: SequentialHeadWrapper, body: RnnBody, description: Callable[[], Model]
) -> Callable[..., EstimatorSpec]:
    """The model_fn. Its variables have the names and first values of those of the spec of the same body, of which its
    attribute `spec` is a function of what it is traced with: the model and the columns that it reads.

    `description`: the model of the spec; UnsupportedError for what a spec does not have.
    """

    def model_fn(features: Any, labels: Any, mode: str) -> EstimatorSpec:
        logits, lengths = sequence_logits(features, body, head.logits_dimension)
        given = dict(features)
        if head.input_sequence_mask_key not in given:
            given[head.input_sequence_mask_key] = ops.sequence_mask(lengths, logits)
        optimizer = body.optimizer if mode == ModeKeys.TRAIN else None
        return head.create_estimator_spec(given, mode, logits, labels, optimizer=optimizer)

    def spec(seen: Any) -> tuple[Model, InputColumns]:
        model = description()
        observations = Observations()
        features = {} if seen is None else seen.features
        if head.input_sequence_mask_key in features:
            raise UnsupportedError(
                f"the feature '{head.input_sequence_mask_key}' tells which steps there are; a spec has those that rows have: "
                "leave it out"
            )
        for key, column in features.items():
            observations.in_steps[key] = len(column.shape) > 1 and column.shape[1:] != (1,)
        return model, input_columns(model, observations)

    model_fn.__name__ = name
    model_fn.spec = spec  # type: ignore[attr-defined]
    return model_fn


def sequence_logits(features: Mapping[str, Tensor], body: RnnBody, dimension: int) -> tuple[Tensor, Tensor]:
    """Logits of each step, [rows, steps, dimension], and the lengths of rows. After its last step a row keeps its logits."""
    with variable_scope("sequence_features"):
        x, lengths = steps_beside(checked(body.sequence_columns, "sequence_feature_columns", steps=True), features, True)
    if body.context_columns:
        with variable_scope("dense_features"):
            context = dense_beside(checked(body.context_columns, "context_feature_columns"), features, True)
        x = ops.concatenate([x, ops.expand_dims(context, 1) + ops.zeros_like(x[:, :, :1])], axis=2)
    with variable_scope("rnn_model"):
        with variable_scope("rnn"):
            outputs = _outputs(x, lengths, body)
        return layers.dense(outputs, dimension, name="logits"), lengths


def _outputs(x: Tensor, lengths: Tensor, body: RnnBody) -> Tensor:
    """What the last of the stacked cells gives after each step, [rows, steps, units]."""
    scope = "stacked_rnn_cells/" if len(body.units) > 1 else ""
    cells = []
    width = x.shape[2] or 0
    for number, units in enumerate(body.units):
        name = f"{scope}{body.cell_type}_cell" + (f"_{number}" if number else "")
        cell = _CELLS[body.cell_type](units, name)
        cell.build(width)
        cells.append(cell)
        width = units
    times = ops.transpose(x, [1, 0, 2])

    def step(carried: Any, inputs: Tensor) -> Any:
        time, before = carried
        goes = ops.expand_dims(time < lengths, 1)
        after = []
        for cell, state in zip(cells, before, strict=True):
            inputs, moved = cell(inputs, state)
            pairs = zip(_parts(moved), _parts(state), strict=True)
            kept = tuple(ops.where(goes, now, then) for now, then in pairs)
            after.append(kept if isinstance(state, tuple) else kept[0])
        return (time + 1, tuple(after)), _parts(after[-1])[0]

    start = (ops.constant(0, "int64"), tuple(cell.zero_state(times[0]) for cell in cells))
    _, outputs = ops.scan(step, times, start, outputs=True)
    return ops.transpose(outputs, [1, 0, 2])


def _parts(state: Any) -> tuple[Tensor, ...]:
    return state if isinstance(state, tuple) else (state,)
