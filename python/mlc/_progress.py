"""mlc.progress: how far train, evaluate and predict are, as one line of a terminal or of a notebook."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
from __future__ import annotations

import re
import sys
import threading
import time
from typing import Any

_is_on = False
_shown = threading.Lock()
"""Held by the run whose line is shown: of several at once the first."""

_TRAIN = re.compile(r"step (\d+)(?:/(\d+))?.*?  loss (\S+)")
_EVALUATE = re.compile(r"evaluate (\d+)(?:/(\d+))? rows")
_SECONDS = 0.1


def progress(on: bool = True) -> None:
    """Shows a line with step, steps per second, loss and the time left while train, evaluate and predict run.

    In a terminal it is one of tqdm, on standard error; in a notebook it is a bar below the cell. Where there is neither, as in
    a job whose output is a file, nothing is shown. It is off until this is called: what a run says goes to the log "mlc".

    Raises:
      ImportError: tqdm is needed for a terminal, and not installed.
    """
    global _is_on
    if on and _place() == "terminal":
        _tqdm()
    _is_on = bool(on)


def _tqdm() -> Any:
    try:
        from tqdm import tqdm
    except ImportError as error:
        raise ImportError("mlc.progress() needs tqdm for a terminal: pip install tqdm") from error
    return tqdm


def _place() -> str | None:
    """ "notebook", "terminal", or None where nobody looks."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    if shell is not None and hasattr(shell, "kernel"):
        return "notebook"
    return "terminal" if sys.stderr is not None and sys.stderr.isatty() else None


def is_shown() -> bool:
    """Whether there is a line to show."""
    return _is_on and _place() is not None


class Progress:
    """The line of one run, shown from its first news to its end. Without mlc.progress() it does nothing."""

    def __init__(self, verb: str, unit: str, total: int | None = None) -> None:
        """Shows nothing yet.

        Args:
          verb: what runs: "train".
          unit: of what is counted: "steps", "rows".
          total: how many there will be; None: that is not known.
        """
        self._verb, self._unit, self._total = verb, unit, total
        self._line: _TerminalLine | _NotebookLine | None = None
        self._is_shown = False

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, kind: Any, error: Any, trace: Any) -> None:
        if self._line is not None:
            self._line.close()
            self._line = None
        if self._is_shown:
            self._is_shown = False
            _shown.release()

    def told(self, text: str) -> bool:
        """What the runtime says of how far it is. True: it is that."""
        found = None
        if found := _TRAIN.match(text):
            self.at(int(found[1]), int(found[2]) if found[2] else None, f"loss {found[3]}")
        elif found := _EVALUATE.match(text):
            self.at(int(found[1]), int(found[2]) if found[2] else None)
        return found is not None

    def end(self, count: int) -> None:
        """So many are done, and nothing more is."""
        if self._line is not None:
            self._line.show(count, None, "")

    def at(self, count: int, total: int | None = None, note: str = "") -> None:
        """So many are done, of `total`."""
        if not _is_on:
            return
        if self._line is None:
            place = _place()
            if place is None or not _shown.acquire(blocking=False):
                return
            self._is_shown = True
            kind = _TerminalLine if place == "terminal" else _NotebookLine
            self._line = kind(self._verb, self._unit, count)
        self._line.show(count, self._total if total is None else total, note)


class _TerminalLine:
    """A bar of tqdm."""

    def __init__(self, verb: str, unit: str, begin: int) -> None:
        self._bar = _tqdm()(desc=verb, unit=f" {unit}", initial=begin, dynamic_ncols=True, mininterval=_SECONDS)

    def show(self, count: int, total: int | None, note: str) -> None:
        """So many are done."""
        self._bar.total = self._bar.total if total is None else total
        if note:
            self._bar.set_postfix_str(note, refresh=False)
        self._bar.update(max(0, count - self._bar.n))

    def close(self) -> None:
        """The line stays as it is."""
        self._bar.close()


class _NotebookLine:
    """A bar of HTML below the cell, which saved notebooks keep."""

    def __init__(self, verb: str, unit: str, begin: int) -> None:
        self._verb, self._unit, self._begin = verb, unit, begin
        self._started = self._shown_at = time.monotonic()
        self._now: tuple[int, int | None, str] = (begin, None, "")
        self._handle: Any = None

    def show(self, count: int, total: int | None, note: str) -> None:
        """So many are done."""
        self._now = (count, self._now[1] if total is None else total, note or self._now[2])
        if self._handle is None or time.monotonic() - self._shown_at >= _SECONDS:
            self._draw(is_done=False)

    def close(self) -> None:
        """The bar stays, with what it took."""
        self._draw(is_done=True)

    def _draw(self, is_done: bool) -> None:
        from IPython.display import HTML, display

        self._shown_at = time.monotonic()
        content = HTML(self._html(is_done))
        if self._handle is None:
            self._handle = display(content, display_id=True)
        else:
            self._handle.update(content)

    def _html(self, is_done: bool) -> str:
        count, total, note = self._now
        seconds = time.monotonic() - self._started
        rate = (count - self._begin) / seconds if seconds > 0 else 0.0
        import html  # of notebooks alone

        parts = [f"<b>{html.escape(self._verb)}</b>"]
        if total:
            parts.append(f"<progress value='{count}' max='{total}' style='width: 20em; vertical-align: middle'></progress>")
        parts.append(f"{count:,}{f' / {total:,}' if total else ''} {self._unit}")
        if note:
            parts.append(html.escape(note))
        if rate > 0:
            parts.append(f"{_short(rate)} {self._unit}/s")
            if total and not is_done:
                parts.append(f"{clock((total - count) / rate)} left")
        if is_done:
            parts.append(f"in {clock(seconds)}")
        return "<div style='font-family: monospace'>" + " &nbsp;".join(parts) + "</div>"


def _short(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 else f"{value:.2g}"


def clock(seconds: float) -> str:
    """ "0.4 s", "0:12", "1:02:03"."""
    if seconds < 9.95:
        return f"{seconds:.1f} s"
    whole = max(0, round(seconds))
    minutes, rest = divmod(whole, 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
