#!/usr/bin/env python3
# What the pods of a manifest run. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: manifests.py TRAINER MANIFEST

Runs the command of each Job's first pod, with `info --runconfig` in place of training; prints role, index and addresses.
"""
import json
import os
import subprocess
import sys
import tempfile

import yaml

trainer, manifest = sys.argv[1:]
with open(manifest) as file:
    documents = list(yaml.safe_load_all(file))
maps = {document["metadata"]["name"]: document["data"] for document in documents if document["kind"] == "ConfigMap"}
with tempfile.TemporaryDirectory() as directory:
    with open(f"{directory}/census", "w") as file:
        file.write(f"#!/bin/sh\nexec {trainer} info --runconfig --json\n")
    os.chmod(f"{directory}/census", 0o755)
    for job in (document for document in documents if document["kind"] == "Job"):
        container = job["spec"]["template"]["spec"]["containers"][0]
        index = job["spec"]["completions"] - 1
        environment = {"PATH": f"{directory}:{os.environ['PATH']}"}
        for variable in container["env"]:
            source = variable.get("valueFrom", {})
            if "configMapKeyRef" in source:
                value = maps[source["configMapKeyRef"]["name"]][source["configMapKeyRef"]["key"]]
            else:
                value = str(index) if "fieldRef" in source else variable["value"]
            environment[variable["name"]] = value
        command = [word.replace("$(TRAIN)", environment["TRAIN"]) for word in container["command"]]
        run = json.loads(subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE).stdout)
        print(job["metadata"]["name"], run["task_type"], run["task_id"], run["master"])
