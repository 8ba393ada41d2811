#!/usr/bin/env python3
"""Sampled softmax of 40,000 classes on a cluster against full softmax: bytes and time of a step. See benchmarks/README.md.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import pathlib
import statistics
import sys
import tempfile

from cluster import ROOT, Launch, add_build_dir, compile_trainer, quiet_flags, show_load, step_bytes, step_seconds

sys.path.insert(0, str(ROOT / "benchmarks" / "sampled"))
from run import BATCH, make_batches  # noqa: E402 (the batches of the one process benchmark)

GOAL = 0.1
STEPS = {"full": 10, "sampled": 100}


def main():
    parser = argparse.ArgumentParser(description="Sampled against full softmax over the same servers")
    add_build_dir(parser)
    parser.add_argument("--servers", type=int, default=2)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    show_load()
    with tempfile.TemporaryDirectory() as scratch_name:
        scratch = pathlib.Path(scratch_name)
        rows = scratch / "rows.safetensors"
        make_batches(rows, (16 * BATCH, ))
        trainers, sent = {}, {}
        for kind, steps in STEPS.items():
            trainers[kind] = scratch / kind
            compile_trainer(arguments, ROOT / "benchmarks" / "sampled" / f"{kind}_softmax.mlir", trainers[kind])
            sent[kind] = sum(step_bytes(arguments, trainers[kind], ["--train_files", rows, *quiet_flags(steps)],
                                        arguments.servers, scratch, steps))
        times = {kind: [] for kind in STEPS}
        for round_ in range(arguments.rounds):
            for kind, steps in STEPS.items():  # by turns
                times[kind].append(step_seconds(
                    Launch(arguments, trainers[kind], ["train", "--sync", "--virtual_shards", 1, "--model_dir",
                                                       scratch / f"m-{kind}{round_}", "--train_files", rows, "--max_steps",
                                                       4 * steps, *quiet_flags(steps)], 1, arguments.servers, tcp=True), steps))
        for kind in STEPS:
            print(f"{kind:8} {sent[kind] / 1e6:9.3f} MB a step, {statistics.median(times[kind]) * 1e3:9.3f} ms")
        for what, ratio in (("bytes", sent["sampled"] / sent["full"]),
                            ("time", statistics.median(a / b for a, b in zip(times["sampled"], times["full"])))):
            print(f"{what}: sampled / full {ratio:.3f}, goal {GOAL}: {'reached' if ratio <= GOAL else 'MISSED'}")


if __name__ == "__main__":
    main()
