"""Runs with hooks: what they fetch becomes outputs of the step, which come back to them after each."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import functools
import logging
import os
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from mlc import _engine, _nest
from mlc._graph import Trace
from mlc._file_hooks import CheckpointSaverHook
from mlc._hooks import (
    ALL_STEPS, CheckpointSaverListener, SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues, first_awaited,
)  # fmt: skip
from mlc.errors import ClusterError, MlcError, ModelError, UnsupportedError
from mlc.estimator._fed import Feeds
from mlc.estimator._feed import BatchFeed
from mlc.estimator._fetches import METRICS, PREFIX, NamedFetches, TaskFetches, TracedFetches, key_of
from mlc.estimator.run_config import RunConfig
from mlc.tensor import Tensor
from mlc.variables import GLOBAL_STEP, Variable

if TYPE_CHECKING:
    from mlc.estimator.model_fn import EstimatorSpec

logger = logging.getLogger("mlc")

_MOST_GROWTHS = 8
"""How often a run is compiled again for fetches."""

Evaluate = Callable[[int, str], dict[str, Any]]
"""Evaluates an eval set: the step of the model, and the directory of its checkpoint."""


class Suspended(Exception):
    """Ends an evaluation, which goes on with another module."""


class _Session:
    """What hooks get as a session: it tells the step, and variables after it."""

    def __init__(self, run: HookedRun) -> None:
        self._run = run

    def run(self, fetches: Any, feed_dict: Any = None) -> Any:
        """The global step, or values of variables: after the step that a hook is called for, else those of the
        checkpoint. UnsupportedError for anything else. What is fed, columns of a batch, changes none of these."""
        self._run.feeds_of.merged([("session.run", feed_dict or {})])
        return _nest.pack(fetches, [self._value(each) for each in _nest.flatten(fetches)])

    def variables(self) -> dict[str, np.ndarray] | None:
        """All variables after the step that a hook is called for, by name; None between steps."""
        state = self._run.state
        return None if state is None else {name: self._run.live(name) for name in state.names}

    def begin_timeline(self, path: str, step: int) -> None:
        """What the run does goes to a file, a Chrome trace, from its step `step` on. RuntimeError: it goes to one already;
        OSError: the file cannot be written."""
        self._run.observation.begin_timeline(path, "train", step)

    def end_timeline(self) -> None:
        """Completes the file."""
        self._run.observation.end_timeline()

    @property
    def in_cluster(self) -> bool:
        """Whether other tasks train, too."""
        return self._run.in_cluster

    @property
    def is_chief(self) -> bool:
        """Whether this task saves, or is the only one."""
        return not self._run.in_cluster or self._run.role == "chief"

    def _value(self, fetch: Any) -> Any:
        name = fetch.name if isinstance(fetch, Variable) else str(fetch).removesuffix(":0")
        if name == GLOBAL_STEP:
            return np.int64(self._run.step)
        state = self._run.state
        if state is not None and name in state.names:
            return self._run.live(name)
        place = self._run.checkpoint_place()
        if isinstance(fetch, Tensor) or place is None:
            raise UnsupportedError(f"session.run({fetch!r}): a step computes this; return it from before_run")
        return _engine.variable(*place, name)

    def __getattr__(self, name: str) -> Any:
        raise UnsupportedError(f"a session has no {name} here; expected run(fetches), or fetches of before_run")


class _Call(NamedTuple):
    """What a hook wants of the next step."""

    hook: SessionRunHook
    context: SessionRunContext
    fetches: Any
    feeds: Mapping[Any, Any]


class HookedRun:
    """The hooks and listeners of one call of train, evaluate or predict: mlc._native.Observer of its runs."""

    def __init__(
        self,
        hooks: Sequence[SessionRunHook],
        listeners: Sequence[CheckpointSaverListener],
        model_dir: str,
        step: int,
        *,
        batches: BatchFeed | None = None,
        trains: bool = True,
        last: int | None = None,
        total: int | None = None,
        checkpoint: str | None = None,
        role: str = "chief",
        in_cluster: bool = False,
    ) -> None:
        """Hooks are called in their order.

        Args:
          step: the global step that the run begins with.
          batches: gives the batches; is told which are done.
          trains: each step is one of training; else a batch.
          last: the step, or number of batches, at which the run ends in any case; None: the input's end.
          total: the number of batches that the input has, if that is known.
          checkpoint: what is evaluated or asked; None: the newest.
          role: of the task, which says whose hooks of an EstimatorSpec it calls: "chief" (as of the only one), "worker", or
            another, which has no training steps.
          in_cluster: other tasks train, too: servers have the variables, and each step is of all.

        Raises:
          TypeError: something that is no hook, or no listener.
        """
        _check_hooks(hooks)
        for listener in listeners:
            if not isinstance(listener, CheckpointSaverListener):
                raise TypeError(f"saving_listeners must be a list of CheckpointSaverListener, given: {listener!r}")
        self._hooks, self._listeners = list(hooks), list(listeners)
        self._model_hooks: list[SessionRunHook] = []
        """Those of the EstimatorSpec; a model that is traced again makes them again."""
        self.model_dir, self.step, self.batches = model_dir, step, batches
        self.role, self.in_cluster = role, in_cluster
        self.told: Mapping[Any, str] = {}
        """Names of the outputs of a training step by what may be fetched in their place."""
        self._trains, self._last, self._total, self._checkpoint = trains, last, total, checkpoint
        self.done = 0
        """Batches of all runs of this call."""
        self._done_before = 0
        self.state: Any = None
        """mlc._native.LiveState while hooks are called for a step."""
        self.stop: Any = None
        """mlc._native.StopToken of a run that trains."""
        self.metrics: dict[str, np.ndarray] = {}
        """What metrics have added up, of an evaluation that may go on with another module."""
        self._session = _Session(self)
        self._calls: list[_Call] = []
        """Of the next step."""
        self._fetches: TracedFetches | NamedFetches | None = None
        self.feeds_of = Feeds()
        """What a feed may name."""
        self._feeds = False
        self.begins_to_feed = False
        """A hook feeds the next step, and none did before: batches were read ahead."""
        self._growths = 0
        self.wanted: list[Any] = []
        """Fetches of the next step that the module does not have."""
        self.evaluates: dict[str, Evaluate] = {}
        """By the names of eval sets that are evaluated here while this trains."""

    @functools.cached_property
    def observation(self) -> Any:
        """mlc._native.RunObservation of the runs of this call, which counts and times what they do and no other's."""
        return _engine.native_module().RunObservation()

    @property
    def has_hooks(self) -> bool:
        """Whether there is a hook, or a listener."""
        return bool(self._hooks or self._model_hooks or self._listeners)

    @property
    def eval_sets(self) -> list[str]:
        """Names of eval sets that are evaluated here."""
        return list(self.evaluates)

    @property
    def feeds(self) -> bool:
        """Whether feed() is asked before each batch. Evaluations and predictions do not go on where hooks begin to feed."""
        return self._feeds or (self.has_hooks and not self._trains)

    @property
    def first_awaited(self) -> int:
        """The first step after which something here may read variables, or end the run (mlc._native.Observer)."""
        if self._listeners or not self._trains or self.in_cluster:
            return 0
        # Of a model that is not traced all but what its step gives is read after it.
        if isinstance(self._fetches, NamedFetches):
            known = {None, GLOBAL_STEP, "loss"}
            if any(key_of(fetch) not in known for fetch in self._asked()):
                return 0
        return min((first_awaited(hook) for hook in (*self._hooks, *self._model_hooks)), default=ALL_STEPS)

    def feed(self) -> Any:
        """What hooks feed the next step, for the native side; None: nothing."""
        columns = self.feeds_of.merged((type(call.hook).__name__, call.feeds) for call in self._calls)
        return _engine.arrays(columns, "feed_dict") if columns else None

    @property
    def sees_steps(self) -> bool:
        """Whether there is something to do after steps."""
        return self.has_hooks or bool(self.evaluates) or (self.batches is not None and self.batches.tracks)

    def checkpoint_place(self) -> tuple[str, int] | None:
        """The model_dir and the step of the checkpoint that variables are read from; None: there is none."""
        if self._checkpoint is not None:
            directory, name = os.path.split(os.path.normpath(self._checkpoint))
            number = name.removeprefix("ckpt-")
            return (directory, int(number)) if number.isdigit() else None
        steps = _engine.checkpoints(self.model_dir)
        return (self.model_dir, steps[-1]) if steps else None

    # Before the steps

    def begin(
        self, trace: Trace, function: str, named: Mapping[str, Tensor], hooks: Sequence[SessionRunHook]
    ) -> list[tuple[str, Tensor]]:
        """Calls begin of all, asks for the fetches of the first step, and gives the outputs that the step has of them.
        The caller ends the function by end_function. Where a model is traced again, its own hooks alone begin.

        Args:
          function: the name of what is traced.
          named: what may be fetched by name.
          hooks: those of the EstimatorSpec.
        """
        self._begin(hooks)
        if self._fetches is not None:
            self._check_traced_again(trace)
        if self.in_cluster:
            self._fetches = TaskFetches(trace, function, named, self.told)
        else:
            self._fetches = TracedFetches(trace, function, named)
        self.wanted = []
        return self._fetches.add(self._asked())

    def hooks_of(self, spec: EstimatorSpec) -> list[SessionRunHook]:
        """Those of a training step that this task calls."""
        if self.role == "chief":
            return [*spec.training_hooks, *spec.training_chief_hooks]
        return spec.training_hooks if self.role == "worker" else []

    def check_fetches(self, model: _engine.CompiledModel) -> None:
        """UnsupportedError for what hooks of a task of a cluster ask for, and the task does not compute."""
        own = model.own_outputs
        if isinstance(self._fetches, TaskFetches) and own is not None:
            self._fetches.check(own)

    def explained(self, error: MlcError) -> MlcError:
        """The error of a run, or one that says which fetch it is of."""
        if not isinstance(self._fetches, TaskFetches):
            return error
        text = self._fetches.explained(str(error))
        return error if text == str(error) else UnsupportedError(text, error.messages, error.exit_code)

    def end_function(self, outputs: Sequence[tuple[str, Tensor]]) -> None:
        """Ends the function that is traced."""
        assert isinstance(self._fetches, TracedFetches)
        self._fetches.end(outputs)

    def begin_by_name(self, names: Sequence[str] | None) -> None:
        """As begin, for a model whose step has outputs of these names, and no others; None: as the first step has."""
        self._begin(())
        self._fetches = NamedFetches(names)
        self._fetches.missing(self._asked())

    def _begin(self, hooks: Sequence[SessionRunHook]) -> None:
        _check_hooks(hooks)
        is_first = self._fetches is None
        self._model_hooks = list(hooks)
        new = [*self._hooks, *hooks] if is_first else list(hooks)
        for each in (*new, *(self._listeners if is_first else ())):
            each.begin()
        for hook in new:
            hook.after_create_session(self._session, None)
        kept = [] if is_first else [call for call in self._calls if call.hook in self._hooks]
        self._calls = kept + self._ask(new)

    def _check_traced_again(self, trace: Trace) -> None:
        """UnsupportedError for Tensors of the trace before."""
        for call in self._calls:
            for fetch in _nest.flatten(call.fetches):
                if isinstance(fetch, Tensor) and fetch.trace is not trace:
                    raise UnsupportedError(
                        f"{type(call.hook).__name__} asks for {fetch!r}, which is of the model before the sizes of rows turned "
                        "out to vary: give it a name, ops.identity(x, name='...'), and fetch that"
                    )

    def _ask(self, hooks: Sequence[SessionRunHook]) -> list[_Call]:
        calls = []
        for hook in hooks:
            context = SessionRunContext(self._session)
            wanted = hook.before_run(context)
            if not isinstance(wanted, SessionRunArgs):
                wanted = SessionRunArgs(wanted)
            context.original_args = wanted
            feeds = wanted.feed_dict or {}
            if not isinstance(feeds, Mapping):
                raise TypeError(f"{type(hook).__name__}: feed_dict is {feeds!r}; expected a dict")
            if feeds and self.in_cluster:
                raise UnsupportedError(
                    f"{type(hook).__name__}: feed_dict: a step of a task of a cluster is of the rows that all tasks share out; "
                    "expected None"
                )
            calls.append(_Call(hook, context, () if wanted.fetches is None else wanted.fetches, feeds))
        if any(call.feeds for call in calls) and not self._feeds:
            self._feeds = True
            self.begins_to_feed = self._trains and self.stop is not None
        return calls

    def _asked(self) -> list[Any]:
        return [fetch for call in self._calls for fetch in _nest.flatten(call.fetches)]

    def grow(self) -> Trace:
        """Adds what hooks want to the outputs of the function; its Trace, of the module to compile."""
        assert isinstance(self._fetches, TracedFetches)
        names = ", ".join(repr(fetch) for fetch in self.wanted)
        self._growths += 1
        if self._growths > _MOST_GROWTHS:
            raise ModelError(
                f"hooks ask for {names}, which no step had before; the step was compiled {_MOST_GROWTHS} times again for "
                "such fetches: return all of them from the first call of before_run"
            )
        logger.info("hooks ask for %s, too: the step is compiled again, and goes on", names)
        self._fetches.grow(self.wanted)
        self.wanted = []
        return self._fetches.trace

    # mlc._native.Observer

    def after_step(self, steps: int, outputs: Mapping[str, np.ndarray], state: Any = None) -> bool:
        """Brings a step's values to the hooks. True: one of them asked for the end."""
        self.done = steps if self._trains else self._done_before + steps
        if self._trains:
            self.step = steps
        if self.batches is not None:
            self.batches.done()
        self.metrics = {name[len(METRICS) :]: value for name, value in outputs.items() if name.startswith(METRICS)}
        if isinstance(self._fetches, NamedFetches):
            outputs = {name.removeprefix(PREFIX): value for name, value in outputs.items()}
        self.state = state
        try:
            if self._after_run(outputs) or self.before_batch():
                return True
        finally:
            self.state = None
        if self.wanted and self.in_cluster:
            names = ", ".join(repr(fetch) for fetch in self.wanted)
            raise UnsupportedError(
                f"hooks ask for {names} after step {self.step}, and did not before: the step of a task of a cluster is not "
                "compiled again while others train; expected all fetches in the first before_run"
            )
        if self.wanted or self.begins_to_feed:
            self.suspend()
        return False

    def after_batch(self, outputs: Mapping[str, np.ndarray]) -> bool:
        """As after_step, for who runs the batches itself: it calls before_batch before the next one."""
        self.done += 1
        if self.batches is not None:
            self.batches.done()
        return self._after_run(outputs)

    def before_batch(self) -> bool:
        """Asks hooks for what they want of the next step: what is new is in `wanted`. True: one asked for the end."""
        if self._last is not None and self.done >= self._last:
            return False
        self._calls = self._ask([*self._hooks, *self._model_hooks])
        if any(call.context.stop_requested for call in self._calls):
            return True
        if self._fetches is not None and (self._total is None or self.done < self._total):
            self.wanted = self._fetches.missing(self._asked())
        return False

    def _after_run(self, outputs: Mapping[str, np.ndarray]) -> bool:
        stops = False
        for call in self._calls:
            values = [self._value(fetch, outputs) for fetch in _nest.flatten(call.fetches)]
            call.hook.after_run(call.context, SessionRunValues(_nest.pack(call.fetches, values)))
            stops |= call.context.stop_requested
        return stops

    def suspend(self) -> None:
        """The run is to end, since another one goes on with another module."""
        if self.stop is not None:
            self.stop.suspend()  # the state is saved, and batches that were read ahead are given again
        else:
            raise Suspended

    def go_on(self) -> None:
        """Another run goes on after the batches that are done."""
        self._done_before = self.done
        self.begins_to_feed = False
        if self.batches is not None:
            self.batches.go_on()

    def before_save(self, steps: int) -> None:
        """Tells the listeners."""
        for listener in self._listeners:
            listener.before_save(self._session, steps)

    def after_save(self, steps: int) -> bool:
        """Tells the listeners. True: one of them ends training."""
        return any([bool(listener.after_save(self._session, steps)) for listener in self._listeners])

    def evaluate(self, name: str, step: int, checkpoint: str) -> dict[str, Any]:
        """The metrics of an eval set of `eval_sets`."""
        return self.evaluates[name](step, checkpoint)

    def end(self) -> None:
        """The run ended without an error."""
        for hook in (*self._hooks, *self._model_hooks):
            hook.end(self._session)
        for listener in self._listeners:
            listener.end(self._session, self.step)

    def _value(self, fetch: Any, outputs: Mapping[str, np.ndarray]) -> Any:
        key = key_of(fetch)
        if key is None:
            return None
        if key == GLOBAL_STEP:
            return np.int64(self.step)
        assert self._fetches is not None
        variable = self._fetches.variable(fetch) if isinstance(self._fetches, TaskFetches) else None
        if variable is not None:
            value = self.live(variable)
        elif isinstance(self._fetches, NamedFetches) and key not in outputs:
            value = self._variable(fetch, key, outputs)
        else:
            value = self._fetches.value(fetch, outputs)
        return value[()] if value.ndim == 0 else value

    def _variable(self, fetch: Any, key: Any, outputs: Mapping[str, np.ndarray]) -> np.ndarray:
        """A variable of a canned Estimator: after the step, else of the checkpoint. UnsupportedError: there is none."""
        place = self.checkpoint_place() if self.state is None else None
        names = self.state.names if self.state is not None else [] if place is None else list(_engine.variables(*place))
        if key not in names:
            assert isinstance(self._fetches, NamedFetches)
            raise self._fetches.error(fetch, [*outputs, *names])
        return self.live(key) if place is None else _engine.variable(*place, key)

    def live(self, name: str) -> np.ndarray:
        """A variable after the step that hooks are called for.

        ClusterError: servers have it, and have ended with the run, whose checkpoint of the step this process does not see.
        """
        try:
            return _engine.live_variable(self.state, name)
        except ClusterError:
            if self.step not in _engine.checkpoints(self.model_dir):
                raise
            return _engine.variable(self.model_dir, self.step, name)


def saving_of(hooks: Sequence[Any], config: RunConfig) -> tuple[RunConfig, list[CheckpointSaverListener]]:
    """How a run saves whose hooks are these, and listeners: as a CheckpointSaverHook among them says, else the RunConfig."""
    savers = [hook for hook in hooks if isinstance(hook, CheckpointSaverHook)]
    if not savers:
        return config, []
    if len(savers) > 1:
        raise UnsupportedError(f"hooks have {len(savers)} CheckpointSaverHooks; expected one at most")
    (saver,) = savers
    if config.model_dir is None or os.path.abspath(saver.checkpoint_dir) != os.path.abspath(config.model_dir):
        raise UnsupportedError(
            f"CheckpointSaverHook: checkpoint_dir is {saver.checkpoint_dir!r}; expected the model_dir, {config.model_dir!r}"
        )
    if saver.save_steps is not None:
        return config.replace(save_checkpoints_steps=saver.save_steps), saver.listeners
    return config.replace(save_checkpoints_secs=saver.save_secs), saver.listeners


def _check_hooks(hooks: Sequence[Any]) -> None:
    for hook in hooks:
        if not isinstance(hook, SessionRunHook):
            raise TypeError(f"All hooks must be SessionRunHook instances, given: {hook!r}")
