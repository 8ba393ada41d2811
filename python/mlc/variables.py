"""Variables of a model: what training changes and checkpoints keep; their names are those of TensorFlow.

    with variables.variable_scope("tower"):
        kernel = variables.get_variable("kernel", [784, 10])
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import math
import operator
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from mlc import initializers
from mlc._build import as_tensor, build, dtype_name_of, number_text
from mlc._dtypes import is_number
from mlc._graph import Graph, Operation, current, model_error, symbol, type_text, user_place
from mlc.errors import ModelError, ModelTypeError, UnsupportedError, did_you_mean
from mlc.initializers import Initializer
from mlc.tensor import Shape, Tensor

__all__ = [
    "AUTO_REUSE", "Variable", "VariableScope", "get_variable", "get_variable_scope", "global_step", "trainable_variables", "variable_scope",
]  # fmt: skip

AUTO_REUSE = "auto_reuse"
"""Of variable_scope: a variable that is there is used, another one is made."""
GLOBAL_STEP = "global_step"

Regularizer = Callable[[Tensor], Tensor]


class Variable:
    """A tensor that keeps its value from step to step. Where a Tensor is expected, it is its value at that point.

    Attributes: name, dtype, shape, trainable.
    """

    __array_priority__ = 100

    def __init__(self, graph: Graph, name: str, dtype: str, shape: tuple[int, ...], trainable: bool, is_eval: bool) -> None:
        """See get_variable."""
        self.graph = graph
        self.name = name
        self.dtype = dtype
        self.shape: Shape = shape
        self.trainable = trainable
        self.is_eval = is_eval

    def __repr__(self) -> str:
        return f"<Variable '{self.name}' {self.dtype}{list(self.shape)}>"

    def _use(self) -> Any:
        trace = current()
        if trace.graph is not self.graph:
            raise model_error(f"{self!r} is of another model; make variables in the model_fn that uses them")
        trace.used_variables[self.name] = self
        return trace

    def __mlc_tensor__(self) -> Tensor:
        return self.value()

    def value(self) -> Tensor:
        """The value at this point of the function."""
        self._use().read_whole.add(self.name)
        return self._read()

    def read(self) -> Tensor:
        """The value at this point, which gradients do not follow: of a table that is gathered from they stay sparse."""
        self._use()
        return self._read()

    def _read(self) -> Tensor:
        return build("df.read", (), "", (("variable", "symbol", self.name),), [(self.dtype, self.shape)], False)[0]

    def gather_rows(self, ids: Tensor) -> Tensor:
        """The rows at ids, of int64 and any shape; an id below 0 gives zeros. The gradient is sparse, unless more than
        one size of the ids is not known."""
        from mlc import df, ops

        if "float" not in self.dtype or not self.shape or ids.shape.count(None) > 1:
            return df.gather(self.value(), ids, axes=[0], skip_negative=True)
        self._use().gathered.add(self.name)
        flat = ids if ids.ndim == 1 else ops.reshape(ids, [-1])
        rows = build(
            "df.read_rows", (flat,), ".", (("variable", "symbol", self.name),),
            [(self.dtype, (flat.shape[0], *self.shape[1:]))], False,
        )[0]  # fmt: skip
        if ids.ndim == 1:
            return rows
        return ops.reshape(rows, [*[-1 if n is None else n for n in ids.shape], *self.shape[1:]])

    def _write(self, op: str, value: Any) -> Operation:
        trace = self._use()
        if self.name == GLOBAL_STEP:
            raise model_error("the global step is counted by the run; expected no assignment to it")
        tensor = as_tensor(value, self.dtype)
        if tensor.dtype != self.dtype:
            raise model_error(f"{tensor!r} is assigned to {self!r}; convert it with astype", ModelTypeError)
        from mlc.ops._broadcast import to_shape

        tensor = to_shape(tensor, self.shape)
        build(f"df.{op}", (tensor,), ".", (("variable", "symbol", self.name),), None, False)
        return Operation(f"{op} of '{self.name}'", place=user_place())

    def assign(self, value: Any) -> Operation:
        """Sets it, at this point of the function: what is read after this line sees the new value."""
        return self._write("assign", value)

    def assign_add(self, value: Any) -> Operation:
        """Adds to it."""
        return self._write("assign_add", value)

    def assign_sub(self, value: Any) -> Operation:
        """Subtracts from it."""
        return self._write("assign_sub", value)

    def __getattr__(self, name: str) -> Any:
        # Operators and methods are those of its value.
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.value(), name)


def _forward(name: str) -> Any:
    def method(self: Variable, *arguments: Any) -> Any:
        return getattr(self.value(), name)(*arguments)

    return method


for _name in (
    "add", "radd", "sub", "rsub", "mul", "rmul", "truediv", "rtruediv", "floordiv", "rfloordiv", "mod", "rmod", "pow",
    "rpow", "matmul", "rmatmul", "neg", "abs", "lt", "le", "gt", "ge", "getitem", "array", "array_function", "bool", "len", "iter",
):  # fmt: skip
    setattr(Variable, f"__{_name}__", _forward(f"__{_name}__"))


# Scopes


@dataclass
class VariableScope:
    """A scope of variables that is open. `name`: "a/b", without a "/" at its end. reuse, initializer and regularizer are as of
    variable_scope, or those of the scope around."""

    name: str
    reuse: Any
    initializer: Any
    regularizer: Regularizer | None


def get_variable_scope() -> VariableScope:
    """The innermost scope that is open."""
    scopes = current().variable_scopes
    return scopes[-1] if scopes else VariableScope("", None, None, None)


@contextmanager
def variable_scope(
    name_or_scope: str | VariableScope,
    reuse: bool | str | None = None,
    initializer: Any = None,
    regularizer: Regularizer | None = None,
) -> Iterator[VariableScope]:
    """Names of variables made within begin with the scope's name and "/".

    Args:
      name_or_scope: a name within the scope around, or a scope that was open, which is opened again.
      reuse: True: get_variable finds variables that are there, and makes none; AUTO_REUSE: finds or makes; None: as the
        scope around.
      initializer, regularizer: defaults of get_variable within.
    """
    trace = current()
    outer = get_variable_scope()
    name = name_or_scope.name if isinstance(name_or_scope, VariableScope) else _join(outer.name, name_or_scope)
    if not name:
        raise model_error("a variable_scope needs a name", ModelError)
    scope = VariableScope(
        name, outer.reuse if reuse is None else reuse, outer.initializer if initializer is None else initializer,
        outer.regularizer if regularizer is None else regularizer,
    )  # fmt: skip
    trace.variable_scopes.append(scope)
    trace.scopes.append(name.rpartition("/")[2])
    try:
        yield scope
    finally:
        trace.scopes.pop()
        trace.variable_scopes.pop()


def _join(scope: str, name: str) -> str:
    return f"{scope}/{name}" if scope else name


# Making them


def get_variable(
    name: str,
    shape: Sequence[int] | int | None = None,
    dtype: Any = "float32",
    initializer: Any = None,
    regularizer: Regularizer | None = None,
    trainable: bool = True,
) -> Variable:
    """The variable of this name in the scope that is open: a new one, or with `reuse` of the scope the one that is there.

    Args:
      shape: sizes, all known; may be left out where the initializer is an array.
      initializer: one of mlc.initializers, its name, a number, or an array; None: the scope's, else glorot_uniform for
        floats, zeros for others.
      dtype: of its elements: a name such as "float32", or numpy's.
      regularizer: a function of its value whose result is added to losses.get_regularization_loss(): see
        mlc.layers.l2_regularizer; None: the scope's.
      trainable: optimizers may move it.

    Raises:
      ModelError: a variable of this name is there (without reuse), is not there (with it), or is of another shape.
    """
    scope = get_variable_scope()
    full = _join(scope.name, name)
    trace = current()
    initial = scope.initializer if initializer is None else initializer
    sizes = _sizes(full, shape, initial)
    dtype = dtype_name_of(dtype)
    found = trace.used_variables.get(full)
    if found is not None:
        if not scope.reuse:
            raise model_error(
                f"the variable '{full}' is there already; to share it, open its scope with reuse=True or AUTO_REUSE"
            )
        _check_same(found, dtype, sizes)
        return found
    if scope.reuse and scope.reuse != AUTO_REUSE:
        hint = did_you_mean(full, trace.used_variables)
        raise model_error(f"there is no variable '{full}' to reuse" + (f"; {hint}" if hint else ""))
    variable = make_variable(full, dtype, sizes, initial, trainable)
    penalty = scope.regularizer if regularizer is None else regularizer
    if penalty is not None:
        trace.regularization.append(penalty(variable.value()))
    return variable


def _sizes(name: str, shape: Any, initializer: Any) -> tuple[int, ...]:
    if shape is None:
        if isinstance(initializer, (np.ndarray, list, int, float)):
            return np.shape(initializer)
        raise model_error(f"variable '{name}' has no shape; expected one, or an array as its initializer", ModelError)
    listed = [shape] if isinstance(shape, int) else list(shape)
    if any(n is None for n in listed):
        raise model_error(
            f"variable '{name}' has the shape {listed}; expected sizes that are known: None is one that only a batch knows"
        )
    try:
        sizes = tuple(operator.index(n) for n in listed)
    except TypeError:
        raise model_error(f"variable '{name}' has the shape {listed!r}; expected integers", ModelTypeError) from None
    if any(n < 0 for n in sizes):
        raise model_error(f"variable '{name}' has the shape {listed}; expected sizes of at least 0")
    return sizes


def _check_same(found: Variable, dtype: str, shape: tuple[int, ...]) -> None:
    if (found.dtype, found.shape) != (dtype, shape):
        raise model_error(
            f"variable '{found.name}' is {found.dtype}{list(found.shape)} already; found {dtype}{list(shape)}", ModelError
        )


def make_variable(
    name: str, dtype: str, shape: tuple[int, ...], initializer: Any, trainable: bool, lifetime: str = "train"
) -> Variable:
    """Declares a variable, or finds the one that another function of the module declared. ModelError where both differ."""
    trace = current()
    graph = trace.graph
    variable = graph.variables.get(name)
    if variable is not None:
        _check_same(variable, dtype, shape)
    else:
        if trace.depth:
            raise model_error(f"variable '{name}' is made in a branch or loop; make it before")
        text, array = _initial(name, dtype, shape, graph.backups.get(name, initializer))
        parts = [
            f"sym_name = {symbol(name)[1:]}", f"type = {type_text(dtype, shape)}", f"initializer = {text}",
            f"lifetime = #df.lifetime<{lifetime}>", *(["trainable"] if trainable and "float" in dtype else []),
        ]  # fmt: skip
        graph.call(graph.builder.declare, "df.variable", "{" + ", ".join(parts) + "}")
        variable = graph.variables[name] = Variable(
            graph, name, dtype, shape, trainable and "float" in dtype, lifetime == "eval"
        )
        if array is not None:
            graph.initial_values[name] = array
    trace.used_variables[name] = variable
    return variable


def _initial(name: str, dtype: str, shape: tuple[int, ...], initializer: Any) -> tuple[str, np.ndarray | None]:
    """The attribute of df that says the first value, and the array of one that no attribute says."""
    if dtype != "bool" and not is_number(dtype) and dtype != "bfloat16":
        raise model_error(f"variable '{name}' is of {dtype}; expected numbers or bool", ModelTypeError)
    if initializer is None:
        initializer = "glorot_uniform" if "float" in dtype else "zeros"
    if isinstance(initializer, (bool, int, float)):
        return f"#df.constant<{number_text(float(initializer))}>", None
    if isinstance(initializer, (np.ndarray, list)):
        array = np.asarray(initializer)
        if array.shape != shape:
            raise model_error(f"variable '{name}' has the shape {list(shape)}, its initializer {list(array.shape)}")
        return "#df.constant<0.0>", array
    if isinstance(initializer, type) and issubclass(initializer, Initializer):
        initializer = initializer()
    try:
        found = initializers.get(initializer)
        if isinstance(found, (initializers.Identity, initializers.Orthogonal)):
            return "#df.constant<0.0>", _matrix(found, name, shape)
        return initializer_text(found, shape), None
    except ValueError as error:
        raise model_error(f"variable '{name}': {error}") from None


def _matrix(initializer: initializers.Identity | initializers.Orthogonal, name: str, shape: tuple[int, ...]) -> np.ndarray:
    """The first value that no attribute of df says. ValueError for a shape that has none."""
    kind = type(initializer).__name__
    is_identity = isinstance(initializer, initializers.Identity)
    if len(shape) < 2 or (is_identity and len(shape) > 2):
        raise ValueError(f"{kind} is of matrices; found the shape {list(shape)}")
    if is_identity:
        return np.eye(*shape, dtype=np.float32) * np.float32(initializer.gain)
    # Keras' rows are all dimensions but the last. The seed of the model and the name tell the numbers.
    rows, columns = math.prod(shape[:-1]), shape[-1]
    random = np.random.default_rng([current().graph.seed & 0xFFFFFFFF, zlib.crc32(name.encode())])
    q, r = np.linalg.qr(random.normal(size=(max(rows, columns), min(rows, columns))))
    q = q * np.sign(np.diag(r))
    return ((q if rows >= columns else q.T).reshape(shape) * initializer.gain).astype(np.float32)


_DEVIATION_AFTER_CUT = 0.87962566103423978
"""The deviation of a standard normal distribution that is cut at two deviations."""


def initializer_text(initializer: Initializer, shape: tuple[int, ...]) -> str:
    """The attribute of df for a variable of this shape. Fans are Keras': the last two dimensions, times the others."""
    if isinstance(initializer, initializers.Zeros):
        return "#df.constant<0.0>"
    if isinstance(initializer, initializers.Ones):
        return "#df.constant<1.0>"
    if isinstance(initializer, initializers.Constant):
        return f"#df.constant<{number_text(initializer.value)}>"
    if isinstance(initializer, initializers.RandomUniform):
        return f"#df.uniform<{number_text(initializer.minval)}, {number_text(initializer.maxval)}>"
    if isinstance(initializer, initializers.RandomNormal):
        return f"#df.normal<{number_text(initializer.mean)}, {number_text(initializer.stddev)}>"
    if isinstance(initializer, initializers.TruncatedNormal):
        return f"#df.truncated_normal<{number_text(initializer.mean)}, {number_text(initializer.stddev)}>"
    scaling = _as_scaling(initializer)
    fan_in, fan_out = _fans(shape)
    fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2}[scaling.mode]
    variance = scaling.scale / max(fan, 1.0)
    if scaling.distribution == "uniform":
        limit = math.sqrt(3 * variance)
        return f"#df.uniform<{number_text(-limit)}, {number_text(limit)}>"
    if scaling.distribution == "truncated_normal":
        return f"#df.truncated_normal<0.0, {number_text(math.sqrt(variance) / _DEVIATION_AFTER_CUT)}>"
    return f"#df.normal<0.0, {number_text(math.sqrt(variance))}>"


def _as_scaling(initializer: Initializer) -> initializers.VarianceScaling:
    if isinstance(initializer, initializers.VarianceScaling):
        return initializer
    known = {
        initializers.GlorotUniform: (1.0, "fan_avg", "uniform"),
        initializers.GlorotNormal: (1.0, "fan_avg", "truncated_normal"),
        initializers.HeUniform: (2.0, "fan_in", "uniform"),
        initializers.HeNormal: (2.0, "fan_in", "truncated_normal"),
        initializers.LecunUniform: (1.0, "fan_in", "uniform"),
        initializers.LecunNormal: (1.0, "fan_in", "truncated_normal"),
    }
    if type(initializer) not in known:
        raise UnsupportedError(
            f"{type(initializer).__name__} begins no variable of a model_fn yet; expected another one, or an array"
        )
    return initializers.VarianceScaling(*known[type(initializer)])


def _fans(shape: tuple[int, ...]) -> tuple[float, float]:
    if len(shape) < 2:
        size = float(shape[0]) if shape else 1.0
        return size, size
    field = math.prod(shape[:-2])
    return float(field * shape[-2]), float(field * shape[-1])


def trainable_variables(scope: str | None = None) -> list[Variable]:
    """The variables that optimizers may move and that this call of the model_fn has made; those of a scope alone."""
    found = [v for v in current().used_variables.values() if v.trainable]
    return found if scope is None else [v for v in found if v.name == scope or v.name.startswith(scope.rstrip("/") + "/")]


def global_step() -> Variable:
    """The number of steps done, a scalar of int64, which each step of training counts."""
    return make_variable(GLOBAL_STEP, "int64", (), 0, trainable=False)
