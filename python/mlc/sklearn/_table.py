"""Tables as users pass them, made into the arrays that a network reads.

Numbers are standardized (mean 0, deviation 1 in training rows; through log1p first where `mlc spec init` would take it);
a missing one is the mean, and its column gets an indicator beside it. Categories become ids, with one for values that
training has not seen, or saw once. Sparse matrices of many columns stay sparse: each row is a list of ids with weights.
What a compiled model depends on are the numbers of columns and of categories alone.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse

from mlc import _engine
from mlc._frames import Values, Where, column_values, frame_columns
from mlc._values import is_missing
from mlc.sklearn._compat import check_matrix

_MOST_DENSE_COLUMNS, _MOST_DENSE_CELLS = 1024, 2**26
"""Columns and cells of a sparse matrix that is made dense; of more, rows stay lists of ids."""
_FLOAT32_MOST = float(np.finfo(np.float32).max)
_MISSING = object()
"""The category of rows without a value."""


class Rows(NamedTuple):
    """A table that was read: one of the fields is there."""

    matrix: np.ndarray | None = None
    """float64 or float32 [rows, columns]; NaN is missing."""
    sparse: Any = None
    """A CSR matrix of floats."""
    columns: list[np.ndarray] | None = None
    """Of each column float64 numbers, or an object array of categories, [rows]."""

    def __len__(self) -> int:
        if self.columns is not None:
            return len(self.columns[0])
        return int((self.sparse if self.matrix is None else self.matrix).shape[0])

    def taken(self, rows: np.ndarray) -> Rows:
        """The rows of these numbers."""
        if self.columns is not None:
            return Rows(columns=[column[rows] for column in self.columns])
        return Rows(matrix=self.matrix[rows]) if self.matrix is not None else Rows(sparse=self.sparse[rows])


def read_rows(X: Any, estimator: Any) -> Rows:
    """The table of what a user passes for X.

    Args:
      X: a DataFrame of pandas or polars, a pyarrow Table, an array, a sparse matrix, or lists of rows.
      estimator: for messages.

    Raises:
      ValueError, TypeError: as check_array of scikit-learn: no rows, one dimension, infinity, complex numbers.
      DataError: a column of a frame that is no number, text or category.
    """
    frame = _columns_of(X)
    if frame:
        columns = [_of_frame(value, name) for name, value in frame]
        if len(columns[0]) == 0:
            raise ValueError(f"Found array with 0 sample(s) (shape={(0, len(columns))}) while a minimum of 1 is required.")
        if all(column.dtype.kind == "f" for column in columns):
            return Rows(matrix=_checked(np.stack(columns, axis=1), estimator))
        for column in columns:
            if column.dtype.kind == "f":
                _checked(column[:, None], estimator)
        return Rows(columns=columns)
    if scipy.sparse.issparse(X):
        return Rows(sparse=_checked(X, estimator, accept_sparse="csr"))
    array = X if isinstance(X, np.ndarray) else np.asarray(X) if hasattr(X, "__array__") else X
    if isinstance(array, np.ma.MaskedArray):  # what is masked is missing
        is_number, missing = array.dtype.kind in "biuf", np.ma.getmaskarray(array)
        array = np.where(missing, np.nan if is_number else None, array.data.astype(np.float64 if is_number else object))
    if not isinstance(array, np.ndarray):
        array = _of_lists(array)
    if array.dtype.kind in "mM":
        raise ValueError(f"X is an array of {array.dtype}; expected numbers, texts or categories; convert it to one of them")
    if array.dtype.kind in "OUS" and array.ndim == 2 and array.size:
        columns = [_of_objects(column, f"column {number}") for number, column in enumerate(array.T)]
        if not all(column.dtype.kind == "f" for column in columns):
            return Rows(columns=columns)
        array = np.stack(columns, axis=1)
    return Rows(matrix=_checked(array, estimator))


def _columns_of(X: Any) -> list[tuple[str, Any]]:
    """Names and columns of a frame or table; none of anything else."""
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(X, pandas.DataFrame):  # two columns may have one name
        return [(str(name), X.iloc[:, place]) for place, name in enumerate(X.columns)]
    return list((frame_columns(X) or {}).items())


def _checked(X: Any, estimator: Any, **options: Any) -> Any:
    return check_matrix(X, estimator, "allow-nan", dtype=[np.float64, np.float32], **options)


def _of_lists(rows: Any) -> np.ndarray:
    array = np.asarray(rows)
    if array.dtype.kind in "US":  # numpy makes texts of numbers beside texts
        array = np.asarray(rows, dtype=object)
    return array


def _of_frame(value: Any, name: str) -> np.ndarray:
    """One column of a frame: float64 numbers with NaN, or categories."""
    where = Where(name)
    values = column_values(value, where) or Values(np.asarray(value))
    array, missing = values.array, values.missing
    if array.ndim != 1:
        raise where.error(f"a column of shape {array.shape[1:]}", "one value for each row")
    if array.dtype.kind in "mMVc":
        raise where.error(f"a column of {array.dtype}", "numbers, texts or categories; convert it to one of them")
    pandas = sys.modules.get("pandas")
    is_category = pandas is not None and isinstance(getattr(value, "dtype", None), pandas.CategoricalDtype)
    if array.dtype.kind in "biuf" and not is_category:
        numbers = array.astype(np.float64)
        if missing is not None:
            numbers[missing] = np.nan
        return numbers
    array = array.astype(object)
    if missing is not None:
        array[missing] = None
    return array if is_category else _of_objects(array, f"column '{name}'")


def _of_objects(column: np.ndarray, what: str) -> np.ndarray:
    """float64 if all that is there are numbers, else the column as objects. TypeError for what is no text or number."""
    listed = column.tolist()
    if all(isinstance(value, (int, float)) or is_missing(value) for value in listed):
        return np.array([np.nan if is_missing(value) else value for value in listed], dtype=np.float64)
    for row, value in enumerate(listed):
        if not isinstance(value, (str, bytes, int, float)) and not is_missing(value):
            kind = type(value).__name__
            raise TypeError(f"{what}, row {row}: argument must be a string or a number, not {kind!r}")
    return np.array(listed, dtype=object)


@dataclass
class Numbers:
    """How columns of numbers become inputs."""

    mean: np.ndarray
    scale: np.ndarray
    logs: np.ndarray
    """Indices of columns that go through log1p."""
    gaps: np.ndarray
    """Indices of columns that get an indicator of what is missing."""
    varying: int
    """Columns that have more than one value."""

    @property
    def width(self) -> int:
        """Inputs."""
        return len(self.mean) + len(self.gaps)

    @classmethod
    def of(cls, table: np.ndarray) -> Numbers:
        """Learns them of training rows, [rows, columns]."""
        table = table.astype(np.float64)
        missing = np.isnan(table)
        native = _engine.native_module()
        counts = np.maximum((~missing).sum(axis=0), 1)
        filled = np.where(missing, 0.0, table)
        least = np.where(missing, np.inf, table).min(axis=0, initial=np.inf)
        mean, scale, skew = _moments(filled, missing, counts)
        logs = np.array([i for i in range(table.shape[1]) if native.is_skewed(skew[i], least[i])], dtype=np.intp)
        if len(logs):
            filled[:, logs] = np.log1p(filled[:, logs])
            mean[logs], scale[logs], _ = _moments(filled[:, logs], missing[:, logs], counts[logs])
        varying = int((scale > 0).sum())
        return cls(mean, np.where(scale > 0, scale, 1.0), logs, np.flatnonzero(missing.any(axis=0)), varying)

    def inputs(self, table: np.ndarray) -> np.ndarray:
        """float32 [rows, width] of a table [rows, columns]."""
        if len(self.logs):
            table = table.astype(np.float64)
            table[:, self.logs] = np.log1p(np.maximum(table[:, self.logs], 0.0))
        scaled = (table - self.mean) / self.scale
        missing = np.isnan(scaled)
        has_missing = missing.any()
        if has_missing:
            scaled[missing] = 0.0
        if len(self.gaps):
            scaled = np.concatenate([scaled, missing[:, self.gaps]], axis=1)
        return np.clip(scaled, -_FLOAT32_MOST, _FLOAT32_MOST, out=scaled).astype(np.float32)


def _moments(filled: np.ndarray, missing: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Mean, deviation and skew of columns; missing values are filled with 0."""
    # Of parts of the largest number, whose squares are no infinity.
    largest = np.maximum(np.abs(filled).max(axis=0, initial=0.0), np.finfo(np.float64).tiny)
    part = filled / largest
    mean = part.sum(axis=0) / counts
    rest = np.where(missing, 0.0, part - mean)
    square = (rest**2).sum(axis=0) / counts
    square[square < 1e-24] = 0.0  # what rounding leaves of one value
    with np.errstate(all="ignore"):
        skew = np.where(square > 0, (rest**3).sum(axis=0) / counts / square**1.5, 0.0)
    return mean * largest, np.sqrt(square) * largest, skew


class Categories:
    """The ids of one column: 0 to n - 1 of values that training saw, n of all others."""

    def __init__(self, column: np.ndarray, few: int) -> None:
        """Learns them. Of more than `few` rows a value that comes once counts as one that was not seen."""
        counts = Counter(_keys(column))
        least = 2 if len(column) > few else 1
        self._ids = {key: i for i, key in enumerate(key for key, count in counts.items() if count >= least)}
        self._has_missing = self._ids.pop(_MISSING, None) is not None
        self._ids = {key: i for i, key in enumerate(self._ids)}

    def __len__(self) -> int:
        """Number of values, without the id of all others. 0: the column tells nothing."""
        return len(self._ids) + self._has_missing

    @property
    def has_numbers(self) -> bool:
        """Whether a value that training saw is a number."""
        return any(isinstance(key, (int, float)) for key in self._ids)

    def ids(self, column: np.ndarray) -> np.ndarray:
        """int64 [rows]."""
        other = len(self)
        missing = len(self._ids) if self._has_missing else other
        get = self._ids.get
        return np.array([missing if key is _MISSING else get(key, other) for key in _keys(column)], dtype=np.int64)


def _keys(column: np.ndarray) -> list[Any]:
    return [_MISSING if is_missing(value) else value for value in column.tolist()]


@dataclass
class Words:
    """How rows of a sparse matrix become lists of ids with weights."""

    place: np.ndarray
    """Id of each column, -1 of those that are left out."""
    scale: np.ndarray
    """What values of each column are divided by."""
    count: int
    """Number of ids."""
    is_positive: bool
    """No value that training saw is below 0."""

    @classmethod
    def of(cls, matrix: Any, few: int) -> Words:
        """Learns them of training rows. Of more than `few` rows a column with one value is left out."""
        nonzero = np.bincount(matrix.indices, minlength=matrix.shape[1])
        kept = np.flatnonzero(nonzero >= (2 if matrix.shape[0] > few else 1))
        place = np.full(matrix.shape[1], -1, dtype=np.int64)
        place[kept] = np.arange(len(kept))
        data = matrix.data.astype(np.float64)
        squares = np.bincount(matrix.indices, weights=data**2, minlength=matrix.shape[1])
        scale = np.sqrt(squares / np.maximum(nonzero, 1))
        return cls(place, np.where(scale > 0, scale, 1.0), max(len(kept), 1), bool((data >= 0).all()))

    def inputs(self, matrix: Any) -> tuple[np.ndarray, np.ndarray]:
        """int64 ids and float32 weights, [rows, k], as long as the longest row; -1 and 0 after the others."""
        ids = self.place[matrix.indices]
        weights = matrix.data / self.scale[matrix.indices]
        rows = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
        kept = (ids >= 0) & (weights != 0)
        ids, weights, rows = ids[kept], weights[kept], rows[kept]
        lengths = np.bincount(rows, minlength=matrix.shape[0])
        # Two at least: one value per row would be another kind of column.
        width = max(2, int(lengths.max(initial=0)))
        places = np.arange(len(ids)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        all_ids = np.full((matrix.shape[0], width), -1, dtype=np.int64)
        all_weights = np.zeros((matrix.shape[0], width), dtype=np.float32)
        all_ids[rows, places] = ids
        all_weights[rows, places] = np.clip(weights, -_FLOAT32_MOST, _FLOAT32_MOST)
        return all_ids, all_weights


def _is_small(matrix: Any) -> bool:
    """Whether a sparse matrix is made dense."""
    rows, columns = matrix.shape
    return bool(columns <= _MOST_DENSE_COLUMNS and rows * columns <= _MOST_DENSE_CELLS)


class TableEncoder:
    """Makes inputs of tables like the one that it learned of.

    Attributes:
      numbers: of the columns of numbers; None without one.
      categories: by index of the column.
      words: of a sparse matrix of many columns; None else.
    """

    def __init__(self, rows: Rows) -> None:
        few = _engine.native_module().FEW_CELLS
        self.words: Words | None = None
        self.numbers: Numbers | None = None
        self.categories: dict[int, Categories] = {}
        self._number_columns: list[int] | None = None
        if rows.sparse is not None and not _is_small(rows.sparse):
            self.words = Words.of(rows.sparse, few)
        elif rows.columns is not None:
            self._number_columns = [i for i, column in enumerate(rows.columns) if column.dtype.kind == "f"]
            if self._number_columns:
                self.numbers = Numbers.of(self._table(rows))
            found = {i: Categories(c, few) for i, c in enumerate(rows.columns) if c.dtype.kind != "f"}
            self.categories = {i: each for i, each in found.items() if len(each)}
            if not self.categories and self.numbers is None:  # nothing tells rows apart; the model learns the labels' mean
                self.categories = {min(found): found[min(found)]}
        else:
            self.numbers = Numbers.of(self._table(rows))

    def _table(self, rows: Rows) -> np.ndarray:
        """The columns of numbers, [rows, columns]."""
        if rows.matrix is not None:
            return rows.matrix
        if rows.sparse is not None:
            dense: np.ndarray = rows.sparse.toarray()
            return dense
        assert rows.columns is not None
        assert self._number_columns is not None
        return np.stack([rows.columns[i] for i in self._number_columns], axis=1)

    def inputs(self, rows: Rows, names: list[str]) -> dict[str, np.ndarray]:
        """Arrays of the network by the names of its columns: "x" numbers, "c0", ... categories, "words" and weights.

        Args:
          names: of the columns of the table, for messages.

        Raises ValueError: a column is of numbers where it was of categories in training, or the other way around.
        """
        if self.words is not None:
            matrix = rows.sparse if rows.sparse is not None else scipy.sparse.csr_matrix(self._dense(rows, names))
            if np.isnan(matrix.data).any():
                raise ValueError("Input X contains NaN; a sparse X of so many columns must have none")
            ids, weights = self.words.inputs(matrix)
            return {"words": ids, "word_weights": weights}
        if self._number_columns is None:
            assert self.numbers is not None
            return {"x": self.numbers.inputs(self._dense(rows, names))}
        columns = rows.columns
        if columns is None:
            table = self._dense(rows, names)
            columns = list(table.T)
        numbers, arrays = set(self._number_columns), {}
        for i, column in enumerate(columns):
            if i in numbers and column.dtype.kind != "f":
                raise ValueError(_other_kind(names[i], "categories", "numbers"))
        if self.numbers is not None:
            table = np.stack([columns[i] for i in self._number_columns], axis=1)
            arrays["x"] = self.numbers.inputs(table)
        for place, (i, each) in enumerate(self.categories.items()):
            if columns[i].dtype.kind == "f" and not each.has_numbers and not np.isnan(columns[i]).all():
                raise ValueError(_other_kind(names[i], "numbers", "categories"))
            arrays[f"c{place}"] = each.ids(columns[i])
        return arrays

    def quick_inputs(self, X: Any) -> dict[str, np.ndarray] | None:
        """inputs() of a finite array of floats, as it is when one row is predicted again and again; None of all else."""
        if type(X) is not np.ndarray or self.numbers is None or self._number_columns is not None or X.ndim != 2:
            return None
        if X.dtype.char not in "df" or X.shape[1] != len(self.numbers.mean) or len(X) == 0 or not np.isfinite(X.sum()):
            return None
        return {"x": self.numbers.inputs(X)}

    def _dense(self, rows: Rows, names: list[str]) -> np.ndarray:
        if rows.columns is not None:
            for name, column in zip(names, rows.columns, strict=True):
                if column.dtype.kind != "f":
                    raise ValueError(_other_kind(name, "categories", "numbers"))
            return np.stack(rows.columns, axis=1)
        return self._table(rows)


def _other_kind(name: str, found: str, expected: str) -> str:
    return f"column '{name}' has {found}; expected {expected}, as fit saw there"
