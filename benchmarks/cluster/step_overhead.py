#!/usr/bin/env python3
"""B10: a step of one training task with one server against the step of one process and what its bytes cost. See benchmarks/README.md.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import array
import itertools
import math
import pathlib
import random
import statistics
import sys
import tempfile

from cluster import CENSUS, ROOT, Launch, add_build_dir, compile_trainer, quiet_flags, raw_rates, show_load, step_bytes, step_seconds

sys.path.insert(0, str(ROOT / "benchmarks" / "sampled"))
from run import write_safetensors  # noqa: E402

GOAL = 1.3
BUCKETS, ZIPF = 100_000, 1.1  # of benchmarks/step


def mlp_rows(path, batch):
    draw = random.Random(1)
    rows = 16 * batch
    image = array.array("f", (draw.random() for _ in range(rows * 784)))
    label = array.array("q", (draw.randrange(10) for _ in range(rows)))
    write_safetensors(path, {"image": ("F32", [rows, 784], image), "label": ("I64", [rows], label)})


def wide_deep_rows(path, batch):
    """Ids of Zipf's law, frequent ones anywhere in the table."""
    draw = random.Random(1)
    cumulated = list(itertools.accumulate(k**-ZIPF for k in range(1, BUCKETS + 1)))
    places = list(range(BUCKETS))
    draw.shuffle(places)
    with open(path, "w") as file:
        file.write(",".join([f"I{i}" for i in range(1, 14)] + [f"C{i}" for i in range(1, 27)] + ["label"]) + "\n")
        for _ in range(64 * batch):
            ids = draw.choices(places, cum_weights=cumulated, k=26)
            file.write(",".join([f"{draw.random():.4f}" for _ in range(13)] + [str(i) for i in ids]) + f",{draw.randrange(2)}\n")


MODELS = {  # source, rows (None: those of the spec), steps, first of them
    "census": (CENSUS, None, 2400, 400),
    "wide_deep": (ROOT / "benchmarks" / "step" / "wide_deep.pbtxt", wide_deep_rows, 1000, 200),
    "mlp": (ROOT / "benchmarks" / "step" / "mlp.mlir", mlp_rows, 800, 200),
}


def measure(arguments, scratch, name):
    source, make_rows, steps, first = MODELS[name]
    steps, first = math.ceil(steps * 128 / arguments.batch), math.ceil(first * 128 / arguments.batch)
    trainer, rows = scratch / name, scratch / f"{name}{'.safetensors' if source.suffix == '.mlir' else '.csv'}"
    compile_trainer(arguments, source, trainer, *(["--unset", "eval.files"] if name == "census" else []))
    flags = ["--batch_size", arguments.batch, *quiet_flags(first)]
    if make_rows:
        make_rows(rows, arguments.batch)
        flags += ["--train_files", rows]
    pushed, pulled = step_bytes(arguments, trainer, flags, 1, scratch, first)
    ratios, seconds, alone, ideals = [], [], [], []
    for round_ in range(arguments.rounds):  # by turns
        rates, _ = raw_rates(arguments, max(1, round(max(pushed, pulled) / 2**20)), arguments.tcp)
        ideals.append(pushed / (rates[0] * 1e9) + pulled / (rates[1] * 1e9))
        common = ["train", "--virtual_shards", 1, "--max_steps", steps, *flags, "--model_dir"]
        alone.append(step_seconds(Launch(arguments, trainer, [*common, scratch / f"alone-{name}{round_}"]), first))
        seconds.append(step_seconds(Launch(arguments, trainer, [*common, scratch / f"cluster-{name}{round_}", "--sync"], 1, 1,
                                           tcp=arguments.tcp), first))
        ratios.append(seconds[-1] / (alone[-1] + ideals[-1]))
    ratio = statistics.median(ratios)
    print(f"{name:10} batch {arguments.batch}: step {statistics.median(seconds) * 1e3:.3f} ms, of one process "
          f"{statistics.median(alone) * 1e3:.3f} ms, {(pushed + pulled) / 1e6:.3f} MB raw {statistics.median(ideals) * 1e3:.3f} ms; "
          f"ratio {ratio:.2f}, goal {GOAL}: {'reached' if ratio <= GOAL else 'MISSED'}", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Steps over a server against steps of one process")
    add_build_dir(parser)
    parser.add_argument("--only", action="append", choices=list(MODELS))
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--unix", dest="tcp", action="store_false", help="over Unix sockets, not the loopback interface")
    arguments = parser.parse_args()
    show_load()
    with tempfile.TemporaryDirectory() as scratch:
        for name in arguments.only or MODELS:
            measure(arguments, pathlib.Path(scratch), name)


if __name__ == "__main__":
    main()
