"""What a model is trained on, evaluated on or asked about: arrays, files and batches, as tf.data has it.

    dataset = mlc.data.Dataset.from_arrays({"age": ages, "job": jobs}, labels).shuffle().repeat(10).batch(32)
    dataset = mlc.data.Dataset.from_csv("train-*.csv", label_name="label").shuffle().repeat(10).batch(32)

A Dataset is a description: the native runtime reads the arrays, or the files, that it refers to.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from mlc.data._csv import make_csv_dataset
from mlc.data._dataset import Batches, Dataset, constant
from mlc.data._files import FileDataset
from mlc.data._pieces import PieceDataset
from mlc.data._tfrecord import make_batched_features_dataset, read_tfrecords

__all__ = [
    "Batches",
    "Dataset",
    "FileDataset",
    "PieceDataset",
    "constant",
    "make_batched_features_dataset",
    "make_csv_dataset",
    "read_tfrecords",
]
