"""A program that is a task of a cluster, by TF_CONFIG: cluster_task.py MODEL_DIR KIND MAX_STEPS STRATEGY [WHAT]."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import json
import logging
import os
import signal
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import mlc
from mlc import data, errors, estimator, losses, metrics, ops, train
from mlc import feature_column as fc

ROWS = 200
EMBEDDING = "dnn/input_from_feature_columns/input_layer/word_embedding/embedding_weights"


def arrays() -> tuple[dict[str, np.ndarray], np.ndarray]:
    rng = np.random.default_rng(3)
    x = rng.normal(size=ROWS)
    return {"x": x, "word": rng.integers(0, 50, ROWS)}, (x > 0).astype(np.int64)


def dataset() -> data.Dataset:
    return data.Dataset.from_arrays(*arrays())


def batches(count: int | None = None) -> Iterator[Any]:
    """The rows in their order, 16 at a time, again and again."""
    features, labels = arrays()
    number = 0
    while count is None or number < count:
        rows = slice(number * 16 % 192, number * 16 % 192 + 16)
        yield {name: column[rows] for name, column in features.items()}, labels[rows]
        number += 1


class Seen(train.SessionRunHook):
    """Keeps what a model_fn's steps compute, and what a session tells of them."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names, self.steps, self.calls = names, [], []

    def begin(self) -> None:
        self.calls.append("begin")

    def after_create_session(self, session: Any, coord: Any) -> None:
        self.calls.append(f"step {int(session.run('global_step'))}")

    def before_run(self, run_context: Any) -> Any:
        return train.SessionRunArgs({name: name for name in (*self.names, "loss", "global_step")})

    def after_run(self, run_context: Any, run_values: Any) -> None:
        step = {name: np.asarray(value).tolist() for name, value in run_values.results.items()}
        step["session"] = np.asarray(run_context.session.run(self.names[0])).tolist()
        self.steps.append(step)

    def end(self, session: Any) -> None:
        self.calls.append("end")


class Fetch(train.SessionRunHook):
    """Keeps one value of each step."""

    def __init__(self, name: str) -> None:
        self.name, self.values = name, []

    def before_run(self, run_context: Any) -> Any:
        return train.SessionRunArgs(self.name)

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.values.append(np.asarray(run_values.results).tolist())


class Stop(train.SessionRunHook):
    """Asks for the end at a step, in a task of this role alone."""

    def __init__(self, role: str, step: int) -> None:
        self.role, self.step = role, step

    def before_run(self, run_context: Any) -> Any:
        return train.SessionRunArgs("global_step")

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if self.role == role() and run_values.results >= self.step:
            run_context.request_stop()


class Raise(train.SessionRunHook):
    """Fails at the third step, in a task of this role alone."""

    def __init__(self, role: str) -> None:
        self.role, self.steps = role, 0

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.steps += 1
        if self.role == role() and self.steps == 3:
            raise RuntimeError("a hook does not like this")


class Meets(train.SessionRunHook):
    """After its first step a task waits until the other one has made one, too: of few steps one task makes all else."""

    def __init__(self, directory: Path) -> None:
        self.directory, self.waits = directory, True

    def after_run(self, run_context: Any, run_values: Any) -> None:
        if not self.waits:
            return
        self.waits = False
        (self.directory / f"{role()}.began").touch()
        end = time.monotonic() + 30
        while time.monotonic() < end and not all((self.directory / f"{task}.began").exists() for task in ("chief", "worker")):
            time.sleep(0.01)


class Saves(train.CheckpointSaverListener):
    def __init__(self) -> None:
        self.steps: list[int] = []

    def after_save(self, session: Any, global_step_value: int) -> None:
        self.steps.append(global_step_value)


def role() -> str:
    return str(json.loads(os.environ.get("TF_CONFIG", "{}")).get("task", {}).get("type", ""))


HOOKS: dict[str, Any] = {"training": [], "chief": [], "evaluation": []}
"""Of the EstimatorSpec of model_fn."""


def model_fn(features: Any, labels: Any, mode: str) -> estimator.EstimatorSpec:
    table = mlc.variables.get_variable("table", [50, 2])
    embedded = ops.identity(ops.gather(table, features["word"]), name="embedded")
    logits = ops.reshape(features["x"], [-1, 1]) @ mlc.variables.get_variable("w", [1, 2]) + embedded
    ops.identity(logits, name="logits")
    ops.identity(ops.mean(logits), name="mean")
    if mode == estimator.ModeKeys.PREDICT:
        return estimator.EstimatorSpec(mode, predictions={"logits": logits})
    loss = losses.sparse_softmax_cross_entropy(labels, logits)
    ops.identity(loss * 2.0, name="twice")
    if mode == estimator.ModeKeys.EVAL:
        accuracy = metrics.accuracy(labels, ops.argmax(logits))
        return estimator.EstimatorSpec(
            mode, loss=loss, eval_metric_ops={"accuracy": accuracy}, evaluation_hooks=HOOKS["evaluation"]
        )
    return estimator.EstimatorSpec(
        mode, loss=loss, train_op=train.AdamOptimizer(0.02).minimize(loss), training_hooks=HOOKS["training"],
        training_chief_hooks=HOOKS["chief"],
    )  # fmt: skip


def model(model_dir: str, kind: str, strategy: dict[str, Any]) -> estimator.Estimator:
    distribute = estimator.ParameterServerStrategy(**strategy)
    config = estimator.RunConfig(tf_random_seed=1, train_distribute=distribute)
    if kind == "model_fn":
        return estimator.Estimator(model_fn, model_dir, config)
    adam = mlc.optimizers.Adam(0.02)
    columns = [fc.numeric_column("x"), fc.embedding_column(fc.categorical_column_with_identity("word", 50), 4)]
    return estimator.DNNClassifier([8], columns, model_dir, config=config, optimizer=adam)


def train_spec(max_steps: int, **arguments: Any) -> estimator.TrainSpec:
    return estimator.TrainSpec(lambda: dataset().shuffle().repeat().batch(16), max_steps, **arguments)


def eval_spec(**arguments: Any) -> estimator.EvalSpec:
    return estimator.EvalSpec(lambda: dataset().batch(16), start_delay_secs=0, throttle_secs=0, **arguments)


def specs(what: str, kind: str, max_steps: int, told: dict[str, Any]) -> tuple[estimator.TrainSpec, Any]:
    """What is trained and evaluated; `told` gets what hooks see."""
    if what.startswith("hooks"):
        names = ("table", "w", "logits", "embedded") if kind == "model_fn" else (EMBEDDING, "dnn/hiddenlayer_0/kernel")
        told |= {"seen": Seen(names), "saves": Saves(), "batches": CountsBatches()}
        HOOKS["training"], HOOKS["chief"] = [Count(told, "training")], [Count(told, "chief")]
        meets = [Meets(Path(what.partition(" ")[2]))] if what != "hooks" else []
        spec = train_spec(max_steps, hooks=[told["seen"], *meets], saving_listeners=[told["saves"]])
        return spec, eval_spec(hooks=[told["batches"]])
    if what.startswith("stop "):
        return train_spec(max_steps, hooks=[Stop(what.partition(" ")[2], 12)]), eval_spec()
    if what.startswith("raise "):
        return train_spec(max_steps, hooks=[Raise(what.partition(" ")[2])]), eval_spec()
    if what.startswith("fetch "):
        told["seen"] = Fetch(what.partition(" ")[2])
        return train_spec(max_steps, hooks=[told["seen"]]), eval_spec()
    if what.startswith("iterator"):
        count = int(what.partition(" ")[2] or 0) or None
        evaluated = estimator.EvalSpec(lambda: batches(10), steps=None, throttle_secs=0, start_delay_secs=0)
        return estimator.TrainSpec(lambda: batches(count), max_steps), evaluated
    if what == "several":
        latest = estimator.LatestExporter("newest")
        some = eval_spec(steps=2, hooks=[train.SessionRunHook()], exporters=Mine("mine"))
        return train_spec(max_steps), {"all": eval_spec(exporters=latest), "some": some}
    return train_spec(max_steps), eval_spec()


class Mine(estimator.Exporter):
    """Exports as Python says."""

    def export(
        self, estimator: Any, export_path: Any, checkpoint_path: Any, eval_result: Any, is_the_final_export: bool
    ) -> Any:
        return estimator.export_saved_model(export_path, checkpoint_path=checkpoint_path) if is_the_final_export else None


class Count(train.SessionRunHook):
    def __init__(self, told: dict[str, Any], name: str) -> None:
        self.told, self.name = told, name

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.told[self.name] = self.told.get(self.name, 0) + 1


class CountsBatches(train.SessionRunHook):
    """Counts the batches of evaluations."""

    def __init__(self) -> None:
        self.count = 0

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self.count += 1


def as_json(value: Any) -> Any:
    return {name: as_json(each) for name, each in vars(value).items()} if hasattr(value, "__dict__") else value


def main(model_dir: str, kind: str, max_steps: str, strategy: str, what: str = "") -> None:
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    told: dict[str, Any] = {}
    try:
        found = estimator.train_and_evaluate(
            model(model_dir, kind, json.loads(strategy)), *specs(what, kind, int(max_steps), told)
        )
    except errors.MlcError as error:
        print(f"{type(error).__name__}: {error}")
        sys.exit(error.exit_code or 1)
    print(json.dumps(found[0]))
    if told:
        with open(os.path.join(os.path.dirname(model_dir), f"told-{role()}.json"), "w") as file:
            json.dump({name: as_json(value) for name, value in told.items()}, file)


if __name__ == "__main__":
    main(*sys.argv[1:])
