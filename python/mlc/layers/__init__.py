"""Layers as functions: each makes its variables, under TensorFlow's names, and returns a Tensor.

    hidden = layers.dense(x, 128, activation="relu")     # dense/kernel, dense/bias
    logits = layers.dense(hidden, 10)                    # dense_1/kernel, dense_1/bias

The first dimension of what a layer takes is the batch. `name` says how its variables begin; a layer of the name of
another one shares them only within a variable_scope with reuse.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from mlc.layers._common import l1_regularizer, l2_regularizer
from mlc.layers._core import batch_normalization, dense, dropout, embedding, flatten, group_normalization, layer_normalization
from mlc.layers._image import average_pooling, conv1d, conv2d, conv2d_transpose, conv3d, max_pooling, separable_conv2d
from mlc.layers._recurrent import GRUCell, LSTMCell, RNNCell, dynamic_rnn

__all__ = [
    "GRUCell", "LSTMCell", "RNNCell", "average_pooling", "batch_normalization", "conv1d", "conv2d", "conv2d_transpose",
    "conv3d", "dense", "dropout", "dynamic_rnn", "embedding", "flatten", "group_normalization", "l1_regularizer",
    "l2_regularizer", "layer_normalization", "max_pooling", "separable_conv2d",
]  # fmt: skip
