"""What differs between versions of scikit-learn, from 1.2 on."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from typing import Any

import numpy as np
import sklearn
from sklearn.utils import check_array

VERSION = tuple(int(part) for part in sklearn.__version__.split(".")[:2])
_FINITE = "ensure_all_finite" if VERSION >= (1, 6) else "force_all_finite"


def check_matrix(X: Any, estimator: Any, finite: bool | str, **options: Any) -> Any:
    """sklearn.utils.check_array. `finite`: True, False, or "allow-nan"."""
    return check_array(X, estimator=estimator, **{_FINITE: finite}, **options)


def check_columns(estimator: Any, X: Any, reset: bool) -> None:
    """Sets, or with reset=False compares, feature_names_in_ and n_features_in_; the texts are scikit-learn's."""
    if VERSION >= (1, 6):
        from sklearn.utils.validation import _check_feature_names, _check_n_features

        _check_feature_names(estimator, X, reset=reset)
        _check_n_features(estimator, X, reset=reset)
    else:
        estimator._check_feature_names(X, reset=reset)
        estimator._check_n_features(X, reset=reset)


def row_weights(sample_weight: Any, X: Any) -> np.ndarray:
    """float64 weights, [rows]. ValueError: another number of rows, negative ones, or nothing but zeros."""
    from sklearn.utils.validation import _check_sample_weight

    weights: np.ndarray = _check_sample_weight(sample_weight, X, dtype=np.float64)
    if (weights < 0).any():
        raise ValueError("Negative values in data passed to `sample_weight`.")
    if not weights.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    return weights
