#!/usr/bin/env python3
"""Stands for a trainer: a task of a cluster that does nothing but come, wait and leave, in order.

Each task notes in MODEL_DIR that it came. The chief waits for all of them, prints, ends the run; the others leave then.

--do TASK=WHAT     what a task ("ps-0") does else, when all have come:
                   N      exits with status N                 kill   kills itself
                   stay   does not leave                      hang   does not leave, whatever the signal
                   late   leaves a moment after the others    slow   leaves long after the others
                   wait   runs until a signal comes (the chief)

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import os
import signal
import sys
import time

parser = argparse.ArgumentParser()
parser.add_argument("verb")
parser.add_argument("--model_dir", required=True)
parser.add_argument("--do", action="append", default=[])
parser.add_argument("--json", action="store_true")
parser.add_argument("--evaluator", action="store_true")
options = parser.parse_args()
config = json.loads(os.environ["TF_CONFIG"])
task = config["task"]
name = f"{task['type']}-{task['index']}"
what = dict(each.split("=") for each in options.do).get(name, "")
stopped = 0


def stop(number, frame):
    global stopped
    stopped = number
    # Not print, in the midst of which the signal may have come.
    os.write(1, f"{name} got {signal.Signals(number).name}\n".encode())


def path(file):
    return os.path.join(options.model_dir, file)


def note(file, text):
    with open(path(file) + ".tmp", "w", encoding="utf-8") as out:
        out.write(text)
    os.rename(path(file) + ".tmp", path(file))


def wait_for(*files):
    for _ in range(12000):
        if stopped or all(os.path.exists(path(file)) for file in files):
            return
        time.sleep(0.005)
    sys.exit(f"{name}: nothing of {files} for a minute")


if name == "chief-0" or what == "hang":
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, stop)
for i in range(12):
    print(f"{name} line {i}", file=sys.stderr, flush=True)
note(name, json.dumps(config))
tasks = [f"{role}-{i}" for role, addresses in config["cluster"].items() for i in range(len(addresses))]
wait_for(*tasks)
if what == "kill":
    os.kill(os.getpid(), signal.SIGKILL)
if what.isdigit():
    sys.exit(int(what))
while what in ("stay", "hang"):
    time.sleep(1)
if name != "chief-0":
    wait_for("done")
    time.sleep({"late": 0.3, "slow": 7}.get(what, 0))
    sys.exit(0)
for step in (10, 20):
    print(f"step {step}/20  {5 * step} %  loss 0.5  7.0 k examples/s  eta 0 s", file=sys.stderr, flush=True)
    if options.json:
        print(json.dumps({"event": "step", "step": step, "loss": 0.5, "examples_per_sec": 7000}), flush=True)
    time.sleep(0.05)
print("trained", flush=True)
failing = [each for each in options.do if not each.startswith("chief") and (each.split("=")[1] + "x")[0] in "123456789k"]
while (what == "wait" or failing) and not stopped:
    time.sleep(0.01)
if stopped:
    print("saved", flush=True)
note("done", "")
sys.exit(128 + stopped if stopped else 0)
