#!/usr/bin/env python3
# A chief and an evaluator on this host. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: evaluator.py CASE DIRECTORY TRAINER

Runs the case (a function below) with TRAINER, what tasks print in DIRECTORY/CASE-ROLE; exits with 1 if it fails.
"""
import json
import os
import signal
import subprocess
import sys
import time

case, directory, trainer = sys.argv[1:4]
model_dir = f"{directory}/{case}"


def start(role, *more, listed=True):
    cluster = {"chief": ["127.0.0.1:1"]}
    if listed:
        cluster["evaluator"] = ["127.0.0.1:2"]
    environment = dict(os.environ, TF_CONFIG=json.dumps({"cluster": cluster, "task": {"type": role, "index": 0}}))
    command = [trainer, "train", "--json", "--model_dir", model_dir, *more]
    with open(f"{directory}/{case}-{role}", "w") as out, open(f"{directory}/{case}-{role}.err", "w") as err:
        return subprocess.Popen(command, env=environment, stdout=out, stderr=err)


def end(process, status=0):
    found = process.wait(timeout=300)
    if found != status:
        sys.exit(f"{process.args}: status {found}, expected {status}")


def check(condition, what):
    if not condition:
        sys.exit(f"{case}: {what}")


def lines(path):
    if not os.path.exists(path):
        return []
    with open(path) as file:
        return [json.loads(line) for line in file if line.endswith("\n")]


def records():
    return [(record["eval"], record["step"]) for record in lines(f"{model_dir}/evaluations.jsonl")]


def events(role, kind):
    return [event for event in lines(f"{directory}/{case}-{role}") if event["event"] == kind]


def wait_until(condition):
    while not condition():
        time.sleep(0.01)


SOON = ["--set", "eval.start_delay_secs=0", "--set", "eval.throttle_secs=0"]
EACH = [*SOON, "--set", "eval.each_checkpoint=true"]


def final():
    """The delay of two minutes does not keep the last checkpoint from being evaluated; the chief evaluates nothing."""
    evaluator = start("evaluator")
    end(start("chief", "--max_steps", "60"))
    end(evaluator)
    check(records() == [("", 60)], f"evaluated {records()}")
    check(not events("chief", "eval"), "the chief evaluated")
    check(events("evaluator", "done")[0]["reason"] == "max_steps", "no end")
    check(not os.path.exists(f"{model_dir}/evaluator-lease"), "the lease was not given back")


def each():
    """Each checkpoint gets the metrics that one process gives at its step."""
    evaluator = start("evaluator", *EACH)
    end(start("chief", "--max_steps", "100", "--set", "run_config.save_checkpoints_steps=20", "--set",
              "run_config.keep_checkpoint_max=0"))
    end(evaluator)
    check(records() == [("", step) for step in range(20, 101, 20)], f"evaluated {records()}")
    command = [trainer, "train", "--json", "--model_dir", f"{model_dir}-alone", "--max_steps", "100", "--set",
               "run_config.save_checkpoints_steps=20", "--set", "eval.every_n_steps=20"]
    alone = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    alone = [json.loads(line) for line in alone.stdout.splitlines()]
    check(events("evaluator", "eval") == [event for event in alone if event["event"] == "eval"], "other metrics")


def unlisted():
    """TF_CONFIG as tf.estimator has it: the evaluator is no part of the cluster."""
    evaluator = start("evaluator", listed=False)
    end(start("chief", "--max_steps", "60", "--evaluator", listed=False))
    end(evaluator)
    check(records() == [("", 60)], f"evaluated {records()}")
    check(not events("chief", "eval"), "the chief evaluated")


def stop():
    """The rule is the chief's, the metrics are the evaluator's: training ends behind the step that decided it."""
    rule = ["--set", "train.early_stopping.0.metric=accuracy", "--set", "train.early_stopping.0.stop_if=HIGHER", "--set",
            "train.early_stopping.0.threshold=0.6"]
    evaluator = start("evaluator", *SOON, *rule)
    # Far more steps than fit into the time of an evaluation.
    end(start("chief", "--max_steps", "1000000000", "--set", "run_config.save_checkpoints_steps=100", *rule))
    end(evaluator)
    done = events("chief", "done")[0]
    check(done["reason"] == "early_stopping", done)
    check(("", done["decided_at"]) in records(), f"decided at {done['decided_at']}, evaluated {records()}")
    check(done["decided_at"] <= done["stopped_at"] == done["step"] == records()[-1][1], done)
    # The decision stands.
    evaluator = start("evaluator", *SOON, *rule, "--start_timeout", "1")
    end(start("chief", "--max_steps", "1000000000", *rule))
    end(evaluator)
    again = events("chief", "done")[0]
    check(again["step"] == done["step"] and again["decided_at"] == done["decided_at"], again)


def killed():
    """Killed while it evaluates (or just before, or just behind), an evaluator goes on where it stopped."""
    chief = start("chief", "--max_steps", "60", "--set", "run_config.save_checkpoints_steps=20", "--set",
                  "run_config.keep_checkpoint_max=0")
    slow = [*EACH, "--start_timeout", "1", "--set", "eval.batch_size=1"]
    for count in range(3):
        evaluator = start("evaluator", *slow)
        wait_until(lambda: f"\"steps\": [\n  {20 * (count + 1)}\n" in read(f"{model_dir}/evaluator-lease") or len(records()) > count)
        evaluator.send_signal(signal.SIGKILL)
        evaluator.wait()
    end(start("evaluator", *slow))
    end(chief)
    check(records() == [("", 20), ("", 40), ("", 60)], f"evaluated {records()}")


def read(path):
    try:
        with open(path) as file:
            return file.read()
    except FileNotFoundError:
        return ""


def nobody():
    """No chief comes; no evaluator comes; two evaluators come."""
    end(start("evaluator", "--start_timeout", "1"), 193)
    check("no checkpoint came to" in read(f"{directory}/{case}-evaluator.err"), "no message")
    check(events("evaluator", "done")[0]["exit"] == 193, "no event")
    end(start("chief", "--max_steps", "5", "--start_timeout", "1"), 193)
    check("no evaluator evaluated the checkpoint of step 5" in read(f"{directory}/{case}-chief.err"), "no message")
    chief = start("chief", "--max_steps", "6")
    wait_until(lambda: "waiting  for the evaluator" in read(f"{directory}/{case}-chief.err"))
    chief.send_signal(signal.SIGTERM)
    end(chief, 143)
    first = start("evaluator", "--start_timeout", "100")
    wait_until(lambda: os.path.exists(f"{model_dir}/evaluator-lease"))
    end(start("evaluator"), 6)
    check("another evaluator writes to this model_dir" in read(f"{directory}/{case}-evaluator.err"), "no message")
    first.send_signal(signal.SIGTERM)
    end(first, 143)


globals()[case]()
