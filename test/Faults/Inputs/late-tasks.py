#!/usr/bin/env python3
# Tasks that wait for a run that never begins, or is over. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os
import pathlib
import re
import signal
import socket
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
from held_ports import held_ports  # noqa: E402

directory, trainer = sys.argv[1:3]
TASKS = [("chief", 0), ("worker", 0), ("ps", 0), ("ps", 1)]
SIGNALLED = {signal.SIGTERM: 143, signal.SIGINT: 130}


class Cluster:
    """Tasks of a case, each started when it is asked for."""

    def __init__(self, case, *flags):
        self.cluster = {}
        for (role, _), port in zip(TASKS, held_ports(len(TASKS))):
            self.cluster.setdefault(role, []).append(f"127.0.0.1:{port}")
        self.case, self.flags, self.running = case, flags, {}

    def start(self, *names):
        for name in names or [f"{role} {index}" for role, index in TASKS]:
            role, index = name.split()
            environment = dict(os.environ, TF_CONFIG=json.dumps({"cluster": self.cluster, "task": {"type": role, "index": int(index)}}))
            log = open(f"{directory}/{self.case}-{name}.log".replace(" ", "-"), "w+")
            self.running[name] = (subprocess.Popen([trainer, "train", "--model_dir", f"{directory}/{self.case}", *self.flags],
                                                   env=environment, stdout=log, stderr=subprocess.STDOUT), log)
        return self

    def expect(self, name, status, *texts):
        process, log = self.running.pop(name)
        found = process.wait(timeout=120)
        log.seek(0)
        said = log.read()
        if found != status or not all(text in said for text in texts):
            sys.exit(f"{self.case}, {name}: status {found}, expected {status} and {texts} in:\n{said}")

    def await_listener(self, role, index):
        host, port = self.cluster[role][index].split(":")
        while True:
            try:
                socket.create_connection((host, int(port))).close()
                return
            except OSError:
                time.sleep(0.02)

    def signal(self, name, number):
        """As soon as the task catches it."""
        process = self.running[name][0]
        caught = 0
        while not caught >> (number - 1) & 1:
            time.sleep(0.02)
            with open(f"/proc/{process.pid}/status") as file:
                caught = int(re.search(r"^SigCgt:\s*([0-9a-f]+)", file.read(), re.M)[1], 16)
        process.send_signal(number)


# A job that is at its end is started again: there is nothing to do, for nobody. It is the chief that knows.
for case, flags in (("resumed", ["--sync"]), ("resumed async", [])):
    for again in (False, True):
        cluster = Cluster(case, "--max_steps", "5", "--start_timeout", "20", *flags).start()
        cluster.expect("chief 0", 0, "nothing to do" if again else "done     5 steps")
        cluster.expect("worker 0", 0, "max_steps" if again else "done ")
        for server in ("ps 0", "ps 1"):
            cluster.expect(server, 0, "max_steps")

# Others of a job that is over wait for it in vain; it is no error.
cluster = Cluster("resumed", "--max_steps", "5", "--sync", "--start_timeout", "1").start("worker 0", "ps 0", "ps 1")
for name in ("worker 0", "ps 0", "ps 1"):
    cluster.expect(name, 0, "the job had ended at step 5: max_steps")
# Where nothing is to be seen of it, it is.
cluster = Cluster("unknown", "--max_steps", "5", "--sync", "--start_timeout", "1").start("worker 0", "ps 0")
cluster.expect("worker 0", 193, "error[E0410]", "chief 0 at")
cluster.expect("ps 0", 193, "error[E0410]", "ps 0 waits since 1 s for chief 0, which has not begun the run")

# A chief that is told to stop while it waits for a server.
cluster = Cluster("stopped", "--max_steps", "5", "--sync").start("worker 0", "ps 0")
cluster.await_listener("ps", 0)
cluster.start("chief 0").await_listener("chief", 0)
cluster.signal("chief 0", signal.SIGTERM)
cluster.expect("chief 0", 143, "terminated")
cluster.expect("worker 0", 143, "done     0 steps, terminated")
cluster.expect("ps 0", 143, "done     terminated")

# Whoever waits for a chief that is not there, or for one that waits for servers, is told to stop.
for number, status in SIGNALLED.items():
    for others in ([], ["chief 0"]):
        cluster = Cluster(f"signal {number} {len(others)}", "--max_steps", "5", "--sync").start(*others, "worker 0", "ps 1")
        if others:
            cluster.await_listener("chief", 0)
        for name in ("worker 0", "ps 1", *others):
            cluster.signal(name, number)
            cluster.expect(name, status)

print("resumed, late, stopped: as expected")
