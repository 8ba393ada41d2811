"""Signatures of exports of a model_fn, and exports in processes that have seen no batch."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import json
import os
import subprocess
import sys

import numpy as np
import pytest

from mlc import data, estimator, layers, losses, ops, train
from mlc.errors import ModelError
from mlc.estimator import EstimatorSpec, ModeKeys, export

F = np.float32
X = np.random.default_rng(0).normal(size=(20, 3)).astype(F)
LABELS = (X[:, 0] > 0).astype(np.int64)


def rows():
    return data.Dataset.from_arrays({"x": X}, LABELS).batch(20)


def model_with(outputs):
    """A model_fn whose exports give outputs(Tensors by name)."""

    def model_fn(features, labels, mode):
        hidden = layers.dense(features["x"], 4, activation="tanh")
        logits = layers.dense(hidden, 2)
        probabilities = ops.softmax(logits)
        if mode == ModeKeys.PREDICT:
            names = ops.where(ops.equal(ops.argmax(logits), 1), "yes", "no")
            tensors = {"hidden": hidden, "probabilities": probabilities, "names": names[:, None], "logits": logits}
            return EstimatorSpec(mode, predictions={"probabilities": probabilities}, export_outputs=outputs(tensors))
        loss = losses.sparse_softmax_cross_entropy(labels, logits)
        op = train.AdamOptimizer(0.1).minimize(loss) if mode == ModeKeys.TRAIN else None
        return EstimatorSpec(mode, loss=loss, train_op=op)

    return model_fn


def several(t):
    return {
        "serving_default": export.ClassificationOutput(t["probabilities"], t["names"]),
        "regression": export.RegressionOutput(t["probabilities"][:, 1]),
        "predict": export.PredictOutput({"scores": t["logits"], "p": t["probabilities"], "vector": t["hidden"]}),
    }


SEVERAL = {
    "serving_default": {"method": "classify", "outputs": {"scores": "scores", "classes": "classes"}},
    "regression": {"method": "regress", "outputs": {"outputs": "regression/outputs"}},
    "predict": {"method": "predict", "outputs": {"scores": "predict/scores", "p": "scores", "vector": "predict/vector"}},
}


def signature_of(path):
    text = open(os.path.join(os.fsdecode(path), "signature.json"), encoding="utf-8").read()
    return json.JSONDecoder().raw_decode(text)[0]


def trained(tmp_path, outputs, **config):
    model = estimator.Estimator(model_with(outputs), str(tmp_path / "m"), config=estimator.RunConfig(tf_random_seed=1, **config))
    return model.train(rows, steps=1)


def test_signatures(tmp_path):
    model = trained(tmp_path, several)
    path = model.export_saved_model(tmp_path / "exports")
    signature = signature_of(path)
    assert signature["signatures"] == SEVERAL
    assert [output["name"] for output in signature["outputs"]] == [
        "scores", "classes", "regression/outputs", "predict/scores", "predict/vector"
    ]  # fmt: skip
    # predict has the predictions of the EstimatorSpec all the same.
    (expected,) = model.predict(rows, yield_single_examples=False)
    assert list(expected) == ["probabilities"]
    # The export gives what the model gives.
    np.savez(tmp_path / "x.npz", x=X)
    found = subprocess.run(
        [sys.executable, "-m", "mlc", "predict", os.fsdecode(path), "--predict_files", str(tmp_path / "x.npz")],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    lines = [json.loads(line) for line in found.stdout.splitlines()]
    np.testing.assert_allclose([line["scores"] for line in lines], expected["probabilities"], rtol=1e-6)
    assert [line["classes"] for line in lines] == [["yes" if p[1] > p[0] else "no"] for p in expected["probabilities"]]
    np.testing.assert_allclose([line["regression/outputs"] for line in lines], expected["probabilities"][:, 1], rtol=1e-6)
    assert np.shape(lines[0]["predict/vector"]) == (4,)


def test_one_signature_is_the_default_too(tmp_path):
    model = trained(tmp_path, lambda t: {"scores": export.PredictOutput(t["logits"])})
    found = signature_of(model.export_saved_model(tmp_path / "exports"))
    one = {"method": "predict", "outputs": {"output": "output"}}
    assert found["signatures"] == {"serving_default": one, "scores": one}
    assert [output["name"] for output in found["outputs"]] == ["output"]


def test_without_export_outputs_there_are_no_signatures(tmp_path):
    found = signature_of(trained(tmp_path, lambda t: None).export_saved_model(tmp_path / "exports"))
    assert "signatures" not in found and [output["name"] for output in found["outputs"]] == ["probabilities"]


def test_exporters_have_them_too(tmp_path):
    model = estimator.Estimator(model_with(several), str(tmp_path / "m"))
    spec = estimator.EvalSpec(rows, steps=1, exporters=[estimator.LatestExporter("latest"), estimator.FinalExporter("final")])
    _, exports = estimator.train_and_evaluate(model, estimator.TrainSpec(rows, max_steps=1), spec)
    assert len(exports) == 2
    for path in exports:
        assert signature_of(path)["signatures"] == SEVERAL


@pytest.mark.parametrize(
    ("outputs", "text"),
    [
        (lambda t: {"a": export.PredictOutput(t["logits"]), "b": export.PredictOutput(t["hidden"])}, "none of them is specified as the default"),
        (lambda t: {"a": t["logits"]}, "must be ExportOutput objects"),
        (lambda t: [export.PredictOutput(t["logits"])], "`export_outputs` must be dict"),
        (lambda t: {"a": export.ClassificationOutput(t["names"])}, "Classification scores must be a floats Tensor"),
        (lambda t: {"a": export.ClassificationOutput(classes=t["logits"])}, "Classification classes must be a text Tensor"),
        (lambda t: {"a": export.ClassificationOutput()}, "At least one of scores and classes"),
        (lambda t: {"a": export.RegressionOutput(t["names"])}, "Regression output value must be a floats Tensor"),
        (lambda t: {"a": export.RegressionOutput(3.0)}, "expected a Tensor"),
        (lambda t: {"a": export.PredictOutput({3: t["logits"]})}, "key must be a string"),
        (lambda t: {"a": export.PredictOutput(ops.sum(t["logits"]))}, "expected the batch as its first dimension"),
    ],
)
def test_what_is_refused(tmp_path, outputs, text):
    with pytest.raises(ModelError, match=text):
        model = trained(tmp_path, outputs)
        model.export_saved_model(tmp_path / "exports")


FRESH = """
import sys
sys.path.insert(0, sys.argv[1])
import test_export
from mlc import estimator
model = estimator.Estimator(test_export.model_with(test_export.several), sys.argv[2])
print(model.export_saved_model(sys.argv[3]).decode())
"""


def test_a_process_that_has_seen_no_batch_exports(tmp_path):
    model = trained(tmp_path, several)
    expected = signature_of(model.export_saved_model(tmp_path / "exports"))
    command = [sys.executable, "-c", FRESH, os.path.dirname(__file__), model.model_dir, str(tmp_path / "others")]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    signature = signature_of(found.stdout.strip())
    for key in ("inputs", "outputs", "signatures", "state_fingerprint", "step"):
        assert signature[key] == expected[key]
