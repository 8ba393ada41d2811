"""Helpers of class Estimator: what an input_fn returns, options of runs, predictions row by row."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import functools
import inspect
import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from mlc._engine import Data
from mlc.data import Batches, Dataset, FileDataset, PieceDataset, constant
from mlc.data._dataset import FirstRows
from mlc.data._pieces import Convert, Order, PieceBatches
from mlc.errors import DataError
from mlc.estimator._feed import BatchFeed
from mlc.estimator._signature import ArrayColumns, SizesVary
from mlc.estimator.exporters import Exporter
from mlc.estimator.run_config import RunConfig

_ENDLESS = 2**62

# Input


def _argument_names(function: Callable[..., Any]) -> set[str]:
    """Names of arguments that a call can give."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except ValueError:  # some callables written in C tell nothing
        return set()
    bound = function.keywords if isinstance(function, functools.partial) else {}
    named = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {p.name for p in parameters if p.kind in named and p.name not in bound}


def call_input_fn(
    input_fn: Callable[..., Any], mode: str, params: Mapping[str, Any], config: RunConfig
) -> Dataset | Batches:
    """What `input_fn` returns, as a Dataset with batches; an iterator, as a generator is, as Batches.

    Args:
      input_fn: gets those of the arguments mode, params and config that it has.

    Raises:
      ValueError: a tuple of another length than 2, or a Dataset without batches.
      DataError: features and labels with different numbers of rows.
    """
    names = _argument_names(input_fn)
    values = {"mode": mode, "params": dict(params), "config": config}
    result = input_fn(**{name: value for name, value in values.items() if name in names})
    if isinstance(result, Dataset):
        if result.batch_size is None:
            raise ValueError("input_fn returned a Dataset without batches; end it with .batch(n)")
        return result
    if isinstance(result, Batches):
        return result
    if isinstance(result, Iterator):
        return Batches(result)
    if isinstance(result, (list, tuple)):
        if len(result) != 2:
            raise ValueError("input_fn should return (features, labels) as a len 2 tuple.")
        return constant(*result)
    return constant(result, None)


def converted(columns: Any, dataset: Dataset, needs_labels: bool) -> tuple[Any, dict[str, np.ndarray]]:
    """The columns of a Dataset as arrays of the native side, and what they are converted by: `columns` (InputColumns, or
    ArrayColumns), with unknown sizes where rows have others."""
    labels = dataset.labels if needs_labels else None
    if isinstance(columns, ArrayColumns):
        return columns.fitted(dataset.features, labels, needs_labels)
    return columns, columns.convert(dataset.features, labels, needs_labels=needs_labels)


def _of_pieces(columns: Any, needs_labels: bool) -> Convert:
    """What makes arrays of the native side of pieces. DataError where their rows have other sizes than the first."""

    def convert(features: Mapping[str, Any], labels: Any) -> dict[str, np.ndarray]:
        try:
            return columns.convert(features, labels, needs_labels=needs_labels)  # type: ignore[no-any-return]
        except SizesVary as change:
            raise DataError(change.text) from None

    return convert


def train_data(columns: Any, dataset: Dataset | Batches, begin: int, seed: int | None) -> tuple[Any, Data]:
    """What a run of training over `dataset` reads, and what it is converted by, as of `converted`.

    Args:
      begin: the global step from which the run goes on.
      seed: of the run.
    """
    if isinstance(dataset, PieceDataset):
        order = Order(begin, (seed or 0) if dataset.shuffled else None, dataset.buffer_rows)
        return columns, dataset.batches(_of_pieces(columns, needs_labels=True), columns.keys, None, order)
    if isinstance(dataset, Batches):
        return columns, BatchFeed(columns, dataset, needs_labels=True)
    if isinstance(dataset, FileDataset):
        return columns, columns.source(dataset, needs_labels=True, passes=dataset.epochs)
    return converted(columns, dataset, needs_labels=True)


def eval_data(columns: Any, dataset: Dataset, steps: int | None) -> tuple[Any, Data, int | None]:
    """What an evaluation over `steps` batches of `dataset` (None: all) reads, what it is converted by, and in how many
    batches (None: all).

    Raises:
      ValueError: nothing ends it.
      DataError: the input has no batch.
    """
    if not isinstance(dataset, (FileDataset, PieceDataset)):
        columns, rows = converted(columns, dataset, needs_labels=True)
        return columns, *evaluation_rows(rows, dataset, steps)
    if steps is None:
        require_end(dataset)
    # Several passes have the metrics of one.
    passes = 1 if steps is None else dataset.epochs
    if isinstance(dataset, FileDataset):
        return columns, columns.source(dataset, needs_labels=True, passes=passes), steps
    _require_batch(dataset)
    return columns, dataset.batches(_of_pieces(columns, needs_labels=True), columns.keys, passes), steps


def predict_data(columns: Any, dataset: Dataset | Batches) -> tuple[Any, Data]:
    """What one pass of predictions over `dataset` reads, and what it is converted by, as of `converted`."""
    if isinstance(dataset, Batches):
        return columns, BatchFeed(columns, dataset, needs_labels=False)
    if isinstance(dataset, FileDataset):
        return columns, columns.source(dataset, needs_labels=False, passes=1)
    if isinstance(dataset, PieceDataset):
        return columns, dataset.batches(_of_pieces(columns, needs_labels=False), columns.keys, 1)
    columns, rows = converted(columns, dataset, needs_labels=False)
    return columns, whole_batches(rows, dataset)


def first_rows(data: Data) -> FirstRows | Data:
    """What golden rows of exports are made of, after a run has read `data`."""
    if isinstance(data, (BatchFeed, PieceBatches)):
        return data.first_rows
    if not isinstance(data, Mapping):
        return data
    rows = FirstRows()
    rows.note(data)
    return rows


# Options


def settings_of(values: Mapping[str, Any]) -> list[str]:
    """Settings of a run, "path=value", of the spec's messages Train and RunConfig."""
    train = ("shuffle", "drop_remainder")
    texts = {name: str(value).lower() if isinstance(value, bool) else repr(value) for name, value in values.items()}
    return [f"{'train' if name in train else 'run_config'}.{name}={text}" for name, text in texts.items()]


def train_options(
    config: RunConfig, dataset: Dataset | Batches, begin: int, steps: int | None, max_steps: int | None
) -> dict[str, Any]:
    """Options of a run of training over `dataset`, see _engine.train.

    The end of the input is a number of steps, too: as in TensorFlow each call goes through it anew, while the runtime
    counts the passes of all calls.

    Args:
      begin: the global step from which the run goes on.
      steps, max_steps: as of Estimator.train.

    Raises:
      DataError: the input has no batch.
    """
    if isinstance(dataset, Batches):
        options = {"model_dir": config.model_dir, "settings": settings_of(config.run_settings())}
        options |= {name: value for name, value in (("steps", steps), ("max_steps", max_steps)) if value is not None}
        return options if config.tf_random_seed is None else options | {"seed": config.tf_random_seed}
    values = {**config.run_settings(), "shuffle": dataset.shuffled, "drop_remainder": dataset.drop_remainder}
    options = {
        "model_dir": config.model_dir,
        "batch_size": dataset.batch_size,
        "settings": settings_of(values),
    }
    seed = run_seed(config, dataset)
    options |= {} if seed is None else {"seed": seed}
    if isinstance(dataset, FileDataset):  # whose end the runtime finds
        if steps is not None:
            options["steps"] = steps
        elif max_steps is not None or dataset.epochs is None:
            options["max_steps"] = _ENDLESS if max_steps is None else max_steps
        return options
    _require_batch(dataset)
    if dataset.epochs is not None:
        limit = dataset.epochs * dataset.batches_per_epoch
        if max_steps is not None:
            limit = min(limit, max_steps - begin)
        options["steps"] = limit if steps is None else min(limit, steps)
    elif steps is not None:
        options["steps"] = steps
    else:
        options["max_steps"] = _ENDLESS if max_steps is None else max_steps
    return options


def run_seed(config: RunConfig, dataset: Dataset | Batches) -> int | None:
    """The seed of a run: that of the RunConfig, or else of the Dataset."""
    if config.tf_random_seed is not None or isinstance(dataset, Batches):
        return config.tf_random_seed
    return dataset.seed


def _require_batch(dataset: Dataset) -> None:
    if dataset.batches_per_epoch == 0:
        dropped = f", and the short last one of {dataset.batch_size} is dropped" if len(dataset) else ""
        raise DataError(f"the input has no batch: it has {len(dataset)} rows{dropped}")


def require_end(dataset: Dataset | Batches) -> None:
    """ValueError: the input goes on without end."""
    if dataset.epochs is None:
        raise ValueError("the input has no end: give `steps`, or leave repeat() out")


def evaluation_rows(
    data: Mapping[str, np.ndarray], dataset: Dataset, steps: int | None
) -> tuple[dict[str, np.ndarray], int | None]:
    """The columns that an evaluation over `steps` batches of `dataset` (None: all) goes through once, and in how many
    batches (None: all).

    Raises:
      ValueError: nothing ends it.
      DataError: the input has no batch.
    """
    _require_batch(dataset)
    rows = whole_batches(data, dataset)
    if dataset.is_constant:
        return rows, None  # the same batch again and again has the metrics of one
    if steps is None:
        require_end(dataset)
        return rows, None  # several passes have the metrics of one
    batches = dataset.batches_per_epoch
    passes = -(-steps // batches)
    if dataset.epochs is not None and passes > dataset.epochs:
        return rows, None
    if passes == 1:
        return rows, steps
    if steps % batches == 0:
        return rows, None
    assert dataset.batch_size is not None
    count = min(len(next(iter(rows.values()))), (steps % batches) * dataset.batch_size)
    return {n: np.concatenate([*[column] * (passes - 1), column[:count]]) for n, column in rows.items()}, None


def eval_settings(
    name: str | None, batch_size: int | None, steps: int | None, exporters: Sequence[Exporter] = ()
) -> list[str]:
    """Settings of the eval set `name` (None: the unnamed one).

    Args:
      batch_size: rows of a batch; None: those that the input gives.
      steps: batches; None: all.
      exporters: what exports after the evaluation.
    """
    path = f"eval.{name}" if name else "eval"
    settings = [] if batch_size is None else [f"{path}.batch_size={batch_size}"]
    if steps is not None:
        settings.append(f"{path}.steps={steps}")
    for number, exporter in enumerate(exporters):
        settings += [f"{path}.exporter.{number}.{field}={value}" for field, value in exporter.settings().items()]
    return settings


def whole_batches(data: Mapping[str, np.ndarray], dataset: Dataset) -> dict[str, np.ndarray]:
    """The columns, without the rows of a short last batch if the Dataset leaves it out."""
    if not dataset.drop_remainder:
        return dict(data)
    assert dataset.batch_size is not None
    rows = dataset.batches_per_epoch * dataset.batch_size
    return {name: column[:rows] for name, column in data.items()}


def checkpoint_directory(model_dir: str, step: int) -> str:
    """The path of a checkpoint."""
    return os.path.join(model_dir, f"ckpt-{step:010d}")


# Predictions


def element_name(metric: str, place: Sequence[int]) -> str:
    """The name of an element of a metric that is an array; of a scalar its own."""
    return f"{metric}[{','.join(map(str, place))}]" if place else metric


_ELEMENT = re.compile(r"(.+)\[(\d+(?:,\d+)*)\]")


def metrics_of(told: Mapping[str, Any]) -> dict[str, Any]:
    """Metrics of what a run tells, with arrays in the place of their elements."""
    found: dict[str, Any] = {}
    arrays: dict[str, dict[tuple[int, ...], Any]] = {}
    for name, value in told.items():
        element = _ELEMENT.fullmatch(name)
        if element is None:
            found[name] = value
        else:
            arrays.setdefault(element[1], {})[tuple(map(int, element[2].split(",")))] = value
    for name, elements in arrays.items():
        found[name] = np.zeros([1 + max(sizes) for sizes in zip(*elements, strict=True)])
        for place, value in elements.items():
            found[name][place] = value
    return found


def select_predictions(batch: Mapping[str, np.ndarray], keys: Iterable[str] | None) -> dict[str, np.ndarray]:
    """The predictions of a batch that are asked for (None: all). Raises ValueError if it has none of `keys`."""
    if keys is None:
        return dict(batch)
    keys = list(keys)
    selected = {key: value for key, value in batch.items() if key in keys}
    if not selected:
        raise ValueError(f"Expected to run at least one output from {sorted(batch)}, provided {keys}.")
    return selected


def rows_of(batch: Mapping[str, np.ndarray]) -> Iterator[dict[str, Any]]:
    """The rows of a batch, a dict for each."""
    for row in range(len(next(iter(batch.values())))):
        yield {key: value[row] for key, value in batch.items()}
