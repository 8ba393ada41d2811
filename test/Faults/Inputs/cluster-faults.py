#!/usr/bin/env python3
# Clusters with a task that is not there, or not like the others. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import json
import os
import pathlib
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "Inputs"))
from certificates import make_certificates  # noqa: E402
from held_ports import held_ports  # noqa: E402

directory, trainer = sys.argv[1:3]


def start(case, tasks, absent=(), common=(), layers=None, until=None, host="127.0.0.1", variables=()):
    """Runs the tasks (role -> list of further arguments), but for the absent ones; returns their statuses and texts.
    `layers` has the rpc_layer of some. When the task `until` has ended, others are killed."""
    cluster = {role: [f"{host}:{port}"] for role, port in zip(tasks, held_ports(len(tasks)))}
    running = {}
    for role, more in tasks.items():
        if role in absent:
            continue
        config = {"cluster": cluster, "task": {"type": role, "index": 0}}
        if layers and role in layers:
            config["rpc_layer"] = layers[role]
        environment = dict(os.environ, TF_CONFIG=json.dumps(config), **dict(variables))
        command = [trainer, "train", "--sync", "--max_steps", "20", "--model_dir", f"{directory}/{case}", *common, *more]
        running[role] = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    results = {}
    if until:
        running[until].wait(timeout=120)
        time.sleep(1)  # the others tell what they saw
        for role, process in running.items():
            if role != until:
                process.kill()
    for role, process in running.items():
        text, _ = process.communicate(timeout=120)
        results[role] = (process.returncode, text)
    return results


def expect(results, role, status, text):
    found, said = results[role]
    if found != status or text not in said:
        sys.exit(f"{role}: status {found}, expected {status} and '{text}' in:\n{said}")


everyone = {"chief": [], "worker": [], "ps": []}
results = start("no-server", everyone, absent=["ps"], common=["--start_timeout", "1"])
expect(results, "chief", 193, "error[E0410]")
expect(results, "chief", 193, "ps 0 at 127.0.0.1:")
expect(results, "worker", 193, "error[E0410]")

# Tasks that are protected otherwise, or talk otherwise.
tls = make_certificates(f"{directory}/ours")
results = start("plain", {"chief": tls, "worker": [], "ps": tls}, common=["--start_timeout", "2"])
expect(results, "worker", 4, "error[E0411]: chief 0 at")
expect(results, "worker", 4, "it expects TLS, which this task was started without")
expect(results, "chief", 193, "for worker 0")
expect(results, "chief", 193, "warning[E0411]: a peer called without TLS")
for layers in None, {"chief": "grpc", "ps": "grpc"}:
    results = start("with-tls", {"chief": [], "worker": tls, "ps": []}, common=["--start_timeout", "2"], layers=layers)
    expect(results, "worker", 4, "it does not speak TLS")
    expect(results, "chief", 193, "for worker 0" if layers else "it called with TLS, which this task was started without")

# Other hosts may connect to a task that has a token, from a file or from the environment, or that is told so, which it says.
pathlib.Path(directory, "secret").write_text("secret\n")
token = f"{directory}/secret"
warning = "warning[E0412]: any host that reaches example.org:"
for more, variables, isTold in ((["--token_file", token], {}, False), ([], {"MLC_TOKEN_FILE": token}, False), (["--insecure"], {}, True)):
    results = start("open", everyone, absent=["worker", "ps"], common=["--start_timeout", "1", *more], host="example.org", variables=variables)
    expect(results, "chief", 193, "error[E0410]")
    if (warning in results["chief"][1]) != isTold:
        sys.exit(f"{more}: {results['chief'][1]}")

# Certificates that are not right: told at once, by both sides, and an exit status that says that trying again is no use.
of_ours = f"{directory}/ours"
expired = make_certificates(f"{directory}/expired", authority=of_ours, begin=2020, end=2021)
early = make_certificates(f"{directory}/early", authority=of_ours, begin=2048, end=2049)
elsewhere = make_certificates(f"{directory}/elsewhere", authority=of_ours, name="DNS:example.org")
theirs = make_certificates(f"{directory}/theirs")
foreign = make_certificates(f"{directory}/foreign", trust=[f"{directory}/ours/authority.pem"])
for role, certificate, status, said in (
        ("worker", theirs, 4, "error[E0411]: chief 0 at 127.0.0.1:"), ("worker", theirs, 4, "it is of another authority, CN = authority ours"),
        ("worker", foreign, 4, "it does not trust the certificate"), ("worker", expired, 2, "it has expired: it was valid until Jan"),
        ("worker", early, 2, "it is not valid yet"), ("ps", elsewhere, 2, "it is not for 127.0.0.1")):
    began = time.monotonic()
    ended = start("certificate", {**{each: tls for each in everyone}, role: certificate}, common=["--start_timeout", "60"], until=role)
    expect(ended, role, status, said)
    if time.monotonic() - began > 30:
        sys.exit(f"{role} took {time.monotonic() - began} s to see '{said}'")
    if certificate in (theirs, foreign) and "warning[E0411]: a TLS handshake with a peer failed: '" not in ended["chief"][1]:
        sys.exit(f"the chief is not told:\n{ended['chief'][1]}")
results = start("layer", everyone, common=["--start_timeout", "2"], layers={"chief": "grpc", "ps": "grpc"})
expect(results, "worker", 193, "it speaks another protocol: does it expect gRPC")
expect(results, "chief", 193, "for worker 0")
for name in ("one", "two"):
    pathlib.Path(directory, f"token-{name}").write_text(f"{name}\n")
one = ["--token_file", f"{directory}/token-one"]
for layers in (None, {role: "grpc" for role in everyone}):
    results = start("token", {"chief": one, "worker": ["--token_file", f"{directory}/token-two"], "ps": one},
                    common=["--start_timeout", "2"], layers=layers)
    expect(results, "worker", 4, "error[E0411]")
    expect(results, "worker", 4, "the token is not that of this cluster")

results = start("no-worker", everyone, absent=["worker"], common=["--start_timeout", "2", "--stall_timeout", "2"])
expect(results, "chief", 193, "at step 0 for worker 0")
expect(results, "ps", 193, "at step 0 for worker 0")

# A task that is refused ends the job for all, at once and with the reason.
begin = time.monotonic()
results = start("settings", dict(everyone, worker=["--batch_size", "7"]), common=["--start_timeout", "1000", *one])
refused = "setting of the peer is train.batch_size=7, mine is train.batch_size="
expect(results, "worker", 4, "error[E0411]")
expect(results, "worker", 4, refused)
expect(results, "chief", 4, "error[E0411]: worker 0: it was refused: the " + refused)
expect(results, "ps", 4, refused)
if time.monotonic() - begin > 60:
    sys.exit(f"a refused task: the end took {time.monotonic() - begin:.0f} s")
# Without a token whoever calls may be anybody: it ends nothing, and learns no setting of others.
results = start("settings", dict(everyone, worker=["--batch_size", "7"]), common=["--start_timeout", "3"])
expect(results, "worker", 4, "error[E0411]")
expect(results, "worker", 4, "is train.batch_size=7, mine is another one")
expect(results, "chief", 193, "for worker 0")
