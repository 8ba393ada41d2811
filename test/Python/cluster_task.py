"""A program that is a task of a cluster, by TF_CONFIG: cluster_task.py MODEL_DIR KIND MAX_STEPS STRATEGY."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import json
import logging
import signal
import sys
from typing import Any

import numpy as np

import mlc
from mlc import data, errors, estimator, losses, ops, train
from mlc import feature_column as fc


def dataset() -> data.Dataset:
    x = np.random.default_rng(3).normal(size=200)
    return data.Dataset.from_arrays({"x": x}, (x > 0).astype(np.int64))


def model_fn(features: Any, labels: Any, mode: str) -> estimator.EstimatorSpec:
    logits = ops.reshape(features["x"], [-1, 1]) @ mlc.variables.get_variable("w", [1, 2])
    if mode == estimator.ModeKeys.PREDICT:
        return estimator.EstimatorSpec(mode, predictions={"logits": logits})
    loss = losses.sparse_softmax_cross_entropy(labels, logits)
    return estimator.EstimatorSpec(mode, loss=loss, train_op=train.AdamOptimizer(0.02).minimize(loss))


def model(model_dir: str, kind: str, strategy: dict[str, Any]) -> estimator.Estimator:
    distribute = estimator.ParameterServerStrategy(**strategy)
    config = estimator.RunConfig(tf_random_seed=1, train_distribute=distribute)
    if kind == "model_fn":
        return estimator.Estimator(model_fn, model_dir, config)
    adam = mlc.optimizers.Adam(0.02)
    return estimator.DNNClassifier([8], [fc.numeric_column("x")], model_dir, config=config, optimizer=adam)


def train_spec(max_steps: int, **arguments: Any) -> estimator.TrainSpec:
    return estimator.TrainSpec(lambda: dataset().shuffle().repeat().batch(16), max_steps, **arguments)


def eval_spec() -> estimator.EvalSpec:
    return estimator.EvalSpec(lambda: dataset().batch(16), start_delay_secs=0, throttle_secs=0)


def main(model_dir: str, kind: str, max_steps: str, strategy: str) -> None:
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(message)s")
    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    try:
        metrics, _ = estimator.train_and_evaluate(
            model(model_dir, kind, json.loads(strategy)), train_spec(int(max_steps)), eval_spec()
        )
    except errors.MlcError as error:
        print(f"{type(error).__name__}: {error}")
        sys.exit(error.exit_code)
    print(json.dumps(metrics))


if __name__ == "__main__":
    main(*sys.argv[1:])
