#!/usr/bin/env python3
# A server that cannot write its part of a checkpoint. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: shard-faults.py DIRECTORY TRAINER PRELOADED

Synchronous runs of a chief and two servers with checkpoints each 10 steps; at that of step 20 the disk of server 1 is full, or it
is killed in the midst of its write.
"""
import json
import os
import socket
import subprocess
import sys

directory, trainer, preloaded = sys.argv[1:4]
steps = ["--sync", "--max_steps", "30", "--set", "run_config.save_checkpoints_steps=10"]


def run(model_dir, fault=None):
    """Exit status and text of each task."""
    names = ["chief-0", "ps-0", "ps-1"]
    sockets = [socket.socket() for _ in names]
    for each in sockets:
        each.bind(("127.0.0.1", 0))
    places = [f"127.0.0.1:{each.getsockname()[1]}" for each in sockets]
    for each in sockets:
        each.close()
    cluster = {"chief": places[:1], "ps": places[1:]}
    running = {}
    for name in names:
        role, index = name.split("-")
        environment = dict(os.environ, TF_CONFIG=json.dumps({"cluster": cluster, "task": {"type": role, "index": int(index)}}))
        if fault and name == "ps-1":
            environment.update(LD_PRELOAD=preloaded, MLC_FAULT=fault, MLC_FAULT_AT="/ckpt-0000000020/")
        running[name] = subprocess.Popen([trainer, "train", *steps, "--model_dir", model_dir], env=environment,
                                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    results = {}
    for name, process in running.items():
        text, _ = process.communicate(timeout=200)
        results[name] = (process.returncode, text)
    return results


def require(fact, results):
    if not fact:
        sys.exit("\n".join(f"{name}: {status}\n{text}" for name, (status, text) in results.items()))


for fault, status, says in (("full", 194, ["error[E0405]", "ps 1: ", "No space left on device", "the last checkpoint is of step 10"]),
                            ("kill", 193, ["error[E0410]", "ps 1"])):
    model_dir = f"{directory}/{fault}"
    results = run(model_dir, fault)
    found, text = results["chief-0"]
    require(found == status and all(each in text for each in says), results)
    require(fault != "kill" or results["ps-1"][0] == -9, results)
    # The checkpoint before stays, of the one that failed nothing is left or nothing that counts.
    listed = sorted(name for name in os.listdir(model_dir) if name.startswith("ckpt-"))
    complete = [name for name in listed if os.path.exists(f"{model_dir}/{name}/MANIFEST.json")]
    require(complete == ["ckpt-0000000000", "ckpt-0000000010"] and listed == complete, results)
    # It goes on from there, with the bits of a run that nothing happened to.
    results = run(model_dir)
    require(results["chief-0"][0] == 0 and "at step 10" in results["chief-0"][1], results)
