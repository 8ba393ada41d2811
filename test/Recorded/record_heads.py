#!/usr/bin/env python3
"""Records what heads of tf.estimator of TensorFlow 2.15 do, in a model_fn and in canned Estimators, in Inputs/heads.json:
losses of training steps, metrics before and after, predictions.

  benchmarks/setup_tensorflow.sh
  benchmarks/.venv-tf/bin/python test/Recorded/record_heads.py

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import os
import sys
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "Inputs"))
import head_cases as cases
import numpy as np
import tensorflow as tf

tf.get_logger().setLevel("ERROR")
FUNCTIONS = {"absolute": lambda labels, logits: tf.abs(labels - logits), "exp": tf.exp}


def make_head(case, **more):
    kind, arguments, _ = cases.CASES[case]
    arguments = {**arguments, **more}
    given = {key: FUNCTIONS.get(value, value) if isinstance(value, str) else value for key, value in arguments.items()}
    if "loss_reduction" in given:
        given["loss_reduction"] = tf.keras.losses.Reduction.SUM
    return getattr(tf.estimator, kind)(**given)


def labels_of(case):
    labels = cases.LABELS[cases.CASES[case][2]]
    return tf.sparse.from_dense(tf.constant(labels)) if labels.dtype.kind == "U" and labels.shape[1:] == (3,) else labels


def input_fn(labels, keys=("x", "w")):
    """All rows once, in batches; `labels` makes theirs in the graph that reads them."""
    features = {key: {"x": cases.X, "w": cases.WEIGHTS}[key] for key in keys}
    return lambda: tf.data.Dataset.from_tensor_slices((features, labels())).batch(cases.BATCH)


class Losses(tf.estimator.SessionRunHook):
    """Keeps the losses of steps, the first of which begins with the values that `first_value` gives variables."""

    def __init__(self, first_value=None):
        self.first_value = first_value

    def after_create_session(self, session, coord):
        for variable in tf.compat.v1.trainable_variables() if self.first_value else ():
            variable.load(self.first_value(variable.op.name, variable.shape), session)

    def begin(self):
        self.values = []
        self.loss = tf.compat.v1.get_collection(tf.compat.v1.GraphKeys.LOSSES)[-1]  # losses of elements come before

    def before_run(self, run_context):
        return tf.estimator.SessionRunArgs(self.loss)

    def after_run(self, run_context, run_values):
        self.values.append(float(run_values.results))


def written(value):
    if isinstance(value, np.ndarray):
        return [written(item) for item in value]
    return value.decode() if isinstance(value, bytes) else value.item()


def metrics_of(estimator, data):
    return {key: written(value) for key, value in estimator.evaluate(data).items()}


def record(estimator, data, first_value=None):
    """Metrics before and after the training of one pass over the rows, its losses, predictions of the first rows after.
    With values to begin with there are no metrics before."""
    found = {} if first_value else {"before": metrics_of(estimator, data)}
    losses = Losses(first_value)
    estimator.train(data, hooks=[losses])
    found |= {"losses": losses.values, "after": metrics_of(estimator, data)}
    rows = [row for row, _ in zip(estimator.predict(data), range(2))]
    found["predictions"] = [
        {"|".join(key) if isinstance(key, tuple) else key: written(value) for key, value in row.items()} for row in rows
    ]
    return found


def model_fn_of(head, units):
    def model_fn(features, labels, mode):
        kernel = tf.compat.v1.get_variable("kernel", initializer=cases.first_kernel(units))
        optimizer = tf.keras.optimizers.legacy.SGD(cases.RATE)
        optimizer.iterations = tf.compat.v1.train.get_or_create_global_step()
        penalty = [0.01 * tf.reduce_sum(tf.square(kernel))]
        return head.create_estimator_spec(features, mode, tf.matmul(features["x"], kernel), labels, optimizer=optimizer,
                                          trainable_variables=[kernel], regularization_losses=penalty)

    return model_fn


def record_several(directory, config):
    """A MultiHead in canned Estimators."""
    labels = {name: case for name, (case, _) in cases.SEVERAL.items()}
    columns = [tf.feature_column.numeric_column("x", shape=(cases.FEATURES,))]

    def data(keys=("x", "w")):
        return input_fn(lambda: {name: labels_of(case) for name, case in labels.items()}, keys)

    def head():
        heads = [make_head(case, name=name) for name, case in labels.items()]
        return tf.estimator.MultiHead(heads, [weight for _, weight in cases.SEVERAL.values()])

    linear = tf.estimator.LinearEstimator(head(), columns, f"{directory}/several-linear", config=config)
    baseline = tf.estimator.BaselineEstimator(head(), f"{directory}/several-baseline", config=config)
    dnn = tf.estimator.DNNEstimator(head(), cases.HIDDEN_UNITS, columns, f"{directory}/several-dnn", config=config)
    return {"linear": record(linear, data()), "baseline": record(baseline, data(["w"])),
            "dnn": record(dnn, data(), cases.first_value)}


def main():
    recorded = {"model_fn": {}, "linear": {}, "baseline": {}}
    config = tf.estimator.RunConfig(tf_random_seed=1)
    with tempfile.TemporaryDirectory() as directory:
        for case in cases.CASES:
            head = make_head(case)
            data = input_fn(lambda: labels_of(case))
            model = tf.estimator.Estimator(model_fn_of(head, head.logits_dimension), f"{directory}/{case}", config)
            recorded["model_fn"][case] = record(model, data)
            if case not in cases.CANNED:
                continue
            columns = [tf.feature_column.numeric_column("x", shape=(cases.FEATURES,))]
            linear = tf.estimator.LinearEstimator(make_head(case), columns, f"{directory}/linear-{case}", config=config)
            recorded["linear"][case] = record(linear, data)
            baseline = tf.estimator.BaselineEstimator(make_head(case), f"{directory}/baseline-{case}", config=config)
            # Of more than one feature the initial value of TensorFlow's bias waits for rows that nothing has asked for.
            recorded["baseline"][case] = record(baseline, input_fn(lambda: labels_of(case), ["w"]))
        heads = [make_head(case) for case in cases.MULTI]
        head = tf.estimator.MultiHead(heads, list(cases.MULTI.values()))
        labels = {part.name: case for part, case in zip(heads, cases.MULTI)}
        data = input_fn(lambda: {name: labels_of(case) for name, case in labels.items()})
        model = tf.estimator.Estimator(model_fn_of(head, head.logits_dimension), f"{directory}/multi", config)
        recorded["model_fn"]["multi"] = record(model, data)
        recorded["several"] = record_several(directory, config)
    with open(os.path.join(HERE, "Inputs", "heads.json"), "w") as file:
        json.dump(recorded, file, indent=0)
        file.write("\n")


if __name__ == "__main__":
    main()
