"""Heads: what a model learns. For canned Estimators that take one, and in a model_fn, where it makes the EstimatorSpec:

head = estimator.BinaryClassHead(weight_column="w", thresholds=[0.3])
model = estimator.DNNEstimator(head, hidden_units=[16], feature_columns=columns)


def model_fn(features, labels, mode):
    logits = layers.dense(features["x"], head.logits_dimension)
    return head.create_estimator_spec(features, mode, logits, labels, optimizer=mlc.optimizers.Adam())
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from mlc.estimator.heads._classes import BinaryClassHead, MultiClassHead, classifier_head
from mlc.estimator.heads._head import Head
from mlc.estimator.heads._multi import MultiHead
from mlc.estimator.heads._multi_label import MultiLabelHead
from mlc.estimator.heads._regression import LogisticRegressionHead, PoissonRegressionHead, RegressionHead
from mlc.estimator.heads._sampled import SampledSoftmaxHead
from mlc.estimator.heads._sequential import SequentialHeadWrapper

__all__ = [
    "BinaryClassHead",
    "Head",
    "LogisticRegressionHead",
    "MultiClassHead",
    "MultiHead",
    "MultiLabelHead",
    "PoissonRegressionHead",
    "RegressionHead",
    "SampledSoftmaxHead",
    "SequentialHeadWrapper",
    "classifier_head",
]
