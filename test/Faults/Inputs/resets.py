#!/usr/bin/env python3
# A proxy that resets connections between tasks. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import random
import re
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
from proxy import Proxy  # noqa: E402
from task_cluster import FOREVER, PATIENCE, Cluster  # noqa: E402

directory, trainer = sys.argv[1:3]


def run(case, mode, steps):
    """A run whose tasks see each other through proxies that reset all connections each tenth of a second in the mean: at
    random moments, so that what takes longer on a busy machine gets through, too."""
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
        moments = random.Random(case)
        end = time.monotonic() + PATIENCE
        while any(task.poll() is None for task in job.tasks.values()):
            if time.monotonic() > end:
                job.fail("the job does not end")
            time.sleep(moments.expovariate(10))
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
# Steps that others may stand in for, and messages for which tasks ask before they send them.
run("backup", ["--sync", "--backup_workers", "1"], 300)
difference("backup", 300)
for mode in (["--sync"], []):
    case = "credit-" + (mode[0][2:] if mode else "async")
    # Steps that wait for nobody are so short that more of them are needed for as many resets.
    run(case, [*mode, "--message_memory", "3"], 300 if mode else 1500)
    if mode:
        difference(case, 300)

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

print("sync, async, grpc, backup, credit, dead: as expected")
