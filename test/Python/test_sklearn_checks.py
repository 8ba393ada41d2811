"""scikit-learn's own checks of estimators, of the version that is installed."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import pytest

pytest.importorskip("sklearn", reason="scikit-learn, on which mlc.sklearn stands, is not installed")

from sklearn.utils.estimator_checks import parametrize_with_checks

from mlc.sklearn import MLCClassifier, MLCRegressor, _compat, expected_failed_checks

ESTIMATORS = [MLCClassifier(), MLCRegressor()]
_EXPECTED = {"expected_failed_checks": expected_failed_checks} if _compat.VERSION >= (1, 6) else {}


@parametrize_with_checks(ESTIMATORS, **_EXPECTED)
def test_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_few_checks_are_expected_to_fail(estimator):
    failed = expected_failed_checks(estimator)
    assert len(failed) <= 5
    assert all(len(reason) > 20 for reason in failed.values())
