"""The optimizers of Keras 2.15 (its legacy ones, which Estimators use), with their names and defaults.

    mlc.optimizers.Adam(learning_rate=0.002)
    mlc.optimizers.SGD(mlc.optimizers.schedules.CosineDecay(0.1, decay_steps=4000), momentum=0.9, clipnorm=1.0)

They are descriptions: the update rules are compiled into the model.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from mlc.optimizers import schedules
from mlc.optimizers._optimizers import SGD, Adadelta, Adagrad, Adam, Adamax, Ftrl, Nadam, Optimizer, RMSprop, get

__all__ = [
    "SGD", "Adadelta", "Adagrad", "Adam", "Adamax", "Ftrl", "Nadam", "Optimizer", "RMSprop", "get", "schedules",
]  # fmt: skip
