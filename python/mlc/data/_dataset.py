"""Datasets of arrays, how to go through them, and batches of iterators."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import operator
import os
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from mlc._frames import frame_columns
from mlc.errors import DataError, UnsupportedError, did_you_mean

if TYPE_CHECKING:
    import numpy as np

    from mlc.data._files import FileDataset, FilePattern
    from mlc.data._pieces import PieceDataset


def _check_count(value: Any, what: str) -> int:
    number = operator.index(value)
    if number < 1:
        raise ValueError(f"{what} must be at least 1; found {value!r}")
    return number


def _rows(features: Any, labels: Any) -> int:
    """The number of rows, which all columns have. DataError names one that has another."""
    columns: dict[str, Any]
    if isinstance(features, Mapping):
        columns = {f"feature '{key}'": value for key, value in features.items()}
    else:
        columns = {"features": features}
    if isinstance(labels, Mapping):
        columns |= {f"label '{key}'": value for key, value in labels.items()}
    elif labels is not None:
        columns["labels"] = labels
    first: tuple[str, int] | None = None
    for what, value in columns.items():
        try:
            rows = len(value)
        except TypeError:
            from mlc._values import describe  # where something is wrong

            raise DataError(f"{what}: found {describe(value)}; expected one value for each row") from None
        if first is not None and rows != first[1]:
            raise DataError(f"{what} has {rows} rows; expected {first[1]}, as {first[0]} has")
        first = first or (what, rows)
    if first is None:
        raise DataError("there are no features; expected a dict with a column at least")
    return first[1]


LabelName = str | Mapping[str, str]
"""The column of labels, or of several labels the columns by the keys of labels."""


def pop_label(columns: dict[str, Any], name: LabelName, source: str) -> Any:
    """Takes the column of labels, or of each label, out of `columns`.

    DataError if there is none of that name; `source` starts its text. ValueError if two labels are of one column.
    """
    if isinstance(name, Mapping):
        if not name:
            raise ValueError("label_name is an empty dict; expected the columns of labels by their keys")
        for each in name.values():
            if list(name.values()).count(each) > 1:
                raise ValueError(f"label_name: two labels are of the column '{each}'; expected one of each")
        return {key: pop_label(columns, each, source) for key, each in name.items()}
    if name not in columns:
        hint = did_you_mean(name, columns)
        found = ", ".join(f"'{each}'" for each in columns)
        text = f"{source} no column '{name}' for labels; found {found}"
        raise DataError(text + (f"; {hint}" if hint else ""), key=name)
    return columns.pop(name)


def label_columns(name: LabelName | None) -> tuple[str, ...]:
    """The columns of labels."""
    return () if name is None else (name,) if isinstance(name, str) else tuple(name.values())


@dataclass(frozen=True, eq=False)
class Dataset:
    """Rows of features and labels, their order and their batches. Immutable: each method returns another Dataset.

    Batches are those of one pass over the rows: the last batch of a pass is shorter where the size does not divide the
    rows (batch(n, drop_remainder=True) leaves it out), also where repeat() stands before batch().
    """

    features: Any
    """Columns by key (arrays of numpy, lists, columns of pandas, polars or pyarrow), all with the same number of rows."""
    labels: Any = None
    """One column, or None."""
    batch_size: int | None = None
    """Rows of a batch; None until batch() was called."""
    epochs: int | None = 1
    """Passes over the rows; None: without end."""
    shuffled: bool = False
    """Training takes the rows in a new order in each pass. Evaluation and prediction keep the order of the rows."""
    seed: int | None = None
    """Of that order, where RunConfig has no tf_random_seed."""
    drop_remainder: bool = False
    """The short last batch of a pass is left out."""
    is_constant: bool = False
    """All rows are one batch, which is given again in each step: what an input_fn means that returns plain arrays."""

    def __post_init__(self) -> None:
        _rows(self.features, self.labels)

    def __len__(self) -> int:
        """Number of rows."""
        return _rows(self.features, self.labels)

    @classmethod
    def from_arrays(cls, features: Any, labels: Any = None) -> Dataset:
        """A Dataset of columns.

        Args:
          features: a dict of columns by key. Weights of rows are such a column, too: the model's weight_column.
          labels: a column; None where there are none, for predictions.

        Raises:
          DataError: columns with different numbers of rows.
        """
        return cls(dict(features) if isinstance(features, Mapping) else features, labels)

    @classmethod
    def from_tensor_slices(cls, tensors: Any) -> Dataset:
        """As from_arrays: `tensors` is (features, labels), or features alone."""
        if isinstance(tensors, tuple):
            if len(tensors) != 2:
                raise ValueError(f"expected (features, labels) or features; found a tuple of {len(tensors)}")
            return cls.from_arrays(*tensors)
        return cls.from_arrays(tensors)

    @classmethod
    def from_frame(cls, frame: Any, label: str | Any = None) -> Dataset:
        """The columns of a data frame or table.

        Args:
          frame: features, by the names of its columns: a DataFrame of pandas or polars, or a Table or RecordBatch of
            pyarrow.
          label: name of the column of labels, which then is no feature, or a dict of names by the keys of labels; or the
            labels; None: there are none.

        Raises:
          TypeError: frame is none of them.
          DataError: no column has that name, or two columns of a Table have one name.
        """
        columns = frame_columns(frame)
        if columns is None:
            expected = "a DataFrame of pandas or polars, or a Table of pyarrow"
            raise TypeError(f"frame must be {expected}; found a {type(frame).__name__}")
        names = list(label.values()) if isinstance(label, Mapping) else [label]
        if not all(isinstance(name, str) for name in names):
            return cls(columns, label)
        return cls(columns, pop_label(columns, label, "the frame has"))

    @staticmethod
    def from_csv(
        file_pattern: FilePattern,
        label_name: LabelName | None = None,
        *,
        column_names: Sequence[str] | None = None,
        column_defaults: Sequence[Any] | Mapping[str, Any] | None = None,
        select_columns: Sequence[str | int] | None = None,
        field_delim: str = ",",
        use_quote_delim: bool = True,
        na_value: str | Iterable[str] = "",
        header: bool = True,
        skip_initial_space: bool = False,
        comment: Iterable[str] = (),
        skip_lines: int = 0,
        separators: Mapping[str, str] | None = None,
        strip: str | Mapping[str, str] = "",
        compression_type: str | None = None,
        max_bad_rows: int = 0,
        num_rows_for_inference: int | None = 100,
    ) -> FileDataset:
        """The rows of CSV files, which the runtime reads: as one text by the path of each, packed ones unpacked.

        Feature columns tell how cells are read. A type that is inferred counts where no feature column is: in a
        model_fn, and for labels.

        Args:
          file_pattern: a path, a pattern such as "train-*.csv", or a list of them.
          label_name: the column of labels, which then is no feature, or a dict of columns by the keys of labels, as a
            MultiHead has them by the names of its heads; None: there are none.
          column_names: of all fields of a row, without a header, or in the place of its names.
          column_defaults: by name, or a list with one for each column: a value, which stands for a missing one and
            tells the type, or a dtype. Without one a missing number is an error, unless its numeric_column has a
            default_value, and a missing text is none.
          select_columns: names or numbers of the columns to read; None: all.
          field_delim, use_quote_delim: one character between fields, and whether fields may stand in double quotes.
          na_value: a text that is a missing value, or several; besides the empty one.
          header: the first row names the columns.
          skip_initial_space: blanks after a delimiter are no part of the field.
          comment: lines that begin with one of these are no rows.
          skip_lines: lines at the start of each file, before the header.
          separators: by name, of columns with any number of values in a cell: what stands between values ("|").
          strip: characters that are cut from both ends of each cell, as " '" or "$%"; or such texts by name.
          compression_type: None: by the first bytes of each file; or "GZIP", "ZSTD", "NONE".
          max_bad_rows: rows with an error that are left out, and counted, before one ends the run.
          num_rows_for_inference: rows that types are inferred from; None: all.

        Raises:
          DataError: no file matches, a column is not there, or a first row has another number of fields.
        """
        from mlc.data._csv import csv_dataset

        return csv_dataset(
            file_pattern,
            label_name,
            column_names=column_names,
            column_defaults=column_defaults,
            select_columns=select_columns,
            field_delim=field_delim,
            use_quote_delim=use_quote_delim,
            na_value=na_value,
            header=header,
            skip_initial_space=skip_initial_space,
            comment=comment,
            skip_lines=skip_lines,
            separators=separators,
            strip=strip,
            compression_type=compression_type,
            max_bad_rows=max_bad_rows,
            num_rows_for_inference=num_rows_for_inference,
        )

    @staticmethod
    def from_tfrecord(
        file_pattern: FilePattern,
        features: Mapping[str, Any],
        label_key: LabelName | None = None,
        *,
        sequence_features: Mapping[str, Any] | None = None,
        compression_type: str | None = None,
    ) -> Dataset:
        """The tf.Examples of TFRecord files, which the runtime reads; or the tf.SequenceExamples, which Python decodes, in
        threads, about a megabyte at a time.

        Batches of SequenceExamples have rows of any numbers of steps. So have those of tf.Examples with a SparseFeature,
        which Python decodes, too. A shuffled pass takes the pieces in another order and mixes the rows of neighbours, as of
        from_parquet; a `train` that goes on begins with the batch that follows.

        Args:
          file_pattern: a path, a pattern, or a list of them.
          features: a parsing spec, as feature_column.make_parse_example_spec makes it: FixedLenFeature, VarLenFeature and
            SparseFeature of mlc.io by key; of SequenceExamples that of their context.
          sequence_features: the records are tf.SequenceExamples: FixedLenSequenceFeature and VarLenFeature by key, of each
            step.
          label_key: the feature that is the label, or a dict of features by the keys of labels; None: there are none.
          compression_type: None: by the first bytes of each file; or "GZIP", "ZSTD", "NONE".

        Raises:
          DataError: no file matches, or `features` has no label_key. Of records that Python decodes also one that is
            damaged; what a batch lacks, or has of another kind, is told when it is read, with file and number of the record.
          UnsupportedError: a feature of another kind.
        """
        from mlc.data._tfrecord import tfrecord_dataset

        return tfrecord_dataset(
            file_pattern, features, label_key, sequence_features=sequence_features, compression_type=compression_type
        )

    @staticmethod
    def from_parquet(
        path: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
        label_name: LabelName | None = None,
        *,
        columns: Sequence[str] | None = None,
        filesystem: Any = None,
        partitioning: Any = "hive",
    ) -> PieceDataset:
        """The rows of Parquet files, by pyarrow: row groups are decoded in threads, a few ahead of the step.

        Columns that a canned Estimator does not read are not decoded. A run that goes on with a model_dir begins where
        its step is, if batch size and data are those of before.

        Args:
          path: a file, the directory of a partitioned dataset, whose keys are columns, or a list of files. One with a
            scheme is opened by fsspec.
          label_name: the column of labels, which then is no feature, or a dict of columns by the keys of labels, as a
            MultiHead has them by the names of its heads; None: there are none.
          columns: those to read; None: all. A model_fn gets all that are read.
          filesystem: of pyarrow.fs or fsspec, if it is another than the path says.
          partitioning: as of pyarrow.dataset.dataset.

        Raises:
          DataError: no file, no row, no such column, or a file that is damaged.
          ImportError: pyarrow, or fsspec for a path with a scheme, is not installed.
        """
        from mlc.data._parquet import parquet_dataset

        return parquet_dataset(path, label_name, columns=columns, filesystem=filesystem, partitioning=partitioning)

    @staticmethod
    def from_libsvm(
        file_pattern: FilePattern, n_features: int | None = None, *, zero_based: bool = False
    ) -> PieceDataset:
        """The rows of LibSVM files, "label index:value ...": parsed in threads, a few megabytes ahead of the step.

        Args:
          file_pattern: a path, a pattern, or a list of them.
          n_features: of each row: the feature "features" has so many numbers, those that a line leaves out are 0. None:
            the features are "indices", any number of integers from 0 on, and "values": a
            categorical_column_with_identity and its weights.
          zero_based: indices of the files begin with 0; else with 1.

        Raises:
          DataError: no file, no row, or a line that is none, with its number.
        """
        from mlc.data._libsvm import libsvm_dataset

        return libsvm_dataset(file_pattern, n_features, zero_based=zero_based)

    def shuffle(
        self, buffer_size: int | None = None, seed: int | None = None, reshuffle_each_iteration: bool | None = None
    ) -> Dataset:
        """The rows in another order in each pass of training.

        Args:
          buffer_size: as in tf.data, but without effect: all rows are shuffled.
          seed: of the order. RunConfig's tf_random_seed goes before it: a run has one seed.
          reshuffle_each_iteration: None or True.

        Raises:
          ValueError: batch() was called before: batches are not shuffled.
          UnsupportedError: reshuffle_each_iteration is False.
        """
        if self.batch_size is not None:
            raise ValueError("shuffle() after batch() would shuffle batches; call it before batch()")
        if buffer_size is not None:
            _check_count(buffer_size, "buffer_size")
        if reshuffle_each_iteration is False:
            raise UnsupportedError("shuffle(reshuffle_each_iteration=False): each pass has an order of its own")
        return replace(self, shuffled=True, seed=None if seed is None else operator.index(seed))

    def repeat(self, count: int | None = None) -> Dataset:
        """`count` passes over the rows; None or -1: without end. Of several calls the counts are multiplied."""
        if count is None or count == -1 or self.epochs is None:
            return replace(self, epochs=None)
        return replace(self, epochs=self.epochs * _check_count(count, "count"))

    def batch(self, batch_size: int, drop_remainder: bool = False) -> Dataset:
        """Batches of `batch_size` rows.

        Args:
          drop_remainder: leave out the short last batch of a pass.

        Raises:
          ValueError: the Dataset has batches already, or batch_size is below 1.
        """
        if self.batch_size is not None:
            raise ValueError("the Dataset has batches already; expected one call of batch()")
        return replace(self, batch_size=_check_count(batch_size, "batch_size"), drop_remainder=bool(drop_remainder))

    def prefetch(self, buffer_size: int | None = None) -> Dataset:
        """The Dataset itself: the runtime always reads ahead. For code that was written for tf.data."""
        return self

    @property
    def batches_per_epoch(self) -> int:
        """Batches of one pass."""
        if self.batch_size is None:
            raise ValueError("the Dataset has no batches; call batch()")
        rows = len(self)
        return rows // self.batch_size if self.drop_remainder else -(-rows // self.batch_size)


class FirstRows:
    """The first rows of what a run reads, as columns of the native side: an export predicts them.

    Attributes:
      columns: None as long as nothing was read.
    """

    MOST = 8
    """Rows."""

    def __init__(self) -> None:
        self.columns: dict[str, np.ndarray] | None = None

    def note(self, columns: Mapping[str, np.ndarray]) -> None:
        """Keeps copies of the first rows of the first columns that are noted."""
        if self.columns is None:
            self.columns = {name: column[: self.MOST].copy() for name, column in columns.items()}


class Batches:
    """Batches that an iterator gives, one after the other: what an input_fn means that returns a generator.

    Each is (features, labels), or features alone for predictions; their numbers of rows may differ. The iterator is
    asked in the thread that called train, evaluate or predict, a few batches ahead of the step, and not beyond the
    last one. A run that goes on with a model_dir begins with the first batch of its own iterator.
    """

    def __init__(self, batches: Iterable[Any], epochs: int | None = 1) -> None:
        """`epochs`: None: it is known that the iterator has no end."""
        self.epochs = epochs
        self._iterator = iter(batches)
        self._ahead: deque[tuple[Any, Any]] = deque()
        self._given = 0

    def _pull(self) -> tuple[Any, Any] | None:
        """Features and labels of the next batch; None at the end."""
        try:
            batch = next(self._iterator)
        except StopIteration:
            return None
        self._given += 1
        if not isinstance(batch, (list, tuple)):
            return batch, None
        if len(batch) != 2:
            raise DataError(
                f"batch {self._given} of the input is a {type(batch).__name__} of {len(batch)}; expected (features, "
                "labels), or features"
            )
        return batch[0], batch[1]

    def _peek(self, number: int) -> tuple[Any, Any] | None:
        while len(self._ahead) <= number:
            batch = self._pull()
            if batch is None:
                return None
            self._ahead.append(batch)
        return self._ahead[number]

    def _first(self) -> tuple[Any, Any]:
        batch = self._peek(0)
        if batch is None:
            raise DataError("the input has no batch; expected one at least")
        return batch

    def second(self) -> tuple[Any, Any] | None:
        """Features and labels of the batch after the next one, which next() gives all the same; None: there is none."""
        return self._peek(1)

    @property
    def features(self) -> Any:
        """Those of the first batch, from which the model takes what feature columns do not say. DataError if none."""
        return self._first()[0]

    @property
    def labels(self) -> Any:
        """Those of the first batch."""
        return self._first()[1]

    def next(self) -> tuple[Any, Any] | None:
        """Features and labels of the next batch; None at the end."""
        return self._ahead.popleft() if self._ahead else self._pull()


def constant(features: Any, labels: Any) -> Dataset:
    """A Dataset whose rows, features and labels, are one batch that is given again and again."""
    return Dataset(features, labels, batch_size=max(1, _rows(features, labels)), epochs=None, is_constant=True)
