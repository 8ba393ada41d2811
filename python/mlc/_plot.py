"""mlc.plot: loss and metrics of model_dirs as curves."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import io
import os
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from mlc import _events
from mlc.errors import did_you_mean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from mlc.estimator.estimator import Estimator

_COLUMNS = 3
_WIDTH, _HEIGHT = 4.0, 3.0
"""Inches of one diagram."""
_DASHES = ("-", "--", ":", "-.")


def plot(
    models: Estimator | str | os.PathLike[str] | Iterable[Any] | Mapping[str, Any], tags: Iterable[str] | None = None
) -> Figure:
    """A diagram for each tag, in which the curves of all models lie: of training, and of each evaluation.

    Args:
      models: an Estimator or its model_dir, a list of such, or a dict of such by the labels they are to have.
      tags: "loss", "accuracy", "learning_rate" or what else the event files have as numbers; None: the loss, and all metrics of
        evaluations.

    Returns:
      A Figure of matplotlib, which a notebook shows; savefig("curves.png") writes it.

    Raises:
      ImportError: matplotlib is not installed.
      ValueError: a model_dir without events, or a tag that no model has.
    """
    runs = _runs(models)
    chosen = _tags(runs, tags)
    figure = _figure(min(len(chosen), _COLUMNS), -(-len(chosen) // _COLUMNS))
    for number, tag in enumerate(chosen):
        axes = figure.add_subplot(-(-len(chosen) // _COLUMNS), min(len(chosen), _COLUMNS), number + 1)
        _draw(axes, tag, runs)
    return figure


def _runs(models: Any) -> dict[str, dict[str, _events.Curves]]:
    """Curves by run, of each model by its label."""
    if isinstance(models, Mapping):
        labelled = {str(label): _directory(model) for label, model in models.items()}
    else:
        is_one = isinstance(models, (str, os.PathLike)) or hasattr(models, "model_dir")
        directories = [_directory(model) for model in ([models] if is_one else models)]
        labelled = dict(zip(_labels(directories), directories, strict=True))
    if not labelled:
        raise ValueError("models is empty; expected an Estimator, a model_dir or several of them")
    found = {}
    for label, directory in labelled.items():
        found[label] = _events.runs(directory)
        if not found[label]:
            raise ValueError(f"'{directory}' has no event files; expected the model_dir of a model that was trained or evaluated")
    return found


def _directory(model: Any) -> str:
    return str(getattr(model, "model_dir", None) or os.fspath(model))


def _labels(directories: list[str]) -> list[str]:
    """Last parts of the paths, as many as tell them apart."""
    parts = [os.path.normpath(directory).split(os.sep) for directory in directories]
    for count in range(1, max(map(len, parts), default=1) + 1):
        labels = ["/".join(each[-count:]) for each in parts]
        if len(set(labels)) == len(labels):
            return labels
    raise ValueError("models has a model_dir twice")


def _tags(runs: Mapping[str, Mapping[str, _events.Curves]], tags: Iterable[str] | None) -> list[str]:
    """The tags to show. ValueError for one that is not there."""
    there = {tag for curves in runs.values() for run in curves.values() for tag in run}
    if tags is None:
        evaluated = {tag for curves in runs.values() for name, run in curves.items() if name != "train" for tag in run}
        return sorted((evaluated | {"loss"}) & there, key=lambda tag: (tag != "loss", tag))
    chosen = [tags] if isinstance(tags, str) else list(tags)
    if not chosen:
        raise ValueError("tags is empty; expected None, or a tag")
    for tag in chosen:
        if tag not in there:
            hint = did_you_mean(tag, there)
            raise ValueError(f"no event file has numbers with the tag '{tag}'" + (f"; {hint}" if hint else f"; found {sorted(there)}"))
    return chosen


def _figure(columns: int, rows: int) -> Figure:
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ImportError("mlc.plot() needs matplotlib: pip install matplotlib") from error

    class Curves(Figure):
        """A Figure that notebooks show, whatever backend there is: it is none of pyplot's."""

        def _repr_png_(self) -> bytes:
            data = io.BytesIO()
            self.savefig(data, format="png")
            return data.getvalue()

    figure = Curves(figsize=(_WIDTH * columns, _HEIGHT * rows), layout="constrained")
    FigureCanvasAgg(figure)
    return figure


def _draw(axes: Any, tag: str, runs: Mapping[str, Mapping[str, _events.Curves]]) -> None:
    """The curves of a tag: a colour for each model, a kind of line for each of its runs."""
    several = len(runs) > 1
    for number, (label, curves) in enumerate(runs.items()):
        for run, by_tag in curves.items():
            if tag not in by_tag:
                continue
            steps, values = zip(*by_tag[tag], strict=True)
            style = _DASHES[list(curves).index(run) % len(_DASHES)]
            of_batches = run == "train"  # and so noisy
            axes.plot(
                steps, values, style, color=f"C{number}", label=f"{label} {run}" if several else run, alpha=0.5 if of_batches else 1,
                linewidth=1 if of_batches else 1.5, marker=None if of_batches else "o", markersize=3,
            )  # fmt: skip
    axes.set_title(tag, fontsize=10)
    axes.set_xlabel("step", fontsize=8)
    axes.tick_params(labelsize=8)
    axes.grid(alpha=0.3)
    axes.legend(fontsize=7)
