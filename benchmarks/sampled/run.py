#!/usr/bin/env python3
"""Step time of sampled softmax against full softmax: 40,000 classes, batch 128, 512 samples, 256 hidden units.

usage: run.py [--build-dir DIR] [--threads N] [--rounds N]

Compiles both df files, runs their steps with mlc_step_benchmark in turns, one after the other, and prints the medians and their ratio.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import array
import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CLASSES, BATCH, HIDDEN, RING = 40_000, 128, 256, 64


def write_safetensors(path, tensors):
    header, offset = {}, 0
    for name, (dtype, shape, values) in tensors.items():
        size = len(values) * values.itemsize
        header[name] = {"dtype": dtype, "shape": shape, "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + b"".join(values.tobytes() for _, _, values in tensors.values()))


def make_batches(path, shape):
    """Labels of Zipf's law, as words have it; `shape` is that of the labels."""
    rng = random.Random(1)
    rows = math.prod(shape)
    x = array.array("f", (rng.uniform(-2, 2) for _ in range(rows * HIDDEN)))
    label = array.array("q", (min(int(math.exp(rng.random() * math.log(CLASSES + 1))) - 1, CLASSES - 1) for _ in range(rows)))
    write_safetensors(path, {"x": ("F32", [*shape, HIDDEN], x), "label": ("I64", list(shape), label)})


class Driver:
    def __init__(self, binaries, source, batches, threads, scratch):
        artifact = scratch / f"{source.stem}.so"
        subprocess.run([binaries / "mlc", "compile", source, "--emit=so", "-o", artifact], check=True)
        self.process = subprocess.Popen([binaries / "mlc_step_benchmark", artifact, batches, str(threads), "1"], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, text=True)

    def ask(self, command, count):
        print(command, count, file=self.process.stdin, flush=True)
        answer = self.process.stdout.readline()
        if not answer:
            raise SystemExit(f"the driver ended with {self.process.wait()}")
        return json.loads(answer)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build-dir", type=pathlib.Path, default=HERE.parents[1] / "build")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    print(f"load {os.getloadavg()[0]:.2f}, {options.threads} threads")
    with tempfile.TemporaryDirectory() as directory:
        scratch = pathlib.Path(directory)
        batches = scratch / "batches.safetensors"
        make_batches(batches, (RING, BATCH))
        drivers = {name: Driver(options.build_dir / "bin", HERE / f"{name}_softmax.mlir", batches, options.threads, scratch)
                   for name in ("full", "sampled")}
        steps = {"full": 4, "sampled": 40}
        for name, driver in drivers.items():
            losses = driver.ask("losses", steps[name])["losses"]
            print(f"{name}: losses {losses[0]:.4f} .. {losses[-1]:.4f} in {len(losses)} steps")
        times = {name: [] for name in drivers}
        for _ in range(options.rounds):
            for name, driver in drivers.items():
                times[name].append(driver.ask("time", steps[name])["ns"] / 1e6)
        for name, values in times.items():
            print(f"{name}: {statistics.median(values):.3f} ms a step ({min(values):.3f} to {max(values):.3f})")
        print(f"full / sampled: {statistics.median(times['full']) / statistics.median(times['sampled']):.1f}")
        for driver in drivers.values():
            driver.process.stdin.close()
            driver.process.wait()


if __name__ == "__main__":
    main()
