"""ParameterServerStrategy: how the tasks of a cluster train together."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import os
from dataclasses import dataclass, fields
from typing import Any

_CHOICES = {"backup_policy": ("redundant", "drop"), "overlap": ("auto", "on", "off")}
_FLAGS = ("sync", "insecure")
_PATHS = ("token_file", "tls_certificate", "tls_key", "tls_authority")


@dataclass(frozen=True)
class ParameterServerStrategy:
    """How tasks train together: servers hold the variables, the chief and workers compute gradients (docs/cluster.md).

    For RunConfig(train_distribute=...) of a process that TF_CONFIG makes a task, and for mlc.launch. All tasks of a job
    have the same. Fields are flags of a trainer's verb train, where docs/command-line.md has their defaults; None is the
    default.

    Attributes:
      sync: all training tasks take each step together, and the bits are those of one process with as many virtual shards.
        False: none waits for another, as in TensorFlow.
      virtual_shards: parts that each batch is cut into; they are a part of the result.
      backup_workers: with sync, so many late tasks are not waited for; "auto": measured.
      backup_policy: "redundant" or "drop".
      overlap: transfers go on beside computation: "auto", "on" or "off".
      evaluator: there is a task of role evaluator, which TF_CONFIG does not list, so that the chief does not evaluate.
      threads: of each task that computes.
      start_timeout, stall_timeout, heartbeat, grace: seconds.
      message_memory: MiB that messages may take at a server.
      token_file: of a secret that all tasks share; None: the one that MLC_TOKEN_FILE names, if any.
      tls_certificate, tls_key, tls_authority: PEM files.
      insecure: any host may connect.

    Raises:
      ValueError: a field out of range.
    """

    sync: bool = False
    virtual_shards: int | None = None
    backup_workers: int | str | None = None
    backup_policy: str | None = None
    overlap: str | None = None
    evaluator: bool = False
    threads: int | None = None
    start_timeout: int | None = None
    stall_timeout: int | None = None
    heartbeat: int | None = None
    grace: int | None = None
    message_memory: int | None = None
    token_file: str | os.PathLike[str] | None = None
    tls_certificate: str | os.PathLike[str] | None = None
    tls_key: str | os.PathLike[str] | None = None
    tls_authority: str | os.PathLike[str] | None = None
    insecure: bool = False

    def __post_init__(self) -> None:
        for field in fields(self):
            _check(field.name, getattr(self, field.name))

    def options(self) -> dict[str, Any]:
        """The fields that are set, as options of a run in this process: see mlc._engine.train."""
        given: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if value is None or value is False:
                continue
            given[field.name] = os.path.abspath(os.fspath(value)) if field.name in _PATHS else value
        if "backup_workers" in given:
            given["backup_workers"] = str(given["backup_workers"])
        return given

    def flags(self) -> list[str]:
        """The same as flags of a trainer."""
        words = []
        for name, value in self.options().items():
            words += [f"--{name}"] if value is True else [f"--{name}", str(value)]
        return words


def _check(name: str, value: Any) -> None:
    if name in (*_FLAGS, "evaluator"):
        if not isinstance(value, bool):
            raise ValueError(f"ParameterServerStrategy: {name} must be True or False; found {value!r}")
    elif value is None:
        return
    elif name in _CHOICES:
        if value not in _CHOICES[name]:
            raise ValueError(f"ParameterServerStrategy: {name} must be one of {', '.join(_CHOICES[name])}; found {value!r}")
    elif name in _PATHS:
        if not os.path.isfile(value):
            raise ValueError(f"ParameterServerStrategy: {name}: there is no file {os.fspath(value)!r}")
    elif not (name == "backup_workers" and value == "auto"):
        least = 0 if name in ("backup_workers", "grace") else 1
        if isinstance(value, bool) or not isinstance(value, int) or value < least:
            auto = ", or 'auto'" if name == "backup_workers" else ""
            raise ValueError(f"ParameterServerStrategy: {name} must be an integer of at least {least}{auto}; found {value!r}")
