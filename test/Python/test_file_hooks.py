"""Hooks that write files, and those that are refused, with what to do instead."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import json
import struct
import threading

import numpy as np
import pytest

from mlc import data, estimator, layers, losses, ops, summary, train, variables
from mlc.errors import ModelError, UnsupportedError
from mlc.estimator import EstimatorSpec

F = np.float32
X = np.random.default_rng(0).normal(size=(64, 3)).astype(F)
LABELS = (X[:, 0] > 0).astype(np.int64)


def rows():
    return data.Dataset.from_arrays({"x": X}, LABELS).repeat().batch(16)


class Model:
    def __init__(self):
        self.loss = None

    def __call__(self, features, labels, mode):
        self.loss = losses.sparse_softmax_cross_entropy(labels, layers.dense(features["x"], 2))
        summary.scalar("twice", self.loss * 2)
        return EstimatorSpec(mode, loss=self.loss, train_op=train.AdamOptimizer(0.1).minimize(self.loss))


def make(tmp_path, model_fn, **config):
    config = estimator.RunConfig(tf_random_seed=1, **config)
    return estimator.Estimator(model_fn, str(tmp_path / "m"), config=config)


def events(directory, histograms=False):
    """Steps and scalars of the files of events, read by the format: a record is length, checksum, data, checksum. Of
    histograms minimum, maximum and the number of elements."""

    def varint(data, at):
        value = shift = 0
        while True:
            byte = data[at]
            at, value, shift = at + 1, value | (byte & 127) << shift, shift + 7
            if byte < 128:
                return value, at

    def fields(data):
        at = 0
        while at < len(data):
            key, at = varint(data, at)
            size = {0: None, 1: 8, 5: 4}.get(key & 7, -1)
            if size is None:
                value, at = varint(data, at)
            else:
                if size < 0:
                    size, at = varint(data, at)
                value, at = data[at : at + size], at + size
            yield key >> 3, value

    found = []
    for path in sorted(directory.glob("events.out.tfevents.*")):
        data, at = path.read_bytes(), 0
        while at < len(data):
            (length,) = struct.unpack_from("<Q", data, at)
            event = dict(fields(data[at + 12 : at + 12 + length]))
            at += 16 + length
            for number, value in fields(event.get(5, b"")):
                if number == 1:
                    parts = dict(fields(value))
                    if histograms and 5 in parts:
                        values = dict(fields(parts[5]))
                        found.append((event.get(2, 0), parts[1].decode(), *(struct.unpack("<d", values[n])[0] for n in (1, 2, 3))))
                    if not histograms and 2 in parts:
                        found.append((event.get(2, 0), parts[1].decode(), struct.unpack("<f", parts[2])[0]))
    return found


class Noting(train.SessionRunHook):
    def __init__(self):
        self.losses = []

    def before_run(self, run_context):
        return train.SessionRunArgs("loss")

    def after_run(self, run_context, run_values):
        self.losses.append(run_values.results)


def test_summaries(tmp_path):
    model_fn = Model()

    class Late(train.SummarySaverHook):
        """Tensors are there when hooks begin."""

        def begin(self):
            self._tensors = {"a/loss": model_fn.loss}
            super().begin()

    noting = Noting()
    hooks = [
        noting, train.SummarySaverHook(2, output_dir=tmp_path / "names", summary_op=["twice", "loss"]),
        Late(3, output_dir=tmp_path / "tensors", summary_op="loss"),
    ]  # fmt: skip
    make(tmp_path, model_fn).train(rows, hooks=hooks, steps=6)
    expected = [(step, tag, factor * noting.losses[step - 1]) for step in (1, 3, 5) for tag, factor in (("loss", 1), ("twice", 2))]
    assert events(tmp_path / "names") == expected
    assert events(tmp_path / "tensors") == [(step, "a/loss", noting.losses[step - 1]) for step in (1, 4)]


def test_what_summaries_refuse(tmp_path):
    with pytest.raises(ValueError, match="scaffold or summary_op"):
        train.SummarySaverHook(1, output_dir=tmp_path)
    with pytest.raises(ValueError, match="output_dir"):
        train.SummarySaverHook(1, summary_op="loss")
    with pytest.raises(ValueError, match="every_secs and every_steps"):
        train.SummarySaverHook(output_dir=tmp_path, summary_op="loss")
    with pytest.raises(UnsupportedError, match="summary_writer"):
        train.SummarySaverHook(1, summary_writer=object(), summary_op="loss")
    hook = train.SummarySaverHook(1, output_dir=tmp_path, summary_op=["dense/kernel"])
    with pytest.raises(ValueError, match=r"'dense/kernel' is float32 of the shape \(3, 2\); expected a scalar"):
        make(tmp_path, Model()).train(rows, hooks=[hook], steps=1)
    with pytest.raises(ModelError, match="did you mean 'twice'"):
        make(tmp_path, Model()).train(rows, hooks=[train.SummarySaverHook(1, output_dir=tmp_path, summary_op="twise")], steps=1)


def test_timelines(tmp_path):
    directory = tmp_path / "profiles"
    make(tmp_path, Model()).train(rows, hooks=[train.ProfilerHook(save_steps=3, output_dir=directory)], steps=7)
    assert sorted(path.name for path in directory.iterdir()) == ["timeline-3.json", "timeline-6.json"]  # as in TensorFlow
    for step in (3, 6):
        spans = [event for event in json.loads((directory / f"timeline-{step}.json").read_text()) if event["ph"] == "X"]
        assert spans and all(span["dur"] >= 0 for span in spans)
        assert "step" in {span["name"] for span in spans}
    # The next run has none.
    make(tmp_path, Model()).train(rows, steps=2)
    assert len(list(directory.iterdir())) == 2
    with pytest.raises(UnsupportedError, match="show_memory"):
        train.ProfilerHook(1, show_memory=True)


class InStep(train.SessionRunHook):
    """Steps of two runs go on side by side; keeps what the run counted."""

    def __init__(self, barrier):
        self._barrier = barrier
        self.metrics = ""

    def before_run(self, run_context):
        self._barrier.wait(60)

    def after_run(self, run_context, run_values):
        self._barrier.wait(60)

    def end(self, session):
        self.metrics = session._run.observation.metrics()


def test_runs_at_once_have_timelines_and_counters_of_their_own(tmp_path):
    barrier = threading.Barrier(2)
    steps = {"one": 4, "two": 54}
    hooks = {name: InStep(barrier) for name in steps}
    make(tmp_path / "two", Model()).train(rows, steps=50)

    def run(name):
        profiler = train.ProfilerHook(save_steps=2, output_dir=tmp_path / f"of-{name}")
        make(tmp_path / name, Model()).train(rows, hooks=[hooks[name], profiler], steps=4)

    threads = [threading.Thread(target=run, args=(name,)) for name in steps]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for name, last in steps.items():
        files = sorted((tmp_path / f"of-{name}").iterdir())
        assert [path.name for path in files] == [f"timeline-{last - 2}.json", f"timeline-{last}.json"]
        for path, step in zip(files, (last - 2, last), strict=True):
            spans = [event for event in json.loads(path.read_text()) if event.get("name") == "step"]
            assert [span["args"]["step"] for span in spans] == [step - 1]
        assert "\nmlc_steps_total 4\n" in hooks[name].metrics
        assert f"\nmlc_global_step {last}\n" in hooks[name].metrics
        assert "\nmlc_examples_total 64\n" in hooks[name].metrics


def test_timelines_of_one_run_come_one_after_the_other(tmp_path):
    hooks = [train.ProfilerHook(save_steps=1, output_dir=tmp_path / name) for name in ("a", "b")]
    with pytest.raises(RuntimeError, match="this run writes a timeline already"):
        make(tmp_path / "m", Model()).train(rows, hooks=hooks, steps=3)
    (tmp_path / "c" / "timeline-2.json").mkdir(parents=True)
    with pytest.raises(OSError, match="cannot write .*timeline-2.json: Is a directory"):
        make(tmp_path / "n", Model()).train(rows, hooks=[train.ProfilerHook(save_steps=1, output_dir=tmp_path / "c")], steps=3)


def spans_of(directory):
    return {
        event["name"]
        for path in directory.iterdir()
        for event in json.loads(path.read_text())
        if event["ph"] == "X"
    }  # fmt: skip


def test_timelines_of_evaluations_and_predictions(tmp_path):
    def model_fn(features, labels, mode):
        if mode == estimator.ModeKeys.PREDICT:
            return EstimatorSpec(mode, predictions={"y": layers.dense(features["x"], 2)})
        return Model()(features, labels, mode)

    model = make(tmp_path / "m", model_fn).train(rows, steps=1)

    def finite():
        return data.Dataset.from_arrays({"x": X}, LABELS).batch(16)

    hooks = {name: train.ProfilerHook(save_steps=1, output_dir=tmp_path / name) for name in ("evaluate", "predict")}
    model.evaluate(finite, hooks=[hooks["evaluate"]])
    assert len(list(model.predict(finite, hooks=[hooks["predict"]]))) == 64
    assert spans_of(tmp_path / "evaluate") and spans_of(tmp_path / "predict")


def test_a_timeline_of_a_run_that_fails_is_closed(tmp_path):
    class Failing(train.SessionRunHook):
        def after_run(self, run_context, run_values):
            raise KeyError("of the hook")

    for number in range(2):
        hook = train.ProfilerHook(save_steps=1, output_dir=tmp_path / str(number))
        with pytest.raises(KeyError):
            make(tmp_path, Model()).train(rows, hooks=[Failing(), hook], steps=3)
        del hook


class Listener(train.CheckpointSaverListener):
    def __init__(self):
        self.steps = []

    def before_save(self, session, step):
        self.steps.append(step)


def test_a_checkpoint_saver_says_when(tmp_path):
    listener, other = Listener(), Listener()
    model = make(tmp_path, Model(), save_checkpoints_steps=2)
    saver = train.CheckpointSaverHook(model.model_dir, save_steps=5, listeners=[listener])
    model.train(rows, hooks=[saver], steps=12, saving_listeners=[other])
    assert listener.steps == other.steps == [0, 5, 10, 12]
    secs = train.CheckpointSaverHook(model.model_dir, save_secs=1000, listeners=[listener])
    model.train(rows, hooks=[secs], steps=12)
    assert listener.steps[4:] == [24]
    with pytest.raises(UnsupportedError, match="expected the model_dir"):
        model.train(rows, hooks=[train.CheckpointSaverHook(tmp_path / "elsewhere", save_steps=5)], steps=1)
    with pytest.raises(UnsupportedError, match="2 CheckpointSaverHooks"):
        model.train(rows, hooks=[saver, secs], steps=1)
    with pytest.raises(ValueError, match="exactly one of every_secs and every_steps"):
        train.CheckpointSaverHook(model.model_dir)
    with pytest.raises(UnsupportedError, match="saver"):
        train.CheckpointSaverHook(model.model_dir, save_steps=1, saver=object())


def test_waiting(tmp_path):
    model = make(tmp_path, Model()).train(rows, steps=5)
    model.train(rows, hooks=[train.GlobalStepWaiterHook(5)], steps=1)
    with pytest.raises(UnsupportedError, match="the global step is 6, and no other process counts it to wait_until_step 7"):
        model.train(rows, hooks=[train.GlobalStepWaiterHook(7)], steps=1)


def test_histograms_of_what_a_step_computes(tmp_path, caplog):
    def model_fn(features, labels, mode):
        summary.histogram("x", features["x"] * 2)
        predictions = layers.dense(features["x"], 1, name="out")
        loss = losses.mean_squared_error(labels, ops.reshape(predictions, [-1]))
        summary.histogram("kernel", variables.trainable_variables()[0])
        return estimator.EstimatorSpec(mode, loss=loss, train_op=train.GradientDescentOptimizer(0.01).minimize(loss))

    x = np.arange(30, dtype=np.float32).reshape(10, 3)
    model = make(tmp_path, model_fn, save_summary_steps=2)
    model.train(lambda: data.Dataset.from_arrays({"x": x}, x[:, 0]).batch(4))
    found = events(tmp_path / "m", histograms=True)
    assert [each for each in found if each[1] == "x"] == [(1, "x", 0, 22, 12), (2, "x", 24, 46, 12)]
    assert [each[4] for each in found if each[1] == "kernel"] == [3, 3]
    # A module that others run may be done in parts, which have scalars.
    assert "tensor<?x3xf32>" not in model.to_df(["train"]).split("@train")[1].split("->")[1].split("{")[0]
    assert "summary.histogram of x, kernel is left out" in caplog.text

    def wrong(features, labels, mode):
        summary.histogram("x", features["x"] > 0)

    with pytest.raises(ModelError, match="summary 'x': expected numbers"):
        make(tmp_path / "wrong", wrong).train(lambda: data.Dataset.from_arrays({"x": x}, x[:, 0]).batch(4))
