"""Tasks of a cluster as processes of this host, for tests.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from held_ports import held_ports

FOREVER = ["--max_steps", "1000000000", "--set", "train.epochs=1000000000"]
PATIENCE = 120  # seconds for what takes far less


def task_names(**sizes):
    """chief=1, worker=2 -> "chief 0", "worker 0", "worker 1"."""
    return [f"{role} {index}" for role, size in sizes.items() for index in range(size)]


class Cluster:
    """Tasks "ROLE INDEX" of `command`, each with TF_CONFIG and its output in a file of `directory`. Addresses are Unix
    sockets, or with `tcp` free ports. The processes end with a with statement."""

    def __init__(self, directory, case, command, tcp=False, **sizes):
        os.makedirs(directory, exist_ok=True)
        self.directory, self.case, self.command = directory, case, command
        self.names = task_names(**sizes)
        self.sockets = tempfile.mkdtemp(prefix="mlc-test")
        self.tasks, self.rpc_layer = {}, None
        ports = held_ports(len(self.names)) if tcp else None
        self.addresses = {name: f"127.0.0.1:{ports[i]}" if tcp else f"unix:{self.sockets}/{i}"
                          for i, name in enumerate(self.names)}

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        for task in self.tasks.values():
            task.kill()
            task.wait()
        shutil.rmtree(self.sockets)
        if kind:
            self.show()

    def show(self):
        for name in self.tasks:
            print(f"--- {self.case}, {name}\n{self.text(name)[-4000:]}", file=sys.stderr)

    def fail(self, what):
        raise AssertionError(f"{self.case}: {what}")

    def path(self, name):
        return f"{self.directory}/{self.case}-{name}.log".replace(" ", "-")

    def text(self, name):
        with open(self.path(name), encoding="utf-8") as file:
            return file.read()

    def start(self, *names, addresses=None, more=()):
        """All tasks, or those that are named; again: their output goes on. `addresses`: as these tasks see some others."""
        for name in names or self.names:
            role, index = name.split()
            cluster = {}
            for other, address in {**self.addresses, **(addresses or {})}.items():
                cluster.setdefault(other.split()[0], []).append(address)
            config = {"cluster": cluster, "task": {"type": role, "index": int(index)}}
            if self.rpc_layer:
                config["rpc_layer"] = self.rpc_layer
            environment = dict(os.environ, TF_CONFIG=json.dumps(config))
            with open(self.path(name), "a", encoding="utf-8") as log:
                self.tasks[name] = subprocess.Popen([*self.command, *more], env=environment, stdin=subprocess.DEVNULL,
                                                    stdout=log, stderr=subprocess.STDOUT)
        return self

    def signal(self, number, *names):
        """To all tasks at once, or to those that are named."""
        for name in names or self.tasks:
            self.tasks[name].send_signal(number)

    def await_text(self, name, pattern, after=0):
        """Until the output of the task has it after so many characters; the match."""
        end = time.monotonic() + PATIENCE
        while not (found := re.compile(pattern).search(self.text(name), after)):
            if time.monotonic() > end or self.tasks[name].poll() is not None:
                self.fail(f"{name} does not say '{pattern}'")
            time.sleep(0.02)
        return found

    def await_steps(self, chief="chief 0"):
        """Until the chief, run with --json, tells more steps than it has told."""
        self.await_text(chief, '"event":"step"', after=len(self.text(chief)))

    def expect(self, statuses):
        """Waits for the end of tasks: a dictionary by name, or one status for all."""
        if not isinstance(statuses, dict):
            statuses = dict.fromkeys(self.tasks, statuses)
        for name, status in statuses.items():
            try:
                found = self.tasks[name].wait(timeout=PATIENCE)
            except subprocess.TimeoutExpired:
                self.fail(f"{name} does not end")
            if found != status:
                self.fail(f"{name} ended with {found}, expected {status}")

    def events(self, name="chief 0"):
        return [json.loads(line) for line in self.text(name).splitlines() if line.startswith('{"event"')]

    def saved_step(self):
        """The step that the chief ended at, which is saved: nothing is lost."""
        events = self.events()
        done = events[-1]
        if done["event"] != "done" or not any(
                event["event"] == "checkpoint" and event["step"] == done["step"] for event in events):
            self.fail(f"the last event is {done}, and its step was not saved")
        return done["step"]
