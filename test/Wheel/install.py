"""What an installed wheel does: compiles, trains, evaluates and predicts from arrays, a spec and a model in Python, and
makes a trainer.

    python install.py      # in an environment with the wheel and numpy
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import subprocess
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
    """An executable, which tells what it is."""
    trainer = directory / "iris"
    _native.compile_trainer(SPEC, str(trainer))
    print(f"a trainer of {trainer.stat().st_size / 1e6:.1f} MB")
    info = subprocess.run([trainer, "info", "--json"], check=True, capture_output=True, text=True)
    assert "iris" in json.dumps(json.loads(info.stdout))


def main() -> None:
    assert mlc.__version__ == _native.version()
    with tempfile.TemporaryDirectory() as name:
        train(Path(name))
        train_model_fn(Path(name))
        make_trainer(Path(name))
    print("the wheel compiles, trains, evaluates, predicts and links")


if __name__ == "__main__":
    main()
