# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers as functions: each makes its variables, under TensorFlow's names, and returns a Tensor.

    hidden = layers.dense(x, 128, activation="relu")     # dense/kernel, dense/bias
    logits = layers.dense(hidden, 10)                    # dense_1/kernel, dense_1/bias

The first dimension of what a layer takes is the batch. `name` says how its variables begin; a layer of the name of
another one shares them only within a variable_scope with reuse.

What several have as arguments:
  inputs: floats [n, ...]: [n, size] of dense layers, images [n, height, width, channels] of conv2d, of other convolutions
    and pooling as many spatial dimensions. Sizes that variables depend on must be known.
  kernel_size, pool_size, strides, dilation_rate: a number, or one for each spatial dimension.
  padding: "valid": windows lie within the image; "same": as many outputs as inputs for strides of 1.
  data_format: "channels_last".
  activation: a name such as "relu", a function of a Tensor, or None, the identity.
  use_bias: adds the variable bias, one number for each output.
  kernel_initializer, bias_initializer: one of mlc.initializers, its name, or an array; None: glorot_uniform.
  kernel_regularizer, bias_regularizer: a function of the variable whose result losses.get_regularization_loss() has.
  center, scale: a normalization has the variable beta, which is added, and gamma, by which is multiplied.
  epsilon: is added to the variance.
  trainable: optimizers may move the variables.
  training: True where the layer is to do what it does in training: mode == ModeKeys.TRAIN.
  name, reuse: of the scope of the variables, as of variables.variable_scope.

What does not fit is a ModelError at the line of the model_fn.
"""

from mlc.layers._common import l1_regularizer, l2_regularizer
from mlc.layers._core import batch_normalization, dense, dropout, embedding, flatten, group_normalization, layer_normalization
from mlc.layers._attention import multi_head_attention
from mlc.layers._image import (
    average_pooling, average_pooling1d, average_pooling2d, average_pooling3d, conv1d, conv2d, conv2d_transpose, conv3d,
    conv3d_transpose, max_pooling, max_pooling1d, max_pooling2d, max_pooling3d, separable_conv1d, separable_conv2d,
)  # fmt: skip
from mlc.layers._recurrent import GRUCell, LSTMCell, RNNCell, dynamic_rnn
from mlc.ops import attention

__all__ = [
    "GRUCell", "LSTMCell", "RNNCell", "attention", "average_pooling", "average_pooling1d", "average_pooling2d",
    "average_pooling3d", "batch_normalization", "conv1d", "conv2d", "conv2d_transpose", "conv3d", "conv3d_transpose", "dense",
    "dropout", "dynamic_rnn", "embedding", "flatten", "group_normalization", "l1_regularizer", "l2_regularizer",
    "layer_normalization", "max_pooling", "max_pooling1d", "max_pooling2d", "max_pooling3d", "multi_head_attention",
    "separable_conv1d", "separable_conv2d",
]  # fmt: skip
