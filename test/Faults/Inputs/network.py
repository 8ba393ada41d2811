#!/usr/bin/env python3
# Packets that vanish, and a server whose address moves; in a network and a tree of mounts of its own.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: network.py DIRECTORY TRAINER"""
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
from held_ports import held_ports  # noqa: E402
from proxy import Proxy  # noqa: E402
from task_cluster import FOREVER, Cluster  # noqa: E402

directory, trainer = sys.argv[1:3]
subprocess.run(["ip", "link", "set", "lo", "up"], check=True)


def cluster(case, *flags):
    command = [trainer, "train", "--json", "--sync", "--model_dir", f"{directory}/{case}", *FOREVER, *flags]
    return Cluster(directory, case, command, tcp=True, chief=1, worker=1, ps=2)


def drop(isOn):
    """No packet gets anywhere."""
    subprocess.run(["tc", "qdisc", "add" if isOn else "del", "dev", "lo", "root",
                    *(["tbf", "rate", "8bit", "burst", "1", "limit", "1"] if isOn else [])], check=True)


def goes_on(job):
    """It trains, and what it ends with has the bits of one process."""
    for _ in range(3):
        job.await_steps()
    job.signal(signal.SIGINT, "chief 0")
    job.expect(130)
    step = job.saved_step()
    whole = f"{directory}/{job.case}-whole"
    subprocess.run([trainer, "train", "--quiet", "--virtual_shards", "8", "--model_dir", whole, *FOREVER[2:], "--max_steps", str(step)],
                   check=True)
    found = subprocess.run([trainer, "ckpt", "diff", whole, f"{directory}/{job.case}"], capture_output=True, text=True)
    if found.returncode:
        job.fail(found.stdout)


# For longer than a connection without answers lasts (10 s), and shorter than a task that is not heard of lives.
for case, layer in (("vanish", None), ("vanish-grpc", "grpc")):
    with cluster(case, "--heartbeat", "20", "--stall_timeout", "1000") as job:
        job.rpc_layer = layer
        job.start().await_steps()
        drop(True)
        time.sleep(13)
        drop(False)
        goes_on(job)

# For good: nobody waits for ever.
with cluster("gone", "--heartbeat", "1", "--stall_timeout", "5") as job:
    job.start().await_steps()
    drop(True)
    job.expect(193)
    drop(False)
    if "was not heard of for" not in job.text("chief 0"):
        job.fail("the chief does not say who is gone")

# A name that is another address from now on.
hosts, port = pathlib.Path(directory, "hosts"), held_ports(1)[0]
hosts.write_text("127.0.0.2 server.test\n")
subprocess.run(["mount", "--bind", str(hosts), "/etc/hosts"], check=True)
with cluster("moved", "--stall_timeout", "1000") as job:
    first = Proxy(job.addresses["ps 1"], "127.0.0.2", port)
    for name in job.names:
        job.start(name, addresses={} if name == "ps 1" else {"ps 1": f"server.test:{port}"})
    job.await_steps()
    second = Proxy(job.addresses["ps 1"], "127.0.0.3", port)
    hosts.write_text("127.0.0.3 server.test\n")
    first.close()
    goes_on(job)
    if not second.accepted:
        job.fail("nobody called the new address")

print("vanish, gone, moved: as expected")
