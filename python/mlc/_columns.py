"""The columns that a model reads: made of its feature columns and head, and of the first data that is seen.

Feature columns tell keys and dtypes. Whether a categorical key has one value per row or several, and whether labels of
two classes are integers or shares, only data tells: `Observations` keeps what the first data said, so that a model is
compiled once and later data is held to it.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import functools
import math
from collections.abc import Container, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mlc import _engine, _values
from mlc._dtypes import TEXT, spec_number
from mlc._frames import Values, Where, frame_columns
from mlc._model import Head, Model
from mlc.errors import DataError, SpecError, UnsupportedError, did_you_mean, missing_key
from mlc.feature_column._types import (
    CrossedColumn,
    FeatureColumn,
    KeyedCategoricalColumn,
    NumericColumn,
    SequenceNumericColumn,
    SharedEmbeddingColumn,
    WeightedCategoricalColumn,
    walk,
)

if TYPE_CHECKING:
    from mlc._engine import FileSource
    from mlc.data import FileDataset


@dataclass
class Observations:
    """What the first data said: which categorical keys have several values per row, and of sequences in a step, and by
    the names of heads, None of the only one, the dtype of labels, and whether they are sets of classes."""

    several: dict[str, bool] = field(default_factory=dict)
    in_steps: dict[str, bool] = field(default_factory=dict)
    label_dtypes: dict[str | None, str] = field(default_factory=dict)
    label_is_set: dict[str | None, bool] = field(default_factory=dict)


@dataclass(frozen=True)
class InputColumn:
    """A column of the model's input. `name` is that of the native side, `key` that of the features."""

    key: str
    name: str
    dtype: str
    """FLOAT32, FLOAT64, INT32, INT64 or STRING."""
    role: str
    """numbers, ids, steps (features; steps are any number of numbers per row) or lengths (of the steps of ids), label, weight (of rows), value_weight (of the values of a column of several ids, which
    declares it), or rows (of a baseline model: zeros that tell how many rows there are)."""
    needed_by: str
    """What reads it, for messages."""
    shape: tuple[int, ...] = ()
    several: bool = False
    """Any number of values per row, given as [rows, k]; -1, '' and NaN are no values."""
    lengths: str | None = None
    """Of ids of sequences, the name of the column that tells how many of them each step has; None: each is a step."""
    has_weights: bool = False
    """The values of this column have weights, in the column of its name with ".weight"."""
    default: tuple[float, ...] | None = None
    required: bool = True
    """A feature column that the model uses reads it."""
    head: str | None = None
    """The head whose label it is, if it is one of several: labels are a dict then."""

    @functools.cached_property
    def _float_dtype(self) -> Any:
        """The dtype of arrays that may be read as they are, if they are finite; None: there are none."""
        is_plain = self.role == "numbers" and self.dtype in ("FLOAT32", "FLOAT64")
        return np.dtype(self.dtype.lower()) if is_plain else None

    @property
    def direct_kind(self) -> str:
        """The kind of a column of one value or shape per row, as of _engine.DirectColumn."""
        if self.role == "weight" or not self.required:
            return "other"
        return "texts" if self.dtype == "STRING" else "ids" if self.role == "ids" else "numbers"

    @property
    def _where(self) -> Where:
        if self.role == "label":
            return _label_where(self.head)
        return Where(self.key, "weight" if self.role == "weight" else "feature")

    def convert(self, value: Any) -> np.ndarray:
        """`value`, as a user passes it, as the array that the native side reads. Raises DataError."""
        # What is ready, as most batches of a generator are.
        if (
            self._float_dtype is not None  # which numpy would take for float64
            and type(value) is np.ndarray
            and value.dtype == self._float_dtype
            and value.shape[1:] == self.shape
            and value.ndim > 0
            and value.flags.c_contiguous
            and bool(np.isfinite(value).all())
        ):
            return value
        where = self._where
        values = _values.to_values(value, where)
        if self.lengths is not None:
            values = _values.values_of_steps(values)
        if self.dtype == "STRING":
            return _values.texts(values, self.several, where)
        if self.role in ("ids", "lengths") or (self.role == "label" and self.several):
            return _values.integers(values, self.several, where)
        if self.role == "value_weight":
            return _value_weights(values, where)
        if self.role == "steps":
            return _values.steps(values, self.dtype, where)
        if self.role == "label" and _values.is_text(values):
            raise where.error("text", "numbers, or a model with a label_vocabulary, the labels of all classes in order")
        return _values.numbers(values, self.dtype, self.shape, self.default, where)


def _value_weights(values: Values, where: Where) -> np.ndarray:
    """float32 weights, [rows, k], beside values of as many per row; 0, which counts for nothing, after short rows."""
    array = _values.padded(values.array, 0.0)
    array = array.reshape(len(array), -1)
    return _values.numbers(Values(array), "FLOAT32", array.shape[1:], None, where)


class _Needs:
    """Collects what feature columns ask of each key, and merges it."""

    def __init__(self, observations: Observations) -> None:
        self._observations = observations
        self.columns: dict[str, InputColumn] = {}

    def add(self, column: InputColumn) -> None:
        """Adds a column, or merges it with the one of its name. Raises SpecError where both cannot be read as one."""
        known = self.columns.get(column.name)
        self.columns[column.name] = column if known is None else _merged(known, column)

    def add_columns_of(self, column: FeatureColumn, required: bool) -> None:
        """What one feature column reads, with all that it is made of."""
        for part in walk(column):
            if isinstance(part, NumericColumn):
                self._add_numbers(part, required)
            elif isinstance(part, SequenceNumericColumn):
                by = f"sequence_numeric_column '{part.key}'"
                self.add(InputColumn(part.key, part.key, "FLOAT32", "steps", by, several=True, required=required))
            elif isinstance(part, KeyedCategoricalColumn):
                by = f"categorical column '{part.name}'"
                self._add_ids(part.key, part.dtype, by, required, part.is_sequence)
            elif isinstance(part, CrossedColumn):
                for key in part.leaves:
                    if isinstance(key, str):
                        self._add_ids(key, TEXT, f"crossed_column '{part.name}'", required)
            elif isinstance(part, WeightedCategoricalColumn):
                self._add_weights(part, required)

    def _add_numbers(self, column: NumericColumn, required: bool) -> None:
        key, by = column.key, f"numeric_column '{column.key}'"
        shape = column.shape if math.prod(column.shape) != 1 else ()
        need = InputColumn(key, key, spec_number(column.dtype), "numbers", by, shape=shape, required=required)
        default = None if column.default_value is None else tuple(np.ravel(column.default_value).tolist())
        self.add(replace(need, default=default))

    def _add_ids(self, key: str, dtype: str, by: str, required: bool, is_sequence: bool = False) -> None:
        several = is_sequence or self._observations.several.get(key, False)
        lengths = f"{key}.lengths" if is_sequence and self._observations.in_steps.get(key, False) else None
        self.add(InputColumn(key, key, _id_dtype(dtype), "ids", by, several=several, lengths=lengths, required=required))
        if lengths is not None:
            by = f"the steps of {by}"
            self.add(InputColumn(lengths, lengths, "INT64", "lengths", by, several=True, required=required))

    def _add_weights(self, column: WeightedCategoricalColumn, required: bool) -> None:
        key, ids = column.weight_feature_key, column.categorical_column
        by = f"weighted_categorical_column '{column.name}'"
        if isinstance(ids, KeyedCategoricalColumn) and self._observations.several.get(ids.key, False):
            # Of several values the weights are a part of the column of ids, which was added before.
            name = f"{ids.key}.weight"
            self.add(InputColumn(key, name, "FLOAT32", "value_weight", by, several=True, required=required))
            self.columns[ids.key] = replace(self.columns[ids.key], has_weights=True)
        else:
            self.add(InputColumn(key, key, "FLOAT32", "numbers", by, required=required))


def _id_dtype(dtype: str) -> str:
    return "STRING" if dtype == TEXT else "INT64"


def _merged(one: InputColumn, other: InputColumn) -> InputColumn:
    """The column that two uses of a key read: of numbers the wider dtype, of numbers and ids int64.

    The latter is a column of numbers: what is missing has a default_value or is an error, as no number means none.
    Raises SpecError for text beside numbers, and for different shapes.
    """
    required = one.required or other.required
    if one.role == other.role and one.role in ("ids", "steps", "lengths") and one.dtype == other.dtype:
        has_weights, several = one.has_weights or other.has_weights, one.several or other.several
        lengths = one.lengths or other.lengths
        return replace(one, required=required, several=several, has_weights=has_weights, lengths=lengths)
    if (one.dtype == "STRING") != (other.dtype == "STRING"):
        text, number = (one, other) if one.dtype == "STRING" else (other, one)
        raise SpecError(
            f"key '{one.key}' is text for {text.needed_by} and a number for {number.needed_by}; a key has one dtype: "
            "give one of them another key"
        )
    ids = next((column for column in (one, other) if column.role == "ids"), None)
    if one.shape != other.shape or {"steps", "lengths"} & {one.role, other.role}:
        raise SpecError(
            f"key '{one.key}' is read by {one.needed_by} and by {other.needed_by}, which take different numbers of "
            "values per row: give one of them another key"
        )
    if one.role == "weight" or other.role == "weight":
        # A weight that is a feature, too, is needed wherever the feature is.
        return one if other.role == "weight" else other
    default = one.default or other.default
    if ids is not None:
        return replace(ids, role="numbers", several=False, required=required, default=default)
    wider = max(one, other, key=lambda column: ("INT32", "INT64", "FLOAT32", "FLOAT64").index(column.dtype))
    return replace(wider, required=required, default=default)


@dataclass(frozen=True)
class InputColumns:
    """All columns of a model: `columns` in the order in which a spec declares them, among them `labels`, of the heads."""

    columns: tuple[InputColumn, ...]
    labels: tuple[InputColumn, ...]

    @property
    def declared(self) -> tuple[InputColumn, ...]:
        """Those that a spec declares: all but weights of values, which the column of the values declares."""
        return tuple(c for c in self.columns if not (c.role == "value_weight" and c.several))

    @property
    def keys(self) -> list[str]:
        """Of the features that are read."""
        return [column.key for column in self.columns if column.role not in ("label", "rows")]

    def convert(self, features: Any, labels: Any, needs_labels: bool) -> dict[str, np.ndarray]:
        """Features and labels as arrays of the native side, by the names of columns.

        Args:
          features: a dict of columns by key, a DataFrame or a pyarrow Table; keys that no column reads are left alone.
          labels: a column, of several heads a dict of columns by their names, or None if there are none.
          needs_labels: for training and evaluation: the label, and the weights of rows, must be there.

        Raises:
          DataError: names key and row, what was found and what was expected.
        """
        features = check_features(features)
        arrays: dict[str, np.ndarray] = {}
        first: tuple[str, int] | None = None
        for column in self.columns:
            if column.role == "rows":
                arrays[column.name] = np.zeros(_count_rows(features), dtype=np.int64)
                continue
            if column.role == "lengths" and column.key not in features:
                ids = column.key.removesuffix(".lengths")
                value = _value_of(replace(column, key=ids), features, labels, needs_labels)
                if value is not _ABSENT:
                    value = _values.lengths_of_steps(_values.to_values(value, Where(ids)))
            else:
                value = _value_of(column, features, labels, needs_labels)
            if value is _ABSENT:
                continue
            array = arrays[column.name] = column.convert(value)
            what = _label_where(column.head).text if column.role == "label" else f"feature '{column.key}'"
            if first is not None and first[1] != len(array):
                expected = f"{first[1]}, as {first[0]} has"
                raise DataError(f"{what} has {len(array)} rows; expected {expected}", key=column.key)
            first = first or (what, len(array))
        if self._has_value_weights:
            self._check_value_weights(arrays)
        return arrays

    def source(self, dataset: FileDataset, needs_labels: bool, passes: int | None) -> FileSource:
        """How the native side reads the columns from files.

        Args:
          needs_labels: as of convert.
          passes: how often it goes through the files; None: without end.

        Raises:
          DataError: the files lack a column, or have something else under its name.
          UnsupportedError: weights of the values of a cell under another key than that of the column with ".weight".
        """
        found = {}
        weights = {c.name.removesuffix(".weight"): c for c in self.columns if c.role == "value_weight" and c.several}
        for column in self.columns:
            key = column.key
            if column.role == "label":
                if not needs_labels:
                    continue
                key = _label_of(column.head, dataset.label_name)
            elif column.role == "rows":
                if dataset.is_records:
                    found[column.name] = {"field": _NO_FEATURE, "default_value": "0"}
                    continue
                key = _integers_of(dataset)
            elif column.role == "value_weight" and column.several:
                continue  # a part of the column of the values
            elif key not in dataset.files.fields and (
                not column.required or (column.role == "weight" and not needs_labels)
            ):
                continue
            weight = weights.get(column.name)
            if weight is not None and dataset.is_records:
                dataset.column(weight.key, weight.needed_by, weight.dtype, 1, several=True)
            elif weight is not None and weight.key != weight.name:
                raise UnsupportedError(
                    f"{weight.needed_by}: in CSV files weights stand in the cells of '{column.key}', as \"value:weight\"; "
                    f"expected the key '{weight.name}', found '{weight.key}'"
                )
            found[column.name] = dataset.column(
                key, column.needed_by, column.dtype, math.prod(column.shape), column.several,
                weight.key if weight is not None and dataset.is_records else None,
            )  # fmt: skip
        return dataset.source(found, passes)

    @functools.cached_property
    def direct(self) -> tuple[_engine.DirectColumn, ...]:
        """What the native side reads of rows to predict that are ready, as convert() would; () where it never can."""
        features = [column for column in self.columns if column.role != "label"]
        if any(column.several or column.role in ("rows", "value_weight") for column in features):
            return ()
        return tuple((column.key, column.name, column.direct_kind) for column in features)

    @functools.cached_property
    def _has_value_weights(self) -> bool:
        return any(column.role == "value_weight" and column.several for column in self.columns)

    def _check_value_weights(self, arrays: dict[str, np.ndarray]) -> None:
        for column in self.columns:
            if column.role != "value_weight" or not column.several or column.name not in arrays:
                continue
            ids = arrays[column.name.removesuffix(".weight")]
            if ids.shape != arrays[column.name].shape:
                raise DataError(
                    f"feature '{column.key}' has {arrays[column.name].shape[1]} weights per row, the values of "
                    f"'{column.name.removesuffix('.weight')}' are {ids.shape[1]}; expected one weight for each value",
                    key=column.key,
                )


_ABSENT = object()


def _value_of(column: InputColumn, features: Mapping[str, Any], labels: Any, needs_labels: bool) -> Any:
    """What the user passed for a column; _ABSENT if nothing needs it. Raises DataError if it is not there."""
    if column.role == "label":
        return _label_of(column.head, labels) if needs_labels else _ABSENT
    if column.key in features:
        return features[column.key]
    if not column.required or (column.role == "weight" and not needs_labels):
        return _ABSENT
    raise missing_key(column.key, features, column.needed_by)


_NO_FEATURE = "mlc:rows"
"""A feature that no tf.Example has: a column of it has its default in each, by which a baseline model counts rows."""


def _integers_of(dataset: FileDataset) -> str:
    """A column of CSV files that a baseline model, which uses no column, counts rows by."""
    for name, each in dataset.files.fields.items():
        if each.dtype.startswith("int") and not each.shape and not each.several:
            return name
    raise UnsupportedError("a baseline model counts the rows of files by a column of integers, and there is none")


def check_features(features: Any) -> Mapping[str, Any]:
    """Features as a mapping of columns by key. DataError for anything else than a dict, a DataFrame or a Table."""
    if type(features) is dict or isinstance(features, Mapping):
        for key in features:
            if not isinstance(key, str):
                raise DataError(f"features have the key {key!r}; expected keys that are strings")
        return features
    columns = frame_columns(features)
    if columns is not None:
        return columns
    raise DataError(f"features should be a dictionary of columns by key. Given type: {type(features).__name__}")


def _label_of(head: str | None, labels: Any) -> Any:
    """The labels of a head; None: of the only one."""
    if labels is None:
        raise DataError("there are no labels; expected an input_fn that returns features and labels", key="label")
    if head is not None:
        if not isinstance(labels, Mapping):
            found = type(labels).__name__
            raise DataError(f"labels are of type {found}; expected a dict by the names of the heads", key="label")
        if head not in labels:
            keys = ", ".join(map(repr, labels)) or "none"
            hint = did_you_mean(head, [str(key) for key in labels])
            text = f"labels have no key '{head}', the name of a head; found {keys}"
            raise DataError(text + (f"; {hint}" if hint else ""), key=head)
        return labels[head]
    if isinstance(labels, Mapping):
        keys = ", ".join(map(repr, labels))
        raise DataError(
            f"labels are a dict with the keys {keys}; expected one array, as there is one head", key="label"
        )
    return labels


def _count_rows(features: Mapping[str, Any]) -> int:
    for key, value in features.items():
        return _values.row_count(value, Where(key))
    raise DataError("features are empty; expected a column, which tells how many rows there are")


def observe(model: Model, features: Any, labels: Any, observations: Observations) -> None:
    """Notes what data says that no feature column does, where that is not known yet."""
    columns = check_features(features)
    needs = _Needs(Observations())
    for column in model.columns:
        needs.add_columns_of(column, required=True)
    for need in needs.columns.values():
        if need.role != "ids" or need.key not in columns:
            continue
        if need.several:
            if need.key not in observations.in_steps:
                values = _values.to_values(columns[need.key], Where(need.key))
                observations.in_steps[need.key] = f"{need.key}.lengths" in columns or _values.has_several_in_steps(values)
        elif need.key not in observations.several:
            values = _values.to_values(columns[need.key], Where(need.key))
            observations.several[need.key] = _values.has_several(values)
    for head in model.heads if labels is not None else ():
        if head.name in observations.label_dtypes:
            continue
        own = _label_of(head.name, labels)
        values = _values.to_values(own, _label_where(head.name))
        observations.label_dtypes[head.name] = _label_dtype(head, values)
        observations.label_is_set[head.name] = head.kind == "multi_label" and _is_set(own, values, head.n_classes)


def _is_set(labels: Any, values: Values, n_classes: int) -> bool:
    """Whether labels of any number of classes are sets of them, texts or lists of ids, and not 0 and 1 for each class.

    Lists that all have n_classes elements, and arrays, are the latter.
    """
    array = values.array
    if _values.is_text(values):
        return True
    if array.dtype.kind == "O" and array.ndim == 1:
        return any(np.size(row) != n_classes for row in array)
    return isinstance(labels, (list, tuple)) and array.dtype.kind in "iu" and array.shape[1:] != (n_classes,)


def _label_dtype(head: Head, values: Values) -> str:
    """FLOAT32 for labels of two classes that are shares (floats), else INT64."""
    kinds = {values.array.dtype.kind}
    if kinds == {"O"}:
        kinds = {np.asarray(v).dtype.kind for v in values.array.flat[:1]}
    return "FLOAT32" if "f" in kinds and head.kind == "binary_class" else "INT64"


def input_columns(model: Model, observations: Observations) -> InputColumns:
    """The columns that a model reads. Raises SpecError where two uses of a key cannot be read as one column."""
    needs = _Needs(observations)
    for column in model.columns:
        needs.add_columns_of(column, required=True)
        if isinstance(column, SharedEmbeddingColumn):
            # The table is declared with all columns that share it, whether the model uses them or not.
            for sharer in column.sharers:
                needs.add_columns_of(sharer, required=False)
    of_steps = model.rnn is not None and model.rnn.return_sequences
    for head in model.heads:
        if head.weight_column is not None:
            by = f"weight_column '{head.weight_column}'"
            needs.add(InputColumn(head.weight_column, head.weight_column, "FLOAT32", "weight", by, several=of_steps))
    columns = list(needs.columns.values())
    if model.baseline is not None:
        columns.append(InputColumn("rows", _free_name("rows", needs.columns), "INT64", "rows", "the number of rows"))
    taken = {column.name for column in columns}
    labels: list[InputColumn] = []
    for head in model.heads:
        name = _free_name("label" if head.name is None else f"label_{head.name}", taken)
        taken.add(name)
        label = _label_column(head, observations, name)
        labels.append(replace(label, several=True) if of_steps else label)
    return InputColumns((*columns, *labels), tuple(labels))


def _free_name(name: str, taken: Container[str]) -> str:
    """`name`, with as many '_' after it as no key has."""
    while name in taken:
        name += "_"
    return name


def _label_where(head: str | None) -> Where:
    """The label of a head, for messages; None: of the only one."""
    return Where("label", "label") if head is None else Where(head, "label of head")


def _label_column(head: Head, observations: Observations, name: str) -> InputColumn:
    shape = (head.label_dimension,) if head.label_dimension > 1 else ()
    is_set = observations.label_is_set.get(head.name, False)
    if head.kind == "multi_label":
        dtype = "FLOAT32" if not is_set else "INT64" if head.label_vocabulary is None else "STRING"
        shape = () if is_set else (head.n_classes,)
    elif head.label_vocabulary is not None:
        dtype = "STRING"
    elif head.kind in ("binary_class", "multi_class"):
        dtype = observations.label_dtypes.get(head.name, "INT64")
    else:
        dtype = "FLOAT32"
    return InputColumn(
        head.name or "label", name, dtype, "label", "the head", shape=shape, several=is_set, head=head.name
    )
