"""Clusters of this machine for the benchmarks: `mlc launch`, and what its tasks print.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import os
import pathlib
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CENSUS = ROOT / "examples" / "census" / "wide_deep.pbtxt"


def add_build_dir(parser):
    parser.add_argument("--build-dir", type=pathlib.Path, default=ROOT / "build", help="where bin/mlc is")


def show_load():
    print(f"load {os.getloadavg()[0]:.2f}")


def compile_trainer(arguments, source, out, *flags):
    subprocess.run([arguments.build_dir / "bin" / "mlc", "compile", source, "--cpu=native", "--quiet", "-o", out,
                    *map(str, flags)], check=True)


class Launch:
    """A trainer as the tasks of a cluster; iterate over it for the events of launcher and chief, each with the moment at
    which it came. Without servers and workers it is one process."""

    def __init__(self, arguments, trainer, flags, workers=1, servers=0, evaluator=False, tcp=False, log_dir=None):
        command = [trainer, *flags, "--json"]
        if workers > 1 or servers or evaluator:
            command = [arguments.build_dir / "bin" / "mlc", "launch", "--workers", workers, "--ps", servers, "--json",
                       *(["--evaluator"] if evaluator else []), *(["--tcp"] if tcp else []),
                       *(["--log_dir", log_dir] if log_dir else []), "--", *command]
        self.start = time.monotonic()
        self.process = subprocess.Popen(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.tasks = {}  # name -> pid

    def __iter__(self):
        for line in self.process.stdout:
            moment = time.monotonic()
            if not line.startswith("{"):
                continue
            event = json.loads(line)
            if event.get("event") == "task_start":
                self.tasks[event["task"]] = event["pid"]
            yield moment, event
        errors = self.process.stderr.read()
        if self.process.wait():
            sys.exit(f"{self.process.args[0]} ended with {self.process.returncode}\n{errors}")

    def interrupt(self):
        """Ends it; what it prints afterwards is of no interest."""
        self.process.terminate()
        self.process.communicate()
