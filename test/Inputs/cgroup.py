#!/usr/bin/env python3
"""cgroup.py [--memory BYTES] [--processors NUMBER] [--check] [COMMAND...]: runs the command in a cgroup of its own with these limits, v1 or v2, and
exits as it does. --check tells by its exit status whether that works here. The group lies in the one of this process and is removed again.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import os
import subprocess
import sys
import time


def groups():
    """{controller: (directory of this process' group, whether it is of v2)}"""
    mounts = []
    for line in open("/proc/self/mountinfo"):
        words = line.split()
        dash = words.index("-")
        mounts.append((words[dash + 1], words[dash + 3].split(","), words[3], words[4]))
    found = {}
    for line in open("/proc/self/cgroup"):
        _, controllers, group = line.rstrip("\n").split(":", 2)
        for kind, options, root, place in mounts:
            below = os.path.relpath(group, root) if root != "/" else group.lstrip("/")
            directory = os.path.normpath(os.path.join(place, below))
            if kind == "cgroup" and controllers and controllers.split(",")[0] in options:
                found.update({name: (directory, False) for name in controllers.split(",")})
            if kind == "cgroup2" and not controllers and os.path.isfile(os.path.join(directory, "cgroup.controllers")):
                names = open(os.path.join(directory, "cgroup.controllers")).read().split()
                found.update({name: (directory, True) for name in names if name not in found})
    return found


def write(path, text):
    with open(path, "w") as file:
        file.write(text)


def make(directory, unified, controller, settings):
    own = os.path.join(directory, f"mlc-test-{os.getpid()}")
    if unified:
        write(os.path.join(directory, "cgroup.subtree_control"), "+" + controller)
    os.makedirs(own, exist_ok=True)
    for name, value in settings.items():
        write(os.path.join(own, name), str(value))
    return own


parser = argparse.ArgumentParser()
parser.add_argument("--memory", type=int)
parser.add_argument("--processors", type=float)
parser.add_argument("--check", action="store_true")
parser.add_argument("command", nargs=argparse.REMAINDER)
arguments = parser.parse_args()
if arguments.check:
    arguments.memory, arguments.processors, arguments.command = 1 << 30, 1, ["true"]

made = []
try:
    hierarchies = groups()
    if arguments.memory:
        directory, unified = hierarchies["memory"]
        made.append(make(directory, unified, "memory", {"memory.max" if unified else "memory.limit_in_bytes": arguments.memory}))
    if arguments.processors:
        directory, unified = hierarchies["cpu"]
        quota = int(arguments.processors * 100000)
        made.append(make(directory, unified, "cpu", {"cpu.max": f"{quota} 100000"} if unified else {"cpu.cfs_period_us": 100000, "cpu.cfs_quota_us": quota}))

    def enter():
        for group in set(made):
            write(os.path.join(group, "cgroup.procs"), str(os.getpid()))

    status = subprocess.run(arguments.command, preexec_fn=enter, timeout=120).returncode
except (OSError, KeyError, subprocess.SubprocessError) as error:
    print(f"cgroup.py: {error}", file=sys.stderr)
    status = 125
for group in set(made):
    for _ in range(100):  # the kernel lets go of the last process after its end
        try:
            os.rmdir(group)
            break
        except OSError:
            time.sleep(0.05)
sys.exit(status if status >= 0 else 128 - status)
