"""Recurrent cells, and layers that run one over time."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from typing import Any

import numpy as np

from mlc import df, ops
from mlc._build import as_tensor
from mlc._nest import flatten, pack
from mlc.layers._common import floats_of, known_size, layer_scope
from mlc.tensor import Tensor
from mlc.variables import Variable, get_variable


class _Cell:
    """A recurrent cell of `units` outputs. Its variables kernel, recurrent_kernel and bias are made when it first sees an
    input."""

    blocks = 1
    default = "rnn_cell"

    def __init__(self, units: int, name: str | None = None, recurrent_initializer: Any = None) -> None:
        """`recurrent_initializer`: of the recurrent_kernel; None: glorot_uniform, as in TensorFlow 1; Keras has
        "orthogonal"."""
        self.units = units
        self._name = name
        self._recurrent_initializer = recurrent_initializer
        self._variables: dict[str, Variable] = {}

    def build(self, size: int) -> None:
        """Makes the variables for inputs of this size."""
        if self._variables:
            return
        width = self.blocks * self.units
        with layer_scope(self._name, self.default):
            self._variables["kernel"] = get_variable("kernel", [size, width])
            self._variables["recurrent"] = get_variable(
                "recurrent_kernel", [self.units, width], initializer=self._recurrent_initializer
            )
            self._make_biases(width)

    def _make_biases(self, width: int) -> None:
        self._variables["bias"] = get_variable("bias", [width], initializer="zeros")

    def zero_state(self, x: Tensor) -> Any:
        """The first state for a batch, [n, ...]."""
        return _zeros(x, self.units)

    def __call__(self, x: Any, state: Any) -> tuple[Tensor, Any]:
        """Output, [n, units], and the next state for an input [n, size]."""
        tensor = as_tensor(x)
        self.build(known_size(tensor, -1, self.default))
        return self._step(tensor, state)

    def _step(self, x: Tensor, state: Any) -> tuple[Tensor, Any]:
        h = df.tanh(x @ self._variables["kernel"] + state @ self._variables["recurrent"] + self._variables["bias"])
        return h, h


def _zeros(x: Tensor, units: int) -> Tensor:
    column = ops.zeros_like(x[:, :1])
    return ops.concatenate([column] * units, axis=1) if units > 1 else column


class RNNCell(_Cell):
    """tanh(x kernel + h recurrent_kernel + bias)."""


class GRUCell(_Cell):
    """A gated recurrent unit; the reset gate follows the product, as in Keras 2 and cuDNN."""

    blocks = 3
    default = "gru_cell"

    def _make_biases(self, width: int) -> None:
        self._variables["bias"] = get_variable("bias", [2, width], initializer="zeros")

    def _step(self, x: Tensor, state: Any) -> tuple[Tensor, Any]:
        own = self._variables
        bias = own["bias"].value()
        h = df.gru_cell(x, state, own["kernel"], own["recurrent"], bias[0], bias[1])
        return h, h


class LSTMCell(_Cell):
    """A long short-term memory; its state is (h, c). `forget_bias` is added to the forget gate, 1 as in TensorFlow 1; with
    `unit_forget_bias` that gate's bias begins as 1, as in Keras."""

    blocks = 4
    default = "lstm_cell"

    def __init__(
        self, units: int, forget_bias: float = 1.0, name: str | None = None, recurrent_initializer: Any = None,
        unit_forget_bias: bool = False,
    ) -> None:  # fmt: skip
        super().__init__(units, name, recurrent_initializer)
        self._forget_bias = float(forget_bias)
        self._unit_forget_bias = unit_forget_bias

    def _make_biases(self, width: int) -> None:
        if not self._unit_forget_bias:
            super()._make_biases(width)
            return
        start = np.zeros(width, np.float32)
        start[self.units : 2 * self.units] = 1
        self._variables["bias"] = get_variable("bias", [width], initializer=start)

    def zero_state(self, x: Tensor) -> Any:
        zeros = _zeros(x, self.units)
        return zeros, zeros

    def _step(self, x: Tensor, state: Any) -> tuple[Tensor, Any]:
        own = self._variables
        h, c = df.lstm_cell(
            x, state[0], state[1], own["kernel"], own["recurrent"], own["bias"], forget_bias=self._forget_bias
        )
        return h, (h, c)


def dynamic_rnn(
    cell: Any, inputs: Any, sequence_length: Any = None, initial_state: Any = None, time_major: bool = False
) -> tuple[Tensor, Any]:
    """Runs a cell over time.

    Args:
      cell: one of the cells of this module, or an object with build(size), zero_state(x) and (x, state) -> (output, state).
      inputs: [n, time, size], or [time, n, size] with time_major.
      sequence_length: int64 [n]: after it outputs are 0 and the state stays; None: all are as long as the inputs.
      initial_state: None: zeros.

    Returns:
      Outputs, [n, time, units] (or [time, n, units]), and the last state.
    """
    x = floats_of(inputs, "dynamic_rnn", 3)
    times = x if time_major else ops.transpose(x, [1, 0, 2])
    cell.build(known_size(x, -1, "dynamic_rnn"))
    first = times[0]
    state = cell.zero_state(first) if initial_state is None else initial_state
    if sequence_length is None:
        last, outputs = ops.scan(lambda s, row: tuple(reversed(cell(row, s))), times, state, outputs=True)
    else:
        lengths = ops.cast(sequence_length, "int64")
        counted = (ops.constant(0, "int64"), state)

        def step(carried: Any, row: Tensor) -> Any:
            t, before = carried
            output, after = cell(row, before)
            goes = ops.expand_dims(t < lengths, 1)
            kept = [ops.where(goes, a, b) for a, b in zip(flatten(after), flatten(before), strict=True)]
            return (t + 1, pack(before, kept)), ops.where(goes, output, ops.zeros_like(output))

        (_, last), outputs = ops.scan(step, times, counted, outputs=True)
    return outputs if time_major else ops.transpose(outputs, [1, 0, 2]), last
