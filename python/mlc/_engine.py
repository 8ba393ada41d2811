"""The one place that talks to the native module: compiled models, calls, messages.

A run works in threads of the native side. The thread that called it hands what is said to the log meanwhile, and Ctrl-C
lets the run end in good order (training saves) before KeyboardInterrupt is raised.
"""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import contextlib
import json
import logging
import sys
import threading
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import numpy as np

from mlc import errors
from mlc._progress import Progress

if TYPE_CHECKING:
    from mlc import _native

logger = logging.getLogger("mlc")

Columns = Mapping[str, np.ndarray]
"""Columns by the names of the native side, as mlc._columns makes them."""
NextBatch = Callable[[], "Columns | None"]
"""Gives the columns of the next batch, None at the end. One that has a method rewind() can be read again; where it has
is_resumed, the first batch is the one after the step that a run goes on with; batch_rows are the rows of a batch of one
that gives several at once."""


@dataclass(frozen=True)
class FileSource:
    """Files that the native side reads in the place of arrays."""

    patterns: Sequence[str]
    settings: Mapping[str, Any]
    """What they look like: keys of a manifest's "input" (docs/manifest.md), but its columns."""
    columns: Mapping[str, Mapping[str, Any]]
    """By the names of the native side what is said of a column besides what the model's manifest says."""
    passes: int
    """How often a run goes through them; -1: without end."""
    drop_remainder: bool
    """Evaluation and prediction leave out the short last batch of a pass."""


Data: TypeAlias = "Columns | NextBatch | FileSource"
DirectColumn: TypeAlias = "tuple[str | None, str, str]"
"""A column that the native side reads from what a user passes, if that needs no more than a cast: its key (None: there
are no keys, but one array), its name on the native side, and its kind: see mlc._native.predict."""
EventHandler = Callable[[dict[str, Any]], None]
CompiledModel: TypeAlias = "_native.Model"
"""A compiled spec, loaded."""

_T = TypeVar("_T")
_LEVELS = {"error": logging.ERROR, "warning": logging.WARNING, "note": logging.INFO}
_NOT_WRITTEN = "E0601"
"""The code of files that cannot be written."""
_MODELS_KEPT = 32
"""Compiled models that stay loaded; the one whose last use is longest ago goes first."""


def native_module() -> Any:
    """The native module. Raises ImportError with what to do if it was not built."""
    try:
        from mlc import _native
    except ImportError as error:
        text = f"the native module of mlc cannot be loaded: {error}; build and install the package"
        raise ImportError(text) from error
    return _native


def version() -> str:
    """Version of compiler and runtime."""
    return str(native_module().version())


def command(arguments: Sequence[str]) -> int:
    """Runs the command mlc with these arguments; returns the exit status."""
    return int(native_module().main([f"{sys.executable} -m mlc", *arguments]))


# Models


@dataclass(frozen=True)
class Target:
    """What kernels of a model run on, as `mlc compile` has it.

    Attributes:
      name: "cpu", or "cuda": code for GPUs, and for the CPU where there is none.
      chips: that there is code for, of cuda; none: the compiler's default.
      host_tables: bytes, as a number or text, from which on tables stay in the host's memory; None: none does.
      kernel_table: file with the tiles of products; None: the built-in ones.
      kernel_table_state: tells whether what the file holds may be something else by now.
    """

    name: str = "cpu"
    chips: tuple[str, ...] = ()
    host_tables: int | str | None = None
    kernel_table: str | None = None
    kernel_table_state: tuple[int, int] | None = None

    def arguments(self) -> dict[str, Any]:
        """The arguments of the native side that are not its defaults."""
        given: dict[str, Any] = {} if self.name == "cpu" else {"target": self.name}
        given |= {"chips": list(self.chips)} if self.chips else {}
        given |= {} if self.host_tables is None else {"host_tables": str(self.host_tables)}
        return given | ({} if self.kernel_table is None else {"kernel_table": self.kernel_table})


CPU = Target()

_models: OrderedDict[tuple[str, Target], CompiledModel] = OrderedDict()
_models_lock = threading.Lock()


def compile_model(spec: str, name: str = "<spec>", target: Target = CPU) -> CompiledModel:
    """The compiled model of the text of a spec, or of a module: from memory, from the cache on disk, or made now.

    `name` stands for the file in messages; that of a module ends in ".mlir".

    Raises SpecError or CompileError. Warnings go to the log.
    """
    model = loaded_model(spec, target)
    if model is not None:
        return model
    with _compiled_file(spec, name, target) as path:
        return _keep(spec, target, _checked(lambda: native_module().Model(path)))


@contextlib.contextmanager
def _compiled_file(spec: str, name: str, target: Target) -> Iterator[str]:
    """The shared library of compile_model: of the cache, or, where that cannot be written, one that is gone afterwards.

    Raises SpecError or CompileError. Warnings go to the log.
    """

    def compiled(**place: str) -> str:
        path, warnings = native_module().compile(spec, name=name, **target.arguments(), **place)
        for message in warnings:
            _log_message(message)
        return str(path)

    with contextlib.ExitStack() as stack:
        try:
            path = _checked(compiled)
        except errors.RunError as error:
            if _NOT_WRITTEN not in error.codes:
                raise
            import tempfile  # with what packs files, which takes a while

            logger.warning("%s\nmodels are kept in memory alone, and compiled again by the next process", error)
            directory = stack.enter_context(tempfile.TemporaryDirectory(prefix="mlc-"))
            path = _checked(lambda: compiled(cache_dir=directory))
        yield path


def loaded_model(spec: str, target: Target = CPU) -> CompiledModel | None:
    """The compiled model of a text, if this process has it in memory."""
    key = (spec, target)
    with _models_lock:
        if key in _models:
            _models.move_to_end(key)
        return _models.get(key)


def library_bytes(spec: str, target: Target = CPU) -> bytes:
    """The shared library that compile_model loads for a text. For load_model, in another process perhaps."""
    with _compiled_file(spec, "<spec>", target) as path, open(path, "rb") as file:
        return file.read()


def load_model(spec: str, library: bytes, target: Target = CPU) -> CompiledModel:
    """What library_bytes gave for a text and a target, loaded without a compiler.

    Raises an MlcError where it is for another processor, or another version of mlc.
    """
    model = loaded_model(spec, target)
    if model is not None:
        return model
    import tempfile  # with what packs files, which takes a while

    with tempfile.NamedTemporaryFile(prefix="mlc-", suffix=".so") as file:
        file.write(library)
        file.flush()
        model = _checked(lambda: native_module().Model(file.name))
    return _keep(spec, target, model)


def _keep(spec: str, target: Target, model: CompiledModel) -> CompiledModel:
    with _models_lock:
        _models[spec, target] = model
        while len(_models) > _MODELS_KEPT:
            _models.popitem(last=False)
    return model


def compile_trainer(
    text: str, output: str, name: str = "<spec>", cpu: str = "native", target: Target = CPU
) -> None:
    """Compiles the text of a spec, or of a module, to an executable trainer, the file `output`. `name`: as of compile_model.

    Raises SpecError or CompileError. Warnings go to the log.
    """
    given = target.arguments()
    for message in _checked(lambda: native_module().compile_trainer(text, output, cpu=cpu, name=name, **given)):
        _log_message(message)


def _checked(call: Callable[[], _T]) -> _T:
    """What `call` returns; errors of the native module are those of mlc."""
    try:
        return call()
    except native_module().NativeError as error:
        raise errors.from_native(*error.args) from None


# Calls


class _Sink:
    """Brings what a call says to the log, and its events to a handler."""

    def __init__(
        self, on_event: EventHandler | None = None, shown: Progress | None = None, most: int = logging.ERROR
    ) -> None:
        """`most`: the level of the log that a message has at most."""
        self._on_event, self._shown, self._most = on_event, shown, most

    def line(self, text: str) -> None:
        logger.info("%s", text)

    def progress(self, text: str) -> None:
        # Several times a second, for a line that is written over.
        logger.debug("%s", text)
        if self._shown is not None:
            self._shown.told(text)

    def event(self, json_text: str) -> None:
        event = json.loads(json_text)
        if event.get("event") == "step":
            logger.info("loss = %s, step = %s (%.4g examples/s)", *of_step(event))
        if self._on_event is not None:
            self._on_event(event)

    def message(self, message: errors.Message) -> None:
        _log_message(message, self._most)


def of_step(event: Mapping[str, Any]) -> tuple[str, int, float]:
    """Loss, step and examples per second of a step's event, in which numbers that are not finite are texts."""
    return f"{float(event['loss']):.6g}", event["step"], float(event["examples_per_sec"])


def _log_message(message: errors.Message, most: int = logging.ERROR) -> None:
    level = min(most, _LEVELS.get(message.get("severity", "error"), logging.ERROR))
    logger.log(level, "%s", errors.format_message(message))


def arrays(columns: Columns, what: str) -> _native.Arrays:
    """The columns for the native side; objects, which all are texts, as Texts. Raises DataError: a text is no Unicode."""
    native = native_module()
    ready = {n: _texts(n, c) if c.dtype.kind == "O" else c for n, c in columns.items()}
    return native.Arrays(ready, what)  # type: ignore[no-any-return]


def _files(source: FileSource, model: CompiledModel) -> _native.Files:
    """The files for the native side, with the columns that the model declares."""
    columns = json.loads(model.manifest)["input"]["columns"]
    columns = [{**column, **source.columns.get(column["name"], {})} for column in columns]
    text = json.dumps({**source.settings, "columns": columns})
    native = native_module()
    return native.Files(list(source.patterns), text, source.passes, source.drop_remainder)  # type: ignore[no-any-return]


def records(patterns: Sequence[str]) -> Iterator[bytes]:
    """The records of TFRecord files, one after the other. Raises DataError."""
    found = _checked(lambda: native_module().Records(list(patterns)))
    while (record := _checked(found.following)) is not None:
        yield record


def first_rows(patterns: Sequence[str], settings: str, count: int) -> tuple[list[str], list[list[bytes]]]:
    """Names of the fields of CSV files and their first rows. `settings` is the text of an "input" (docs/manifest.md).

    Raises DataError.
    """
    names, rows = _checked(lambda: native_module().first_rows(list(patterns), settings, count))
    try:
        return [name.decode() for name in names], rows
    except UnicodeDecodeError as error:
        raise errors.DataError(f"{patterns[0]}: the header is no UTF-8: {error}") from None


def _texts(name: str, column: np.ndarray) -> _native.Texts:
    try:
        if column.ndim > 2:
            return native_module().Texts(column.ravel().tolist(), column.shape)  # type: ignore[no-any-return]
        return native_module().Texts(column.tolist())  # type: ignore[no-any-return]
    except UnicodeEncodeError as error:
        place = [text == error.object for text in column.flat].index(True)
        row = int(np.unravel_index(place, column.shape)[0])
        raise errors.data_error(name, repr(error.object), "text that UTF-8 can encode", row, "column") from None


def _source(data: Data, what: str, model: CompiledModel) -> _native.Arrays | _native.Files | _native.Stream:
    """The data of a run for the native side."""
    if isinstance(data, FileSource):
        return _files(data, model)
    if not callable(data):
        return arrays(data, what)
    native = native_module()

    def next_arrays() -> _native.Arrays | None:
        columns = data()
        return None if columns is None else arrays(columns, what)

    rewind, is_resumed = getattr(data, "rewind", None), getattr(data, "is_resumed", False)
    return native.Stream(next_arrays, what, rewind, is_resumed, getattr(data, "batch_rows", 0))  # type: ignore[no-any-return]


def train(
    model: CompiledModel,
    options: dict[str, Any],
    data: Data,
    eval_data: Mapping[str, Data],
    on_event: EventHandler | None = None,
    observer: Any = None,
    log_level: int = logging.ERROR,
) -> dict[str, Any]:
    """Trains; returns step, reason and exit.

    Args:
      options: model_dir, batch_size, settings (a list of "path=value"), steps or max_steps, seed if it is set, and of a
        model with code for GPUs device, gpus, gpu_sums and gpu_memory (RunConfig.device_options).
      eval_data: by the names of eval sets of the model; "" is the unnamed one.
      on_event: gets the objects of `train --json` as they come.
      observer: as of mlc._native.Observer; its attribute `stop` becomes the run's StopToken.
      log_level: that messages of the run have at most; what ends it is raised in any case.
    """
    native = native_module()
    stop = native.StopToken()
    if observer is not None:
        observer.stop = stop

    def call() -> dict[str, Any]:
        evals = {name: _source(each, f"eval data {name}".strip(), model) for name, each in eval_data.items()}
        source = _source(data, "training data", model)
        with Progress("train", "steps") as shown:
            sink = _Sink(on_event, shown, log_level)
            outcome = dict(native.train(model, options, source, evals, sink, stop, observer))
            shown.end(outcome["step"])
        return outcome

    return _checked(call)


def evaluate(
    model: CompiledModel,
    options: dict[str, Any],
    data: Data,
    observer: Any = None,
    state: Columns | None = None,
    step: int | None = None,
) -> dict[str, Any]:
    """The metrics of a checkpoint, by name.

    Args:
      options: model_dir, settings, events (the name of the directory of events), and checkpoint (the path of its
        directory; the newest without) if it is set.
      observer: as of mlc._native.Observer.
      state: values of variables: of what metrics add up, and with `step` all of the model, in the place of a
        checkpoint.
    """
    native = native_module()

    def call() -> dict[str, Any]:
        given = None if state is None else arrays(state, "variables")
        source = _source(data, "eval data", model)
        with Progress("evaluate", "rows") as shown:
            sink = _Sink(shown=shown)
            return dict(native.evaluate(model, options, source, sink, native.StopToken(), observer, given, step))

    metrics = _checked(call)
    # Tables of a report are no metrics.
    return {name: value for name, value in metrics.items() if not name.startswith("report/")}


def predict(model: CompiledModel, options: dict[str, Any], data: Data) -> Iterator[dict[str, np.ndarray]]:
    """The predictions of a checkpoint, a batch at a time: arrays by key, [rows of the batch, ...].

    Args:
      options: model_dir, batch_size, and checkpoint (the path of its directory; the newest without).
    """
    predictions = Predictions(model, options, data)
    while (batch := predictions.following()) is not None:
        yield batch


class Predictions:
    """The predictions of a checkpoint, which is read once, for the thread that makes this.

    Attributes:
      of: the predictions of rows as a user passes them, which are no batch of the data; None where they are not ready
        to be read as they are, or the model does not take them: then they have to be converted, and following() says
        what is wrong. Of a function as data alone.
    """

    def __init__(
        self,
        model: CompiledModel,
        options: dict[str, Any],
        data: Data,
        direct: Sequence[DirectColumn] = (),
        feed: Callable[[], _native.Arrays | None] | None = None,
        observation: _native.RunObservation | None = None,
    ) -> None:
        """Reads the checkpoint.

        Args:
          options: as of predict.
          data: a function is asked for a batch when one is wanted, and not before.
          direct: the columns that `of` reads; none: it reads nothing.
          feed: asked before each batch for what replaces columns of it.
          observation: what this shows of itself; None: nobody asks for it.
        """
        native = native_module()
        source = _source(data, "data to predict", model)
        self._batches = _checked(
            lambda: native.predict(model, options, source, _Sink(), native.StopToken(), list(direct), feed, observation)
        )
        self.of: Callable[[Any], dict[str, np.ndarray] | None] = self._batches.of

    def following(self) -> dict[str, np.ndarray] | None:
        """The predictions of the next batch of the data, None at the end."""
        return _checked(lambda: next(self._batches, None))


def predict_to_file(model: CompiledModel, options: dict[str, Any], data: Data) -> None:
    """Writes the predictions of a checkpoint to a file, which appears when it is complete.

    Args:
      options: as of predict, and output, format ("csv" or "jsonl"), on_bad_row ("fail", "skip" or "null"), keys, and
        forward, the columns of the input that come before the predictions.
    """
    native = native_module()
    source = _source(data, "data to predict", model)
    _checked(lambda: native.predict_to_file(model, options, source, _Sink(), native.StopToken()))


def export(model: CompiledModel, options: dict[str, Any], data: Data | None = None) -> str:
    """Writes a checkpoint's model as a directory; returns its path.

    Args:
      options: model_dir, output (the directory to make the export in), golden_rows, and checkpoint (the path of its
        directory; the newest without).
      data: golden rows are the first of these, which are no function.
    """
    native = native_module()
    rows = None if data is None else _source(data, "the first rows that were read", model)
    return _checked(lambda: str(native.export(model, options, _Sink(), native.StopToken(), rows)))


# Checkpoints


def checkpoints(model_dir: str) -> list[int]:
    """Steps of the checkpoints of a model_dir, ascending; none if it is not there."""
    return sorted(_checked(lambda: native_module().checkpoints(model_dir)))


def variables(model_dir: str, step: int) -> dict[str, tuple[str, list[int]]]:
    """Dtype ("f32", "i64", ...) and shape of a checkpoint's variables, optimizer slots too, by name."""
    return dict(_checked(lambda: native_module().variables(model_dir, step)))


def live_variable(state: Any, name: str) -> np.ndarray:
    """A variable of an mlc._native.LiveState. ClusterError: servers had it, and the run has ended."""
    return np.asarray(_checked(lambda: state.read(name)))


def variable(model_dir: str, step: int, name: str) -> np.ndarray:
    """The value of a variable of a checkpoint."""
    return np.asarray(_checked(lambda: native_module().variable(model_dir, step, name)))
