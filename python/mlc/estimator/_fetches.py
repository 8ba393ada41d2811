"""What hooks fetch: Tensors, Variables and names, as outputs of the function that is run."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from mlc._build import check_usable, is_tensor
from mlc._graph import Operation, Trace, model_error
from mlc.errors import UnsupportedError, did_you_mean
from mlc.tensor import Tensor
from mlc.variables import GLOBAL_STEP, Variable

PREFIX = "fetch/"
"""What the names of outputs begin with that hooks alone get."""
METRICS = PREFIX + "metrics/"
"""The same of what metrics of an evaluation have added up, by the names of variables."""


def key_of(fetch: Any) -> Any:
    """What tells fetches apart: a name, or the number of a Tensor; None for an operation. TypeError: it is none."""
    if isinstance(fetch, Operation):
        return None
    if isinstance(fetch, Variable):
        return fetch.name
    if isinstance(fetch, Tensor):
        return ("tensor", id(fetch.trace), fetch.number)
    if isinstance(fetch, str):
        return fetch.removesuffix(":0")
    raise TypeError(f"Fetch argument {fetch!r} has invalid type {type(fetch)}, must be a Tensor, a Variable or a name.")


class TracedFetches:
    """The fetches of a function that is traced, which becomes ready to give more when more are asked for."""

    def __init__(self, trace: Trace, function: str, named: Mapping[str, Tensor]) -> None:
        """Of the function of that name; `named`: what may be fetched by name."""
        self.trace, self._function, self._named = trace, function, named
        self._outputs: dict[Any, str] = {}
        self._listed: list[tuple[str, Tensor]] = []

    def missing(self, fetches: Iterable[Any]) -> list[Any]:
        """Those that no output is of, each once."""
        found = {key_of(fetch): fetch for fetch in fetches}
        return [fetch for key, fetch in found.items() if key not in (None, GLOBAL_STEP) and key not in self._outputs]

    def add(self, fetches: Sequence[Any]) -> list[tuple[str, Tensor]]:
        """The outputs of fetches that are new. ModelError for what the function does not have."""
        found = []
        for fetch in self.missing(fetches):
            name = f"{PREFIX}{len(self._outputs)}"
            found.append((name, self._tensor_of(fetch)))
            self._outputs[key_of(fetch)] = name
        return found

    def end(self, outputs: Sequence[tuple[str, Tensor]]) -> None:
        """Ends the function with these outputs, those of fetches among them."""
        self._listed = list(outputs)
        self.trace.graph.end_function(self._listed)

    def grow(self, fetches: Sequence[Any]) -> None:
        """Adds outputs to the function, which was ended."""
        with self.trace.graph.reopened(self._function, self.trace):
            self.end([*self._listed, *self.add(fetches)])

    def value(self, fetch: Any, outputs: Mapping[str, np.ndarray]) -> np.ndarray:
        """The value of a fetch that add() knows."""
        return outputs[self._outputs[key_of(fetch)]]

    def _tensor_of(self, fetch: Any) -> Tensor:
        if isinstance(fetch, Variable):
            return fetch.read()
        if is_tensor(fetch):
            check_usable(self.trace, [fetch], "a hook's fetches")
            tensor: Tensor = fetch
            return tensor
        name = key_of(fetch)
        if name in self._named:
            return self._named[name]
        if name in self.trace.used_variables:
            return self.trace.used_variables[name].read()
        names = [*self._named, *self.trace.used_variables]
        hint = did_you_mean(name, names)
        raise model_error(
            f"a hook asks for '{fetch}', which is no name of the model" + (f"; {hint}" if hint else "") + "; there are "
            + ", ".join(f"'{each}'" for each in names)
        )


class TaskFetches(TracedFetches):
    """The fetches of a training task of a cluster: what each step tells all tasks, variables of the servers, and of the rest
    what the task computes of its own rows. What other tasks compile does not depend on them."""

    def __init__(self, trace: Trace, function: str, named: Mapping[str, Tensor], told: Mapping[Any, str]) -> None:
        """`told`: names of outputs that the step has anyway, by what they are asked for."""
        super().__init__(trace, function, named)
        self._told = told

    def missing(self, fetches: Iterable[Any]) -> list[Any]:
        """Those that no output is of, and no variable, each once."""
        return [f for f in super().missing(fetches) if self._output(f) is None and self.variable(f) is None]

    def variable(self, fetch: Any) -> str | None:
        """The name of the variable that is asked for; None: it is none."""
        if isinstance(fetch, Variable):
            return fetch.name
        name = key_of(fetch)
        return name if isinstance(name, str) and name not in self._named and name in self.trace.used_variables else None

    def value(self, fetch: Any, outputs: Mapping[str, np.ndarray]) -> np.ndarray:
        """The value of a fetch that is no variable."""
        return outputs[self._output(fetch) or self._outputs[key_of(fetch)]]

    def check(self, own: Iterable[str]) -> None:
        """UnsupportedError for a fetch that the task's gradients do not tell; `own`: names of their outputs."""
        known = set(own)
        for key, output in self._outputs.items():
            if output not in known:
                raise self.error(key if isinstance(key, str) else self._listed_tensor(output))

    def explained(self, text: str) -> str:
        """A message with what hooks ask for in the place of names of outputs."""
        for key, output in self._outputs.items():
            text = text.replace(f"'{output}'", repr(key if isinstance(key, str) else self._listed_tensor(output)))
        return text

    @staticmethod
    def error(fetch: Any) -> UnsupportedError:
        """That no task has it."""
        return UnsupportedError(
            f"a hook asks for {fetch!r}, which a task of a cluster does not compute: expected the loss, scalars of summaries, "
            "variables, the global step, or what gradients are computed from of the rows that the task has"
        )

    def _output(self, fetch: Any) -> str | None:
        key = key_of(fetch)
        if key not in self._told and key in self._named:
            key = key_of(self._named[key])
        return self._told.get(key)

    def _listed_tensor(self, output: str) -> Tensor:
        return dict(self._listed)[output]


class NamedFetches:
    """The fetches of a model whose steps give outputs by names, and no others."""

    def __init__(self, names: Sequence[str] | None) -> None:
        """None: those of the first step tell the names."""
        self._names = names

    def missing(self, fetches: Iterable[Any]) -> list[Any]:
        """None: UnsupportedError for Tensors, and for names that are nearly one of a step's; others may be variables."""
        for fetch in fetches:
            key = key_of(fetch)
            if self._names is None or key in (None, GLOBAL_STEP, *self._names):
                continue
            if not isinstance(key, str) or did_you_mean(key, [GLOBAL_STEP, *self._names]):
                raise self.error(fetch, self._names)
        return []

    def value(self, fetch: Any, outputs: Mapping[str, np.ndarray]) -> np.ndarray:
        """The value of a fetch that a step tells."""
        return outputs[key_of(fetch)]

    @staticmethod
    def error(fetch: Any, names: Iterable[str]) -> UnsupportedError:
        """That there is no such fetch."""
        known = [*names, GLOBAL_STEP]
        hint = did_you_mean(str(fetch), known)
        return UnsupportedError(
            f"a hook asks for {fetch!r}; a canned Estimator tells {', '.join(known)} here, and variables by their names; a "
            "model_fn has Tensors to fetch" + (f"; {hint}" if hint else "")
        )
