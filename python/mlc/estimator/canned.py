"""The canned Estimators: constructors with TensorFlow's parameters, in its order and with its defaults."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import math
import os
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from mlc import optimizers
from mlc._model import (
    LOSS_REDUCTIONS,
    BaselineBody,
    DnnBody,
    LinearBody,
    Model,
    check_activation,
    check_columns,
    check_combiner,
    check_compat,
    check_dropout,
    check_hidden_units,
)
from mlc._model import Head as HeadDescription
from mlc.estimator.estimator import Estimator
from mlc.estimator.heads import Head, RegressionHead, classifier_head
from mlc.estimator.run_config import RunConfig
from mlc.estimator.specs import WarmStartSettings, warm_start
from mlc.feature_column import DenseColumn, FeatureColumn

OptimizerArg = str | optimizers.Optimizer | Callable[[], optimizers.Optimizer]
PathArg = str | os.PathLike[str] | None
WarmStartArg = str | os.PathLike[str] | WarmStartSettings | None
WeightArg = Any
"""None, a key, or a numeric column without a normalizer_fn."""



class _Unsaid(str):
    """The default of an argument, which compat may change."""


_MEAN = _Unsaid(LOSS_REDUCTIONS["tf2"])
CompatArg = str
"""'tf2' or 'tf1': see LinearClassifier."""


def _linear_body(columns: Any, argument: str, optimizer: Any, sparse_combiner: str) -> LinearBody:
    listed = check_columns(columns, argument, dense=False)
    if optimizer is None:
        # What TensorFlow takes where no optimizer is named: the more columns, the smaller the steps.
        optimizer = optimizers.Ftrl(learning_rate=min(0.2, 1 / math.sqrt(len(listed))))
    return LinearBody(listed, optimizers.get(optimizer), check_combiner(sparse_combiner, "sparse_combiner"))


def _dnn_body(
    columns: Any, hidden_units: Any, optimizer: Any, activation_fn: Any, dropout: Any, batch_norm: bool,
    prefix: str = "",
) -> DnnBody:  # fmt: skip
    return DnnBody(
        columns=check_columns(columns, f"{prefix}feature_columns", dense=True),
        hidden_units=check_hidden_units(hidden_units, f"{prefix}hidden_units"),
        optimizer=optimizers.get(optimizer),
        activation_fn=check_activation(activation_fn, f"{prefix}activation_fn"),
        dropout=check_dropout(dropout, f"{prefix}dropout"),
        batch_norm=bool(batch_norm),
    )


def _combined_bodies(
    linear_columns: Any, linear_optimizer: Any, linear_sparse_combiner: str, dnn_columns: Any, dnn_optimizer: Any,
    dnn_hidden_units: Any, dnn_activation_fn: Any, dnn_dropout: Any, batch_norm: bool,
) -> dict[str, Any]:  # fmt: skip
    """The bodies of a wide and deep model, of which one may be absent, as arguments of Model."""
    linear_columns, dnn_columns = tuple(linear_columns or ()), tuple(dnn_columns or ())
    if not linear_columns and not dnn_columns:
        raise ValueError("Either linear_feature_columns or dnn_feature_columns must be defined.")
    if dnn_columns and not dnn_hidden_units:
        raise ValueError("dnn_hidden_units must be defined when dnn_feature_columns is specified.")
    bodies: dict[str, Any] = {}
    if linear_columns:
        if linear_optimizer is None:
            raise ValueError("linear_optimizer must be an optimizer or its name; found None")
        bodies["linear"] = _linear_body(
            linear_columns, "linear_feature_columns", linear_optimizer, linear_sparse_combiner
        )
    if dnn_columns:
        bodies["dnn"] = _dnn_body(
            dnn_columns, dnn_hidden_units, dnn_optimizer, dnn_activation_fn, dnn_dropout, batch_norm, "dnn_"
        )
    return bodies


def described(head: Any) -> tuple[HeadDescription, ...]:
    """The heads of a head of canned Estimators. TypeError for anything else, UnsupportedError for a head that a model_fn alone takes."""
    if not isinstance(head, Head):
        raise TypeError(f"head must be a head of mlc.estimator, such as BinaryClassHead(); found {head!r}")
    return head.describe()


def _reduction(loss_reduction: Any, compat: str) -> Any:
    return LOSS_REDUCTIONS[check_compat(compat)] if isinstance(loss_reduction, _Unsaid) else loss_reduction


def _head_of_classes(
    n_classes: int, weight_column: Any, label_vocabulary: Any, loss_reduction: Any, compat: str
) -> tuple[HeadDescription, ...]:
    return classifier_head(n_classes, weight_column, label_vocabulary, _reduction(loss_reduction, compat)).describe()


def _head_of_numbers(
    label_dimension: int, weight_column: Any, loss_reduction: Any, compat: str
) -> tuple[HeadDescription, ...]:
    return RegressionHead(label_dimension, weight_column, _reduction(loss_reduction, compat)).describe()


class LinearClassifier(Estimator):
    """A linear model that tells classes: binary (n_classes 2) or one of many.

    `sparse_combiner` says how the weights of several ids of a column become one: "sum", "mean" or "sqrtn". An optimizer
    of None is Ftrl with the learning rate min(0.2, 1 / sqrt(number of columns)); 'Ftrl' has 0.2.

    `compat`: "tf1" takes the numbers of TensorFlow 1's classes (tf.compat.v1.estimator) for what is not said: losses are
    sums over the rows of a batch, a DNN's Adagrad that is named, not made, has the rate 0.05, optimizers divide as there.
    """

    def __init__(
        self,
        feature_columns: Iterable[FeatureColumn],
        model_dir: PathArg = None,
        n_classes: int = 2,
        weight_column: WeightArg = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: OptimizerArg | None = "Ftrl",
        config: RunConfig | None = None,
        warm_start_from: WarmStartArg = None,
        loss_reduction: str = _MEAN,
        sparse_combiner: str = "sum",
        *,
        compat: CompatArg = "tf2",
    ) -> None:
        super().__init__(
            Model(
                "linear_classifier",
                _head_of_classes(n_classes, weight_column, label_vocabulary, loss_reduction, compat),
                linear=_linear_body(feature_columns, "feature_columns", optimizer, sparse_combiner),
                warm_start=warm_start(warm_start_from),
                compat=compat,
            ),
            model_dir,
            config,
        )


class LinearRegressor(Estimator):
    """A linear model that tells label_dimension numbers. See LinearClassifier."""

    def __init__(
        self,
        feature_columns: Iterable[FeatureColumn],
        model_dir: PathArg = None,
        label_dimension: int = 1,
        weight_column: WeightArg = None,
        optimizer: OptimizerArg | None = "Ftrl",
        config: RunConfig | None = None,
        warm_start_from: WarmStartArg = None,
        loss_reduction: str = _MEAN,
        sparse_combiner: str = "sum",
        *,
        compat: CompatArg = "tf2",
    ) -> None:
        super().__init__(
            Model(
                "linear_regressor",
                _head_of_numbers(label_dimension, weight_column, loss_reduction, compat),
                linear=_linear_body(feature_columns, "feature_columns", optimizer, sparse_combiner),
                warm_start=warm_start(warm_start_from),
                compat=compat,
            ),
            model_dir,
            config,
        )


class LinearEstimator(Estimator):
    """A linear model that learns what a head says. See LinearClassifier."""

    def __init__(
        self,
        head: Head,
        feature_columns: Iterable[FeatureColumn],
        model_dir: PathArg = None,
        optimizer: OptimizerArg | None = "Ftrl",
        config: RunConfig | None = None,
        sparse_combiner: str = "sum",
        warm_start_from: WarmStartArg = None,
        *,
        compat: CompatArg = "tf2",
    ) -> None:
        body = _linear_body(feature_columns, "feature_columns", optimizer, sparse_combiner)
        model = Model("linear_estimator", described(head), linear=body, warm_start=warm_start(warm_start_from), compat=compat)
        super().__init__(model, model_dir, config)


class DNNClassifier(Estimator):
    """Fully connected layers that tell classes: binary (n_classes 2) or one of many.

    `hidden_units` are the widths of the hidden layers, `activation_fn` is a name such as "relu" (None: the identity),
    `dropout` the share of a hidden layer's outputs that training drops. `compat` is as of LinearClassifier.
    """

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Iterable[DenseColumn],
        model_dir: PathArg = None,
        n_classes: int = 2,
        weight_column: WeightArg = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: OptimizerArg = "Adagrad",
        activation_fn: str | None = "relu",
        dropout: float | None = None,
        config: RunConfig | None = None,
        warm_start_from: WarmStartArg = None,
        loss_reduction: str = _MEAN,
        batch_norm: bool = False,
        *,
        compat: CompatArg = "tf2",
    ) -> None:
        super().__init__(
            Model(
                "dnn_classifier",
                _head_of_classes(n_classes, weight_column, label_vocabulary, loss_reduction, compat),
                dnn=_dnn_body(feature_columns, hidden_units, optimizer, activation_fn, dropout, batch_norm),
                warm_start=warm_start(warm_start_from),
                compat=compat,
            ),
            model_dir,
            config,
        )


class DNNRegressor(Estimator):
    """Fully connected layers that tell label_dimension numbers. See DNNClassifier."""

    def __init__(
        self,
        hidden_units: Sequence[int],
        feature_columns: Iterable[DenseColumn],
        model_dir: PathArg = None,
        label_dimension: int = 1,
        weight_column: WeightArg = None,
        optimizer: OptimizerArg = "Adagrad",
        activation_fn: str | None = "relu",
        dropout: float | None = None,
        config: RunConfig | None = None,
        warm_start_from: WarmStartArg = None,
        loss_reduction: str = _MEAN,
        batch_norm: bool = False,
        *,
        compat: CompatArg = "tf2",
    ) -> None:
        super().__init__(
            Model(
                "dnn_regressor",
                _head_of_numbers(label_dimension, weight_column, loss_reduction, compat),
                dnn=_dnn_body(feature_columns, hidden_units, optimizer, activation_fn, dropout, batch_norm),
                warm_start=warm_start(warm_start_from),
                compat=compat,
            ),
            model_dir,
            config,
        )


class DNNEstimator(Estimator):
    """Fully connected layers that learn what a head says. See DNNClassifier."""

    def __init__(
        self,
        head: Head,
        hidden_units: Sequence[int],
        feature_columns: Iterable[DenseColumn],
        model_dir: PathArg = None,
        optimizer: OptimizerArg = "Adagrad",
        activation_fn: str | None = "relu",
        dropout: float | None = None,
        config: RunConfig | None = None,
        warm_start_from: WarmStartArg = None,
        batch_norm: bool = False,
        *,
        compat: CompatArg = "tf2",
    ) -> None:
        body = _dnn_body(feature_columns, hidden_units, optimizer, activation_fn, dropout, batch_norm)
        model = Model("dnn_estimator", described(head), dnn=body, warm_start=warm_start(warm_start_from), compat=compat)
        super().__init__(model, model_dir, config)


class DNNLinearCombinedClassifier(Estimator):
    """Wide and deep, telling classes: the logits of a linear model and of fully connected layers are added.

    One of the parts may be absent. Optimizers that are named, not made, have the learning rates 0.001 (dnn) and
    min(0.005, 1 / sqrt(number of linear columns)). `compat` is as of LinearClassifier.
    """

    def __init__(
        self,
        model_dir: PathArg = None,
        linear_feature_columns: Iterable[FeatureColumn] | None = None,
        linear_optimizer: OptimizerArg = "Ftrl",
        dnn_feature_columns: Iterable[DenseColumn] | None = None,
        dnn_optimizer: OptimizerArg = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: str | None = "relu",
        dnn_dropout: float | None = None,
        n_classes: int = 2,
        weight_column: WeightArg = None,
        label_vocabulary: Sequence[str] | None = None,
        config: RunConfig | None = None,
        warm_start_from: WarmStartArg = None,
        loss_reduction: str = _MEAN,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
        *,
        compat: CompatArg = "tf2",
    ) -> None:
        bodies = _combined_bodies(
            linear_feature_columns, linear_optimizer, linear_sparse_combiner, dnn_feature_columns, dnn_optimizer,
            dnn_hidden_units, dnn_activation_fn, dnn_dropout, batch_norm,
        )  # fmt: skip
        head = _head_of_classes(n_classes, weight_column, label_vocabulary, loss_reduction, compat)
        model = Model("dnn_linear_combined_classifier", head, **bodies, warm_start=warm_start(warm_start_from), compat=compat)
        super().__init__(model, model_dir, config)


class DNNLinearCombinedRegressor(Estimator):
    """Wide and deep, telling label_dimension numbers. See DNNLinearCombinedClassifier."""

    def __init__(
        self,
        model_dir: PathArg = None,
        linear_feature_columns: Iterable[FeatureColumn] | None = None,
        linear_optimizer: OptimizerArg = "Ftrl",
        dnn_feature_columns: Iterable[DenseColumn] | None = None,
        dnn_optimizer: OptimizerArg = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: str | None = "relu",
        dnn_dropout: float | None = None,
        label_dimension: int = 1,
        weight_column: WeightArg = None,
        config: RunConfig | None = None,
        warm_start_from: WarmStartArg = None,
        loss_reduction: str = _MEAN,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
        *,
        compat: CompatArg = "tf2",
    ) -> None:
        bodies = _combined_bodies(
            linear_feature_columns, linear_optimizer, linear_sparse_combiner, dnn_feature_columns, dnn_optimizer,
            dnn_hidden_units, dnn_activation_fn, dnn_dropout, batch_norm,
        )  # fmt: skip
        head = _head_of_numbers(label_dimension, weight_column, loss_reduction, compat)
        model = Model("dnn_linear_combined_regressor", head, **bodies, warm_start=warm_start(warm_start_from), compat=compat)
        super().__init__(model, model_dir, config)


class DNNLinearCombinedEstimator(Estimator):
    """Wide and deep, learning what a head says. See DNNLinearCombinedClassifier."""

    def __init__(
        self,
        head: Head,
        model_dir: PathArg = None,
        linear_feature_columns: Iterable[FeatureColumn] | None = None,
        linear_optimizer: OptimizerArg = "Ftrl",
        dnn_feature_columns: Iterable[DenseColumn] | None = None,
        dnn_optimizer: OptimizerArg = "Adagrad",
        dnn_hidden_units: Sequence[int] | None = None,
        dnn_activation_fn: str | None = "relu",
        dnn_dropout: float | None = None,
        config: RunConfig | None = None,
        batch_norm: bool = False,
        linear_sparse_combiner: str = "sum",
        *,
        compat: CompatArg = "tf2",
    ) -> None:
        bodies = _combined_bodies(
            linear_feature_columns, linear_optimizer, linear_sparse_combiner, dnn_feature_columns, dnn_optimizer,
            dnn_hidden_units, dnn_activation_fn, dnn_dropout, batch_norm,
        )  # fmt: skip
        super().__init__(Model("dnn_linear_combined_estimator", described(head), **bodies, compat=compat), model_dir, config)


class BaselineClassifier(Estimator):
    """Tells the shares of the classes, the same for every row: what can be learned of the labels without a feature.

    `compat` is as of LinearClassifier.
    """

    def __init__(
        self,
        model_dir: PathArg = None,
        n_classes: int = 2,
        weight_column: WeightArg = None,
        label_vocabulary: Sequence[str] | None = None,
        optimizer: OptimizerArg = "Ftrl",
        config: RunConfig | None = None,
        loss_reduction: str = _MEAN,
        *,
        compat: CompatArg = "tf2",
    ) -> None:
        head = _head_of_classes(n_classes, weight_column, label_vocabulary, loss_reduction, compat)
        body = BaselineBody(optimizers.get(optimizer))
        super().__init__(Model("baseline_classifier", head, baseline=body, compat=compat), model_dir, config)


class BaselineRegressor(Estimator):
    """Tells the mean of the labels, the same for every row. See BaselineClassifier."""

    def __init__(
        self,
        model_dir: PathArg = None,
        label_dimension: int = 1,
        weight_column: WeightArg = None,
        optimizer: OptimizerArg = "Ftrl",
        config: RunConfig | None = None,
        loss_reduction: str = _MEAN,
        *,
        compat: CompatArg = "tf2",
    ) -> None:
        head = _head_of_numbers(label_dimension, weight_column, loss_reduction, compat)
        body = BaselineBody(optimizers.get(optimizer))
        super().__init__(Model("baseline_regressor", head, baseline=body, compat=compat), model_dir, config)


class BaselineEstimator(Estimator):
    """Tells the same for every row, as a head says: what can be learned of the labels without a feature.

    `compat` is as of LinearClassifier.
    """

    def __init__(
        self,
        head: Head,
        model_dir: PathArg = None,
        optimizer: OptimizerArg = "Ftrl",
        config: RunConfig | None = None,
        *,
        compat: CompatArg = "tf2",
    ) -> None:
        body = BaselineBody(optimizers.get(optimizer))
        super().__init__(Model("baseline_estimator", described(head), baseline=body, compat=compat), model_dir, config)
