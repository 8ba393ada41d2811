"""What fit leaves: the values of a model's variables, its code, and predictors of them. No file of it stays."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import shutil
import tempfile
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from mlc import _engine
from mlc._columns import InputColumns
from mlc.errors import MlcError
from mlc.estimator._runs import checkpoint_directory
from mlc.estimator.predictor import Predictor

_BLOCK = 8192
"""Rows that are predicted at once."""


_MEMORY = "/dev/shm"
"""Where files are in memory. A run of a small table writes a checkpoint each few milliseconds, and a disk takes longer
to have it."""


@contextlib.contextmanager
def scratch_directory(size: int) -> Iterator[str]:
    """A directory for files of so many bytes, which is gone afterwards: in memory if that has room for them."""
    base = None
    if "TMPDIR" not in os.environ and os.access(_MEMORY, os.W_OK):
        room = os.statvfs(_MEMORY)
        base = _MEMORY if 2 * size < room.f_bavail * room.f_frsize else None
    path = tempfile.mkdtemp(prefix="mlc-", dir=base)
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def read_files(directory: str) -> dict[str, bytes]:
    """The files of a directory by name."""
    found = {}
    for name in sorted(os.listdir(directory)):
        with open(os.path.join(directory, name), "rb") as file:
            found[name] = file.read()
    return found


def write_files(directory: str, files: dict[str, bytes]) -> None:
    """The same back."""
    os.makedirs(directory)
    for name, content in files.items():
        with open(os.path.join(directory, name), "wb") as file:
            file.write(content)


DEVICES = ("cpu", "auto", "gpu")
"""What a model can be asked to run on."""


def target_of(device: str) -> _engine.Target:
    """What a model is compiled for that runs on a device."""
    return _engine.CPU if device == "cpu" else _engine.Target("cuda")


def device_options(device: str) -> dict[str, str]:
    """Options of runs that say what they run on, see mlc._engine.train; none for the CPU."""
    return {} if device == "cpu" else {"device": device}


def compiled(spec: str, target: _engine.Target) -> _engine.CompiledModel:
    """The compiled model of a spec: processes that want the same one at once compile it once."""
    model = _engine.loaded_model(spec, target)
    if model is not None:
        return model
    # As many files as there are digits, whatever is compiled; two models of one digit wait for each other.
    name = f"mlc-{os.getuid()}-{hashlib.sha256(spec.encode()).hexdigest()[0]}.lock"
    with open(os.path.join(tempfile.gettempdir(), name), "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        return _engine.compile_model(spec, target=target)


class _OneHead:
    """What a Predictor asks of a model with one head."""

    def predictions(self, batch: dict[str, np.ndarray]) -> dict[str, np.ndarray]:
        return batch


class FittedModel:
    """A trained model in memory. It is pickled with its code, and may be used by several threads.

    Attributes:
      spec: the text that code is made of.
      step: steps of training.
      checkpoint: files of the checkpoint by name.
      device: what it runs on, "cpu", "auto" or "gpu".
    """

    device = "cpu"  # of pickles of before there were others

    def __init__(
        self, spec: str, columns: InputColumns, step: int, checkpoint: dict[str, bytes], device: str = "cpu"
    ) -> None:
        self.spec, self.step, self.checkpoint, self.device = spec, step, checkpoint, device
        self._columns = columns
        self._library: bytes | None = None
        self._threads = threading.local()

    def __getstate__(self) -> dict[str, Any]:
        state = {name: value for name, value in vars(self).items() if name != "_threads"}
        state["_library"] = self._library or _engine.library_bytes(self.spec, target_of(self.device))
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._threads = threading.local()

    def compiled(self) -> _engine.CompiledModel:
        """The model of this process: made before, that of the pickle, or, where that is for another processor, compiled."""
        if self._library is not None:
            with contextlib.suppress(MlcError):
                return _engine.load_model(self.spec, self._library, target_of(self.device))
            self._library = None
        return compiled(self.spec, target_of(self.device))

    def restore(self, model_dir: str) -> str:
        """Writes the checkpoint into a directory; returns its path."""
        path = checkpoint_directory(model_dir, self.step)
        write_files(path, self.checkpoint)
        return path

    def predict(self, features: dict[str, np.ndarray], key: str, threads: int) -> np.ndarray:
        """One of the predictions of all rows, [rows, ...].

        Args:
          features: as training had them.
          key: "probabilities" or "predictions".
          threads: that compute at once.
        """
        predictor = self._predictor(threads)
        rows = len(next(iter(features.values())))
        found = []
        try:
            for begin in range(0, rows, _BLOCK):
                part = features if rows <= _BLOCK else {n: c[begin : begin + _BLOCK] for n, c in features.items()}
                found.append(predictor(part)[key])
        except BaseException:
            self._threads.predictor = None  # it would read the checkpoint again, which is no file
            raise
        return found[0] if len(found) == 1 else np.concatenate(found)

    def _predictor(self, threads: int) -> Predictor:
        """That of this thread."""
        made: tuple[int, Predictor] | None = getattr(self._threads, "predictor", None)
        if made is None or made[0] != threads:
            with scratch_directory(sum(map(len, self.checkpoint.values()))) as directory:
                options: dict[str, Any] = {"model_dir": directory, "checkpoint": self.restore(directory)}
                options |= {"threads": threads, **device_options(self.device)}
                made = threads, Predictor(_OneHead(), self.compiled(), self._columns, options)
            self._threads.predictor = made
        return made[1]
