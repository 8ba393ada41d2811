#!/usr/bin/env python3
"""What virtual shards cost one process: a step in 8 parts against a step in one. See benchmarks/README.md.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import pathlib
import statistics
import subprocess
import sys
import tempfile

from cluster import CENSUS, ROOT, Launch, add_build_dir, compile_trainer, show_load

sys.path.insert(0, str(ROOT / "benchmarks" / "step"))


def show(name, threads, shards, one, many):
    ratio = statistics.median(b / a for a, b in zip(one, many))
    print(f"{name:10} {threads} thread{'s' if threads > 1 else ' '}  V=1 {statistics.median(one):9.3f} ms   "
          f"V={shards} {statistics.median(many):9.3f} ms   ratio {ratio:.2f}", flush=True)


def measure_workload(arguments, scratch, name, threads):
    """Steps on batches that lie in memory, features included, by turns."""
    from processes import Process
    from safetensors.numpy import save_file
    from workloads import WORKLOADS
    workload = WORKLOADS[name]
    artifact, batches = scratch / f"{name}.so", scratch / f"{name}.safetensors"
    if not artifact.exists():
        subprocess.run([arguments.build_dir / "bin" / "mlc", "compile", workload.source, "--emit=so", "--cpu=native",
                        "--quiet", "-o", artifact], check=True)
        save_file(workload.make_batches(arguments.batch), batches)
    driver = arguments.build_dir / "bin" / "mlc_step_benchmark"
    processes = [Process(f"V={shards}", threads, [driver, artifact, batches, threads, 1, f"--virtual_shards={shards}"])
                 for shards in (1, arguments.shards)]
    times = [[], []]
    for round_ in range(arguments.rounds + 1):
        for process, own in zip(processes, times):
            process.ask("time 8")
            milliseconds = process.ask("time 64")["ns"] * 1e-6
            if round_:  # the first one warms up
                own.append(milliseconds)
    for process in processes:
        process.close()
    show(name, threads, arguments.shards, *times)


def measure_census(arguments, scratch, threads):
    """Training from the files as users run it, between two of its steps."""
    trainer, first, last = scratch / "census", 400, 2400
    if not trainer.exists():
        compile_trainer(arguments, CENSUS, trainer, "--unset", "eval.files")
    times = [[], []]
    for round_ in range(arguments.rounds):
        for shards, own in zip((1, arguments.shards), times):
            at = {}
            for moment, event in Launch(arguments, trainer, [
                    "train", "--model_dir", scratch / f"m{threads}-{round_}-{shards}", "--virtual_shards", shards, "--threads",
                    threads, "--max_steps", last, "--set", "run_config.save_checkpoints_steps=1000000000", "--set",
                    "run_config.save_summary_steps=0", "--set", f"run_config.log_step_count_steps={first}"]):
                if event["event"] == "step":
                    at[event["step"]] = moment
            own.append((at[last] - at[first]) / (last - first) * 1e3)
    show("census", threads, arguments.shards, *times)


def main():
    parser = argparse.ArgumentParser(description="Steps in virtual shards against whole ones")
    add_build_dir(parser)
    parser.add_argument("--only", action="append", choices=["census", "mlp", "wide_deep"])
    parser.add_argument("--threads", type=int, action="append")
    parser.add_argument("--shards", type=int, default=8)
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=9)
    arguments = parser.parse_args()
    show_load()
    with tempfile.TemporaryDirectory() as scratch:
        for name in arguments.only or ["census", "mlp", "wide_deep"]:
            for threads in arguments.threads or [1, 2]:
                if name == "census":
                    measure_census(arguments, pathlib.Path(scratch), threads)
                else:
                    measure_workload(arguments, pathlib.Path(scratch), name, threads)


if __name__ == "__main__":
    main()
