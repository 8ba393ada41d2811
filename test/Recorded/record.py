#!/usr/bin/env python3
"""Records what tf.estimator of TensorFlow 2.15 does with the models of Inputs, from mlc's initial weights, in
Inputs/tensorflow.safetensors: losses of all steps, variables and slots after the first one, metrics. The same in float64,
by a model of its own with the Keras optimizers, gives the rounding error of TensorFlow's float32.

  benchmarks/setup_tensorflow.sh
  PATH=build/bin:$PATH benchmarks/.venv-tf/bin/python test/Recorded/record.py [CASE...]

With names of cases only those are recorded anew. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import csv
import functools
import itertools
import json
import os
import sys
import tempfile

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
import numpy as np
import safetensors.numpy
import tensorflow as tf

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "Inputs"))
import cases

tf.get_logger().setLevel("ERROR")
fc = tf.feature_column
legacy = tf.keras.optimizers.legacy

DATA = os.path.join(cases.HERE, "..", "..", "..", "examples", "census", "data")
NAMES = ["age", "workclass", "fnlwgt", "education", "education_num", "marital_status", "occupation", "relationship",
         "race", "gender", "capital_gain", "capital_loss", "hours_per_week", "native_country", "income_bracket"]
NUMBERS = ["age", "education_num", "hours_per_week"]
STRINGS = ["education", "occupation", "relationship", "gender"]
BATCH, EVAL_BATCH, EVAL_STEPS = 32, 250, 4
# By tf.estimator's names, and those that it has no name of, as cases.UNNAMED has them.
NAMES_OF_RULES = {"sgd": "SGD", "adagrad": "Adagrad", "adam": "Adam", "rms_prop": "RMSProp", "ftrl": "Ftrl"}
UNNAMED = {"momentum": functools.partial(legacy.SGD, 0.01, momentum=0.9),
           "rms_prop_momentum": functools.partial(legacy.RMSprop, 0.001, momentum=0.9),
           "adadelta": functools.partial(legacy.Adadelta, 1.0), "adamax": functools.partial(legacy.Adamax, 0.001),
           "nadam": functools.partial(legacy.Nadam, 0.001), "amsgrad": functools.partial(legacy.Adam, 0.001, amsgrad=True),
           "ftrl_beta": functools.partial(legacy.Ftrl, 0.2, beta=1.0, l1_regularization_strength=0.01,
                                          l2_shrinkage_regularization_strength=0.01)}
OPTIMIZERS = NAMES_OF_RULES | UNNAMED
SLOTS = {("Adagrad", "accumulator"): "Adagrad", ("Adam", "m"): "Adam", ("Adam", "v"): "Adam_1", ("Adam", "vhat"): "Adam_2",
         ("Adadelta", "accum_grad"): "Adadelta", ("Adadelta", "accum_var"): "Adadelta_1",
         ("Adamax", "m"): "Adamax", ("Adamax", "v"): "Adamax_1", ("Nadam", "m"): "Nadam", ("Nadam", "v"): "Nadam_1",
         ("SGD", "momentum"): "Momentum", ("RMSprop", "rms"): "RMSProp", ("RMSprop", "momentum"): "RMSProp_1",
         ("Ftrl", "accumulator"): "Ftrl", ("Ftrl", "linear"): "Ftrl_1"}


def read_rows(name, count):
    with open(os.path.join(DATA, name), newline="") as file:
        rows = list(itertools.islice(csv.reader(file, skipinitialspace=True), count))
    columns = dict(zip(NAMES, zip(*rows)))
    features = {name: np.array(columns[name], dtype=np.float32) for name in NUMBERS}
    for name in STRINGS:
        features[name] = np.array(["" if text == "?" else text for text in columns[name]])
    features["some_occupation"] = features["occupation"]
    labels = np.array([text.rstrip(".") for text in columns["income_bracket"]])
    return features, labels


TRAIN = read_rows("adult-train.csv", BATCH * cases.STEPS)
TEST = read_rows("adult-test.csv", EVAL_BATCH * EVAL_STEPS)


class Columns:
    """The feature columns of census.pbtxt."""

    def __init__(self):
        def z_score(mean, stddev):
            return lambda x: (x - mean) / stddev

        age = fc.numeric_column("age")
        self.bucketized = fc.bucketized_column(age, [18, 25, 30, 35, 40, 45, 50, 55, 60, 65])
        self.numbers = [fc.numeric_column("age", normalizer_fn=z_score(38.58, 13.64)),
                        fc.numeric_column("education_num", normalizer_fn=z_score(10.08, 2.57)),
                        fc.numeric_column("hours_per_week", normalizer_fn=z_score(40.44, 12.35))]
        gender = fc.categorical_column_with_vocabulary_list("gender", ["Female", "Male"])
        relationship = fc.categorical_column_with_vocabulary_list(
            "relationship", ["Husband", "Not-in-family", "Wife", "Own-child", "Unmarried"], num_oov_buckets=2)
        education = fc.categorical_column_with_hash_bucket("education", 30)
        occupation = fc.categorical_column_with_hash_bucket("occupation", 30)
        cross = fc.crossed_column(["education", "occupation"], 100)
        self.categorical = {"age_bucketized": self.bucketized, "gender": gender, "relationship": relationship,
                            "education": education, "occupation": occupation, "education_X_occupation": cross}
        self.wide = list(self.categorical.values())
        self.deep = self.numbers + [fc.indicator_column(gender), fc.indicator_column(relationship),
                                    fc.embedding_column(education, 4), fc.embedding_column(occupation, 4)]
        self.some = fc.categorical_column_with_vocabulary_list("some_occupation", ["Sales", "Exec-managerial", "Craft-repair"])


def input_fn(data, batch, count):
    return lambda: tf.data.Dataset.from_tensor_slices(data).batch(batch).take(count)


def make_estimator(case, directory):
    columns = Columns()
    common = {"model_dir": directory, "label_vocabulary": ["<=50K", ">50K"]}
    optimizer = OPTIMIZERS.get(case.rule)
    if case.model == "linear":
        return tf.estimator.LinearClassifier(columns.wide + columns.numbers[2:], optimizer=optimizer or "Ftrl", **common)
    if case.model == "dnn":
        return tf.estimator.DNNClassifier([16, 8], columns.deep, optimizer=optimizer or "Adagrad",
                                          batch_norm=case.batch_norm, **common)
    wide, deep = columns.wide, columns.deep
    if case.model == "absent":
        wide, deep = [columns.some], [columns.numbers[0], fc.embedding_column(columns.some, 4)]
    return tf.estimator.DNNLinearCombinedClassifier(
        linear_feature_columns=wide, linear_optimizer=optimizer or "Ftrl", dnn_feature_columns=deep,
        dnn_optimizer=optimizer or "Adagrad", dnn_hidden_units=[16, 8], **common)


def mlc_name(name):
    """That of a variable or slot of tf.estimator; None if mlc has none."""
    if not name.startswith("training/"):
        return name
    _, optimizer, rest = name.split("/", 2)
    variable, _, slot = rest.rpartition("/")
    suffix = SLOTS.get((optimizer.split("_")[0], slot))
    return f"{variable}/{suffix}" if suffix else None


class Setter(tf.estimator.SessionRunHook):
    """Sets the variables at the start of a session."""

    def __init__(self, initial):
        self.initial = initial

    def begin(self):
        self.variables = {mlc_name(v.op.name): v for v in tf.compat.v1.global_variables() if v.shape.rank > 0}
        self.variables.pop(None, None)
        missing = {v.op.name for v in tf.compat.v1.trainable_variables()} - set(self.initial)
        if missing:
            raise SystemExit(f"mlc has no {missing}")
        self.assigns = [v.assign(self.initial[name]) for name, v in self.variables.items() if name in self.initial]

    def after_create_session(self, session, coord):
        session.run(self.assigns)


class Recorder(Setter):
    """Also keeps losses, and the state after the first step."""

    def begin(self):
        super().begin()
        self.losses, self.first = [], {}
        self.loss = tf.compat.v1.get_collection(tf.compat.v1.GraphKeys.LOSSES)[0]

    def before_run(self, run_context):
        return tf.estimator.SessionRunArgs(self.loss)

    def after_run(self, run_context, run_values):
        self.losses.append(run_values.results)
        if len(self.losses) == 1:
            self.first = run_context.session.run(self.variables)


class Reference:
    """The same model in float64."""

    def __init__(self, case, initial):
        self.case, columns = case, Columns()
        trained = [n for n in initial if not n.endswith(("moving_mean", "moving_variance"))]
        self.variables = {name: tf.Variable(initial[name].astype(np.float64)) for name in trained}
        features, labels = TRAIN
        self.labels = (labels == ">50K").astype(np.float64)
        self.numbers = {name: features[name].astype(np.float64) for name in NUMBERS}
        for name, (mean, stddev) in {"age": (38.58, 13.64), "education_num": (10.08, 2.57), "hours_per_week": (40.44, 12.35)}.items():
            self.numbers[name] = (self.numbers[name] - mean) / stddev
        self.ids = {}
        categorical = {"some_occupation": columns.some} if case.model == "absent" else columns.categorical
        for name, column in categorical.items():
            dense = column if name == "age_bucketized" else fc.indicator_column(column)
            hot = tf.keras.layers.DenseFeatures([dense])(features).numpy()
            self.ids[name] = np.where(hot.any(1), hot.argmax(1), -1)

    def rows(self, table, ids):
        found = tf.gather(self.variables[table], np.maximum(ids, 0))
        return found * (ids >= 0).astype(np.float64)[:, None]

    def linear(self, rows):
        prefix = "linear/linear_model/"
        total = self.variables[prefix + "bias_weights"][None, :]
        if self.case.model == "linear":
            total += self.numbers["hours_per_week"][rows][:, None] * self.variables[prefix + "hours_per_week/weights"]
        for name in self.ids:
            total += self.rows(f"{prefix}{name}/weights", self.ids[name][rows])
        return total

    def deep(self, rows):
        def hot(name, size):
            return np.eye(size)[self.ids[name][rows]] * (self.ids[name][rows] >= 0)[:, None]

        def embedding(name):
            table = f"dnn/input_from_feature_columns/input_layer/{name}_embedding/embedding_weights"
            return self.rows(table, self.ids[name][rows])

        if self.case.model == "absent":
            inputs = {"age": self.numbers["age"][rows][:, None], "some_occupation_embedding": embedding("some_occupation")}
        else:
            inputs = {name: self.numbers[name][rows][:, None] for name in NUMBERS}
            inputs |= {"gender_indicator": hot("gender", 2), "relationship_indicator": hot("relationship", 7),
                       "education_embedding": embedding("education"), "occupation_embedding": embedding("occupation")}
        x = tf.concat([inputs[name] for name in sorted(inputs)], 1)
        for i in range(2):
            layer = f"dnn/hiddenlayer_{i}/"
            x = tf.nn.relu(x @ self.variables[layer + "kernel"] + self.variables[layer + "bias"])
            if self.case.batch_norm:
                mean, variance = tf.nn.moments(x, [0])
                norm = f"{layer}batchnorm_{i}/"
                x = (x - mean) / tf.sqrt(variance + 1e-3) * self.variables[norm + "gamma"] + self.variables[norm + "beta"]
        return x @ self.variables["dnn/logits/kernel"] + self.variables["dnn/logits/bias"]

    def train(self, rates):
        """The losses, and variables and slots after the first step. `rates`: those of tf.estimator's optimizers, by the part of
        the model."""
        model, rule = self.case.model, self.case.rule
        parts = {"linear": ["linear"], "dnn": ["dnn"]}.get(model, ["linear", "dnn"])
        default = {"linear": "ftrl", "dnn": "adagrad"}
        classes = UNNAMED | {"sgd": legacy.SGD, "adagrad": legacy.Adagrad, "adam": legacy.Adam, "rms_prop": legacy.RMSprop,
                             "ftrl": legacy.Ftrl}
        optimizers = [(part, classes[rule or default[part]]()) for part in parts]
        for part, optimizer in optimizers:
            optimizer.learning_rate = rates[part]
        result, first = [], {}
        for step in range(cases.STEPS):
            rows = slice(step * BATCH, (step + 1) * BATCH)
            with tf.GradientTape(persistent=True) as tape:
                logits = sum(getattr(self, {"linear": "linear", "dnn": "deep"}[part])(rows) for part in parts)
                loss = tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(self.labels[rows][:, None], logits))
            result.append(loss.numpy())
            for part, optimizer in optimizers:
                own = [v for name, v in self.variables.items() if name.startswith(part + "/")]
                optimizer.apply_gradients(zip(tape.gradient(loss, own), own))
            if step == 0:
                first = {name: variable.numpy() for name, variable in self.variables.items()}
                for _, optimizer in optimizers:
                    for variable, slot in itertools.product(self.variables, optimizer.get_slot_names()):
                        if self.variables[variable]._unique_id in optimizer._slots:
                            name = f"{variable}/{SLOTS[type(optimizer).__name__, slot]}"
                            first[name] = optimizer.get_slot(self.variables[variable], slot).numpy()
        return np.array(result), first


def numpy_of(tensors):
    return {name: np.frombuffer(data, np.float32).reshape(shape)
            for name, (dtype, shape, data) in tensors.items() if dtype == "F32"}


def learning_rates(estimator_dir, case):
    """Those that tf.estimator used, from its checkpoint."""
    reader = tf.train.load_checkpoint(estimator_dir)
    found = {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map() if name.endswith("/learning_rate")}
    if case.model in ("linear", "dnn"):
        (rate,) = found.values()
        return {case.model: float(rate)}
    slots = [name for name in reader.get_variable_to_shape_map() if name.startswith("training/")]
    rates = {}
    for name, rate in found.items():
        scope = name[: -len("learning_rate")]
        part = {slot[len(scope):].split("/")[0] for slot in slots if slot.startswith(scope)} & {"linear", "dnn"}
        if part:
            rates[part.pop()] = float(rate)
    # Gradient descent has no slots; the optimizer of the dnn is made first.
    if not rates:
        first, second = sorted(found)
        rates = {"dnn": float(found[first]), "linear": float(found[second])}
    return rates


def record(case, directory, tensors, metrics):
    trainer = cases.Trainer(case, directory)
    trainer.train(1)
    initial = numpy_of(trainer.variables(trainer.model_dir(1), 0))
    of_optimizers = {*SLOTS.values(), "momentum_cache"}
    initial = {name: value for name, value in initial.items() if name.rpartition("/")[2] not in of_optimizers}
    model_dir = os.path.join(directory, "tf-" + case.name)
    recorder = Recorder(initial)
    make_estimator(case, model_dir).train(input_fn(TRAIN, BATCH, cases.STEPS), hooks=[recorder])
    rates = learning_rates(model_dir, case)
    exact, exact_first = Reference(case, initial).train(rates)
    losses = np.array(recorder.losses)
    print(f"{case.name}: rates {rates}, losses {losses[0]:.6f} .. {losses[-1]:.6f}, float32 from float64 "
          f"{np.max(np.abs(losses - exact) / exact):.2e}", flush=True)
    tensors[f"{case.name}/losses"] = losses
    tensors[f"{case.name}/losses64"] = exact
    for name, value in recorder.first.items():
        tensors[f"{case.name}/first/{name}"] = value
        # Where TensorFlow itself is not near, what is right is kept, too.
        if name in exact_first and cases.element_distance(value.ravel(), exact_first[name].ravel()) > cases.ELEMENT_BOUND / 4:
            tensors[f"{case.name}/first64/{name}"] = exact_first[name]
    for name, value in initial.items():
        tensors[case.initial + name] = value
    if case.rule == "adam":
        fresh = make_estimator(case, os.path.join(directory, "tf-fresh-" + case.name))
        metrics[case.name] = evaluated(fresh.evaluate(input_fn(TEST, EVAL_BATCH, EVAL_STEPS), hooks=[Setter(initial)]))


def evaluated(values):
    return {name: float(value) for name, value in values.items() if name != "global_step"}


def main():
    chosen = [case for case in cases.CASES if not sys.argv[1:] or case.name in sys.argv[1:]]
    path = os.path.join(cases.HERE, "tensorflow.safetensors")
    tensors, metrics = {}, {}
    if sys.argv[1:]:
        prefixes = tuple(part for case in chosen for part in (case.name + "/", case.initial))
        known = tuple(part for case in cases.CASES for part in (case.name + "/", case.initial))
        tensors = {key: value for key, value in safetensors.numpy.load_file(path).items()
                   if key.startswith(known) and not key.startswith(prefixes)}
        metrics = json.loads(cases.read_safetensors(path)[1]["metrics"])
    with tempfile.TemporaryDirectory() as directory:
        for case in chosen:
            record(case, directory, tensors, metrics)
    safetensors.numpy.save_file(tensors, path, {"tensorflow": tf.__version__, "metrics": json.dumps(metrics)})


if __name__ == "__main__":
    main()
