"""Training with hooks: what they fetch becomes outputs of the step, which come back to them behind each."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from mlc import _engine, _nest
from mlc._build import is_tensor
from mlc._graph import Operation, Trace, model_error
from mlc._hooks import CheckpointSaverListener, SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues
from mlc.errors import ModelError, UnsupportedError, did_you_mean
from mlc.tensor import Tensor
from mlc.variables import GLOBAL_STEP, Variable

_FETCHED = "fetch/"


class _Session:
    """What hooks get as a session: it tells the step and, where a checkpoint has them, variables."""

    def __init__(self, run: HookedRun) -> None:
        self._run = run

    def run(self, fetches: Any, feed_dict: Any = None) -> Any:
        """The global step, or values of variables in the newest checkpoint. UnsupportedError for anything else."""
        return _nest.pack(fetches, [self._value(each) for each in _nest.flatten(fetches)])

    def _value(self, fetch: Any) -> Any:
        name = fetch.name if isinstance(fetch, Variable) else str(fetch).removesuffix(":0")
        if name == GLOBAL_STEP:
            return np.int64(self._run.step)
        steps = _engine.checkpoints(self._run.model_dir)
        if isinstance(fetch, Tensor) or not steps:
            raise UnsupportedError(f"session.run({fetch!r}): a step computes this; return it from before_run")
        return _engine.variable(self._run.model_dir, steps[-1], name)

    def __getattr__(self, name: str) -> Any:
        raise UnsupportedError(f"a session has no {name} here; expected run(fetches), or fetches of before_run")


class HookedRun:
    """The hooks and listeners of one call of train."""

    def __init__(
        self, hooks: Sequence[SessionRunHook], listeners: Sequence[CheckpointSaverListener], model_dir: str, step: int
    ) -> None:
        """Hooks are called in their order.

        Args:
          step: the global step that training begins with.

        Raises:
          TypeError: something that is no hook, or no listener.
        """
        _check_hooks(hooks)
        for listener in listeners:
            if not isinstance(listener, CheckpointSaverListener):
                raise TypeError(f"saving_listeners must be a list of CheckpointSaverListener, given: {listener!r}")
        self._hooks, self._listeners = list(hooks), list(listeners)
        self.model_dir, self.step = model_dir, step
        self._session = _Session(self)
        self._pending: list[tuple[SessionRunContext, Any]] = []
        """Of the next step: the context and the fetches of each hook."""
        self._outputs: dict[Any, str] = {}
        """Names of outputs, by what was fetched."""

    @property
    def is_empty(self) -> bool:
        """Whether there is nobody to call."""
        return not self._hooks and not self._listeners

    def add_hooks(self, hooks: Sequence[SessionRunHook]) -> None:
        """More hooks, behind the others. TypeError for something else."""
        _check_hooks(hooks)
        self._hooks += hooks

    def begin(self, trace: Trace, named: Mapping[str, Tensor]) -> list[tuple[str, Tensor]]:
        """Calls begin of all, asks for the fetches of the first step, and gives the outputs that the step has of them.

        Args:
          named: what may be fetched by name.
        """
        found: list[tuple[str, Tensor]] = []
        for fetch in self._first_fetches():
            key = _key(fetch)
            if key in self._outputs:
                continue
            name = f"{_FETCHED}{len(found)}"
            found.append((name, _tensor_of(trace, fetch, named)))
            self._outputs[key] = name
        return found

    def begin_by_name(self, names: Sequence[str]) -> None:
        """As begin, for a model whose step has outputs of these names, and no others."""
        for fetch in self._first_fetches():
            if _key(fetch) not in names:
                raise UnsupportedError(
                    f"a hook asks for {fetch!r}; the step of a canned Estimator tells {', '.join(names)} and "
                    f"{GLOBAL_STEP}; a model_fn has Tensors to fetch"
                )

    def _first_fetches(self) -> list[Any]:
        """What hooks want of the first step, but operations and the global step."""
        for each in (*self._hooks, *self._listeners):
            each.begin()
        for hook in self._hooks:
            hook.after_create_session(self._session, None)
        self._before_run()
        listed = [fetch for _, fetches in self._pending for fetch in _nest.flatten(fetches)]
        return [fetch for fetch in listed if _key(fetch) not in (None, GLOBAL_STEP)]

    def _before_run(self) -> None:
        self._pending = []
        for hook in self._hooks:
            context = SessionRunContext(self._session)
            wanted = hook.before_run(context)
            if not isinstance(wanted, SessionRunArgs):
                wanted = SessionRunArgs(wanted)
            if wanted.feed_dict:
                raise UnsupportedError(f"{type(hook).__name__}: feed_dict: a step takes its batch alone; expected None")
            context.original_args = wanted
            self._pending.append((context, () if wanted.fetches is None else wanted.fetches))

    # mlc._native.Observer

    def after_step(self, steps: int, outputs: Mapping[str, np.ndarray]) -> bool:
        """Brings a step's values to the hooks. True: one of them asked for the end."""
        self.step = steps
        stops = False
        for hook, (context, fetches) in zip(self._hooks, self._pending, strict=True):
            values = [self._value(hook, fetch, outputs) for fetch in _nest.flatten(fetches)]
            hook.after_run(context, SessionRunValues(_nest.pack(fetches, values)))
            stops |= context.stop_requested
        if not stops:
            self._before_run()
            stops = any(context.stop_requested for context, _ in self._pending)
        return stops

    def before_save(self, steps: int) -> None:
        """Tells the listeners."""
        for listener in self._listeners:
            listener.before_save(self._session, steps)

    def after_save(self, steps: int) -> bool:
        """Tells the listeners. True: one of them ends training."""
        return any([bool(listener.after_save(self._session, steps)) for listener in self._listeners])

    def end(self) -> None:
        """Training ended without an error."""
        for hook in self._hooks:
            hook.end(self._session)
        for listener in self._listeners:
            listener.end(self._session, self.step)

    def _value(self, hook: SessionRunHook, fetch: Any, outputs: Mapping[str, np.ndarray]) -> Any:
        key = _key(fetch)
        if key is None:
            return None
        if key == GLOBAL_STEP:
            return np.int64(self.step)
        name = self._outputs.get(key, key if isinstance(key, str) and key in outputs else None)
        if name is None:
            raise ModelError(
                f"{type(hook).__name__}.before_run asks for {fetch!r}, which no hook asked for before the first step; "
                "return it from the first call of before_run, too: the step is compiled then"
            )
        value = outputs[name]
        return value[()] if value.ndim == 0 else value


def _check_hooks(hooks: Sequence[Any]) -> None:
    for hook in hooks:
        if not isinstance(hook, SessionRunHook):
            raise TypeError(f"All hooks must be SessionRunHook instances, given: {hook!r}")


def _key(fetch: Any) -> Any:
    """What tells fetches apart: a name, or the number of a Tensor; None for an operation."""
    if isinstance(fetch, Operation):
        return None
    if isinstance(fetch, Variable):
        return fetch.name
    if isinstance(fetch, Tensor):
        return ("tensor", id(fetch.trace), fetch.number)
    if isinstance(fetch, str):
        return fetch.removesuffix(":0")
    raise TypeError(f"Fetch argument {fetch!r} has invalid type {type(fetch)}, must be a Tensor, a Variable or a name.")


def _tensor_of(trace: Trace, fetch: Any, named: Mapping[str, Tensor]) -> Tensor:
    if isinstance(fetch, Variable):
        return fetch.read()
    if is_tensor(fetch):
        tensor: Tensor = fetch
        return tensor
    name = str(fetch).removesuffix(":0")
    if name in named:
        return named[name]
    if name in trace.used_variables:
        return trace.used_variables[name].read()
    names = [*named, *trace.used_variables]
    hint = did_you_mean(name, names)
    raise model_error(
        f"a hook asks for '{fetch}', which is no name of the model" + (f"; {hint}" if hint else "") + "; there are "
        + ", ".join(f"'{each}'" for each in names)
    )
