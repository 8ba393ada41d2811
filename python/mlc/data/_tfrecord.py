"""Datasets of TFRecord files of tf.Example."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from mlc import _engine
from mlc._dtypes import TEXT
from mlc.data._csv import arranged, check_compression
from mlc.data._dataset import Dataset, LabelName
from mlc.data._files import Field, FilePattern, Files, check_patterns, file_dataset, list_dtype
from mlc.errors import UnsupportedError
from mlc.io import FixedLenFeature, SparseFeature, VarLenFeature


def tfrecord_dataset(
    file_pattern: FilePattern,
    features: Mapping[str, Any],
    label_key: LabelName | None = None,
    *,
    sequence_features: Mapping[str, Any] | None = None,
    compression_type: str | None = None,
) -> Dataset:
    """What Dataset.from_tfrecord returns."""
    if not isinstance(features, Mapping) or not (features or sequence_features):
        raise ValueError("features must be a dict of FixedLenFeature and VarLenFeature by key, with one at least")
    if sequence_features or any(isinstance(feature, SparseFeature) for feature in features.values()):
        from mlc.data._records import record_dataset

        check_compression(compression_type)
        return record_dataset(file_pattern, features, sequence_features or {}, label_key)
    fields = {str(key): _field(str(key), feature) for key, feature in features.items()}
    settings = {"tfrecord": {"compression": check_compression(compression_type)}}
    return file_dataset(Files(check_patterns(file_pattern), fields, settings), label_key)


def read_tfrecords(file_pattern: FilePattern) -> Iterator[bytes]:
    """The records of TFRecord files, for an input_fn that decodes them: serialized tf.SequenceExamples, or others.

    Args:
      file_pattern: a path, a pattern, or a list of them; plain files, or packed by gzip or zstd. Their order is that of the
        paths.

    Raises DataError: no file, or one that is damaged, with the number of the record.
    """
    yield from _engine.records(check_patterns(file_pattern))


def _field(key: str, feature: Any) -> Field:
    if isinstance(feature, VarLenFeature):
        return Field(list_dtype(feature.dtype), several=True)
    if not isinstance(feature, FixedLenFeature):
        kind = type(feature).__name__
        expected = "a FixedLenFeature, VarLenFeature or SparseFeature of mlc.io"
        raise UnsupportedError(f"features['{key}'] is a {kind}; expected {expected}")
    shape = () if feature.shape == (1,) * len(feature.shape) and len(feature.shape) > 1 else feature.shape
    return Field(list_dtype(feature.dtype), shape, default=_default(key, feature), required=feature.default_value is None)


def _default(key: str, feature: FixedLenFeature) -> str | None:
    """The default as a cell of a file has it."""
    if feature.default_value is None:
        return None
    values = np.asarray(feature.default_value)
    count = int(np.prod(feature.shape))
    if values.size not in (1, count):
        raise ValueError(
            f"features['{key}']: default_value has {values.size} values; expected one, or {count} as the shape "
            f"{feature.shape} has"
        )
    is_text = values.dtype.kind in "USO"
    if is_text != (feature.dtype == TEXT):
        raise ValueError(f"features['{key}']: default_value is {feature.default_value!r}; expected {feature.dtype}")
    texts = [v.decode() if isinstance(v, bytes) else str(v) if is_text else repr(v.item()) for v in values.flat]
    if any("|" in text for text in texts):
        raise UnsupportedError(f"features['{key}']: a default_value with '|' cannot be written")
    return "|".join(texts)


def make_batched_features_dataset(
    file_pattern: FilePattern,
    batch_size: int,
    features: Mapping[str, Any],
    reader: Any = None,
    label_key: str | None = None,
    reader_args: Any = None,
    num_epochs: int | None = None,
    shuffle: bool = True,
    shuffle_buffer_size: int = 10000,
    shuffle_seed: int | None = None,
    prefetch_buffer_size: int | None = None,
    reader_num_threads: int | None = None,
    parser_num_threads: int | None = None,
    sloppy_ordering: bool = False,
    drop_final_batch: bool = False,
) -> Dataset:
    """As tf.data.experimental.make_batched_features_dataset: batches of tf.Example, without end if num_epochs is None.

    Args:
      file_pattern: a path or pattern of TFRecord files, or a list of them; plain ones, or packed by gzip or zstd.
      batch_size: rows of a batch.
      features: a parsing spec: FixedLenFeature, VarLenFeature and SparseFeature by key, as of Dataset.from_tfrecord.
      reader, reader_args: None: the files are TFRecord files.
      label_key: the feature that is the label.
      num_epochs: passes over the files.
      shuffle, shuffle_seed: all rows are taken in another order in each pass of training.
      shuffle_buffer_size, prefetch_buffer_size, reader_num_threads, parser_num_threads, sloppy_ordering: of
        TensorFlow's pipeline; without effect, as all rows are shuffled, and the runtime reads ahead.
      drop_final_batch: leave out the short last batch of a pass.

    Raises:
      DataError: no file, or no label_key in `features`.
      UnsupportedError: a reader, or a feature of another kind.
    """
    if reader is not None or reader_args is not None:
        raise UnsupportedError(f"reader {reader!r}: TFRecord files are read; expected None")
    dataset = tfrecord_dataset(file_pattern, features, label_key)
    return arranged(dataset, batch_size, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed, drop_final_batch)
