"""Contestants of a benchmark: processes that answer lines on stdin with lines of JSON.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import os
import platform
import subprocess
import sys

REPETITION_SECONDS = 0.3


def environment():
    """Without OPENBLAS_CORETYPE and OPENBLAS_L2_SIZE, which may halve the speed of OpenBLAS; XLA has its defaults."""
    drop = ("OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE", "XLA_FLAGS")
    return {**{k: v for k, v in os.environ.items() if k not in drop}, "JAX_PLATFORMS": "cpu"}


class Process:
    """A contestant or the probe: answers a line with a line of JSON. It sleeps while it is not asked."""

    def __init__(self, name, threads, command, variables=None):
        """`threads`: processors that it may use, the first ones; None: all. `variables`: of its environment, beside
        what environment() says."""
        self.name = name
        cpus = ",".join(str(c) for c in sorted(os.sched_getaffinity(0))[:threads])
        self.process = subprocess.Popen(["taskset", "-c", cpus, *map(str, command)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True, env={**environment(), **(variables or {})})

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"run.py: {self.name} ended with code {self.process.wait()}")
        return json.loads(line)

    def ask(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        return self.read()

    def close(self):
        self.process.stdin.close()
        self.process.wait()


class Contestant:
    """A way to run steps: a process and its command for timing."""

    def __init__(self, name, process, command="time"):
        self.name, self.process, self.command = name, process, command
        self.times, self.difference = [], 0.0
        self.steps = 8

    def run(self):
        self.process.ask(f"{self.command} {max(self.steps // 8, 2)}")  # its data back into the caches
        self.times.append(self.process.ask(f"{self.command} {self.steps}")["ns"] * 1e-6)

    def calibrate(self):
        self.process.ask(f"{self.command} 4")
        milliseconds = self.process.ask(f"{self.command} 8")["ns"] * 1e-6
        self.steps = min(max(int(REPETITION_SECONDS * 1e3 / milliseconds), 8), 1024)


def cpu_name():
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()
