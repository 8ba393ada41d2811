#!/usr/bin/env python3
# Disks that are full, or fail, under event files and checkpoints. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: disks.py DIRECTORY TRAINER PRELOADED"""
import errno
import json
import os
import subprocess
import sys

directory, trainer, preloaded = sys.argv[1:4]
STEPS = ["--max_steps", "30", "--set", "run_config.save_checkpoints_steps=10", "--set", "run_config.save_summary_steps=1"]


def train(model_dir, number=None, at=""):
    """Exit status, events and what was told."""
    environment = dict(os.environ)
    if number:
        environment.update(LD_PRELOAD=preloaded, MLC_FAULT=str(number), MLC_FAULT_AT=at)
    done = subprocess.run([trainer, "train", "--json", "--model_dir", model_dir, *STEPS], env=environment, capture_output=True,
                          text=True, timeout=200)
    lines = [json.loads(line) for line in (done.stdout + done.stderr).splitlines() if line.startswith("{")]
    return done.returncode, [line for line in lines if "event" in line], [line for line in lines if "severity" in line]


def require(fact, *found):
    if not fact:
        sys.exit("\n".join(str(each) for each in found))


def differs(model_dir):
    return subprocess.run([trainer, "ckpt", "diff", f"{directory}/one", model_dir], capture_output=True).returncode


status, events, messages = train(f"{directory}/one")
require(status == 0 and not messages, status, messages)

# Event files are not worth a run: it is told once, each failure is counted, and the run ends as any.
for number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EROFS):
    name = errno.errorcode[number]
    model_dir = f"{directory}/events-{name}"
    status, events, messages = train(model_dir, number, "/events.out.")
    require(status == 0 and differs(model_dir) == 0, name, status, events, messages)
    warnings = [each for each in messages if os.strerror(number) in each["message"]]
    require(len(warnings) == 1 and warnings[0]["severity"] == "warning" and warnings[0]["code"] == "E0405"
            and "training goes on" in warnings[0]["help"], name, messages)
    require(len([each for each in events if each["event"] == "summary_failed"]) >= 3, name, events)

# A checkpoint is: what may be mended until the job is started again, as it was well before, ends with 194.
for number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.ESTALE, errno.EROFS):
    name = errno.errorcode[number]
    model_dir = f"{directory}/save-{name}"
    status, events, messages = train(model_dir, number, "/ckpt-0000000030/")
    require(status == 194, name, status, messages)
    errors = [each for each in messages if each["severity"] == "error"]
    room = number in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
    require(len(errors) == 1 and os.strerror(number) in errors[0]["message"] and ("make room" in errors[0]["help"]) == room
            and "the last checkpoint is of step 20" in errors[0]["help"], name, messages)
    status, _, messages = train(model_dir)
    require(status == 0 and differs(model_dir) == 0, name, status, messages)

# Of a model_dir that never could be written to, starting again is no use; of a disk that fails it may be.
for number, expected in ((errno.EROFS, 6), (errno.EACCES, 6), (errno.EIO, 194), (errno.ENOSPC, 194)):
    status, _, messages = train(f"{directory}/first-{number}", number, "/ckpt-0000000000/")
    require(status == expected, errno.errorcode[number], status, messages)

print("events, checkpoints: as expected")
