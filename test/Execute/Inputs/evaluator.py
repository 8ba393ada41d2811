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


def start(role, *more, listed=True, tag="", prefix=()):
    cluster = {"chief": ["127.0.0.1:1"]}
    if listed:
        cluster["evaluator"] = ["127.0.0.1:2"]
    environment = dict(os.environ, TF_CONFIG=json.dumps({"cluster": cluster, "task": {"type": role, "index": 0}}))
    command = [*prefix, trainer, "train", "--json", "--model_dir", model_dir, *more]
    path = f"{directory}/{case}-{role}{tag}"
    with open(path, "w") as out, open(f"{path}.err", "w") as err:
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
    begin = time.monotonic()
    while not condition():
        check(time.monotonic() - begin < 300, "what is waited for does not come")
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


def soon():
    """The chief's whole run passes before the evaluator, which was started first, comes to do anything: nothing else comes."""
    end(start("chief", "--max_steps", "60", listed=False))
    # Long enough for `end` to fail if it waits.
    stopped = ["sh", "-c", 'kill -STOP $$; exec "$0" "$@"']
    evaluator = start("evaluator", "--start_timeout", "10000", listed=False, prefix=stopped)
    os.waitpid(evaluator.pid, os.WUNTRACED)
    end(start("chief", "--max_steps", "120", listed=False))
    evaluator.send_signal(signal.SIGCONT)
    end(evaluator)
    check(records()[-1] == ("", 120), f"evaluated {records()}")


def stop():
    """The rule is the chief's, the metrics are the evaluator's: training ends after the step that decided it."""
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
    """Killed while it evaluates (or just before, or just after), an evaluator goes on where it stopped."""
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


def exported(name):
    """What is in an exporter's directory."""
    directory = f"{model_dir}/export/{name}"
    return os.listdir(directory) if os.path.isdir(directory) else []


def exports(name):
    """The signatures of an exporter's exports, oldest first; nobody exports now, and nothing half is left."""
    names = exported(name)
    check(all(name.isdigit() for name in names), f"left: {names}")
    return [json.loads(read(f"{model_dir}/export/{name}/{number}/signature.json")) for number in sorted(names, key=int)]


def steps_of(name):
    return [export["step"] for export in exports(name)]


def export():
    """The trainer has an exporter of each kind. The evaluator exports, the chief waits for the final export; the best stays the best over all starts."""
    slow = ["--set", "run_config.save_checkpoints_steps=50", "--set", "run_config.keep_checkpoint_max=0"]
    evaluator = start("evaluator", *EACH)
    end(start("chief", "--max_steps", "200", *slow))
    check(steps_of("last") == [200], f"the chief ended without the final export, there is {steps_of('last')}")
    end(evaluator)
    best = max(events("evaluator", "eval"), key=lambda event: (event["metrics"]["accuracy"], -event["step"]))
    check(exports("best")[-1]["step"] == best["step"], f"best {exports('best')[-1]['step']}, expected {best}")
    check(exports("best")[-1]["exporter"]["value"] == best["metrics"]["accuracy"], exports("best")[-1]["exporter"])
    check(steps_of("latest") == [150, 200], f"latest {steps_of('latest')}")
    told = [(event["exporter"], event["step"]) for event in events("evaluator", "export")]
    check(told[-1] == ("last", 200) and ("latest", 50) in told, f"told {told}")
    check(not events("chief", "export"), "the chief exported")
    # It gets worse: a rate that breaks what was learned, and an evaluator that starts anew.
    before = steps_of("best")
    evaluator = start("evaluator", *EACH)
    end(start("chief", "--max_steps", "300", *slow, "--set", "model.dnn.optimizer.adagrad.learning_rate=30"))
    end(evaluator)
    worse = events("evaluator", "eval")
    check([event["step"] for event in worse] == [250, 300], worse)
    check(all(event["metrics"]["accuracy"] < best["metrics"]["accuracy"] for event in worse), worse)
    check(steps_of("best") == before, f"best {steps_of('best')}, before {before}")
    check(steps_of("last") == [200, 300] and steps_of("latest") == [250, 300], steps_of("latest"))
    # Nothing new: nothing is exported again.
    evaluator = start("evaluator", *EACH)
    end(start("chief", "--max_steps", "300", *slow))
    end(evaluator)
    check(not events("evaluator", "export"), events("evaluator", "export"))


def export_killed():
    """Killed in the midst of exports, again and again: no partial export is seen, and none is missing at the end."""
    more = ["--start_timeout", "1", *EACH, "--set", "eval.exporter.1.exports_to_keep=0"]
    chief = start("chief", "--max_steps", "60", "--set", "run_config.save_checkpoints_steps=20", "--set",
                  "run_config.keep_checkpoint_max=0", "--start_timeout", "300")
    for name in ("best", "latest", "latest", "last"):
        evaluator = start("evaluator", *more)
        count = len(exported(name))
        # A temporary directory is there, or what comes of it.
        wait_until(lambda: len(exported(name)) > count or evaluator.poll() is not None)
        evaluator.send_signal(signal.SIGKILL)
        evaluator.wait()
        for entry in filter(str.isdigit, exported(name)):
            # It loads, each file proves right, its golden rows give what they gave.
            subprocess.run(["mlc", "predict", f"{model_dir}/export/{name}/{entry}", "--predict_files", f"{directory}/data/iris_test.csv"],
                           check=True, stdout=subprocess.DEVNULL)
    end(start("evaluator", *more))
    end(chief)
    check(records() == [("", 20), ("", 40), ("", 60)], f"evaluated {records()}")
    check(steps_of("latest") == [20, 40, 60] and steps_of("last") == [60], f"{steps_of('latest')} {steps_of('last')}")


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
    end(start("evaluator", tag="2"), 6)
    check("another evaluator writes to this model_dir" in read(f"{directory}/{case}-evaluator2.err"), "no message")
    first.send_signal(signal.SIGTERM)
    end(first, 143)


def chief_gone():
    """A chief that is killed: the evaluator says who is gone and ends; one that comes back in time is waited for."""
    steps = ["--max_steps", "1000000000", "--set", "run_config.save_checkpoints_steps=100", "--set",
             "train.epochs=1000000000"]
    chief = start("chief", *steps)
    evaluator = start("evaluator", *SOON, "--start_timeout", "1")
    wait_until(lambda: len(records()) > 0)
    chief.kill()
    chief.wait()
    end(evaluator, 193)
    message = read(f"{directory}/{case}-evaluator.err")
    check(f"the chief (host {os.uname().nodename} pid {chief.pid}) is gone" in message, message)
    # Its steps are evaluated by an evaluator that waits longer, and by it those of the chief that comes back.
    evaluator = start("evaluator", *SOON, "--start_timeout", "300")
    wait_until(lambda: "is away, for 300 s" in read(f"{directory}/{case}-evaluator.err"))
    chief = start("chief", *steps)
    count = len(records())
    wait_until(lambda: len(records()) > count)
    chief.send_signal(signal.SIGTERM)
    end(chief, 143)
    check(not os.path.exists(f"{model_dir}/chief-lease"), "the chief left its lease")
    check(evaluator.poll() is None, "an evaluator whose chief may come back ended")
    evaluator.send_signal(signal.SIGTERM)
    end(evaluator, 143)


def directories():
    """TF_CONFIG names the model_dir; a flag that names another is an error."""
    global model_dir
    cluster = {"cluster": {"chief": ["127.0.0.1:1"]}, "task": {"type": "chief", "index": 0}, "model_dir": model_dir}
    environment = dict(os.environ, TF_CONFIG=json.dumps(cluster))
    train = [trainer, "train", "--max_steps", "5", "--quiet"]
    subprocess.run(train, env=environment, check=True)
    check(os.path.exists(f"{model_dir}/ckpt-0000000005"), "no checkpoint in the model_dir of TF_CONFIG")
    subprocess.run([*train, "--model_dir", model_dir], env=environment, check=True)
    other = subprocess.run([*train, "--model_dir", f"{model_dir}-2"], env=environment, stderr=subprocess.PIPE, text=True)
    check(other.returncode == 2 and "error[E0222] TF_CONFIG" in other.stderr, other.stderr)
    check("is not the directory that --model_dir names" in other.stderr, other.stderr)
    check(not os.path.exists(f"{model_dir}-2"), "the other directory was made")
    del cluster["model_dir"]
    none = subprocess.run(train, env=dict(os.environ, TF_CONFIG=json.dumps(cluster)), stderr=subprocess.PIPE, text=True)
    check(none.returncode == 2 and "train needs --model_dir" in none.stderr, none.stderr)


def launched():
    """Chief, worker, server and evaluator on this host: interrupted, resumed, and at the end evaluated and exported."""
    def launch(*more):
        command = ["mlc", "launch", "--workers", "2", "--ps", "1", "--evaluator", "--", trainer, "train", "--model_dir",
                   model_dir, "--sync", "--json", "--set", "run_config.save_checkpoints_steps=20", *SOON, *more]
        with open(f"{directory}/{case}-launch", "w") as out, open(f"{directory}/{case}-launch.err", "w") as err:
            return subprocess.Popen(command, stdout=out, stderr=err)

    first = launch("--max_steps", "1000000000", "--set", "train.epochs=1000000000")
    wait_until(lambda: any(map(str.isdigit, exported("latest"))) or first.poll() is not None)
    first.send_signal(signal.SIGINT)
    end(first, 130)
    stopped = events("launch", "done")[0]
    check(stopped["reason"] == "interrupted", stopped)
    check(os.path.exists(f"{model_dir}/ckpt-{stopped['step']:010}/MANIFEST.json"), "no checkpoint of the interrupt")
    check(not steps_of("last") and not os.path.exists(f"{model_dir}/ENDED.json"), "an interrupt ended the job")
    end(launch("--max_steps", str(stopped["step"] + 50), "--set", "train.epochs=1000000000"))
    done = events("launch", "done")[0]
    check(done["reason"] == "max_steps" and done["step"] == stopped["step"] + 50, done)
    check(records()[-1] == ("", done["step"]), f"evaluated {records()}")
    check(steps_of("last") == [done["step"]] and steps_of("latest")[-1] == done["step"], steps_of("last"))
    best = max(record["metrics"]["accuracy"] for record in lines(f"{model_dir}/evaluations.jsonl"))
    check(exports("best")[-1]["exporter"]["value"] == best, exports("best")[-1]["exporter"])
    left = [name for name in ("chief-lease", "evaluator-lease") if os.path.exists(f"{model_dir}/{name}")]
    check(not left, f"left: {left}")
    subprocess.run(["mlc", "ckpt", "verify", model_dir], check=True, stdout=subprocess.DEVNULL)


globals()[case]()
