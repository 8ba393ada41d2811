"""run-next.py: runs the command that a line "... next: COMMAND" on stdin prints, as a shell reads it; exits as it does.

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import subprocess
import sys

lines = [line for line in sys.stdin if "next: " in line]
command = lines[-1].split("next: ")[1].removeprefix("nothing was written; ").strip()
print("next:", command, flush=True)
sys.exit(subprocess.run(command, shell=True, stderr=subprocess.STDOUT, timeout=300).returncode)
