"""The model of an estimator: what code depends on, and the numbers that it is started with.

Rates, penalties, sizes of batches and lengths of runs are settings of a start (`mlc spec explain`), so that a search over
them compiles once.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import itertools
from dataclasses import dataclass, replace
from typing import Any

from mlc import _engine, optimizers
from mlc import feature_column as fc
from mlc._model import DnnBody, Head, LinearBody, Model, check_activation, check_hidden_units
from mlc.sklearn._table import TableEncoder

BODIES = ("dnn", "linear", "wide_deep")
_LINEAR_RATE = 0.2
"""Of Ftrl, as `mlc spec init` writes it."""


@dataclass(frozen=True)
class Target:
    """What is learned: a kind of head, and the number of classes or of numbers per row."""

    kind: str
    """binary_class, multi_class, multi_label or regression."""
    count: int

    def head(self) -> Head:
        """The head, which takes the weights of rows from the column "weight"."""
        classes = {"n_classes": self.count} if self.kind.startswith("multi") else {}
        numbers = {"label_dimension": self.count} if self.kind == "regression" else {}
        return Head(self.kind, "sum_over_batch_size", weight_column="weight", **classes, **numbers)


@dataclass(frozen=True)
class Columns:
    """What of a table code depends on."""

    numbers: int
    """Inputs that are numbers."""
    categories: tuple[int, ...]
    """Of each column of categories, the number of values that training saw; values that it did not see are one more."""
    words: int
    """Ids of a sparse matrix; 0: there is none."""
    combiner: str
    """How the embeddings of a row of it become one."""
    inputs: int
    """Of a network, those of columns with one value left out: the rules go by them."""
    sources: int
    """Columns that they come from."""

    @classmethod
    def of(cls, encoder: TableEncoder) -> Columns:
        numbers, categories = encoder.numbers, tuple(len(each) for each in encoder.categories.values())
        words = encoder.words.count if encoder.words else 0
        varying = numbers.varying if numbers else 0
        inputs = varying + (len(numbers.gaps) if numbers else 0)
        for count in (*categories, *([words] if words else [])):
            inputs += dimension_of(count) or count + 1
        # Weights of two signs may add up to nothing, which a mean would be divided by; the root of their squares does not.
        combiner = "sqrtn" if encoder.words and not encoder.words.is_positive else "mean"
        sources = varying + len(categories) + (words > 0)
        return cls(numbers.width if numbers else 0, categories, words, combiner, inputs, sources)

    @property
    def linear_parameters(self) -> int:
        """Weights of a linear model of one output."""
        return self.numbers + sum(self.categories) + len(self.categories) + self.words

    @property
    def table_parameters(self) -> int:
        """Numbers in tables of embeddings."""
        return sum(count * dimension_of(count) for count in (*self.categories, self.words))

    def raw(self) -> list[fc.FeatureColumn]:
        """Feature columns of a linear model."""
        return [*self._numbers(), *self._ids()]

    def ids(self) -> list[fc.FeatureColumn]:
        """Those that are ids."""
        return list(self._ids())

    def dense(self) -> list[fc.DenseColumn]:
        """Feature columns of a network: few categories as indicators, others as embeddings."""
        found = self._numbers()
        counts = [*self.categories, *([self.words] if self.words else [])]
        for count, column in zip(counts, self._ids(), strict=True):
            dimension = dimension_of(count)
            if not dimension and not self.words:
                found.append(fc.indicator_column(column))
                continue
            embedding = fc.embedding_column(column, dimension or min(count, 4), combiner=self.combiner)
            found.append(replace(embedding, table=replace(embedding.table, is_lazy=True)))
        return found

    def _numbers(self) -> list[Any]:
        return [fc.numeric_column("x", shape=self.numbers)] if self.numbers else []

    def _ids(self) -> list[Any]:
        if self.words:
            ids = fc.categorical_column_with_identity("words", self.words)
            return [fc.weighted_categorical_column(ids, "word_weights")]
        return [fc.categorical_column_with_identity(f"c{i}", n + 1) for i, n in enumerate(self.categories)]


def dimension_of(categories: int) -> int:
    """Numbers of the embedding of so many categories; 0: they are few enough for an indicator."""
    return int(_engine.native_module().embedding_dimension(categories))


@dataclass(frozen=True)
class Recipe:
    """What rules of `mlc spec init` give for a table of a size (lib/Frontend/SpecInit/Recipe.cpp)."""

    hidden_units: tuple[int, ...]
    dropout: float
    l2: float
    learning_rate: float
    batch_size: int
    epochs: int
    validation_share: float
    evaluation_steps: int
    patience: int
    """Evaluations."""

    @classmethod
    def of(cls, rows: int, columns: Columns, is_regression: bool) -> Recipe:
        found = _engine.native_module().table_recipe(rows, columns.inputs, columns.sources, is_regression)
        return cls(**{**found, "hidden_units": tuple(found["hidden_units"])})


@dataclass(frozen=True)
class Network:
    """A model and the settings that it is started with."""

    model: Model
    settings: tuple[str, ...]
    parameters: int
    """Numbers that are trained, about."""

    @classmethod
    def of(
        cls, body: str, columns: Columns, target: Target, hidden_units: Any, activation: Any, optimizer: Any,
        learning_rate: float | None, dropout: float, l2: float,
    ) -> Network:  # fmt: skip
        """Describes a model.

        Args:
          body: of BODIES.
          optimizer: a name or an optimizer of mlc.optimizers; None: Adam, of a linear model Ftrl.
          learning_rate: None: that of the optimizer, or the body's.
          dropout, l2: 0 leaves it out.
        """
        path = "model.dnn_linear_combined.dnn" if body == "wide_deep" else f"model.{body}"
        rule, settings = _rule(body, optimizer, learning_rate, path)
        if l2:
            settings.append(f"{path}.regularizer.l2={l2!r}")
        if dropout and body != "linear":
            settings.append(f"{path}.dropout={dropout!r}")
        bodies: dict[str, Any] = {}
        if body == "linear":
            bodies["linear"] = LinearBody(tuple(columns.raw()), rule, l2=bool(l2))
        else:
            bodies["dnn"] = DnnBody(
                tuple(columns.dense()), check_hidden_units(hidden_units, "hidden_units"), rule,
                check_activation(activation, "activation"), 0.5 if dropout else None, l2=bool(l2),
            )  # fmt: skip
        if body == "wide_deep":
            # Numbers are the network's, where there is something else for the linear model.
            bodies["linear"] = LinearBody(tuple(columns.ids() or columns.raw()), optimizers.Ftrl(_LINEAR_RATE))
        parameters = columns.linear_parameters * target.count
        if "dnn" in bodies:
            widths = (columns.inputs, *bodies["dnn"].hidden_units, target.count)
            parameters += sum(a * b for a, b in itertools.pairwise(widths)) + columns.table_parameters
        return cls(Model("mlc_sklearn", (target.head(),), **bodies), tuple(settings), parameters)


def _rule(
    body: str, optimizer: Any, learning_rate: float | None, path: str
) -> tuple[optimizers.Optimizer, list[str]]:
    """The optimizer as code has it, and settings."""
    if optimizer is None:
        optimizer = "Ftrl" if body == "linear" else "Adam"
    if isinstance(optimizer, str):
        names = {name.lower(): name for name in ("Adagrad", "Adam", "Ftrl", "RMSprop", "SGD", "Adadelta", "Adamax", "Nadam")}
        if optimizer.lower() not in names:
            raise ValueError(f"optimizer must be 'auto', an optimizer of mlc.optimizers or one of {', '.join(names)}; found {optimizer!r}")
        rule: optimizers.Optimizer = getattr(optimizers, names[optimizer.lower()])()
        if learning_rate is None:
            learning_rate = _LINEAR_RATE if optimizer == "Ftrl" else 0.001
    else:
        rule = optimizers.get(optimizer)
    if learning_rate is None:
        return rule, []
    return rule, [f"{path}.optimizer.{rule.rule}.learning_rate={float(learning_rate)!r}"]
