"""What an installed wheel does: compiles, trains, evaluates and predicts from arrays, a spec and a model in Python, makes
a trainer that does so from files, and exports.

    python install.py [DIRECTORY]      # in an environment with the wheel and numpy

DIRECTORY, if given, gets an export, and what the model predicts, for serve.py.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np

import mlc
from mlc import _native

SPEC = """
name: "iris"
input {
  csv { header: true }
  column { name: ["a", "b"]  dtype: FLOAT32 }
  column { name: "kind"  dtype: INT64 }
}
feature_column { numeric { key: ["a", "b"] } }
model { dnn { feature_columns: "*"  hidden_units: [16]  optimizer { adagrad { learning_rate: 0.1 } } } }
head { label: "kind"  multi_class { n_classes: 3 } }
train { files: "unused.csv"  batch_size: 30  max_steps: 300 }
eval { files: "unused.csv" }
predict { files: "unused.csv" }
run_config { seed: 1 }
"""


def rows(count: int) -> dict[str, np.ndarray]:
    """Points around three places, and which of them."""
    random = np.random.default_rng(7)
    kind = np.arange(count) % 3
    places = np.array([[-2, 0], [0, 2], [2, 0]])[kind]
    points = (places + random.normal(scale=0.3, size=(count, 2))).astype(np.float32)
    return {"a": points[:, 0].copy(), "b": points[:, 1].copy(), "kind": kind.astype(np.int64)}


def train(directory: Path) -> None:
    """One model, from its text to its predictions."""
    library, _ = _native.compile(SPEC, cache_dir=str(directory / "cache"))
    model = _native.Model(library)
    options = {"model_dir": str(directory / "model")}
    data = rows(300)
    arrays = _native.Arrays(data, "rows")
    done = _native.train(model, options, arrays, {"": arrays}, None, _native.StopToken())
    assert done["step"] == 300, done
    metrics = _native.evaluate(model, options, arrays, None, _native.StopToken())
    assert metrics["accuracy"] > 0.95, metrics
    features = _native.Arrays({name: data[name] for name in "ab"}, "rows")
    batches = list(_native.predict(model, options, features, None, _native.StopToken()))
    classes = np.concatenate([batch["class_ids"] for batch in batches]).reshape(-1)
    assert (classes == data["kind"]).mean() > 0.95


def train_model_fn(directory: Path) -> None:
    """A model in Python: layers, a loss, an optimizer, a hook, and predictions of single rows."""
    from mlc import data, estimator, layers, losses, metrics, ops, optimizers, train

    def model_fn(features: dict, labels: object, mode: str) -> estimator.EstimatorSpec:
        points = ops.stack([features["a"], features["b"]], axis=1)
        logits = layers.dense(layers.dense(points, 16, activation=ops.relu), 3)
        classes = ops.argmax(logits)
        if mode == estimator.ModeKeys.PREDICT:
            return estimator.EstimatorSpec(mode, predictions={"class": classes})
        loss = losses.sparse_softmax_cross_entropy(labels, logits)
        found = {"accuracy": metrics.accuracy(labels, classes)}
        return estimator.EstimatorSpec(mode, loss=loss, train_op=optimizers.Adam(0.02).minimize(loss), eval_metric_ops=found)

    columns = rows(300)
    labels = columns.pop("kind")
    dataset = data.Dataset.from_arrays(columns, labels).repeat()
    model = estimator.Estimator(model_fn, str(directory / "of_python"), estimator.RunConfig(tf_random_seed=1))
    model.train(lambda: dataset.shuffle().batch(30), hooks=[train.StopAtStepHook(last_step=200)])
    assert model.get_variable_value("global_step") == 200
    metrics_found = model.evaluate(lambda: data.Dataset.from_arrays(columns, labels).batch(100))
    assert metrics_found["accuracy"] > 0.95, metrics_found
    predictor = model.predictor()
    assert [int(predictor({"a": columns["a"][i : i + 1], "b": columns["b"][i : i + 1]})["class"][0]) for i in range(3)] == [0, 1, 2]


def make_trainer(directory: Path) -> None:
    """An executable, which trains, evaluates and predicts from files."""
    trainer, table, model_dir = directory / "iris", directory / "rows.csv", directory / "of_trainer"
    _native.compile_trainer(SPEC, str(trainer))
    print(f"a trainer of {trainer.stat().st_size / 1e6:.1f} MB")
    data = rows(300)
    lines = [",".join(data), *(",".join(map(str, row)) for row in zip(*data.values(), strict=True))]
    table.write_text("\n".join(lines) + "\n", encoding="utf-8")

    def run(verb: str, *flags: str) -> str:
        command = [str(trainer), verb, "--model_dir", str(model_dir), *flags]
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout

    run("train", "--train_files", str(table), "--eval_files", str(table), "--quiet")
    metrics = json.loads(run("evaluate", "--eval_files", str(table), "--json").splitlines()[-1])
    assert metrics["accuracy"] > 0.95, metrics
    predicted = [json.loads(line)["class_ids"][0] for line in run("predict", "--predict_files", str(table)).splitlines()]
    assert (np.array(predicted) == data["kind"]).mean() > 0.95


def export(directory: Path) -> None:
    """An export, and what the model that it is of predicts."""
    from mlc import data, estimator, feature_column, runtime

    columns = rows(300)
    labels = columns.pop("kind")
    model = estimator.DNNClassifier([16], [feature_column.numeric_column(name) for name in columns], n_classes=3)
    model.train(lambda: data.Dataset.from_arrays(columns, labels).shuffle().repeat().batch(30), steps=100)
    path = model.export_saved_model(directory).decode()
    (expected,) = model.predict(lambda: data.Dataset.from_arrays(columns).batch(300), yield_single_examples=False)
    found = runtime.load(path)(columns)
    for name, values in found.items():
        np.testing.assert_array_equal(values, expected[name])
    np.savez(directory / "rows.npz", **columns)
    np.savez(directory / "expected.npz", **{name: values for name, values in found.items() if values.dtype != object})
    Path(path).rename(directory / "export")


def main() -> None:
    assert mlc.__version__ == _native.version()
    with tempfile.TemporaryDirectory() as name:
        train(Path(name))
        train_model_fn(Path(name))
        make_trainer(Path(name))
        export(Path(sys.argv[1] if len(sys.argv) > 1 else name))
    print("the wheel compiles, trains, evaluates, predicts, links and exports")


if __name__ == "__main__":
    main()
