"""Functions of each element, with NumPy's names and broadcasting; activations."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from typing import Any

from mlc import df
from mlc._build import as_tensor, dtype_name_of
from mlc._graph import model_error
from mlc.errors import ModelTypeError
from mlc.ops._broadcast import broadcast, same_shape
from mlc.tensor import Tensor


def cast(x: Any, dtype: Any) -> Tensor:
    """The elements as another dtype: floats to integers towards zero, numbers to bool by whether they are not 0."""
    tensor, wanted = as_tensor(x), dtype_name_of(dtype)
    if tensor.dtype == wanted:
        return tensor
    if wanted == "string":
        return df.as_string(tensor)
    if tensor.dtype == "string":
        return df.string_to_number(tensor, type_=(wanted, tensor.shape))
    return df.cast(tensor, type_=(wanted, tensor.shape))


def _floats(values: tuple[Any, ...], what: str) -> list[Tensor]:
    """Operands of a function of floats: integers become float32."""
    return [cast(t, "float32") if "float" not in t.dtype else t for t in broadcast(values, what)]


# Arithmetic


def add(x: Any, y: Any) -> Tensor:
    """x + y."""
    return df.add(*broadcast((x, y), "add"))


def subtract(x: Any, y: Any) -> Tensor:
    """x - y."""
    return df.sub(*broadcast((x, y), "subtract"))


def multiply(x: Any, y: Any) -> Tensor:
    """x * y."""
    return df.mul(*broadcast((x, y), "multiply"))


def divide(x: Any, y: Any) -> Tensor:
    """x / y; of integers as float32."""
    return df.div(*_floats((x, y), "divide"))


def divide_no_nan(x: Any, y: Any) -> Tensor:
    """x / y, and 0 where y is 0."""
    return df.div_no_nan(*_floats((x, y), "divide_no_nan"))


def floor_divide(x: Any, y: Any) -> Tensor:
    """x / y, rounded down."""
    return df.floor_div(*broadcast((x, y), "floor_divide"))


def mod(x: Any, y: Any) -> Tensor:
    """x - y * floor(x / y)."""
    return df.floor_mod(*broadcast((x, y), "mod"))


def power(x: Any, y: Any) -> Tensor:
    """x to the power of y."""
    if isinstance(y, (int, float)) and y == 2:
        return square(x)
    return df.pow(*broadcast((x, y), "power"))


def maximum(x: Any, y: Any) -> Tensor:
    """The larger of both; NaN where one is."""
    return df.maximum(*broadcast((x, y), "maximum"))


def minimum(x: Any, y: Any) -> Tensor:
    """The smaller of both; NaN where one is."""
    return df.minimum(*broadcast((x, y), "minimum"))


def squared_difference(x: Any, y: Any) -> Tensor:
    """(x - y)^2."""
    return df.squared_difference(*broadcast((x, y), "squared_difference"))


def clip(x: Any, low: Any, high: Any) -> Tensor:
    """x where it is between low and high, else the nearer of these."""
    return minimum(maximum(x, low), high)


def _unary(name: str, text: str) -> Any:
    op = getattr(df, name)

    def function(x: Any) -> Tensor:
        tensor: Tensor = op(as_tensor(x))
        return tensor

    function.__doc__ = text
    return function


def _function(name: str, text: str) -> Any:
    op = getattr(df, name)

    def function(x: Any) -> Tensor:
        tensor = as_tensor(x)
        result: Tensor = op(tensor if "float" in tensor.dtype else cast(tensor, "float32"))
        return result

    function.__doc__ = text + " Integers are taken as float32."
    return function


negative = _unary("neg", "-x.")
abs = _unary("abs", "The absolute value.")  # noqa: A001
sign = _unary("sign", "-1, 0 or 1.")
square = _unary("square", "x * x.")
exp = _function("exp", "e^x.")
expm1 = _function("expm1", "e^x - 1.")
log = _function("log", "The natural logarithm.")
log1p = _function("log1p", "log(1 + x).")
sqrt = _function("sqrt", "The square root.")
rsqrt = _function("rsqrt", "1 / sqrt(x).")
reciprocal = _function("reciprocal", "1 / x.")
sin = _function("sin", "The sine.")
cos = _function("cos", "The cosine.")
tan = _function("tan", "The tangent.")
tanh = _function("tanh", "The hyperbolic tangent.")
erf = _function("erf", "The error function.")
floor = _function("floor", "Rounded down.")
ceil = _function("ceil", "Rounded up.")
round = _function("round", "Rounded to the nearest integer, halves to even.")  # noqa: A001
sigmoid = _function("sigmoid", "1 / (1 + e^-x).")
relu = _function("relu", "max(x, 0).")
relu6 = _function("relu6", "min(max(x, 0), 6).")
softplus = _function("softplus", "log(1 + e^x).")
softsign = _function("softsign", "x / (1 + |x|).")
selu = _function("selu", "Keras' scaled exponential linear unit.")
isnan = _function("is_nan", "Whether it is NaN.")
isfinite = _function("is_finite", "Whether it is neither NaN nor infinite.")


def elu(x: Any, alpha: float = 1.0) -> Tensor:
    """x where it is above 0, else alpha (e^x - 1)."""
    return df.elu(as_tensor(x), alpha=alpha)


def leaky_relu(x: Any, alpha: float = 0.2) -> Tensor:
    """x where it is above 0, else alpha * x. TensorFlow's alpha; Keras' layer has 0.3."""
    return df.leaky_relu(as_tensor(x), alpha=alpha)


def gelu(x: Any, approximate: bool = False) -> Tensor:
    """x times the normal distribution function of x; approximate: by tanh."""
    return df.gelu(as_tensor(x), approximate=approximate)


def swish(x: Any) -> Tensor:
    """x * sigmoid(x)."""
    return df.silu(as_tensor(x))


# Comparisons and truths


def _compare(predicate: str, x: Any, y: Any) -> Tensor:
    return df.compare(*broadcast((x, y), "compare"), predicate=predicate)


def _equality(predicate: str, x: Any, y: Any) -> Tensor:
    left, right = broadcast((x, y), "compare")
    if left.dtype == "bool":
        differ = logical_xor(left, right)
        return differ if predicate == "ne" else logical_not(differ)
    return df.compare(left, right, predicate=predicate)


def equal(x: Any, y: Any) -> Tensor:
    """Whether x = y."""
    return _equality("eq", x, y)


def not_equal(x: Any, y: Any) -> Tensor:
    """Whether x and y differ."""
    return _equality("ne", x, y)


def less(x: Any, y: Any) -> Tensor:
    """Whether x < y."""
    return _compare("lt", x, y)


def less_equal(x: Any, y: Any) -> Tensor:
    """Whether x <= y."""
    return _compare("le", x, y)


def greater(x: Any, y: Any) -> Tensor:
    """Whether x > y."""
    return _compare("gt", x, y)


def greater_equal(x: Any, y: Any) -> Tensor:
    """Whether x >= y."""
    return _compare("ge", x, y)


def _truths(values: tuple[Any, ...], what: str) -> list[Tensor]:
    found = broadcast(values, what, "bool")
    if found[0].dtype != "bool":
        raise model_error(f"{what}: found {found[0].type_string}; expected bool", ModelTypeError)
    return found


def logical_and(x: Any, y: Any) -> Tensor:
    """Whether both hold."""
    return df.logical_and(*_truths((x, y), "logical_and"))


def logical_or(x: Any, y: Any) -> Tensor:
    """Whether one of both holds, at least."""
    return df.logical_or(*_truths((x, y), "logical_or"))


def logical_xor(x: Any, y: Any) -> Tensor:
    """Whether one of both holds, and the other does not."""
    return df.logical_xor(*_truths((x, y), "logical_xor"))


def logical_not(x: Any) -> Tensor:
    """Whether it does not hold."""
    return df.logical_not(*_truths((x,), "logical_not"))


def where(condition: Any, x: Any, y: Any) -> Tensor:
    """x where the condition holds, else y; all three are broadcast together. Gradients of the other one are 0."""
    mask = as_tensor(condition)
    if mask.dtype != "bool":
        raise model_error(f"where: the condition is {mask.type_string}; expected bool", ModelTypeError)
    left, right = broadcast((x, y), "where")
    return df.select(*same_shape([mask, left, right], "where"))
