"""The task that TF_CONFIG describes: its place in a cluster, as properties of a RunConfig tell it."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any


Addresses = list[str] | dict[int, str]
"""Those of the tasks of a type: a list, or by index where TF_CONFIG tells some of them alone."""


@dataclass(frozen=True)
class Task:
    """What TF_CONFIG says of this process; without it, the only worker of no cluster."""

    model_dir: str | None = None
    task_type: str = "worker"
    task_id: int = 0
    cluster_spec: Mapping[str, Addresses] = field(default_factory=dict)
    """Addresses by task type; empty without a cluster, and of an evaluator, which is none of it."""
    service: Mapping[str, Any] | None = None
    master: str = ""
    """"grpc://" and the address of this task; empty where it is alone."""
    evaluation_master: str = ""

    @property
    def is_chief(self) -> bool:
        """Whether this task saves checkpoints: the chief, or the only task."""
        return self.task_type in ("chief", "master") or (not self.cluster_spec and self.task_type == "worker")

    @property
    def num_ps_replicas(self) -> int:
        """Servers of the cluster."""
        return len(self.cluster_spec.get("ps", ()))

    @property
    def num_worker_replicas(self) -> int:
        """Tasks that train, the chief among them."""
        if not self.cluster_spec:
            return 0 if self.task_type == "evaluator" else 1
        return sum(len(self.cluster_spec.get(kind, ())) for kind in ("worker", "chief", "master"))

    @property
    def global_id_in_cluster(self) -> int | None:
        """The number of this task among all: chief first, then other types by their names, servers last."""
        if not self.cluster_spec:
            return None if self.task_type == "evaluator" else 0
        types = sorted(kind for kind in self.cluster_spec if kind not in ("chief", "ps"))
        before = 0
        for kind in ("chief", *types, "ps"):
            if kind == self.task_type:
                return before + list(_indices(self.cluster_spec[kind])).index(self.task_id)
            before += len(self.cluster_spec.get(kind, ()))
        return None

    @property
    def is_distributed(self) -> bool:
        """Whether there are other tasks."""
        return sum(map(len, self.cluster_spec.values())) > 1 or self.task_type == "evaluator"

    @staticmethod
    def from_environment(text: str) -> Task:
        """The task of the text of TF_CONFIG. Raises ValueError, or TypeError, where it breaks a rule of TF_CONFIG."""
        try:
            config = json.loads(text)
        except ValueError as error:
            raise ValueError(f"TF_CONFIG is no JSON: {error}; found {text[:80]!r}") from None
        if not isinstance(config, dict):
            raise _wrong("TF_CONFIG", config, "an object with the keys 'cluster' and 'task'")
        cluster = _cluster(config.get("cluster"))
        task = config.get("task") or {}
        if not isinstance(task, dict):
            raise _wrong("task in TF_CONFIG", task, "an object with the keys 'type' and 'index'")
        kind, index = task.get("type"), _index(task.get("index"))
        if kind is not None and not isinstance(kind, str):
            raise _wrong("task.type in TF_CONFIG", kind, "a text, as 'worker'")
        model_dir = config.get("model_dir")
        if model_dir == "":
            raise ValueError("model_dir in TF_CONFIG should be non-empty")
        for name in ("model_dir", "session_master", "eval_session_master"):
            if not isinstance(config.get(name, ""), str):
                raise _wrong(f"{name} in TF_CONFIG", config[name], "a text")
        service = config.get("service")
        if service is not None and not isinstance(service, Mapping):
            raise TypeError(f"If 'service' is set in TF_CONFIG, it must be a dict. Given {type(service)}")
        place = _place(cluster, kind, index or 0, index is not None)
        alone = sum(map(len, cluster.values())) == 1
        address = "" if alone or kind not in place.cluster_spec else f"grpc://{cluster[kind][place.task_id]}"
        master = config.get("session_master", address)
        return replace(
            place,
            model_dir=model_dir,
            service=service,
            master=master,
            evaluation_master=config.get("eval_session_master", ""),
        )


def _wrong(where: str, found: Any, expected: str) -> ValueError:
    text = json.dumps(found)
    return ValueError(f"{where}: found {text if len(text) <= 80 else text[:77] + '...'}; expected {expected}")


def _cluster(found: Any) -> dict[str, Addresses]:
    """Addresses by task type. ValueError for what is none."""
    if not isinstance(found or {}, dict):
        raise _wrong("cluster in TF_CONFIG", found, "an object of addresses by task type")
    cluster: dict[str, Addresses] = {}
    for kind, addresses in (found or {}).items():
        where = f"cluster.{kind} in TF_CONFIG"
        if isinstance(addresses, dict) and all(key.isdecimal() for key in addresses):
            cluster[kind] = {int(key): addresses[key] for key in sorted(addresses, key=int)}
        elif isinstance(addresses, list):
            cluster[kind] = addresses
        else:
            raise _wrong(where, addresses, "a list of addresses")
        listed = addresses.values() if isinstance(addresses, dict) else addresses
        for address in listed:
            if not isinstance(address, str):
                raise _wrong(where, address, "an address, as 'host:port'")
    return cluster


def _index(found: Any) -> int | None:
    """task.index, which some schedulers write as a text. ValueError for what is no integer."""
    if found is None or (isinstance(found, int) and not isinstance(found, bool)):
        return found
    if isinstance(found, str) and found.isdecimal():
        return int(found)
    raise _wrong("task.index in TF_CONFIG", found, "an integer of at least 0")


def _indices(addresses: Addresses) -> Iterable[int]:
    return addresses if isinstance(addresses, dict) else range(len(addresses))


def _place(cluster: dict[str, Addresses], kind: str | None, index: int, has_index: bool) -> Task:
    """The task in its cluster. ValueError where type, index and cluster do not go together."""
    if kind == "evaluator" and index:
        raise ValueError("Only one `evaluator` is allowed in the cluster: its index must be 0.")
    if not cluster:
        if kind not in (None, "worker", "evaluator") or index:
            raise ValueError(
                f'If "cluster" is not set in TF_CONFIG, task type must be worker and index 0; found {kind!r}, {index}'
            )
        return Task(task_type=kind or "worker")
    if "evaluator" in cluster:
        raise ValueError('If "cluster" is set in TF_CONFIG, it must not have an "evaluator".')
    chiefs = len(cluster.get("chief", cluster.get("master", [])))
    if chiefs != 1:
        raise ValueError(f'The "cluster" in TF_CONFIG must have only one "chief" node; found {chiefs}')
    if not kind or not has_index:
        raise ValueError('If "cluster" is set in TF_CONFIG, task type and index must be set.')
    if kind == "evaluator":
        return Task(task_type=kind)
    if kind not in cluster:
        raise ValueError(f"{kind} is not a valid task_type in the cluster_spec: {cluster}")
    if index not in _indices(cluster[kind]):
        raise ValueError(f"{index} is not a valid task_id for task_type {kind} in the cluster_spec: {cluster}")
    return Task(task_type=kind, task_id=index, cluster_spec=cluster)
