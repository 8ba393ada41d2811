"""The native module of exported models, as mlc.runtime calls it: no compiler, no training."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from collections.abc import Sequence
from typing import Any

import numpy

def version() -> str:
    """Version of the runtime, such as "0.1.0"."""

class NativeError(Exception):
    """What the runtime found. `args` are text, messages (dicts, see errors.Message) and exit code."""

    args: tuple[str, list[dict[str, Any]], int]

class Texts:
    """Texts, str or bytes, (n,), or (n, k) of nested sequences of one length."""

    def __init__(self, values: Sequence[Any]) -> None: ...
    def __len__(self) -> int: ...
    @property
    def shape(self) -> tuple[int, ...]: ...

class Arrays:
    """Columns of equal numbers of rows, by name. Keeps references; `what` names them in messages."""

    def __init__(self, columns: dict[str, numpy.ndarray | Texts], what: str) -> None: ...

class Export:
    """A loaded export: proven by checksums, its golden rows predicted again if `replay`. Raises NativeError."""

    def __init__(self, directory: str, replay: bool, threads: int, device: str = "cpu") -> None: ...
    @property
    def device(self) -> str:
        """What it runs on: "cpu", "gpu", or "cpu: " and why."""

    @property
    def signature(self) -> str:
        """signature.json without its checksum (docs/export.md)."""

    def __call__(self, arrays: Arrays) -> dict[str, numpy.ndarray]:
        """Outputs by name, [rows, ...]; texts are bytes in arrays of objects. Does not hold the GIL.

        Any number of threads may call. Raises NativeError.
        """
