#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: train.py [--workers N] [--evaluator] [--cpus C] TRAINER train --model_dir DIR --sync ...

Starts a chief, N - 1 workers, a server and an evaluator as tasks of a Ray cluster (RAY_ADDRESS; else one on this host) and
ends with the exit status of the chief. TRAINER and DIR are on all hosts. Tasks show each other a token that is made here; where
others can read what goes over the network, add --tls_certificate, --tls_key and --tls_authority.
"""
import argparse
import json
import os
import secrets
import socket
import subprocess
import sys
import tempfile

import ray

parser = argparse.ArgumentParser()
parser.add_argument("--workers", type=int, default=1)
parser.add_argument("--evaluator", action="store_true")
parser.add_argument("--cpus", type=float, default=1)
parser.add_argument("command", nargs=argparse.REMAINDER)
arguments = parser.parse_args()


@ray.remote(num_cpus=arguments.cpus)
class Task:
    """One task of the cluster: a process with TF_CONFIG, on the host that Ray chose."""

    def address(self):
        self.socket = socket.socket()  # keeps the port until the trainer begins
        self.socket.bind(("", 0))
        return f"{ray.util.get_node_ip_address()}:{self.socket.getsockname()[1]}"

    def run(self, command, cluster, role, index, token):
        self.socket.close()
        config = {"cluster": cluster, "task": {"type": role, "index": index}}
        with tempfile.NamedTemporaryFile("w") as file:  # nobody else may read it
            print(token, file=file, flush=True)
            environment = dict(os.environ, TF_CONFIG=json.dumps(config), MLC_TOKEN_FILE=file.name)
            return subprocess.run(command, env=environment).returncode


ray.init(log_to_driver=True)
sizes = {"chief": 1, "worker": arguments.workers - 1, "ps": 1, "evaluator": int(arguments.evaluator)}
tasks = {role: [Task.remote() for _ in range(size)] for role, size in sizes.items() if size}
cluster = {role: ray.get([task.address.remote() for task in of_role]) for role, of_role in tasks.items()}
token = secrets.token_hex()
runs = {(role, index): task.run.remote(arguments.command, cluster, role, index, token) for role, of_role in tasks.items()
        for index, task in enumerate(of_role)}
status = ray.get(runs["chief", 0])
# Of a run that went well the others leave by themselves; else they end with Ray's workers.
if status == 0:
    ray.get(list(runs.values()))
sys.exit(status)
