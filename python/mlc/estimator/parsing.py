"""Parsing specs of tf.Examples that have features, label and weights."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mlc.feature_column import FeatureColumn, make_parse_example_spec, numeric_column
from mlc.feature_column._types import NumericColumn
from mlc.io import FixedLenFeature, ParsingSpec


def classifier_parse_example_spec(
    feature_columns: Iterable[FeatureColumn],
    label_key: str,
    label_dtype: Any = "int64",
    label_default: Any = None,
    weight_column: str | NumericColumn | None = None,
) -> ParsingSpec:
    """What to read of a tf.Example to train a classifier, by key.

    Args:
      feature_columns: those of the classifier.
      label_key: the feature that is the label.
      label_dtype: "int64"; "string" with a label_vocabulary; "float32" for shares of two classes.
      label_default: the label of an example that has none; None: it must be there.
      weight_column: the feature that weights an example, or its numeric_column.

    Raises ValueError: the label or the weight is a feature, too, or weight_column is another column.
    """
    return _with_label(feature_columns, label_key, FixedLenFeature((1,), label_dtype, label_default), weight_column)


def regressor_parse_example_spec(
    feature_columns: Iterable[FeatureColumn],
    label_key: str,
    label_dtype: Any = "float32",
    label_default: Any = None,
    label_dimension: int = 1,
    weight_column: str | NumericColumn | None = None,
) -> ParsingSpec:
    """What to read of a tf.Example to train a regressor, by key.

    Args:
      label_dimension: numbers of the label.
      Others: as of classifier_parse_example_spec.

    Raises ValueError: as classifier_parse_example_spec.
    """
    label = FixedLenFeature((label_dimension,), label_dtype, label_default)
    return _with_label(feature_columns, label_key, label, weight_column)


def _with_label(
    feature_columns: Iterable[FeatureColumn],
    label_key: str,
    label: FixedLenFeature,
    weight_column: str | NumericColumn | None,
) -> ParsingSpec:
    spec = make_parse_example_spec(feature_columns)
    if label_key is None:
        raise ValueError("label_key must be the key of the label; found None")
    if label_key in spec:
        raise ValueError(f"label should not be used as feature. label_key: {label_key}, features: {list(spec)}")
    spec[label_key] = label
    if weight_column is None:
        return spec
    column = numeric_column(weight_column) if isinstance(weight_column, str) else weight_column
    if not isinstance(column, NumericColumn):
        raise ValueError(
            "weight_column should be an instance of numeric_column. Given type: "
            f"{type(weight_column)} value: {weight_column}"
        )
    if column.key in spec:
        raise ValueError(
            f"weight_column should not be used as feature. weight_column: {column.key}, features: {list(spec)}"
        )
    return spec | make_parse_example_spec([column])
