#!/usr/bin/env python3
# Runs a cluster of tasks on this host and waits for their end.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: cluster.py LOGS WORKERS SERVERS COMMAND... [--KEY VALUE...]

A chief, WORKERS workers and SERVERS servers run COMMAND, each with its TF_CONFIG; what they print goes to LOGS/ROLE-INDEX.
In the command, {task} is replaced by ROLE-INDEX. Prints each task's exit status; exits with the chief's.
"""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
from held_ports import held_ports  # noqa: E402


def run(logs, workers, servers, command, watch=None):
    """Exit statuses by task, printed; `watch` is called with the processes by task while they run."""
    os.makedirs(logs, exist_ok=True)
    addresses = [f"127.0.0.1:{port}" for port in held_ports(1 + workers + servers)]
    cluster = {"chief": addresses[:1], "worker": addresses[1:1 + workers], "ps": addresses[1 + workers:]}
    cluster = {role: places for role, places in cluster.items() if places}
    tasks = []
    for role, places in cluster.items():
        for index in range(len(places)):
            name = f"{role}-{index}"
            environment = dict(os.environ, TF_CONFIG=json.dumps({"cluster": cluster, "task": {"type": role, "index": index}}))
            with open(os.path.join(logs, name), "w") as log:
                tasks.append((name, subprocess.Popen([word.replace("{task}", name) for word in command], env=environment,
                                                     stdout=log, stderr=subprocess.STDOUT)))
    if watch:
        watch(dict(tasks))
    statuses = {name: process.wait(timeout=300) for name, process in tasks}
    for name, status in statuses.items():
        print(name, status)
    return statuses["chief-0"]


def main():
    return run(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])


if __name__ == "__main__":
    sys.exit(main())
