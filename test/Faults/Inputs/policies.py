#!/usr/bin/env python3
# Jobs of the examples under the policies of their schedulers. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import os
import pathlib
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time

here = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(here.parents[1] / "Inputs"))
from manifest import Manifest  # noqa: E402
from task_cluster import PATIENCE  # noqa: E402

directory, trainer, manifest_path, batch_script = sys.argv[1:5]
STEPS = 600
TRAIN = ["--max_steps", str(STEPS), "--set", "train.epochs=1000000", "--set", "run_config.save_checkpoints_steps=100", "--heartbeat", "1",
         "--set", "run_config.log_step_count_steps=50", "--set", "eval.start_delay_secs=0", "--set", "eval.throttle_secs=0"]


def await_true(what, condition):
    end = time.monotonic() + PATIENCE
    while not (result := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"{what} does not come true")
        time.sleep(0.02)
    return result


def has_trained(model_dir):
    """Whether there is a checkpoint of steps."""
    return any(int(path.parent.name[5:]) > 0 for path in pathlib.Path(model_dir).glob("ckpt-*/MANIFEST.json"))


def expect_result(model_dir):
    """All steps, with the bits of a run that nothing happened to, and the evaluation of the last one."""
    found = subprocess.run([trainer, "ckpt", "diff", f"{directory}/whole", model_dir], capture_output=True, text=True)
    assert found.returncode == 0 and f"{STEPS:010}" in found.stdout + found.stderr, found.stdout + found.stderr
    assert f'"step":{STEPS}' in pathlib.Path(model_dir, "evaluations.jsonl").read_text(), "the last step was not evaluated"


class Pods:
    """The controller of an Indexed Job with a success policy, a backoff and a failure policy. A pod is a process."""

    def __init__(self, case):
        self.model_dir = f"{directory}/{case}"
        self.log = open(f"{directory}/{case}.log", "w", encoding="utf-8")
        self.manifest = Manifest(manifest_path)
        self.spec = self.manifest.job["spec"]
        rule = self.spec["podFailurePolicy"]["rules"][0]
        assert rule["action"] == "FailJob" and rule["onExitCodes"]["operator"] == "In"
        self.permanent = set(rule["onExitCodes"]["values"])
        self.needed = {int(rule["succeededIndexes"]) for rule in self.spec["successPolicy"]["rules"]}
        self.sockets = tempfile.mkdtemp(prefix="mlc-test")
        self.bin = f"{self.sockets}/bin"
        os.mkdir(self.bin)
        # Of the image: what is on its paths is elsewhere here.
        with open(f"{self.bin}/census", "w", encoding="utf-8") as file:
            file.write('#!/bin/bash\nwords=()\nfor word; do case "$word" in --tls_*|--token_file) drop=1;; *) ((drop)) || words+=("$word"); drop=0;; '
                       f"esac; done\nexec '{trainer}' \"${{words[@]/#\\/model/{self.model_dir}}}\" {' '.join(TRAIN)}\n")
        os.chmod(f"{self.bin}/census", 0o755)
        self.running, self.done, self.failures, self.begin_at = {}, set(), 0, {}

    def start(self, index):
        command, environment = self.manifest.pod(index)
        cluster = re.sub(r"census-(\d+)\.census:5000", lambda found: f"unix:{self.sockets}/{found[1]}", environment["CLUSTER"])
        environment = {**os.environ, **environment, "CLUSTER": cluster, "PATH": f"{self.bin}:{os.environ['PATH']}"}
        self.running[index] = subprocess.Popen(command, env=environment, stdin=subprocess.DEVNULL, stdout=self.log,
                                               stderr=subprocess.STDOUT)

    def turn(self):
        """Looks at the pods; whether the job is done."""
        for index, pod in list(self.running.items()):
            status = pod.poll()
            if status is None:
                continue
            del self.running[index]
            status = status if status >= 0 else 128 - status
            if status == 0:
                self.done.add(index)
                continue
            assert status not in self.permanent, f"pod {index} failed for good: {status}"
            self.failures += 1
            assert self.failures <= self.spec["backoffLimit"], "too many failures"
            self.begin_at[index] = time.monotonic() + 0.5
        for index in range(self.spec["completions"]):
            if index not in self.running and index not in self.done and time.monotonic() >= self.begin_at.get(index, 0):
                self.start(index)
        return self.needed <= self.done

    def run(self, hurt):
        """`hurt` is called once, when there are steps to lose."""
        end = time.monotonic() + PATIENCE
        is_hurt = False
        try:
            while not self.turn():
                assert time.monotonic() < end, "the job does not end"
                if not is_hurt and has_trained(self.model_dir):
                    is_hurt = True
                    hurt(self.running)
                time.sleep(0.02)
            assert is_hurt
            # The success policy ends the other pods.
            for pod in self.running.values():
                pod.terminate()
            for pod in self.running.values():
                assert pod.wait(timeout=PATIENCE) in (0, 143, -signal.SIGTERM), "a pod does not leave"
            expect_result(self.model_dir)
        except BaseException:
            print(pathlib.Path(self.log.name).read_text()[-6000:], file=sys.stderr)
            raise
        finally:
            for pod in self.running.values():
                pod.kill()
            shutil.rmtree(self.sockets)


class Slurm:
    """A job of the batch script; `run` is one start of it, as often as it was queued."""

    def __init__(self, case):
        self.model_dir, self.state = f"{directory}/{case}", pathlib.Path(f"{directory}/{case}-slurm")
        self.bin = self.state / "bin"
        self.bin.mkdir(parents=True)
        for program in ("hostname", "srun", "squeue", "scancel", "scontrol"):
            (self.bin / program).symlink_to(here / "fake_slurm.py")
        self.log = open(f"{directory}/{case}.log", "w", encoding="utf-8")

    @staticmethod
    def free_ports():
        """The first one of some that follow each other, which the system gives to nobody."""
        while True:
            first = random.randrange(10000, 32000)
            sockets = []
            try:
                for port in range(first, first + 8):
                    sockets.append(socket.create_server(("127.0.0.1", port)))
                return first
            except OSError:
                continue
            finally:
                for each in sockets:
                    each.close()

    def run(self, hurt=None):
        """The exit status of the script, and whether it queued the job again. `hurt` gets the script's process and those of tasks."""
        steps = self.state / "steps"
        shutil.rmtree(steps, ignore_errors=True)
        steps.mkdir()
        environment = dict(os.environ, FAKE_SLURM=str(steps), SLURM_NTASKS="6", SERVERS="2", SLURM_JOB_ID="7", PORT=str(self.free_ports()),
                           SLURMD_NODENAME="here", SLURM_SUBMIT_DIR=str(self.state), PATH=f"{self.bin}:{os.environ['PATH']}")
        before = has_trained(self.model_dir)
        script = subprocess.Popen(["bash", batch_script, trainer, "train", "--model_dir", self.model_dir, "--sync", *TRAIN], env=environment,
                                  stdin=subprocess.DEVNULL, stdout=self.log, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            if hurt:
                assert not before
                await_true("a checkpoint", lambda: has_trained(self.model_dir))
                tasks = {f"{step} {i}": int((steps / step / str(i)).read_text())
                         for step, count in (("chief", 1), ("rest", 5)) for i in range(count)}
                hurt(script, tasks)
            status = script.wait(timeout=PATIENCE)
        except BaseException:
            print(pathlib.Path(self.log.name).read_text()[-6000:], file=sys.stderr)
            os.killpg(script.pid, signal.SIGKILL)
            raise
        return status, (steps / "requeued").exists()

    def expect(self, status, requeued, hurt=None):
        found = self.run(hurt)
        if found != (status, requeued):
            print(pathlib.Path(self.log.name).read_text()[-6000:], file=sys.stderr)
            raise AssertionError(f"{self.model_dir}: found {found}, expected {(status, requeued)}")

    def last_step(self):
        return max(int(path.parent.name[5:]) for path in pathlib.Path(self.model_dir).glob("ckpt-*/MANIFEST.json"))


subprocess.run([trainer, "train", "--quiet", "--virtual_shards", "8", "--model_dir", f"{directory}/whole", *TRAIN], check=True)
for index in (0, 1, 3, 5):
    Pods(f"kill-{index}").run(lambda pods, index=index: pods[index].kill())
Pods("evict-all").run(lambda pods: [pod.terminate() for pod in pods.values()])

# A worker and a server that are killed: the job is queued again, and goes on.
for name in ("rest 0", "rest 3"):
    job = Slurm(f"slurm-{name.replace(' ', '-')}")
    job.expect(193, True, lambda script, tasks, name=name: os.kill(tasks[name], signal.SIGKILL))
    job.expect(0, False)
    expect_result(job.model_dir)

# The end of the time limit; scancel, which is meant.
job = Slurm("slurm-limit")
job.expect(143, True, lambda script, tasks: script.send_signal(signal.SIGUSR1))
job.expect(0, False)
expect_result(job.model_dir)


def scancel(script, tasks):
    for pid in [*tasks.values(), script.pid]:
        os.kill(pid, signal.SIGTERM)


job = Slurm("slurm-cancel")
job.expect(143, False, scancel)
text = pathlib.Path(job.log.name).read_text()
assert f"done     {job.last_step()} steps" in text, text
job.expect(0, False)
expect_result(job.model_dir)
print("kubernetes, slurm: as expected")
