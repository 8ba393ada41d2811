"""TensorFlow reads what `mlc ckpt convert --to tf` writes: every tensor bit for bit, by load_checkpoint and by a Saver; an Estimator
evaluates it, from its directory and by a warm start, to our metrics, and trains on. By tensorflow_checkpoints.sh.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import os
import subprocess
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import safetensors.numpy
import tensorflow as tf

tf.get_logger().setLevel("ERROR")
v1 = tf.compat.v1
EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples")
NAMES = ["SepalLength", "SepalWidth", "PentalLength", "PentalWidth"]
OPTIMIZERS = {
    "adagrad": {"adagrad": ["accumulator"]}, "adam": {"adam": ["m", "v"]}, "adadelta": {"adadelta": ["accum_grad", "accum_var"]},
    "adamax": {"adamax": ["m", "v"]}, "ftrl": {"ftrl": ["accumulator", "linear"]}, "rms_prop": {"rms_prop { momentum: 0.9 }": ["rms", "momentum"]},
    "momentum": {"momentum { momentum: 0.9 }": ["momentum"]}, "nadam": {"nadam": ["m", "v"]}}  # fmt: skip


def mlc(*words):
    done = subprocess.run([os.environ["MLC"], *words], check=True, capture_output=True, text=True)
    return done.stdout


def check_reader(prefix, tensors, slots):
    """All tensors by load_checkpoint; those that are no slots have our names, the others Keras'."""
    reader = tf.train.load_checkpoint(prefix)
    shapes = reader.get_variable_to_shape_map()
    variables = sorted(name for name in tensors if not name.split("/")[-1][0].isupper() and "momentum_cache" not in name)
    assert len(shapes) == len(tensors), sorted(shapes)
    for name in variables:
        value = reader.get_tensor(name)
        assert value.dtype == tensors[name].dtype and value.tobytes() == tensors[name].tobytes(), name
    found = sorted(name for name in shapes if name.startswith("training/"))
    assert len(found) == len(tensors) - len(variables), found
    ours = [tensors[name].tobytes() for name in tensors]
    for name in found:
        assert reader.get_tensor(name).tobytes() in ours and (name.split("/")[-1] in slots or "cache" in name), name
    return shapes


def check_saver(prefix, shapes):
    """A Saver of a graph with all of them."""
    reader = tf.train.load_checkpoint(prefix)
    dtypes = reader.get_variable_to_dtype_map()
    with tf.Graph().as_default(), v1.Session() as session:
        variables = {name: v1.get_variable(name, shape, dtypes[name]) for name, shape in shapes.items()}
        v1.train.Saver().restore(session, tf.train.latest_checkpoint(os.path.dirname(prefix)))
        for name, value in session.run(variables).items():
            assert value.tobytes() == reader.get_tensor(name).tobytes(), name


def rows(name):
    table = np.genfromtxt(os.path.join(EXAMPLES, "iris", "data", name), delimiter=",", skip_header=1, dtype=np.float32)
    features = {key: table[:, i] for i, key in enumerate(NAMES)}
    return lambda: tf.data.Dataset.from_tensor_slices((features, table[:, 4].astype(np.int64))).batch(30)


def check_estimator(prefix, expected):
    """Metrics of its directory, of a warm start; a step from there."""
    def classifier(**more):
        columns = [tf.feature_column.numeric_column(name) for name in NAMES]
        return tf.estimator.DNNClassifier([30, 10], columns, n_classes=3, **more)

    found = {"evaluate": classifier(model_dir=os.path.dirname(prefix)).evaluate(rows("iris_test.csv"))}
    warm = classifier(model_dir=tempfile.mkdtemp(), warm_start_from=os.path.dirname(prefix))
    found["warm start"] = warm.evaluate(rows("iris_test.csv"))
    assert found["evaluate"]["global_step"] == expected["global_step"]
    for how, metrics in found.items():
        for name in ("accuracy", "average_loss"):
            assert abs(metrics[name] - expected[name]) < 1e-6, (how, name, metrics[name], expected[name])
    warm.train(rows("iris_training.csv"), steps=1)
    return found["warm start"]["average_loss"]


def check(name, rule):
    """Trains the iris model by a rule, and compares what TensorFlow reads of it."""
    directory = tempfile.mkdtemp()
    prefix, model_dir, plain = (os.path.join(directory, each) for each in ("tf/model.ckpt-100", "m", "m.safetensors"))
    os.mkdir(os.path.dirname(prefix))
    ((text, slots),) = rule.items()
    overlay = os.path.join(directory, "overlay.pbtxt")
    with open(overlay, "w") as file:
        file.write("model { dnn { optimizer { %s } } }\n" % (text if "{" in text else text + " {}"))
    model = [os.path.join(EXAMPLES, "iris", "dnn.pbtxt"), "--overlay", overlay, "--model_dir", model_dir]
    mlc("train", *model, "--max_steps", "100", "--quiet")
    mlc("ckpt", "convert", model_dir, "--to", "tf", prefix)
    mlc("ckpt", "convert", model_dir, "--to", plain)
    tensors = safetensors.numpy.load_file(plain)
    shapes = check_reader(prefix, tensors, slots)
    check_saver(prefix, shapes)
    loss = check_estimator(prefix, json.loads(mlc("evaluate", *model, "--json")))
    print(f"{name}: {len(shapes)} tensors equal by load_checkpoint and by a Saver; Estimator's average_loss {loss:.7f}, as here")


def main():
    with tempfile.TemporaryDirectory() as directory:
        tempfile.tempdir = directory
        for name, rule in OPTIMIZERS.items():
            check(name, rule)


if __name__ == "__main__":
    main()
