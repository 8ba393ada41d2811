"""Datasets of files that the native runtime reads: what stands in them, and how a model's columns are read from it."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import glob
import math
import operator
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mlc._dtypes import TEXT
from mlc._engine import FileSource
from mlc.data._dataset import Dataset, LabelName, pop_label
from mlc.data._remote import local_copies, local_path, scheme_of
from mlc.errors import DataError, did_you_mean

FilePattern = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]


def check_patterns(file_pattern: FilePattern) -> tuple[str, ...]:
    """The patterns of `file_pattern`, one or a list; of files that are not local their copies.

    Raises DataError: one matches no file, or a file cannot be copied.
    """
    listed = [file_pattern] if isinstance(file_pattern, (str, bytes, os.PathLike)) else list(file_pattern)
    if not listed:
        raise DataError("file_pattern is an empty list; expected a file, a pattern or a list of them")
    given = [os.fsdecode(each) for each in listed]
    remote = [each for each in given if scheme_of(each) is not None]
    patterns = local_copies(remote) if remote else []
    for pattern in (os.path.abspath(local_path(each)) for each in given if each not in remote):
        if os.path.isdir(pattern):
            raise DataError(f"'{pattern}' is a directory; expected a file, or a pattern such as '{pattern}/*'")
        if not os.path.exists(pattern) and not glob.glob(pattern):
            raise DataError(f"no file matches '{pattern}'; {_beside(pattern)}")
        patterns.append(pattern)
    return tuple(patterns)


def matching_files(patterns: Iterable[str]) -> list[str]:
    """The files that patterns match, sorted, each once."""
    found = {path for pattern in patterns for path in ([pattern] if os.path.exists(pattern) else glob.glob(pattern))}
    return sorted(found)


def _beside(pattern: str) -> str:
    """What there is where a pattern looks."""
    directory, name = os.path.split(pattern)
    if not os.path.isdir(directory):
        return f"there is no directory '{directory}'"
    hint = did_you_mean(name, sorted(os.listdir(directory)))
    return hint or f"expected a file in '{directory}'"


def check_count(value: Any, what: str, least: int = 1) -> int:
    """An integer of at least `least`."""
    number = operator.index(value)
    if number < least:
        raise ValueError(f"{what} must be at least {least}; found {value!r}")
    return number


@dataclass(frozen=True)
class Field:
    """What files have under a name."""

    dtype: str
    """"int32", "int64", "float32", "float64" or "string"."""
    shape: tuple[int, ...] = ()
    """Of a row."""
    several: bool = False
    """Any number of values in a row."""
    default: str | None = None
    """What stands for a missing value, as files write values."""
    required: bool = False
    """A missing text is an error, too."""
    separator: str | None = None
    """Of several values in one cell."""
    strip: str = ""
    """Characters that are cut from both ends of a cell."""

    def example(self) -> np.ndarray:
        """A row that tells dtype and shape."""
        shape = (1, 2) if self.several else (1, *self.shape)
        return np.full(shape, "", dtype=object) if self.dtype == TEXT else np.zeros(shape, dtype=self.dtype)


@dataclass(frozen=True)
class Files:
    """Files of one kind, and what stands in them."""

    patterns: tuple[str, ...]
    fields: Mapping[str, Field]
    """By name, in the order of the files."""
    settings: Mapping[str, Any]
    """"csv" or "tfrecord", and "missing": those of a manifest's "input" (docs/manifest.md)."""


@dataclass(frozen=True, eq=False)
class FileDataset(Dataset):
    """Rows of files, as Dataset.from_csv and Dataset.from_tfrecord make it; all methods of a Dataset but its length.

    `features` and `labels` have one row each, which is none of the files: it tells dtypes and shapes.
    """

    files: Files = field(kw_only=True)
    label_name: LabelName | None = field(default=None, kw_only=True)
    """The name that the files have for `labels`, or of several labels the names by their keys."""

    def __post_init__(self) -> None:
        """Nothing: the rows are checked where they are read."""

    def __len__(self) -> int:
        raise TypeError("rows of files are counted when a model reads them")

    def __bool__(self) -> bool:
        """True: whether there are rows is found where they are read."""
        return True

    def field_of(self, key: str, needed_by: str) -> Field:
        """What the files have under a key. DataError if there is nothing."""
        found = self.files.fields.get(key)
        if found is not None:
            return found
        hint = did_you_mean(key, self.files.fields)
        names = ", ".join(f"'{name}'" for name in self.files.fields)
        text = f"the files have no column '{key}', which {needed_by} needs; found {names}"
        raise DataError(text + (f"; {hint}" if hint else ""), key=key)

    @property
    def is_records(self) -> bool:
        """Whether the files have tf.Examples."""
        return "tfrecord" in self.files.settings

    def column(
        self, key: str, needed_by: str, dtype: str, elements: int, several: bool, weights: str | None = None
    ) -> dict[str, Any]:
        """How a column of a model is read from what the files have under `key`, as keys of a manifest's column.

        Args:
          needed_by: what reads it, for messages.
          dtype: of the column, as a manifest writes it.
          elements: its values in each row.
          several: it takes any number of values.
          weights: the key of their weights.

        Raises DataError: the files have no such key, or something else under it.
        """
        has = self.field_of(key, needed_by)
        if not several and elements != math.prod(has.shape) and (has.several or has.shape or self.is_records):
            found = "any number of values" if has.several else f"rows of the shape {has.shape}"
            expected = f"{elements} values in each row" if elements > 1 else "one value in each row"
            raise DataError(f"'{key}' has {found} in the files; expected {expected}, which {needed_by} reads", key=key)
        if self.is_records and list_dtype(dtype.lower()) != list_dtype(has.dtype):
            raise DataError(
                f"'{key}' is {has.dtype} in the tf.Examples; expected {list_dtype(dtype.lower())}, which {needed_by} reads: "
                "give the column the dtype of the files",
                key=key,
            )
        result: dict[str, Any] = {"field": key}
        if has.default is not None:
            result["default_value"] = has.default
        elif has.required:
            result["on_missing"] = "ERROR"
        if has.strip:
            result["strip"] = has.strip
        multi: dict[str, Any] = {} if has.separator is None else {"separator": has.separator}
        if weights is not None:
            multi |= {"weight_separator": ":", "weight_field": weights}
        return result | ({"multi_value": multi} if several and multi else {})

    def source(self, columns: Mapping[str, Mapping[str, Any]], passes: int | None) -> FileSource:
        """What a run reads.

        Args:
          columns: by the names of the native side, as column() makes them.
          passes: how often it goes through the files; None: without end.
        """
        files = self.files
        count = -1 if passes is None else passes
        return FileSource(files.patterns, files.settings, columns, count, self.drop_remainder)


def list_dtype(dtype: str) -> str:
    """The list of a tf.Example that holds values of this dtype."""
    return "string" if dtype == TEXT else "float32" if dtype.startswith("float") else "int64"


def file_dataset(files: Files, label_name: LabelName | None) -> FileDataset:
    """The rows of files; the field of `label_name` is the label. DataError if there is none of that name."""
    examples = {name: each.example() for name, each in files.fields.items()}
    if label_name is None:
        return FileDataset(examples, files=files)
    labels = pop_label(examples, label_name, "the files have")
    return FileDataset(examples, labels, files=files, label_name=label_name)
