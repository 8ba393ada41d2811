#!/usr/bin/env python3
# SIGTERM and SIGHUP to tasks of a cluster. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
from task_cluster import FOREVER, Cluster  # noqa: E402

directory, trainer = sys.argv[1:3]
# Tasks leave SIGHUP ignored where it was, as it is of tests that nohup started.
signal.signal(signal.SIGHUP, signal.SIG_DFL)


def cluster(case, *flags, workers=2, servers=2, steps=FOREVER):
    command = [trainer, "train", "--json", "--model_dir", f"{directory}/{case}", *steps, *flags]
    return Cluster(directory, case, command, chief=1, worker=workers, ps=servers)


def one_process(case, steps):
    subprocess.run([trainer, "train", "--quiet", "--virtual_shards", "8", "--model_dir", f"{directory}/{case}", *FOREVER[2:],
                    "--max_steps", str(steps)], check=True)


# All at once, as scancel or the stop of a container does: all exit with 143, the last step is saved, and the run that
# goes on has the bits of one that was never stopped.
for mode in (["--sync"], []):
    case = "all-" + (mode[0][2:] if mode else "async")
    with cluster(case, *mode) as job:
        job.start().await_steps()
        job.signal(signal.SIGTERM)
        job.expect(143)
        step = job.saved_step()
    if mode:
        one_process("whole", step)
        difference = subprocess.run([trainer, "ckpt", "diff", f"{directory}/{case}", f"{directory}/whole"], capture_output=True,
                                    text=True)
        assert difference.returncode == 0, difference.stdout

# One task, without which the others cannot go on: the chief is asked.
for name, number, mode in (("ps 1", signal.SIGTERM, ["--sync"]), ("worker 1", signal.SIGHUP, ["--sync"]), ("ps 0", signal.SIGHUP, []),
                           ("chief 0", signal.SIGHUP, ["--sync"])):
    with cluster(f"one-{name.replace(' ', '-')}", *mode) as job:
        job.start().await_steps()
        job.signal(number, name)
        job.expect(143)
        job.saved_step()
        if name != "chief 0" and f"stopping {name} was told to stop" not in job.text("chief 0"):
            job.fail("the chief does not say who was told to stop")

# One that the others do without leaves, and they go on.
for case, mode in (("async", []), ("backup", ["--sync", "--backup_workers", "1"])):
    with cluster(f"covered-{case}", *mode) as job:
        job.start().await_steps()
        job.await_text("worker 1", "asks for tickets" if case == "async" else "computes shards")
        job.signal(signal.SIGTERM, "worker 1")
        job.expect({"worker 1": 143})
        job.await_steps()
        job.await_steps()
        job.signal(signal.SIGINT, "chief 0")
        job.expect({"chief 0": 130, "worker 0": 130, "ps 0": 130, "ps 1": 130})

# The chief does not come to save within the grace: the task leaves, and the job ends, in order if it was not missed in the
# last step. That the grace is too short for a checkpoint is told when the first one was written.
for name in ("worker 1", "ps 1"):
    with cluster(f"grace-{name.replace(' ', '-')}", "--sync", "--grace", "0", "--stall_timeout", "100000", "--heartbeat",
                 "100") as job:
        job.start().await_steps()
        job.await_text("chief 0", r'"warning".*a checkpoint took \d+\.\d s, which is more than --grace 0')
        job.signal(signal.SIGSTOP, "chief 0")
        job.signal(signal.SIGTERM, name)
        job.expect({name: 143})
        job.signal(signal.SIGCONT, "chief 0")
        # How the others end depends on where the chief stood: none as if the job were done, or could not be started again.
        for other in job.tasks:
            if (status := job.tasks[other].wait(timeout=120)) not in (143, 193):
                job.fail(f"{other} ends with {status}")

# A chief that dies while no call waits: the servers do not live for ever.
with cluster("alone", "--sync", "--stall_timeout", "1", "--heartbeat", "1", workers=0) as job:
    job.start().await_steps()
    job.signal(signal.SIGKILL, "chief 0")
    job.expect({"ps 0": 193, "ps 1": 193})
    if "no other training task lives" not in job.text("ps 0"):
        job.fail("ps 0 does not say why it ends")

# A second signal ends a task at once.
with cluster("twice", "--sync") as job:
    job.start().await_steps()
    job.signal(signal.SIGSTOP, "chief 0")
    job.signal(signal.SIGTERM, "worker 1")
    time.sleep(1)  # else it is the same one
    job.signal(signal.SIGTERM, "worker 1")
    job.expect({"worker 1": -signal.SIGTERM})

# mlc launch, whose tasks are signalled, with it and without it.
for with_launcher in (False, True):
    model_dir = f"{directory}/launch-{with_launcher}"
    command = ["mlc", "launch", "--workers", "3", "--ps", "1", "--", trainer, "train", "--sync", "--model_dir", model_dir, *FOREVER]
    launcher = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    for line in launcher.stdout:
        if "step " in line:
            break
    children = pathlib.Path(f"/proc/{launcher.pid}/task/{launcher.pid}/children").read_text().split()
    for pid in [*map(int, children), *([launcher.pid] if with_launcher else [])]:
        os.kill(pid, signal.SIGTERM)
    text = launcher.stdout.read()
    assert launcher.wait() == 143, text
    assert text.count("exit status 143") == 4 and "error" not in text, text

print("all, one, covered, grace, alone, twice, launch: as expected")
