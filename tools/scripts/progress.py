#!/usr/bin/env python3
"""Runs ninja or ctest and shows how far it is: `progress.py NAME COMMAND...`.

On a terminal one line that changes, in a log a line every half a minute. What fails, and whatever else the command prints, is
passed on; the exit status is the command's.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import re
import signal
import subprocess
import sys
import time

NINJA = re.compile(r"\[(\d+)/(\d+)\] ")
CTEST = re.compile(r"\s*(\d+)/(\d+) Test +#\d+: .*?(Passed +[\d.]+ sec)?\s*$")
NOISE = re.compile(r"\s+Start +\d+: |ninja: Entering directory")
LOG_SECONDS = 30


def elapsed(seconds):
    """Whole seconds as text."""
    minutes, rest = divmod(seconds, 60)
    return f"{minutes} min {rest:02} s" if minutes else f"{rest} s"


class Progress:
    def __init__(self, name):
        self.name = name
        self.start = self.shown = time.monotonic()
        self.is_terminal = sys.stdout.isatty()
        self.counts = None

    def text(self):
        done, total = self.counts
        seconds = time.monotonic() - self.start
        return f"{self.name}: {done} of {total}, {elapsed(int(seconds))}"

    def show(self):
        if self.is_terminal:
            print(f"\r\x1b[K{self.text()}", end="", flush=True)
        elif time.monotonic() - self.shown >= LOG_SECONDS:
            self.shown = time.monotonic()
            print(self.text(), flush=True)

    def clear(self):
        if self.is_terminal and self.counts:
            print("\r\x1b[K", end="")

    def take(self, line):
        """One line of the command's output."""
        ninja, ctest = NINJA.match(line), CTEST.match(line)
        status = ninja or ctest
        if status:
            self.counts = status.group(1), status.group(2)
        if not NOISE.match(line) and (not status or (ctest and not ctest.group(3))):
            self.clear()
            print(line, flush=True)
        if status:
            self.show()

    def end(self):
        self.clear()
        if self.counts:
            print(self.text(), flush=True)


def main():
    progress = Progress(sys.argv[1])
    child = subprocess.Popen(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                             env={**os.environ, "NINJA_STATUS": "[%f/%t] "})
    # A signal of the terminal reaches the command, too, whose last words are still to be passed on.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda *_: child.terminate())
    for line in child.stdout:
        progress.take(line.rstrip("\n"))
    status = child.wait()
    progress.end()
    return status if status >= 0 else 128 - status


if __name__ == "__main__":
    sys.exit(main())
