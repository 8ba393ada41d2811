#!/usr/bin/env python3
# The most memory that a command has of its own. Pages of files that it maps are not counted: they are the page cache's,
# and kernels map as much around an address as lies there in one piece, up to 2 MiB for a row of 128 bytes.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""usage: peak.py FILE COMMAND...            runs it; FILE gets the peak of its resident anonymous and shared memory, KiB
       peak.py --compare MIB SMALL LARGE  fails if LARGE has MIB more than SMALL
"""
import os
import signal
import subprocess
import sys
import time


def resident(pid):
    with open(f"/proc/{pid}/status") as status:
        return sum(int(line.split()[1]) for line in status if line.startswith(("RssAnon:", "RssShmem:")))


def main():
    if sys.argv[1] == "--compare":
        small, large = (int(open(path).read()) for path in sys.argv[3:])
        print(f"{small} KiB, {large} KiB")
        return 0 < small and large - small >= int(sys.argv[2]) << 10
    child = subprocess.Popen(sys.argv[2:])
    for each in (signal.SIGTERM, signal.SIGINT):
        signal.signal(each, lambda number, frame: child.send_signal(number))
    peak = 0
    while child.poll() is None:  # what takes memory for the state keeps it for longer
        try:
            peak = max(peak, resident(child.pid))
        except OSError:
            pass
        time.sleep(0.005)
    with open(sys.argv[1], "w") as file:
        print(peak, file=file)
    return child.returncode


if __name__ == "__main__":
    sys.exit(main())
