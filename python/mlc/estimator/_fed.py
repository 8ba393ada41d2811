"""What hooks feed: values that a step gets in the place of columns of its batch."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from mlc._graph import Trace
from mlc.errors import DataError, UnsupportedError, did_you_mean
from mlc.tensor import Tensor


class Feeds:
    """The columns of a run's batches as keys of feeds: features and labels, by name or by the Tensor of a model_fn.

    Attributes:
      columns: what the batches are converted by, InputColumns or ArrayColumns.
    """

    def __init__(self) -> None:
        self.columns: Any = None
        self._trace: Trace | None = None
        self._tensors: Mapping[int, str] = {}

    def use_tensors(self, trace: Trace, names: Mapping[int, str]) -> None:
        """Tensors of a trace are columns, too: their names by the numbers of Tensors."""
        self._trace, self._tensors = trace, names

    def merged(self, feeds: Iterable[tuple[str, Mapping[Any, Any]]]) -> dict[str, np.ndarray]:
        """What several feed together, each with its name, as arrays of the native side by the names of columns.

        Raises:
          RuntimeError: two feed one column.
          DataError: a name of no column; a value of another dtype or shape than the column's.
          UnsupportedError: a Tensor that a step computes. TypeError: a key that is neither.
        """
        arrays: dict[str, np.ndarray] = {}
        feeders: dict[str, str] = {}
        for feeder, values in feeds:
            for key, value in values.items():
                column = self._column(feeder, key)
                if column.name in arrays:
                    raise RuntimeError(f"Same tensor is fed by two hooks: '{column.key}', by {feeders[column.name]} and {feeder}.")
                feeders[column.name] = feeder
                arrays[column.name] = self._converted(feeder, column, value)
        return arrays

    def _column(self, feeder: str, key: Any) -> Any:
        name = self._name(feeder, key)
        columns = [column for column in self.columns.columns if column.role != "rows"]
        # A label may be called as a feature is: its own name is another one.
        for found in ([c for c in columns if c.key == name], [c for c in columns if c.name == name]):
            if found:
                return found[0]
        known = [column.key for column in columns]
        hint = did_you_mean(name, known)
        raise DataError(
            f"{feeder}: feed_dict has the key '{key}', which is no feature or label of the batch; there are "
            + ", ".join(f"'{each}'" for each in known) + (f"; {hint}" if hint else ""), key=name,
        )  # fmt: skip

    def _name(self, feeder: str, key: Any) -> str:
        if isinstance(key, str):
            return key.removesuffix(":0")
        if not isinstance(key, Tensor):
            raise TypeError(f"{feeder}: feed_dict has the key {key!r}; expected the name or the Tensor of a feature or label")
        if key.trace is not self._trace or key.number not in self._tensors:
            raise UnsupportedError(f"{feeder}: feed_dict has {key!r}, which a step computes; expected a feature or a label of the batch")
        return self._tensors[key.number]

    def _converted(self, feeder: str, column: Any, value: Any) -> np.ndarray:
        try:
            array: np.ndarray = column.convert(value)
        except DataError as error:
            raise DataError(f"{feeder}: feed_dict: {error}", key=error.key, row=error.row) from None
        shape = getattr(column, "known_shape", None)  # of a model_fn's; others have checked it
        if shape is not None and any(said not in (None, size) for said, size in zip(shape, array.shape[1:], strict=True)):
            raise DataError(
                f"{feeder}: feed_dict: {column.role} '{column.key}': found rows of the shape {array.shape[1:]}; expected {shape}, "
                "as the batches have", key=column.key,
            )  # fmt: skip
        return array
