#!/usr/bin/env python3
"""Convolutions and products of matrices against oneDNN: see benchmarks/README.md.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "step"))
from processes import Contestant, Process, cpu_name, environment  # noqa: E402

TOLERANCE = 1e-6  # difference of the check sums relative to the sum of magnitudes


class Case:
    """A module of one op, what it is called and what the peer is told."""

    def __init__(self, name, kind, sizes, x, w, y, op, flop):
        self.name, self.kind, self.sizes, self.flop = name, kind, sizes, flop
        self.rows = sizes[0]
        self.text = f"""module attributes {{mlc.name = "{name}"}} {{
  df.variable @w : tensor<{w}xf32> = #df.uniform<-1.0, 1.0> {{trainable}}
  df.function @predict(%x: tensor<?x{x}xf32> {{df.name = "x"}}) -> (tensor<?x{y}xf32> {{df.name = "y"}}) attributes {{role = #df.role<predict>}} {{
    %w = df.read @w : tensor<{w}xf32>
    %y = {op} : (tensor<?x{x}xf32>, tensor<{w}xf32>) -> tensor<?x{y}xf32>
    df.return %y : tensor<?x{y}xf32>
  }}
}}
"""


def conv2d(rows, size, channels, window, out):
    pad = window // 2
    return Case(f"conv2d {window}x{window} {channels}->{out} {size}x{size} batch {rows}", "conv2d",
                (rows, size, size, channels, window, out), f"{size}x{size}x{channels}", f"{window}x{window}x{channels}x{out}",
                f"{size}x{size}x{out}", f"df.conv %x, %w {{padding = array<i64: {pad}, {pad}, {pad}, {pad}>}}",
                2 * rows * size * size * channels * out * window * window)


def matmul(m, n, k):
    return Case(f"matmul {m}x{n}x{k}", "matmul", (m, n, k), f"{k}", f"{k}x{n}", f"{n}", "df.matmul %x, %w", 2 * m * n * k)


CASES = [conv2d(8, 56, 64, 3, 64), conv2d(8, 28, 128, 3, 128), conv2d(8, 14, 256, 3, 256), conv2d(8, 56, 64, 1, 256),
         conv2d(8, 56, 3, 3, 64), conv2d(128, 28, 1, 5, 32), *(matmul(n, n, n) for n in (512, 1024, 2048))]


def compile_case(case, arguments):
    out = arguments.build_dir / "benchmarks" / "contract"
    out.mkdir(parents=True, exist_ok=True)
    stem = out / case.name.replace(" ", "_").replace(">", "")
    source, artifact = stem.with_suffix(".mlir"), stem.with_suffix(".so")
    source.write_text(case.text)
    subprocess.run([arguments.build_dir / "bin" / "mlc", "compile", source, "--emit=so", "--cpu=native", "--quiet", "-o",
                    artifact], check=True, env=environment())
    return artifact, stem.with_suffix(".weights")


def measure(case, arguments, threads):
    artifact, weights = compile_case(case, arguments)
    bin_dir = arguments.build_dir / "bin"
    mlc = Process("mlc", threads, [bin_dir / "mlc_contract_benchmark", artifact, threads, case.rows, weights])
    found = mlc.ask("check 1")
    peer = Process("oneDNN", threads, [bin_dir / "mlc_onednn_peer", case.kind, weights, *case.sizes])
    expected = peer.ask("check 1")
    difference = abs(found["sum"] - expected["sum"]) / expected["magnitude"]
    if not difference <= TOLERANCE:
        sys.exit(f"run.py: {case.name}: the check sum of mlc is {found['sum']}, of oneDNN {expected['sum']}; "
                 f"relative difference {difference:.1e}, allowed {TOLERANCE}")
    contestants = [Contestant("mlc", mlc), Contestant("oneDNN", peer)]
    for contestant in contestants:
        contestant.calibrate()
    for _ in range(arguments.rounds):
        for contestant in contestants:
            contestant.run()
    for process in (mlc, peer):
        process.close()
    weights.unlink()
    rate = {c.name: case.flop / statistics.median(c.times) * 1e-6 for c in contestants}
    print(f"| {case.name:38} | {threads:7} | {rate['mlc']:11.0f} | {rate['oneDNN']:14.0f} | "
          f"{rate['mlc'] / rate['oneDNN']:12.2f} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description="Convolutions and products of matrices against oneDNN.")
    parser.add_argument("--case", help="only cases whose name holds this text")
    parser.add_argument("--threads", type=int, action="append", help="default: 1 and 2; may be repeated")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--build-dir", type=pathlib.Path, default=ROOT / "build")
    arguments = parser.parse_args()
    if not (arguments.build_dir / "bin" / "mlc_onednn_peer").exists():
        sys.exit("run.py: no mlc_onednn_peer: run benchmarks/setup_onednn.sh, then cmake and ninja as benchmarks/README.md says")
    print(f"{cpu_name()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.2f}; medians of {arguments.rounds} rounds")
    print(f"| {'':38} | threads | mlc GFLOP/s | oneDNN GFLOP/s | mlc / oneDNN |\n|---|---|---|---|---|")
    for case in CASES:
        if arguments.case and arguments.case not in case.name:
            continue
        for threads in arguments.threads or (1, 2):
            measure(case, arguments, threads)


if __name__ == "__main__":
    main()
