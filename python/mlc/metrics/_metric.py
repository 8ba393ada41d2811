"""class Metric: sums over batches, and what is made of them."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from mlc import ops
from mlc._build import as_tensor, describe
from mlc._graph import Trace, current, model_error
from mlc.ops._broadcast import rows_first, to_shape
from mlc.tensor import Tensor
from mlc.variables import Variable, make_variable

Result = Callable[[Mapping[str, Tensor]], Tensor]


class Metric:
    """A number of all batches of an evaluation.

    Sums are added up as float64 from batch to batch; at the end `result` makes the metric of them. One of your own:

        def exact_matches(labels, predictions):
            same = ops.all(ops.equal(labels, predictions), axis=1)
            return metrics.Metric(
                {"hits": ops.sum(same.astype("float64")), "rows": ops.shape(same)[0]},
                lambda total: ops.divide_no_nan(total["hits"], total["rows"]),
            )
    """

    def __init__(self, sums: Mapping[str, Any], result: Result, name: str = "metric") -> None:
        """A metric.

        Args:
          sums: what each batch adds, by names: Tensors of known shapes.
          result: gets the sums over all batches by these names, float64 of the same shapes; the metric, a scalar or
            a Tensor of a known shape.
          name: of the metric, for messages.
        """
        self._trace: Trace = current()
        self._sums: dict[str, Tensor] = {}
        for key, value in sums.items():
            tensor = as_tensor(value)
            if any(n is None for n in tensor.shape):
                raise model_error(f"metric '{name}': a sum is of no known shape\n{describe([tensor])}")
            self._sums[key] = ops.cast(tensor, "float64")
        self._result = result
        self.name = name

    def then(self, function: Callable[[Tensor], Tensor]) -> Metric:
        """The metric that a function makes of this one."""
        result = self._result
        return Metric(self._sums, lambda total: function(result(total)), self.name)

    @property
    def value(self) -> Tensor:
        """The metric of this batch alone."""
        return as_tensor(self._result(self._sums))

    def __getitem__(self, index: int) -> Tensor:
        # tf.metrics return (value, update_op), and both are used in training, where each stands for the batch.
        if index not in (0, 1):
            raise IndexError(index)
        return self.value

    def update(self, name: str) -> dict[str, Variable]:
        """Adds the batch to variables of the evaluation, which are returned; `name` is the metric's key."""
        if self._trace is not current():
            raise model_error(f"metric '{name}' is of another call of the model_fn")
        totals = {}
        for key, tensor in self._sums.items():
            shape = tuple(n or 0 for n in tensor.shape)
            variable = make_variable(f"eval/{name}/{key}", "float64", shape, 0, trainable=False, lifetime="eval")
            variable.assign_add(tensor)
            totals[key] = variable
        return totals

    def result(self, totals: Mapping[str, Variable]) -> Tensor:
        """The metric of all batches, in the function that ends an evaluation."""
        return as_tensor(self._result({key: variable.value() for key, variable in totals.items()}))


def weights_for(values: Tensor, weights: Any) -> Tensor:
    """Weights, of None 1, as float64 of the shape of `values`; [n] are those of rows."""
    if weights is None:
        return ops.ones_like(values, "float64")
    factor = ops.cast(as_tensor(weights, "float64"), "float64")
    if factor.ndim == values.ndim + 1 and factor.shape[-1] == 1:
        factor = ops.squeeze(factor, -1)
    return to_shape(rows_first(factor, values.ndim), values.shape, [values])
