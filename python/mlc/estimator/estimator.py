"""class Estimator: what all Estimators do with their model: train, evaluate, predict, export, and tell variables."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import copy
import glob
import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from mlc import _engine, _events
from mlc._model import Model
from mlc._spec import write_spec
from mlc.data import Batches, Dataset, FileDataset, PieceDataset, constant
from mlc.data._dataset import FirstRows
from mlc.data._pieces import PieceBatches
from mlc.errors import CheckpointError, UnsupportedError, did_you_mean
from mlc.estimator import _runs
from mlc.estimator._canned_model import CannedModel
from mlc.estimator._feed import BatchFeed
from mlc.estimator.exporters import check_receiver
from mlc.estimator.model_fn import check_model_fn, prediction_name
from mlc.estimator.predictor import Predictor
from mlc.estimator.run_config import RunConfig
from mlc.estimator.specs import EvalSpec, ModeKeys, check_input_fn, check_limit, warm_start

if TYPE_CHECKING:
    from mlc.estimator import _continued
    from mlc.estimator._hooked import HookedRun
    from mlc.estimator._traced import TracedModel

logger = logging.getLogger("mlc")

InputFn = Callable[..., Any]
PathArg = str | os.PathLike[str] | None


class Estimator:
    """A model with a model_dir, in which it is trained, evaluated and found again.

    Canned Estimators are subclasses that have a constructor and nothing else. A model is compiled when data is first
    seen, since data tells what feature columns do not: whether a key has one id per row or several.

    Attributes:
      model_dir: the directory of checkpoints and events.
      config: the RunConfig.
      params: what the constructor was given; a copy.
    """

    def __init__(
        self,
        model_fn: Model | Callable[..., Any],
        model_dir: PathArg = None,
        config: RunConfig | None = None,
        params: dict[str, Any] | None = None,
        warm_start_from: Any = None,
    ) -> None:
        """An Estimator.

        Args:
          model_fn: a function of features, and any of labels, mode, params and config, that returns an EstimatorSpec:
            it is called to trace what the model computes, not for each batch. Or the description of a model, as canned
            Estimators make it.
          model_dir: directory of checkpoints and events; None: that of `config`, or a temporary one.
          config: how it runs; None: a RunConfig with its defaults.
          params: given to model_fn and input_fn, if they have an argument of this name.
          warm_start_from: of a model_fn: a checkpoint, or WarmStartSettings, whose values variables begin with.

        Raises:
          ValueError: model_dir is another one than that of `config`; a subclass overrides a method; model_fn has no
            argument for features, or others than those above.
        """
        if warm_start_from is not None and isinstance(model_fn, Model):
            raise UnsupportedError("warm_start_from is an argument of canned Estimators; a description has its own")
        self._assert_members_are_not_overridden()
        if config is not None and not isinstance(config, RunConfig):
            raise ValueError(f"config must be an instance of `RunConfig`. Received: {config}.")
        self._params = copy.deepcopy(params or {})
        if not isinstance(model_fn, Model):
            if not callable(model_fn):
                raise ValueError(f"model_fn must be a function; found {model_fn!r}")
            check_model_fn(model_fn, params)
        self._evaluations: dict[str, dict[int, dict[str, Any]]] = {}
        self._earlier_evaluations: dict[str | None, dict[int, dict[str, Any]]] = {}
        self._first_rows: dict[str, FirstRows | _engine.Data] = {}
        """Of the data that were read last, by mode."""
        self._config = _with_model_dir(config or RunConfig(), model_dir)
        self._model: CannedModel | TracedModel
        if isinstance(model_fn, Model):
            self._model = CannedModel(model_fn, self._config)
        else:
            from mlc.estimator._traced import TracedModel  # with all ops, which canned Estimators do not need

            self._model = TracedModel(model_fn, self._params, self._config, warm_start(warm_start_from))

    def _assert_members_are_not_overridden(self) -> None:
        """Subclasses that change a public method would break what the others rely on."""
        allowed = {"__init__", "__module__", "__doc__", "__qualname__"}
        for kind in type(self).__mro__:
            if kind is Estimator:
                return
            changed = sorted(name for name in vars(kind) if name in vars(Estimator) and name not in allowed)
            if any(not name.startswith("__") for name in changed):
                raise ValueError(f"Subclasses of Estimator cannot override members of Estimator. {kind}: {changed}")

    def __repr__(self) -> str:
        from mlc import _repr

        return _repr.text(self)

    def _repr_html_(self) -> str:
        """For notebooks."""
        from mlc import _repr

        return _repr.html_text(self)

    @property
    def model_dir(self) -> str:
        """The directory of checkpoints and events."""
        assert self._config.model_dir is not None
        return self._config.model_dir

    @property
    def config(self) -> RunConfig:
        """How it runs; its model_dir is that of the Estimator."""
        return self._config

    @property
    def params(self) -> dict[str, Any]:
        """A copy of what the constructor was given."""
        return copy.deepcopy(self._params)

    @property
    def model_fn(self) -> Callable[..., Any] | None:
        """The model_fn; None of a canned Estimator."""
        return None if isinstance(self._model, CannedModel) else self._model.model_fn

    def _with_metrics(self, metric_fn: Callable[..., Any]) -> Estimator:
        """An Estimator of the same model and model_dir whose evaluations have more metrics: see add_metrics."""
        from mlc.estimator._added_metrics import call_metric_fn, check_metric_fn  # with all ops
        from mlc.estimator.model_fn import EstimatorSpec, call_model_fn

        check_metric_fn(metric_fn)
        if isinstance(self._model, CannedModel):
            model = self._model.model
            return Estimator(replace(model, metric_fns=(*model.metric_fns, metric_fn)), self.model_dir, self.config)
        inner = self._model.model_fn

        def model_fn(features: Any, labels: Any, mode: str, params: Any, config: Any) -> EstimatorSpec:
            spec = call_model_fn(inner, features, labels, mode, params, config)
            if mode == ModeKeys.EVAL:
                given = {"features": features, "labels": labels, "predictions": spec.predictions, "config": config}
                spec.eval_metric_ops |= call_metric_fn(metric_fn, given)
            return spec

        return Estimator(model_fn, self.model_dir, self.config, self.params, self._model.warm_start)

    def evaluations(self, name: str | None = None) -> dict[int, dict[str, Any]]:
        """Metrics of the evaluations of this name, by step: of those that this object has made, also within
        train_and_evaluate, and of earlier ones of the model_dir, as its event files have them, in float32."""
        return dict(sorted((self._earlier(name) | self._evaluations.get(name or "", {})).items()))

    def _earlier(self, name: str | None) -> dict[int, dict[str, Any]]:
        """Evaluations that were in the model_dir when this object was first asked for them."""
        if name not in self._earlier_evaluations:
            pattern = os.path.join(glob.escape(self.eval_dir(name)), "*.tfevents.*")
            earlier = _events.evaluations(pattern)
            self._earlier_evaluations[name] = {step: _runs.metrics_of(metrics) for step, metrics in earlier.items()}
        return self._earlier_evaluations[name]

    def metric_values(self, metric: str, name: str | None = None) -> dict[int, float]:
        """One metric of evaluations(name), by step in order; earlier ones that have it not are left out. Raises ValueError
        where an evaluation of this object, or each one, has it not."""
        return values_of(metric, self.evaluations(name), self._evaluations.get(name or "", {}))

    def _note_evaluation(self, event: Mapping[str, Any]) -> None:
        if event.get("event") == "eval":
            self._evaluations.setdefault(event.get("name", ""), {})[int(event["step"])] = _runs.metrics_of(event["metrics"])

    # Training

    def train(
        self,
        input_fn: InputFn,
        hooks: Sequence[Any] | None = None,
        steps: int | None = None,
        max_steps: int | None = None,
        saving_listeners: Sequence[Any] | None = None,
    ) -> Estimator:
        """Trains from the newest checkpoint, or from initial values, and saves at the end.

        Vocabularies may have more terms than those of the checkpoint: rows and columns of variables and slots go where
        their terms are, those of new terms begin as the initializers say, and the step goes on.

        Args:
          input_fn: returns a Dataset, an iterator of batches (features, labels), as a generator is, or arrays
            (features, labels), which are one batch that each step takes again. It may have arguments mode, params and
            config.
          hooks: called between steps, in their order: see mlc.train.SessionRunHook.
          saving_listeners: called around checkpoints: see mlc.train.CheckpointSaverListener.
          steps: so many steps more; None: to the input's end. Not with max_steps.
          max_steps: the global step at which training ends; one that is reached already leaves all as it is.

        Returns:
          The Estimator itself.

        Raises:
          ValueError: steps and max_steps, or one that is not above 0.
          DataError: data that the model cannot read.
          NanLossDuringTrainingError: the loss is not finite. Other errors of the run: see mlc.errors.
        """
        if steps is not None and max_steps is not None:
            raise ValueError("Can not provide both steps and max_steps.")
        check_limit(steps, "steps")
        check_limit(max_steps, "max_steps")
        self._run_training(input_fn, steps, max_steps, hooks=hooks, saving_listeners=saving_listeners)
        return self

    def _run_training(
        self,
        input_fn: InputFn,
        steps: int | None,
        max_steps: int | None,
        eval_specs: Sequence[EvalSpec] = (),
        on_event: _engine.EventHandler | None = None,
        hooks: Sequence[Any] | None = None,
        saving_listeners: Sequence[Any] | None = None,
    ) -> None:
        """Trains, and evaluates as `eval_specs` say; on_event gets what the run tells. Arguments were checked."""
        if self._config.task.is_distributed:
            raise UnsupportedError(
                "TF_CONFIG describes a cluster, and train() trains in one process: train_and_evaluate() makes this process a "
                "task of it"
            )
        begin = max(self._newest_step(), 0)
        if max_steps is not None and begin >= max_steps:
            logger.info("Skipping training since max_steps has already saved.")
            return
        dataset = self._dataset(input_fn, ModeKeys.TRAIN)
        columns = self._model.columns(dataset)
        from mlc.estimator import _continued  # with all ops, which are loaded where they are needed
        from mlc.estimator._eval_specs import EvalSets
        from mlc.estimator._hooked import HookedRun, saving_of

        hooks = list(hooks or ())
        config, listeners = saving_of(hooks, self._config)
        options = _runs.train_options(config, dataset, begin, steps, max_steps)
        options |= self._config.device_options(trains=True)
        options["settings"] += self._model.initial_settings
        options["grow_vocabularies"] = True
        last = max_steps if steps is None else begin + steps
        if isinstance(dataset, Batches) and last != begin + 1:
            columns = self._model.ahead(columns, dataset, needs_labels=True)
        eval_sets = EvalSets(self, list(eval_specs))
        columns = eval_sets.open(columns)
        options["settings"] += eval_sets.settings
        seed = _runs.run_seed(config, dataset)
        columns, data = _runs.train_data(columns, dataset, begin, seed)
        self._first_rows[ModeKeys.TRAIN] = _runs.first_rows(data)
        feed = data if isinstance(data, BatchFeed) else None
        listeners += saving_listeners or ()
        hooked = HookedRun(hooks, listeners, self.model_dir, begin, batches=feed, last=last)
        modes = [ModeKeys.TRAIN, *eval_sets.modes]
        work = _continued.Work(self._model, columns, modes, data, options, hooked, eval_sets.names)
        if isinstance(data, PieceBatches):
            work.data_from = lambda step: _runs.train_data(columns, dataset, step, seed)[1]
        model = work.compiled()
        end = begin + options["steps"] if "steps" in options else last
        hooked.evaluates = eval_sets.evaluated_here(end, on_event)

        def note(event: dict[str, Any]) -> None:
            self._note_evaluation(event)
            if on_event is not None:
                on_event(event)

        self._model.keep_columns(work.columns)
        _continued.train(work, model, eval_sets.data, note)

    # Evaluation

    def evaluate(
        self,
        input_fn: InputFn,
        steps: int | None = None,
        hooks: Sequence[Any] | None = None,
        checkpoint_path: PathArg = None,
        name: str | None = None,
    ) -> dict[str, Any]:
        """The metrics of a checkpoint.

        Args:
          input_fn: as of train; rows are taken in their order. Plain arrays are one batch.
          steps: batches; None: to the input's end.
          hooks: called between the batches, in their order: see mlc.train.SessionRunHook.
          checkpoint_path: of the directory of a checkpoint, as latest_checkpoint() returns it; None: the newest, or
            where there is none the values that training would begin with, with a warning.
          name: events go to eval_<name> of the model_dir; None: to eval.

        Returns:
          Metrics by name, `loss` and `global_step` among them: numbers, and arrays of a metric that is one, whose elements have
          tags of their own in the events, `<name>[0]`, `<name>[1]`, ...

        Raises:
          CheckpointError: checkpoint_path is none, or that of another model.
          ValueError: steps is not above 0, or is None and the input has no end.
        """
        check_limit(steps, "steps")
        dataset = self._dataset(input_fn, ModeKeys.EVAL)
        path = None if checkpoint_path is None else os.fspath(checkpoint_path)
        metrics = _runs.metrics_of(self._evaluate(dataset, steps, hooks, path, {"events": name or ""}))
        self._evaluations.setdefault(name or "", {})[int(metrics["global_step"])] = metrics
        return metrics

    def _evaluate_state(
        self, state: Mapping[str, np.ndarray], step: int, input_fn: InputFn, steps: int | None,
        hooks: Sequence[Any] | None, name: str | None,
    ) -> None:  # fmt: skip
        """As evaluate, of the variables of a model after `step` steps, which no checkpoint has."""
        dataset = self._dataset(input_fn, ModeKeys.EVAL)
        metrics = _runs.metrics_of(self._evaluate(dataset, steps, hooks, None, {"events": name or ""}, state, step))
        self._evaluations.setdefault(name or "", {})[step] = metrics

    def _evaluate(
        self, dataset: Dataset | Batches, steps: int | None, hooks: Sequence[Any] | None, checkpoint: str | None,
        options: dict[str, Any], state: Mapping[str, np.ndarray] | None = None, step: int | None = None,
    ) -> dict[str, Any]:  # fmt: skip
        """What an evaluation of a checkpoint tells, or of variables that `state` has all of, after `step` steps: metrics, those
        that are arrays as their elements."""
        from mlc.estimator import _continued

        options = options | self._state_options(checkpoint)
        columns = self._model.eval_columns(dataset)
        batches, size, total = steps, None, None
        data: _engine.Data | BatchFeed
        if isinstance(dataset, Batches):
            if steps is None:
                _runs.require_end(dataset)
            if steps != 1:
                columns = self._model.ahead(columns, dataset, needs_labels=True)
            data = BatchFeed(columns, dataset, needs_labels=True)
        else:
            columns, data, batches = _runs.eval_data(columns, dataset, steps)
            size = dataset.batch_size
            if isinstance(data, Mapping) and size:
                total = -(-len(next(iter(data.values()))) // size)
        self._first_rows[ModeKeys.EVAL] = _runs.first_rows(data)
        settings = options.pop("settings", [])
        options["settings"] = settings + _runs.eval_settings(None, size, batches)
        hooked = self._hooked(hooks, data, checkpoint, step, last=steps, total=total)
        work = _continued.Work(self._model, columns, [ModeKeys.EVAL], data, options, hooked, batch_size=size)
        return _continued.evaluate(work, batches, state, step, settings)

    def _hooked(
        self, hooks: Sequence[Any] | None, data: _engine.Data | BatchFeed, checkpoint: str | None,
        step: int | None = None, last: int | None = None, total: int | None = None,
    ) -> HookedRun:  # fmt: skip
        """Hooks of what reads a checkpoint."""
        from mlc.estimator._hooked import HookedRun

        hooked = HookedRun(
            hooks or (), (), self.model_dir, max(self._newest_step(), 0), batches=data if isinstance(data, BatchFeed) else None,
            trains=False, last=last, total=total, checkpoint=checkpoint,
        )  # fmt: skip
        place = hooked.checkpoint_place()
        if step is not None or place is not None:
            hooked.step = place[1] if step is None and place is not None else step or 0
        return hooked

    # Prediction

    def predict(
        self,
        input_fn: InputFn,
        predict_keys: str | Iterable[Any] | None = None,
        hooks: Sequence[Any] | None = None,
        checkpoint_path: PathArg = None,
        yield_single_examples: bool = True,
    ) -> Iterator[dict[str, Any]]:
        """The predictions of a checkpoint, in the order of the rows. Nothing runs before the first is asked for.

        Args:
          input_fn: as of train; labels may be absent. An input without end is predicted again and again.
          predict_keys: keys of predictions to give, of a MultiHead pairs (head, key); None: all.
          hooks: called between the batches, as of evaluate.
          checkpoint_path: as of evaluate.
          yield_single_examples: True: a dict for each row; False: a dict of arrays for each batch.

        Yields:
          Predictions by key: arrays of a row's shape, or [rows of the batch, ...]; of a model_fn whose predictions are
          one Tensor such an array itself.

        Raises:
          CheckpointError: checkpoint_path is none, or that of another model.
          ValueError: the model has none of predict_keys.
        """
        from mlc.estimator import _continued

        keys = _prediction_names(predict_keys)
        dataset = self._dataset(input_fn, ModeKeys.PREDICT)
        if isinstance(dataset, Dataset) and not isinstance(dataset, FileDataset) and len(dataset) == 0:
            return
        work, epochs = self._prediction_work(dataset, hooks, checkpoint_path)
        if epochs is None:
            logger.warning("Input has no end: its rows are predicted again and again.")
        for batch in _continued.predict(work, epochs):
            selected = self._model.predictions(_runs.select_predictions(batch, keys))
            if not yield_single_examples:
                yield selected
            elif isinstance(selected, np.ndarray):
                yield from selected
            else:
                yield from _runs.rows_of(selected)

    def predict_files(
        self,
        input_fn: InputFn,
        output: str | os.PathLike[str],
        predict_keys: str | Iterable[Any] | None = None,
        forward_features: str | Iterable[str] | None = None,
        checkpoint_path: PathArg = None,
        on_bad_row: str = "fail",
    ) -> None:
        """Writes the predictions of a checkpoint to a file, in the order of the rows: any number of them, in the memory
        of some batches. The file appears, in the place of one of its name, when it is complete.

        Args:
          input_fn: as of predict. Files as of Dataset.from_csv and from_tfrecord are read, and CSV written, without
            Python between.
          output: its name's end is the format: .csv (a header; a vector takes columns key_0, key_1, ...), .jsonl (an
            object for each row), as `mlc predict` writes them, or .parquet (vectors are lists), which needs pyarrow.
          predict_keys, checkpoint_path: as of predict.
          forward_features: keys of features that come before the predictions, in CSV and JSON lines.
          on_bad_row: what becomes of a row that cannot be read, or that the model refuses: "fail" raises, "skip" leaves
            it out, "null" gives no values; of CSV and JSON lines.

        Raises:
          ValueError: output has another end; the input goes through its rows more than once; on_bad_row is no such word.
          DataError: data that the model cannot read. CheckpointError, OSError: as of predict.
        """
        from mlc.estimator import _continued, _prediction_files

        path = os.path.abspath(os.fspath(output))
        file_format = _prediction_files.format_of(path)
        keys = _prediction_names(predict_keys)
        forward = [forward_features] if isinstance(forward_features, str) else list(forward_features or ())
        if on_bad_row not in _prediction_files.ON_BAD_ROW:
            raise ValueError(f"on_bad_row must be one of {', '.join(_prediction_files.ON_BAD_ROW)}; found {on_bad_row!r}")
        dataset = self._dataset(input_fn, ModeKeys.PREDICT)
        if isinstance(dataset, Dataset) and not dataset.is_constant and dataset.epochs != 1:
            raise ValueError("predict_files goes through its input once; leave repeat() out")
        work, _ = self._prediction_work(dataset, None, checkpoint_path)
        if file_format == "parquet":
            if forward or on_bad_row != "fail":
                raise UnsupportedError(f"output '{output}': forward_features and on_bad_row are of .csv and .jsonl files")
            batches = _continued.predict(work, 1)
            _prediction_files.write_parquet(path, (_runs.select_predictions(batch, keys) for batch in batches))
            return
        work.options |= {"output": path, "format": file_format, "on_bad_row": on_bad_row}
        work.options |= {name: value for name, value in (("keys", keys), ("forward", forward)) if value}
        compiled = work.compiled()
        if isinstance(work.data, BatchFeed):
            work.data.refuse_other_sizes(f"output '{output}' takes rows of one size; .parquet takes any")
        with work.naming():
            _engine.predict_to_file(compiled, work.options, work.data)

    def _prediction_work(
        self, dataset: Dataset | Batches, hooks: Sequence[Any] | None, checkpoint_path: PathArg
    ) -> tuple[_continued.Work, int | None]:
        """What predicts `dataset`, and how often it goes through its rows; None: without end."""
        from mlc.estimator import _continued

        columns = self._model.columns(dataset)
        options = self._state_options(checkpoint_path)
        columns, data = _runs.predict_data(columns, dataset)
        self._first_rows[ModeKeys.PREDICT] = _runs.first_rows(data)
        epochs: int | None = 1
        total = None
        if not isinstance(dataset, Batches):
            options["batch_size"] = dataset.batch_size
            epochs = 1 if dataset.is_constant else dataset.epochs
            # Rows of files are counted when they are read.
            total = None if isinstance(dataset, FileDataset) else dataset.batches_per_epoch
        path = None if checkpoint_path is None else os.fspath(checkpoint_path)
        hooked = self._hooked(hooks, data, path, total=total and epochs and total * epochs)
        work = _continued.Work(
            self._model, columns, [ModeKeys.PREDICT], data, options, hooked, batch_size=options.get("batch_size")
        )
        return work, epochs

    def predictor(self, features: Any = None, checkpoint_path: PathArg = None) -> Predictor:
        """Predictions of a checkpoint that stays in memory, for programs that ask for a few rows again and again.

        Args:
          features: of rows like those that it will be asked about, which tell shapes and dtypes; None: as those that
            train, evaluate or predict saw.
          checkpoint_path: as of evaluate.

        Raises:
          CheckpointError: checkpoint_path is none, or that of another model.
          UnsupportedError: nothing is known of the features of a model_fn.
        """
        columns = self._model.seen if features is None else self._model.columns(constant(features, None))
        options = self._state_options(checkpoint_path)
        newest = self.latest_checkpoint()
        if "checkpoint" not in options and newest is not None:
            options["checkpoint"] = newest
        return Predictor(self._model, self._model.compiled(columns, [ModeKeys.PREDICT]), columns, options)

    # Export

    def export_saved_model(
        self,
        export_dir_base: str | os.PathLike[str],
        serving_input_receiver_fn: Any = None,
        assets_extra: dict[str, str] | None = None,
        as_text: bool = False,
        checkpoint_path: PathArg = None,
        experimental_mode: str = ModeKeys.PREDICT,
        golden_rows: int = FirstRows.MOST,
    ) -> bytes:
        """Writes a checkpoint's model as a directory of its own, which predicts without Python and compiler.

        Args:
          export_dir_base: the export becomes a directory in it, named by the seconds since 1970.
          serving_input_receiver_fn, assets_extra, as_text: of TensorFlow's SavedModel; must be None, None and False.
          checkpoint_path: as of evaluate.
          experimental_mode: ModeKeys.PREDICT.
          golden_rows: so many rows, 8 at most, stand in the export with their predictions, which are made again, and
            compared, whenever it is loaded: the first of those that this object has predicted, else evaluated, else trained
            on. 0: none.

        Returns:
          The path of the export, as bytes.

        Raises:
          CheckpointError: there is no checkpoint.
          UnsupportedError: an argument that an export does not have.
        """
        check_receiver(serving_input_receiver_fn, assets_extra, as_text)
        if experimental_mode != ModeKeys.PREDICT:
            raise UnsupportedError(f"experimental_mode {experimental_mode!r}: an export predicts; expected 'infer'")
        options = self._checkpoint_options(checkpoint_path)
        options["output"] = os.path.abspath(os.fspath(export_dir_base))
        if not 0 <= golden_rows <= FirstRows.MOST:
            raise ValueError(f"golden_rows is {golden_rows}; expected 0 to {FirstRows.MOST}")
        options["golden_rows"] = golden_rows
        model = self._model.compiled_for_export(self._model.seen)
        return os.fsencode(_engine.export(model, options, self._golden_data()))

    def _golden_data(self) -> _engine.Data | None:
        """What golden rows of an export are the first rows of."""
        for mode in (ModeKeys.PREDICT, ModeKeys.EVAL, ModeKeys.TRAIN):
            rows = self._first_rows.get(mode)
            if isinstance(rows, FirstRows):
                rows = rows.columns
            if rows is not None:
                return rows
        return None

    # What a model_dir holds

    def latest_checkpoint(self) -> str | None:
        """The path of the newest checkpoint, or None."""
        step = self._newest_step()
        return None if step < 0 else _runs.checkpoint_directory(self.model_dir, step)

    def best_checkpoint(
        self, metric: str = "loss", higher_is_better: bool = False, name: str | None = None
    ) -> str | None:
        """The path of the checkpoint whose evaluation was the best, for checkpoint_path of evaluate, predict and others.

        Of those in model_dir that were evaluated, also by earlier processes: the first of equal ones.
        RunConfig(keep_checkpoint_max) tells how many are kept. None if there is none; NaN is no result.

        Args:
          metric: of the evaluations: "loss", "auc" or what the model has.
          higher_is_better: of that metric.
          name: that of EvalSpec, or of evaluate.

        Raises ValueError: the evaluations have no such metric.
        """
        kept = {}
        for step, value in self.metric_values(metric, name).items():
            path = _runs.checkpoint_directory(self.model_dir, step)
            if value == value and os.path.isdir(path):
                kept[path] = -value if higher_is_better else value
        return min(kept, key=lambda path: kept[path], default=None)

    def get_variable_names(self) -> list[str]:
        """Names of all variables of the newest checkpoint, optimizer slots and global_step among them.

        Raises CheckpointError if there is none.
        """
        return sorted({*_engine.variables(self.model_dir, self._require_checkpoint()), "global_step"})

    def get_variable_value(self, name: str) -> np.ndarray:
        """The value of a variable of the newest checkpoint.

        Raises CheckpointError if there is no checkpoint, or no such variable in it.
        """
        step = self._require_checkpoint()
        name = name.removesuffix(":0")
        if name == "global_step":
            return np.asarray(step, dtype=np.int64)
        names = _engine.variables(self.model_dir, step)
        if name not in names:
            hint = did_you_mean(name, names)
            raise CheckpointError(f"the checkpoint has no variable '{name}'" + (f"; {hint}" if hint else ""))
        return _engine.variable(self.model_dir, step, name)

    def eval_dir(self, name: str | None = None) -> str:
        """The directory of the events of evaluations of this name."""
        return os.path.join(self.model_dir, f"eval_{name}" if name else "eval")

    def to_spec(self) -> str:
        """The model as an Estimator spec, which the command line trains, too.

        Shapes and labels are those of the data that was seen; without any, keys have one value per row and classes are
        integers.
        """
        run = {"seed": self._config.tf_random_seed or 0, **self._config.run_settings()}
        if isinstance(self._model, CannedModel):
            return self._model.text(self._model.seen, run_config=run)
        spec = getattr(self._model.model_fn, "spec", None)
        if spec is None:
            raise UnsupportedError("a model_fn is no spec; to_df() is its text")
        model, columns = spec(self._model.seen)
        return write_spec(model, columns, run_config=run)

    def to_df(self, modes: Sequence[str] = (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.PREDICT)) -> str:
        """The model of a model_fn as a df module, which the command line compiles, too (docs/df-programs.md).

        Shapes are those of the data that was seen. Hooks of the EstimatorSpec are left out, with a warning: they are Python's.
        Raises UnsupportedError without any data, and for a canned Estimator, which is a spec: to_spec().
        """
        if isinstance(self._model, CannedModel):
            raise UnsupportedError("a canned Estimator is a spec: to_spec() is its text")
        text = self._model.text(self._model.seen, modes, origins=False)
        if left_out := self._model.hooks_left_out:
            logger.warning("to_df: %s of the EstimatorSpec are left out: a module has no hooks", ", ".join(left_out))
        return text

    def compile_trainer(self, output: str | os.PathLike[str], cpu: str = "native") -> None:
        """Makes the model's trainer: one native program that trains, evaluates, predicts and exports, as the trainer of
        the text of to_spec() or to_df() (docs/command-line.md), and is a task of a cluster where TF_CONFIG says so.

        Args:
          output: the program's file; a directory of it has to be there.
          cpu: what it is for: "native", this machine, or "x86-64-v3" and others of `mlc compile --cpu`. It has code for
            GPUs, too, where RunConfig(device=...) is no "cpu".

        Raises:
          UnsupportedError: of a model_fn that has seen no data. CompileError, SpecError: the model cannot be compiled.
          RunError: the file cannot be written.
        """
        if isinstance(self._model, CannedModel):
            text, name = self.to_spec(), "<spec>"
        else:
            text, name = self.to_df(), f"{self._model.name}.mlir"
        _engine.compile_trainer(text, os.path.abspath(os.fspath(output)), name, cpu, self._config.target)

    # Between the methods above and the engine

    def _dataset(self, input_fn: InputFn, mode: str) -> Dataset | Batches:
        """What the input_fn returns for `mode`, as a Dataset with batches."""
        check_input_fn(input_fn)
        dataset = _runs.call_input_fn(input_fn, mode, self._params, self._config)
        if not isinstance(dataset, PieceDataset):
            return dataset
        from mlc.data._records import RecordDataset  # with what decodes records

        if not isinstance(dataset, RecordDataset):
            return dataset
        trains = mode == ModeKeys.TRAIN
        begin = max(self._newest_step(), 0) if trains else 0
        return dataset.batches_from(begin, _runs.run_seed(self._config, dataset), trains)

    def _newest_step(self) -> int:
        """The step of the newest checkpoint, -1 without one."""
        return max(_engine.checkpoints(self.model_dir), default=-1)

    def _require_checkpoint(self) -> int:
        """The step of the newest checkpoint; CheckpointError without one."""
        step = self._newest_step()
        if step < 0:
            raise CheckpointError(f"Couldn't find trained model at {self.model_dir}; call train() first")
        return step

    def _checkpoint_options(self, checkpoint_path: PathArg) -> dict[str, Any]:
        """model_dir and, unless it is the newest, the directory of a checkpoint. CheckpointError if there is none."""
        options: dict[str, Any] = {"model_dir": self.model_dir, **self._config.device_options()}
        if self._model.has_parts:
            options["part_of_state"] = True
        if checkpoint_path is None:
            self._require_checkpoint()
        else:
            options["checkpoint"] = os.path.abspath(os.fspath(checkpoint_path))
        return options

    def _state_options(self, checkpoint_path: PathArg) -> dict[str, Any]:
        """The same; where there is no checkpoint the model begins as training would, as in TensorFlow."""
        if checkpoint_path is not None or self._newest_step() >= 0:
            return self._checkpoint_options(checkpoint_path)
        return {
            "model_dir": self.model_dir,
            **self._config.device_options(),
            "may_be_initial": True,
            "seed": self._config.tf_random_seed or 0,
            "settings": list(self._model.initial_settings),
        }


def values_of(metric: str, evaluations: Mapping[int, dict[str, Any]], needed: Iterable[int] = ()) -> dict[int, float]:
    """A metric by step in order. ValueError where an evaluation of a step that is needed, or each one, has it not."""
    found = {}
    lacks: Mapping[str, Any] = {}
    for step, metrics in sorted(evaluations.items()):
        if metric in metrics:
            found[step] = float(metrics[metric])
        elif not lacks or step in needed:
            lacks = metrics
    if lacks and (not found or any(metric not in evaluations[step] for step in needed)):
        hint = did_you_mean(metric, lacks)
        text = f"evaluations have no metric '{metric}'; found {', '.join(sorted(lacks))}"
        raise ValueError(text + (f"; {hint}" if hint else ""))
    return found


def _prediction_names(keys: str | Iterable[Any] | None) -> list[str] | None:
    """Names of predictions of their keys; None: all."""
    listed = [keys] if isinstance(keys, str) else keys and list(keys)
    return [prediction_name(key) for key in listed] if listed else None


def _with_model_dir(config: RunConfig, model_dir: PathArg) -> RunConfig:
    """`config` with the model_dir of an Estimator: its argument's, the config's own, or a temporary one."""
    given = None if model_dir is None else os.fspath(model_dir)
    if given == "":
        raise ValueError("model_dir should be non-empty")
    if given is not None and config.model_dir is not None and given != config.model_dir:
        raise ValueError(
            "`model_dir` are set both in constructor and `RunConfig`, but with different values. In constructor: "
            f"'{given}', in `RunConfig`: '{config.model_dir}' "
        )
    directory = given or config.model_dir
    if directory is not None and "://" in directory:
        raise UnsupportedError(
            f"model_dir '{directory}' has a scheme; expected a local directory: checkpoints are written and locked as "
            "local files"
        )
    if directory is None:
        import tempfile  # with what packs files, which takes a while

        directory = tempfile.mkdtemp()
        logger.warning("Using temporary folder as model directory: %s", directory)
    return config if directory == config.model_dir else config.replace(model_dir=directory)
