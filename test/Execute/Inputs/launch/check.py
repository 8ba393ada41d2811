#!/usr/bin/env python3
"""check.py WHAT MLC TRAINER MODEL_DIR: what of mlc launch needs signals or a terminal.

second    a second SIGINT kills a chief that does not end
orphans   no task survives a launcher that is killed
terminal  on a terminal progress is one line that is written over
stdout    who reads the output may leave before

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import json
import os
import pty
import signal
import subprocess
import sys
import threading
import time

what, mlc, trainer, model_dir = sys.argv[1:]
SIZE = ["--workers", "2", "--ps", "1"]
process = None


def launch(*arguments, flags=(), **streams):
    global process
    process = subprocess.Popen([mlc, "launch", *SIZE, *flags, "--", trainer, "train", "--model_dir", model_dir, *arguments],
                               stdin=subprocess.DEVNULL, text=True, **streams)
    watchdog = threading.Timer(100, process.kill)
    watchdog.daemon = True
    watchdog.start()


def read_until(text):
    for line in process.stdout:
        if text in line:
            return
    sys.exit(f"check.py: no line has '{text}'")


def lives(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rsplit(")", 1)[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def second():
    launch("--do", "chief-0=hang", stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    read_until("chief-0 line 11")
    process.send_signal(signal.SIGINT)
    read_until("chief-0 got SIGINT")
    process.send_signal(signal.SIGINT)  # the first one, sent to a process and its group
    time.sleep(0.2)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    print(process.stdout.read(), end="")
    print("exit status", process.wait())


def orphans():
    # Ports: a killed launcher cannot remove its directory of sockets.
    launch("--do", "chief-0=wait", "--do", "ps-0=hang", flags=["--json", "--tcp"], stdout=subprocess.PIPE)
    pids = [json.loads(process.stdout.readline())["pid"] for _ in range(3)]
    read_until("trained")
    assert all(map(lives, pids)), pids
    process.kill()
    process.wait()
    end = time.monotonic() + 60
    while any(map(lives, pids)) and time.monotonic() < end:
        time.sleep(0.01)
    print(sum(map(lives, pids)), "of", len(pids), "tasks survive")


def terminal():
    ours, theirs = pty.openpty()
    launch(stdout=subprocess.PIPE, stderr=theirs)
    os.close(theirs)
    text = b""
    try:
        while data := os.read(ours, 4096):
            text += data
    except OSError:  # the other end is closed
        pass
    status = process.wait()
    for line in text.decode().split("\n"):
        # What a terminal shows of a line in the end.
        print("shown:", line.rstrip("\r").split("\r\033[K")[-1])
    print("written over:", "\r\033[K" in text.decode() and "3 tasks" in text.decode())
    print("exit status", status)


def stdout():
    reader, writer = os.pipe()
    os.close(reader)
    launch(stdout=writer, stderr=subprocess.PIPE)
    os.close(writer)
    print(process.stderr.read(), end="")
    print("exit status", process.wait())


{"second": second, "orphans": orphans, "terminal": terminal, "stdout": stdout}[what]()
