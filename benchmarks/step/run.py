"""The training step of mlc against JAX on the CPU: see benchmarks/README.md.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import os
import pathlib
import platform
import statistics
import subprocess
import sys

from safetensors.numpy import save_file

from processes import Contestant, Process, cpu_name, environment
from workloads import HERE, WORKLOADS

ROOT = HERE.parent.parent
SEED = 1
CHECKED_STEPS = 20
TOLERANCE = 1e-4  # relative difference of a loss

# `given` makes the ids unique before the clock starts: it counts as a peer of mlc's `ahead` alone.
GIVEN = "jax given"
PEERS = {
    "mlp": ["mlp", "mlp+scan"],
    "wide_deep": ["dense", "unique", "unique_each", "packed", "equal", "equal_apart", "unique+scan", "equal+scan",
                  "equal_apart+scan", "given", "given+scan"],
}


def compare_losses(name, reference, losses):
    worst = max(abs(a - b) / abs(a) for a, b in zip(reference, losses))
    if not worst <= TOLERANCE:
        sys.exit(f"run.py: losses of {name} differ by {worst:.2e} (relative) from mlc's; allowed: {TOLERANCE}\n"
                 f"  mlc   {reference}\n  {name} {losses}")
    return worst


def compile_with(build_dir, source):
    """The artifact of `source`, compiled unless it is newer than that and the compiler."""
    out = build_dir / "benchmarks" / "step"
    out.mkdir(parents=True, exist_ok=True)
    artifact = out / f"{source.stem}.so"
    compiler = build_dir / "bin" / "mlc"
    newest = max(source.stat().st_mtime, compiler.stat().st_mtime)
    if not (artifact.exists() and artifact.stat().st_mtime > newest):
        subprocess.run([compiler, "compile", source, "--emit=so", "--cpu=native", "--quiet", "-o", artifact], check=True,
                       env=environment())
    return artifact


def prepare(workload, arguments):
    """The artifact, the file of batches, and where the process puts the variables."""
    out = arguments.build_dir / "benchmarks" / "step"
    artifact = arguments.artifact or compile_with(arguments.build_dir, workload.source)
    batches = out / f"{workload.name}-{arguments.batch}.safetensors"
    save_file(workload.make_batches(arguments.batch), batches)
    return artifact, batches, out / f"{workload.name}-variables.safetensors"


def symbols(artifact):
    """Names of the functions of the object, by their hexadecimal offset."""
    listed = subprocess.run(["nm", artifact], capture_output=True, text=True, check=False).stdout
    return {f"0x{int(l.split()[0], 16):x}": l.split()[2].removeprefix("mlc.code.") for l in listed.splitlines() if len(l.split()) == 3}


def profile(workload, arguments, threads):
    artifact, batches, _ = prepare(workload, arguments)
    names = symbols(artifact)
    groups = next((offset for offset, name in names.items() if name == "group_tasks"), "")
    flag = f"--profile={groups}" if arguments.profile == "parts" and groups else "--profile"
    driver = arguments.build_dir / "bin" / "mlc_step_benchmark"
    process = Process("mlc", threads, [driver, artifact, batches, threads, SEED, flag])
    process.ask("losses 64")
    events = process.ask("profile 200")["events"]
    process.close()
    total = sum(e["ns"] for e in events)
    print(f"\n{workload.name}, batch {arguments.batch}, {threads} thread(s): one step in order, medians of 200 steps")
    print(f"{'#':>4} {'segment':24} {'what':20} {'tasks':>6} {'us':>9} {'%':>6} {'estimate':>9}")
    for number, e in enumerate(events):
        if e["ns"] < total / 2000:
            continue
        what = f"({e['kind']})" if e["kind"] == "serial" else names.get(e["name"], e["name"])
        estimate = f"{e['estimate'] * 1e-3:9.2f}" if e["estimate"] else ""
        print(f"{number:4} {e['segment']:24} {what:20} {e['tasks'] or '':>6} {e['ns'] * 1e-3:9.2f} "
              f"{100 * e['ns'] / total:6.2f} {estimate:>9}")
    for kind in ("loop", "service", "serial"):
        some = [e["ns"] for e in events if e["kind"] == kind]
        print(f"sum of {kind + ':':10} {len(some):4} {sum(some) * 1e-3:9.2f} us {100 * sum(some) / total:6.2f} %")
    print(f"sum of medians: {total * 1e-3:.1f} us")


def measure(workload, arguments, threads):
    artifact, batches, variables = prepare(workload, arguments)
    bin_dir = arguments.build_dir / "bin"
    probe = Process("probe", threads, [bin_dir / "mlc_fma_probe", threads])
    mlc = Process("mlc", threads, [bin_dir / "mlc_step_benchmark", artifact, batches, threads, SEED, variables])
    reference = mlc.ask(f"losses {CHECKED_STEPS}")["losses"]
    contestants = [Contestant("mlc", mlc), Contestant("mlc ahead", mlc, "ahead")]
    if arguments.against:
        other = compile_with(arguments.against, arguments.against.parent / workload.source.relative_to(ROOT))
        process = Process("against", threads, [arguments.against / "bin" / "mlc_step_benchmark", other, batches, threads,
                                               SEED])
        contestants.append(Contestant("against", process))
        contestants[-1].difference = compare_losses("against", reference,
                                                    process.ask(f"losses {CHECKED_STEPS}")["losses"])
    peers = [] if arguments.only == "mlc" else arguments.peers or PEERS[workload.name]
    for variant in peers:
        command = [sys.executable, HERE / "jax_step.py", variant, batches, variables]
        process = Process(f"jax {variant}", threads, command)
        hello = process.read()
        contestants.append(Contestant(f"jax {variant}", process))
        contestants[-1].difference = compare_losses(f"jax {variant}", reference,
                                                    process.ask(f"losses {CHECKED_STEPS}")["losses"])
        threads_found = hello["eigen_threads"]
        if threads_found > threads:
            sys.exit(f"run.py: jax {variant} runs {threads_found} threads; expected {threads}")
    if peers:
        print(f"peers: {hello['ready']}, {threads_found} Eigen thread(s); losses of {CHECKED_STEPS} steps checked")
    for contestant in contestants:
        contestant.calibrate()
    rates = []
    for _ in range(arguments.rounds):
        for contestant in contestants:
            rate = probe.ask("")
            rates.append(rate["gflops"])
            contestant.run()
    gflops = statistics.median(rates)
    floor = workload.flop(arguments.batch) / gflops * 1e-6
    median = {c.name: statistics.median(c.times) for c in contestants}
    peer_medians = {n: m for n, m in median.items() if n.startswith("jax")}
    best_ahead = min(peer_medians.values(), default=None)
    best = min((m for n, m in peer_medians.items() if not n.startswith(GIVEN)), default=None)
    print(f"\n{workload.name}, batch {arguments.batch}, {threads} thread(s); {arguments.rounds} rounds; FMA probe "
          f"{gflops:.0f} GFLOP/s (min {min(rates):.0f}, max {max(rates):.0f}; {rate['vector_bits']}-bit); "
          f"{workload.flop(arguments.batch) * 1e-6:.1f} Mflop per step")
    heads = ["ms per step", "min", "max", "/ best JAX", "/ floor", "loss diff"]
    print(f"| {'':20} | " + " | ".join(f"{head:>11}" for head in heads) + " |\n|---|---|---|---|---|---|---|")
    print(f"| {'floor':20} | {floor:11.3f} | {'':11} | {'':11} | {'':11} | {1:11.2f} | {'':11} |")
    for c in contestants:
        base = best_ahead if c.name.startswith(("mlc ahead", GIVEN)) else best
        ratio = f"{median[c.name] / base:.2f}" if base else ""
        difference = "" if c.name.startswith("mlc") else f"{c.difference:.1e}"
        print(f"| {c.name:20} | {median[c.name]:11.3f} | {min(c.times):11.3f} | {max(c.times):11.3f} | {ratio:>11} | "
              f"{median[c.name] / floor:11.2f} | {difference:>11} |")
    if arguments.against:
        times = {c.name: c.times for c in contestants}
        pairs = sorted(mine / other for mine, other in zip(times["mlc"], times["against"]))
        lower, middle, upper = (pairs[len(pairs) * quarter // 4] for quarter in (1, 2, 3))
        print(f"of the time of {arguments.against}: {middle:.3f} (quartiles {lower:.3f} and {upper:.3f} of {len(pairs)} pairs)")
    for process in {id(c.process): c.process for c in contestants}.values():
        process.close()
    probe.close()
    variables.unlink()


def main():
    parser = argparse.ArgumentParser(description="The training step of mlc against JAX on the CPU.")
    parser.add_argument("--workload", action="append", choices=WORKLOADS, help="default: all; may be repeated")
    parser.add_argument("--threads", type=int, action="append", help="default: 1 and 2; may be repeated")
    parser.add_argument("--batch", type=int, default=128)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--only", choices=["mlc"], help="no peers")
    parser.add_argument("--peers", nargs="+", help="variants of jax_step.py instead of all of the workload")
    parser.add_argument("--profile", nargs="?", const="launches", choices=["launches", "parts"],
                        help="times of the launches of a step of mlc, or of the parts of its groups; no peers")
    parser.add_argument("--build-dir", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--against", type=pathlib.Path, metavar="BUILD_DIR",
                        help="mlc of another build, too, with the sources of workloads of its tree")
    parser.add_argument("--artifact", type=pathlib.Path, help="of one workload, instead of compiling it")
    arguments = parser.parse_args()
    mlc = arguments.build_dir / "bin" / "mlc"
    version = subprocess.run([mlc, "--version"], capture_output=True, text=True, check=True).stdout.split("\n")
    print(f"{cpu_name()}, {os.cpu_count()} processors, load {os.getloadavg()[0]:.2f}; {', '.join(version[:2])}; "
          f"Python {platform.python_version()}")
    for name in arguments.workload or WORKLOADS:
        for threads in arguments.threads or (1, 2):
            (profile if arguments.profile else measure)(WORKLOADS[name], arguments, threads)


if __name__ == "__main__":
    main()
