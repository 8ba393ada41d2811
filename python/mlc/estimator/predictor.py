"""class Predictor: predictions of one checkpoint again and again, without reading it anew."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from threading import get_ident
from typing import Any

import numpy as np

from mlc import _engine
from mlc.errors import DataError
from mlc.estimator._signature import SizesVary
from mlc.estimator.specs import ModeKeys


class _Rows:
    """The rows of a call that were converted, until they are taken.

    The native side keeps it: it must not lead to what keeps the native side, as nothing collects such a circle.
    """

    def __init__(self) -> None:
        self.given: dict[str, np.ndarray] | None = None

    def take(self) -> dict[str, np.ndarray] | None:
        taken, self.given = self.given, None
        return taken


class Predictor:
    """A model with the values of a checkpoint, which stay in memory: a call of one row takes microseconds.

        predictor = model.predictor()
        probabilities = predictor({"age": [39.0], "job": ["clerk"]})["probabilities"]

    For the thread that made it; others make their own. What is trained meanwhile changes nothing of it.

    Attributes:
      checkpoint: the directory of the checkpoint; None: initial values.
    """

    def __init__(self, model: Any, compiled: _engine.CompiledModel, columns: Any, options: dict[str, Any]) -> None:
        """See Estimator.predictor."""
        self._model, self._compiled, self._columns, self._options = model, compiled, columns, options
        self.checkpoint: str | None = options.get("checkpoint")
        self._thread = get_ident()
        self._rows = _Rows()
        self._predictions: _engine.Predictions | None = None
        self._open()

    def _open(self) -> _engine.Predictions:
        self._predictions = _engine.Predictions(self._compiled, self._options, self._rows.take, self._columns.direct)
        return self._predictions

    def __call__(self, features: Any) -> Any:
        """Predictions of rows: arrays by key, [rows, ...]; of a model_fn whose predictions are one Tensor such an array.

        Args:
          features: as an input_fn gives them: columns of equally many rows by key, one at least.

        Raises:
          DataError: data that the model cannot read.
          RuntimeError: another thread made it.
        """
        if get_ident() != self._thread:
            raise RuntimeError("a Predictor is of the thread that made it; make one in each thread")
        predictions = self._predictions or self._open()
        found = predictions.of(features)
        return self._model.predictions(self._converted(features) if found is None else found)

    def _converted(self, features: Any) -> dict[str, np.ndarray]:
        """Predictions of rows that are not ready as they are, or of which something is wrong."""
        try:
            arrays = self._columns.convert(features, None, needs_labels=False)
        except SizesVary as change:
            self._columns = self._model.generalized(change)
            self._compiled = self._model.compiled_again(self._columns, [ModeKeys.PREDICT], change)
            self._predictions = None
            arrays = self._columns.convert(features, None, needs_labels=False)
        if len(next(iter(arrays.values()))) == 0:
            raise DataError("features have no row; expected one at least")
        self._rows.given = arrays
        predictions = self._predictions or self._open()
        try:
            found = predictions.following()
        except BaseException:
            self._predictions = None  # what was begun has ended; the next call reads the checkpoint again
            raise
        assert found is not None  # there are rows
        return found
