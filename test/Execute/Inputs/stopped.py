#!/usr/bin/env python3
# Runs a cluster of tasks on this host, of which one stands still for some steps.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: stopped.py LOGS WORKERS SERVERS TASK FROM TO COMMAND... [--KEY VALUE...]

As cluster.py. FROM and TO are TASK:TEXT. TASK (ROLE-INDEX) gets SIGSTOP when the log of FROM's task has FROM's text, and SIGCONT when that of TO's has
TO's; that is another task.
"""
import os
import signal
import sys
import time

import cluster


def main():
    logs, task, first, last = sys.argv[1], sys.argv[4], sys.argv[5], sys.argv[6]

    def await_text(processes, event):
        name, text = event.split(":", 1)
        while True:
            # What it wrote last counts, too.
            has_ended = processes[name].poll() is not None
            with open(os.path.join(logs, name)) as log:
                if text in log.read():
                    return
            if has_ended:
                sys.exit(f"{name} ended without a word of {text}")
            time.sleep(0.005)

    def watch(processes):
        await_text(processes, first)
        processes[task].send_signal(signal.SIGSTOP)
        try:
            await_text(processes, last)
        finally:
            processes[task].send_signal(signal.SIGCONT)

    return cluster.run(logs, int(sys.argv[2]), int(sys.argv[3]), sys.argv[7:], watch)


if __name__ == "__main__":
    sys.exit(main())
