"""Hooks that write files, and those that are refused, with what to do instead."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import json
import struct

import numpy as np
import pytest

from mlc import data, estimator, layers, losses, summary, train
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


def events(directory):
    """Steps and scalars of the files of events, read by the format: a record is length, checksum, data, checksum."""

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
                    if 2 in parts:
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
