#!/usr/bin/env bash
# Configures and builds into build/: build.sh [--configure] [CMAKE_ARGUMENT...] [-- TARGET...]
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Without targets everything is built; with --configure nothing is.
set -euo pipefail
cd "$(dirname "$0")/../.."
configure=0
[ "${1:-}" != --configure ] || { configure=1; shift; }
arguments=()
while [ $# -gt 0 ] && [ "$1" != -- ]; do
  arguments+=("$1")
  shift
done
[ $# -eq 0 ] || shift
if [ ! -f build/build.ninja ] || [ ${#arguments[@]} -gt 0 ]; then
  log=$(mktemp)
  cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 \
    "${arguments[@]}" >"$log" 2>&1 || { cat "$log" >&2; rm -f "$log"; exit 1; }
  rm -f "$log"
fi
[ $configure -eq 0 ] || exit 0
tools/scripts/progress.py build ninja -C build "$@"
