#!/usr/bin/env python3
"""Records the losses, metrics and predictions of TensorFlow 2.15's recurrent Estimators, in Inputs/rnn.json.

  benchmarks/setup_tensorflow.sh
  benchmarks/.venv-tf/bin/python test/Recorded/record_rnn.py

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import os
import sys

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "Inputs"))
import numpy as np
import rnn_cases as cases
import tensorflow as tf

fc, v1 = tf.feature_column, tf.compat.v1


def columns(has_more):
    word = fc.sequence_categorical_column_with_vocabulary_list("word", cases.WORDS)
    sequences, context = [fc.embedding_column(word, dimension=3)], []
    if has_more:
        sequences += [
            fc.sequence_numeric_column("price"),
            fc.indicator_column(fc.sequence_categorical_column_with_identity("id", 4)),
        ]
        city = fc.embedding_column(fc.categorical_column_with_identity("city", 5), dimension=2)
        context = [fc.numeric_column("age"), city]
    return sequences, context


def optimizer(of):
    if isinstance(of, str):
        return of
    name, numbers = of
    return lambda: getattr(tf.keras.optimizers.legacy, name)(**numbers)


def sparse(rows, dtype):
    indices = [(r, t) for r, row in enumerate(rows) for t in range(len(row))]
    values = [value for row in rows for value in row]
    shape = [len(rows), max(map(len, rows))]
    return v1.SparseTensorValue(np.reshape(np.array(indices, np.int64), (-1, 2)), np.array(values, dtype), shape)


def tensors(batch):
    features, labels = batch
    made = {"word": sparse(features["word"], object), "id": sparse(features["id"], np.int64)}
    made["price"] = sparse(features["price"], np.float32)
    return {**made, "age": features["age"], "city": features["city"]}, labels


def input_fn(batches):
    """The batches, one after the other."""

    def make():
        made = [tensors(batch) for batch in batches]
        parts = {
            key: ([np.asarray(f[key].values, object if key == "word" else None) for f, _ in made],
                  [f[key].indices for f, _ in made], [f[key].dense_shape for f, _ in made])
            for key in ("word", "id", "price")
        }  # fmt: skip

        def generate():
            for step, (features, labels) in enumerate(made):
                row = {k: (v[1][step], v[0][step], np.array(v[2][step], np.int64)) for k, v in parts.items()}
                yield row, features["age"], features["city"].astype(np.int64), labels

        def spec(dtype):
            return (tf.TensorSpec([None, 2], tf.int64), tf.TensorSpec([None], dtype), tf.TensorSpec([2], tf.int64))

        signature = (
            {"word": spec(tf.string), "id": spec(tf.int64), "price": spec(tf.float32)},
            tf.TensorSpec([None], tf.float32), tf.TensorSpec([None], tf.int64), tf.TensorSpec([None], tf.int64),
        )  # fmt: skip

        def pack(sequences, age, city, labels):
            features = {key: tf.SparseTensor(*value) for key, value in sequences.items()}
            return {**features, "age": age, "city": city}, labels

        return tf.data.Dataset.from_generator(generate, output_signature=signature).map(pack)

    return make


class Recorder(tf.estimator.SessionRunHook):
    """Sets the first values and notes the losses."""

    def __init__(self):
        self.losses = []

    def after_create_session(self, session, coord):
        for variable in v1.trainable_variables():
            variable.load(cases.first_value(variable.op.name, variable.shape), session)

    def before_run(self, context):
        graph = v1.get_default_graph()
        return tf.estimator.SessionRunArgs(graph.get_collection(v1.GraphKeys.LOSSES)[-1])

    def after_run(self, context, values):
        self.losses.append(float(values.results))


def record(name):
    cell, units, classes, of, has_more = cases.CASES[name]
    sequences, context = columns(has_more)
    config = tf.estimator.RunConfig(session_config=v1.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1))
    model = tf.estimator.experimental.RNNClassifier(
        sequences, context, units=units, cell_type=cell, n_classes=classes, optimizer=optimizer(of), config=config
    )
    batches = cases.batches(name)
    recorder = Recorder()
    model.train(input_fn(batches), hooks=[recorder])
    metrics = model.evaluate(input_fn(batches[:3]))
    predictions = [p["logits"].tolist() for p in model.predict(input_fn(batches[:1]))]
    found = {key: float(value) for key, value in metrics.items()}
    return {"losses": recorder.losses, "metrics": found, "logits": predictions}


if __name__ == "__main__":
    recorded = {name: record(name) for name in cases.CASES}
    with open(os.path.join(HERE, "Inputs", "rnn.json"), "w") as out:
        json.dump(recorded, out, indent=0)
