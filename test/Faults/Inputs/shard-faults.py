#!/usr/bin/env python3
# A checkpoint that cannot be written by a server, or by the chief. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: shard-faults.py DIRECTORY TRAINER PRELOADED

Synchronous runs of a chief and two servers with checkpoints each 10 steps; the disk of who writes is full at some, or server 1 is killed
in the midst of a write.
"""
import json
import os
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
from held_ports import held_ports  # noqa: E402

directory, trainer, preloaded = sys.argv[1:4]
steps = ["--sync", "--max_steps", "30", "--set", "run_config.save_checkpoints_steps=10"]


def run(model_dir, fault=None, at="", steps=steps, is_blind=False):
    """Exit status and text of each task; of the checkpoints at `at` the disk of server 1 has a fault, or, where servers do not see the
    model_dir (`is_blind`), that of the chief."""
    names = ["ps-0", "ps-1", "chief-0"]
    places = [f"127.0.0.1:{port}" for port in held_ports(len(names))]
    cluster = {"ps": places[:2], "chief": places[2:]}
    other = f"{directory}/ps-1.pid"
    running = {}
    for name in names:
        role, index = name.split("-")
        environment = dict(os.environ, TF_CONFIG=json.dumps({"cluster": cluster, "task": {"type": role, "index": int(index)}}))
        if fault and name == ("chief-0" if is_blind else "ps-1"):
            environment.update(LD_PRELOAD=preloaded, MLC_FAULT=fault, MLC_FAULT_AT=at, MLC_FAULT_OTHER=other)
        place = model_dir if name == "chief-0" else f"{model_dir}-{name}"
        if is_blind:
            os.makedirs(place, exist_ok=True)
        running[name] = subprocess.Popen([trainer, "train", *steps, "--model_dir", "/proc/self/cwd" if is_blind else model_dir],
                                         env=environment, cwd=place if is_blind else None, stdout=subprocess.PIPE,
                                         stderr=subprocess.STDOUT, text=True)
        if name == "ps-1":
            pathlib.Path(other).write_text(str(running[name].pid))
    results = {}
    for name, process in running.items():
        text, _ = process.communicate(timeout=200)
        results[name] = (process.returncode, text)
    return results


def require(fact, results):
    if not fact:
        sys.exit("\n".join(f"{name}: {status}\n{text}" for name, (status, text) in results.items()))


def checkpoints(model_dir):
    """Those that are there, and those that are complete."""
    listed = sorted(name for name in os.listdir(model_dir) if name.startswith("ckpt-"))
    return listed, [name for name in listed if os.path.exists(f"{model_dir}/{name}/MANIFEST.json")]


# The disk of a server is full: once, and training goes on; at the last save, of whose state there is no other; three times
# in a row.
warning = ["warning[E0405]", "ps 1: ", "No space left on device", "training goes on, the last checkpoint is of step 10; failure 1"]
error = ["error[E0405]", "ps 1: ", "No space left on device", "make room and start again", "the last checkpoint is of step "]
for case, at, status, says, left in (("full", "/ckpt-0000000020/", 0, warning, [0, 10, 30]),
                                     ("full-at-end", "/ckpt-0000000030/", 194, [*error[:-1], error[-1] + "20"], [0, 10, 20]),
                                     ("full-thrice", "/ckpt-00000000", 194, [*error[:-1], error[-1] + "0"], [0])):
    model_dir = f"{directory}/{case}"
    if case == "full-thrice":  # the first one is there
        require(run(model_dir, steps=["--sync", "--max_steps", "1"])["chief-0"][0] == 0, {})
        left, says = [0, 1], [*error[:-1], error[-1] + "1"]
    results = run(model_dir, "full", at)
    found, text = results["chief-0"]
    require(found == status and all(each in text for each in says), results)
    require(all(result[0] == status for result in results.values()), results)
    names = [f"ckpt-{step:010}" for step in left]
    require(checkpoints(model_dir) == (names, names), results)

# A server is killed in the midst of its write: the checkpoint before stays, of the one that failed nothing counts.
model_dir = f"{directory}/kill"
results = run(model_dir, "kill", "/ckpt-0000000020/")
found, text = results["chief-0"]
require(found == 193 and all(each in text for each in ("error[E0410]", "ps 1")) and results["ps-1"][0] == -9, results)
require(checkpoints(model_dir) == (["ckpt-0000000000", "ckpt-0000000010"],) * 2, results)
# The same where the chief writes what servers send: its own disk, and a server that is gone when the file has begun.
model_dir = f"{directory}/blind"
results = run(model_dir, "full", "/ckpt-0000000020/", is_blind=True)
found, text = results["chief-0"]
require(found == 0 and "saves    by the chief: ps 0 does not see" in text, results)
require(all(each in text for each in warning if each != "ps 1: "), results)
require(checkpoints(model_dir) == ([f"ckpt-{step:010}" for step in (0, 10, 30)],) * 2, results)
model_dir = f"{directory}/blind-kill"
results = run(model_dir, "other", "/ckpt-0000000020/", is_blind=True)
found, text = results["chief-0"]
require(found == 193 and all(each in text for each in ("error[E0410]", "ps 1")) and results["ps-1"][0] == -9, results)
require(checkpoints(model_dir) == (["ckpt-0000000000", "ckpt-0000000010"],) * 2, results)
results = run(model_dir, is_blind=True)
require(results["chief-0"][0] == 0 and "restores by the chief: ps 0" in results["chief-0"][1], results)

# All go on from where they were, with the bits of a run that nothing happened to.
for case in ("full-at-end", "full-thrice", "kill"):
    results = run(f"{directory}/{case}")
    require(results["chief-0"][0] == 0 and "resumed" in results["chief-0"][1], results)
