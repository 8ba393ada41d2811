"""Exporters that are Python's: ones of one's own, and the best one by a compare_fn."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import os

import numpy as np
import pytest

import mlc
from mlc import data, estimator
from mlc import feature_column as fc
from mlc.errors import UnsupportedError
from mlc.estimator import EvalSpec, TrainSpec

X = np.random.default_rng(0).normal(size=(60, 2)).astype(np.float32)
Y = (X[:, 0] > X[:, 1]).astype(np.int64)


def rows():
    return data.Dataset.from_arrays({"x": X}, Y).batch(20)


def make(model_dir, every=5):
    config = estimator.RunConfig(tf_random_seed=1, save_checkpoints_steps=every)
    return estimator.LinearClassifier([fc.numeric_column("x", shape=2)], str(model_dir), config=config)


class Noted(estimator.Exporter):
    """Exports what another exporter does, and notes how it was called."""

    def __init__(self, name, inner):
        super().__init__(name)
        self.inner, self.calls = inner, []

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
        self.calls.append((eval_result["global_step"], os.path.basename(checkpoint_path), is_the_final_export))
        return self.inner.export(estimator, export_path, checkpoint_path, eval_result, is_the_final_export)


def exports(model_dir, name):
    base = os.path.join(model_dir, "export", name)
    return sorted(os.listdir(base)) if os.path.isdir(base) else []


def test_exporters_of_ones_own(tmp_path):
    model = make(tmp_path)
    latest = Noted("mine", estimator.LatestExporter("latest", exports_to_keep=2))
    final = Noted("end", estimator.FinalExporter("end"))
    specs = EvalSpec(rows, exporters=[latest, final, estimator.LatestExporter("runs")])
    found, paths = estimator.train_and_evaluate(model, TrainSpec(lambda: rows().repeat(), max_steps=15), specs)
    steps = [(step, f"ckpt-{step:010d}", step == 15) for step in (5, 10, 15)]
    assert latest.calls == final.calls == steps
    assert len(exports(tmp_path, "mine")) == 2 and len(exports(tmp_path, "end")) == 1 and len(exports(tmp_path, "runs")) == 3
    assert len(paths) == 7 and all(isinstance(path, bytes) for path in paths)
    # What is exported at the end is the model of the last evaluation, whoever exports.
    newest = [mlc.runtime.load(tmp_path / "export" / name / exports(tmp_path, name)[-1]) for name in ("mine", "end", "runs")]
    outputs = [served({"x": X})["logits"] for served in newest]
    assert np.array_equal(outputs[0], outputs[1]) and np.array_equal(outputs[0], outputs[2])
    # The bits are those of a run without them.
    plain = make(tmp_path / "plain")
    assert estimator.train_and_evaluate(plain, TrainSpec(lambda: rows().repeat(), max_steps=15), EvalSpec(rows))[0] == found


def test_the_end_of_the_input_is_the_final_export(tmp_path):
    final = Noted("end", estimator.FinalExporter("end"))
    estimator.train_and_evaluate(make(tmp_path, 4), TrainSpec(lambda: rows().repeat(2)), EvalSpec(rows, exporters=final))
    assert [call[2] for call in final.calls] == [False, True] and len(exports(tmp_path, "end")) == 1


def test_the_best_by_a_function(tmp_path):
    seen = []

    def nearer_to_10(best_eval_result, current_eval_result):
        seen.append((best_eval_result["global_step"], current_eval_result["global_step"]))
        assert "auc" in best_eval_result and "auc" in current_eval_result
        return abs(current_eval_result["global_step"] - 10) < abs(best_eval_result["global_step"] - 10)

    def run(steps):
        best = estimator.BestExporter(compare_fn=nearer_to_10)
        spec = TrainSpec(lambda: rows().repeat(), max_steps=steps)
        return estimator.train_and_evaluate(make(tmp_path), spec, EvalSpec(rows, exporters=best))[1]

    assert len(run(15)) == 2 and seen == [(5, 10), (10, 15)]
    # Another process knows the best one of the event files.
    seen.clear()
    assert run(25) == []
    assert seen[-2:] == [(10, 20), (10, 25)]
    assert len(exports(tmp_path, "best_exporter")) == 2


def test_what_is_wrong(tmp_path):
    class Without(estimator.Exporter):
        pass

    spec = TrainSpec(lambda: rows().repeat(), max_steps=5)
    with pytest.raises(NotImplementedError, match="Without has no method export"):
        estimator.train_and_evaluate(make(tmp_path), spec, EvalSpec(rows, exporters=Without("w")))
    best = estimator.BestExporter("b", metric="aucc")
    with pytest.raises(ValueError, match="no metric 'aucc'; found"):
        estimator.train_and_evaluate(make(tmp_path / "a"), spec, EvalSpec(rows, exporters=Noted("n", best)))
        estimator.train_and_evaluate(
            make(tmp_path / "a"), TrainSpec(spec.input_fn, max_steps=10), EvalSpec(rows, exporters=Noted("n", best))
        )
    with pytest.raises(UnsupportedError, match="the exporter 'mine' is a function of Python"):
        mlc.launch(make(tmp_path / "l"), spec, EvalSpec(rows, exporters=Noted("mine", best)), workers=1)
