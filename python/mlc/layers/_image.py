"""Convolutions and pooling over [n, s.., c], channels last."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlc import ops
from mlc._build import as_tensor, describe
from mlc._graph import model_error
from mlc.errors import UnsupportedError
from mlc.layers._common import activate, floats_of, known_size, layer_scope, with_bias
from mlc.ops._nn import per_dimension
from mlc.tensor import Tensor
from mlc.variables import Regularizer, get_variable

Sizes = int | Sequence[int]


def _check_data_format(data_format: str, layer: str) -> None:
    if data_format != "channels_last":
        raise UnsupportedError(
            f"{layer}: data_format {data_format!r}; expected 'channels_last', [n, s.., c]: ops.transpose makes it of others"
        )


def _sizes(count: int) -> str:
    return f"[n, {count} size{'s' if count > 1 else ''}, channels]"


def _named(layer: Any, name: str, text: str) -> Any:
    layer.__name__ = layer.__qualname__ = name
    layer.__doc__ = text
    return layer


# Convolutions


def _convolution(count: int) -> Any:
    default = f"conv{count}d"

    def layer(
        inputs: Any,
        filters: int,
        kernel_size: Sizes,
        strides: Sizes = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Sizes = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        bias_initializer: Any = "zeros",
        kernel_regularizer: Regularizer | None = None,
        bias_regularizer: Regularizer | None = None,
        trainable: bool = True,
        name: str | None = None,
        reuse: Any = None,
        *,
        groups: int = 1,
    ) -> Tensor:
        _check_data_format(data_format, default)
        x = floats_of(inputs, default, count + 2)
        channels = known_size(x, -1, default)
        window = per_dimension(kernel_size, count, f"{default}: kernel_size")
        with layer_scope(name, default, reuse):
            shape = [*window, channels // groups, filters]
            kernel = get_variable("kernel", shape, x.dtype, kernel_initializer, kernel_regularizer, trainable)
            y = ops.conv(x, kernel, strides, padding, dilation_rate, groups)
            y = with_bias(y, use_bias, bias_initializer, bias_regularizer, trainable)
        return activate(y, activation, default)

    return _named(
        layer, default,
        f"A convolution in {count} spatial dimensions; variables kernel, [k.., channels / groups, filters], and bias. "
        f"Inputs are {_sizes(count)}, outputs [.., filters]. groups: channels and filters are in so many parts, each of its own.",
    )  # fmt: skip


conv1d, conv2d, conv3d = _convolution(1), _convolution(2), _convolution(3)


def _separable_convolution(count: int) -> Any:
    default = f"separable_conv{count}d"

    def layer(
        inputs: Any,
        filters: int,
        kernel_size: Sizes,
        strides: Sizes = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
        dilation_rate: Sizes = 1,
        depth_multiplier: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        depthwise_initializer: Any = None,
        pointwise_initializer: Any = None,
        bias_initializer: Any = "zeros",
        depthwise_regularizer: Regularizer | None = None,
        pointwise_regularizer: Regularizer | None = None,
        bias_regularizer: Regularizer | None = None,
        trainable: bool = True,
        name: str | None = None,
        reuse: Any = None,
    ) -> Tensor:
        _check_data_format(data_format, default)
        x = floats_of(inputs, default, count + 2)
        channels = known_size(x, -1, default)
        window = per_dimension(kernel_size, count, f"{default}: kernel_size")
        width = channels * depth_multiplier
        with layer_scope(name, default, reuse):
            depthwise = get_variable(
                "depthwise_kernel", [*window, channels, depth_multiplier], x.dtype, depthwise_initializer,
                depthwise_regularizer, trainable,
            )  # fmt: skip
            pointwise = get_variable(
                "pointwise_kernel", [*[1] * count, width, filters], x.dtype, pointwise_initializer, pointwise_regularizer,
                trainable,
            )  # fmt: skip
            of_groups = ops.reshape(depthwise.value(), [*window, 1, width])
            y = ops.conv(ops.conv(x, of_groups, strides, padding, dilation_rate, channels), pointwise)
            y = with_bias(y, use_bias, bias_initializer, bias_regularizer, trainable)
        return activate(y, activation, default)

    return _named(
        layer, default,
        "A convolution of each channel into depth_multiplier ones, then one of windows of 1 into `filters`; variables "
        "depthwise_kernel, pointwise_kernel and bias. depthwise_initializer, pointwise_initializer, depthwise_regularizer and "
        f"pointwise_regularizer are of these kernels. Inputs are {_sizes(count)}.",
    )  # fmt: skip


separable_conv1d, separable_conv2d = _separable_convolution(1), _separable_convolution(2)


def _transposed(count: int) -> Any:
    default = f"conv{count}d_transpose"

    def layer(
        inputs: Any,
        filters: int,
        kernel_size: Sizes,
        strides: Sizes = 1,
        padding: str = "valid",
        data_format: str = "channels_last",
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
        _check_data_format(data_format, default)
        x = floats_of(inputs, default, count + 2)
        channels = known_size(x, -1, default)
        window = per_dimension(kernel_size, count, f"{default}: kernel_size")
        with layer_scope(name, default, reuse):
            shape = [*window, filters, channels]
            kernel = get_variable("kernel", shape, x.dtype, kernel_initializer, kernel_regularizer, trainable)
            y = with_bias(ops.conv_transpose(x, kernel, strides, padding), use_bias, bias_initializer, bias_regularizer, trainable)
        return activate(y, activation, default)

    return _named(
        layer, default,
        f"The transpose of conv{count}d, which enlarges an image; variables kernel, [k.., filters, channels], and bias. "
        f"Inputs are {_sizes(count)}.",
    )  # fmt: skip


conv2d_transpose, conv3d_transpose = _transposed(2), _transposed(3)

# Pooling


def max_pooling(inputs: Any, pool_size: Sizes, strides: Sizes | None = None, padding: str = "valid") -> Tensor:
    """The largest elements within windows, in 1 to 3 spatial dimensions; strides of None are pool_size."""
    return ops.max_pool(as_tensor(inputs), pool_size, strides, padding)


def average_pooling(inputs: Any, pool_size: Sizes, strides: Sizes | None = None, padding: str = "valid") -> Tensor:
    """The means within windows, in 1 to 3 spatial dimensions; strides of None are pool_size."""
    return ops.avg_pool(as_tensor(inputs), pool_size, strides, padding)


def _pooling(pool: Any, count: int) -> Any:
    """The layer of TensorFlow's name, of one number of spatial dimensions."""
    layer_name = f"{pool.__name__}{count}d"

    def layer(
        inputs: Any, pool_size: Sizes, strides: Sizes | None = None, padding: str = "valid",
        data_format: str = "channels_last", name: str | None = None,
    ) -> Tensor:  # fmt: skip
        _check_data_format(data_format, layer_name)
        x = as_tensor(inputs)
        if x.ndim != count + 2:
            raise model_error(f"{layer_name}: expected inputs {_sizes(count)}\n{describe([x])}")
        result: Tensor = pool(x, pool_size, strides, padding)
        return result

    return _named(layer, layer_name, f"See {pool.__name__}: of inputs {_sizes(count)}. name is without effect.")


max_pooling1d, max_pooling2d, max_pooling3d = (_pooling(max_pooling, count) for count in (1, 2, 3))
average_pooling1d, average_pooling2d, average_pooling3d = (_pooling(average_pooling, count) for count in (1, 2, 3))
