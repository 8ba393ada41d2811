"""What MLCClassifier and MLCRegressor have in common."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import math
import numbers
import os
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from sklearn.base import BaseEstimator
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_consistent_length, check_random_state

from mlc.sklearn import _compat
from mlc.sklearn._fitted import DEVICES, FittedModel
from mlc.sklearn._network import BODIES, Columns, Network, Recipe, Target
from mlc.sklearn._table import Rows, TableEncoder, read_rows
from mlc.sklearn._training import History, Plan, train

_FEW_ROWS = 10
"""Of fewer rows none are held out."""
_MANY_ROWS = 20000
"""Of so many, what is held out is a small loss."""
_LONGER = 1.25
"""So many times the passes that were best without the rows held out are made over all rows (docs/scikit-learn.md)."""


class MLCEstimator(BaseEstimator):
    """A model that is compiled to native code, trained and kept in memory.

    What is "auto" (and max_iter=None) is decided when fit sees the table, by the rules of `mlc spec init`. A search over
    learning_rate, alpha and dropout (both above 0), batch_size, max_iter and all that ends training compiles once.

    Args:
      model: "dnn", "linear", "wide_deep" (both, their logits added), or "auto": "dnn", and "wide_deep" for a sparse X of
        more than 1024 columns (or 2^26 cells), which is never made dense.
      hidden_units: widths of the hidden layers, such as (128, 64).
      activation: of the hidden layers: "relu", "tanh", "gelu" and so on, as of mlc.estimator.DNNClassifier.
      optimizer: "adam", "sgd", "adagrad", "ftrl", "rmsprop", ... or one of mlc.optimizers; "auto": Adam, of a linear
        model Ftrl.
      learning_rate: of the optimizer.
      alpha: penalty on the squares of weights, beside the mean of the rows' losses.
      dropout: share of a hidden layer's outputs that training drops; 0: none.
      batch_size: rows of a step.
      max_iter: passes over the rows, at most.
      early_stopping: rows are held out, and the model is the best one on them. "auto": where there are 10 rows or more.
      validation_fraction: the share of rows that is held out, evenly over classes, or over sizes of y.
      n_iter_no_change: evaluations without a better one after which training ends. One is made each pass, and of small
        tables each 25 steps.
      refit: once it is known after how many passes the rest of the rows gave the best model, a quarter more are made over
        all rows, from the beginning. "auto": of classifiers with fewer than 20,000 rows, whose log loss it makes better
        (docs/scikit-learn.md); regressions gain nothing.
      class_weight: of a classifier: factors of the weights of rows by class, or "balanced".
      warm_start: fit begins with the values of the fit before, for the same columns and classes.
      callbacks: a function, or several, called with a dict of epoch, step, loss, validation_loss (None: not yet) and refit
        (True in the passes over all rows that come second) after each pass and each evaluation. One that returns True
        ends training within a step or two; the model is kept, as if it had come to its end.
      random_state: of initial values, dropout, the order of rows and which are held out. The same number gives the same
        bits, whatever n_jobs is.
      n_jobs: threads that compute; None: 1, or what joblib.parallel_config says; -1: all processors that joblib and
        OMP_NUM_THREADS leave to this process.
      device: what the model is trained on and predicts on (docs/cuda.md): "cpu"; "auto": an NVIDIA GPU, or where there is
        none the CPU, and the log says why; "gpu": a GPU, of which MLC_GPU_MEMORY ("4GB") bounds what is taken. The bits
        are the same.

    Attributes:
      n_features_in_, feature_names_in_: as scikit-learn has them.
      n_iter_: passes over the rows that were made, begun ones too.
      loss_: the loss of training at its end, penalty included. loss_curve_: after each pass.
      validation_loss_: that of the rows held out, of the model that was kept; validation_curve_: of each evaluation. None
        where no rows were held out.
      recipe_: what took the place of "auto" and None, by argument.
    """

    _is_regression: bool
    _target: Target
    classes_: np.ndarray

    # Fit

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Any:
        """Trains a model.

        Args:
          X: a table [rows, columns]: a DataFrame of pandas or polars (numbers, texts, categories; missing values
            allowed), an array, a sparse matrix, or lists.
          y: labels, [rows], or [rows, outputs].
          sample_weight: factors of the losses of rows, [rows], of which fit takes the sizes beside each other; rows of
            weight 0 are left out.

        Raises:
          ValueError, TypeError: arguments and data that cannot be used, in scikit-learn's words.
          KeyboardInterrupt: Ctrl-C; the estimator is what it was before.
        """
        before = self.__dict__.get("_fitted") if self.warm_start else None
        kept = dict(vars(self))
        try:
            return self._fit(X, y, sample_weight, before)
        except BaseException:
            vars(self).clear()
            vars(self).update(kept)
            raise

    def _fit(self, X: Any, y: Any, sample_weight: Any, before: FittedModel | None) -> Any:
        rows, labels, weights = self._read(X, y, sample_weight, before is None, None, is_partial=False)
        if before is None:
            self._encoder = TableEncoder(rows)
        random = check_random_state(self.random_state)
        features = self._encoder.inputs(rows, self._names)
        columns = Columns.of(self._encoder)
        recipe = self._rules = Recipe.of(len(labels), columns, self._is_regression)
        network = self._network(columns, recipe, before)
        plan, share = self._plan(recipe, len(labels), random)
        features["weight"] = weights
        watch = _Watch(self.callbacks)
        out = _held_out(labels, share, self._is_regression, random) if share else np.zeros(0, dtype=bool)
        if share and not out.any():
            if self.early_stopping is True:
                raise ValueError("early_stopping is True, and no class has two rows, of which one could be held out")
            plan = replace(plan, steps=self.recipe_["max_iter"] * math.ceil(len(labels) / plan.batch_size))
            self.recipe_ |= {"early_stopping": False, "refit": False}
        if not out.any():
            self._fitted, history = train(network, features, labels, plan, begin=before, watch=watch.called)
            self._note(history)
            return self
        held_out = {n: c[out] for n, c in features.items()}, labels[out]
        rest = {n: c[~out] for n, c in features.items()}, labels[~out]
        fitted, history = train(network, *rest, plan, held_out, before, watch=watch.called)
        if self.recipe_["refit"] and not watch.has_ended:
            # A step of the rest stands for more of all rows, and more rows take longer to be learned by heart.
            steps = max(1, round(_LONGER * fitted.step * len(labels) / len(rest[1])))
            watch.is_refit = True
            fitted, last = train(network, features, labels, replace(plan, steps=steps), begin=before, watch=watch.called)
            history.losses += last.losses
        self._fitted = fitted
        self._note(history)
        return self

    def _partial_fit(self, X: Any, y: Any, sample_weight: Any, classes: Any) -> Any:
        before = self.__dict__.get("_fitted")
        is_first = before is None
        if is_first and classes is None and not self._is_regression:
            raise ValueError("classes must be passed on the first call to partial_fit.")
        if not is_first and classes is not None and not np.array_equal(self.classes_, np.unique(classes)):
            raise ValueError(f"`classes={classes}` is not the same as on last call to partial_fit, was: {self.classes_}")
        kept = dict(vars(self))
        try:
            rows, labels, weights = self._read(X, y, sample_weight, is_first, classes, is_partial=True)
            if is_first:
                self._encoder = TableEncoder(rows)
            columns = Columns.of(self._encoder)
            if is_first:
                # Later calls may have few rows, of which the rules would say something else.
                self._rules = Recipe.of(len(labels), columns, self._is_regression)
                self._seed = int(check_random_state(self.random_state).randint(2**31 - 1))
            network = self._network(columns, self._rules, before)
            batch = _chosen(self.batch_size, "batch_size", self._rules.batch_size, least=1)
            batch = min(batch, len(labels))
            plan = Plan(math.ceil(len(labels) / batch), batch, self._seed, self._threads(), self._device())
            features = self._encoder.inputs(rows, self._names)
            features["weight"] = weights
            self._fitted, history = train(
                network, features, labels, plan, None, before, goes_on=True, watch=_Watch(self.callbacks).called
            )
            self._note(history)
        except BaseException:
            vars(self).clear()
            vars(self).update(kept)
            raise
        return self

    def _read(
        self, X: Any, y: Any, sample_weight: Any, is_first: bool, classes: Any, is_partial: bool
    ) -> tuple[Rows, np.ndarray, np.ndarray]:
        """Rows, labels as the network has them, and float32 weights; rows of weight 0 are left out."""
        if y is None:
            raise ValueError(f"This {type(self).__name__} estimator requires y to be passed, but the target y is None.")
        rows = read_rows(X, self)
        _compat.check_columns(self, X, reset=is_first)
        check_consistent_length(X, y)
        labels = self._read_labels(y, is_first, classes)
        if len(rows) < 2 and not is_partial:
            raise ValueError(f"Found array with 1 sample(s); {type(self).__name__} needs 2 at least to learn from.")
        weights = _compat.row_weights(sample_weight, X)
        of_classes = self._class_weights(labels, is_partial)
        if of_classes is not None:
            weights = weights * of_classes
        if not weights.all():
            used = np.flatnonzero(weights)
            rows, labels, weights = rows.taken(used), labels[used], weights[used]
            if not self._is_regression and labels.ndim == 1 and not is_partial and len(np.unique(labels)) < 2:
                raise ValueError("rows of a weight above 0 have one class; expected 2 classes at least")
        # Of parts of the rows each has its own mean, which would hide what one part weighs beside another.
        return rows, labels, (weights if is_partial else weights / weights.mean()).astype(np.float32)

    @property
    def _names(self) -> list[str]:
        names = getattr(self, "feature_names_in_", None)
        return [f"x{i}" for i in range(self.n_features_in_)] if names is None else list(names)

    def _network(self, columns: Columns, recipe: Recipe, before: FittedModel | None) -> Network:
        """The model; sets recipe_. `before`: what it has to go on from."""
        body = self.model
        if body == "auto":
            body = "wide_deep" if columns.words else "dnn"
        if body not in BODIES:
            raise ValueError(f"model must be 'auto' or one of {', '.join(map(repr, BODIES))}; found {body!r}")
        units = recipe.hidden_units if isinstance(self.hidden_units, str) else self.hidden_units
        if isinstance(self.hidden_units, str) and self.hidden_units != "auto":
            raise ValueError(f"hidden_units must be 'auto' or widths such as (128, 64); found {self.hidden_units!r}")
        if isinstance(units, numbers.Number):
            units = (units,)
        rate = self.learning_rate
        rate = None if rate == "auto" else _chosen(rate, "learning_rate", None, least=0, whole=False)
        dropout = _chosen(self.dropout, "dropout", recipe.dropout, least=0, below=1, whole=False)
        l2 = _chosen(self.alpha, "alpha", 0.0 if body == "linear" else recipe.l2, least=0, whole=False)
        rule = None if isinstance(self.optimizer, str) and self.optimizer == "auto" else self.optimizer
        if before is not None:
            # Of another number of rows the rules may say other widths; the model stays what it is.
            if isinstance(self.hidden_units, str):
                units = self.recipe_.get("hidden_units", units)
            for name, value in (("model", body), ("hidden_units", tuple(units))):
                if self.recipe_.get(name, value) != value:
                    raise ValueError(f"{name} is {value!r}, and the model to go on with has {self.recipe_[name]!r}")
        self.recipe_ = {"model": body, "alpha": l2}
        if body != "linear":
            self.recipe_ |= {"hidden_units": tuple(units), "dropout": dropout}
        return Network.of(body, columns, self._target, units, self.activation, rule, rate, dropout, l2)

    def _plan(self, recipe: Recipe, rows: int, random: np.random.RandomState) -> tuple[Plan, float]:
        """How long training is, and the share of rows that is held out."""
        if self.early_stopping not in (True, False, "auto"):
            raise ValueError(f"early_stopping must be True, False or 'auto'; found {self.early_stopping!r}")
        share = _chosen(
            self.validation_fraction, "validation_fraction", recipe.validation_share, above=0, below=1, whole=False
        )
        patience = _chosen(self.n_iter_no_change, "n_iter_no_change", recipe.patience, least=1)
        wanted = rows >= _FEW_ROWS if self.early_stopping == "auto" else self.early_stopping
        if wanted and round(share * rows) in (0, rows):
            raise ValueError(f"validation_fraction {share} of {rows} rows leaves none on one side")
        epochs = recipe.epochs if self.max_iter is None else _chosen(self.max_iter, "max_iter", None, least=1)
        batch = _chosen(self.batch_size, "batch_size", recipe.batch_size, least=1)
        trained = rows - round(share * rows) if wanted else rows
        batch = min(batch, trained)
        self._seed = int(random.randint(2**31 - 1))
        steps = max(recipe.evaluation_steps, math.ceil(trained / batch)) if self.batch_size == "auto" else math.ceil(trained / batch)
        self.recipe_ |= {"batch_size": batch, "max_iter": epochs, "early_stopping": bool(wanted)}
        self.recipe_ |= {"validation_fraction": share, "n_iter_no_change": patience}
        if self.refit not in (True, False, "auto"):
            raise ValueError(f"refit must be True, False or 'auto'; found {self.refit!r}")
        refit = not self._is_regression and rows < _MANY_ROWS if self.refit == "auto" else self.refit
        self.recipe_["refit"] = bool(wanted and refit)
        passes = epochs * math.ceil(trained / batch)
        plan = Plan(passes, batch, self._seed, self._threads(), self._device(), steps, patience)
        return plan, share if wanted else 0.0

    def _threads(self) -> int:
        """Threads that this process may use for a run."""
        threads = int(effective_n_jobs(self.n_jobs))
        limit = os.environ.get("OMP_NUM_THREADS", "").split(",")[0]
        return max(1, min(threads, int(limit)) if limit.isdecimal() and int(limit) > 0 else threads)

    def _device(self) -> str:
        if self.device not in DEVICES:
            raise ValueError(f"device must be one of {', '.join(map(repr, DEVICES))}; found {self.device!r}")
        return str(self.device)

    def _note(self, history: History) -> None:
        """Sets the attributes that tell how training went."""
        self.n_iter_ = max(1, math.ceil(history.step / history.steps_per_epoch))
        self.loss_curve_ = history.losses
        self.loss_ = history.losses[-1] if history.losses else None
        self.validation_curve_ = history.validation_losses or None
        self.validation_loss_ = min(history.validation_losses) if history.validation_losses else None

    # Predictions

    def _predict(self, X: Any, key: str) -> np.ndarray:
        fitted: FittedModel | None = self.__dict__.get("_fitted")
        if fitted is None:
            raise NotFittedError(
                f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments before "
                "using this estimator."
            )
        features = self._encoder.quick_inputs(X) if not hasattr(self, "feature_names_in_") else None
        if features is None:
            rows = read_rows(X, self)
            _compat.check_columns(self, X, reset=False)
            features = self._encoder.inputs(rows, self._names)
        return fitted.predict(features, key, self._threads())

    def __sklearn_is_fitted__(self) -> bool:
        return "_fitted" in vars(self)

    # Tags

    def _more_tags(self) -> dict[str, Any]:
        from mlc.sklearn._estimators import expected_failed_checks

        # Not "categorical", which before 1.6 means codes of categories and nothing else.
        kinds = ["2darray", "sparse", "string"]
        return {"allow_nan": True, "X_types": kinds, "_xfail_checks": expected_failed_checks(self)}

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.categorical = tags.input_tags.string = True
        tags.input_tags.allow_nan = True
        return tags

    # What the two classes differ in

    def _read_labels(self, y: Any, is_first: bool, classes: Any) -> np.ndarray:
        raise NotImplementedError

    def _class_weights(self, labels: np.ndarray, is_partial: bool) -> np.ndarray | None:
        raise NotImplementedError


def _chosen(
    value: Any, name: str, auto: Any, least: float | None = None, above: float | None = None, below: float | None = None,
    whole: bool = True,
) -> Any:  # fmt: skip
    """An argument's value; `auto` for "auto". ValueError: it is no number of that range."""
    if isinstance(value, str) and value == "auto" and auto is not None:
        return auto
    kind = numbers.Integral if whole else numbers.Real
    fits = isinstance(value, kind) and not isinstance(value, bool) and math.isfinite(value)
    if fits and (least is None or value >= least) and (above is None or value > above) and (below is None or value < below):
        return int(value) if whole else float(value)
    bounds = [f"of at least {least}" if least is not None else "", f"above {above}" if above is not None else ""]
    bounds.append(f"below {below}" if below is not None else "")
    text = " and ".join(bound for bound in bounds if bound)
    either = "None or " if name == "max_iter" else "'auto' or "
    raise ValueError(f"{name} must be {either}{'an integer' if whole else 'a number'} {text}; found {value!r}")


def _held_out(labels: np.ndarray, share: float, is_regression: bool, random: np.random.RandomState) -> np.ndarray:
    """Which rows are held out, bool [rows]: evenly over classes, or over sizes of a number.

    Of rows in the order of their labels, and by chance among equal ones, each 1/share-th is taken. Of a class with one
    row it stays.
    """
    rows = len(labels)
    order = random.permutation(rows)
    key = labels if labels.ndim == 1 else labels[:, 0]
    order = order[np.argsort(key[order], kind="stable")]
    count = round(share * rows)
    places = ((np.arange(count) + random.uniform()) * rows / count).astype(np.intp)
    out = np.zeros(rows, dtype=bool)
    out[order[places]] = True
    if not is_regression and labels.ndim == 1:
        out &= np.bincount(labels)[labels] > 1
    return out


class _Watch:
    """What runs call for an estimator's callbacks.

    Attributes:
      called: given to a run; None without a callback.
      is_refit: the rows held out are trained on, too.
      has_ended: a callback has ended training.
    """

    def __init__(self, callbacks: Any) -> None:
        if callable(callbacks) or callbacks is None:
            callbacks = [] if callbacks is None else [callbacks]
        if not isinstance(callbacks, Iterable) or not all(map(callable, callbacks)):
            raise ValueError(f"callbacks must be a function or a list of functions; found {callbacks!r}")
        self._callbacks: list[Callable[[dict[str, Any]], Any]] = list(callbacks)
        self.called: Callable[[History], bool] | None = self._call if self._callbacks else None
        self.is_refit = self.has_ended = False

    def _call(self, history: History) -> bool:
        told = {
            "epoch": math.ceil(history.step / history.steps_per_epoch),
            "step": history.step,
            "loss": history.losses[-1] if history.losses else None,
            "validation_loss": history.validation_losses[-1] if history.validation_losses else None,
            "refit": self.is_refit,
        }
        # Each is called, whatever the others say.
        self.has_ended |= any([bool(each(dict(told))) for each in self._callbacks])
        return self.has_ended
