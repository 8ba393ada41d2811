"""ModeKeys, TrainSpec and EvalSpec, and warm start: what is said of a run beside the model and its RunConfig."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from mlc._model import VocabularyRemap, WarmStart
from mlc.estimator.exporters import Exporter

if TYPE_CHECKING:
    from mlc.initializers import Initializer


class ModeKeys:
    """What a model is called for: an input_fn's argument `mode`."""

    TRAIN = "train"
    EVAL = "eval"
    PREDICT = "infer"


def check_input_fn(input_fn: Any) -> None:
    """TypeError unless it is a function."""
    if not callable(input_fn):
        raise TypeError(
            f"`input_fn` must be callable, given a {type(input_fn).__name__}; expected a function that returns data: "
            "lambda: mlc.data.Dataset.from_arrays(features, labels).batch(32)"
        )


def check_limit(value: int | None, name: str) -> int | None:
    """None, or a whole number above 0; ValueError in TensorFlow's words."""
    if value is None:
        return None
    if isinstance(value, bool) or value != int(value) or value <= 0:
        raise ValueError(f"Must specify {name} > 0, given: {value}")
    return int(value)


@dataclass(frozen=True)
class TrainSpec:
    """How train_and_evaluate trains: input_fn, and max_steps, the global step at which it ends (None: with the input). hooks and
    saving_listeners are as of Estimator.train."""

    input_fn: Callable[..., Any]
    max_steps: int | None = None
    hooks: Sequence[Any] | None = None
    saving_listeners: Sequence[Any] | None = None

    def __post_init__(self) -> None:
        check_input_fn(self.input_fn)
        check_limit(self.max_steps, "max_steps")


@dataclass(frozen=True)
class EvalSpec:
    """How train_and_evaluate evaluates.

    `steps` is the number of batches (None: to the input's end), `name` tells evaluations apart (its events go to
    eval_<name>), hooks are as of Estimator.evaluate, exporters one Exporter or several. An evaluation follows each checkpoint but the first. start_delay_secs and throttle_secs are those of a
    process that evaluates beside the one that trains; in one process evaluations do not depend on the clock.
    """

    input_fn: Callable[..., Any]
    steps: int | None = 100
    name: str | None = None
    hooks: Sequence[Any] | None = None
    exporters: Exporter | Sequence[Exporter] | None = None
    start_delay_secs: int = 120
    throttle_secs: int = 600

    def __post_init__(self) -> None:
        check_input_fn(self.input_fn)
        check_limit(self.steps, "steps")
        if self.name is not None and not isinstance(self.name, str):
            raise TypeError(f"`name` must be string, given: {self.name}")
        if self.start_delay_secs < 0:
            raise ValueError(f"Must specify start_delay_secs >= 0, given: {self.start_delay_secs}")
        if self.throttle_secs < 0:
            raise ValueError(f"Must specify throttle_secs >= 0, given: {self.throttle_secs}")
        names = [_exporter_name(exporter) for exporter in self.exporter_list]
        for name in names:
            if names.count(name) > 1:
                raise ValueError(f"`exporters` must have unique names. Such a name cannot be used twice: {name}")

    @property
    def exporter_list(self) -> tuple[Exporter, ...]:
        """The exporters; none of None."""
        if isinstance(self.exporters, Exporter):
            return (self.exporters,)
        if self.exporters is not None and not isinstance(self.exporters, Iterable):
            raise TypeError(f"`exporters` must be an Exporter, an iterable of Exporter, or None; found {self.exporters!r}")
        return tuple(self.exporters or ())

    @property
    def exporters_of_run(self) -> tuple[Exporter, ...]:
        """Those whose exports the run itself makes; of the others it calls `export`."""
        return tuple(exporter for exporter in self.exporter_list if exporter.is_of_run)

    @property
    def own_exporters(self) -> tuple[Exporter, ...]:
        """Those that are called."""
        return tuple(exporter for exporter in self.exporter_list if not exporter.is_of_run)


def _exporter_name(exporter: Any) -> str:
    if not isinstance(exporter, Exporter):
        raise TypeError(f"`exporters` must be exporters of mlc.estimator, given {exporter!r}")
    return exporter.name


@dataclass(frozen=True)
class VocabInfo:
    """How the vocabulary of a variable changed. A canned Estimator itself tells the new one, and what is said of it is not
    used; of a model_fn new_vocab is a file of terms, of which the first new_vocab_size count (None: all).

    Rows (axis 0) or columns (axis 1) of a variable go to where their terms are in the new vocabulary; those of new
    terms begin as backup_initializer says, one of mlc.initializers or its name, which is that of the whole variable then;
    None: as the variable's own initializer, where TensorFlow has zeros. old_vocab_size -1: all lines of old_vocab;
    num_oov_buckets rows are after those of the new terms, and are kept if there are as many.
    """

    new_vocab: str | os.PathLike[str] | None
    new_vocab_size: int | None
    num_oov_buckets: int
    old_vocab: str | os.PathLike[str]
    old_vocab_size: int = -1
    backup_initializer: Any = None
    axis: int = 0

    def __post_init__(self) -> None:
        if self.axis not in (0, 1):
            raise ValueError(f"VocabInfo: axis must be 0 or 1; found {self.axis!r}")
        self._backup()

    def _backup(self) -> Initializer | None:
        """The initializer of new terms. ValueError for what is none."""
        if self.backup_initializer is None:
            return None
        from mlc import initializers  # which nothing else here needs

        return initializers.get(self.backup_initializer)


@dataclass(frozen=True)
class WarmStartSettings:
    """Values of another model's checkpoint as initial ones.

    ckpt_to_initialize_from is a model_dir, the directory of a checkpoint, a .safetensors file, or what TensorFlow wrote:
    a checkpoint's prefix, a directory of them, a SavedModel. vars_to_warm_start are regular expressions that match names
    of variables from their beginning: '.*' takes all that are trained and what the checkpoint has of the others (batch
    norm's averages), None those with a VocabInfo alone; one that matches no variable, slots of the optimizer.
    var_name_to_vocab_info has VocabInfos by names of variables, var_name_to_prev_var_name has the names of variables that are called otherwise in the
    checkpoint.
    """

    ckpt_to_initialize_from: str | os.PathLike[str]
    vars_to_warm_start: str | Iterable[str] | None = ".*"
    var_name_to_vocab_info: Mapping[str, VocabInfo] = field(default_factory=dict)
    var_name_to_prev_var_name: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.ckpt_to_initialize_from:
            raise ValueError("`ckpt_to_initialize_from` MUST be set in WarmStartSettings")


def warm_start(settings: str | os.PathLike[str] | WarmStartSettings | WarmStart | None) -> WarmStart | None:
    """The warm start that the argument warm_start_from of an Estimator means; that of another Estimator is as it is."""
    if settings is None or isinstance(settings, WarmStart):
        return settings
    if not isinstance(settings, WarmStartSettings):
        if not isinstance(settings, (str, os.PathLike)):
            raise ValueError(f"warm_start_from must be a string or a WarmStartSettings, instead got {type(settings)}")
        settings = WarmStartSettings(settings)
    variables = settings.vars_to_warm_start
    names: tuple[str, ...] | None
    if variables is None:
        names = tuple(f"{re.escape(name)}$" for name in settings.var_name_to_vocab_info or ())
    elif isinstance(variables, str):
        names = None if variables == ".*" else (variables,)
    else:
        names = tuple(variables)
    if names == ():
        return None  # nothing is taken over
    remaps = tuple(
        VocabularyRemap(
            variable,
            os.path.abspath(os.fspath(info.old_vocab)),
            None if info.old_vocab_size == -1 else info.old_vocab_size,
            info.axis,
            None if info.new_vocab is None else os.path.abspath(os.fspath(info.new_vocab)),
            info.new_vocab_size,
            info.num_oov_buckets,
            info._backup(),
        )
        for variable, info in (settings.var_name_to_vocab_info or {}).items()
    )
    checkpoint = os.path.abspath(os.fspath(settings.ckpt_to_initialize_from))
    return WarmStart(checkpoint, names, remaps, tuple((settings.var_name_to_prev_var_name or {}).items()))
