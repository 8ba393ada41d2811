#!/usr/bin/env bash
# Configures and builds everything into build/. Arguments go to CMake.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail
cd "$(dirname "$0")/../.."
if [ ! -f build/build.ninja ] || [ $# -gt 0 ]; then
  cmake -S . -B build -G Ninja -DCMAKE_BUILD_TYPE=Release -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 "$@" >build.log 2>&1 ||
    { cat build.log >&2; exit 1; }
  rm -f build.log
fi
ninja -C build --quiet
