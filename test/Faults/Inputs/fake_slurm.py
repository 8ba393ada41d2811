#!/usr/bin/env python3
# What a batch script of Slurm calls, on this host alone. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage, by the name that it is called: hostname | srun OPTION... COMMAND | squeue ... | scancel --signal=NAME STEP | scontrol
requeue JOB. What runs is noted in FAKE_SLURM: a directory NAME of a file for each process of a step, and `requeued`."""
import os
import pathlib
import signal
import subprocess
import sys

state = pathlib.Path(os.environ["FAKE_SLURM"])
program, arguments = os.path.basename(sys.argv[0]), sys.argv[1:]


def srun():
    options = {}
    while arguments and arguments[0].startswith("--"):
        key, _, value = arguments.pop(0)[2:].partition("=")
        options[key] = value
    count = int(options.get("ntasks", 1))
    if "label" in options:
        for i in range(count):
            print(f"{i}: 127.0.0.1")
        return 0
    step = state / options["job-name"]
    step.mkdir(exist_ok=True)
    tasks = [subprocess.Popen(arguments, env=dict(os.environ, SLURM_PROCID=str(i))) for i in range(count)]
    for i, task in enumerate(tasks):
        (step / str(i)).write_text(str(task.pid))
    statuses = [task.wait() for task in tasks]
    return max(status if status >= 0 else 128 - status for status in statuses)


def scancel():
    for file in (state / arguments[-1]).iterdir():
        try:
            os.kill(int(file.read_text()), signal.Signals["SIG" + arguments[0].partition("=")[2]])
        except ProcessLookupError:
            pass


if program == "hostname":
    print("127.0.0.1")
elif program == "srun":
    sys.exit(srun())
elif program == "squeue":
    for each in state.iterdir():
        if each.is_dir():
            print(each.name, each.name)  # a step is called as it is named
elif program == "scancel":
    scancel()
elif program == "scontrol":
    (state / "requeued").touch()
