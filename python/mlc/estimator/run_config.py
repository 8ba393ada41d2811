"""RunConfig: where and how an Estimator runs, with every field of TensorFlow 2.15, and those of GPUs; and TF_CONFIG."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from mlc._engine import CPU, Target
from mlc.errors import UnsupportedError
from mlc.estimator.strategy import ParameterServerStrategy
from mlc.estimator.task import Addresses, Task

_USE_DEFAULT: Any = object()
_BOTH_SET = "`save_checkpoints_steps` and `save_checkpoints_secs` cannot be both set."
_DEFAULT_CHECKPOINT_SECS = 600
_DEVICES = ("cpu", "auto", "gpu")
_GPU_SUMS = ("copies", "nccl", "allreduce")
_NEVER = 2**62
"""Steps between things that shall not happen: no run has so many."""

_WITHOUT_MEANING = {
    "session_config": "there is no TensorFlow session; the environment of the process says how many CPUs it may use",
    "eval_distribute": "evaluation runs in one process",
    "experimental_distribute": "train_distribute=ParameterServerStrategy(...) says how tasks train together",
    "device_fn": "ops are placed when the model is compiled",
    "protocol": "TF_CONFIG has it, as \"rpc_layer\"",
    "experimental_max_worker_delay_secs": "workers do not wait for their turn to start",
}
"""Fields that must be None, with what takes their place."""


@dataclass(frozen=True)
class RunConfig:
    """Where and how an Estimator runs. Immutable; `replace` makes a changed copy.

    Attributes:
      model_dir: directory of checkpoints and events; None: that of TF_CONFIG, or of the Estimator's argument.
      tf_random_seed: of initial values, dropout and the order of rows; None: that of the Dataset's shuffle, else 0.
      save_summary_steps: steps between summaries for TensorBoard; 0: none.
      save_checkpoints_steps, save_checkpoints_secs: steps or seconds between checkpoints, not both; 600 seconds if
        neither is given. Both None: checkpoints are made where training begins and ends alone.
      keep_checkpoint_max: newest checkpoints that stay; None or 0: all.
      keep_checkpoint_every_n_hours: one checkpoint per so many hours stays for good.
      log_step_count_steps: steps between lines of progress; None: none.
      train_distribute: a ParameterServerStrategy, which tells how the tasks of a cluster train together; None: its defaults.
      session_config, device_fn, protocol, eval_distribute, experimental_distribute, experimental_max_worker_delay_secs: have
        no meaning here and must be None.
      session_creation_timeout_secs: has no meaning here and must be 7200.
      checkpoint_save_graph_def: without effect: checkpoints hold no graph.
      device: what the model runs on (docs/cuda.md). "cpu"; "auto": an NVIDIA GPU, or where there is none that it has code
        for the CPU, with a warning that says why; "gpu": a GPU, and an error where there is none. Checkpoints are the same.
      gpus: so many GPUs of this machine train, of a synchronous cluster those of each task; evaluations and predictions
        take the first one.
      gpu_sums: how several GPUs bring sums together: "copies"; "nccl": by NCCL, with the same bits; "allreduce": NCCL adds,
        in an order of its own, so that the run is not bit-exact.
      gpu_memory: bytes that a run takes of a GPU at most, as a number or "4GB"; None: MLC_GPU_MEMORY, or 15/16 of what it
        has.
      gpu_chips: GPUs that there is code for, which runs on later ones, too: "sm_80", "sm_90a", ...; none: sm_80 and sm_90a.
      host_tables: tables of at least so many bytes stay in the host's memory; None: all are in the GPU's.
      kernel_table: file that `mlc tune-kernels` wrote, which says what tiles products have; None: the built-in ones.

    Raises:
      ValueError: a field out of range, or save_checkpoints_steps beside save_checkpoints_secs.
      UnsupportedError: a field that has no meaning here.
    """

    model_dir: str | None = None
    tf_random_seed: int | None = None
    save_summary_steps: int = 100
    save_checkpoints_steps: int | None = _USE_DEFAULT
    save_checkpoints_secs: int | None = _USE_DEFAULT
    session_config: None = None
    keep_checkpoint_max: int | None = 5
    keep_checkpoint_every_n_hours: float = 10000
    log_step_count_steps: int | None = 100
    train_distribute: ParameterServerStrategy | None = None
    device_fn: None = None
    protocol: None = None
    eval_distribute: None = None
    experimental_distribute: None = None
    experimental_max_worker_delay_secs: None = None
    session_creation_timeout_secs: int = 7200
    checkpoint_save_graph_def: bool = True
    device: str = "cpu"
    gpus: int = 1
    gpu_sums: str = "copies"
    gpu_memory: int | str | None = None
    gpu_chips: Sequence[str] = ()
    host_tables: int | str | None = None
    kernel_table: str | os.PathLike[str] | None = None

    def __post_init__(self) -> None:
        tf_config = os.environ.get("TF_CONFIG") or "{}"
        task = Task.from_environment(tf_config)
        model_dir = None if self.model_dir is None else os.fspath(self.model_dir)
        if model_dir is not None and task.model_dir is not None and model_dir != task.model_dir:
            raise ValueError(
                "`model_dir` provided in RunConfig construct, if set, must have the same value as the model_dir in "
                f"TF_CONFIG. model_dir: {model_dir}\nTF_CONFIG: {task.model_dir}"
            )
        steps, secs = self.save_checkpoints_steps, self.save_checkpoints_secs
        if steps is _USE_DEFAULT and secs is _USE_DEFAULT:
            secs = _DEFAULT_CHECKPOINT_SECS
        # The one way to set fields of a frozen dataclass while it is made.
        object.__setattr__(self, "_task", task)
        object.__setattr__(self, "_tf_config", tf_config)
        object.__setattr__(self, "model_dir", task.model_dir if model_dir is None else model_dir)
        object.__setattr__(self, "save_checkpoints_steps", None if steps is _USE_DEFAULT else steps)
        object.__setattr__(self, "save_checkpoints_secs", None if secs is _USE_DEFAULT else secs)
        chips = self.gpu_chips
        if not isinstance(chips, (list, tuple)) or not all(isinstance(chip, str) for chip in chips):
            raise ValueError(f'gpu_chips must be a list of names, as ["sm_80"]; found {chips!r}')
        object.__setattr__(self, "gpu_chips", tuple(chips))
        if not isinstance(self.kernel_table, (str, os.PathLike, type(None))) or self.kernel_table == "":
            raise ValueError(f"kernel_table must be the path of a file, or None; found {self.kernel_table!r}")
        _check(self)

    def replace(self, **kwargs: Any) -> RunConfig:
        """A copy with other values of the fields named. Setting one of save_checkpoints_steps and
        save_checkpoints_secs clears the other; setting both, unless to None, is a ValueError."""
        allowed = {field.name for field in fields(self)}
        for name in kwargs:
            if name not in allowed:
                raise ValueError(f"Replacing {name} is not supported. Allowed properties are: {sorted(allowed)}")
        steps, secs = "save_checkpoints_steps", "save_checkpoints_secs"
        if kwargs.get(steps) is not None and kwargs.get(secs) is not None:
            raise ValueError(_BOTH_SET)
        # The one that is not named goes, as default values must not come back with it.
        cleared = {secs: None} if steps in kwargs else {steps: None} if secs in kwargs else {}
        return replace(self, **{**cleared, **kwargs})

    def run_settings(self) -> dict[str, int | float]:
        """The fields of the spec's RunConfig that say the same, without the seed."""
        settings: dict[str, int | float] = {
            "keep_checkpoint_max": self.keep_checkpoint_max or 0,
            "keep_checkpoint_every_n_hours": self.keep_checkpoint_every_n_hours,
            "save_summary_steps": self.save_summary_steps,
            "log_step_count_steps": self.log_step_count_steps or _NEVER,
        }
        if self.save_checkpoints_secs is not None:
            settings["save_checkpoints_secs"] = self.save_checkpoints_secs
        else:
            settings["save_checkpoints_steps"] = self.save_checkpoints_steps or _NEVER
        return settings

    @property
    def target(self) -> Target:
        """What models are compiled for."""
        if self.device == "cpu":
            return CPU
        if self.kernel_table is None:
            return Target("cuda", tuple(self.gpu_chips), self.host_tables)
        path = os.fspath(self.kernel_table)
        try:
            status = os.stat(path)
            state = status.st_mtime_ns, status.st_size
        except OSError:
            state = None  # the compiler says what is wrong
        return Target("cuda", tuple(self.gpu_chips), self.host_tables, path, state)

    def device_options(self, trains: bool = False) -> dict[str, Any]:
        """Options of runs that say what they run on, see mlc._engine.train; none for the CPU."""
        if self.device == "cpu":
            return {}
        options: dict[str, Any] = {"device": self.device}
        options |= {} if self.gpu_memory is None else {"gpu_memory": str(self.gpu_memory)}
        return options | ({"gpus": self.gpus, "gpu_sums": self.gpu_sums} if trains and self.gpus > 1 else {})

    # What TF_CONFIG says, as Task documents it.

    @property
    def task(self) -> Task:
        """The task of this process."""
        return self._task  # type: ignore[attr-defined,no-any-return]

    @property
    def tf_config(self) -> str:
        """The text of TF_CONFIG."""
        return self._tf_config  # type: ignore[attr-defined,no-any-return]

    @property
    def cluster_spec(self) -> Mapping[str, Addresses]:
        """Addresses by task type."""
        return self.task.cluster_spec

    @property
    def task_type(self) -> str:
        """The type of this task."""
        return self.task.task_type

    @property
    def task_id(self) -> int:
        """The number of this task among those of its type."""
        return self.task.task_id

    @property
    def global_id_in_cluster(self) -> int | None:
        """The number of this task among all."""
        return self.task.global_id_in_cluster

    @property
    def is_chief(self) -> bool:
        """Whether this task saves checkpoints."""
        return self.task.is_chief

    @property
    def master(self) -> str:
        """Address of this task's server."""
        return self.task.master

    @property
    def evaluation_master(self) -> str:
        """Address of the server that evaluates."""
        return self.task.evaluation_master

    @property
    def num_ps_replicas(self) -> int:
        """Servers of the cluster."""
        return self.task.num_ps_replicas

    @property
    def num_worker_replicas(self) -> int:
        """Tasks that train."""
        return self.task.num_worker_replicas

    @property
    def service(self) -> Mapping[str, Any] | None:
        """What TF_CONFIG says of a platform."""
        return self.task.service


def _check(config: RunConfig) -> None:
    """Raises ValueError or UnsupportedError for the first field that cannot be used."""
    if config.model_dir == "":
        raise ValueError("model_dir should be non-empty")
    if config.save_checkpoints_steps is not None and config.save_checkpoints_secs is not None:
        raise ValueError(_BOTH_SET)
    for name, reason in _WITHOUT_MEANING.items():
        if getattr(config, name) is not None:
            raise UnsupportedError(f"RunConfig: {name} has no meaning here and must be None: {reason}")
    strategy = config.train_distribute
    if strategy is not None and not isinstance(strategy, ParameterServerStrategy):
        raise UnsupportedError(
            f"RunConfig: train_distribute: found a {type(strategy).__name__}; expected mlc.estimator.ParameterServerStrategy, "
            "or None"
        )
    if config.session_creation_timeout_secs != 7200:
        raise UnsupportedError("RunConfig: session_creation_timeout_secs has no meaning here: nothing is waited for")
    seed = config.tf_random_seed
    if seed is not None and (not isinstance(seed, int) or isinstance(seed, bool) or not 0 <= seed < 2**63):
        raise ValueError(f"tf_random_seed must be an integer from 0 to 2^63 - 1; found {seed!r}")
    for name, least, whole in (
        ("save_summary_steps", 0, True),
        ("save_checkpoints_steps", 1, True),
        ("save_checkpoints_secs", 1, True),
        ("keep_checkpoint_max", 0, True),
        ("keep_checkpoint_every_n_hours", None, False),
        ("log_step_count_steps", 1, True),
    ):
        _check_number(name, getattr(config, name), least, whole)
    if not isinstance(config.checkpoint_save_graph_def, bool):
        raise ValueError("checkpoint_save_graph_def must be a bool")
    _check_device(config)


def _check_device(config: RunConfig) -> None:
    if config.device not in _DEVICES:
        raise ValueError(f"device must be one of {', '.join(map(repr, _DEVICES))}; found {config.device!r}")
    if config.gpu_sums not in _GPU_SUMS:
        raise ValueError(f"gpu_sums must be one of {', '.join(map(repr, _GPU_SUMS))}; found {config.gpu_sums!r}")
    _check_number("gpus", config.gpus, 1, True)
    if config.gpus > 1 and config.device == "cpu":
        raise ValueError(f"gpus is {config.gpus}, and device 'cpu'; expected 'gpu' or 'auto'")
    for name in ("gpu_memory", "host_tables"):
        value = getattr(config, name)
        if isinstance(value, str):
            continue  # the native side knows what such texts say
        if value is not None and (isinstance(value, bool) or not isinstance(value, int) or value < 0):
            raise ValueError(f"{name} must be bytes, as 4294967296 or '4GB'; found {value!r}")


_MAY_BE_NONE = ("save_checkpoints_steps", "save_checkpoints_secs", "keep_checkpoint_max", "log_step_count_steps")


def _check_number(name: str, value: Any, least: int | None, whole: bool) -> None:
    """ValueError unless `value` is a number of at least `least` (None: above 0), an integer if `whole`."""
    if value is None and name in _MAY_BE_NONE:
        return
    bound = "above 0" if least is None else f"at least {least}"
    kind = "an integer" if whole else "a number"
    if isinstance(value, bool) or not isinstance(value, int if whole else (int, float)):
        raise ValueError(f"{name} must be {kind} of {bound}; found {value!r}")
    if not (value > 0 if least is None else value >= least):
        raise ValueError(f"{name} must be {bound}; found {value!r}")
