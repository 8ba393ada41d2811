#!/bin/bash
# Makes benchmarks/.venv-tf with TensorFlow 2.15, whose Estimators test/Recorded is compared with. Nothing of the product needs it.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
python3 -m venv "$here/.venv-tf"
"$here/.venv-tf/bin/pip" install --quiet -r "$here/requirements-tensorflow.txt"
TF_CPP_MIN_LOG_LEVEL=3 "$here/.venv-tf/bin/python" -c 'import tensorflow, numpy; print("tensorflow", tensorflow.__version__, "numpy", numpy.__version__)'
