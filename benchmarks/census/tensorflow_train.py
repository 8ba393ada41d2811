"""The model of examples/census/wide_deep.pbtxt by TensorFlow's DNNLinearCombinedClassifier: see benchmarks/README.md.

Trains on a CSV file without blanks after the commas and prints a line of JSON. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import os
import time

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import tensorflow as tf

tf.get_logger().setLevel("ERROR")
fc = tf.feature_column
legacy = tf.keras.optimizers.legacy

BATCH = 128
BUFFER = 40000  # more than the file has rows: a whole epoch is shuffled, as mlc does
NAMES = ["age", "workclass", "fnlwgt", "education", "education_num", "marital_status", "occupation", "relationship",
         "race", "gender", "capital_gain", "capital_loss", "hours_per_week", "native_country", "income_bracket"]
NUMBERS = ["age", "education_num", "capital_gain", "capital_loss", "hours_per_week"]
HASHED = ["workclass", "education", "marital_status", "occupation", "race", "native_country"]
USED = [index for index, name in enumerate(NAMES) if name != "fnlwgt"]
# How many steps are left out at the start: the first ones optimize the graph.
WARM_UP = 10


def parse(lines):
    """A batch of lines at once. Missing texts become empty, which hash and cross columns take for none."""
    defaults = [[0.0] if NAMES[index] in NUMBERS else [""] for index in USED]
    columns = tf.io.decode_csv(lines, defaults, na_value="?", select_cols=USED)
    features = dict(zip((NAMES[index] for index in USED), columns))
    return features, features.pop("income_bracket")


def make_input(path, threads, epochs, variant):
    """`lines`: lines are shuffled and parsed in each epoch, in parallel and ahead of the step. `cached`: parsed once;
    the batches of each epoch are the same in another order."""
    def dataset():
        lines = tf.data.TextLineDataset(path)
        if variant == "lines":
            result = lines.shuffle(BUFFER).batch(BATCH).repeat(epochs)
            result = result.map(parse, num_parallel_calls=tf.data.AUTOTUNE, deterministic=False)
        else:
            result = lines.shuffle(BUFFER).batch(BATCH).map(parse, num_parallel_calls=tf.data.AUTOTUNE)
            result = result.cache().shuffle(BUFFER // BATCH).repeat(epochs)
        options = tf.data.Options()
        options.threading.private_threadpool_size = threads
        return result.prefetch(tf.data.AUTOTUNE).with_options(options)

    return dataset


def make_columns():
    def z_score(mean, stddev):
        return lambda x: (x - mean) / stddev

    numbers = [fc.numeric_column("age", normalizer_fn=z_score(38.58, 13.64)),
               fc.numeric_column("education_num", normalizer_fn=z_score(10.08, 2.57)),
               fc.numeric_column("hours_per_week", normalizer_fn=z_score(40.44, 12.35)),
               fc.numeric_column("capital_gain", normalizer_fn=tf.math.log1p),
               fc.numeric_column("capital_loss", normalizer_fn=tf.math.log1p)]
    age = fc.bucketized_column(fc.numeric_column("age"), [18, 25, 30, 35, 40, 45, 50, 55, 60, 65])
    gender = fc.categorical_column_with_vocabulary_list("gender", ["Female", "Male"])
    relationship = fc.categorical_column_with_vocabulary_list(
        "relationship", ["Husband", "Not-in-family", "Wife", "Own-child", "Unmarried", "Other-relative"])
    hashed = {name: fc.categorical_column_with_hash_bucket(name, 1000) for name in HASHED}
    crosses = [fc.crossed_column(["education", "occupation"], 10000),
               fc.crossed_column(["native_country", "occupation"], 10000),
               fc.crossed_column([age, "education", "occupation"], 100000)]
    wide = [gender, relationship, age, *(column for name, column in hashed.items() if name != "race"), *crosses]
    deep = [*numbers, fc.indicator_column(gender), fc.indicator_column(relationship),
            *(fc.embedding_column(column, 8) for column in hashed.values())]
    return wide, deep


class Clock(tf.estimator.SessionRunHook):
    """Takes the time from the end of step WARM_UP to the end of the last step."""

    def __init__(self):
        self.steps, self.first, self.last = 0, None, None

    def after_run(self, run_context, run_values):
        self.last = time.monotonic()
        self.steps += 1
        if self.steps == WARM_UP:
            self.first = self.last


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--train", required=True)
    parser.add_argument("--test", help="evaluate on it after the clock's end")
    parser.add_argument("--model_dir", required=True)
    parser.add_argument("--epochs", type=int, required=True)
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--rows", type=int, required=True, help="in the file")
    parser.add_argument("--input", choices=["lines", "cached"], required=True)
    arguments = parser.parse_args()
    threads = arguments.threads
    session = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=threads, inter_op_parallelism_threads=threads)
    # Checkpoints of the first and the last step, no summaries, no log.
    config = tf.estimator.RunConfig(arguments.model_dir, session_config=session, save_checkpoints_steps=10**9,
                                    save_summary_steps=None, log_step_count_steps=None, tf_random_seed=7)
    wide, deep = make_columns()
    estimator = tf.estimator.DNNLinearCombinedClassifier(
        config=config, linear_feature_columns=wide, dnn_feature_columns=deep, dnn_hidden_units=[100, 50],
        dnn_dropout=0.1, label_vocabulary=["<=50K", ">50K"],
        linear_optimizer=lambda: legacy.Ftrl(0.1, l1_regularization_strength=0.1, l2_regularization_strength=1.0),
        dnn_optimizer=lambda: legacy.Adagrad(0.05))
    clock = Clock()
    estimator.train(make_input(arguments.train, threads, arguments.epochs, arguments.input), hooks=[clock])
    result = {"trained": time.monotonic(), "steps": clock.steps, "seconds": clock.last - clock.first,
              "examples": arguments.epochs * arguments.rows - WARM_UP * BATCH}
    if arguments.test:
        metrics = estimator.evaluate(lambda: tf.data.TextLineDataset(arguments.test).batch(1000).map(parse))
        result["metrics"] = {name: float(metrics[name]) for name in ("accuracy", "auc", "average_loss")}
    print(json.dumps(result))


main()
