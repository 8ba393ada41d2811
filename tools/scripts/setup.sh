#!/usr/bin/env bash
# Installs what mlc builds and tests with, on Debian 12 as root. Quick when nothing is missing.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
set -euo pipefail

packages=(
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools clang-22 libclang-rt-22-dev lld-22 liblld-22-dev clang-format-22
  cmake ninja-build ccache libstdc++-12-dev
  libabsl-dev libprotobuf-dev protobuf-compiler protobuf-compiler-grpc libgrpc++-dev libgrpc-dev libssl-dev nlohmann-json3-dev libcli11-dev libspdlog-dev libfmt-dev
  zlib1g-dev libzstd-dev libfarmhash-dev openssl libgtest-dev libgmock-dev python3 python3-dev python3-venv python3-sklearn python3-yaml
  dpkg-dev git make unzip iproute2 mount
)

missing=()
for package in "${packages[@]}"; do
  dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'install ok installed' || missing+=("$package")
done
if [ ${#missing[@]} -eq 0 ]; then
  echo "setup: all ${#packages[@]} packages are installed"
else
  if [ "$(id -u)" -ne 0 ]; then
    echo "setup: missing ${missing[*]}; run as root, or install them" >&2
    exit 1
  fi
  echo "setup: installing ${missing[*]}"
  export DEBIAN_FRONTEND=noninteractive
  apt-get update -qq
  apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

# Python's own packages lie in .venv, made anew where the list changed.
cd "$(dirname "$0")/../.."
if ! cmp -s python/requirements.txt .venv/requirements.txt; then
  echo "setup: making .venv for python/requirements.txt"
  rm -rf .venv
  /usr/bin/python3 -m venv .venv
  .venv/bin/pip install -q --disable-pip-version-check -r python/requirements.txt
  cp python/requirements.txt .venv/requirements.txt
fi
