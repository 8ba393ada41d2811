"""Estimators from Python beside the command line's trainer, on census wide & deep.

    PYTHONPATH=build/python .venv/bin/python benchmarks/python/run.py [--steps N] [--rounds N]
    PYTHONPATH=build/python:$(echo benchmarks/.venv/lib/python3*/site-packages) ...   # with the peers of setup_peers.sh

Prints, as medians of interleaved rounds: steps per second of the same model on the same rows from arrays of numpy, and
of the trainer on the same arrays as .npz, and their ratio; the same of the rows as CSV files in both; seconds to the first step of a DNNClassifier on iris in a new
process, with an empty cache and a full one; milliseconds of an evaluation and of a prediction of one row in a loop;
microseconds of a predictor of one row, of census and of a net of 13 numbers and layers of 100 and 50 beside ONNX Runtime
with one thread on the same weights, where that is a peer (onnx, onnxruntime).

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from mlc import _engine, data, estimator
from mlc import feature_column as fc

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = ["age", "workclass", "fnlwgt", "education", "education_num", "marital_status", "occupation", "relationship",
           "race", "gender", "capital_gain", "capital_loss", "hours_per_week", "native_country", "income_bracket"]
TEXTS = ["workclass", "education", "marital_status", "occupation", "relationship", "race", "gender", "native_country"]
NUMBERS = ["age", "education_num", "capital_gain", "capital_loss", "hours_per_week"]

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


def wide_deep(model_dir: str) -> estimator.Estimator:
    hashed = [fc.categorical_column_with_hash_bucket(name, 100) for name in TEXTS]
    crossed = [fc.crossed_column(["education", "occupation"], 10000),
               fc.crossed_column(["native_country", "occupation"], 10000)]
    deep = [fc.numeric_column(name) for name in NUMBERS] + [fc.embedding_column(column, 8) for column in hashed]
    return estimator.DNNLinearCombinedClassifier(
        model_dir, linear_feature_columns=hashed + crossed, dnn_feature_columns=deep, dnn_hidden_units=[100, 50],
        label_vocabulary=["<=50K", ">50K"], config=estimator.RunConfig(tf_random_seed=1, save_summary_steps=0))


def from_python(rows: data.Dataset, steps: int) -> float:
    """Steps per second."""
    events: list[dict] = []
    with tempfile.TemporaryDirectory() as directory:
        model = wide_deep(directory)
        model._run_training(lambda: rows.shuffle().repeat().batch(100), steps, None, on_event=events.append)
    return steps / next(event["seconds"] for event in events if event["event"] == "done")


def from_csv(path: Path) -> data.FileDataset:
    return data.Dataset.from_csv(path, "income_bracket", column_names=COLUMNS, header=False, skip_initial_space=True)


def by_trainer(trainer: Path, files: Path, steps: int) -> float:
    with tempfile.TemporaryDirectory() as directory:
        flags = ["--model_dir", directory, "--train_files", str(files), "--steps", str(steps), "--batch_size", "100"]
        flags += ["--seed", "1", "--set", "run_config.save_summary_steps=0", "--json", "--quiet"]
        printed = subprocess.run([trainer, "train", *flags], check=True, capture_output=True, text=True).stdout
    done = next(e for e in map(json.loads, printed.splitlines()) if e["event"] == "done")
    return steps / done["seconds"]


def trainer_of(model: estimator.Estimator, rows: data.Dataset, trainer: Path) -> Path:
    """The trainer of the model, which sees the rows first."""
    model.train(lambda: rows.batch(100), steps=1)
    spec = trainer.with_suffix(".pbtxt")
    spec.write_text(model.to_spec())
    _engine.command(["compile", str(spec), "-o", str(trainer), "--cpu", "native", "--quiet"])
    return trainer


def compare(what: str, rows: data.Dataset, trainer: Path, files: Path, options: argparse.Namespace) -> None:
    """Prints steps per second of Python on `rows` and of the trainer on the same as files, in turns."""
    pairs = [(from_python(rows, options.steps), by_trainer(trainer, files, options.steps))
             for _ in range(options.rounds)]
    python, command = (statistics.median(column) for column in zip(*pairs))
    ratio = statistics.median(a / b for a, b in pairs)
    print(f"steps per second, {what}: Python {python:.0f}, the trainer {command:.0f}, ratio {ratio:.3f}")


def first_step(cache: str) -> tuple[float, float]:
    """Seconds of the imports, and from there to the end of the first step."""
    with tempfile.TemporaryDirectory() as directory:
        environment = {**os.environ, "XDG_CACHE_HOME": cache}
        command = [sys.executable, "-c", IRIS, directory]
        printed = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    imports, seconds = map(float, printed.split())
    return imports, seconds


def milliseconds(call, count: int) -> float:
    """Median."""
    times = []
    for _ in range(count):
        begin = time.perf_counter()
        call()
        times.append(time.perf_counter() - begin)
    return 1000 * statistics.median(times)


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


def numeric(rounds: int) -> None:
    """One row of a net of numbers, in turns."""
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
        pairs = [(1000 * milliseconds(ours, 2000), 1000 * milliseconds(lambda: peer(row), 2000)) for _ in range(rounds)]
        mine, other = (statistics.median(column) for column in zip(*pairs))
        ratio = statistics.median(b / a for a, b in pairs)
        print(f"predictor of one row, 13-100-50: {mine:.1f} us, ONNX Runtime {other:.1f} us, ratio {ratio:.2f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=20000)
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    path = ROOT / "examples/census/data/adult-train.csv"
    frame = pd.read_csv(path, names=COLUMNS, skipinitialspace=True)
    with tempfile.TemporaryDirectory() as work:
        directory = Path(work)
        rows = data.Dataset.from_frame(frame, "income_bracket")
        model = wide_deep(str(directory / "m"))
        trainer = trainer_of(model, rows, directory / "trainer")
        arrays = {name: frame[name].to_numpy(np.float32) for name in NUMBERS}
        arrays |= {name: frame[name].to_numpy(str) for name in TEXTS}
        np.savez(directory / "rows.npz", **arrays, label=frame["income_bracket"].to_numpy(str))
        compare("arrays", rows, trainer, directory / "rows.npz", options)
        of_csv = trainer_of(wide_deep(str(directory / "csv")), from_csv(path), directory / "csv-trainer")
        compare("CSV", from_csv(path), of_csv, path, options)
        part = frame.head(1000)
        dataset = data.Dataset.from_frame(part, "income_bracket").batch(100)
        print(f"evaluation of 1,000 rows: {milliseconds(lambda: model.evaluate(lambda: dataset), 50):.2f} ms")
        row = data.Dataset.from_frame(frame.head(1).drop(columns="income_bracket")).batch(1)
        print(f"prediction of one row: {milliseconds(lambda: list(model.predict(lambda: row)), 50):.2f} ms")
        predictor = model.predictor()
        features = {name: frame[name].to_numpy()[:1] for name in (*NUMBERS, *TEXTS)}
        print(f"predictor of one row: {1000 * milliseconds(lambda: predictor(features), 2000):.1f} us")
    numeric(options.rounds)
    cold, warm, imports = [], [], []
    for _ in range(options.rounds):
        with tempfile.TemporaryDirectory() as cache:
            cold.append(first_step(cache)[1])
            again = first_step(cache)
        imports.append(again[0])
        warm.append(again[1])
    print(f"to the first step, iris: cold {statistics.median(cold):.2f} s, warm {statistics.median(warm):.3f} s, "
          f"import with numpy {statistics.median(imports):.3f} s")


if __name__ == "__main__":
    main()
