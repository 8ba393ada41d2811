#!/usr/bin/env python3
# What the pods of a manifest run. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: manifests.py TRAINER MANIFEST

Runs the command of each pod of the Job, with `info --runconfig` in place of training; prints role, index and addresses.
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
from manifest import Manifest  # noqa: E402

trainer, manifest = sys.argv[1:]
manifest = Manifest(manifest)
with tempfile.TemporaryDirectory() as directory:
    with open(f"{directory}/census", "w") as file:
        file.write(f"#!/bin/sh\nexec {trainer} info --runconfig --json\n")
    os.chmod(f"{directory}/census", 0o755)
    for index in range(manifest.job["spec"]["completions"]):
        command, environment = manifest.pod(index)
        environment["PATH"] = f"{directory}:{os.environ['PATH']}"
        run = json.loads(subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE).stdout)
        print(index, run["task_type"], run["task_id"], run["master"])
