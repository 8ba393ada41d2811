"""Clusters of this machine for the benchmarks: `mlc launch`, and what its tasks print.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import os
import pathlib
import re
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


def raw_rates(arguments, mib, tcp):
    """Of two processes over raw sockets: GB/s pushed and pulled in messages of so many MiB, microseconds of 64 bytes."""
    out = subprocess.run([arguments.build_dir / "bin" / "mlc_transport_benchmark", "--mib", str(mib), "--rounds", "5"],
                         check=True, capture_output=True, text=True).stdout
    kind = "tcp" if tcp else "unix"
    rates = [float(re.search(rf"^{kind} +{what}: raw ([0-9.]+) GB/s", out, re.M)[1]) for what in ("push", "pull")]
    return rates, float(re.search(rf"^{kind} +call of 64 bytes: raw ([0-9.]+) us", out, re.M)[1])


def quiet_flags(steps):
    """Steps alone: no checkpoint but the first and the last one, no summaries. So many steps are logged at once."""
    return ["--epochs", 100000, "--set", "run_config.save_checkpoints_steps=1000000000", "--set",
            "run_config.save_summary_steps=0", "--set", f"run_config.log_step_count_steps={steps}"]


def step_seconds(launch, first):
    """Of the steps after the first logged ones."""
    at = {event["step"]: moment for moment, event in launch if event["event"] == "step"}
    last = max(at)
    return (at[last] - at[first]) / (last - first)


def step_bytes(arguments, trainer, flags, servers, scratch, steps):
    """Bytes that a training task pushes and pulls in an asynchronous step of its own batch: of two runs the difference,
    which has nothing of their beginning."""
    found = []
    for number in (steps, 3 * steps):
        logs = scratch / f"bytes-{trainer.name}-{number}"
        for _ in Launch(arguments, trainer, ["train", "--model_dir", scratch / f"m-{logs.name}", "--max_steps", number, *flags],
                        workers=2, servers=servers, log_dir=logs):
            pass
        text = (logs / "worker-0.log").read_text()
        found.append([int(n) for n in re.search(r"done +(\d+) steps, pushed (\d+) bytes, pulled (\d+)", text).groups()])
    (n1, push1, pull1), (n2, push2, pull2) = found
    if n1 == n2:
        sys.exit(f"{trainer.name}: worker 0 did {n1} steps in both runs")
    return (push2 - push1) / (n2 - n1), (pull2 - pull1) / (n2 - n1)
