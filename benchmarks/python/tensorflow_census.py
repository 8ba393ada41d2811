"""The model of census.py with TensorFlow 2.15: one training that tells its rate, or predictions of one row in turns.

    .venv-tf/bin/python tensorflow_census.py train --rows rows.npz --steps N --threads N --input dataset|numpy_input_fn
    .venv-tf/bin/python tensorflow_census.py predict --rows rows.npz --threads N

`train` prints a line of JSON. `predict` exports a SavedModel, loads it and prints, for each line of stdin, the median
microseconds of so many calls of its signature. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import os
import statistics
import sys
import tempfile
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

tf.get_logger().setLevel("ERROR")
fc = tf.feature_column

TEXTS = ["workclass", "education", "marital_status", "occupation", "relationship", "race", "gender", "native_country"]
Z_SCORES = {"age": (38.58, 13.64), "education_num": (10.08, 2.57), "hours_per_week": (40.44, 12.35)}
LOGARITHMS = ["capital_gain", "capital_loss"]
BATCH = 100
# How many steps are left out at the start: the first ones optimize the graph.
WARM_UP = 20


def wide_deep(model_dir, threads):
    def z_score(mean, stddev):
        return lambda x: (x - mean) / stddev

    hashed = [fc.categorical_column_with_hash_bucket(name, 100) for name in TEXTS]
    crossed = [fc.crossed_column(["education", "occupation"], 10000),
               fc.crossed_column(["native_country", "occupation"], 10000)]
    numbers = [fc.numeric_column(name, normalizer_fn=z_score(*Z_SCORES[name])) for name in Z_SCORES]
    numbers += [fc.numeric_column(name, normalizer_fn=tf.math.log1p) for name in LOGARITHMS]
    session = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=threads)
    config = tf.estimator.RunConfig(model_dir, session_config=session, save_checkpoints_steps=10**9,
                                    save_summary_steps=None, log_step_count_steps=None, tf_random_seed=1)
    return tf.estimator.DNNLinearCombinedClassifier(
        config=config, linear_feature_columns=hashed + crossed, dnn_hidden_units=[100, 50],
        dnn_feature_columns=numbers + [fc.embedding_column(column, 8) for column in hashed],
        label_vocabulary=["<=50K", ">50K"])


def read_rows(path):
    arrays = {name: array.astype(object) if array.dtype.kind == "U" else array for name, array in np.load(path).items()}
    return arrays, arrays.pop("label")


def cached_dataset(features, labels, threads):
    """Batches made once, kept as Tensors, in another order in each pass, ahead of the step."""
    def dataset():
        batches = tf.data.Dataset.from_tensor_slices((features, labels)).batch(BATCH).cache()
        options = tf.data.Options()
        options.threading.private_threadpool_size = threads
        return batches.shuffle(len(labels) // BATCH + 1).repeat().prefetch(tf.data.AUTOTUNE).with_options(options)

    return dataset


class Clock(tf.estimator.SessionRunHook):
    """Takes the time from the end of step WARM_UP to the end of the last step."""

    def __init__(self):
        self.steps, self.first, self.last = 0, None, None

    def after_run(self, run_context, run_values):
        self.last = time.monotonic()
        self.steps += 1
        if self.steps == WARM_UP:
            self.first = self.last


def train(options, model_dir):
    features, labels = read_rows(options.rows)
    estimator = wide_deep(model_dir, options.threads)
    inputs = tf.compat.v1.estimator.inputs
    if options.input == "dataset":
        input_fn = cached_dataset(features, labels, options.threads)
    else:
        input_fn = inputs.numpy_input_fn(features, labels, BATCH, num_epochs=None, shuffle=True)
    clock = Clock()
    estimator.train(input_fn, hooks=[clock], steps=options.steps)
    result = {"rate": (clock.steps - WARM_UP) / (clock.last - clock.first)}
    if options.evaluate:
        rows = inputs.numpy_input_fn(features, labels, 1000, shuffle=False)
        result["accuracy"] = float(estimator.evaluate(rows)["accuracy"])
    print(json.dumps(result))


def predict(options, model_dir):
    tf.config.threading.set_intra_op_parallelism_threads(options.threads)
    tf.config.threading.set_inter_op_parallelism_threads(options.threads)
    features, labels = read_rows(options.rows)
    estimator = wide_deep(model_dir, options.threads)
    estimator.train(cached_dataset(features, labels, options.threads), steps=50)

    def receiver():
        placeholders = {name: tf.compat.v1.placeholder(tf.string if name in TEXTS else tf.float32, [None], name=name)
                        for name in features}
        return tf.estimator.export.ServingInputReceiver(placeholders, placeholders)

    path = estimator.export_saved_model(os.path.join(model_dir, "export"), receiver)
    signature = tf.saved_model.load(path.decode()).signatures["predict"]
    row = {name: array[:1] for name, array in features.items()}

    def call():
        return signature(**{name: tf.constant(value) for name, value in row.items()})["probabilities"].numpy()

    for line in sys.stdin:
        times = []
        for _ in range(int(line)):
            begin = time.perf_counter()
            call()
            times.append(time.perf_counter() - begin)
        print(1e6 * statistics.median(times), flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("verb", choices=["train", "predict"])
    parser.add_argument("--rows", required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--steps", type=int)
    parser.add_argument("--input", choices=["dataset", "numpy_input_fn"])
    parser.add_argument("--evaluate", action="store_true")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as model_dir:
        (train if options.verb == "train" else predict)(options, model_dir)


main()
