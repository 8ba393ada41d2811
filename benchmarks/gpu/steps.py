#!/usr/bin/env python3
"""Training steps on a GPU, beside JAX's and PyTorch's. Compiled where the compiler is, run where the GPU is.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

    benchmarks/gpu/steps.py compile BUILD DIRECTORY
    benchmarks/gpu/steps.py run DIRECTORY [--workload W] [--batch B] [--rounds N] [--modes M] [--device cpu]

`compile` makes an artifact of each workload with code for GPUs, by BUILD/bin/mlc, and takes mlc_step_benchmark along.
`run` steps through a ring of batches, by turns with the peers, whose batches lie on the device; mlc's are uploaded beside
the step before. Medians of milliseconds a step, and the best peer's time divided by ours. Losses of the first steps are
compared. Workloads: mlp and wide_deep of ../step (peers: JAX, donated, also scanned), transformer in f32 and bf16_mixed
(12 layers of 768, 8 x 512 tokens; peer: PyTorch, torch.compile in --modes). With --device cpu all run on the CPU: to try
the script.
"""
import argparse
import importlib.util
import pathlib
import shutil
import statistics
import subprocess
import sys

import numpy as np

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "step"), str(HERE.parent / "compile"), str(HERE)]

from models import transformer  # noqa: E402
from processes import Contestant, Process  # noqa: E402
from torch_steps import SHAPES  # noqa: E402
from workloads import WORKLOADS  # noqa: E402

SEED, CHECKED_STEPS = 1, 10
# Relative differences of losses: of TF32 in peers' products there is none, factors of bfloat16 have 8 bits.
TOLERANCE = {"f32": 1e-3, "bf16_mixed": 3e-2}
JAX = {"mlp": ["mlp", "mlp+scan"], "wide_deep": ["unique", "packed", "packed+scan"]}
BATCHES = {"mlp": [128, 512, 1024, 4096], "wide_deep": [128, 512, 1024, 4096]}


def compile_all(build, directory):
    directory.mkdir(parents=True, exist_ok=True)
    mlc = build / "bin" / "mlc"

    def make(source, name):
        command = [mlc, "compile", source, "--target=cuda", "--chip", "sm_80", "--chip", "sm_90a", "--emit=so", "--quiet"]
        subprocess.run([*command, "-o", directory / f"{name}.so"], check=True)

    for name, workload in WORKLOADS.items():
        make(workload.source, name)
    for name, shape in SHAPES.items():
        for precision in TOLERANCE:
            text = transformer(shape["layers"], shape["length"], shape["width"], shape["heads"], shape["vocabulary"])
            source = directory / f"{name}-{precision}.mlir"
            source.write_text(text.replace("module attributes {", f"module attributes {{df.precision = #df.precision<{precision}>, ", 1))
            make(source, f"{name}-{precision}")
            source.unlink()
    shutil.copy(build / "bin" / "mlc_step_benchmark", directory)


def token_batches(shape, rows):
    ids = np.random.default_rng(1).integers(0, shape["vocabulary"], (16, rows, shape["length"] + 1))
    return {"ids": ids[:, :, :-1].copy(), "next": ids[:, :, 1:].copy()}


class Case:
    """A workload at one number of rows: batches, its artifact, its peers."""

    def __init__(self, name, rows, artifact, batches, peers, tolerance):
        self.name, self.rows, self.artifact, self.batches, self.peers, self.tolerance = name, rows, artifact, batches, peers, tolerance


def cases_of(arguments):
    for name, workload in WORKLOADS.items():
        for rows in arguments.batch or BATCHES[name]:
            peers = {f"jax {v}": [sys.executable, HERE.parent / "step" / "jax_step.py", v] for v in JAX[name]}
            yield Case(name, rows, f"{name}.so", lambda w=workload, r=rows: w.make_batches(r), peers, TOLERANCE["f32"])
    for name, shape in SHAPES.items():
        for precision, tolerance in TOLERANCE.items():
            for rows in arguments.batch or [shape["rows"]]:
                peers = {f"torch {mode}": [sys.executable, HERE / "torch_steps.py", name, precision, mode, arguments.device] for mode in arguments.modes}
                yield Case(f"{name}-{precision}", rows, f"{name}-{precision}.so", lambda s=shape, r=rows: token_batches(s, r), peers, tolerance)


def measure(case, arguments, scratch):
    from safetensors.numpy import save_file

    batches, variables = scratch / "batches.safetensors", scratch / "variables.safetensors"
    save_file(case.batches(), batches)
    command = [arguments.directory / "mlc_step_benchmark", arguments.directory / case.artifact, batches, 4, SEED, variables]
    mlc = Process("mlc", None, command + (["--device=gpu"] if arguments.device == "gpu" else []))
    reference = mlc.ask(f"losses {CHECKED_STEPS}")["losses"]
    contestants = [Contestant("mlc", mlc, "ahead")]
    # A peer that is not there, or needs more memory than there is, is told and left out.
    for name, peer in case.peers.items():
        if importlib.util.find_spec(name.split()[0]) is None:
            print(f"  no peer {name}: its package is not installed")
            continue
        platform = {"JAX_PLATFORMS": "cuda"} if arguments.device == "gpu" else {}
        process = Process(name, None, [*peer, batches, variables], {**platform, "XLA_PYTHON_CLIENT_PREALLOCATE": "false"})
        try:
            process.read()
            losses = process.ask(f"losses {CHECKED_STEPS}")["losses"]
        except (SystemExit, BrokenPipeError) as error:
            print(f"  no peer {name}: {error}")
            continue
        difference = max(abs(a - b) / abs(a) for a, b in zip(reference, losses))
        if not difference <= case.tolerance:
            print(f"  {name}: losses differ by {difference:.1e} (relative) from mlc's; allowed: {case.tolerance}")
        contestants.append(Contestant(name, process))
        contestants[-1].difference = difference
    for contestant in contestants:
        contestant.calibrate()
    for _ in range(arguments.rounds):
        for contestant in contestants:
            contestant.run()
    medians = {c.name: statistics.median(c.times) for c in contestants}
    best = min((m for name, m in medians.items() if name != "mlc"), default=None)
    for c in contestants:
        ratio = f"{best / medians[c.name]:7.2f}" if best else " " * 7
        print(f"{case.name:22} {case.rows:6} {c.name:24} {medians[c.name]:10.3f} {min(c.times):10.3f} {ratio} {c.difference:9.1e}", flush=True)
        c.process.close()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    making = verbs.add_parser("compile")
    making.add_argument("build", type=pathlib.Path)
    making.add_argument("directory", type=pathlib.Path)
    running = verbs.add_parser("run")
    running.add_argument("directory", type=pathlib.Path)
    running.add_argument("--workload", action="append", help="names of workloads, as mlp or transformer-f32; default: all but those named tiny")
    running.add_argument("--batch", type=int, action="append", help="rows of a step; default: those of each workload")
    running.add_argument("--rounds", type=int, default=7)
    running.add_argument("--modes", nargs="+", default=["default", "reduce-overhead"], help="of torch.compile, or eager")
    running.add_argument("--device", choices=["gpu", "cpu"], default="gpu")
    arguments = parser.parse_args()
    if arguments.verb == "compile":
        return compile_all(arguments.build, arguments.directory)
    print(f"{'workload':22} {'rows':>6} {'':24} {'ms a step':>10} {'least':>10} {'ratio':>7} {'loss':>9}")
    scratch = arguments.directory / "scratch"
    scratch.mkdir(exist_ok=True)
    found = False
    for case in cases_of(arguments):
        if case.name in arguments.workload if arguments.workload else not case.name.startswith("tiny"):
            found = True
            measure(case, arguments, scratch)
    shutil.rmtree(scratch)
    if not found:
        sys.exit(f"steps.py: no workload is named {', '.join(arguments.workload)}")


if __name__ == "__main__":
    main()
