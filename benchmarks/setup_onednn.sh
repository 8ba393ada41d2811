#!/bin/bash
# Makes benchmarks/.venv-onednn with oneDNN 3.2, the peer of benchmarks/contract. Nothing of the product needs it.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
python3 -m venv "$here/.venv-onednn"
"$here/.venv-onednn/bin/pip" install --quiet -r "$here/requirements-onednn.txt"
ls "$here/.venv-onednn/lib/libdnnl.so.3.2"
