# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The entries takes and puts of forever.mlir as a chief and a worker."""
import json
import os
import subprocess
import time


def start(trainer: str, directory: str) -> list:
    """Both tasks, which wait for each other by now."""
    cluster = {"chief": [f"unix:{directory}/chief"], "worker": [f"unix:{directory}/worker"]}
    tasks = []
    for role in "chief", "worker":
        config = json.dumps({"cluster": cluster, "task": {"type": role, "index": 0}})
        command = [trainer, "run", "--entry", "takes", "--entry", "puts", "--heartbeat", "1"]
        tasks.append(subprocess.Popen(command, env={**os.environ, "TF_CONFIG": config}, stderr=subprocess.PIPE, text=True))
    for task in tasks:
        line = task.stderr.readline()
        assert "runs its parts" in line, line
    time.sleep(0.5)
    assert all(task.poll() is None for task in tasks)
    return tasks


def tell(name: str, task: subprocess.Popen) -> None:
    """Waits for the end of a task, and prints its errors and status."""
    _, errors = task.communicate(timeout=30)
    for line in errors.splitlines():
        print(f"{name}: {line}")
    print(f"{name} ended with {task.returncode if task.returncode >= 0 else 128 - task.returncode}")
