#!/usr/bin/env python3
"""interrupt.py SIGNAL CODE[,CODE] [--wait TEXT] [--steps FILE] -- COMMAND...: sends a signal to the running command and
fails unless it then exits with one of the codes (128 + N: ended by signal N, as a shell says it). Its output (both
streams) goes to stdout.

--wait TEXT     sends when a line of the output holds TEXT; without it, 0.3 s after the start
--steps FILE    checks that the step that the event "done" names was saved, and writes --max_steps=<50 more> to FILE

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import argparse
import json
import signal
import subprocess
import sys
import threading
import time

split = sys.argv.index("--")
parser = argparse.ArgumentParser()
parser.add_argument("signal")
parser.add_argument("codes")
parser.add_argument("--wait")
parser.add_argument("--steps")
options = parser.parse_args(sys.argv[1:split])



def listen():
    """What a shell started in the background has to ignore."""
    for number in (signal.SIGINT, signal.SIGQUIT):
        signal.signal(number, signal.SIG_DFL)


process = subprocess.Popen(sys.argv[split + 1:], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                           stderr=subprocess.STDOUT, text=True, preexec_fn=listen)
# Whatever happens to the signal, the command comes to an end.
watchdog = threading.Timer(100, process.kill)
watchdog.daemon = True
watchdog.start()
lines = []
found = options.wait is None
if found:
    time.sleep(0.3)
else:
    for line in process.stdout:
        lines.append(line)
        if options.wait in line:
            found = True
            break
if found and process.poll() is None:
    process.send_signal(signal.Signals["SIG" + options.signal])
lines += process.stdout.readlines()
code = process.wait()
watchdog.cancel()
code = 128 - code if code < 0 else code
sys.stdout.writelines(lines)
if not found:
    sys.exit(f"interrupt.py: no line holds '{options.wait}'")
if str(code) not in options.codes.split(","):
    sys.exit(f"interrupt.py: exit status {code}; expected {options.codes}")
if options.steps:
    events = [json.loads(line) for line in lines if line.startswith('{"event"')]
    done = events[-1]
    if done["event"] != "done" or done["exit"] != code:
        sys.exit(f"interrupt.py: the last event is {done}")
    if not any(e["event"] == "checkpoint" and e["step"] == done["step"] for e in events):
        sys.exit(f"interrupt.py: step {done['step']} was not saved")
    with open(options.steps, "w", encoding="utf-8") as file:
        file.write(f"--max_steps={done['step'] + 50}\n")
