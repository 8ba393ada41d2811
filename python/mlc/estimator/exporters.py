"""Exporters of an EvalSpec: when train_and_evaluate exports the model, and how many exports stay."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import glob
import inspect
import os
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from mlc import _events
from mlc.errors import UnsupportedError

if TYPE_CHECKING:
    from mlc.estimator.estimator import Estimator

PathArg = str | os.PathLike[str]

RECEIVER_HELP = (
    "an exported model takes the features by their keys, so there is no serving_input_receiver_fn; expected None"
)


def check_receiver(serving_input_receiver_fn: Any, assets_extra: Any, as_text: bool) -> None:
    """UnsupportedError for arguments of TensorFlow's SavedModel that an export does not have."""
    if serving_input_receiver_fn is not None:
        raise UnsupportedError(f"serving_input_receiver_fn: {RECEIVER_HELP}")
    if assets_extra:
        raise UnsupportedError("assets_extra: an export holds the model alone; copy files beside it")
    if as_text:
        raise UnsupportedError("as_text: an export is no SavedModel; its signature.json is text")


class Exporter:
    """Base of the exporters. Exports go to export/<name>/ of the model_dir.

    The run itself does what the exporters of this module say. One of your own is a subclass with a method export, which is
    called after each evaluation: it may call estimator.export_saved_model, or the export of another exporter.
    """

    kind: str | None = None
    """The spec's name of when it exports; None: export says so."""

    def __init__(self, name: str) -> None:
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name or ""):
            raise ValueError(f"exporter name {name!r}: expected a letter, then letters, digits, '_' and '-'")
        self.name = name

    def export(
        self, estimator: Estimator, export_path: PathArg, checkpoint_path: PathArg, eval_result: Mapping[str, Any],
        is_the_final_export: bool,
    ) -> bytes | str | None:  # fmt: skip
        """Exports, or not.

        Args:
          estimator: that which was evaluated.
          export_path: export/<name> of the model_dir; an export is a directory in it.
          checkpoint_path: the directory of the checkpoint.
          eval_result: its metrics, global_step among them.
          is_the_final_export: training is at its end, as far as max_steps, or the passes over the input, tell. Hooks that
            end it tell nobody before.

        Returns:
          The path of what was exported; None: nothing was.
        """
        raise NotImplementedError(f"{type(self).__name__} has no method export")

    @property
    def is_of_run(self) -> bool:
        """Whether the run itself exports, as settings() say; else `export` is called."""
        return self.kind is not None and type(self).export in _OF_RUNS

    def settings(self) -> dict[str, str]:
        """Fields of the spec's Exporter, as settings of a run have them."""
        assert self.kind is not None
        return {"name": self.name, "kind": self.kind}


class LatestExporter(Exporter):
    """Exports after each evaluation; the newest exports_to_keep stay (None: all)."""

    kind = "LATEST"

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Any = None,
        assets_extra: dict[str, str] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
    ) -> None:
        super().__init__(name)
        check_receiver(serving_input_receiver_fn, assets_extra, as_text)
        self.exports_to_keep = _check_keep(exports_to_keep)

    def export(
        self, estimator: Estimator, export_path: PathArg, checkpoint_path: PathArg, eval_result: Mapping[str, Any],
        is_the_final_export: bool,
    ) -> bytes | str | None:  # fmt: skip
        return _export(estimator, export_path, checkpoint_path, self.exports_to_keep)

    def settings(self) -> dict[str, str]:
        return {**super().settings(), "exports_to_keep": str(self.exports_to_keep)}


class FinalExporter(Exporter):
    """Exports once, where training ends."""

    kind = "FINAL"

    def __init__(
        self,
        name: str,
        serving_input_receiver_fn: Any = None,
        assets_extra: dict[str, str] | None = None,
        as_text: bool = False,
    ) -> None:
        super().__init__(name)
        check_receiver(serving_input_receiver_fn, assets_extra, as_text)

    def export(
        self, estimator: Estimator, export_path: PathArg, checkpoint_path: PathArg, eval_result: Mapping[str, Any],
        is_the_final_export: bool,
    ) -> bytes | str | None:  # fmt: skip
        return _export(estimator, export_path, checkpoint_path, 0) if is_the_final_export else None


_COMPARED = ("best_eval_result", "current_eval_result")


class BestExporter(Exporter):
    """Exports when an evaluation is better than all before it, those of earlier processes among them; the newest
    exports_to_keep stay (None: all).

    Better is a smaller loss, unless `metric` names another one and `larger_is_better` says which way, or compare_fn does: a
    function of best_eval_result and current_eval_result, both dicts of metrics. The best evaluation is that of the exports that
    are there; for a compare_fn that of the event files that event_file_pattern says, a pattern within the model_dir.
    """

    kind = "BEST"

    def __init__(
        self,
        name: str = "best_exporter",
        serving_input_receiver_fn: Any = None,
        event_file_pattern: str = "eval/*.tfevents.*",
        compare_fn: Callable[..., bool] | None = None,
        assets_extra: dict[str, str] | None = None,
        as_text: bool = False,
        exports_to_keep: int | None = 5,
        *,
        metric: str = "loss",
        larger_is_better: bool = False,
    ) -> None:
        super().__init__(name)
        check_receiver(serving_input_receiver_fn, assets_extra, as_text)
        if compare_fn is not None:
            _check_compare_fn(compare_fn)
            if metric != "loss" or larger_is_better:
                raise ValueError("compare_fn and metric both say what is better; expected one of them")
        self.exports_to_keep = _check_keep(exports_to_keep)
        self.metric = metric
        self.larger_is_better = larger_is_better
        self._compare_fn, self._event_file_pattern = compare_fn, event_file_pattern
        self._best: Mapping[str, Any] | None = None

    @property
    def is_of_run(self) -> bool:
        return self._compare_fn is None and super().is_of_run

    def export(
        self, estimator: Estimator, export_path: PathArg, checkpoint_path: PathArg, eval_result: Mapping[str, Any],
        is_the_final_export: bool,
    ) -> bytes | str | None:  # fmt: skip
        if self._best is None:
            self._best = self._best_before(estimator.model_dir, int(eval_result["global_step"]))
        if self._best is not None and not self._is_better(self._best, eval_result):
            return None
        path = _export(estimator, export_path, checkpoint_path, self.exports_to_keep)
        self._best = dict(eval_result)
        return path

    def _best_before(self, model_dir: str, step: int) -> Mapping[str, Any] | None:
        """The best evaluation of event files but that of a step; None: there is none."""
        pattern = os.path.join(glob.escape(model_dir), self._event_file_pattern)
        best: Mapping[str, Any] | None = None
        for each, metrics in sorted(_events.evaluations(pattern).items()):
            if each != step and (best is None or self._is_better(best, metrics)):
                best = metrics
        return best

    def _is_better(self, best: Mapping[str, Any], current: Mapping[str, Any]) -> bool:
        if self._compare_fn is not None:
            return bool(self._compare_fn(best_eval_result=best, current_eval_result=current))
        for result in (best, current):
            if self.metric not in result:
                raise ValueError(f"BestExporter: evaluations have no metric '{self.metric}'; found {', '.join(sorted(result))}")
        one, other = best[self.metric], current[self.metric]
        return bool(other > one if self.larger_is_better else other < one)

    def settings(self) -> dict[str, str]:
        return {
            **super().settings(),
            "metric": self.metric,
            "better": "LARGER" if self.larger_is_better else "SMALLER",
            "exports_to_keep": str(self.exports_to_keep),
        }


_OF_RUNS = (LatestExporter.export, FinalExporter.export, BestExporter.export)


def _export(estimator: Estimator, export_path: PathArg, checkpoint_path: PathArg, exports_to_keep: int) -> bytes:
    """Exports a checkpoint; of all exports the newest `exports_to_keep` stay (0: all)."""
    path = estimator.export_saved_model(export_path, checkpoint_path=checkpoint_path)
    made = sorted(name for name in os.listdir(export_path) if re.fullmatch(r"[0-9]{10}", name))
    import shutil  # with what packs files, which takes a while

    for name in made[:-exports_to_keep] if exports_to_keep else ():
        shutil.rmtree(os.path.join(export_path, name))
    return path


def _check_compare_fn(compare_fn: Any) -> None:
    if not callable(compare_fn):
        raise ValueError(f"compare_fn must be a function of {' and '.join(_COMPARED)}; found {compare_fn!r}")
    names = set(inspect.signature(compare_fn).parameters)
    for name in _COMPARED:
        if name not in names:
            raise ValueError(f"compare_fn ({compare_fn}) must include {name} argument.")
    if more := sorted(names - set(_COMPARED)):
        raise ValueError(f"compare_fn ({compare_fn}) has following not expected args: {more}")


def _check_keep(exports_to_keep: int | None) -> int:
    """How many exports stay; 0: all."""
    if exports_to_keep is None:
        return 0
    if exports_to_keep <= 0:
        raise ValueError(f"`exports_to_keep`, if provided, must be a positive number. Found {exports_to_keep}")
    return int(exports_to_keep)
