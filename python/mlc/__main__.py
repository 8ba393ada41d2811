"""python -m mlc: the command mlc."""

# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import sys

from mlc import _engine

if __name__ == "__main__":
    sys.exit(_engine.command(sys.argv[1:]))
