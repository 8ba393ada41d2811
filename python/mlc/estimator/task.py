"""The task that TF_CONFIG describes: its place in a cluster, as properties of a RunConfig tell it."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class Task:
    """What TF_CONFIG says of this process; without it, the only worker of no cluster."""

    model_dir: str | None = None
    task_type: str = "worker"
    task_id: int = 0
    cluster_spec: Mapping[str, list[str]] = field(default_factory=dict)
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
                return before + self.task_id
            before += len(self.cluster_spec.get(kind, ()))
        return None

    @property
    def is_distributed(self) -> bool:
        """Whether there are other tasks."""
        return sum(map(len, self.cluster_spec.values())) > 1 or self.task_type == "evaluator"

    @staticmethod
    def from_environment(config: Mapping[str, Any]) -> Task:
        """The task of a TF_CONFIG that was parsed. Raises ValueError where it breaks a rule of TF_CONFIG."""
        cluster = dict(config.get("cluster") or {})
        task = dict(config.get("task") or {})
        kind, index = task.get("type"), int(task.get("index") or 0)
        model_dir = config.get("model_dir")
        if model_dir == "":
            raise ValueError("model_dir in TF_CONFIG should be non-empty")
        service = config.get("service")
        if service is not None and not isinstance(service, Mapping):
            raise TypeError(f"If 'service' is set in TF_CONFIG, it must be a dict. Given {type(service)}")
        place = _place(cluster, kind, index, task.get("index") is not None)
        alone = sum(map(len, cluster.values())) == 1
        address = "" if alone or kind not in place.cluster_spec else f"grpc://{cluster[kind][index]}"
        master = config.get("session_master", address)
        return replace(
            place,
            model_dir=model_dir,
            service=service,
            master=master,
            evaluation_master=config.get("eval_session_master", ""),
        )


def _place(cluster: dict[str, list[str]], kind: str | None, index: int, has_index: bool) -> Task:
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
    if not 0 <= index < len(cluster[kind]):
        raise ValueError(f"{index} is not a valid task_id for task_type {kind} in the cluster_spec: {cluster}")
    return Task(task_type=kind, task_id=index, cluster_spec=cluster)
