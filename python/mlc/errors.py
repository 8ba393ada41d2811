"""What mlc raises: exceptions with the messages of compiler and runtime, readable as text and as data."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

__all__ = [
    "CheckpointError", "ClusterError", "CompileError", "DataError", "DeviceError", "MlcError", "ModelError", "ModelTypeError",
    "NanLossDuringTrainingError", "OutOfMemoryError", "RunError", "SpecError", "UnsupportedError",
]  # fmt: skip

Message = Mapping[str, Any]
"""A message of the native side. Keys, all but `severity` and `message` absent where they do not apply: `severity`
("error", "warning", "note"), `code` ("E0101"), `file`, `line`, `column`, `end_column` (from 1), `path` (of the field of
a spec), `message`, `expected`, `differs`, `help`, `replacement`, `count`, `related` (a list of places with `label`),
`text` (all of it, as a program prints it)."""


def _place(message: Message) -> str:
    """ "file:line:column", as far as known."""
    parts = [str(message[key]) for key in ("file", "line", "column") if message.get(key)]
    return ":".join(parts) if message.get("file") else ""


def format_message(message: Message) -> str:
    """The message as lines: what was found, then what belongs to it, indented by four blanks."""
    if text := message.get("text"):
        return str(text).rstrip("\n")
    head = message.get("severity", "error")
    if code := message.get("code"):
        head += f"[{code}]"
    if place := _place(message):
        head += f" {place}"
    lines = [f"{head}: {message.get('message', '')}"]
    details = (("path", "field"), ("expected", "expected"), ("differs", "differs"), ("help", "help"))
    lines += [f"    {label}: {message[key]}" for key, label in details if message.get(key)]
    if message.get("count", 1) > 1:
        lines.append(f"    (found {message['count']} times)")
    for other in message.get("related", ()):
        label = other.get("label")
        lines.append(f"    note: {_place(other)}" + (f": {label}" if label else ""))
    return "\n".join(lines)


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """ "did you mean 'x'?" for the name that is nearest to `name`; empty if none is near."""
    import difflib  # where something is wrong

    found = difflib.get_close_matches(name, list(names), n=1)
    return f"did you mean '{found[0]}'?" if found else ""


class MlcError(Exception):
    """Base of all errors of mlc. Its `text` is all that is known, for people.

    `messages` are those of the native side, if it was there that the error was found (else empty), `exit_code` is what
    the command line would have ended with (else None): from 128 on, trying again may help. `task` is the task of a
    cluster in which the error was found, such as "worker 0"; None: in this process.
    """

    task: str | None = None

    def __init__(self, text: str, messages: Sequence[Message] = (), exit_code: int | None = None) -> None:
        super().__init__(text)
        self.messages: tuple[Message, ...] = tuple(messages)
        self.exit_code = exit_code

    @property
    def codes(self) -> tuple[str, ...]:
        """Codes of the messages that are errors, such as "E0401"."""
        return tuple(m["code"] for m in self.messages if m.get("severity", "error") == "error" and m.get("code"))


class SpecError(MlcError, ValueError):
    """The model cannot be written, or is refused, as a spec: an argument out of range, columns that contradict."""


class CompileError(MlcError):
    """The compiler refuses the model, or fails."""


class ModelError(MlcError, ValueError):
    """Something is wrong in a model_fn: shapes that do not fit, a name that is taken; or an op of it met values, or sizes,
    that it does not take. Names the line of the user."""


class ModelTypeError(ModelError, TypeError):
    """A value of the wrong type, or a tensor of the wrong dtype, in a model_fn."""


class DataError(MlcError, ValueError):
    """Data that the model cannot read.

    `key` is the feature's key (or "label"), `row` the index of the row from 0; both are None where they do not apply.
    """

    def __init__(
        self,
        text: str,
        messages: Sequence[Message] = (),
        exit_code: int | None = None,
        *,
        key: str | None = None,
        row: int | None = None,
    ) -> None:
        super().__init__(text, messages, exit_code)
        self.key = key
        self.row = row


class CheckpointError(MlcError):
    """There is no checkpoint, or one that is damaged or of another model; or the model_dir cannot be used."""


class RunError(MlcError, RuntimeError):
    """Training, evaluation, prediction or export ended with an error."""


class ClusterError(RunError):
    """A task of a cluster was lost, refused or stopped."""


class NanLossDuringTrainingError(RunError):
    """The loss is not finite: lower the learning rate, clip gradients, look at the data."""


class DeviceError(RunError):
    """A GPU that was asked for is not there, or is lost while it works.

    What was saved is there. `exit_code` is from 128 on (195) where a GPU is lost: training again goes on from the last
    checkpoint, in a new process, or in this one with RunConfig(device="cpu").
    """


class OutOfMemoryError(RunError, MemoryError):
    """The run does not fit into the memory of the machine or of the GPU."""


class UnsupportedError(MlcError, NotImplementedError):
    """Something of tf.estimator that mlc does not have; the text tells what there is instead."""


def missing_key(key: str, present: Iterable[str], needed_by: str) -> DataError:
    """The error of features that lack `key`, which `needed_by` ("feature column 'age'") reads."""
    names = list(present)
    hint = did_you_mean(key, names)
    found = ", ".join(f"'{name}'" for name in names) or "none"
    text = f"features have no key '{key}', which {needed_by} needs; found {found}"
    return DataError(text + (f"; {hint}" if hint else ""), key=key)


def column_text(key: str, role: str = "feature") -> str:
    """What messages call a column: "feature 'age'", "label"."""
    return "label" if role == "label" else f"{role} '{key}'"


def data_error(key: str, found: str, expected: str, row: int | None = None, role: str = "feature") -> DataError:
    """The error of one column: "feature 'age', row 3: found nan; expected ..."."""
    where = column_text(key, role)
    if row is not None:
        where += f", row {row}"
    return DataError(f"{where}: found {found}; expected {expected}", key=key, row=row)


_BY_PREFIX: tuple[tuple[str, type[MlcError]], ...] = (
    ("E0501", NanLossDuringTrainingError),
    ("E0502", OutOfMemoryError),
    ("E0503", DeviceError),
    ("E0504", DeviceError),
    ("E0505", DeviceError),
    ("E01", SpecError),
    ("E02", SpecError),
    ("E03", DataError),
    ("E0410", ClusterError),
    ("E0411", ClusterError),
    ("E0412", ClusterError),
    ("E0413", ClusterError),
    ("E04", CheckpointError),
    ("E07", CompileError),
)
"""Which class stands for the codes that begin so; the first that fits counts."""


_ADVICE = {
    "--fresh, another --model_dir, --grow_vocabularies, or train.warm_start":
    "another model_dir, or warm_start_from; train goes on with vocabularies that have more terms",
    "--fresh, another --model_dir, or train.warm_start": "another model_dir, or warm_start_from",
    "wait for it, or use another --model_dir": "wait for it, or use another model_dir",
    "--model_dir takes the newest one in it": "checkpoint_path=None takes the newest one of the model_dir",
    "another --model_dir, or the trainer that wrote it": "another model_dir, or the model that was trained there",
    "leave it out in train.warm_start.vars_to_warm_start, or give its old vocabulary in train.warm_start.vocab_remap":
    "leave it out in vars_to_warm_start, or give its old vocabulary in var_name_to_vocab_info",
    "the same command again goes on from the last checkpoint; --device cpu does so without the GPU":
    'training again goes on from the last checkpoint, in a new process, or in this one with RunConfig(device="cpu")',
    "--kernel_table: ": "kernel_table: ",
    "--gpu_sums copies trains without it": 'RunConfig(gpu_sums="copies") trains without it',
    "--gpu_sums nccl or copies": 'RunConfig(gpu_sums="nccl") or "copies"',
    "a smaller train.batch_size, more --gpu_memory if others do not need it, large tables in the host's memory (mlc compile "
    "--host_tables), or --device cpu":
    "smaller batches, more RunConfig(gpu_memory=...) if others do not need it, large tables in the host's memory "
    '(RunConfig(host_tables=...)), or RunConfig(device="cpu")',
}  # fmt: skip
"""What Python calls what the command line is advised to do."""


def from_native(text: str, messages: Sequence[Message], exit_code: int) -> MlcError:
    """The error for what the native side raised: the code of its first error tells the class, RunError if none does.

    The text is `text`, with the messages that it does not have.
    """
    untold = [format_message(m) for m in messages if str(m.get("message", "")) not in text]
    text = "\n".join(filter(None, [text.rstrip("\n"), *untold]))
    for words, own in _ADVICE.items():
        text = text.replace(words, own)
    return kind_of(messages)(text, messages, exit_code)


def kind_of(messages: Sequence[Message]) -> type[MlcError]:
    """The class of the error that messages tell."""
    errors = [m for m in messages if m.get("severity", "error") == "error"]
    code = str(errors[0].get("code", "")) if errors else ""
    if code == "E0200" and str(errors[0].get("message", "")).startswith("'df."):
        return ModelError  # an op that found at run time what its line of a model_fn does not allow
    return next((kind for prefix, kind in _BY_PREFIX if code.startswith(prefix)), RunError)
