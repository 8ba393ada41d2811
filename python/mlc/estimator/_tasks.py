"""What all tasks of a cluster train: the model and its input, for this process as a task, and for a trainer's processes."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import os
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mlc import _engine
from mlc._columns import InputColumns
from mlc.data import Batches, Dataset, FileDataset, PieceDataset
from mlc.errors import ClusterError, MlcError, UnsupportedError
from mlc.estimator import _runs
from mlc.estimator._canned_model import CannedModel
from mlc.estimator._eval_specs import EvalSets
from mlc.estimator._feed import BatchFeed
from mlc.estimator._hooked import HookedRun, saving_of
from mlc.estimator.specs import EvalSpec, ModeKeys, TrainSpec

if TYPE_CHECKING:
    from mlc.estimator.estimator import Estimator
    from mlc.estimator.strategy import ParameterServerStrategy
    from mlc.estimator.task import Task


@dataclass
class Job:
    """A model, its input and the settings of a run, the same for all tasks; and what this one does beside it.

    Attributes:
      estimator: whose model it is.
      dataset: what is trained on.
      columns: that the model reads.
      data: the same for the native side.
      eval_sets: what is evaluated.
      modes: that the model is compiled for.
      options: of the run, as of _engine.train, without what the strategy says.
      hooked: sees the steps of this task.
    """

    estimator: Estimator
    dataset: Dataset | Batches
    columns: Any
    data: _engine.Data
    eval_sets: EvalSets
    modes: list[str]
    options: dict[str, Any]
    hooked: HookedRun


def job(
    estimator: Estimator, train_spec: TrainSpec, eval_specs: Sequence[EvalSpec], task: Task | None = None
) -> Job:
    """The job of an Estimator; its input_fns are called.

    Args:
      task: that this process is; None: tasks are processes of a trainer.

    Raises:
      UnsupportedError: of processes of a trainer: hooks, iterators, and files that Python decodes.
      DataError, ValueError: as of Estimator.train.
    """
    dataset = estimator._dataset(train_spec.input_fn, ModeKeys.TRAIN)
    if task is None:
        _check_shared(dataset, ModeKeys.TRAIN)
    model = estimator._model
    columns = model.columns(dataset)
    eval_sets = EvalSets(estimator, list(eval_specs))
    hooks = list(train_spec.hooks or ())
    if task is None:
        _check_no_hooks("TrainSpec", hooks, train_spec.saving_listeners)
        _check_no_hooks("EvalSpec", *(spec.hooks for spec in eval_specs))
        _check_no_own_exporters(eval_specs)
    config, listeners = saving_of(hooks, estimator.config)
    columns = eval_sets.open(columns, in_cluster=True)
    for eval_set in eval_sets.datasets.values() if task is None else ():
        _check_shared(eval_set, ModeKeys.EVAL)
    delays = [
        f"eval{'.' + spec.name if spec.name else ''}.{name}={getattr(spec, name)}"
        for spec in eval_specs for name in ("start_delay_secs", "throttle_secs")
    ]  # fmt: skip
    seed = _runs.run_seed(config, dataset)
    if isinstance(dataset, Batches):
        columns = model.ahead(columns, dataset, needs_labels=True)
    columns, data = _runs.train_data(columns, dataset, max(estimator._newest_step(), 0), seed)
    if isinstance(data, _engine.FileSource):
        data = replace(data, passes=0)  # as the options say, for all tasks and starts of the job together
    if isinstance(data, BatchFeed):
        data.refuse_other_sizes("the step of a task of a cluster is not compiled again while others train: pad them alike")
    values, options = config.run_settings(), {"model_dir": estimator.model_dir}
    if isinstance(dataset, Dataset):
        values |= {"shuffle": dataset.shuffled, "drop_remainder": dataset.drop_remainder}
        options["batch_size"] = dataset.batch_size
    options["settings"] = [*_runs.settings_of(values), *model.initial_settings, *eval_sets.settings, *delays]
    options |= {} if seed is None else {"seed": seed}
    options |= config.device_options(trains=True)
    options |= {} if train_spec.max_steps is None else {"max_steps": train_spec.max_steps}
    if isinstance(dataset, PieceDataset) and dataset.epochs is not None:  # whose stream goes on
        limit = dataset.epochs * dataset.batches_per_epoch
        options["max_steps"] = min(limit, train_spec.max_steps or limit)
    elif isinstance(dataset, Dataset) and dataset.epochs is not None:
        options["epochs"] = dataset.epochs
    if isinstance(dataset, Dataset) and not {"epochs", "max_steps"} & set(options):
        raise ValueError("nothing ends the job: give TrainSpec(max_steps=...), or leave repeat() of the Dataset out")
    model.keep_columns(columns)
    hooked = _hooked(estimator, train_spec, hooks, listeners, task)
    return Job(estimator, dataset, columns, data, eval_sets, [ModeKeys.TRAIN, *eval_sets.modes], options, hooked)


def _check_shared(dataset: Dataset | Batches, mode: str) -> None:
    """UnsupportedError for input that processes without Python cannot read."""
    if isinstance(dataset, (Batches, PieceDataset)):
        found = "an iterator of batches" if isinstance(dataset, Batches) else "files that Python decodes"
        raise UnsupportedError(
            f"the input_fn of mode '{mode}' returned {found}, and processes of a trainer are without Python: expected a Dataset "
            "of CSV or TFRecord files, which each task reads, or one of arrays; or train_and_evaluate under TF_CONFIG"
        )


def _check_no_hooks(what: str, *hooks: Sequence[Any] | None) -> None:
    if any(hooks):
        raise UnsupportedError(
            f"{what} has hooks, and processes of a trainer are without Python: expected none, or train_and_evaluate under "
            "TF_CONFIG, whose tasks call hooks"
        )


def _check_no_own_exporters(eval_specs: Sequence[EvalSpec]) -> None:
    for exporter in (exporter for spec in eval_specs for exporter in spec.own_exporters):
        raise UnsupportedError(
            f"the exporter '{exporter.name}' is a function of Python, and processes of a trainer are without: expected a "
            "LatestExporter, FinalExporter or BestExporter(metric=...), or train_and_evaluate under TF_CONFIG"
        )


def _hooked(
    estimator: Estimator, train_spec: TrainSpec, hooks: list[Any], listeners: list[Any], task: Task | None
) -> HookedRun:
    """What this task calls: hooks where it trains, listeners where it saves."""
    if task is None:
        return HookedRun((), (), estimator.model_dir, 0)
    first = task.task_type == "worker" and task.task_id == 0 and not {"chief", "master"} & set(task.cluster_spec)
    role = "chief" if task.is_chief or first else task.task_type
    trains = role in ("chief", "worker")
    return HookedRun(
        hooks if trains else (), [*listeners, *(train_spec.saving_listeners or ())] if role == "chief" else (),
        estimator.model_dir, max(estimator._newest_step(), 0), last=train_spec.max_steps, role=role,
        in_cluster=True,
    )  # fmt: skip


def _check_trainer(job: Job) -> None:
    """Sees that nothing of the compiled model is Python's: hooks of the EstimatorSpec, and metrics of add_metrics."""
    model = job.estimator._model
    if isinstance(model, CannedModel):
        if model.evaluates_here and job.eval_sets.names:
            raise UnsupportedError(
                "metrics of add_metrics are evaluated by processes of Python alone, not by those of a trainer: expected no "
                "eval_spec, as evaluate() has them afterwards, or train_and_evaluate under TF_CONFIG"
            )
    elif job.hooked.has_hooks or model.evaluates_here:
        _check_no_hooks("the EstimatorSpec", [True])


# This process as a task


def run_as_task(job: Job, strategy: ParameterServerStrategy, tf_config: str, on_event: _engine.EventHandler) -> None:
    """Is the task that TF_CONFIG says until the job ends.

    Raises:
      ClusterError: a task was lost, or the job was stopped. UnsupportedError: a fetch that the task does not compute.
      Errors of the run: see Estimator.train.
    """
    hooked = job.hooked
    model = job.estimator._model.compiled(job.columns, job.modes, job.eval_sets.names, hooked)
    hooked.check_fetches(model)
    here = job.eval_sets.evaluated_here(job.options.get("max_steps"), on_event)
    hooked.evaluates = here if hooked.role in ("chief", "evaluator") else {}
    options = {**job.options, **strategy.options(), "tf_config": tf_config}
    token = os.environ.get("MLC_TOKEN_FILE")
    if token and "token_file" not in options:
        options["token_file"] = token
    with tempfile.TemporaryDirectory(prefix="mlc-task-") as directory:
        data = job.data if callable(job.data) else _as_file(job, job.data, os.path.join(directory, "train.npz"))
        eval_data = {
            name: _as_file(job, each, os.path.join(directory, f"eval-{number}.npz"))
            for number, (name, each) in enumerate(job.eval_sets.data.items())
        }
        try:
            outcome = _engine.train(model, options, data, eval_data, on_event, hooked if hooked.sees_steps else None)
        except MlcError as error:
            raise hooked.explained(error) from None
    if outcome["exit"] != 0:
        raise ClusterError(f"the job was stopped (exit status {outcome['exit']})", exit_code=outcome["exit"])
    hooked.end()


def _as_file(job: Job, data: _engine.Data, path: str) -> _engine.FileSource:
    """The data as files; arrays are written to `path`, as all tasks have to show that they have the same."""
    if isinstance(data, _engine.FileSource):
        return data
    assert isinstance(data, Mapping)
    _write_arrays(job.columns, data, path)
    return _engine.FileSource([path], {"csv": {}}, {}, passes=0, drop_remainder=False)


# Processes of a trainer


def compile_trainer(job: Job, output: str, cpu: str, strategy: ParameterServerStrategy, servers: int) -> None:
    """Writes an executable trainer of the model to `output`, for a job of so many servers.

    Raises CompileError, SpecError, ModelError.
    """
    model = job.estimator._model
    job.hooked.in_cluster = servers > 0 or (strategy.virtual_shards or 1) > 1  # steps are done in parts
    files = job.dataset if isinstance(job.dataset, FileDataset) else None
    source = job.data if isinstance(job.data, _engine.FileSource) else None
    text, name = model.trainer_text(job.columns, job.modes, job.eval_sets.names, job.hooked, files, source)
    _check_trainer(job)
    _engine.compile_trainer(text, output, name, cpu, job.estimator.config.target)


def arguments(job: Job, strategy: ParameterServerStrategy, directory: str) -> list[str]:
    """Verb and flags of the trainer of a job. Arrays are written to files in `directory`.

    Raises UnsupportedError: arrays that files cannot have, or eval files of another format than those of training.
    """
    options = job.options
    words = ["train", "--model_dir", os.path.abspath(options["model_dir"])]
    flags = ("batch_size", "seed", "epochs", "max_steps", "device", "gpus", "gpu_sums", "gpu_memory")
    words += [word for flag in flags if flag in options
              for word in (f"--{flag}", str(options[flag]))]  # fmt: skip
    words += strategy.flags()
    for setting in options["settings"]:
        words += ["--set", setting]
    for pattern in _patterns(job, job.data, os.path.join(directory, "train.npz")):
        words += ["--train_files", pattern]
    for place, (name, data) in enumerate(job.eval_sets.data.items()):
        for number, pattern in enumerate(_patterns(job, data, os.path.join(directory, f"eval-{place}.npz"))):
            words += ["--set", f"eval{'.' + name if name else ''}.files{'+' if number else ''}={pattern}"]
    return words


def _patterns(job: Job, data: _engine.Data, path: str) -> Sequence[str]:
    """The files that a trainer reads `data` from; those of arrays are written to `path`."""
    if isinstance(data, _engine.FileSource):
        _check_same_format(job, data)
        return data.patterns
    assert isinstance(data, Mapping)
    _write_arrays(job.columns, data, path)
    return [path]


def _check_same_format(job: Job, data: _engine.FileSource) -> None:
    """A trainer knows one format of text files, that of training."""
    first = job.data
    if not isinstance(first, _engine.FileSource):
        raise UnsupportedError(
            "the eval set is of text files and the training data of arrays; a trainer takes the format of text files from "
            "those that it trains on: expected both as files, or both as arrays"
        )
    labels = {column.name for column in job.columns.columns if column.role == "label"}
    differs = [name for name in first.columns if first.columns[name] != data.columns.get(name) and name not in labels]
    if first.settings != data.settings or differs:
        what = f"read '{differs[0]}' otherwise" if differs else f"are {dict(data.settings)}"
        raise UnsupportedError(
            f"files of the eval set {what} than those of training, {dict(first.settings)}; a trainer reads all files alike: "
            "expected the same arguments of from_csv or from_tfrecord"
        )


def _write_arrays(columns: Any, data: Mapping[str, np.ndarray], path: str) -> None:
    if isinstance(columns, InputColumns):
        several = next((column.key for column in columns.columns if column.several), None)
        if several is not None:
            raise UnsupportedError(
                f"'{several}' has any number of values in each row, which files of arrays cannot have: write CSV or TFRecord "
                "files, and read them with Dataset.from_csv or Dataset.from_tfrecord"
            )
    with zipfile.ZipFile(path, "w") as archive:  # a column may have the name of an argument of numpy.savez
        for name, array in data.items():
            if array.dtype.kind == "O":
                texts = [text if isinstance(text, bytes) else str(text).encode() for text in array.flat]
                array = np.array(texts, dtype=bytes).reshape(array.shape)
            # Without the time: equal arrays are equal files.
            with archive.open(zipfile.ZipInfo(f"{name}.npy"), "w", force_zip64=True) as file:
                np.lib.format.write_array(file, array, allow_pickle=False)
