#!/usr/bin/env python3
# A Slurm of one node. SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: slurm.py DIRECTORY COMMAND...

Starts munged, slurmctld and slurmd with all their files in DIRECTORY, runs COMMAND with SLURM_CONF set, ends them.
"""
import os
import socket
import subprocess
import sys
import time

directory, command = os.path.abspath(sys.argv[1]), sys.argv[2:]
host = socket.gethostname().split(".")[0]


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


for name in ("state", "spool", "munge"):
    os.makedirs(f"{directory}/{name}", exist_ok=True)
os.chmod(f"{directory}/munge", 0o755)
with open(f"{directory}/munge/key", "wb") as key:
    key.write(os.urandom(128))
os.chmod(f"{directory}/munge/key", 0o600)
with open(f"{directory}/slurm.conf", "w") as conf:
    conf.write(f"""ClusterName=test
SlurmctldHost={host}
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={directory}/munge/socket
CredType=cred/munge
StateSaveLocation={directory}/state
SlurmdSpoolDir={directory}/spool
SlurmctldPidFile={directory}/slurmctld.pid
SlurmdPidFile={directory}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
MinJobAge=300
NodeName={host} CPUs=16 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
""")
os.environ["SLURM_CONF"] = f"{directory}/slurm.conf"
# Programs of this user run as it, whoever owns the directories above.
munged = ["munged", "--foreground", "--force", f"--socket={directory}/munge/socket", f"--key-file={directory}/munge/key",
          f"--pid-file={directory}/munge/pid", f"--log-file={directory}/munge/log", f"--seed-file={directory}/munge/seed"]
daemons = []
try:
    with open(f"{directory}/daemons.log", "w") as log:
        for daemon in (munged, ["slurmctld", "-D"], ["slurmd", "-D"]):
            daemons.append(subprocess.Popen(daemon, stdout=log, stderr=log))
            time.sleep(0.5)
        for _ in range(300):
            state = subprocess.run(["sinfo", "-h", "-o", "%T"], stdout=subprocess.PIPE, stderr=log, text=True).stdout
            if state.strip() == "idle":
                break
            time.sleep(0.1)
        else:
            sys.exit(f"the node is not idle: {state}")
    status = subprocess.run(command).returncode
finally:
    for daemon in reversed(daemons):
        daemon.terminate()
        daemon.wait()
sys.exit(status)
