"""The Python package beside the command line's trainer, TensorFlow and ONNX Runtime: see benchmarks/README.md.

    PYTHONPATH=build/python .venv/bin/python benchmarks/python/run.py [--only PART...] [--threads N...] [--rounds N]
    PYTHONPATH=build/python:$(echo benchmarks/.venv/lib/python3*/site-packages) ...   # with ONNX Runtime

Prints medians of rounds in which all take turns, and medians of the ratios within a round.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

import argparse
import contextlib
import json
import logging
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import census
import memory
import numpy as np

from mlc import _engine, data, estimator
from mlc import feature_column as fc

HERE = Path(__file__).resolve().parent
TENSORFLOW = ["dataset", "numpy_input_fn"]
GOALS = {"the trainer": 0.95, "TensorFlow dataset": 10, "TensorFlow numpy_input_fn": 15}
# Of the accuracies on the training rows: the models start from other values and see the rows in other orders.
TOLERANCE = 0.03

IRIS = """
import sys, time
begin = time.perf_counter()
import numpy as np
import mlc
from mlc import data, estimator, feature_column as fc
imported = time.perf_counter()
x = {name: np.random.default_rng(0).normal(size=120) for name in "abcd"}
y = np.arange(120) % 3
model = estimator.DNNClassifier([30, 10], [fc.numeric_column(name) for name in x], n_classes=3, model_dir=sys.argv[1])
model.train(lambda: data.Dataset.from_arrays(x, y).batch(30), steps=1)
print(imported - begin, time.perf_counter() - imported)
"""
IMPORT = "import time; begin = time.perf_counter(); import numpy; print(time.perf_counter() - begin)"



def bound(threads: int) -> list[str]:
    """What a command begins with that gets so many CPUs."""
    return ["taskset", "-c", ",".join(str(cpu) for cpu in sorted(os.sched_getaffinity(0))[:threads])]


def printed_json(command: list[str | Path]) -> dict:
    """The last line that a command prints."""
    done = subprocess.run(list(map(str, command)), check=True, stdout=subprocess.PIPE, text=True)
    return json.loads(done.stdout.splitlines()[-1])


def make_trainer(directory: Path) -> Path:
    """The trainer of the model of census.py."""
    model, (features, labels) = census.wide_deep(str(directory / "m")), census.read_rows(directory / "rows.npz")
    model.train(lambda: data.Dataset.from_arrays(features, labels).batch(census.BATCH), steps=1)
    (directory / "model.pbtxt").write_text(model.to_spec())
    arguments = [str(directory / "model.pbtxt"), "-o", str(directory / "trainer"), "--cpu", "native", "--quiet"]
    if _engine.command(["compile", *arguments]) != 0:
        sys.exit("run.py: the trainer does not compile")
    return directory / "trainer"


def by_trainer(directory: Path, steps: int, threads: int) -> float:
    """Steps per second."""
    with tempfile.TemporaryDirectory() as model_dir:
        flags = ["--model_dir", model_dir, "--train_files", directory / "rows.csv", "--steps", steps, "--batch_size",
                 census.BATCH, "--seed", 1, "--set", "run_config.save_summary_steps=0", "--json", "--quiet"]
        done = printed_json([*bound(threads), directory / "trainer", "train", *flags])
    return steps / done["seconds"]


def training(options: argparse.Namespace) -> None:
    """Steps per second of census wide & deep."""
    with tempfile.TemporaryDirectory() as work:
        directory = Path(work)
        rows = census.write_rows(directory)
        make_trainer(directory)

        def from_python(steps: int, threads: int, *more: str) -> dict:
            return printed_json([*bound(threads), sys.executable, HERE / "census.py", "--rows", rows, "--steps", steps, *more])

        def tensorflow(variant: str, threads: int, *more: str) -> dict:
            return printed_json([*bound(threads), options.tensorflow, "-I", HERE / "tensorflow_census.py", "train", "--rows", rows,
                                 "--steps", options.peer_steps, "--threads", threads, "--input", variant, *more])

        variants = TENSORFLOW if options.tensorflow.exists() else []
        for threads in options.threads:
            rates: dict[str, list[float]] = {}
            for _ in range(options.rounds):
                rates.setdefault("Python", []).append(from_python(options.steps, threads)["rate"])
                rates.setdefault("the trainer", []).append(by_trainer(directory, options.steps, threads))
                of_files = from_python(options.steps, threads, "--csv", str(directory / "rows.csv"))
                rates.setdefault("Python on CSV", []).append(of_files["rate"])
                for variant in variants:
                    rates.setdefault(f"TensorFlow {variant}", []).append(tensorflow(variant, threads)["rate"])
            for name, found in rates.items():
                text = f"steps per second, {threads} threads, {name}: {statistics.median(found):.0f}"
                if name == "Python on CSV":
                    ratio = statistics.median(a / b for a, b in zip(found, rates["the trainer"]))
                    text += f", {ratio:.2f} of the trainer's (goal {GOALS['the trainer']})"
                elif name != "Python":
                    ratio = statistics.median(a / b for a, b in zip(rates["Python"], found))
                    text += f", Python {ratio:.2f} times as many (goal {GOALS[name]})"
                print(text, flush=True)
        if not variants:
            return print(f"TensorFlow is not at {options.tensorflow}: benchmarks/setup_tensorflow.sh")
        accuracies = {"Python": from_python(options.peer_steps, max(options.threads), "--evaluate")["accuracy"]}
        for variant in variants:
            accuracies[variant] = tensorflow(variant, max(options.threads), "--evaluate")["accuracy"]
        print(f"accuracy after {options.peer_steps} steps: " + ", ".join(f"{n} {a:.4f}" for n, a in accuracies.items()))
        if max(accuracies.values()) - min(accuracies.values()) > TOLERANCE:
            sys.exit("run.py: the models are not the same")


def milliseconds(call: Callable[[], object], count: int) -> float:
    """Median."""
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return 1000 * statistics.median(times)


@contextlib.contextmanager
def tensorflow_signature(options: argparse.Namespace, rows: Path) -> Iterator[Callable[[int], float] | None]:
    """A function: the median microseconds of so many calls of TensorFlow's SavedModel, in a process of its own."""
    if not options.tensorflow.exists():
        yield None
        return
    command = [*bound(1), options.tensorflow, "-I", HERE / "tensorflow_census.py", "predict", "--rows", rows, "--threads", "1"]
    with subprocess.Popen(list(map(str, command)), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as peer:
        def call(count: int) -> float:
            print(count, file=peer.stdin, flush=True)
            return float(peer.stdout.readline())

        call(10)
        yield call
        peer.stdin.close()


def predictions(options: argparse.Namespace) -> None:
    """Evaluations and predictions of census wide & deep in a loop, and one row by a predictor."""
    with tempfile.TemporaryDirectory() as work:
        rows = census.write_rows(Path(work))
        features, labels = census.read_rows(rows)
        model = census.wide_deep(str(Path(work) / "m"))
        model.train(lambda: data.Dataset.from_arrays(features, labels).batch(census.BATCH), steps=50)
        part = data.Dataset.from_arrays({name: array[:1000] for name, array in features.items()}, labels[:1000]).batch(100)
        print(f"evaluation of 1,000 rows: {milliseconds(lambda: model.evaluate(lambda: part), 50):.2f} ms")
        arrays = {name: array[:1] for name, array in features.items()}
        one = data.Dataset.from_arrays(arrays).batch(1)
        print(f"prediction of one row: {milliseconds(lambda: list(model.predict(lambda: one)), 50):.2f} ms")
        lists = {name: array.tolist() for name, array in arrays.items()}
        predictor = model.predictor()
        with tensorflow_signature(options, rows) as signature:
            found = [(1000 * milliseconds(lambda: predictor(arrays), 5000), 1000 * milliseconds(lambda: predictor(lists), 5000),
                      signature(200) if signature else float("nan")) for _ in range(options.rounds)]  # fmt: skip
        of_arrays, of_lists, other = (statistics.median(column) for column in zip(*found))
        print(f"predictor of one row, census: {of_arrays:.1f} us from arrays, {of_lists:.1f} us from lists")
        if signature:
            ratio = statistics.median(peer / mine for mine, _, peer in found)
            print(f"signature of TensorFlow's SavedModel: {other:.0f} us, {ratio:.0f} times as long (goal 10)")


def onnx_session(model: estimator.Estimator):
    """The net of `numeric` in ONNX Runtime; None where that is not installed."""
    try:
        import onnx
        import onnxruntime
    except ImportError:
        return None
    names = ["dnn/hiddenlayer_0", "dnn/hiddenlayer_1", "dnn/logits"]
    nodes, weights, value = [], [], "x"
    for i, name in enumerate(names):
        for part in ("kernel", "bias"):
            array = model.get_variable_value(f"{name}/{part}")
            weights.append(onnx.numpy_helper.from_array(array, f"{part}{i}"))
        nodes.append(onnx.helper.make_node("Gemm", [value, f"kernel{i}", f"bias{i}"], [f"z{i}"]))
        value = f"z{i}"
        if i < 2:
            nodes.append(onnx.helper.make_node("Relu", [value], [f"h{i}"]))
            value = f"h{i}"
    tensor = onnx.helper.make_tensor_value_info
    graph = onnx.helper.make_graph(nodes, "net", [tensor("x", 1, ["n", 13])], [tensor(value, 1, ["n", 1])], weights)
    made = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(made.SerializeToString(), options, providers=["CPUExecutionProvider"])
    return lambda features: session.run(None, {"x": np.asarray(features["x"])})[0]


def onnx(options: argparse.Namespace) -> None:
    """One row of a net of numbers by a predictor, and by ONNX Runtime with the same weights."""
    x = np.random.default_rng(0).normal(size=(1000, 13)).astype(np.float32)
    with tempfile.TemporaryDirectory() as directory:
        model = estimator.DNNRegressor([100, 50], [fc.numeric_column("x", shape=13)], model_dir=directory)
        model.train(lambda: data.Dataset.from_arrays({"x": x}, x[:, 0]).batch(100), steps=10)
        predictor, peer = model.predictor(), onnx_session(model)
        row = {"x": x[:1]}
        ours = lambda: predictor(row)  # noqa: E731
        if peer is None:
            print(f"predictor of one row, 13-100-50: {1000 * milliseconds(ours, 5000):.1f} us; onnxruntime is not installed")
            return
        assert np.allclose(predictor(row)["predictions"], peer(row), rtol=1e-4, atol=1e-5)
        pairs = [(1000 * milliseconds(ours, 2000), 1000 * milliseconds(lambda: peer(row), 2000)) for _ in range(options.rounds)]
        mine, other = (statistics.median(column) for column in zip(*pairs))
        ratio = statistics.median(b / a for a, b in pairs)
        print(f"predictor of one row, 13-100-50: {mine:.1f} us; ONNX Runtime: {other:.1f} us, {ratio:.2f} times as long (goal 1)")


def first_step(cache: str, bytecode: str) -> tuple[float, float]:
    """Seconds of the imports, and from there to the end of the first step. Installed packages have their bytecode."""
    with tempfile.TemporaryDirectory() as directory:
        environment = {**os.environ, "XDG_CACHE_HOME": cache, "PYTHONPYCACHEPREFIX": bytecode}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        command = [sys.executable, "-c", IRIS, directory]
        printed = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    imports, seconds = map(float, printed.split())
    return imports, seconds


def starts(options: argparse.Namespace) -> None:
    """To the first step of a new process."""
    cold, warm, imports = [], [], []
    with tempfile.TemporaryDirectory() as bytecode:
        for number in range(options.rounds + 1):
            with tempfile.TemporaryDirectory() as cache:
                first, again = first_step(cache, bytecode), first_step(cache, bytecode)
            if number > 0:  # the first makes the bytecode
                cold.append(first[1])
                warm.append(again[1])
                imports.append(again[0])
    alone = [float(printed_json([sys.executable, "-c", IMPORT])) for _ in range(options.rounds)]
    print(f"to the first step, iris: cold {statistics.median(cold):.2f} s, warm {statistics.median(warm):.3f} s (goals 2, 0.2)")
    print(f"import with numpy: {statistics.median(imports):.3f} s (goal 0.15), numpy alone {statistics.median(alone):.3f} s")


PARTS = {"training": training, "predictions": predictions, "onnx": onnx, "starts": starts, "memory": memory.run}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs="*", choices=PARTS, default=list(PARTS))
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2], help="of training")
    parser.add_argument("--steps", type=int, default=20000)
    parser.add_argument("--peer_steps", type=int, default=2000, help="of TensorFlow")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tensorflow", type=Path, default=HERE.parent / ".venv-tf" / "bin" / "python",
                        help="Python with requirements-tensorflow.txt (default: what setup_tensorflow.sh makes)")
    options = parser.parse_args()
    logging.getLogger("mlc").setLevel(logging.ERROR)
    print("load %.2f %.2f %.2f" % os.getloadavg(), flush=True)
    for part in options.only:
        PARTS[part](options)


if __name__ == "__main__":
    main()
