"""What a canned Estimator is made of: body, head and warm start, as descriptions that a spec is written from."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import operator
import sys
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from mlc.errors import did_you_mean
from mlc.feature_column import CategoricalColumn, DenseColumn, FeatureColumn
from mlc.optimizers import Optimizer

if TYPE_CHECKING:
    from mlc.initializers import Initializer

ACTIVATIONS = (
    "relu", "sigmoid", "tanh", "linear", "elu", "selu", "exponential", "gelu", "hard_sigmoid", "mish", "softmax",
    "softplus", "softsign", "swish", "relu6", "leaky_relu",
)  # fmt: skip
CELLS = ("simple_rnn", "lstm", "gru")
COMBINERS = ("sum", "mean", "sqrtn")
LOSS_REDUCTIONS = {"tf2": "sum_over_batch_size", "tf1": "sum"}
"""Of canned Estimators that name none, by whose defaults hold: those of TensorFlow 2's classes, or of 1's."""


@dataclass(frozen=True)
class LinearBody:
    """A linear model over columns of any kind."""

    columns: tuple[FeatureColumn, ...]
    optimizer: Optimizer
    sparse_combiner: str = "sum"
    l2: bool = False
    """There is a penalty on squares of weights; how large it is says a setting of the start."""


@dataclass(frozen=True)
class DnnBody:
    """Fully connected layers over dense columns."""

    columns: tuple[DenseColumn, ...]
    hidden_units: tuple[int, ...]
    optimizer: Optimizer
    activation_fn: str = "relu"
    dropout: float | None = None
    batch_norm: bool = False
    l2: bool = False
    """As of LinearBody, of the kernels of all layers."""


@dataclass(frozen=True)
class BaselineBody:
    """The same logits for every row."""

    optimizer: Optimizer


@dataclass(frozen=True)
class RnnBody:
    """Recurrent layers over sequences, with dense columns as a context of each step."""

    sequence_columns: tuple[FeatureColumn, ...]
    context_columns: tuple[DenseColumn, ...]
    units: tuple[int, ...]
    cell_type: str
    """One of CELLS."""
    optimizer: Optimizer
    return_sequences: bool = False
    """Each step is learned and predicted."""


@dataclass(frozen=True)
class Head:
    """What is learned. `kind` is the field of a spec's Head; the rest is what that kind of head has."""

    kind: str
    loss_reduction: str
    weight_column: str | None = None
    n_classes: int = 2
    label_vocabulary: tuple[str, ...] | None = None
    label_dimension: int = 1
    thresholds: tuple[float, ...] = ()
    class_metrics: tuple[str, ...] = ()
    """Classes of a multi_label head, by label or number, that have metrics of their own."""
    compute_full_loss: bool = True
    name: str | None = None
    """Of one of several heads; None: it is the only one."""
    head_weight: float = 1.0
    """Factor of the loss of one of several heads."""
    metric_name: str | None = None
    """Of an only head: what keys of metrics end in, after "/"; None: nothing."""


@dataclass(frozen=True)
class VocabularyRemap:
    """The vocabulary that rows (axis 0) or columns (axis 1) of a variable of the old model stand for."""

    variable: str
    old_vocabulary_file: str
    old_vocabulary_size: int | None
    axis: int
    new_vocabulary_file: str | None = None
    """Of a model_fn; a canned Estimator's feature columns tell it."""
    new_vocabulary_size: int | None = None
    num_oov_buckets: int = 0
    backup_initializer: Initializer | None = None
    """What rows or columns of new terms begin with; None: what the variable's own initializer gives."""


@dataclass(frozen=True)
class WarmStart:
    """Values of another model's checkpoint as initial ones."""

    checkpoint: str
    variables: tuple[str, ...] | None
    """Regular expressions; None: all trained variables."""
    remaps: tuple[VocabularyRemap, ...] = ()
    previous_names: tuple[tuple[str, str], ...] = ()
    """Variables that have another name in the checkpoint, and that name."""


@dataclass(frozen=True)
class Model:
    """A model as its Estimator was called: one of the bodies, or a linear and a dnn one together."""

    name: str
    heads: tuple[Head, ...]
    """One, or several with names."""
    linear: LinearBody | None = None
    dnn: DnnBody | None = None
    baseline: BaselineBody | None = None
    rnn: RnnBody | None = None
    warm_start: WarmStart | None = None
    metric_fns: tuple[Callable[..., Any], ...] = ()
    """What add_metrics was given: evaluations have the metrics that they return, too."""
    compat: str = "tf2"
    """A key of LOSS_REDUCTIONS: whose defaults hold for what is not said."""

    def __post_init__(self) -> None:
        check_compat(self.compat)

    @property
    def columns(self) -> tuple[FeatureColumn, ...]:
        """The feature columns of all bodies, each once."""
        listed = (*(self.linear.columns if self.linear else ()), *(self.dnn.columns if self.dnn else ()))
        if self.rnn:
            listed = (*self.rnn.sequence_columns, *self.rnn.context_columns)
        return tuple(dict.fromkeys(listed))


def check_columns(columns: Iterable[FeatureColumn], argument: str, dense: bool, steps: bool = False) -> tuple[Any, ...]:
    """The feature columns of a body, in their order.

    Args:
      columns: what the user passed for `argument`.
      dense: the body takes dense columns alone.
      steps: the body takes sequences alone.

    Raises:
      TypeError: no list of feature columns.
      ValueError: no column, two of one name, a categorical one in a dense body, or a sequence where none is expected.
    """
    if isinstance(columns, (FeatureColumn, str, bytes)) or not isinstance(columns, Iterable):
        raise TypeError(f"{argument} must be a list of feature columns; found {columns!r}")
    listed = tuple(columns)
    if not listed:
        raise ValueError(f"{argument} must not be empty")
    seen: dict[str, FeatureColumn] = {}
    for column in listed:
        if not isinstance(column, FeatureColumn):
            raise TypeError(f"{argument}: items must be columns of mlc.feature_column; found {column!r}")
        if steps and not column.is_sequence:
            raise ValueError(
                f"{argument}: '{column.name}' is no sequence; expected columns of sequence_numeric_column, and "
                "indicator_column or embedding_column of a sequence_categorical_column_with_..."
            )
        if column.is_sequence and not steps:
            raise ValueError(
                f"{argument}: '{column.name}' is a sequence, which an RNN Estimator takes as one of its "
                "sequence_feature_columns; expected columns without 'sequence' in the function that makes them"
            )
        if (dense or steps) and isinstance(column, CategoricalColumn) and not isinstance(column, DenseColumn):
            raise ValueError(
                f"{argument}: '{column.name}' is categorical; a DNN or RNN takes dense columns: wrap it with "
                "indicator_column or embedding_column"
            )
        if column.name in seen:
            raise ValueError(f"Duplicate feature column name found for columns: {column!r} and {seen[column.name]!r}")
        seen[column.name] = column
    return listed


def check_hidden_units(hidden_units: Any, argument: str) -> tuple[int, ...]:
    """Widths of the hidden layers, each at least 1; none is allowed."""
    try:
        units = tuple(operator.index(width) for width in hidden_units)
    except TypeError:
        raise TypeError(f"{argument} must be a list of integers; found {hidden_units!r}") from None
    if any(width < 1 for width in units):
        raise ValueError(f"{argument} must be integers of at least 1; found {units}")
    return units


def check_activation(activation_fn: Any, argument: str) -> str:
    """The name of an activation: itself, or that of a function of mlc.ops; None is the identity.

    ValueError, with all names, for other functions and names.
    """
    if activation_fn is None:
        return "linear"
    if callable(activation_fn):
        ops = sys.modules.get("mlc.ops")  # who has a function of it has loaded it
        activation_fn = next((name for name in ACTIVATIONS if getattr(ops, name, None) is activation_fn), activation_fn)
    if activation_fn not in ACTIVATIONS:
        names = ", ".join(ACTIVATIONS)
        hint = did_you_mean(activation_fn, ACTIVATIONS) if isinstance(activation_fn, str) else ""
        text = f"{argument} {activation_fn!r} cannot be compiled; expected None or one of the names {names}"
        raise ValueError(text + (f"; {hint}" if hint else ""))
    return str(activation_fn)


def check_dropout(dropout: float | None, argument: str) -> float | None:
    """The share of a hidden layer's outputs that training drops; None or 0: none."""
    if dropout is None:
        return None
    if not 0 <= dropout < 1:
        raise ValueError(f"{argument} must be in [0, 1); found {dropout!r}")
    return float(dropout) or None


def check_combiner(combiner: str, argument: str) -> str:
    """One of "sum", "mean" and "sqrtn"."""
    if combiner not in COMBINERS:
        raise ValueError(f"{argument} must be one of {', '.join(COMBINERS)}; found {combiner!r}")
    return combiner


def check_compat(compat: Any) -> str:
    """A key of LOSS_REDUCTIONS."""
    if compat not in LOSS_REDUCTIONS:
        raise ValueError(f"compat must be 'tf2' or 'tf1'; found {compat!r}")
    return str(compat)


def check_cell(cell_type: Any) -> str:
    """One of the names in CELLS."""
    if cell_type not in CELLS:
        names = ", ".join(f"'{name}'" for name in CELLS)
        raise ValueError(
            f"cell_type must be one of {names}; found {cell_type!r}. Other cells: a model_fn with layers.dynamic_rnn"
        )
    return str(cell_type)
