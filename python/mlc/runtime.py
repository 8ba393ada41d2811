"""Exported models: loaded, proven and called on arrays, without a compiler.

    model = runtime.load("m/export/census/1700000000")
    outputs = model({"age": np.array([39, 50]), "workclass": ["State-gov", "Private"]})
    outputs["probabilities"]  # [2, n]

This module is mlc.runtime of the package mlc, and all of the package mlc_runtime, which is a distribution of its own for
where models are served.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from . import errors

if TYPE_CHECKING:
    from . import _runtime

__all__ = ["Input", "Model", "Output", "ServingSignature", "Signature", "errors", "load", "version"]

_T = TypeVar("_T")
_FILLERS: dict[str, Any] = {"i": -1, "O": "", "f": np.nan}
"""What is no value of a multi-valued input, by the kind of its dtype."""


@dataclass(frozen=True)
class Input:
    """What a model reads of each row.

    Attributes:
      name: the key of a call's dict.
      dtype: float32, float64, int32, int64, bool or object, which is text.
      shape: of a row's value; () is one number or text. What is passed is [rows, *shape]; None is a size that each call
        tells, one for all of its rows. Rows that are lists of several lengths are padded with '', -1 or NaN.
      multi_valued: a row has any number of values, given as lists of any lengths, or as [rows, k] in which -1, '' and NaN
        are no values.
      weighted: of a multi-valued input: its values may have weights, under its name with ".weight".
      optional: a call may do without it.
    """

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int | None, ...]
    multi_valued: bool = False
    weighted: bool = False
    optional: bool = False


@dataclass(frozen=True)
class Output:
    """What a model gives by a name: an array [rows, *shape] of `dtype`; texts are bytes in an array of objects. None in the
    shape is a size that follows from each call."""

    name: str
    dtype: np.dtype[Any]
    shape: tuple[int | None, ...]


@dataclass(frozen=True)
class ServingSignature:
    """A name for some outputs. `method` is "classify", "regress" or "predict"; `outputs` are names of outputs by key."""

    name: str
    method: str
    outputs: Mapping[str, str]


@dataclass(frozen=True)
class Signature:
    """The inputs and outputs of a model, by name, and the signatures that it was exported with (`export_outputs`), if any."""

    inputs: Mapping[str, Input]
    outputs: Mapping[str, Output]
    signatures: Mapping[str, ServingSignature]


def load(
    directory: str | bytes | os.PathLike[str], *, replay: bool = True, threads: int = 1, device: str = "cpu"
) -> Model:
    """Loads what `export` wrote.

    Args:
      directory: of one export, as export_saved_model returns it: m/export/NAME/1700000000.
      replay: the golden rows, which the export has with what was predicted for them, are predicted again: a model that
        gives other bits is not loaded.
      threads: that a call may use. Calls of several threads run side by side whatever this is; no result depends on it.
      device: what runs of a model that was compiled for GPUs, too: "cpu"; "auto": an NVIDIA GPU, or the CPU where there is
        none that it has code for, as Model.device says; "gpu": a GPU, of which MLC_GPU_MEMORY ("4GB") bounds what is taken.

    Raises:
      DeviceError: device is "gpu", and there is none, or it is lost. SpecError: the model has no code for GPUs.
      CheckpointError: there is no export, a file of it is damaged, or a golden row has another prediction.
      MlcError: the export needs another processor or a newer runtime.
    """
    if threads < 1:
        raise ValueError(f"threads is {threads}; expected 1 at least")
    path = os.fsdecode(directory)
    return Model(path, _checked(lambda: _native().Export(path, replay, threads, device)))


def version() -> str:
    """Version of the runtime."""
    return str(_native().version())


class Model:
    """An exported model. Any number of threads may call it at once; a call does not hold the GIL.

    Attributes:
      directory: where it was loaded from.
      device: what it runs on: "cpu", "gpu", or "cpu: " and why it is not the GPU that "auto" looks for.
      name: of the model.
      step: the training step of its weights.
      classes: names of a classifier's classes, by id; () of other models.
      signature: inputs and outputs.
    """

    def __init__(self, directory: str, export: _runtime.Export) -> None:
        """See load."""
        self._export = export
        found = json.loads(export.signature)
        self.directory = directory
        self.device: str = export.device
        self.name: str = found["name"]
        self.step: int = found["step"]
        self.classes: tuple[str, ...] = tuple(found.get("classes", ()))
        inputs = [
            Input(
                each["name"], _input_dtype(each["dtype"]), _shape(each["shape"]), each["multi_valued"], each["weighted"], each["optional"]
            )
            for each in found["inputs"]
        ]  # fmt: skip
        outputs = [Output(each["name"], _output_dtype(each["dtype"]), _shape(each["shape"])) for each in found["outputs"]]
        signatures = {
            name: ServingSignature(name, each["method"], each["outputs"])
            for name, each in found.get("signatures", {}).items()
        }
        self.signature = Signature({each.name: each for each in inputs}, {each.name: each for each in outputs}, signatures)
        self._keys = set(self.signature.inputs) | {f"{each.name}.weight" for each in inputs if each.weighted}

    def __repr__(self) -> str:
        inputs, outputs = ", ".join(self.signature.inputs), ", ".join(self.signature.outputs)
        return f"<model {self.name} of step {self.step}: {inputs} -> {outputs}>"

    def __call__(self, features: Mapping[str, Any], signature: str | None = None) -> dict[str, np.ndarray]:
        """Predicts rows, any number of them.

        Args:
          features: arrays, or what numpy.asarray makes one of, by the names of inputs, [rows, ...]. Dtypes are cast as
            numpy casts within a kind: float64 to float32, integers to wider ones, to floats, and to narrower ones that
            hold them.
          signature: one of signature.signatures: its outputs, by its keys. None: all outputs, by their names.

        Returns:
          Arrays by name, [rows, ...]: the bits that the model itself predicts.

        Raises:
          DataError: an input is missing, unknown, or of another dtype or shape; a value that the model refuses.
          ValueError: there is no such signature.
        """
        chosen = None if signature is None else self._chosen(signature)
        arrays = self._arrays(features)
        if any(len(array) == 0 for array in arrays.values()):
            outputs = {name: np.empty((0, *(n or 0 for n in each.shape)), each.dtype) for name, each in self.signature.outputs.items()}
        else:
            outputs = _checked(lambda: self._export(_native().Arrays(arrays, "features")))
        return outputs if chosen is None else {key: outputs[name] for key, name in chosen.items()}

    def _chosen(self, signature: str) -> Mapping[str, str]:
        signatures = self.signature.signatures
        if signature not in signatures:
            found = ", ".join(map(repr, signatures)) or "none"
            raise ValueError(f"the model has no signature '{signature}'; expected one of: {found}{_hint(signature, signatures)}")
        return signatures[signature].outputs

    def _arrays(self, features: Mapping[str, Any]) -> dict[str, Any]:
        """The features as arrays of the dtypes and shapes of inputs."""
        if not isinstance(features, Mapping):
            raise errors.DataError(f"features are of type {type(features).__name__}; expected a dict of arrays by the names of inputs")
        for key in features:
            if key not in self._keys:
                reads = ", ".join(map(repr, sorted(self._keys)))
                raise errors.DataError(
                    f"features have the key {key!r}, which the model does not read; it reads {reads}{_hint(str(key), self._keys)}", key=str(key)
                )  # fmt: skip
        arrays: dict[str, Any] = {}
        for name, each in self.signature.inputs.items():
            if name in features:
                arrays[name] = _array(each, features[name])
                self._add_weights(each, features, arrays)
            elif not each.optional:
                raise errors.missing_key(name, map(str, features), "the model")
            elif f"{name}.weight" in features:
                raise errors.missing_key(name, map(str, features), f"'{name}.weight'")
        if not arrays:
            raise errors.DataError("features are empty; expected an input, which tells how many rows there are")
        first = next(iter(arrays))
        for name, array in arrays.items():
            if len(array) != len(arrays[first]):
                raise errors.DataError(f"feature '{name}' has {len(array)} rows; expected {len(arrays[first])}, as feature '{first}' has", key=name)
        return arrays

    def _add_weights(self, values: Input, features: Mapping[str, Any], arrays: dict[str, Any]) -> None:
        """Weights of the values of an input, 1 each where none are given."""
        if not values.weighted:
            return
        name, shape = f"{values.name}.weight", arrays[values.name].shape
        if name not in features:
            arrays[name] = np.ones(shape, np.float32)
            return
        weights = _numbers(name, _padded(name, features[name], 0.0), np.dtype(np.float32))
        if weights.shape != shape:
            raise errors.data_error(name, f"an array {list(weights.shape)}", f"{list(shape)}, a weight for each value of '{values.name}'")
        arrays[name] = weights


def _native() -> Any:
    """The native module. Raises ImportError with what to do if it was not built."""
    try:
        from . import _runtime
    except ImportError as error:
        raise ImportError(f"the native module of {__name__} cannot be loaded: {error}; build and install the package") from error
    return _runtime


def _checked(call: Callable[[], _T]) -> _T:
    """What `call` returns; errors of the native module are those of the package."""
    try:
        return call()
    except _native().NativeError as error:
        raise errors.from_native(*error.args) from None


def _hint(name: str, names: Any) -> str:
    hint = errors.did_you_mean(name, names)
    return f"; {hint}" if hint else ""


def _shape(sizes: Sequence[int]) -> tuple[int | None, ...]:
    """The shape that signature.json writes, with None for what each call tells."""
    return tuple(None if size < 0 else size for size in sizes)


def _input_dtype(name: str) -> np.dtype[Any]:
    """The dtype of a name of a spec: FLOAT32, ..., STRING."""
    return np.dtype(object) if name == "STRING" else np.dtype(name.lower())


def _output_dtype(name: str) -> np.dtype[Any]:
    """The dtype of arrays of values that the runtime calls `name`: "f32", "i64", "bool", "string"; "bf16" becomes f32."""
    special = {"string": np.dtype(object), "bool": np.dtype(bool), "bf16": np.dtype(np.float32)}
    return special.get(name) or np.dtype(f"{name[0]}{int(name[1:]) // 8}")


def _array(each: Input, value: Any) -> Any:
    """A feature as the native side takes it. Raises DataError."""
    if each.multi_valued or (each.shape == (None,) and not isinstance(value, np.ndarray)):
        value = _padded(each.name, value, _FILLERS.get(each.dtype.kind))
    if each.dtype.kind == "O":
        return _texts(each, value)
    array = _numbers(each.name, value, each.dtype)
    _check_shape(each, array.shape)
    # One value for each row may be [rows, 1].
    return array.reshape(len(array)) if each.shape == () and not each.multi_valued else array


def _check_shape(each: Input, shape: tuple[int, ...]) -> None:
    if each.multi_valued:
        if len(shape) != 2:
            raise errors.data_error(each.name, f"an array {list(shape)}", "[rows, k], any number of values in each row")
    elif not shape or not (_fits(shape[1:], each.shape) or (each.shape == () and shape[1:] == (1,))):
        expected = ["rows", *("?" if size is None else str(size) for size in each.shape)]
        raise errors.data_error(each.name, f"an array {list(shape)}", f"[{', '.join(expected)}]")


def _fits(found: tuple[int, ...], shape: tuple[int | None, ...]) -> bool:
    return len(found) == len(shape) and all(size in (None, n) for n, size in zip(found, shape, strict=True))


def _asarray(name: str, value: Any) -> np.ndarray:
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        row = int(np.argwhere(np.ma.getmaskarray(value))[0][0])
        raise errors.data_error(name, "a masked value", "a value: fill what is missing before", row)
    try:
        return np.asarray(value)
    except ValueError as error:  # rows of different lengths
        raise errors.data_error(name, "rows of different shapes", f"an array: {error}") from None


def _padded(name: str, value: Any, filler: Any) -> Any:
    """Rows of any numbers of values as [rows, k], with `filler` after those of short ones; else `value` itself."""
    if isinstance(value, np.ndarray) and value.dtype.kind != "O":
        return value if value.ndim != 1 else value[:, None]  # a value in each row
    rows = [[row] if isinstance(row, (str, bytes)) or not np.ndim(row) else list(row) for row in value]
    width = max(map(len, rows), default=0)
    if filler is None and any(len(row) != width for row in rows):
        raise errors.data_error(name, "rows of different lengths", "as many values in each row: none of its dtype is no value")
    padded = [row + [filler] * (width - len(row)) for row in rows]
    if isinstance(filler, str):
        return np.array(padded, dtype=object).reshape(len(rows), width)
    return _asarray(name, padded).reshape(len(rows), width) if width else np.empty((len(rows), 0), type(filler))


def _numbers(name: str, value: Any, dtype: np.dtype[Any]) -> np.ndarray:
    """An array of `dtype`, of the shape that `value` has."""
    array = _asarray(name, value)
    if array.dtype.kind not in "biuf" or not np.can_cast(array.dtype, dtype, "same_kind"):
        found = "texts" if array.dtype.kind in "US" else f"an array of {array.dtype}"
        raise errors.data_error(name, found, f"{dtype}")
    cast = np.ascontiguousarray(array, dtype)
    if dtype.kind == "i" and not np.can_cast(array.dtype, dtype) and not np.array_equal(cast, array):
        place = tuple(np.argwhere(cast != array)[0])
        raise errors.data_error(name, str(array[place]), f"an integer that {dtype} holds", int(place[0]))
    return cast


def _texts(each: Input, value: Any) -> Any:
    array = _asarray(each.name, value)
    if array.dtype.kind not in "OUS":
        raise errors.data_error(each.name, f"an array of {array.dtype}", "texts")
    _check_shape(each, array.shape)
    if each.shape == () and not each.multi_valued:
        array = array.reshape(len(array))
    if array.dtype.kind != "O":
        return np.ascontiguousarray(array, array.dtype.newbyteorder("="))
    for place, item in np.ndenumerate(array):
        if not isinstance(item, (str, bytes)):
            raise errors.data_error(each.name, f"{item!r}", "texts, str or bytes", place[0])
    try:
        return _native().Texts(array.tolist())
    except UnicodeEncodeError as error:
        row = next(place[0] for place, item in np.ndenumerate(array) if item == error.object)
        raise errors.data_error(each.name, repr(error.object), "text that UTF-8 can encode", row) from None
