"""class MLCClassifier and class MLCRegressor."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.utils import check_array, column_or_1d
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.multiclass import check_classification_targets, type_of_target

from mlc.sklearn._base import MLCEstimator
from mlc.sklearn._network import Target

_ORDER = (
    "rows of a batch are drawn by chance, and a network is no convex problem: a row of weight 2 is not bit for bit the "
    "row twice; a row of weight 0 is left out"
)
_FAILED = {
    "check_sample_weight_equivalence_on_dense_data": _ORDER,
    "check_sample_weight_equivalence_on_sparse_data": _ORDER,
    "check_sample_weights_invariance": _ORDER,
}


def expected_failed_checks(estimator: Any) -> dict[str, str]:
    """The checks of sklearn.utils.estimator_checks.check_estimator that fail of `estimator`, and why: its argument of this name."""
    return dict(_FAILED)


class MLCClassifier(ClassifierMixin, MLCEstimator):
    """A compiled classifier: of two classes, of many, or (y [rows, labels] of 0 and 1) of any number for each row.

    See MLCEstimator for arguments and attributes, and docs/scikit-learn.md.

    Attributes:
      classes_: the labels of the classes, sorted. Of columns of y, those columns' numbers.
    """

    _is_regression = False

    def __init__(
        self,
        model: str = "auto",
        hidden_units: Any = "auto",
        *,
        activation: str = "relu",
        optimizer: Any = "auto",
        learning_rate: float | str = "auto",
        alpha: float | str = "auto",
        dropout: float | str = "auto",
        batch_size: int | str = "auto",
        max_iter: int | None = None,
        early_stopping: bool | str = "auto",
        validation_fraction: float | str = "auto",
        n_iter_no_change: int | str = "auto",
        refit: bool | str = "auto",
        class_weight: dict[Any, float] | str | None = None,
        warm_start: bool = False,
        callbacks: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        device: str = "cpu",
    ) -> None:
        self.model = model
        self.hidden_units = hidden_units
        self.activation = activation
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.alpha = alpha
        self.dropout = dropout
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.refit = refit
        self.class_weight = class_weight
        self.warm_start = warm_start
        self.callbacks = callbacks
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.device = device

    def partial_fit(self, X: Any, y: Any, classes: Any = None, sample_weight: Any = None) -> MLCClassifier:
        """Goes through rows once, from where the last call ended.

        Args:
          X, y, sample_weight: as of fit. What is learned of columns (means, categories) is learned by the first call.
          classes: all classes that will come; needed by the first call.
        """
        return self._partial_fit(X, y, sample_weight, classes)

    def predict(self, X: Any) -> np.ndarray:
        """The class of the largest probability of each row, [rows]; of several labels 0 and 1, [rows, labels]."""
        probabilities = self._predict(X, "probabilities")
        if self._is_multi_label:
            return (probabilities > 0.5).astype(np.int64)
        found: np.ndarray = self.classes_[probabilities.argmax(axis=1)]
        return found

    def predict_proba(self, X: Any) -> np.ndarray:
        """float64 [rows, classes], in the order of classes_."""
        return self._predict(X, "probabilities").astype(np.float64)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """The logarithms of predict_proba."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    @property
    def _is_multi_label(self) -> bool:
        return self._target.kind == "multi_label"

    def _read_labels(self, y: Any, is_first: bool, classes: Any) -> np.ndarray:
        """Labels as the network has them. Sets classes_ and _target if `is_first`."""
        check_classification_targets(y)
        if type_of_target(y) == "multilabel-indicator" and classes is None:
            return self._read_indicators(y, is_first)
        y = column_or_1d(y, warn=True)
        if is_first:
            self.classes_ = np.unique(y) if classes is None else np.unique(classes)
            count = len(self.classes_)
            if count < 2:
                raise ValueError(
                    f"{type(self).__name__} needs samples of at least 2 classes in the data, but the data contains only "
                    f"one class: {self.classes_[0]!r}"
                )
            self._target = Target("binary_class" if count == 2 else "multi_class", count)
        elif self._is_multi_label:
            raise ValueError(f"y has one label for each row; expected {self._target.count} columns of 0 and 1")
        places = np.searchsorted(self.classes_, y)
        places[places == len(self.classes_)] = 0
        unknown = self.classes_[places] != y
        if np.any(unknown):
            found = np.unique(y[unknown])
            raise ValueError(f"y has new classes {found}; expected those of the first call: {self.classes_}")
        return places.astype(np.int64)

    def _read_indicators(self, y: Any, is_first: bool) -> np.ndarray:
        dense: np.ndarray = check_array(y, accept_sparse=True, dtype=np.float32)
        dense = dense.toarray() if hasattr(dense, "toarray") else dense
        if is_first:
            self.classes_ = np.arange(dense.shape[1])
            self._target = Target("multi_label", dense.shape[1])
        elif not self._is_multi_label or self._target.count != dense.shape[1]:
            raise ValueError(f"y has {dense.shape[1]} columns; expected what the first call had")
        return dense

    def _class_weights(self, labels: np.ndarray, is_partial: bool) -> np.ndarray | None:
        if self.class_weight is None:
            return None
        if is_partial and self.class_weight == "balanced":
            raise ValueError(
                "class_weight 'balanced' is not supported for partial_fit, which sees a part of the rows: pass "
                "compute_class_weight('balanced', classes=classes, y=y) of all of them as a dict"
            )
        y = labels if self._is_multi_label else self.classes_[labels]
        weights: np.ndarray = compute_sample_weight(self.class_weight, y)
        if (weights < 0).any():
            raise ValueError(f"class_weight is {self.class_weight!r}; expected factors of at least 0")
        return weights

    def _more_tags(self) -> dict[str, Any]:
        return super()._more_tags() | {"multilabel": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.multi_label = True
        return tags


class MLCRegressor(RegressorMixin, MLCEstimator):
    """A compiled regression, of one number for each row or (y [rows, outputs]) of several.

    It is trained on the squares of errors, of y with mean 0 and deviation 1. See MLCEstimator for arguments and
    attributes, and docs/scikit-learn.md.

    Attributes:
      n_outputs_: numbers per row.
    """

    _is_regression = True

    def __init__(
        self,
        model: str = "auto",
        hidden_units: Any = "auto",
        *,
        activation: str = "relu",
        optimizer: Any = "auto",
        learning_rate: float | str = "auto",
        alpha: float | str = "auto",
        dropout: float | str = "auto",
        batch_size: int | str = "auto",
        max_iter: int | None = None,
        early_stopping: bool | str = "auto",
        validation_fraction: float | str = "auto",
        n_iter_no_change: int | str = "auto",
        refit: bool | str = "auto",
        warm_start: bool = False,
        callbacks: Any = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        device: str = "cpu",
    ) -> None:
        self.model = model
        self.hidden_units = hidden_units
        self.activation = activation
        self.optimizer = optimizer
        self.learning_rate = learning_rate
        self.alpha = alpha
        self.dropout = dropout
        self.batch_size = batch_size
        self.max_iter = max_iter
        self.early_stopping = early_stopping
        self.validation_fraction = validation_fraction
        self.n_iter_no_change = n_iter_no_change
        self.refit = refit
        self.warm_start = warm_start
        self.callbacks = callbacks
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.device = device

    def partial_fit(self, X: Any, y: Any, sample_weight: Any = None) -> MLCRegressor:
        """Goes through rows once, from where the last call ended.

        Args:
          X, y, sample_weight: as of fit. What is learned of columns and of y (means, deviations, categories) is learned
            by the first call.
        """
        return self._partial_fit(X, y, sample_weight, None)

    def predict(self, X: Any) -> np.ndarray:
        """float64 [rows], or [rows, outputs] where y had several."""
        scaled = self._predict(X, "predictions").astype(np.float64)
        found: np.ndarray = scaled * self._scale + self._mean
        return found if self.n_outputs_ > 1 else found[:, 0]

    def _read_labels(self, y: Any, is_first: bool, classes: Any) -> np.ndarray:
        """float32 labels, [rows] or [rows, outputs], with mean 0 and deviation 1 in the first call's rows."""
        if y is None:
            raise ValueError(
                f"This {type(self).__name__} estimator requires y to be passed, but the target y is None."
            )
        y = check_array(y, ensure_2d=False, dtype=np.float64, input_name="y")
        if y.ndim == 1 or y.shape[1] == 1:
            y = column_or_1d(y, warn=True)
        table = y.reshape(len(y), -1)
        if is_first:
            self.n_outputs_ = table.shape[1]
            self._target = Target("regression", self.n_outputs_)
            scale = table.std(axis=0)
            self._mean, self._scale = table.mean(axis=0), np.where(scale > 0, scale, 1.0)
        elif table.shape[1] != self.n_outputs_:
            raise ValueError(f"y has {table.shape[1]} outputs; expected {self.n_outputs_}, as the first call had")
        labels: np.ndarray = ((table - self._mean) / self._scale).astype(np.float32)
        return labels if self.n_outputs_ > 1 else labels[:, 0]

    def _class_weights(self, labels: np.ndarray, is_partial: bool) -> np.ndarray | None:
        return None

    def _more_tags(self) -> dict[str, Any]:
        return super()._more_tags() | {"multioutput": True}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        return tags
