#!/usr/bin/env python3
"""Training on the census data from CSV files, mlc against TensorFlow 2.15's Estimator: see benchmarks/README.md.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
CENSUS = ROOT / "examples" / "census"
GOAL = 10
BATCH = 128
TENSORFLOW = ["lines", "cached"]
# Of the metrics on the test file: the models start from other values and see the examples in other orders.
TOLERANCE = {"accuracy": 0.01, "auc": 0.01, "average_loss": 0.02}


def prepare(source, target):
    """The file without blanks, empty lines and the points after the labels of the test file, which TensorFlow would have
    to take away itself. Returns the number of rows."""
    rows = [line.replace(" ", "").rstrip(".") for line in source.read_text().splitlines() if line.strip()]
    target.write_text("\n".join(rows) + "\n")
    return len(rows)


def compile_trainer(arguments, out):
    """The example's model at constant learning rates, with no evaluation of its own."""
    compiler = arguments.build_dir / "bin" / "mlc"
    subprocess.run([compiler, "compile", CENSUS / "wide_deep.pbtxt", "--cpu=native", "--quiet", "-o", out,
                    "--unset", "model.dnn_linear_combined.dnn.optimizer.schedule", "--unset", "eval.files"], check=True)


class Run:
    """Processes that train, each bound to as many CPUs as it has threads."""

    def __init__(self, arguments, scratch, threads):
        self.arguments, self.scratch, self.threads = arguments, scratch, threads
        self.rows = prepare(CENSUS / "data" / "adult-train.csv", scratch / "train.csv")
        prepare(CENSUS / "data" / "adult-test.csv", scratch / "test.csv")
        cpus = ",".join(str(cpu) for cpu in sorted(os.sched_getaffinity(0))[:threads])
        self.prefix = ["taskset", "-c", cpus]
        self.count = 0

    def start(self, command):
        """The lines of JSON that it prints, each with the moment at which it came, and the moments of start and end."""
        # No index of records that an earlier run kept.
        environment = {**os.environ, "XDG_CACHE_HOME": str(self.scratch / f"cache{self.count}")}
        start = time.monotonic()
        with open(self.scratch / "errors", "w+") as errors, subprocess.Popen(
                [*self.prefix, *map(str, command)], stdout=subprocess.PIPE, stderr=errors, text=True,
                env=environment) as process:
            lines = [(time.monotonic(), json.loads(line)) for line in process.stdout]
            code = process.wait()
            end = time.monotonic()
            errors.seek(0)
            if code or not lines:
                sys.exit(f"run.py: {command[0]} ended with code {code}\n{errors.read()}")
        return lines, start, end

    def model_dir(self):
        self.count += 1
        return self.scratch / f"m{self.count}"

    def mlc(self, last):
        trainer, directory = self.scratch / "census", self.model_dir()
        epochs, examples = self.arguments.epochs, self.arguments.epochs * self.rows
        steps = epochs * -(-self.rows // BATCH)
        lines, start, end = self.start(
            [trainer, "train", "--json", "--quiet", "--model_dir", directory, "--train_files", self.scratch / "train.csv",
             "--epochs", epochs, "--threads", self.threads, "--set", "run_config.save_checkpoints_steps=1000000000",
             "--set", "run_config.save_summary_steps=0", "--set", f"run_config.log_step_count_steps={steps}"])
        at = {}
        for moment, line in lines:
            at.setdefault(line["event"], moment)
        # Up to its first event the process starts and parses the file; a checkpoint of step 0 comes before the first step.
        reading, stepping = at["config"] - start, at["step"] - at["checkpoint"]
        metrics = None
        if last:
            evaluated, _, _ = self.start([trainer, "evaluate", "--json", "--quiet", "--model_dir", directory,
                                          "--eval_files", self.scratch / "test.csv"])
            metrics = evaluated[-1][1]
        return {"steps": lines[-1][1]["step"], "step rate": examples / stepping, "all in": examples / (reading + stepping),
                "process": examples / (end - start), "metrics": metrics}

    def tensorflow(self, variant, last):
        command = [self.arguments.python, pathlib.Path(__file__).with_name("tensorflow_train.py"), "--model_dir",
                   self.model_dir(), "--train", self.scratch / "train.csv", "--epochs", self.arguments.epochs,
                   "--threads", self.threads, "--rows", self.rows, "--input", variant]
        lines, start, _ = self.start(command + (["--test", self.scratch / "test.csv"] if last else []))
        result = lines[-1][1]
        rate = result["examples"] / result["seconds"]  # parses in its steps
        return {"steps": result["steps"], "step rate": rate, "all in": rate,
                "process": self.arguments.epochs * self.rows / (result["trained"] - start),
                "metrics": result.get("metrics")}


def check_same_work(results):
    """All take the same number of steps and end at models of the same quality."""
    reference = results["mlc"][-1]
    for name, runs in results.items():
        if runs[-1]["steps"] != reference["steps"]:
            sys.exit(f"run.py: {name} takes {runs[-1]['steps']} steps, mlc {reference['steps']}")
        values = runs[-1]["metrics"]
        print(f"  {name:24} {reference['steps']} steps, test file: " +
              ", ".join(f"{metric} {values[metric]:.4f}" for metric in TOLERANCE))
        for metric, tolerance in TOLERANCE.items():
            if abs(values[metric] - reference["metrics"][metric]) > tolerance:
                sys.exit(f"run.py: {metric} of {name} differs by more than {tolerance} from mlc's")


def compare(run, rounds):
    contestants = {"mlc": run.mlc}
    for variant in TENSORFLOW:
        contestants[f"tensorflow {variant}"] = lambda last, variant=variant: run.tensorflow(variant, last)
    results = {name: [] for name in contestants}
    for number in range(rounds):
        for name, contestant in contestants.items():
            results[name].append(contestant(number == rounds - 1))
    print(f"{run.threads} threads, medians of {rounds} rounds, examples/s")
    check_same_work(results)

    def median(name, key):
        return statistics.median(result[key] for result in results[name])

    def ratio(name, key):
        """Median over the rounds of mlc / `name`."""
        return statistics.median(ours[key] / theirs[key] for ours, theirs in zip(results["mlc"], results[name]))

    keys = ["step rate", "all in", "process"]
    print(f"  {'':24}" + "".join(f"{key:>12}" for key in keys))
    for name in results:
        print(f"  {name:24}" + "".join(f"{median(name, key):12.0f}" for key in keys))
    for variant in TENSORFLOW:
        name = f"tensorflow {variant}"
        print(f"  {'mlc / ' + name:24}" + "".join(f"{ratio(name, key):12.1f}" for key in keys))
    print(f"  goal: all in {GOAL}")


def main():
    parser = argparse.ArgumentParser(description="census wide & deep from CSV: mlc against TensorFlow's Estimator")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2])
    parser.add_argument("--epochs", type=int, default=5)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--build-dir", type=pathlib.Path, default=ROOT / "build")
    parser.add_argument("--python", default=ROOT / "benchmarks" / ".venv-tf" / "bin" / "python",
                        help="with requirements-tensorflow.txt (default: what setup_tensorflow.sh makes)")
    arguments = parser.parse_args()
    print("load %.2f %.2f %.2f" % os.getloadavg())
    with tempfile.TemporaryDirectory() as scratch:
        compile_trainer(arguments, pathlib.Path(scratch) / "census")
        for threads in arguments.threads:
            directory = pathlib.Path(scratch) / str(threads)
            directory.mkdir()
            (directory / "census").symlink_to(pathlib.Path(scratch) / "census")
            compare(Run(arguments, directory, threads), arguments.rounds)


main()
