"""Functions of layers without variables: softmax, dropout, convolutions, pooling, gradients."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlc import df
from mlc._build import as_tensor, describe
from mlc._graph import current, model_error
from mlc.errors import ModelError
from mlc.ops._reduce import Axis, axes_of, one_axis
from mlc.tensor import Tensor


def softmax(x: Any, axis: int = -1) -> Tensor:
    """exp(x) / sum(exp(x)) along an axis."""
    tensor = as_tensor(x)
    return df.softmax(tensor, axis=one_axis(tensor, axis, "softmax"))


def log_softmax(x: Any, axis: int = -1) -> Tensor:
    """The logarithm of softmax."""
    tensor = as_tensor(x)
    return df.log_softmax(tensor, axis=one_axis(tensor, axis, "log_softmax"))


def l2_normalize(x: Any, axis: Axis = -1, epsilon: float = 1e-12) -> Tensor:
    """x / sqrt(max(sum(x^2), epsilon)) over axes."""
    tensor = as_tensor(x)
    return df.l2_normalize(tensor, axes=axes_of(tensor, axis, "l2_normalize"), epsilon=epsilon)


def moments(x: Any, axis: Axis) -> tuple[Tensor, Tensor]:
    """Mean and variance over axes."""
    tensor = as_tensor(x)
    mean, variance = df.moments(tensor, axes=axes_of(tensor, axis, "moments"))
    return mean, variance


def dropout(x: Any, rate: float, name: str | None = None) -> Tensor:
    """Each element 0 with the probability `rate`, else divided by 1 - rate. It drops in every mode: see layers.dropout.

    What is dropped is a function of the seed, the step, the row and the name.
    """
    if not 0 <= rate < 1:
        raise model_error(f"dropout: the rate is {rate}; expected a number of at least 0 and below 1", ModelError)
    tensor = as_tensor(x)
    trace = current()
    unique = trace.unique_name(trace.scope + (name or "dropout"))
    return tensor if rate == 0 else df.dropout(tensor, name=unique, rate=float(rate))


def _random(distribution: str, like: Any, name: str | None) -> Tensor:
    tensor = as_tensor(like)
    trace = current()
    unique = trace.unique_name(trace.scope + (name or f"random_{distribution}"))
    return df.random(tensor, distribution=distribution, name=unique, type_=("float32", tensor.shape))


def random_uniform_like(x: Any, low: float = 0.0, high: float = 1.0, name: str | None = None) -> Tensor:
    """Numbers uniform over [low, high), new in each step, in the shape of x, whose first dimension is the batch."""
    drawn = _random("uniform", x, name)
    return drawn if (low, high) == (0, 1) else drawn * float(high - low) + float(low)


def random_normal_like(x: Any, mean: float = 0.0, stddev: float = 1.0, name: str | None = None) -> Tensor:
    """Numbers of a normal distribution of this mean and stddev, float32, new in each step, in the shape of x, whose first
    dimension is the batch."""
    drawn = _random("normal", x, name)
    return drawn if (mean, stddev) == (0, 1) else drawn * float(stddev) + float(mean)


def stop_gradient(x: Any) -> Tensor:
    """x, of which no gradient is taken."""
    return df.stop_gradient(as_tensor(x))


# Convolutions


def per_dimension(value: int | Sequence[int], count: int, what: str) -> list[int]:
    """A number for each of `count` dimensions."""
    listed = [value] * count if isinstance(value, int) else [int(n) for n in value]
    if len(listed) != count or any(n < 1 for n in listed):
        raise model_error(f"{what}: found {value!r}; expected an integer above 0, or {count} of them", ModelError)
    return listed


def window_padding(
    operand: Tensor, window: Sequence[int], strides: Sequence[int], dilations: Sequence[int], padding: Any, what: str
) -> list[int]:
    """Low and high padding of each spatial dimension of [n, s.., c]: "valid", "same" (TensorFlow's: the high end gets
    the odd one), or pairs."""
    if not isinstance(padding, str):
        pairs = [(p, p) if isinstance(p, int) else tuple(p) for p in padding]
        return [int(n) for pair in pairs for n in pair]
    if padding.lower() == "valid":
        return [0] * (2 * len(window))
    if padding.lower() != "same":
        raise model_error(f"{what}: padding is {padding!r}; expected 'valid' or 'same'", ModelError)
    result = []
    for d, (k, stride, dilation) in enumerate(zip(window, strides, dilations, strict=True)):
        size = operand.shape[1 + d]
        if size is None:
            raise model_error(f"{what}: padding 'same' needs known sizes\n{describe([operand])}", ModelError)
        total = max((-(-size // stride) - 1) * stride + (k - 1) * dilation + 1 - size, 0)
        result += [total // 2, total - total // 2]
    return result


def conv(
    x: Any, filters: Any, strides: int | Sequence[int] = 1, padding: Any = "valid", dilations: int | Sequence[int] = 1,
    groups: int = 1,
) -> Tensor:  # fmt: skip
    """A convolution of [n, s.., c] with filters [k.., c / groups, o], in 1 to 3 spatial dimensions.

    strides and dilations are a number, or one for each of these."""
    image, kernel = as_tensor(x), as_tensor(filters)
    count = image.ndim - 2
    if count < 1 or kernel.ndim != image.ndim or any(n is None for n in kernel.shape):
        raise model_error(f"conv: expected [n, s.., c] and filters [k.., c, o]\n{describe([image, kernel])}", ModelError)
    steps, spread = per_dimension(strides, count, "conv: strides"), per_dimension(dilations, count, "conv: dilations")
    window = [n or 0 for n in kernel.shape[:count]]
    pads = window_padding(image, window, steps, spread, padding, "conv")
    return df.conv(image, kernel, strides=steps, padding=pads, dilations=spread, groups=groups)


def conv_transpose(
    x: Any, filters: Any, strides: int | Sequence[int] = 1, padding: str = "valid"
) -> Tensor:
    """The transpose of `conv`: [n, p.., o] and filters [k.., c, o] give [n, s.., c], s = p * stride for "same".

    strides are a number, or one for each spatial dimension."""
    output, kernel = as_tensor(x), as_tensor(filters)
    count = output.ndim - 2
    steps = per_dimension(strides, count, "conv_transpose: strides")
    window = [n or 0 for n in kernel.shape[:count]]
    sizes: list[int] = []
    pads: list[int] = []
    for d in range(count):
        p, k, stride = output.shape[1 + d], window[d], steps[d]
        if p is None:
            raise model_error(f"conv_transpose: sizes must be known\n{describe([output])}", ModelError)
        if padding.lower() == "same":
            size = p * stride
            total = max((p - 1) * stride + k - size, 0)
            pads += [total // 2, total - total // 2]
        else:
            size = p * stride + max(k - stride, 0)
            pads += [0, 0]
        sizes.append(size)
    return df.conv_transpose(
        output, kernel, strides=steps, padding=pads, type_=(output.dtype, [output.shape[0], *sizes, kernel.shape[-2]])
    )


def _pool(op: Any, x: Any, window: Any, strides: Any, padding: Any, what: str) -> Tensor:
    operand = as_tensor(x)
    count = operand.ndim - 2
    sizes = per_dimension(window, count, f"{what}: window")
    steps = sizes if strides is None else per_dimension(strides, count, f"{what}: strides")
    pads = window_padding(operand, sizes, steps, [1] * count, padding, what)
    result: Tensor = op(operand, window=sizes, strides=steps, padding=pads)
    return result


def max_pool(x: Any, window: int | Sequence[int], strides: Any = None, padding: Any = "valid") -> Tensor:
    """The largest elements within windows of [n, s.., c]; strides of None are those of the window."""
    return _pool(df.max_pool, x, window, strides, padding, "max_pool")


def avg_pool(x: Any, window: int | Sequence[int], strides: Any = None, padding: Any = "valid") -> Tensor:
    """The means within windows of [n, s.., c], padding left out; strides of None are those of the window."""
    return _pool(df.avg_pool, x, window, strides, padding, "avg_pool")


def attention(query: Any, key: Any, value: Any, mask: Any = None, causal: bool = False) -> Tensor:
    """softmax(query transpose(key) / sqrt(d)) value of [.., t, d], [.., s, d] and [.., s, e]; a mask, of bool, says what is seen;
    causal: position t sees those up to t."""
    return df.attention(query, key, value, None if mask is None else as_tensor(mask), causal=causal)
