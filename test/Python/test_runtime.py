"""mlc.runtime: exports on arrays, which give the bits that the Estimator gives."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np
import pytest

import mlc
from mlc import data, estimator, layers, losses, ops, optimizers, runtime, variables
from mlc import feature_column as fc
from mlc.errors import CheckpointError, DataError
from mlc.estimator import EstimatorSpec, export

F = np.float32
RANDOM = np.random.default_rng(0)
X = RANDOM.normal(size=(50, 3)).astype(F)
FEATURES = {
    "x": X,
    "age": RANDOM.integers(20, 60, 50),
    "job": np.array(["clerk", "smith", "cook", "", "müller"] * 10),
    "tags": [["a"], ["b", "c", "a"], [], ["d"], ["a", "b"]] * 10,
}
LABELS = np.array(["no", "yes", "maybe"])[RANDOM.integers(0, 3, 50)]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """A model of all kinds of inputs, and the directory of its export."""
    directory = tmp_path_factory.mktemp("runtime")
    job = fc.categorical_column_with_vocabulary_list("job", ["clerk", "cook"], num_oov_buckets=2)
    tags = fc.categorical_column_with_hash_bucket("tags", 20)
    columns = [
        fc.numeric_column("x", shape=3),
        fc.numeric_column("age"),
        fc.indicator_column(job),
        fc.embedding_column(tags, 4),
    ]
    model = estimator.DNNClassifier(
        [8], columns, model_dir=str(directory / "m"), n_classes=3, label_vocabulary=["no", "yes", "maybe"],
        config=estimator.RunConfig(tf_random_seed=1),
    )  # fmt: skip
    model.train(lambda: data.Dataset.from_arrays(FEATURES, LABELS).repeat().batch(25), steps=20)
    return model, os.fsdecode(model.export_saved_model(directory / "e"))


@pytest.fixture(scope="module")
def loaded(trained):
    return runtime.load(trained[1])


def part(begin, end):
    return {key: values[begin:end] for key, values in FEATURES.items()}


def test_the_signature(trained, loaded):
    model, path = trained
    assert loaded.directory == path and loaded.step == 20 and loaded.classes == ("no", "yes", "maybe")
    inputs, outputs = loaded.signature.inputs, loaded.signature.outputs
    assert inputs["x"] == runtime.Input("x", np.dtype(F), (3,))
    assert inputs["job"].dtype == object and inputs["job"].shape == () and inputs["job"].optional
    assert inputs["tags"].multi_valued and inputs["tags"].optional and not inputs["x"].optional
    assert outputs["probabilities"] == runtime.Output("probabilities", np.dtype(F), (3,))
    assert outputs["class_ids"].dtype == np.int64 and outputs["classes"].dtype == object
    assert "x" in repr(loaded) and "probabilities" in repr(loaded)
    assert runtime.version() == mlc.__version__


@pytest.mark.parametrize(("begin", "end"), [(0, 50), (0, 1), (6, 8), (10, 40)])
def test_the_bits_of_predict(trained, loaded, begin, end):
    model, _ = trained
    rows = part(begin, end)
    (expected,) = model.predict(lambda: data.Dataset.from_arrays(rows).batch(50), yield_single_examples=False)
    found = loaded(rows)
    assert set(found) == set(loaded.signature.outputs) and len(found["logits"]) == end - begin
    for name, values in found.items():
        assert values.dtype == loaded.signature.outputs[name].dtype
        np.testing.assert_array_equal(values, expected[name])


def test_a_large_batch_and_none(loaded):
    many = {key: (values * 2000 if isinstance(values, list) else np.concatenate([values] * 2000)) for key, values in FEATURES.items()}
    found = loaded(many)["logits"]
    np.testing.assert_array_equal(found, np.concatenate([loaded(FEATURES)["logits"]] * 2000))
    empty = loaded(part(0, 0))
    assert {name: values.shape for name, values in empty.items()} == {
        name: (0, *each.shape) for name, each in loaded.signature.outputs.items()
    }


def test_what_may_stand_for_an_array(loaded):
    expected = loaded(part(0, 5))["logits"]
    tags = np.array([["a", "", ""], ["b", "c", "a"], ["", "", ""], ["d", "", ""], ["a", "b", ""]])
    others = {
        "x": X[:5].astype(np.float64).tolist(),
        "age": FEATURES["age"][:5].astype(np.int8)[:, None],
        "job": [text.encode() for text in FEATURES["job"][:5]],
        "tags": tags,
    }
    np.testing.assert_array_equal(loaded(others)["logits"], expected)
    others["tags"] = tags.astype(object)
    others["job"] = np.array(FEATURES["job"][:5]).astype(">U9")
    others["age"] = np.ma.masked_array(FEATURES["age"][:5], [False] * 5)
    others["x"] = np.asfortranarray(X[:5])
    np.testing.assert_array_equal(loaded(others)["logits"], expected)


def test_an_optional_input_may_be_absent(loaded):
    rows = part(0, 5)
    expected = loaded({**rows, "job": [""] * 5, "tags": [[]] * 5})["logits"]
    np.testing.assert_array_equal(loaded({"x": rows["x"], "age": rows["age"]})["logits"], expected)


@pytest.mark.parametrize(
    ("change", "text", "key"),
    [
        ({"x": None}, "features have no key 'x', which the model needs; found 'job'|features have no key 'x'", "x"),
        ({"agee": [1] * 5}, "the key 'agee', which the model does not read; .*did you mean 'age'", "agee"),
        ({"x": X[:5, :2]}, r"'x': found an array \[5, 2\]; expected \[rows, 3\]", "x"),
        ({"x": X[0]}, r"'x': found an array \[3\]; expected \[rows, 3\]", "x"),
        ({"x": [["a", "b", "c"]] * 5}, "'x': found texts; expected float32", "x"),
        ({"x": [[1, 2, 3], [4, 5]]}, "'x': found rows of different shapes", "x"),
        ({"x": X[:5].astype(complex)}, "'x': found an array of complex128; expected float32", "x"),
        ({"x": X[:4]}, "'age' has 5 rows; expected 4, as feature 'x' has|'x' has 4 rows; expected 5", None),
        ({"x": np.where(X[:5] == X[2, 1], np.nan, X[:5])}, "record 3: number nan, value 2 of 3 in array 'x' is not finite", None),
        ({"x": np.ma.masked_array(X[:5], X[:5] == X[3, 1])}, "'x', row 3: found a masked value; expected a value", "x"),
        ({"job": np.ma.masked_array(["a", "b", "c", "d", "e"], [0, 1, 0, 0, 0])}, "'job', row 1: found a masked value", "job"),
        ({"job": [1, 2, 3, 4, 5]}, "'job': found an array of int64; expected texts", "job"),
        ({"job": ["a", None, "b", "c", "d"]}, "'job', row 1: found None; expected texts", "job"),
        ({"job": np.array(["a", "\ud800", "b", "c", "d"], object)}, "'job', row 1: .* UTF-8", "job"),
        ({"job": ["a", "\ud800", "b", "c", "d"]}, "record 2: array 'job' has a character that is none", None),
        ({"tags": np.zeros((5, 2, 2), "U1")}, r"'tags': found an array \[5, 2, 2\]", "tags"),
    ],
)
def test_what_is_refused(loaded, change, text, key):
    features = {name: values for name, values in {**part(0, 5), **change}.items() if values is not None}
    with pytest.raises(DataError, match=text) as caught:
        loaded(features)
    if key is not None:
        assert caught.value.key == key


def test_no_dict_and_an_empty_one(loaded):
    with pytest.raises(DataError, match="of type ndarray; expected a dict"):
        loaded(X)
    with pytest.raises(DataError, match="no key"):
        loaded({})


def test_integers(tmp_path):
    columns = [fc.indicator_column(fc.categorical_column_with_identity("id", 5))]
    model = estimator.DNNRegressor([4], columns, model_dir=str(tmp_path / "m"))
    model.train(lambda: data.Dataset.from_arrays({"id": [1, 2]}, [0.0, 1.0]).batch(2), steps=1)
    loaded = runtime.load(os.fsdecode(model.export_saved_model(tmp_path / "e")))
    assert loaded({"id": np.array([1, 2], np.uint64)})["predictions"].shape == (2, 1)
    with pytest.raises(DataError, match="'id', row 1: found 18446744073709551615; expected an integer that int64 holds"):
        loaded({"id": np.array([1, 2**64 - 1], np.uint64)})
    with pytest.raises(DataError, match="'id': found an array of float64; expected int64"):
        loaded({"id": [1.0, 2.0]})
    with pytest.raises(DataError, match="9"):
        loaded({"id": [1, 9]})
    # After an error it goes on.
    assert loaded({"id": [3]})["predictions"].shape == (1, 1)


def test_signatures_of_a_model_fn(tmp_path):
    def model_fn(features, labels, mode):
        y = layers.dense(features["x"], 2)
        loss = None if labels is None else losses.mean_squared_error(labels[:, None], y[:, :1])
        train_op = None if labels is None else optimizers.SGD(0.1).minimize(loss)
        outputs = {"serving_default": export.PredictOutput({"y": y}), "first": export.RegressionOutput(y[:, 0])}
        return EstimatorSpec(mode, predictions={"y": y}, loss=loss, train_op=train_op, export_outputs=outputs)

    model = estimator.Estimator(model_fn, str(tmp_path / "m"))
    model.train(lambda: data.Dataset.from_arrays({"x": X}, X[:, 0]).repeat().batch(10), steps=5)
    loaded = runtime.load(model.export_saved_model(tmp_path / "e").decode())
    signatures = loaded.signature.signatures
    assert {name: each.method for name, each in signatures.items()} == {"serving_default": "predict", "first": "regress"}
    expected = model.predictor()({"x": X})["y"]
    np.testing.assert_array_equal(loaded({"x": X}, "serving_default")["y"], expected)
    np.testing.assert_array_equal(loaded({"x": X}, "first")["outputs"], expected[:, 0])
    with pytest.raises(ValueError, match="no signature 'frist'; .*did you mean 'first'"):
        loaded({"x": X}, "frist")


def test_what_is_no_export(trained, tmp_path):
    _, path = trained
    with pytest.raises(CheckpointError, match="not an exported model"):
        runtime.load(tmp_path)
    with pytest.raises(ValueError, match="threads is 0"):
        runtime.load(path, threads=0)
    copy = tmp_path / "copy"
    shutil.copytree(path, copy)
    with open(copy / "weights.safetensors", "r+b") as file:
        file.seek(-1, os.SEEK_END)
        byte = file.read(1)
        file.seek(-1, os.SEEK_END)
        file.write(bytes([byte[0] ^ 1]))
    with pytest.raises(CheckpointError, match="weights.safetensors.*checksum"):
        runtime.load(copy)


def test_golden_rows_are_replayed(tmp_path):
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "mlc"]
    spec, rows = str(root / "examples/iris/dnn.pbtxt"), str(root / "examples/iris/data/iris_test.csv")
    options = ["--model_dir", str(tmp_path / "m"), "--quiet"]
    subprocess.run([*command, "train", spec, *options, "--max_steps", "5"], cwd=root, check=True)
    made = subprocess.run([*command, "export", spec, *options], cwd=root, check=True, capture_output=True, text=True)
    path = Path(made.stdout.strip())
    iris = runtime.load(path)
    # What the command predicts of the same rows, by its numbers, which read back exactly.
    predict = [*command, "predict", str(path), "--predict_files", rows, "--keys", "probabilities"]
    lines = subprocess.run(predict, check=True, capture_output=True, text=True).stdout.splitlines()
    table = np.genfromtxt(rows, delimiter=",", names=True)
    found = iris({name: table[name] for name in iris.signature.inputs})["probabilities"]
    np.testing.assert_array_equal(found, np.array([json.loads(line)["probabilities"] for line in lines], F))
    # Other weights under checksums that fit.
    weights = path / "weights.safetensors"
    damaged = bytearray(weights.read_bytes())
    damaged[-1] ^= 64
    weights.write_bytes(damaged)
    subprocess.run([sys.executable, str(root / "test/Inputs/reseal.py"), str(path)], check=True)
    with pytest.raises(CheckpointError, match="golden row 1: output 'logits' is .*, expected"):
        runtime.load(path)
    assert runtime.load(path, replay=False).name == iris.name


def golden_of(path):
    lines = (Path(os.fsdecode(path)) / "golden.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def test_golden_rows_of_arrays(trained, tmp_path):
    model, path = trained
    rows = golden_of(path)  # of what was trained on
    assert len(rows) == 8 and rows[1]["inputs"]["tags"] == ["b", "c", "a"] and rows[2]["inputs"]["tags"] == []
    model.evaluate(lambda: data.Dataset.from_arrays(part(10, 50), LABELS[10:]).batch(20))
    assert golden_of(model.export_saved_model(tmp_path / "e"))[0]["inputs"]["age"] == FEATURES["age"][10]
    list(model.predict(lambda: iter([part(30, 33), part(0, 5)])))
    path = model.export_saved_model(tmp_path / "e")
    rows = golden_of(path)
    assert [row["inputs"]["job"] for row in rows] == list(FEATURES["job"][30:33])
    (expected,) = model.predict(lambda: part(30, 33), yield_single_examples=False)
    np.testing.assert_array_equal([row["outputs"]["probabilities"] for row in rows], expected["probabilities"])
    # Other weights under checksums that fit.
    weights = Path(os.fsdecode(path)) / "weights.safetensors"
    damaged = bytearray(weights.read_bytes())
    damaged[-1:-200:-4] = b"\x7f" * len(damaged[-1:-200:-4])
    weights.write_bytes(damaged)
    reseal = Path(__file__).parents[1] / "Inputs/reseal.py"
    subprocess.run([sys.executable, str(reseal), os.fsdecode(path)], check=True)
    with pytest.raises(CheckpointError, match="golden row 1: output '.*' is .*, expected"):
        runtime.load(path)


def test_golden_rows_that_are_not_wanted(trained, tmp_path):
    model, _ = trained
    path = Path(os.fsdecode(model.export_saved_model(tmp_path / "e", golden_rows=0)))
    assert not (path / "golden.jsonl").exists()
    assert len(golden_of(model.export_saved_model(tmp_path / "e", golden_rows=2))) == 2
    with pytest.raises(ValueError, match="golden_rows is 9; expected 0 to 8"):
        model.export_saved_model(tmp_path / "e", golden_rows=9)


def test_golden_rows_hold_what_is_no_number_or_text(tmp_path):
    def model_fn(features, labels, mode):
        x = ops.where(ops.isnan(features["x"]), 7.0, features["x"])
        n = ops.sum(ops.where(features["t"] == "", 1.0, 0.0), axis=1)
        y = ops.sum(x, axis=1) * variables.get_variable("w", []) + n
        if mode == "infer":
            return EstimatorSpec(mode, predictions={"y": y, "x": features["x"]})
        loss = losses.mean_squared_error(labels, y)
        return EstimatorSpec(mode, loss=loss, train_op=optimizers.SGD(0.01).minimize(loss))

    features = {"x": np.array([[np.nan, 1], [np.inf, -0.0]], F), "t": np.array([["", " b"], ["?", ""]])}
    model = estimator.Estimator(model_fn, str(tmp_path / "m"))
    model.train(lambda: iter([({**features, "x": np.ones((2, 2), F)}, np.ones(2, F))]))
    (expected,) = model.predict(lambda: features, yield_single_examples=False)
    path = model.export_saved_model(tmp_path / "e")
    assert golden_of(path)[1]["inputs"] == {"x": ["Infinity", -0.0], "t": ["?", ""]}
    found = runtime.load(path)(features)
    for name, value in expected.items():
        np.testing.assert_array_equal(found[name], value)


def test_threads_have_rows_of_their_own(trained, loaded):
    expected = [loaded(part(i, i + 10)) for i in range(0, 50, 10)]
    wrong = []

    def call(i):
        for _ in range(50):
            found = loaded(part(i * 10, i * 10 + 10))
            if any(not np.array_equal(found[name], expected[i][name]) for name in found):
                wrong.append(i)

    threads = [threading.Thread(target=call, args=(i,)) for i in range(5)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    several = runtime.load(trained[1], threads=2)(FEATURES)
    np.testing.assert_array_equal(several["logits"], loaded(FEATURES)["logits"])


def test_no_compiler_is_loaded(trained):
    code = f"import sys; from mlc import runtime; runtime.load({trained[1]!r}); print('mlc._native' in sys.modules)"
    found = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert found.stdout == "False\n" and found.stderr == ""
