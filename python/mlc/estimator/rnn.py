"""Recurrent Estimators: constructors with the parameters of tf.estimator.experimental."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from mlc import optimizers
from mlc._model import Model, RnnBody, check_cell, check_columns, check_hidden_units
from mlc.errors import UnsupportedError
from mlc.estimator.canned import OptimizerArg, PathArg, WeightArg, described
from mlc.estimator.estimator import Estimator
from mlc.estimator.heads import Head, SequentialHeadWrapper, classifier_head
from mlc.estimator.heads._labels import weight_key
from mlc.estimator.run_config import RunConfig
from mlc.feature_column import DenseColumn, FeatureColumn
from mlc.feature_column._types import SequenceNumericColumn

_LEARNING_RATE = 0.05
_CLIP_NORM = 5.0

USE_DEFAULT = "simple_rnn"
"""The cell of layers that no cell_type tells."""


def _optimizer(optimizer: OptimizerArg) -> optimizers.Optimizer:
    """An optimizer that is named has a learning rate and a bound of each variable's gradient of this Estimator."""
    if isinstance(optimizer, str):
        return type(optimizers.get(optimizer))(learning_rate=_LEARNING_RATE, clipnorm=_CLIP_NORM)  # type: ignore[call-arg]
    return optimizers.get(optimizer)


def rnn_body(
    sequence_columns: Any, context_columns: Any, units: Any, cell_type: Any, rnn_cell_fn: Any, return_sequences: bool,
    optimizer: OptimizerArg,
) -> RnnBody:  # fmt: skip
    """The body of a recurrent Estimator, of its arguments. ValueError, TypeError or UnsupportedError names a wrong one."""
    if rnn_cell_fn is not None:
        if units or cell_type != USE_DEFAULT:
            raise ValueError("units and cell_type must not be specified when using rnn_cell_fn")
        raise UnsupportedError(
            "rnn_cell_fn: cells of one's own are for a model_fn, with layers.dynamic_rnn; expected units and cell_type"
        )
    if isinstance(units, int):
        units = [units]
    widths = check_hidden_units(units or (), "units")
    if not widths:
        raise ValueError("units must be set: a list with the width of each recurrent layer")
    sequences = check_columns(sequence_columns, "sequence_feature_columns", dense=False, steps=True)
    for column in sequences:
        if isinstance(column, SequenceNumericColumn) and math.prod(column.shape) != 1 and not return_sequences:
            raise UnsupportedError(
                f"sequence_feature_columns: '{column.name}' has several numbers for a step, the shape {column.shape}; expected "
                "(1,): give each of them a key of its own"
            )
    context = tuple(context_columns or ())
    if context:
        context = check_columns(context, "context_feature_columns", dense=True)
    for column in context:
        if column.name in {sequence.name for sequence in sequences}:
            raise ValueError(f"Duplicate feature column name found: '{column.name}' is a sequence and a context column")
    return RnnBody(sequences, context, widths, check_cell(cell_type), _optimizer(optimizer))


def _model(name: str, head: Head, body: RnnBody, return_sequences: bool) -> Model | Callable[..., Any]:
    """The model of a recurrent Estimator: one whose head is of each step is traced. ValueError for another head there."""
    if not return_sequences:
        return Model(name, described(head), rnn=body)
    if not isinstance(head, SequentialHeadWrapper):
        raise ValueError(
            f"Provided head must be a SequentialHeadWrapper when `return_sequences` is set to True; found {head!r}"
        )
    from mlc.estimator._sequence_model import sequence_model_fn  # with all ops

    def description() -> Model:
        return Model(name, head.describe_steps(), rnn=dataclasses.replace(body, return_sequences=True))

    return sequence_model_fn(name, head, body, description)


class RNNClassifier(Estimator):
    """Recurrent layers that tell classes: binary (n_classes 2) or one of many.

    Args:
      sequence_feature_columns: columns of sequences: sequence_numeric_column, and indicator_column or embedding_column
        of a sequence_categorical_column_with_...; in each row all have equally many steps. A key of ids may have several
        values in a step, if the first rows have: lists of lists, or [rows, steps, k].
      context_feature_columns: dense columns, whose numbers are an input of each step.
      units: width of each recurrent layer.
      cell_type: 'simple_rnn', 'lstm' or 'gru', as Keras 2 has them.
      rnn_cell_fn: refused; a model_fn has layers.dynamic_rnn.
      return_sequences: labels are [rows, steps], and each step is learned and predicted. Such a model is traced, as a
        model_fn is; to_spec() is what the command line trains. The weight_column is the key of a weight for each step.
      optimizer: a name stands for the learning rate 0.05 and a bound of 5 of the norm of each variable's gradient.
      sequence_mask: with return_sequences the key, among the features, of a mask of the steps that count, [rows, steps];
        without it those are that a row has. Predictions have it, too.
    """

    def __init__(
        self,
        sequence_feature_columns: Iterable[FeatureColumn],
        context_feature_columns: Iterable[DenseColumn] | None = None,
        units: Sequence[int] | int | None = None,
        cell_type: str = USE_DEFAULT,
        rnn_cell_fn: Callable[[], Any] | None = None,
        return_sequences: bool = False,
        model_dir: PathArg = None,
        n_classes: int = 2,
        weight_column: WeightArg = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: OptimizerArg = "Adagrad",
        loss_reduction: str = "sum_over_batch_size",
        sequence_mask: str = "sequence_mask",
        config: RunConfig | None = None,
    ) -> None:
        body = rnn_body(
            sequence_feature_columns, context_feature_columns, units, cell_type, rnn_cell_fn, return_sequences,
            optimizer,
        )  # fmt: skip
        head: Head = classifier_head(n_classes, weight_column, label_vocabulary, loss_reduction)
        if return_sequences:
            head = SequentialHeadWrapper(head, sequence_mask, weight_key(weight_column))
        super().__init__(_model("rnn_classifier", head, body, return_sequences), model_dir, config)


class RNNEstimator(Estimator):
    """Recurrent layers that learn what a head says, with return_sequences a SequentialHeadWrapper. See RNNClassifier."""

    def __init__(
        self,
        head: Head,
        sequence_feature_columns: Iterable[FeatureColumn],
        context_feature_columns: Iterable[DenseColumn] | None = None,
        units: Sequence[int] | int | None = None,
        cell_type: str = USE_DEFAULT,
        rnn_cell_fn: Callable[[], Any] | None = None,
        return_sequences: bool = False,
        model_dir: PathArg = None,
        optimizer: OptimizerArg = "Adagrad",
        config: RunConfig | None = None,
    ) -> None:
        body = rnn_body(
            sequence_feature_columns, context_feature_columns, units, cell_type, rnn_cell_fn, return_sequences,
            optimizer,
        )  # fmt: skip
        super().__init__(_model("rnn_estimator", head, body, return_sequences), model_dir, config)
