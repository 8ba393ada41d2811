#!/usr/bin/env python3
"""A step of a training task whose server is behind a slow link: transfers beside computation, and one after the other.
Needs root: the two tasks live in network namespaces of their own. See benchmarks/README.md.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import contextlib
import json
import os
import pathlib
import statistics
import struct
import subprocess
import sys
import tempfile

from cluster import add_build_dir, compile_trainer, show_load

NAMES = ("mlc-overlap-trainer", "mlc-overlap-server")
ADDRESSES = ("10.77.0.1", "10.77.0.2")


def model(layers, width, batch):
    """`layers` products of `width` x `width` with ReLU; the loss is the mean of the outputs' squares."""
    square = f"tensor<{width}x{width}xf32>"
    rows = f"tensor<?x{width}xf32>"
    lines = [f"module attributes {{mlc.settings = {{train.batch_size = {batch} : i64, run_config.seed = 5 : i64}}}} {{"]
    scale = (6 / width) ** 0.5
    lines += [f"  df.variable @w{i} : {square} = #df.uniform<-{scale}, {scale}> {{trainable}}" for i in range(layers)]
    lines += ["  df.variable @global_step : tensor<i64> = #df.constant<0.0>",
              f"  df.function @train(%h0: {rows} {{df.name = \"x\"}}) -> (tensor<f32> {{df.name = \"loss\"}}) "
              "attributes {role = #df.role<train>} {"]
    for i in range(layers):
        lines += [f"    %w{i} = df.read @w{i} : {square}",
                  f"    %y{i} = df.matmul %h{i}, %w{i} : ({rows}, {square}) -> {rows}",
                  f"    %h{i + 1} = df.relu %y{i} : {rows}"]
    names = ", ".join(f"@w{i}" for i in range(layers))
    results = ", ".join(f"%d{i}" for i in range(layers))
    lines += [f"    %squares = df.square %h{layers} : {rows}",
              f"    %each = df.reduce_sum %squares {{axes = array<i64: 1>}} : ({rows}) -> tensor<?xf32>",
              "    %loss = df.batch_mean %each : (tensor<?xf32>) -> tensor<f32>",
              f"    {results} = df.gradients %loss wrt [{names}] : (tensor<f32>) -> ({', '.join([square] * layers)})",
              "    %rate = df.constant dense<1.0e-6> : tensor<f32>",
              f"    %rates = df.broadcast %rate dimensions = [] : (tensor<f32>) -> {square}"]
    for i in range(layers):
        lines += [f"    %down{i} = df.mul %rates, %d{i} : {square}", f"    df.assign_sub @w{i}, %down{i} : {square}"]
    lines += ["    %one = df.constant dense<1> : tensor<i64>", "    df.assign_add @global_step, %one : tensor<i64>",
              "    df.return %loss : tensor<f32>", "  }", "}"]
    return "\n".join(lines)


def write_rows(path, rows, width):
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': ({rows}, {width})}}".encode()
    header += b" " * (63 - (10 + len(header)) % 64) + b"\n"
    state, values = 1, []
    for _ in range(width):
        state = (state * 1664525 + 1013904223) % 2**32
        values.append(state / 2**32)
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header +
                     struct.pack(f"<{width}f", *values) * rows)


def run(*command):
    subprocess.run(list(map(str, command)), check=True)


@contextlib.contextmanager
def slow_link(megabits):
    """Two namespaces whose only way to each other is a link of so many megabits per second each way."""
    try:
        for name in NAMES:
            run("ip", "netns", "add", name)
        run("ip", "link", "add", "veth0", "netns", NAMES[0], "type", "veth", "peer", "veth0", "netns", NAMES[1])
        for name, address in zip(NAMES, ADDRESSES):
            run("ip", "-n", name, "addr", "add", f"{address}/24", "dev", "veth0")
            for device in ("lo", "veth0"):
                run("ip", "-n", name, "link", "set", device, "up")
            run("tc", "-n", name, "qdisc", "add", "dev", "veth0", "root", "tbf", "rate", f"{megabits}mbit", "burst", "256kb",
                "latency", "50ms")
        yield
    finally:
        for name in NAMES:
            subprocess.run(["ip", "netns", "del", name], stderr=subprocess.DEVNULL)


def spans(path, skip):
    """Of the steps after the first: (name, track, seconds begin, end) by step."""
    steps, tracks = {}, {}
    for event in json.loads(path.read_text()):
        if event.get("name") == "thread_name":
            tracks[event["tid"]] = event["args"]["name"]
        elif event.get("ph") == "X":
            step = event.get("args", {}).get("step", -1)
            if step >= skip:
                begin = event["ts"] * 1e-6
                steps.setdefault(step, []).append((event["name"], event["tid"], begin, begin + event["dur"] * 1e-6))
    return {step: [(name, tracks.get(track, ""), begin, end) for name, track, begin, end in found]
            for step, found in steps.items()}


def measure(arguments, trainer, rows, scratch, overlap):
    """Seconds: of a step, and of its compute, push, wait for the server, pull."""
    cluster = {"chief": [f"{ADDRESSES[0]}:5000"], "ps": [f"{ADDRESSES[1]}:5000"]}
    timeline = scratch / "timeline"
    processes = []
    for role, name in (("ps", NAMES[1]), ("chief", NAMES[0])):
        environment = dict(os.environ, TF_CONFIG=json.dumps({"cluster": cluster, "task": {"type": role, "index": 0}}))
        command = ["ip", "netns", "exec", name, trainer, "train", "--sync", "--insecure", "--quiet", "--virtual_shards",
                   arguments.shards, "--threads", arguments.threads, "--model_dir", scratch / "model", "--train_files", rows,
                   "--epochs", 1000000, "--max_steps", arguments.steps, "--overlap", overlap, "--timeline", timeline, "--set",
                   "run_config.save_checkpoints_steps=1000000000", "--set", "run_config.save_summary_steps=0", "--set",
                   "run_config.log_step_count_steps=1000000"]
        processes.append(subprocess.Popen(list(map(str, command)), env=environment))
    if any([process.wait() for process in reversed(processes)]):
        sys.exit("a task failed")
    by_step = spans(timeline / "chief-0.json", arguments.skip)
    begins = [min(begin for name, _, begin, _ in found if name == "step")
              for _, found in sorted(by_step.items()) if any(span[0] == "step" for span in found)]
    seconds = {"step": statistics.median(b - a for a, b in zip(begins, begins[1:]))}
    for part in ("compute", "push", "wait", "pull"):
        each = []
        for found in by_step.values():
            own = [end - begin for name, track, begin, end in found
                   if name == part and track.startswith("to ps") == (part != "compute")]
            if own:
                each.append(sum(own))
        seconds[part] = statistics.median(each)
    return seconds


def main():
    parser = argparse.ArgumentParser(description="Transfers beside computation over a slow link")
    add_build_dir(parser)
    parser.add_argument("--mbit", type=int, default=2000, help="of the link, each way")
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--width", type=int, default=1024)
    parser.add_argument("--batch", type=int, default=384)
    parser.add_argument("--shards", type=int, default=1, help="virtual shards, all of the one training task")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--steps", type=int, default=25)
    parser.add_argument("--skip", type=int, default=5, help="steps at the beginning that are not counted")
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args()
    show_load()
    with tempfile.TemporaryDirectory() as scratch_name, slow_link(arguments.mbit):
        scratch = pathlib.Path(scratch_name)
        rows, source, trainer = scratch / "x.npy", scratch / "mlp.mlir", scratch / "mlp"
        write_rows(rows, arguments.batch * 4, arguments.width)
        source.write_text(model(arguments.layers, arguments.width, arguments.batch))
        compile_trainer(arguments, source, trainer)
        mib = arguments.layers * arguments.width**2 * 4 / 2**20
        print(f"{mib:.0f} MiB each way at {arguments.mbit} Mbit/s: {mib * 2**23 / arguments.mbit / 1e6 * 1e3:.0f} ms", flush=True)
        to_sum, to_limit, gains = [], [], []
        for round_ in range(arguments.rounds):
            own = {}
            for overlap in ("off", "on"):
                place = scratch / f"{overlap}-{round_}"
                place.mkdir()
                own[overlap] = measure(arguments, trainer, rows, place, overlap)
                print(f"overlap {overlap:3} " + "  ".join(f"{name} {value * 1e3:.1f} ms" for name, value in own[overlap].items()),
                      flush=True)
            off, on = own["off"], own["on"]
            transfer = off["push"] + off["pull"]
            to_sum.append(on["step"] / (off["compute"] + transfer + off["wait"]))
            to_limit.append(on["step"] / (max(off["compute"], transfer) + off["wait"]))
            gains.append(off["step"] / on["step"])
        print(f"step with overlap: {statistics.median(to_sum):.2f} of compute + server + transfer, {statistics.median(to_limit):.2f} of "
              f"server + max(compute, transfer), {statistics.median(gains):.2f} times as fast as without", flush=True)


if __name__ == "__main__":
    main()
