#!/usr/bin/env python3
"""exit.py CODE COMMAND...: runs the command, fails unless it exits with CODE; its output (both streams) goes to stdout.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import subprocess
import sys

done = subprocess.run(sys.argv[2:], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, timeout=120)
sys.stdout.buffer.write(done.stdout)
if done.returncode != int(sys.argv[1]):
    print(f"exit.py: exit status {done.returncode}; expected {sys.argv[1]}")
    sys.exit(1)
