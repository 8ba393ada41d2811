"""The features of a tf.Example that feature columns read."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Iterable, Iterator

from mlc._dtypes import TEXT
from mlc.feature_column._types import (
    CrossedColumn,
    FeatureColumn,
    KeyedCategoricalColumn,
    NumericColumn,
    SequenceNumericColumn,
    WeightedCategoricalColumn,
    walk,
)
from mlc.io import FixedLenFeature, ParsingSpec, VarLenFeature


def make_parse_example_spec(feature_columns: Iterable[FeatureColumn]) -> ParsingSpec:
    """What to read of a tf.Example for feature_columns, by key: FixedLenFeature of numbers, VarLenFeature of ids.

    Raises ValueError: an item is no feature column, two columns read a key in different ways, or a weighted column
    reads its weights under the key of its ids.
    """
    spec: ParsingSpec = {}
    for column in feature_columns:
        if not isinstance(column, FeatureColumn):
            raise ValueError(f"All feature_columns must be FeatureColumn instances. Given: {column}")
        for key, feature in _features(column):
            if spec.setdefault(key, feature) != feature:
                raise ValueError(
                    f"feature_columns contain different parse_spec for key {key}. Given {feature} and {spec[key]}"
                )
    return spec


def _features(column: FeatureColumn) -> Iterator[tuple[str, FixedLenFeature | VarLenFeature]]:
    """Key and feature of all that a column is made of."""
    for part in walk(column):
        if isinstance(part, NumericColumn):
            yield part.key, FixedLenFeature(part.shape, part.dtype, part.default_value)
        elif isinstance(part, (KeyedCategoricalColumn, SequenceNumericColumn)):
            yield part.key, VarLenFeature(part.dtype)
        elif isinstance(part, WeightedCategoricalColumn):
            known = dict(_features(part.categorical_column)).get(part.weight_feature_key)
            if known is not None:
                raise ValueError(f"Parse config {known} already exists for {part.weight_feature_key}.")
            yield part.weight_feature_key, VarLenFeature(part.dtype)
        elif isinstance(part, CrossedColumn):
            yield from ((key, VarLenFeature(TEXT)) for key in part.leaves if isinstance(key, str))
