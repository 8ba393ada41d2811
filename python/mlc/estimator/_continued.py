"""Runs that go on with another module: for what hooks ask for later, and for rows whose sizes turn out to vary."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from mlc import _engine
from mlc._progress import Progress
from mlc.data._pieces import PieceBatches
from mlc.errors import UnsupportedError
from mlc.estimator._feed import BatchFeed
from mlc.estimator._fetches import PREFIX
from mlc.estimator._hooked import HookedRun, Suspended
from mlc.estimator._runs import eval_settings
from mlc.estimator.specs import ModeKeys

if TYPE_CHECKING:
    from mlc.estimator._canned_model import CannedModel
    from mlc.estimator._traced import TracedModel


@dataclass
class Work:
    """What train, evaluate or predict goes through.

    Attributes:
      model, columns, modes: what is compiled; the first of the modes is that of the hooks.
      data: columns of all rows, a BatchFeed, or files.
      data_from: of files that Python decodes, to train: the data from a step on.
      options: of the runs.
      hooked: sees the steps.
      eval_names: of eval sets.
      batch_size: rows of a batch of columns.
    """

    model: CannedModel | TracedModel
    columns: Any
    modes: list[str]
    data: _engine.Data | BatchFeed
    options: dict[str, Any]
    hooked: HookedRun
    eval_names: list[str] = field(default_factory=list)
    batch_size: int | None = None
    data_from: Callable[[int], _engine.Data] | None = None

    def compiled(self) -> _engine.CompiledModel:
        """The model for the first run."""
        self.hooked.feeds_of.columns = self.columns
        model = self.model.compiled(self.columns, self.modes, self.eval_names, self.hooked)
        if isinstance(self.data, BatchFeed):
            self.data.tracks |= self.hooked.has_hooks
        return model

    def compiled_again(self, before: _engine.CompiledModel) -> _engine.CompiledModel:
        """The model for the next run, which goes on after the steps that are done; `before`: that of the last one.

        UnsupportedError: an evaluation or prediction of files, which are read from their beginning.
        """
        if self.modes[0] != ModeKeys.TRAIN and not isinstance(self.data, (Mapping, BatchFeed)):
            raise UnsupportedError(
                f"a hook fetches {self.hooked.wanted!r} after batch {self.hooked.done} of files, and did not before: "
                "expected all fetches in the first before_run"
            )
        varied = self.data.varied if isinstance(self.data, BatchFeed) else None
        self.hooked.go_on()
        model: TracedModel = self.model  # type: ignore[assignment]  # what a canned one gives and takes is fixed
        if varied is None:
            return model.grown(self.hooked) if self.hooked.wanted else before
        self.columns = self.hooked.feeds_of.columns = model.generalized(varied)
        if self.modes[0] == ModeKeys.TRAIN:
            model.keep_columns(self.columns)
        return model.compiled_again(self.columns, self.modes, varied, self.eval_names, self.hooked)

    def naming(self) -> contextlib.AbstractContextManager[None]:
        """A run within tells the batch of a row that is wrong."""
        return self.data.naming() if isinstance(self.data, BatchFeed) else contextlib.nullcontext()

    @property
    def is_interrupted(self) -> bool:
        """Whether the run ended since it has to go on with another module."""
        return bool(self.hooked.wanted) or (isinstance(self.data, BatchFeed) and self.data.varied is not None)

    def rows(self, epochs: int | None) -> int | None:
        """The number of rows that so many passes have; None: that is not known."""
        if epochs is None or not isinstance(self.data, Mapping):
            return None
        return epochs * len(next(iter(self.data.values())))

    def observer(self) -> HookedRun | None:
        """What the run tells of its steps."""
        return self.hooked if self.hooked.sees_steps else None


def train(
    work: Work, compiled: _engine.CompiledModel, eval_data: Mapping[str, _engine.Columns], on_event: _engine.EventHandler
) -> None:
    """Trains. `compiled`: of work.compiled()."""
    if isinstance(work.data, BatchFeed):
        work.data.on_varied = work.hooked.suspend
    while True:
        begin = work.hooked.step
        with work.naming():
            outcome = _engine.train(compiled, work.options, work.data, eval_data, on_event, work.observer())
        if outcome["reason"] != "suspended":
            break
        if "steps" in work.options:
            work.options["steps"] -= outcome["step"] - begin
        compiled = work.compiled_again(compiled)
        if work.data_from is not None:
            work.data = work.data_from(outcome["step"])
    work.hooked.end()


def evaluate(
    work: Work,
    batches: int | None,
    state: Mapping[str, np.ndarray] | None = None,
    step: int | None = None,
    settings: Sequence[str] = (),
) -> dict[str, Any]:
    """The metrics over `batches` batches.

    Args:
      batches: those of the settings; None: to the input's end.
      state, step: as of _engine.evaluate, of a model that no checkpoint has.
      settings: those of the options that do not say how many batches there are.
    """
    hooked = work.hooked
    if isinstance(work.data, BatchFeed):
        work.data.on_varied = hooked.suspend
    compiled = work.compiled()
    data, given = work.data, state
    while True:
        try:
            with work.naming():
                metrics = _engine.evaluate(compiled, work.options, data, work.observer(), given, step)
            break
        except Suspended:
            compiled = work.compiled_again(compiled)
            given = {**(state or {}), **hooked.metrics}
            left = None if batches is None else batches - hooked.done
            work.options["settings"] = [*settings, *eval_settings(None, work.batch_size, left)]
            data = _left(work)
    hooked.end()
    return metrics


def predict(work: Work, epochs: int | None) -> Iterator[dict[str, np.ndarray]]:
    """The predictions, a batch at a time, of so many passes over the data (None: without end)."""
    hooked = work.hooked
    compiled = work.compiled()
    rest = work.data
    stops, epoch, rows = False, 0, 0
    with Progress("predict", "rows", work.rows(epochs)) as shown:
        while not stops and (epochs is None or epoch < epochs):
            if isinstance(rest, PieceBatches):
                rest.rewind()
            feed = hooked.feed if hooked.feeds else None
            observation = hooked.observation if hooked.has_hooks else None
            predictions = _engine.Predictions(compiled, work.options, rest, feed=feed, observation=observation)

            def following(predictions: _engine.Predictions = predictions) -> dict[str, np.ndarray] | None:
                with work.naming():
                    return predictions.following()

            while not stops and (batch := following()) is not None:
                stops = hooked.after_batch(batch)
                rows += len(next(iter(batch.values())))
                shown.at(rows)
                yield {name: value for name, value in batch.items() if not name.startswith(PREFIX)}
                stops = stops or hooked.before_batch()
                if hooked.wanted:
                    break
            if work.is_interrupted and not stops:
                compiled = work.compiled_again(compiled)
                rest = _left(work)
            else:
                epoch += 1
                rest = work.data
    hooked.end()


def _left(work: Work) -> Mapping[str, np.ndarray] | BatchFeed:
    """What the batches that are done leave."""
    if isinstance(work.data, BatchFeed):
        return work.data
    assert isinstance(work.data, Mapping)
    assert work.batch_size is not None
    count = len(next(iter(work.data.values())))
    batches = work.hooked.done % max(1, -(-count // work.batch_size))
    return {name: column[batches * work.batch_size :] for name, column in work.data.items()}
