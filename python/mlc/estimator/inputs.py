"""numpy_input_fn and pandas_input_fn of tf.compat.v1.estimator.inputs."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from mlc.data import Dataset

if TYPE_CHECKING:
    import numpy
    import pandas

InputFn = Callable[[], Dataset]


def _check_shuffle(shuffle: Any) -> bool:
    if not isinstance(shuffle, bool):
        raise ValueError(
            "shuffle must be provided and explicitly set as boolean (it is recommended to set it as True for "
            f"training); got {shuffle}"
        )
    return shuffle


def _input_fn(features: Any, labels: Any, batch_size: int, num_epochs: int | None, shuffle: bool) -> InputFn:
    # Made once, so that wrong sizes are told here and not where the function is called.
    dataset = Dataset.from_arrays(features, labels)
    dataset = dataset.shuffle() if shuffle else dataset
    dataset = dataset.repeat(num_epochs).batch(batch_size)
    return lambda: dataset


def numpy_input_fn(
    x: numpy.ndarray | Mapping[str, numpy.ndarray],
    y: numpy.ndarray | None = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
) -> InputFn:
    """An input_fn of arrays.

    Args:
      x: a dict of arrays by key; all have the same number of rows, also as y.
      y: labels, or None.
      batch_size: rows of a batch.
      num_epochs: passes over the rows; None: without end.
      shuffle: a bool, which must be given: training takes the rows in a new order in each pass.
      queue_capacity, num_threads: of TensorFlow's queues; without effect.

    Returns:
      A function without arguments that returns a Dataset.

    Raises:
      ValueError: shuffle is no bool, x is an empty dict, or numbers of rows differ (DataError).
      TypeError: x is neither a dict nor an array.
    """
    _check_shuffle(shuffle)
    if isinstance(x, Mapping):
        if not x:
            raise ValueError("x cannot be an empty dict")
    elif not hasattr(x, "shape"):
        raise TypeError(f"x must be a dict or array; got {type(x).__name__}")
    return _input_fn(x, y, batch_size, num_epochs, bool(shuffle))


def pandas_input_fn(
    x: pandas.DataFrame,
    y: pandas.Series | pandas.DataFrame | None = None,
    batch_size: int = 128,
    num_epochs: int | None = 1,
    shuffle: bool | None = None,
    queue_capacity: int = 1000,
    num_threads: int = 1,
    target_column: str = "target",
) -> InputFn:
    """An input_fn of a DataFrame.

    Args:
      x: features, by the names of the columns.
      y: labels, with the index of x; or None.
      batch_size: rows of a batch.
      num_epochs: passes over the rows; None: without end.
      shuffle: a bool, which must be given: training takes the rows in a new order in each pass.
      queue_capacity, num_threads: of TensorFlow's queues; without effect.
      target_column: a name that x must not have: TensorFlow's name of y in its queue.

    Returns:
      A function without arguments that returns a Dataset.

    Raises:
      ValueError: shuffle is no bool, x has a column target_column, or the index of y is not that of x.
      TypeError: x is no DataFrame, or target_column no string.
    """
    if not (hasattr(x, "columns") and hasattr(x, "index")):
        raise TypeError(f"x must be a pandas DataFrame; got {type(x).__name__}")
    _check_shuffle(shuffle)
    if not isinstance(target_column, str):
        raise TypeError("target_column must be a string type")
    if y is not None:
        if target_column in x:
            raise ValueError(
                f"Cannot use name {target_column} for target column: DataFrame already has a column with that name: "
                f"{list(x.columns)}"
            )
        if not x.index.equals(y.index):
            raise ValueError(f"Index for x and y are mismatched.\nIndex for x: {x.index}\nIndex for y: {y.index}\n")
    features = {str(name): x[name] for name in x.columns}
    labels = {str(name): y[name] for name in y.columns} if y is not None and hasattr(y, "columns") else y
    return _input_fn(features, labels, batch_size, num_epochs, bool(shuffle))
