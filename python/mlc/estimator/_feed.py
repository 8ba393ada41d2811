"""Batches of an iterator for runs that follow one another: what one has and does not use, the next one gets."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import contextlib
import re
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from mlc.data import Batches
from mlc.data._dataset import FirstRows
from mlc.errors import DataError, UnsupportedError
from mlc.estimator._signature import ArrayColumns, SizesVary


_RECORD = re.compile(r"^record (\d+): ")
"""How the native side begins what it says of a row, which it counts from 1 in all batches of a run."""
_PLACES = 1024
"""Batches whose places among all rows are known: more than a run reads ahead."""


class BatchFeed:
    """Gives the columns of one batch after the other, as mlc._engine.NextBatch.

    Attributes:
      columns: what the batches are converted by.
      varied: set by a batch whose rows have other sizes, after which the run has to end: what it says, with the
        number of the batch.
      tracks: whether runs tell of the batches that are done: where another run may go on after one.
    """

    def __init__(self, columns: Any, batches: Batches, needs_labels: bool) -> None:
        """`columns`: with convert(features, labels, needs_labels), as InputColumns and ArrayColumns."""
        self.columns = columns
        self.tracks = isinstance(columns, ArrayColumns) and columns.have_sizes
        self.varied: SizesVary | None = None
        self.first_rows = FirstRows()
        self.on_varied: Callable[[], None] | None = None
        """Called where `varied` is set; what it raises goes to the run."""
        self._batches, self._needs_labels = batches, needs_labels
        self._count = 0
        self._places: deque[tuple[int, int, int]] = deque(maxlen=_PLACES)
        """Numbers of batches of this run, and of their first rows and those after the last, counted from 0."""
        self._again: deque[Any] = deque()
        self._given: deque[Any] = deque()
        """Those that the run has not done, as far as they are tracked."""

    def __call__(self) -> dict[str, np.ndarray] | None:
        """The columns of the next batch that has rows, None at the end. DataError names the batch."""
        while self.varied is None and (batch := self._take()) is not None:
            try:
                arrays: dict[str, np.ndarray] = self.columns.convert(*batch, needs_labels=self._needs_labels)
            except DataError as error:
                text = f"batch {self._count} of the input: {error}"
                raise DataError(text, key=error.key, row=error.row) from None
            except SizesVary as change:
                self._again.appendleft(batch)
                self.varied = SizesVary(change.columns, f"batch {self._count} of the input: {change.text}")
                self._count -= 1
                if self.on_varied is not None:
                    self.on_varied()
                return None
            rows = len(next(iter(arrays.values())))
            if rows > 0:
                self.first_rows.note(arrays)
                begin = self._places[-1][2] if self._places else 0
                self._places.append((self._count, begin, begin + rows))
                if self.tracks:
                    self._given.append(batch)
                return arrays
        return None

    def _take(self) -> Any:
        self._count += 1
        return self._again.popleft() if self._again else self._batches.next()

    @contextlib.contextmanager
    def naming(self) -> Iterator[None]:
        """A run within: what it finds wrong with a row is told with the number of the batch and of the row in it."""
        try:
            yield
        except DataError as error:
            found = next((match for m in error.messages if (match := _RECORD.match(str(m.get("message", ""))))), None)
            place = found and next((p for p in self._places if p[1] < int(found[1]) <= p[2]), None)
            if not found or place is None:
                raise
            row = int(found[1]) - 1 - place[1]
            text = f"batch {place[0]} of the input, row {row}: {error}"
            raise DataError(text, error.messages, error.exit_code, key=error.key, row=row) from None

    def refuse_other_sizes(self, text: str) -> None:
        """No run goes on after this one: a batch whose rows have other sizes is an UnsupportedError, with `text`."""

        def refuse() -> None:
            assert self.varied is not None
            raise UnsupportedError(f"{self.varied.text}: {text}")

        self.tracks, self.on_varied = False, refuse

    def done(self) -> None:
        """The run has done the first of the batches that it has."""
        if self.tracks:
            self._given.popleft()

    def go_on(self) -> None:
        """The next run begins with what the last one has and has not done, and takes rows of the sizes that came."""
        self._count -= len(self._given)
        self._places.clear()
        self._again.extendleft(reversed(self._given))
        self._given.clear()
        if self.varied is not None:
            self.columns, self.varied = self.varied.columns, None
