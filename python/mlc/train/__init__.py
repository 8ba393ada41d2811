"""Training as tf.compat.v1.train has it: optimizers with their names and defaults, decays of the learning rate, hooks.

    optimizer = train.AdamOptimizer(learning_rate=0.002)
    train_op = optimizer.minimize(loss, global_step=train.get_global_step())

What several have as arguments:
  learning_rate: a number, or a scalar Tensor, as decays return it.
  global_step: of decays the number of steps done, as get_global_step() returns it.
  use_locking, name: as in TensorFlow; without effect on numbers.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from mlc._file_hooks import CheckpointSaverHook, ProfilerHook, SummarySaverHook
from mlc._hooks import (
    CheckpointSaverListener, FeedFnHook, FinalOpsHook, GlobalStepWaiterHook, LoggingTensorHook, NanTensorHook,
    SecondOrStepTimer, SessionRunArgs, SessionRunContext, SessionRunHook, SessionRunValues, StepCounterHook,
    StopAtStepHook,
)  # fmt: skip
from mlc.train._training import (
    AdadeltaOptimizer, AdagradOptimizer, AdamOptimizer, FtrlOptimizer, GradientDescentOptimizer, LazyAdamOptimizer,
    MomentumOptimizer, RMSPropOptimizer, clip_by_global_norm, clip_by_norm, cosine_decay, cosine_decay_restarts,
    exponential_decay, get_global_step, get_or_create_global_step, global_norm, group, inverse_time_decay,
    linear_cosine_decay, natural_exp_decay, no_op, piecewise_constant, piecewise_constant_decay,
    polynomial_decay,
)  # fmt: skip

__all__ = [
    "AdadeltaOptimizer", "AdagradOptimizer", "AdamOptimizer", "CheckpointSaverHook", "CheckpointSaverListener",
    "FeedFnHook", "FinalOpsHook", "FtrlOptimizer", "GlobalStepWaiterHook", "GradientDescentOptimizer",
    "LazyAdamOptimizer", "LoggingTensorHook", "MomentumOptimizer", "NanTensorHook", "ProfilerHook", "RMSPropOptimizer",
    "SecondOrStepTimer", "SessionRunArgs", "SessionRunContext", "SessionRunHook", "SessionRunValues",
    "StepCounterHook", "StopAtStepHook", "SummarySaverHook", "clip_by_global_norm", "clip_by_norm", "cosine_decay",
    "cosine_decay_restarts", "exponential_decay", "get_global_step", "get_or_create_global_step", "global_norm",
    "group", "inverse_time_decay", "linear_cosine_decay", "natural_exp_decay", "no_op", "piecewise_constant",
    "piecewise_constant_decay", "polynomial_decay",
]  # fmt: skip
