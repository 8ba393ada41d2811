"""Convolutions and pooling over [n, s.., c], channels last."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlc import ops
from mlc._build import as_tensor
from mlc.layers._common import activate, floats_of, known_size, layer_scope
from mlc.ops._nn import per_dimension
from mlc.tensor import Tensor
from mlc.variables import Regularizer, get_variable

Sizes = int | Sequence[int]


def _conv(
    count: int, default: str, inputs: Any, filters: int, kernel_size: Sizes, strides: Sizes, padding: str,
    dilation_rate: Sizes, groups: int, activation: Any, use_bias: bool, kernel_initializer: Any,
    kernel_regularizer: Regularizer | None, name: str | None, reuse: Any,
) -> Tensor:  # fmt: skip
    x = floats_of(inputs, default, count + 2)
    channels = known_size(x, -1, default)
    window = per_dimension(kernel_size, count, f"{default}: kernel_size")
    with layer_scope(name, default, reuse):
        kernel = get_variable(
            "kernel", [*window, channels // groups, filters], x.dtype, kernel_initializer, kernel_regularizer
        )
        y = ops.conv(x, kernel, strides, padding, dilation_rate, groups)
        if use_bias:
            y = y + get_variable("bias", [filters], x.dtype, "zeros")
    return activate(y, activation, default)


def _convolution(count: int) -> Any:
    default = f"conv{count}d"

    def layer(
        inputs: Any,
        filters: int,
        kernel_size: Sizes,
        strides: Sizes = 1,
        padding: str = "valid",
        dilation_rate: Sizes = 1,
        groups: int = 1,
        activation: Any = None,
        use_bias: bool = True,
        kernel_initializer: Any = None,
        kernel_regularizer: Regularizer | None = None,
        name: str | None = None,
        reuse: Any = None,
    ) -> Tensor:
        return _conv(count, default, inputs, filters, kernel_size, strides, padding, dilation_rate, groups, activation,
                     use_bias, kernel_initializer, kernel_regularizer, name, reuse)  # fmt: skip

    layer.__name__ = layer.__qualname__ = default
    layer.__doc__ = (
        f"A convolution in {count} spatial dimensions; variables kernel, [k.., channels / groups, filters], and bias. "
        f"Inputs are [n, {count} sizes, channels], outputs [n, {count} sizes, filters]."
    )
    return layer


conv1d, conv2d, conv3d = _convolution(1), _convolution(2), _convolution(3)


def separable_conv2d(
    inputs: Any,
    filters: int,
    kernel_size: Sizes,
    strides: Sizes = 1,
    padding: str = "valid",
    depth_multiplier: int = 1,
    activation: Any = None,
    use_bias: bool = True,
    name: str | None = None,
    reuse: Any = None,
) -> Tensor:
    """A convolution of each channel into depth_multiplier ones, then one of 1x1 into `filters`; variables depthwise_kernel,
    pointwise_kernel and bias."""
    x = floats_of(inputs, "separable_conv2d", 4)
    channels = known_size(x, -1, "separable_conv2d")
    window = per_dimension(kernel_size, 2, "separable_conv2d: kernel_size")
    with layer_scope(name, "separable_conv2d", reuse):
        depthwise = get_variable("depthwise_kernel", [*window, channels, depth_multiplier], x.dtype)
        pointwise = get_variable("pointwise_kernel", [1, 1, channels * depth_multiplier, filters], x.dtype)
        filters_of_groups = ops.reshape(depthwise.value(), [*window, 1, channels * depth_multiplier])
        y = ops.conv(ops.conv(x, filters_of_groups, strides, padding, groups=channels), pointwise)
        if use_bias:
            y = y + get_variable("bias", [filters], x.dtype, "zeros")
    return activate(y, activation, "separable_conv2d")


def conv2d_transpose(
    inputs: Any,
    filters: int,
    kernel_size: Sizes,
    strides: Sizes = 1,
    padding: str = "valid",
    activation: Any = None,
    use_bias: bool = True,
    kernel_initializer: Any = None,
    name: str | None = None,
    reuse: Any = None,
) -> Tensor:
    """The transpose of conv2d, which enlarges an image; variables kernel, [k, k, filters, channels], and bias."""
    x = floats_of(inputs, "conv2d_transpose", 4)
    channels = known_size(x, -1, "conv2d_transpose")
    window = per_dimension(kernel_size, 2, "conv2d_transpose: kernel_size")
    with layer_scope(name, "conv2d_transpose", reuse):
        kernel = get_variable("kernel", [*window, filters, channels], x.dtype, kernel_initializer)
        y = ops.conv_transpose(x, kernel, strides, padding)
        if use_bias:
            y = y + get_variable("bias", [filters], x.dtype, "zeros")
    return activate(y, activation, "conv2d_transpose")


def max_pooling(inputs: Any, pool_size: Sizes, strides: Sizes | None = None, padding: str = "valid") -> Tensor:
    """The largest elements within windows, in 1 to 3 spatial dimensions; strides of None are pool_size."""
    return ops.max_pool(as_tensor(inputs), pool_size, strides, padding)


def average_pooling(inputs: Any, pool_size: Sizes, strides: Sizes | None = None, padding: str = "valid") -> Tensor:
    """The means within windows, in 1 to 3 spatial dimensions; strides of None are pool_size."""
    return ops.avg_pool(as_tensor(inputs), pool_size, strides, padding)
