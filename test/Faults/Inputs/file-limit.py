"""file-limit.py BYTES COMMAND...: runs the command with files limited to that size (RLIMIT_FSIZE).

SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""
import os
import resource
import signal
import sys

signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # Python ignores it, and children inherit that
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), int(sys.argv[1])))
os.execvp(sys.argv[2], sys.argv[2:])
