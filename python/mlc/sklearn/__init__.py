"""mlc.sklearn: compiled models with the face of scikit-learn (1.2 and later), which has to be installed.

    from mlc.sklearn import MLCClassifier

    model = MLCClassifier(random_state=0).fit(frame, labels)
    probabilities = model.predict_proba(new_rows)
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

try:
    import sklearn as _sklearn  # noqa: F401
except ImportError as error:
    raise ImportError(f"mlc.sklearn needs scikit-learn 1.2 or later: pip install scikit-learn ({error})") from None

from mlc.sklearn._estimators import MLCClassifier, MLCRegressor, expected_failed_checks

__all__ = ["MLCClassifier", "MLCRegressor", "expected_failed_checks"]
