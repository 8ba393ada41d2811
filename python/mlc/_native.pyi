"""The native module: compiler and runtime of mlc, as mlc._engine calls them."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

import numpy

def version() -> str:
    """Version of compiler and runtime, such as "0.1.0"."""

def build() -> str:
    """Version, build and what they were made with, for people."""

class NativeError(Exception):
    """What compiler or runtime found. `args` are text, messages (dicts, see mlc.errors.Message) and exit code."""

    args: tuple[str, list[dict[str, Any]], int]

def compile(
    spec: str,
    cpu: str = "native",
    cache_dir: str | None = None,
    name: str = "<spec>",
    target: str = "cpu",
    chips: list[str] = [],
    host_tables: str | None = None,
    kernel_table: str | None = None,
    optimize: bool = True,
) -> tuple[str, list[dict[str, Any]]]:
    """Compiles the text of a spec. Returns the path of a shared library in the cache, and warnings.

    `name` stands for the file in messages; `target`, `chips`, `host_tables` and `kernel_table` are as of `mlc compile`.
    Without `optimize` LLVM does not optimize: the code is made in less time, and its results are the same. Raises NativeError.
    """

def compile_trainer(
    spec: str,
    output: str,
    cpu: str = "native",
    name: str = "<spec>",
    target: str = "cpu",
    chips: list[str] = [],
    host_tables: str | None = None,
    kernel_table: str | None = None,
) -> list[dict[str, Any]]:
    """Compiles the text of a spec to an executable trainer, the file `output`. Returns warnings. Raises NativeError."""

class Builder:
    """A df module that is built op by op; docs of the methods: include/mlc/Driver/ModuleBuilder.h.

    Values are numbers, types and attributes MLIR's text. Methods raise NativeError, and leave things as they were then.
    """

    def __init__(self) -> None: ...
    def set_attributes(self, attributes: str) -> None: ...
    def declare(self, op: str, attributes: str) -> None: ...
    def begin_function(self, name: str, role: str, arguments: Sequence[tuple[str, str, str]]) -> list[int]: ...
    def end_function(self, outputs: Sequence[tuple[str, int]]) -> None: ...
    def import_spec(self, spec: str, file: str, tells_loss: bool = False) -> None:
        """The module of a spec; with tells_loss eval_update gives the loss of each batch, as its output "fetch/loss"."""

    def reopen_function(self, name: str) -> tuple[list[tuple[str, int]], list[tuple[str, int]]]:
        """Names and values of its arguments, and of the outputs that it had."""

    def add_argument(self, name: str, type: str, attributes: str) -> int: ...
    def inline_function(self, name: str) -> list[tuple[str, int]]: ...
    def abandon(self) -> None: ...
    def begin_region(self, types: Sequence[str]) -> list[int]: ...
    def end_region(self, terminator: str, operands: Sequence[int]) -> None: ...
    def op(
        self,
        name: str,
        operands: Sequence[int],
        attributes: str,
        types: Sequence[str] | None = None,
        num_regions: int = 0,
    ) -> list[int]: ...
    def type_of(self, value: int) -> tuple[str, list[int], bool]:
        """Element type, shape (-1: unknown), and whether these are rows of a table of that type."""

    def is_visible(self, value: int) -> bool: ...
    def text_attribute(self, name: str) -> str | None: ...
    def verify(self) -> None: ...
    def text(self, origins: bool) -> str: ...
    def set_origin(self, file: str, line: int) -> None:
        """Where what is built from here on comes from; "" is unknown."""

class Model:
    """A loaded artifact."""

    def __init__(self, path: str) -> None: ...
    @property
    def manifest(self) -> str:
        """JSON, see docs/manifest.md."""

    @property
    def own_outputs(self) -> list[str] | None:
        """Names of what a task of a cluster computes of its own rows in a step, for observers; None: the step has no parts."""

    @property
    def features(self) -> list[tuple[str, str, list[int]]]:
        """Name, dtype ("f32", "i64", "string", ...) and dimensions, -1 for the batch and other unknown sizes."""

class Texts:
    """Texts, str or bytes, (n,), (n, k) of nested sequences of one length, or of a flat sequence in a shape."""

    def __init__(self, values: Sequence[Any], shape: Sequence[int] | None = None) -> None: ...
    def __len__(self) -> int: ...
    @property
    def shape(self) -> tuple[int, ...]: ...

class Arrays:
    """Columns of equal numbers of rows, by name. Keeps references; `what` names them in messages.

    A multi-valued feature takes an array [rows, k], in which -1 and '' are no values, and perhaps one of weights.
    """

    def __init__(self, columns: dict[str, numpy.ndarray | Texts], what: str) -> None: ...

class Stream:
    """Batches that a function gives, one after the other, until it returns None. `name` is that of messages.

    `rewind`: after a call of it comes the first batch again. `is_resumed`: the first batch is the one that follows the
    step that a resumed run begins with. `batch_rows`: what the function gives is cut into batches of so many rows, the
    last of which may be shorter; 0: it is a batch.
    """

    def __init__(
        self,
        next: Callable[[], Arrays | None],
        name: str,
        rewind: Callable[[], None] | None = None,
        is_resumed: bool = False,
        batch_rows: int = 0,
    ) -> None: ...

class Files:
    """Data files that the runtime reads, in the place of arrays.

    `format` is the JSON text of a manifest's "input" (docs/manifest.md), `passes` how often a run goes through them (-1:
    without end; 0: as its settings say). `drop_remainder`: evaluations and predictions leave out a short last batch.
    Raises NativeError.
    """

    def __init__(self, globs: list[str], format: str, passes: int, drop_remainder: bool) -> None: ...

class Records:
    """The records of TFRecord files, plain ones or packed, in the order of their paths. Raises NativeError."""

    def __init__(self, globs: list[str]) -> None: ...
    def following(self) -> bytes | None:
        """The next record; None after the last one."""

def first_rows(globs: list[str], format: str, count: int) -> tuple[list[bytes], list[list[bytes]]]:
    """Names of the fields and the first rows of CSV files. Raises NativeError."""

class StopToken:
    """Asks a run to end in good order, from any thread."""

    def request(self) -> None: ...
    def suspend(self) -> None:
        """Training is saved and ends, for another run to go on: nothing is evaluated or exported. Reason "suspended"."""

    @property
    def requested(self) -> bool: ...

class Sink(Protocol):
    """What a run tells while it works. Called in the thread that called the run."""

    def line(self, text: str) -> None:
        """A line of the log."""

    def progress(self, text: str) -> None:
        """How far the run is; stands for what was said before."""

    def event(self, json_text: str) -> None:
        """An object of `train --json`."""

    def message(self, message: dict[str, Any]) -> None:
        """A warning or a note, as mlc.errors.Message."""

class LiveState:
    """The variables after a step, while an observer is called for it."""

    @property
    def names(self) -> list[str]:
        """Names of all, optimizer slots too."""

    def read(self, name: str) -> numpy.ndarray:
        """A copy of one. KeyError for another name, RuntimeError after the call."""

class EventFile:
    """A new file of events in a directory, which TensorBoard reads."""

    def __init__(self, directory: str) -> None: ...
    def scalars(self, step: int, values: dict[str, float]) -> None: ...
    def flush(self) -> None: ...

class RunObservation:
    """What one run shows of itself."""

    def __init__(self) -> None: ...
    def metrics(self) -> str:
        """Its numbers, as Prometheus reads them (docs/metrics-endpoint.md)."""

    def begin_timeline(self, path: str, process: str, step: int) -> None:
        """What the run does goes to a file, as a Chrome trace, from its step `step` on. `process` is what the trace calls
        it. RuntimeError: it goes to one already; OSError: the file cannot be written."""

    def end_timeline(self) -> None:
        """Completes the file, if there is one."""

class Observer(Protocol):
    """What sees each step of a run of training, or each batch of an evaluation. Called in the thread that called the run,
    which waits meanwhile; what it raises ends the run, and is raised by it."""

    eval_sets: list[str]
    """Names of eval sets without data, which `evaluate` evaluates."""

    feeds: bool
    """`feed` is asked before each batch, and none is read ahead."""

    first_awaited: int
    """The first step whose after_step may read the state, or end the run; calls for earlier ones may come while the next step
    runs, and get no state then. As it is when the run begins."""

    observation: RunObservation | None
    """What the run shows of itself; None: nobody here has to do with it."""

    def feed(self) -> Arrays | None:
        """What takes the place of columns of the next batch, by their names."""

    def after_step(self, steps: int, outputs: dict[str, numpy.ndarray], state: LiveState | None) -> bool | None:
        """All outputs of a step by name, and the number of steps, or of batches, done. True: it is the last one."""

    def before_save(self, steps: int) -> None:
        """A checkpoint of the whole state begins to be written."""

    def after_save(self, steps: int) -> bool | None:
        """It is there. True: training ends."""

    def evaluate(self, name: str, step: int, checkpoint: str) -> dict[str, float]:
        """The metrics of one of eval_sets for a checkpoint; integers are such metrics."""

def train(
    model: Model,
    options: dict[str, Any],
    data: Arrays | Files | Stream | None,
    eval_data: dict[str, Arrays | Files],
    sink: Sink | None,
    stop: StopToken,
    observer: Observer | None = None,
) -> dict[str, Any]:
    """Trains from the newest checkpoint of the model_dir, if there is one, and saves at the end.

    Returns step, reason ("max_steps", "epochs", "interrupted", ...) and exit. Raises NativeError, TypeError for an
    option that there is not, and KeyboardInterrupt.
    """

def evaluate(
    model: Model,
    options: dict[str, Any],
    data: Arrays | Files | Stream | None,
    sink: Sink | None,
    stop: StopToken,
    observer: Observer | None = None,
    state: Arrays | None = None,
    step: int | None = None,
) -> dict[str, Any]:
    """The metrics of a checkpoint by name, and global_step. Raises as train.

    `state`: values of variables: where sums of metrics begin, and with `step` all of the model, in place of a checkpoint.
    """

class Predictions(Iterator[dict[str, numpy.ndarray]]):
    """The predictions of a checkpoint, batch after batch, in the order of the rows."""

    def __next__(self) -> dict[str, numpy.ndarray]: ...
    def of(self, features: Any) -> dict[str, numpy.ndarray] | None:
        """The predictions of rows that are no batch of the data, which is a Stream. None: nothing was read."""

def predict(
    model: Model,
    options: dict[str, Any],
    data: Arrays | Files | Stream | None,
    sink: Sink | None,
    stop: StopToken,
    columns: list[tuple[str | None, str, str]] = [],
    feed: Callable[[], Arrays | None] | None = None,
    observation: RunObservation | None = None,
) -> Predictions:
    """Reads a checkpoint to predict with. Raises as train.

    Args:
      columns: what Predictions.of reads: key in the dict (None: one column, and no dict), name of the feature, and
        kind: "numbers", finite and of any dtype that the feature's holds; "ids", integers; "texts", str and bytes;
        "array", of the feature's dtype, or float64 for float32; "other", which rows may do without, and not read.
      feed: as Observer.feed.
      observation: as Observer.observation.
    """

def predict_to_file(
    model: Model, options: dict[str, Any], data: Arrays | Files | Stream | None, sink: Sink | None, stop: StopToken
) -> None:
    """Writes the predictions of a checkpoint to the file of the option `output`. Raises as train."""

def export(
    model: Model, options: dict[str, Any], sink: Sink | None, stop: StopToken, rows: Arrays | Files | None = None
) -> str:
    """Writes a checkpoint's model as a directory of its own; returns its path. Golden rows are the first of `rows`. Raises as
    train."""

def main(arguments: Sequence[str]) -> int:
    """Runs the command mlc (docs/command-line.md); the first argument is the program. Returns the exit status.

    It is what a program does: it prints, handles signals, and becomes the trainer for verbs that run a model.
    """

FEW_CELLS: int
"""Cells of a column of which it says nothing yet how often each value comes."""

def table_recipe(rows: int, inputs: int, columns: int, is_regression: bool) -> dict[str, Any]:
    """What the rules of `mlc spec init` say of a table: hidden_units, dropout, l2, learning_rate, batch_size, epochs,
    validation_share, evaluation_steps, and patience, in evaluations.

    `inputs` are those of a network, `columns` what they come from.
    """

def embedding_dimension(categories: int) -> int:
    """Numbers of the embedding of so many categories; 0: few enough for an indicator."""

def is_skewed(skew: float, least: float) -> bool:
    """Whether numbers of this skew, of which `least` is the least, go through a logarithm first."""

def variables(model_dir: str, step: int | None = None) -> dict[str, tuple[str, list[int]]]:
    """Dtype and shape of the variables of a checkpoint (None: the newest) by name. Raises NativeError."""

def variable(model_dir: str, step: int | None, name: str) -> numpy.ndarray:
    """The value of a variable of a checkpoint (None: the newest). Raises NativeError, and KeyError for its name."""

def checkpoints(model_dir: str) -> list[int]:
    """Steps of the complete checkpoints of a model_dir, ascending; none if there is no such directory."""
