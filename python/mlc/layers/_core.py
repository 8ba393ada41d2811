"""Dense layers, embeddings, normalizations, dropout."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from typing import Any

from mlc import df, ops
from mlc._build import as_tensor
from mlc._graph import current, model_error
from mlc.layers._common import activate, floats_of, known_size, layer_scope, with_bias
from mlc.tensor import Tensor
from mlc.variables import Regularizer, get_variable


def dense(
    inputs: Any,
    units: int,
    activation: Any = None,
    use_bias: bool = True,
    kernel_initializer: Any = None,
    bias_initializer: Any = "zeros",
    kernel_regularizer: Regularizer | None = None,
    bias_regularizer: Regularizer | None = None,
    trainable: bool = True,
    name: str | None = None,
    reuse: Any = None,
) -> Tensor:
    """activation(inputs kernel + bias) over the last dimension; variables kernel, [size, units], and bias."""
    x = floats_of(inputs, "dense")
    size = known_size(x, -1, "dense")
    if not isinstance(units, int) or units < 1:
        raise model_error(f"dense: units is {units!r}; expected an integer above 0")
    with layer_scope(name, "dense", reuse):
        kernel = get_variable("kernel", [size, units], x.dtype, kernel_initializer, kernel_regularizer, trainable)
        y = with_bias(ops.matmul(x, kernel), use_bias, bias_initializer, bias_regularizer, trainable)
    return activate(y, activation, "dense")


def dropout(inputs: Any, rate: float = 0.5, training: bool = False, name: str | None = None) -> Tensor:
    """With `training` each element 0 with the probability `rate`, else divided by 1 - rate; without it the inputs."""
    return ops.dropout(inputs, rate, name) if _is_training(training, "dropout") else as_tensor(inputs)


def _is_training(training: Any, layer: str) -> bool:
    if isinstance(training, bool):
        return training
    raise model_error(f"{layer}: training is {training!r}; expected True or False, such as mode == ModeKeys.TRAIN")


def flatten(inputs: Any) -> Tensor:
    """Inputs [n, ...] as [n, product of the others]."""
    x = as_tensor(inputs)
    size = 1
    for axis in range(1, x.ndim):
        size *= known_size(x, axis, "flatten")
    return ops.reshape(x, [-1, size])


def embedding(
    ids: Any,
    vocabulary_size: int,
    dimension: int,
    initializer: Any = None,
    regularizer: Regularizer | None = None,
    name: str | None = None,
    reuse: Any = None,
) -> Tensor:
    """Rows of the variable embeddings, [vocabulary_size, dimension], at ids of any shape; an id below 0 gives zeros.

    The initializer of None is uniform over [-0.05, 0.05), as in Keras; regularizer is a function of the table.
    """
    with layer_scope(name, "embedding", reuse):
        table = get_variable(
            "embeddings", [vocabulary_size, dimension], "float32",
            "random_uniform" if initializer is None else initializer, regularizer,
        )  # fmt: skip
        return ops.gather(table, ids)


def batch_normalization(
    inputs: Any,
    axis: int = -1,
    momentum: float = 0.99,
    epsilon: float = 1e-3,
    center: bool = True,
    scale: bool = True,
    beta_initializer: Any = "zeros",
    gamma_initializer: Any = "ones",
    moving_mean_initializer: Any = "zeros",
    moving_variance_initializer: Any = "ones",
    beta_regularizer: Regularizer | None = None,
    gamma_regularizer: Regularizer | None = None,
    training: bool = False,
    trainable: bool = True,
    name: str | None = None,
    reuse: Any = None,
) -> Tensor:
    """Normalizes over all dimensions but `axis`: by the batch with `training`, else by moving averages.

    Variables gamma, beta, moving_mean and moving_variance. A training step moves the averages by itself: each keeps the
    share `momentum` of its value. There is no collection of update ops to run. beta_initializer, gamma_initializer,
    moving_mean_initializer and moving_variance_initializer say where these begin; beta_regularizer and gamma_regularizer are
    functions of gamma and beta.
    """
    x = floats_of(inputs, "batch_normalization")
    place = axis % x.ndim
    size = known_size(x, place, "batch_normalization")
    axes = [d for d in range(x.ndim) if d != place]
    with layer_scope(name, "batch_normalization", reuse):
        gamma = get_variable("gamma", [size], x.dtype, gamma_initializer, gamma_regularizer, trainable) if scale else None
        beta = get_variable("beta", [size], x.dtype, beta_initializer, beta_regularizer, trainable) if center else None
        mean = get_variable("moving_mean", [size], x.dtype, moving_mean_initializer, trainable=False)
        variance = get_variable("moving_variance", [size], x.dtype, moving_variance_initializer, trainable=False)
        factor = None if gamma is None else gamma.value()
        offset = None if beta is None else beta.value()
        if not _is_training(training, "batch_normalization"):
            return df.batch_norm_inference(x, mean, variance, factor, offset, axes=axes, epsilon=epsilon)
        y, batch_mean, batch_variance = df.batch_norm_training(x, factor, offset, axes=axes, epsilon=epsilon)
        if current().mode == "train":
            for average, value in ((mean, batch_mean), (variance, batch_variance)):
                average.assign(average * momentum + ops.stop_gradient(value) * (1 - momentum))
        return y


def layer_normalization(
    inputs: Any, center: bool = True, scale: bool = True, epsilon: float = 1e-3, name: str | None = None,
    reuse: Any = None,
) -> Tensor:  # fmt: skip
    """Normalizes each row over its last dimension; variables gamma and beta."""
    x = floats_of(inputs, "layer_normalization")
    size = known_size(x, -1, "layer_normalization")
    with layer_scope(name, "layer_normalization", reuse):
        gamma = get_variable("gamma", [size], x.dtype, "ones") if scale else None
        beta = get_variable("beta", [size], x.dtype, "zeros") if center else None
        return df.layer_norm(x, gamma, beta, axes=[x.ndim - 1], epsilon=epsilon)


def group_normalization(
    inputs: Any, groups: int = 32, epsilon: float = 1e-3, name: str | None = None, reuse: Any = None
) -> Tensor:
    """Normalizes each row over groups of channels, the last dimension; variables gamma and beta."""
    x = floats_of(inputs, "group_normalization")
    size = known_size(x, -1, "group_normalization")
    with layer_scope(name, "group_normalization", reuse):
        gamma = get_variable("gamma", [size], x.dtype, "ones")
        beta = get_variable("beta", [size], x.dtype, "zeros")
        return df.group_norm(x, gamma, beta, groups=groups, epsilon=epsilon)
