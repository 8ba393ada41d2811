"""tf.feature_column: descriptions of what a model sees of the features, with TensorFlow's names and defaults.

    age = mlc.feature_column.numeric_column("age", normalizer_fn=mlc.feature_column.zscore(mean=38.6, stddev=13.6))
    job = mlc.feature_column.categorical_column_with_hash_bucket("job", hash_bucket_size=1000)
    columns = [age, mlc.feature_column.embedding_column(job, dimension=8)]

A normalizer_fn is compiled into the model: one of `zscore`, `minmax` and `log1p`, or a function of a Tensor, which is traced.
In a model_fn `input_layer`, `linear_model` and `sequence_input_layer` make Tensors of columns.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys
from typing import TYPE_CHECKING, Any

from mlc.feature_column._categorical import (
    categorical_column_with_hash_bucket,
    categorical_column_with_identity,
    categorical_column_with_vocabulary_file,
    categorical_column_with_vocabulary_list,
    crossed_column,
    weighted_categorical_column,
)
from mlc.feature_column._dense import (
    bucketized_column,
    embedding_column,
    indicator_column,
    numeric_column,
    shared_embeddings,
)
from mlc.feature_column._parsing import make_parse_example_spec
from mlc.feature_column._sequence import (
    sequence_categorical_column_with_hash_bucket,
    sequence_categorical_column_with_identity,
    sequence_categorical_column_with_vocabulary_file,
    sequence_categorical_column_with_vocabulary_list,
    sequence_numeric_column,
)
from mlc.feature_column._types import CategoricalColumn, DenseColumn, FeatureColumn
from mlc.feature_column.normalizers import log1p, minmax, zscore

if TYPE_CHECKING:
    from mlc.feature_column._layers import input_layer, linear_model
    from mlc.feature_column._sequence_layer import sequence_input_layer

__all__ = [
    "CategoricalColumn",
    "DenseColumn",
    "FeatureColumn",
    "bucketized_column",
    "categorical_column_with_hash_bucket",
    "categorical_column_with_identity",
    "categorical_column_with_vocabulary_file",
    "categorical_column_with_vocabulary_list",
    "crossed_column",
    "embedding_column",
    "indicator_column",
    "input_layer",
    "linear_model",
    "log1p",
    "make_parse_example_spec",
    "minmax",
    "numeric_column",
    "sequence_categorical_column_with_hash_bucket",
    "sequence_categorical_column_with_identity",
    "sequence_categorical_column_with_vocabulary_file",
    "sequence_categorical_column_with_vocabulary_list",
    "sequence_input_layer",
    "sequence_numeric_column",
    "shared_embeddings",
    "weighted_categorical_column",
    "zscore",
]


_OTHERWISE = {"DenseFeatures": "input_layer", "SequenceFeatures": "sequence_input_layer", "shared_embedding_columns": "shared_embeddings"}
"""What TensorFlow calls otherwise, in modules of Keras or in its version 1."""


def __getattr__(name: str) -> Any:
    # With all ops, which canned Estimators do not need.
    if name in ("input_layer", "linear_model"):
        from mlc.feature_column import _layers

        return getattr(_layers, name)
    if name == "sequence_input_layer":
        from mlc.feature_column import _sequence_layer

        return _sequence_layer.sequence_input_layer
    hint = f"; '{_OTHERWISE[name]}' is its name here" if name in _OTHERWISE else ""
    raise AttributeError(f"module 'mlc.feature_column' has no attribute '{name}'{hint}", name=name, obj=sys.modules[__name__])
