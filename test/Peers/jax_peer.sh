#!/bin/bash
# Random df programs and their gradients against JAX, by hand: nothing of the product needs it, and no test runs it.
#   test/Peers/jax_peer.sh [--first N] [--count N] [--print SEED]
# mlc and mlc-opt are those of build/bin, or $MLC and $MLC_OPT; the venv of the peers is made where it is not there.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
PYTHON=${PYTHON:-$root/benchmarks/.venv/bin/python}
[ -x "$PYTHON" ] || "$root/benchmarks/setup_peers.sh"
MLC=${MLC:-$root/build/bin/mlc} MLC_OPT=${MLC_OPT:-$root/build/bin/mlc-opt} exec "$PYTHON" "$here/jax_peer.py" "$@"
