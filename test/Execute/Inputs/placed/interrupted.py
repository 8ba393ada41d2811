# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""interrupted.py TRAINER: interrupts a chief, and tells how it and the worker end."""
import signal
import sys
import tempfile

import tasks

with tempfile.TemporaryDirectory() as directory:
    chief, worker = tasks.start(sys.argv[1], directory)
    chief.send_signal(signal.SIGINT)
    tasks.tell("chief", chief)
    tasks.tell("worker", worker)
