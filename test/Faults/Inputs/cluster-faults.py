#!/usr/bin/env python3
# Clusters with a task that is not there, or not like the others. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os
import pathlib
import socket
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
from certificates import make_certificates  # noqa: E402

directory, trainer = sys.argv[1:3]


def start(case, tasks, absent=(), common=(), layers=None):
    """Runs the tasks (role -> list of further arguments), but for the absent ones; returns their statuses and texts.
    `layers` has the rpc_layer of some."""
    sockets = {role: socket.socket() for role in tasks}
    for each in sockets.values():
        each.bind(("127.0.0.1", 0))
    cluster = {role: [f"127.0.0.1:{each.getsockname()[1]}"] for role, each in sockets.items()}
    for each in sockets.values():
        each.close()
    running = {}
    for role, more in tasks.items():
        if role in absent:
            continue
        config = {"cluster": cluster, "task": {"type": role, "index": 0}}
        if layers and role in layers:
            config["rpc_layer"] = layers[role]
        environment = dict(os.environ, TF_CONFIG=json.dumps(config))
        command = [trainer, "train", "--sync", "--max_steps", "20", "--model_dir", f"{directory}/{case}", *common, *more]
        running[role] = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    results = {}
    for role, process in running.items():
        text, _ = process.communicate(timeout=120)
        results[role] = (process.returncode, text)
    return results


def expect(results, role, status, text):
    found, said = results[role]
    if found != status or text not in said:
        sys.exit(f"{role}: status {found}, expected {status} and '{text}' in:\n{said}")


everyone = {"chief": [], "worker": [], "ps": []}
results = start("no-server", everyone, absent=["ps"], common=["--start_timeout", "1"])
expect(results, "chief", 193, "error[E0410]")
expect(results, "chief", 193, "ps 0 at 127.0.0.1:")
expect(results, "worker", 193, "error[E0410]")

# Tasks that are protected otherwise, or talk otherwise.
tls = make_certificates(f"{directory}/ours")
for case, worker, said in (("plain", [], "does it expect TLS"), ("others", make_certificates(f"{directory}/theirs"), " at 127.0.0.1:")):
    results = start(case, {"chief": tls, "worker": worker, "ps": tls}, common=["--start_timeout", "2"])
    expect(results, "worker", 193, "error[E0410]")
    expect(results, "worker", 193, said)
    expect(results, "chief", 193, "for worker 0")
results = start("layer", everyone, common=["--start_timeout", "2"], layers={"chief": "grpc", "ps": "grpc"})
expect(results, "worker", 193, "it speaks another protocol: does it expect gRPC")
expect(results, "chief", 193, "for worker 0")
for name in ("one", "two"):
    pathlib.Path(directory, f"token-{name}").write_text(f"{name}\n")
one = ["--token_file", f"{directory}/token-one"]
for layers in (None, {role: "grpc" for role in everyone}):
    results = start("token", {"chief": one, "worker": ["--token_file", f"{directory}/token-two"], "ps": one},
                    common=["--start_timeout", "2"], layers=layers)
    expect(results, "worker", 4, "error[E0411]")
    expect(results, "worker", 4, "the token is not that of this cluster")

results = start("no-worker", everyone, absent=["worker"], common=["--start_timeout", "2", "--stall_timeout", "2"])
expect(results, "chief", 193, "at step 0 for worker 0")
expect(results, "ps", 193, "at step 0 for worker 0")

results = start("settings", dict(everyone, worker=["--batch_size", "7"]), common=["--start_timeout", "3"])
expect(results, "worker", 4, "error[E0411]")
expect(results, "worker", 4, "setting of the peer is train.batch_size=7, mine is train.batch_size=")
