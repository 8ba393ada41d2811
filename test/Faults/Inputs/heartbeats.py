#!/usr/bin/env python3
# A worker that is stopped, and one that dies. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
from held_ports import held_ports  # noqa: E402

directory, trainer = sys.argv[1:3]
FOREVER = ["--max_steps", "1000000000", "--set", "train.epochs=1000000000"]


class Cluster:
    """A chief, a worker and a server, each with its output in a file."""

    def __init__(self, case, flags):
        self.case = case
        roles = ("chief", "worker", "ps")
        cluster = {role: [f"127.0.0.1:{port}"] for role, port in zip(roles, held_ports(len(roles)))}
        self.tasks = {}
        for role in cluster:
            environment = dict(os.environ, TF_CONFIG=json.dumps({"cluster": cluster, "task": {"type": role, "index": 0}}))
            with open(self.path(role), "w") as log:
                self.tasks[role] = subprocess.Popen([trainer, "train", "--model_dir", f"{directory}/{case}", *FOREVER, *flags],
                                                    env=environment, stdout=log, stderr=subprocess.STDOUT)

    def path(self, role):
        return f"{directory}/{self.case}-{role}"

    def text(self, role):
        with open(self.path(role)) as file:
            return file.read()

    def await_text(self, role, pattern):
        end = time.monotonic() + 120
        while not re.search(pattern, self.text(role)):
            if time.monotonic() > end or self.tasks[role].poll() is not None:
                self.fail(f"{role} does not say '{pattern}'")
            time.sleep(0.05)

    def await_end(self, role, status):
        try:
            found = self.tasks[role].wait(timeout=120)
        except subprocess.TimeoutExpired:
            found = None
        if found != status:
            self.fail(f"{role} ended with {found}, expected {status}")

    def fail(self, what):
        for task in self.tasks.values():
            task.kill()
        sys.exit(f"{self.case}: {what}\n" + "\n".join(f"--- {role}\n{self.text(role)}" for role in self.tasks))


# Silent for longer than --stall_timeout, not for three heartbeats: the run goes on.
cluster = Cluster("stopped", ["--sync", "--stall_timeout", "1", "--heartbeat", "20"])
cluster.await_text("worker", "computes shards")
cluster.await_text("chief", "cluster  2 training tasks")
cluster.await_text("ps", "listens")
time.sleep(1)  # into the steps
cluster.tasks["worker"].send_signal(signal.SIGSTOP)
waits = r"chief 0 waits since \d+ s at step \d+ for worker 0 \(at step \d+, '\w+' for \d+ s, heard of \d+ s ago\)"
cluster.await_text("ps", r"warning\[E0410\]: " + waits)
time.sleep(2)
cluster.tasks["worker"].send_signal(signal.SIGCONT)
time.sleep(1)
cluster.tasks["chief"].send_signal(signal.SIGINT)
for role in ("chief", "ps", "worker"):
    cluster.await_end(role, 130)

# Dead: the server says so, and the job ends.
cluster = Cluster("dead", ["--sync", "--stall_timeout", "100000", "--heartbeat", "1"])
cluster.await_text("worker", "computes shards")
cluster.await_text("chief", "cluster  2 training tasks")
time.sleep(1)
cluster.tasks["worker"].kill()
cluster.await_end("ps", 193)
cluster.await_end("chief", 193)
if not re.search(r"error\[E0410\]: .*worker 0 was not heard of for \d+ s \(3 heartbeats\); chief 0 waits at step \d+ for it",
                 cluster.text("chief")):
    cluster.fail("the chief does not say who is dead")

# A server that is stopped is as good as dead: nobody waits for it for ever.
cluster = Cluster("server", ["--sync", "--stall_timeout", "100000", "--heartbeat", "1"])
cluster.await_text("worker", "computes shards")
cluster.await_text("chief", "cluster  2 training tasks")
time.sleep(1)
cluster.tasks["ps"].send_signal(signal.SIGSTOP)
for role in ("chief", "worker"):
    cluster.await_end(role, 193)
    if not re.search(r"error\[E0410\]: ps 0 was not heard of for \d+ s \(3 heartbeats\)", cluster.text(role)):
        cluster.fail(f"{role} does not say who is dead")
cluster.tasks["ps"].kill()

# Asynchronous: the others go on without a dead worker; its tickets are theirs long before --stall_timeout.
cluster = Cluster("async", ["--stall_timeout", "100000", "--heartbeat", "1"])
cluster.await_text("worker", "asks for tickets")
cluster.await_text("chief", "cluster  2 training tasks")
time.sleep(1)
cluster.tasks["worker"].kill()
time.sleep(1)
cluster.tasks["chief"].kill()
cluster.await_end("ps", 193)
if "chief 0 was not heard of for" not in cluster.text("ps"):
    cluster.fail("the server does not say who is dead")
print("stopped, dead, server, async: as expected")
