#!/usr/bin/env python3
"""B4, B5: steps that compute next to nothing, of a scalar and of a dense model. See benchmarks/README.md.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import pathlib
import statistics
import struct
import tempfile

from cluster import Launch, add_build_dir, compile_trainer, quiet_flags, raw_rates, show_load, step_seconds

GOALS = {"scalar": 12, "dense": 1.6}
COLUMNS = 4096

# The gradient of each element of w is the mean of x: one pass over w forwards, one backwards.
MODEL = """module attributes {{mlc.settings = {{train.batch_size = 1 : i64, run_config.seed = 5 : i64}}}} {{
  df.variable @w : {w} = #df.constant<0.0> {{trainable}}
  df.variable @global_step : tensor<i64> = #df.constant<0.0>
  df.function @train(%x: tensor<?x1xf32> {{df.name = "x"}}) -> (tensor<f32> {{df.name = "loss"}}) attributes {{role = #df.role<train>}} {{
    %w = df.read @w : {w}
    %s = df.reduce_sum %w {{axes = array<i64: {axes}>}} : ({w}) -> tensor<f32>
    %flat = df.reshape %x : (tensor<?x1xf32>) -> tensor<?xf32>
    %ss = df.broadcast %s like %flat dimensions = [] : (tensor<f32>, tensor<?xf32>) -> tensor<?xf32>
    %each = df.mul %flat, %ss : tensor<?xf32>
    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>
    %dw = df.gradients %loss wrt [@w] : (tensor<f32>) -> {w}
    %rate = df.constant dense<1.0e-6> : tensor<f32>
    %rates = df.broadcast %rate dimensions = [] : (tensor<f32>) -> {w}
    %down = df.mul %rates, %dw : {w}
    df.assign_sub @w, %down : {w}
    %one = df.constant dense<1> : tensor<i64>
    df.assign_add @global_step, %one : tensor<i64>
    df.return %loss : tensor<f32>
  }}
}}
"""


def write_rows(path, rows):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, 1)}}".encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + struct.pack("<f", 1.0) * rows)


def null_seconds(arguments, trainer, rows, model, steps):
    """Of the steps after the first tenth."""
    first = max(1, steps // 10)
    return step_seconds(
        Launch(arguments, trainer, ["train", "--sync", "--virtual_shards", arguments.workers, "--model_dir", model, "--train_files",
                                    rows, "--max_steps", steps, *quiet_flags(first)], arguments.workers, arguments.servers,
               tcp=arguments.tcp), first)


def main():
    parser = argparse.ArgumentParser(description="Null steps against what raw sockets allow")
    add_build_dir(parser)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--servers", type=int, default=1)
    parser.add_argument("--mib", type=int, action="append", help="of dense models (default: 16 and 256)")
    parser.add_argument("--only", choices=list(GOALS))
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--unix", dest="tcp", action="store_false", help="over Unix sockets, not the loopback interface")
    arguments = parser.parse_args()
    show_load()
    with tempfile.TemporaryDirectory() as scratch_name:
        scratch = pathlib.Path(scratch_name)
        rows = scratch / "x.npy"
        write_rows(rows, 4096)
        models = [("scalar", 0)] if arguments.only != "dense" else []
        models += [("dense", mib) for mib in arguments.mib or [16, 256]] if arguments.only != "scalar" else []
        for kind, mib in models:
            dims = [arguments.servers, 1] if kind == "scalar" else [mib * 2**20 // 4 // COLUMNS, COLUMNS]
            source, trainer = scratch / f"{kind}{mib}.mlir", scratch / f"{kind}{mib}"
            source.write_text(MODEL.format(w=f"tensor<{dims[0]}x{dims[1]}xf32>", axes="0, 1"))
            compile_trainer(arguments, source, trainer)
            steps = 2000 if kind == "scalar" else max(10, 1600 // mib)
            ratios, own = [], []
            for round_ in range(arguments.rounds):
                rates, call = raw_rates(arguments, max(1, mib), arguments.tcp)
                seconds = null_seconds(arguments, trainer, rows, scratch / f"m{kind}{mib}-{round_}", steps)
                size = mib * 2**20
                limit = 2 * call * 1e-6 if kind == "scalar" else size / (rates[0] * 1e9) + size / (rates[1] * 1e9)
                own.append(seconds)
                ratios.append(seconds / limit)
            ratio = statistics.median(ratios)
            what = "2 raw round trips" if kind == "scalar" else "a raw push and pull"
            print(f"{kind} {f'{mib} MiB' if mib else '4 bytes a server':16} {arguments.workers} worker, {arguments.servers} server: "
                  f"step {statistics.median(own) * 1e3:.3f} ms = {ratio:.2f} of {what}, goal {GOALS[kind]}: "
                  f"{'reached' if ratio <= GOALS[kind] else 'MISSED'}", flush=True)


if __name__ == "__main__":
    main()
