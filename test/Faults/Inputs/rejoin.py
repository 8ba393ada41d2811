#!/usr/bin/env python3
# Workers of an asynchronous run that are started again. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import pathlib
import signal
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
from task_cluster import FOREVER, Cluster  # noqa: E402

directory, trainer = sys.argv[1:3]


def own_steps(job, name, after):
    """What the last process of the task has done."""
    return int(job.await_text(name, r"done     (\d+) steps", after)[1])


# Who was killed is missed after three heartbeats of a second: the run takes far longer.
for case, number, status, steps in (("killed", signal.SIGKILL, -signal.SIGKILL, 150000), ("left", signal.SIGTERM, 143, 40000)):
    command = [trainer, "train", "--json", "--model_dir", f"{directory}/{case}", "--max_steps", str(steps), "--set",
               "train.epochs=1000000000", "--heartbeat", "1"]
    with Cluster(directory, case, command, chief=1, worker=2, ps=2) as job:
        job.start().await_steps()
        job.await_text("worker 1", "asks for tickets")
        job.signal(number, "worker 1")
        job.expect({"worker 1": status})
        before = len(job.text("worker 1"))
        job.start("worker 1")
        job.await_text("chief 0", "joins    worker 1, which was started again")
        job.await_text("worker 1", "asks for tickets", before)
        job.expect(0)
        if own_steps(job, "worker 1", before) == 0:
            job.fail("a worker that was started again does no step")
        if job.saved_step() != steps:
            job.fail("the run ended elsewhere")

# While the first one lives, the second one waits for its end.
command = [trainer, "train", "--json", "--model_dir", f"{directory}/alive", *FOREVER, "--start_timeout", "2"]
with Cluster(directory, "alive", command, chief=1, worker=1, ps=1) as job:
    job.start().await_steps()
    job.await_text("worker 0", "asks for tickets")
    first = job.tasks["worker 0"]
    try:
        job.start("worker 0")
        job.expect({"worker 0": 193})
    finally:
        job.tasks["worker 0"] = first
    if "there is a worker 0 already" not in job.text("worker 0"):
        job.fail("the second process does not say why it ends")
    job.await_steps()
    job.signal(signal.SIGINT, "chief 0")
    job.expect(130)

print("killed, left, alive: as expected")
