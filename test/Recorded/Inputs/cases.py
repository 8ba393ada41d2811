# The models and optimizers that are compared with TensorFlow, and how mlc is run on them.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os
import struct
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
STEPS = 200
ELEMENT_BOUND = 1e-5
RULES = ("sgd", "adagrad", "adam", "rms_prop", "ftrl")
# Of which tf.estimator has no names; the rates are those of Keras, but that of Adadelta, which would not move with it.
UNNAMED = {"momentum": "momentum { momentum: 0.9  learning_rate: 0.01 }",
           "rms_prop_momentum": "rms_prop { momentum: 0.9  learning_rate: 0.001 }",
           "adadelta": "adadelta { learning_rate: 1 }",
           "adamax": "adamax { learning_rate: 0.001 }",
           "nadam": "nadam { learning_rate: 0.001 }",
           "amsgrad": "adam { learning_rate: 0.001  amsgrad: true }",
           "ftrl_beta": "ftrl { learning_rate: 0.2  beta: 1  l1_regularization_strength: 0.01"
                        "  l2_shrinkage_regularization_strength: 0.01 }"}
BODIES = {
    "linear": ["model.linear"],
    "dnn": ["model.dnn"],
    "wide_deep": ["model.dnn_linear_combined.linear", "model.dnn_linear_combined.dnn"],
    "absent": ["model.dnn_linear_combined.linear", "model.dnn_linear_combined.dnn"],
}


class Case:
    """A model with an optimizer; `rule` None is the default, and every learning rate is."""

    def __init__(self, model, rule=None, batch_norm=False):
        self.model, self.rule, self.batch_norm = model, rule, batch_norm
        variant = "-batch_norm" if batch_norm else ""
        self.name = f"{model}-{rule or 'default'}{variant}"
        self.initial = f"{model}{variant}/initial/"

    def settings(self):
        text = UNNAMED.get(self.rule, f"{self.rule} {{}}")
        result = [f"{body}.optimizer={text}" for body in BODIES[self.model] if self.rule]
        return result + (["model.dnn.batch_norm=true"] if self.batch_norm else [])


CASES = [Case(model, rule) for model in ("linear", "dnn", "wide_deep") for rule in RULES]
# What a gradient of zeros moves, which a row without a value gives row 0 of a table.
CASES += [Case("dnn", rule) for rule in UNNAMED] + [Case("absent", rule) for rule in ("ftrl", *UNNAMED)]
CASES += [Case("linear", rule) for rule in ("nadam", "ftrl_beta")]
CASES += [Case("wide_deep"), Case("dnn", "adam", batch_norm=True)]


def element_distance(values, expected):
    """The largest one relative to the element, where float32 gives that: a gradient is a sum, whose terms may cancel, so an
    element is also right to 2^-23 of the largest."""
    floor = max(max(map(abs, expected)), 1e-30) * 2**-23 / ELEMENT_BOUND
    return max(abs(a - b) / (abs(b) + floor) for a, b in zip(values, expected, strict=True))


def read_safetensors(path):
    """{name: (dtype, shape, bytes)} and the metadata."""
    with open(path, "rb") as file:
        (size,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(size))
        data = file.read()
    metadata = header.pop("__metadata__", {})
    tensors = {}
    for name, entry in header.items():
        begin, end = entry["data_offsets"]
        tensors[name] = (entry["dtype"], entry["shape"], data[begin:end])
    return tensors, metadata


class Trainer:
    """A case compiled by mlc, with a model_dir per number of steps in `directory`. Unless `optimize`, LLVM does not."""

    def __init__(self, case, directory, optimize=True):
        self.path = os.path.join(directory, case.name)
        changes = [arg for setting in case.settings() for arg in ("--set", setting)]
        level = "1" if optimize else "0"
        run(["mlc", "compile", os.path.join(HERE, case.model + ".pbtxt"), "-o", self.path, "--opt_level", level, "--quiet"] + changes)

    def train(self, steps):
        """The losses of the steps."""
        log = run([self.path, "train", "--model_dir", self.model_dir(steps), "--max_steps", str(steps), "--json"])
        events = [json.loads(line) for line in log.splitlines()]
        return [event["loss"] for event in events if event["event"] == "step"]

    def evaluate(self, model_dir, step):
        """The metrics at a checkpoint of a training."""
        checkpoint = os.path.join(model_dir, f"ckpt-{step:010}")
        return json.loads(run([self.path, "evaluate", "--model_dir", model_dir, "--checkpoint", checkpoint, "--json"]))

    def variables(self, model_dir, step):
        """All variables and slots at a checkpoint of a training, as read_safetensors gives them."""
        file = f"{model_dir}-{step}.safetensors"
        run(["mlc", "ckpt", "convert", model_dir, "--step", str(step), "--to", file, "--quiet"])
        return read_safetensors(file)[0]

    def model_dir(self, steps):
        return f"{self.path}.{steps}"


def run(command):
    """The standard output; fails with what the command says."""
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(command)}: exit {done.returncode}\n{done.stderr}")
    return done.stdout
