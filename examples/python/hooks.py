#!/usr/bin/env python3
"""Watch training, stop it in time, and take the best checkpoint.

    hooks.py

Shows a hook of one's own that sees a variable and the loss of each step, a hook that ends training when evaluations no longer get better,
and which checkpoint was the best. The model is far too large for its 90 rows on purpose: it learns them by heart.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from pathlib import Path

import numpy as np

import mlc
from mlc import data, estimator, train
from mlc import feature_column as fc

rows = np.genfromtxt(Path(__file__).resolve().parents[1] / "iris/data/iris_training.csv", delimiter=",", skip_header=1)
rows = rows[np.random.default_rng(5).permutation(len(rows))]
names = ["SepalLength", "SepalWidth"]  # two of four features: the species overlap


def flowers(begin, end):
    return data.Dataset.from_arrays({name: rows[begin:end, i] for i, name in enumerate(names)}, rows[begin:end, 4].astype(np.int64))


class Watch(train.SessionRunHook):
    """Keeps the loss and the norm of the last layer's weights, every 50 steps."""

    def begin(self):
        self.seen = []

    def before_run(self, context):
        return train.SessionRunArgs({"step": "global_step", "loss": "loss"})

    def after_run(self, context, values):
        if values.results["step"] % 50 == 0:
            norm = np.linalg.norm(context.session.run("dnn/logits/kernel"))  # variables as they are after the step
            self.seen.append((int(values.results["step"]), float(values.results["loss"]), norm))


model = estimator.DNNClassifier(
    hidden_units=[256, 256],
    feature_columns=[fc.numeric_column(name) for name in names],
    n_classes=3,
    optimizer=mlc.optimizers.Adam(0.003),
    config=estimator.RunConfig(tf_random_seed=1, save_checkpoints_steps=50, keep_checkpoint_max=None),
)
watch = Watch()
stop = estimator.stop_if_no_decrease_hook(model, "average_loss", max_steps_without_decrease=300, run_every_secs=None, run_every_steps=50)
estimator.train_and_evaluate(
    model,
    estimator.TrainSpec(lambda: flowers(0, 90).shuffle().repeat().batch(30), max_steps=5000, hooks=[watch, stop]),
    estimator.EvalSpec(lambda: flowers(90, 120).batch(30), steps=None),
)
losses = model.metric_values("average_loss")
print("  step   loss of a batch   of the rows held out   norm of the last kernel")
for step, loss, norm in watch.seen:
    print(f"{step:6} {loss:17.3f} {losses[step]:22.3f} {norm:25.2f}")
best = model.best_checkpoint("average_loss")
print("the best checkpoint:", best)
metrics = model.evaluate(lambda: flowers(90, 120).batch(30), checkpoint_path=best)
print(f"its accuracy is {metrics['accuracy']:.3f}; training ended at step {max(losses)} of 5000")
assert metrics["average_loss"] == min(losses.values()) and max(losses) < 5000
