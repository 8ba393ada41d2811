#!/usr/bin/env python3
"""Records checkpoints that TensorFlow 2.15 writes, and what it reads in them, in Inputs/checkpoints: NAME/ beside NAME.npz.

  benchmarks/setup_tensorflow.sh
  benchmarks/.venv-tf/bin/python test/Recorded/record_checkpoints.py

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import shutil
import sys
import tarfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import tensorflow as tf

tf.get_logger().setLevel("ERROR")
v1 = tf.compat.v1
OUT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs", "checkpoints")
RANDOM = np.random.default_rng(15)


def save_graph(directory, build):
    """Saves the variables that `build` makes in a graph."""
    with tf.Graph().as_default(), v1.Session() as session:
        build()
        session.run(v1.global_variables_initializer())
        v1.train.Saver(save_relative_paths=True).save(session, os.path.join(directory, "model.ckpt"), global_step=7, write_meta_graph=False)


def dtypes():
    """One variable of each dtype, a scalar, one without elements, a text."""
    for dtype in (tf.float32, tf.float64, tf.float16, tf.bfloat16, tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.uint32,
                  tf.uint64, tf.bool):
        values = RANDOM.integers(0, 2 if dtype == tf.bool else 100, (3, 2))
        v1.get_variable(dtype.name, initializer=tf.cast(tf.constant(values), dtype), use_resource=True)
    v1.get_variable("scalar", initializer=tf.constant(2.5))
    v1.get_variable("empty", initializer=tf.zeros([0, 4]))
    v1.get_variable("text", initializer=tf.constant(["a", "bc"]))


def partitioned():
    """Tables in parts along either axis, with slots."""
    tables = [v1.get_variable(f"axis{axis}", (7, 5), partitioner=v1.fixed_size_partitioner(3, axis)) for axis in (0, 1)]
    loss = tf.add_n([tf.reduce_sum(tf.square(table)) for table in tables])
    v1.train.AdagradOptimizer(0.1).minimize(loss)
    v1.train.create_global_step()


def many():
    """Names that are long and begin otherwise each: an index of several blocks."""
    for number in range(700):
        v1.get_variable(f"{number * 7919 % 1000:03d}_{'x' * 400}", initializer=tf.constant(np.float32(number)))


def parts(directory):
    """A table whose parts were saved by themselves, in two data files."""
    prefix = os.path.join(directory, "parts")
    table = RANDOM.normal(size=(5, 2)).astype(np.float32)
    pieces = [{"table/part_0": table[:3], "bias": table[0]}, {"table/part_1": table[3:]}]
    for number, piece in enumerate(pieces):
        tf.raw_ops.SaveV2(prefix=f"{prefix}_{number}", tensor_names=list(piece), shape_and_slices=[""] * len(piece),
                          tensors=[tf.constant(value) for value in piece.values()])
    tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=[f"{prefix}_0", f"{prefix}_1"], destination_prefix=prefix)


def objects(directory):
    """A Keras model with its optimizer, by objects."""
    model = tf.keras.Sequential([tf.keras.layers.Dense(3, activation="relu", input_shape=(2,), name="hidden"),
                                 tf.keras.layers.BatchNormalization(name="norm"), tf.keras.layers.Dense(1, name="logits")])
    model.compile(tf.keras.optimizers.legacy.Adam(), "mse")
    model.fit(RANDOM.normal(size=(8, 2)), RANDOM.normal(size=(8, 1)), verbose=0)
    tf.train.Checkpoint(model=model, optimizer=model.optimizer).save(os.path.join(directory, "ckpt"))
    return {each.name.split(":")[0]: each.numpy() for each in model.variables + model.optimizer.variables()}


def estimator(directory):
    """A DNNLinearCombinedClassifier with batch norm, trained for some steps."""
    x = tf.feature_column.numeric_column("x")
    word = tf.feature_column.categorical_column_with_vocabulary_list("word", ["a", "b", "c"])
    model = tf.estimator.DNNLinearCombinedClassifier(
        directory, dnn_feature_columns=[x, tf.feature_column.embedding_column(word, 2)], linear_feature_columns=[x, word],
        dnn_hidden_units=[4], batch_norm=True, dnn_optimizer="Adam", config=tf.estimator.RunConfig(tf_random_seed=1, keep_checkpoint_max=1))
    features = {"x": RANDOM.normal(size=(32, 1)).astype(np.float32), "word": np.array(list("abcd") * 8)}
    labels = RANDOM.integers(0, 2, (32, 1))

    def rows():
        return tf.data.Dataset.from_tensor_slices((features, labels)).batch(8)

    model.train(rows)
    metrics = model.evaluate(rows)
    logits = np.array([each["logits"] for each in model.predict(rows)])
    for name in os.listdir(directory):
        if name != "checkpoint" and not name.startswith("model.ckpt-4."):
            path = os.path.join(directory, name)
            shutil.rmtree(path) if os.path.isdir(path) else os.remove(path)
    os.remove(os.path.join(directory, "model.ckpt-4.meta"))
    data = {f"data:{name}": value for name, value in (features | {"label": labels}).items()}
    return data | {"logits": logits} | {f"metric:{name}": np.asarray(value) for name, value in metrics.items()}


def read(directory):
    """What TensorFlow reads of the numbers in a checkpoint, by its names."""
    has_state = os.path.exists(os.path.join(directory, "checkpoint"))
    reader = tf.train.load_checkpoint(directory if has_state else os.path.join(directory, "parts"))
    dtypes = reader.get_variable_to_dtype_map()
    names = [name for name, dtype in dtypes.items() if dtype != tf.string]
    # NumPy has no bfloat16: the same numbers as float32.
    return {name: np.asarray(reader.get_tensor(name), np.float32 if dtypes[name] == tf.bfloat16 else None) for name in names}


def pack(directory):
    """The files of a directory as one that is packed."""
    with tarfile.open(directory + ".tar.gz", "w:gz") as archive:
        archive.add(directory, os.path.basename(directory))
    shutil.rmtree(directory)


def main():
    graphs = {"dtypes": dtypes, "partitioned": partitioned, "many": many}
    cases = {name: lambda directory, build=build: save_graph(directory, build) for name, build in graphs.items()}
    cases |= {"parts": parts, "objects": objects, "estimator": estimator}
    for name in sys.argv[1:] or cases:
        directory = os.path.join(OUT, name)
        shutil.rmtree(directory, ignore_errors=True)
        os.makedirs(directory)
        more = cases[name](directory) or {}
        if name == "many":  # its names and numbers follow from each other
            pack(directory)
        else:
            np.savez_compressed(directory + ".npz", **{each.replace("/", "|"): value for each, value in (read(directory) | more).items()})


if __name__ == "__main__":
    main()
