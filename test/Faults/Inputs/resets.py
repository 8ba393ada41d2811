#!/usr/bin/env python3
# A proxy that resets connections between tasks. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import re
import signal
import socket
import struct
import subprocess
import sys
import threading
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
from task_cluster import FOREVER, PATIENCE, Cluster  # noqa: E402

directory, trainer = sys.argv[1:3]


class Proxy:
    """Passes on what comes to a port of its own; `reset` breaks all connections, as a network does that forgets them."""

    def __init__(self, target):
        self.host, self.port = target.split(":")
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"127.0.0.1:{self.listener.getsockname()[1]}"
        self.lock, self.open, self.resets = threading.Lock(), set(), 0
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            near, _ = self.listener.accept()
            try:
                far = socket.create_connection((self.host, int(self.port)))
                for each in (near, far):
                    each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            except OSError:  # one of them is gone already
                near.close()
                continue
            with self.lock:
                self.open.add((near, far))
            for source, to in ((near, far), (far, near)):
                threading.Thread(target=self.copy, args=(source, to, (near, far)), daemon=True).start()

    def copy(self, source, to, pair):
        try:
            while data := source.recv(1 << 14):
                to.sendall(data)
        except OSError:
            pass
        self.end(pair)

    def end(self, pair):
        with self.lock:
            if pair not in self.open:
                return
            self.open.remove(pair)
        for each in pair:
            try:
                each.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                each.shutdown(socket.SHUT_RD)
            except OSError:
                pass
            each.close()

    def reset(self):
        with self.lock:
            pairs = list(self.open)
        self.resets += len(pairs)
        for pair in pairs:
            self.end(pair)


def run(case, mode, steps):
    """A run whose tasks see each other through proxies that reset all connections each tenth of a second."""
    command = [trainer, "train", "--json", "--model_dir", f"{directory}/{case}", "--max_steps", str(steps), *FOREVER[2:],
               "--set", "run_config.save_checkpoints_steps=100", *mode]
    with Cluster(directory, case, command, tcp=True, chief=1, worker=1, ps=2) as job:
        if case == "grpc":
            job.rpc_layer = "grpc"
        proxies = {name: Proxy(address) for name, address in job.addresses.items()}
        seen = {name: proxy.address for name, proxy in proxies.items()}
        for name in job.names:
            # Each listens at its own address.
            job.start(name, addresses={other: address for other, address in seen.items() if other != name})
        end = time.monotonic() + PATIENCE
        while any(task.poll() is None for task in job.tasks.values()):
            if time.monotonic() > end:
                job.fail("the job does not end")
            time.sleep(0.1)
            for proxy in proxies.values():
                proxy.reset()
        job.expect(0)
        resets = sum(proxy.resets for proxy in proxies.values())
        if resets < 20:
            job.fail(f"only {resets} connections were reset")


def difference(case, steps):
    subprocess.run([trainer, "train", "--quiet", "--virtual_shards", "8", "--model_dir", f"{directory}/whole-{steps}", *FOREVER[2:],
                    "--max_steps", str(steps)], check=True)
    found = subprocess.run([trainer, "ckpt", "diff", f"{directory}/{case}", f"{directory}/whole-{steps}"], capture_output=True, text=True)
    assert found.returncode == 0, f"{case}: {found.stdout}"


run("sync", ["--sync"], 600)
difference("sync", 600)
run("grpc", ["--sync"], 300)
difference("grpc", 300)
run("async", [], 600)

# A server that dies in the midst of an update with others: who is told by the system that nobody is there says so in a second,
# and the job ends; heartbeats are far too slow for it.
command = [trainer, "train", "--json", "--model_dir", f"{directory}/dead", "--sync", "--heartbeat", "1000", "--stall_timeout", "1000", *FOREVER]
with Cluster(directory, "dead", command, chief=1, worker=1, ps=3) as job:
    job.start().await_steps()
    begin = time.monotonic()
    job.tasks["ps 1"].send_signal(signal.SIGKILL)
    job.expect({"chief 0": 193, "worker 0": 193, "ps 0": 193, "ps 2": 193})
    if time.monotonic() - begin > 60:
        job.fail("the end took more than a minute")
    if not re.search(r"ps 1 at unix:\S+: ", job.text("chief 0") + job.text("worker 0")):
        job.fail("nobody says who is dead")

print("sync, async, grpc, dead: as expected")
