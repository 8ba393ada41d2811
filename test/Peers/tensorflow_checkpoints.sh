#!/bin/bash
# Checkpoints that mlc writes for TensorFlow, read by TensorFlow 2.15, by hand: nothing of the product needs it, and no test runs it.
#   test/Peers/tensorflow_checkpoints.sh
# mlc is that of build/bin, or $MLC; the venv of TensorFlow is made where it is not there, or is that of $PYTHON.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
PYTHON=${PYTHON:-$root/benchmarks/.venv-tf/bin/python}
[ -x "$PYTHON" ] || "$root/benchmarks/setup_tensorflow.sh"
MLC=${MLC:-$root/build/bin/mlc} exec "$PYTHON" "$here/tensorflow_checkpoints.py"
