"""Exporters of an EvalSpec: when train_and_evaluate exports the model, and how many exports stay."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import re
from typing import Any

from mlc.errors import UnsupportedError

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
    """Base of the exporters. Exports go to export/<name>/ of the model_dir."""

    kind: str
    """The spec's name of when it exports."""

    def __init__(self, name: str) -> None:
        if not re.fullmatch(r"[A-Za-z][A-Za-z0-9_-]*", name or ""):
            raise ValueError(f"exporter name {name!r}: expected a letter, then letters, digits, '_' and '-'")
        self.name = name

    def settings(self) -> dict[str, str]:
        """Fields of the spec's Exporter, as settings of a run have them."""
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


class BestExporter(Exporter):
    """Exports when an evaluation is better than all before it; the newest exports_to_keep stay (None: all).

    Better is a smaller loss, unless `metric` names another one and `larger_is_better` says which way: mlc's own
    arguments in the place of TensorFlow's compare_fn, which would have to be compiled.
    """

    kind = "BEST"

    def __init__(
        self,
        name: str = "best_exporter",
        serving_input_receiver_fn: Any = None,
        event_file_pattern: str = "eval/*.tfevents.*",
        compare_fn: Any = None,
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
            raise UnsupportedError("compare_fn cannot be a function; expected metric='auc', larger_is_better=True, say")
        # What the best evaluation was is told by the exports that are there, not by event files.
        del event_file_pattern
        self.exports_to_keep = _check_keep(exports_to_keep)
        self.metric = metric
        self.larger_is_better = larger_is_better

    def settings(self) -> dict[str, str]:
        return {
            **super().settings(),
            "metric": self.metric,
            "better": "LARGER" if self.larger_is_better else "SMALLER",
            "exports_to_keep": str(self.exports_to_keep),
        }


def _check_keep(exports_to_keep: int | None) -> int:
    """How many exports stay; 0: all."""
    if exports_to_keep is None:
        return 0
    if exports_to_keep <= 0:
        raise ValueError(f"`exports_to_keep`, if provided, must be a positive number. Found {exports_to_keep}")
    return int(exports_to_keep)
