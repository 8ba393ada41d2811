# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""killed.py TRAINER: kills a worker that others wait for, and tells how the chief ends."""
import sys
import tempfile
import time

import tasks

with tempfile.TemporaryDirectory() as directory:
    chief, worker = tasks.start(sys.argv[1], directory)
    worker.kill()
    worker.wait()
    began = time.monotonic()
    tasks.tell("chief", chief)
    assert time.monotonic() - began < 20
