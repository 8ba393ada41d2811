#!/usr/bin/env python3
"""B16: how long a cluster takes from nothing to its first step. See benchmarks/README.md.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import pathlib
import statistics
import tempfile

from cluster import CENSUS, Launch, add_build_dir, compile_trainer, show_load

GOAL = 1.5


def measure(arguments, trainer, model, cluster):
    """Seconds from the start of the first process to the first step, and to what comes before it."""
    options = {"workers": arguments.workers, "servers": arguments.servers, "evaluator": True, "tcp": arguments.tcp} if cluster else {}
    launch = Launch(arguments, trainer, ["train", "--model_dir", model, "--max_steps", 3, *(["--sync"] if cluster and arguments.sync else []),
                                         "--set", "run_config.log_step_count_steps=1"], **options)
    at = {}
    for moment, event in launch:
        name = event["event"]
        if name == "checkpoint" and event["step"] == 0:
            name = "first checkpoint"
        at.setdefault(name, moment - launch.start)
    return {"tasks started": at.get("task_start", 0), "settings known": at["config"], "first checkpoint": at["first checkpoint"],
            "first step": at["step"]}


def main():
    parser = argparse.ArgumentParser(description="Start-up of a chief, workers, servers and an evaluator to the first step")
    add_build_dir(parser)
    parser.add_argument("--workers", type=int, default=3, help="training tasks, the chief among them")
    parser.add_argument("--servers", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--sync", action="store_true")
    parser.add_argument("--tcp", action="store_true", help="over ports of the loopback interface")
    arguments = parser.parse_args()
    show_load()
    with tempfile.TemporaryDirectory() as scratch:
        trainer = pathlib.Path(scratch) / "census"
        compile_trainer(arguments, CENSUS, trainer)
        found = {"cluster": [], "one process": []}
        for round_ in range(arguments.rounds):  # by turns
            for kind, runs in found.items():
                runs.append(measure(arguments, trainer, pathlib.Path(scratch) / f"m{round_}-{kind[:3]}", kind == "cluster"))
        medians = {kind: {name: statistics.median(run[name] for run in runs) for name in runs[0]} for kind, runs in found.items()}
        for kind, of in medians.items():
            print(f"{kind:12} " + "   ".join(f"{name} {seconds:.2f} s" for name, seconds in of.items()))
        first = medians["cluster"]["first step"]
        print(f"medians of {arguments.rounds}; first step of the cluster {first:.2f} s, goal {GOAL} s: "
              f"{'reached' if first <= GOAL else 'MISSED'}; of one process: {first / medians['one process']['first step']:.1f} times")


if __name__ == "__main__":
    main()
